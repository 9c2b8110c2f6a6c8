/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/workload/layout.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "capture/vocabulary/vocabulary.h"

#define LEAF_BITS 12
#define LEAF_SIZE (1u << LEAF_BITS)
#define NR_LEAVES (UINT64_C(1) << 16) /* 1 TiB of 4 KiB pages; frames beyond stay unknown */
#define MAX_ORDER 10
#define NR_TYPES  3 /* unmovable, movable, reclaimable */

/* Of a frame: nothing yet; free at the start in a pageblock of type n - 1; something else. */
enum { UNSEEN, FREE, OTHER = FREE + NR_TYPES };

struct leaf {
	uint8_t frame[LEAF_SIZE];
	uint32_t seen[LEAF_SIZE]; /* when, counted in frames */
	uint8_t block[LEAF_SIZE]; /* type + 1 before the pageblock was claimed, at its first frame
				   */
};

struct layout {
	uint32_t pageblock_order;
	uint64_t start, end;
	uint32_t nr_seen;
	struct leaf *leaves[NR_LEAVES];
};

struct layout *layout_new(uint32_t pageblock_order, uint64_t start, uint64_t end)
{
	struct layout *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->pageblock_order = pageblock_order < LEAF_BITS ? pageblock_order : LEAF_BITS;
	l->start = start;
	l->end = end;
	return l;
}

void layout_free(struct layout *layout)
{
	for (size_t i = 0; layout && i < NR_LEAVES; i++)
		free(layout->leaves[i]);
	free(layout);
}

/* The leaf of a frame below NR_LEAVES << LEAF_BITS, made if need be; NULL without memory. */
static struct leaf *leaf_of(struct layout *l, uint64_t pfn)
{
	struct leaf **leaf = &l->leaves[pfn >> LEAF_BITS];

	if (!*leaf)
		*leaf = calloc(1, sizeof(**leaf));
	return *leaf;
}

static uint64_t block_start(const struct layout *l, uint64_t pfn)
{
	return pfn & ~((UINT64_C(1) << l->pageblock_order) - 1);
}

/* 2^@order frames are seen: free so far in pageblocks of @type, or (@type NR_TYPES) in use. */
static int see(struct layout *l, uint64_t pfn, int64_t order, uint32_t type)
{
	for (uint64_t end = pfn + (UINT64_C(1) << order); pfn < end; pfn++) {
		struct leaf *leaf = leaf_of(l, pfn);
		uint8_t before;

		if (!leaf)
			return -ENOMEM;
		if (leaf->frame[pfn % LEAF_SIZE] != UNSEEN)
			continue;
		before = leaf->block[block_start(l, pfn) % LEAF_SIZE];
		if (before && type < NR_TYPES)
			type = before - 1u;
		leaf->frame[pfn % LEAF_SIZE] = (uint8_t)(FREE + type);
		leaf->seen[pfn % LEAF_SIZE] = l->nr_seen++;
	}
	return 0;
}

/* The pageblocks of the block of 2^@order at @pfn belonged to @type until now. */
static int claimed(struct layout *l, uint64_t pfn, int64_t order, uint32_t type)
{
	uint64_t last = pfn + (UINT64_C(1) << order) - 1;

	for (pfn = block_start(l, pfn); pfn <= last; pfn += UINT64_C(1) << l->pageblock_order) {
		struct leaf *leaf = leaf_of(l, pfn);

		if (!leaf)
			return -ENOMEM;
		if (!leaf->block[pfn % LEAF_SIZE])
			leaf->block[pfn % LEAF_SIZE] = (uint8_t)(type + 1);
	}
	return 0;
}

/* A block that was claimed is told by a page in it, of the order that was asked for. */
static int fallback(struct layout *l, const struct event *ev, uint64_t pfn)
{
	int64_t have = event_value(ev, mm_page_alloc_extfrag_fallback_order, 0);
	int64_t want = event_value(ev, mm_page_alloc_extfrag_alloc_order, 0);
	int64_t type = event_value(ev, mm_page_alloc_extfrag_fallback_migratetype, -1);
	int ret;

	if (type < 0 || type >= NR_TYPES || have < 0 || have > MAX_ORDER || want < 0 || want > have)
		return 0;
	if (!event_value(ev, mm_page_alloc_extfrag_change_ownership, 0))
		return see(l, pfn, have, (uint32_t)type);
	ret = claimed(l, pfn, have, (uint32_t)type);
	return ret ? ret : see(l, pfn, want, (uint32_t)type);
}

static bool within(int64_t pfn)
{
	return pfn >= 0 && pfn + (INT64_C(1) << MAX_ORDER) < (int64_t)NR_LEAVES << LEAF_BITS;
}

static int use(struct layout *l, int64_t pfn, int64_t order, int64_t type)
{
	if (!within(pfn) || order < 0 || order > MAX_ORDER)
		return 0;
	return see(l, (uint64_t)pfn, order,
		   type < 0 || type >= NR_TYPES ? NR_TYPES : (uint32_t)type);
}

int layout_event(struct layout *layout, const struct event *ev)
{
	int64_t pfn;

	if (ev->ts < layout->start || ev->ts >= layout->end)
		return 0;
	switch (ev->id) {
	case VOCAB_mm_page_alloc:
		return use(layout, event_value(ev, mm_page_alloc_pfn, -1),
			   event_value(ev, mm_page_alloc_order, 0),
			   event_value(ev, mm_page_alloc_migratetype, NR_TYPES));
	case VOCAB_mm_page_free:
		return use(layout, event_value(ev, mm_page_free_pfn, -1),
			   event_value(ev, mm_page_free_order, 0), NR_TYPES);
	case VOCAB_mm_page_alloc_extfrag:
		pfn = event_value(ev, mm_page_alloc_extfrag_pfn, -1);
		return within(pfn) ? fallback(layout, ev, (uint64_t)pfn) : 0;
	default:
		return 0;
	}
}

/* One known frame while they are put in order. */
struct known {
	uint32_t seen, value;
};

static int by_time(const void *a, const void *b)
{
	uint32_t x = ((const struct known *)a)->seen, y = ((const struct known *)b)->seen;

	return (x > y) - (x < y);
}

/* What @leaf knows of frame @pfn: false when it was in use or is of another type. */
static bool known_at(const struct leaf *leaf, uint64_t pfn, uint64_t from, struct known *out)
{
	uint32_t state = leaf->frame[pfn % LEAF_SIZE];

	out->seen = leaf->seen[pfn % LEAF_SIZE];
	out->value = (uint32_t)((pfn - from) << 1 | (state != FREE));
	return state == FREE || state == FREE + 2;
}

int layout_known(const struct layout *layout, uint64_t pfn, uint64_t nr, uint32_t *known,
		 uint32_t room, uint32_t *count)
{
	uint64_t end = pfn + nr < NR_LEAVES << LEAF_BITS ? pfn + nr : NR_LEAVES << LEAF_BITS;
	struct known *all = malloc((layout->nr_seen + 1) * sizeof(*all));
	uint32_t n = 0;

	if (!all)
		return -ENOMEM;
	for (uint64_t i = pfn; i < end; i++) {
		const struct leaf *leaf = layout->leaves[i >> LEAF_BITS];

		if (!leaf)
			i |= LEAF_SIZE - 1;
		else if (known_at(leaf, i, pfn, &all[n]))
			n++;
	}
	qsort(all, n, sizeof(*all), by_time);
	*count = n < room ? n : room;
	for (n = 0; n < *count; n++)
		known[n] = all[n].value;
	free(all);
	return 0;
}
