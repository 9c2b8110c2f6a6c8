/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/future.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/base/array.h"
#include "replay/workload/idmap.h"

#define GIVES_UP 1 /* lowest bit of a use; the others are the record's number */

struct future {
	const struct demand *demand;
	struct idmap pages;
	uint64_t *first;  /* by page: where its uses begin; one more at the end */
	uint64_t *uses;	  /* of each page in a row, ascending */
	uint64_t *number; /* of the record at each place of the feed */
};

/* What a record does to the pages [@index, +@count) of @file. */
struct span {
	uint32_t file, index;
	uint64_t count;
	unsigned int gives_up;
};

static struct span span_of(const struct demand_record *rec)
{
	struct span s = { .file = rec->object, .index = rec->index, .count = 1 };

	switch (rec->op) {
	case DEMAND_CACHE:
		if ((rec->flags & DEMAND_ASYNC) && rec->count) {
			s.index = rec->start;
			s.count = rec->count;
		}
		return s;
	case DEMAND_DIRTY:
	case DEMAND_TRUNCATE:
		s.count = rec->count ? rec->count : 1;
		s.gives_up = rec->op == DEMAND_TRUNCATE;
		return s;
	case DEMAND_ACCESS:
		if (rec->flags & DEMAND_FILE)
			return s;
		break;
	case DEMAND_ALLOC:
	case DEMAND_FREE:
		s.count = rec->count ? rec->count : 1;
		s.gives_up = rec->op == DEMAND_FREE;
		break;
	default:
		s.count = 0;
		return s;
	}
	s.file = RECLAIM_FILE_LOGICAL;
	s.index = rec->object;
	return s;
}

/* Number the pages that are ever asked for, and count their uses in first[page + 1]. */
static int count_uses(struct future *f)
{
	size_t room = 0;

	for (uint64_t i = 0; i < f->demand->nr_records; i++) {
		struct span s = span_of(&f->demand->records[i]);

		for (uint64_t k = 0; k < s.count; k++) {
			uint32_t page = s.gives_up ? idmap_find(&f->pages, s.file, s.index + k)
						   : idmap_get(&f->pages, s.file, s.index + k);

			if (page == UINT32_MAX && s.gives_up)
				continue;
			if (page == UINT32_MAX)
				return -ENOMEM;
			if (rl_array_room(&f->first, &room, (size_t)page + 2, sizeof(*f->first)))
				return -ENOMEM;
			f->first[page + 1]++;
		}
	}
	return 0;
}

static int fill_uses(struct future *f)
{
	uint32_t nr = f->pages.count;
	uint64_t *at;

	if (!f->first)
		f->first = calloc(1, sizeof(*f->first));
	at = malloc(((size_t)nr + 1) * sizeof(*at));
	if (!f->first || !at) {
		free(at);
		return -ENOMEM;
	}
	for (uint32_t page = 0; page < nr; page++) {
		f->first[page + 1] += f->first[page];
		at[page] = f->first[page];
	}
	f->uses = malloc((f->first[nr] + 1) * sizeof(*f->uses));
	for (uint64_t i = 0; f->uses && i < f->demand->nr_records; i++) {
		struct span s = span_of(&f->demand->records[i]);

		for (uint64_t k = 0; k < s.count; k++) {
			uint32_t page = idmap_find(&f->pages, s.file, s.index + k);

			/* What is given up before it is asked for was not counted. */
			if (page != UINT32_MAX && (!s.gives_up || at[page] > f->first[page]))
				f->uses[at[page]++] = i << 1 | s.gives_up;
		}
	}
	free(at);
	return f->uses ? 0 : -ENOMEM;
}

/* The feed has each task's records in a row. */
static int number_records(struct future *f)
{
	uint32_t nr_tasks = f->demand->nr_tasks;
	uint64_t *at = calloc((size_t)nr_tasks + 1, sizeof(*at));

	f->number = malloc((f->demand->nr_records + 1) * sizeof(*f->number));
	if (!at || !f->number) {
		free(at);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < f->demand->nr_records; i++)
		at[f->demand->records[i].task + 1]++;
	for (uint32_t task = 0; task < nr_tasks; task++)
		at[task + 1] += at[task];
	for (uint64_t i = 0; i < f->demand->nr_records; i++)
		f->number[at[f->demand->records[i].task]++] = i;
	free(at);
	return 0;
}

int future_new(const struct demand *demand, struct future **out, struct rl_msg *msg)
{
	struct future *f = calloc(1, sizeof(*f));

	if (!f)
		return rl_fail_errno(msg, ENOMEM, "future of the demand");
	f->demand = demand;
	if (count_uses(f) || fill_uses(f) || number_records(f)) {
		future_free(f);
		return rl_fail_errno(msg, ENOMEM, "future of a demand of %zu records",
				     demand->nr_records);
	}
	*out = f;
	return 0;
}

void future_free(struct future *future)
{
	if (!future)
		return;
	idmap_clear(&future->pages);
	free(future->first);
	free(future->uses);
	free(future->number);
	free(future);
}

static uint64_t next_use(void *ctx, uint32_t file, uint32_t index)
{
	const struct future_cursor *c = ctx;
	const struct future *f = c->future;
	uint32_t page = idmap_find(&f->pages, file, index);
	uint64_t use;

	if (page == UINT32_MAX || c->uses[page] == f->first[page + 1])
		return RECLAIM_NEVER;
	use = f->uses[c->uses[page]];
	return use & GIVES_UP ? RECLAIM_NEVER : use >> 1;
}

static bool is_done(const struct future_cursor *c, uint64_t use)
{
	return c->done[use / 8] & 1u << use % 8;
}

/* Mark @page's use by record @number, and step over all that are done. */
static void use_page(struct future_cursor *c, uint32_t page, uint64_t number)
{
	const struct future *f = c->future;
	uint64_t use = c->uses[page], end = f->first[page + 1];

	while (use < end && f->uses[use] >> 1 < number)
		use++;
	if (use == end || f->uses[use] >> 1 != number)
		return;
	c->done[use / 8] |= (uint8_t)(1u << use % 8);
	while (c->uses[page] < end && is_done(c, c->uses[page]))
		c->uses[page]++;
}

static void done(void *ctx, uint32_t task)
{
	struct future_cursor *c = ctx;
	const struct future *f = c->future;
	uint64_t number = f->number[c->feed->next[task] - 1];
	struct span s = span_of(&f->demand->records[number]);

	for (uint64_t k = 0; k < s.count; k++) {
		uint32_t page = idmap_find(&f->pages, s.file, s.index + k);

		if (page != UINT32_MAX)
			use_page(c, page, number);
	}
}

int future_cursor_init(struct future_cursor *cursor, const struct future *future,
		       const struct feed_cursor *feed)
{
	uint32_t nr = future->pages.count;

	*cursor = (struct future_cursor){
		.engine = { .next_use = next_use, .done = done, .ctx = cursor },
		.future = future,
		.feed = feed,
	};
	cursor->uses = malloc(((size_t)nr + 1) * sizeof(*cursor->uses));
	cursor->done = calloc(future->first[nr] / 8 + 1, 1);
	if (!cursor->uses || !cursor->done)
		return -ENOMEM;
	for (uint32_t page = 0; page < nr; page++)
		cursor->uses[page] = future->first[page];
	return 0;
}

void future_cursor_clear(struct future_cursor *cursor)
{
	free(cursor->uses);
	free(cursor->done);
}
