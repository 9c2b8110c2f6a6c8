/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/before.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/base/array.h"
#include "replay/workload/idmap.h"

struct place {
	uint32_t file, index;
};

struct before {
	struct place *pages;
	size_t nr, room;
	struct idmap seen; /* pages that the demand named so far */
};

static int name_page(struct before *b, uint32_t file, uint64_t index, bool read)
{
	uint32_t known = b->seen.count;
	uint32_t id = idmap_get(&b->seen, file, index);

	if (id == UINT32_MAX)
		return -ENOMEM;
	if (id != known || !read)
		return 0;
	if (rl_array_room(&b->pages, &b->room, b->nr, sizeof(*b->pages)))
		return -ENOMEM;
	b->pages[b->nr++] = (struct place){ file, (uint32_t)index };
	return 0;
}

/* All pages of files whose first mention is a read. */
static int find_first_reads(struct before *b, const struct demand *demand)
{
	int ret = 0;

	for (uint64_t i = 0; i < demand->nr_records && !ret; i++) {
		const struct demand_record *rec = &demand->records[i];
		bool read = rec->op == DEMAND_CACHE, run = read && rec->flags & DEMAND_ASYNC;
		uint64_t index = run && rec->count ? rec->start : rec->index;
		uint64_t count = rec->count && (run || !read) ? rec->count : 1;

		if (!read && rec->op != DEMAND_DIRTY && rec->op != DEMAND_TRUNCATE)
			continue;
		for (uint64_t k = 0; k < count && !ret; k++)
			ret = name_page(b, rec->object, index + k, read);
	}
	idmap_clear(&b->seen);
	return ret;
}

/* Keep @wanted of the pages, spread evenly. */
static void thin_out(struct before *b, uint64_t wanted)
{
	size_t all = b->nr;

	b->nr = 0;
	for (size_t i = 0; i < all; i++)
		if ((unsigned __int128)(i + 1) * wanted / all > (unsigned __int128)i * wanted / all)
			b->pages[b->nr++] = b->pages[i];
}

int before_new(const struct demand *demand, struct before **out, struct rl_msg *msg)
{
	struct before *b = calloc(1, sizeof(*b));
	uint64_t wanted = 0;
	char text[32];
	int ret = b ? 0 : -ENOMEM;

	if (!ret && demand_note_find(demand, BEFORE_NOTE, text, sizeof(text)))
		wanted = strtoull(text, NULL, 10);
	if (!ret && wanted)
		ret = find_first_reads(b, demand);
	if (ret) {
		before_free(b);
		return rl_fail_errno(msg, -ret, "pages evicted before the recording");
	}
	if (wanted < b->nr)
		thin_out(b, wanted);
	*out = b;
	return 0;
}

void before_free(struct before *before)
{
	if (!before)
		return;
	idmap_clear(&before->seen);
	free(before->pages);
	free(before);
}

uint64_t before_pages(const struct before *before)
{
	return before->nr;
}

int before_tell(const struct before *before, struct reclaim_engine *engine)
{
	int ret = 0;

	for (size_t i = 0; i < before->nr && (!ret || ret == -EEXIST); i++)
		ret = reclaim_engine_evicted(engine, before->pages[i].file, before->pages[i].index);
	return ret == -ENOMEM ? ret : 0;
}
