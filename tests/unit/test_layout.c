/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What events tell of where memory was free, and that the engine begins with it so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "capture/vocabulary/vocabulary.h"
#include "replay/engine/internal.h"
#include "replay/workload/layout.h"

#define ROOM 64
enum { UNMOVABLE, MOVABLE, RECLAIMABLE };

static void give(struct layout *l, uint64_t ts, enum vocab_id id, int nr, const int64_t *values)
{
	struct event ev = { .ts = ts, .id = id, .have = (1u << nr) - 1 };

	memcpy(ev.value, values, nr * sizeof(*values));
	assert_int_equal(layout_event(l, &ev), 0);
}

static void page_alloc(struct layout *l, uint64_t ts, int64_t pfn, int64_t order, int64_t type)
{
	int64_t v[mm_page_alloc_nr_slots] = { 0 };

	v[mm_page_alloc_pfn] = pfn;
	v[mm_page_alloc_order] = order;
	v[mm_page_alloc_migratetype] = type;
	give(l, ts, VOCAB_mm_page_alloc, mm_page_alloc_nr_slots, v);
}

static void page_free(struct layout *l, uint64_t ts, int64_t pfn, int64_t order)
{
	int64_t v[mm_page_free_nr_slots] = { 0 };

	v[mm_page_free_pfn] = pfn;
	v[mm_page_free_order] = order;
	give(l, ts, VOCAB_mm_page_free, mm_page_free_nr_slots, v);
}

/* @want got a page at @pfn of a block of 2^@have of type @from, and its pageblock with @claims. */
static void fallback(struct layout *l, uint64_t ts, int64_t pfn, int64_t have, int64_t want,
		     int64_t from, bool claims)
{
	int64_t v[mm_page_alloc_extfrag_nr_slots] = { 0 };

	v[mm_page_alloc_extfrag_pfn] = pfn;
	v[mm_page_alloc_extfrag_fallback_order] = have;
	v[mm_page_alloc_extfrag_alloc_migratetype] = want;
	v[mm_page_alloc_extfrag_fallback_migratetype] = from;
	v[mm_page_alloc_extfrag_change_ownership] = claims;
	give(l, ts, VOCAB_mm_page_alloc_extfrag, mm_page_alloc_extfrag_nr_slots, v);
}

static void known_is(const struct layout *l, uint32_t nr, const uint32_t *expected)
{
	uint32_t known[ROOM], count = 0;

	assert_int_equal(layout_known(l, 1000, 10000, known, ROOM, &count), 0);
	assert_int_equal(count, nr);
	assert_memory_equal(known, expected, nr * sizeof(*known));
}

/* Zone from frame 1000 on; a known frame is (frame - 1000) * 2, + 1 if reclaimable. */
static void first_sight_tells(void **state)
{
	static const uint32_t expected[] = { 48, 24, 26, 101, 103, 1001, 4052 };
	struct layout *l = layout_new(9, 10, 100);

	assert_non_null(l);
	page_alloc(l, 9, 1001, 0, UNMOVABLE); /* before the window: unseen */
	page_alloc(l, 10, 1024, 0, UNMOVABLE);
	page_alloc(l, 11, 1012, 1, UNMOVABLE);
	page_free(l, 12, 1030, 1); /* in use at the start */
	page_alloc(l, 13, 1030, 1, UNMOVABLE);
	page_alloc(l, 14, 1040, 0, MOVABLE);
	fallback(l, 15, 1050, 1, MOVABLE, RECLAIMABLE, false);
	page_alloc(l, 16, 1050, 0, MOVABLE); /* one of the two that were taken */
	page_alloc(l, 17, -1, 0, UNMOVABLE);
	page_alloc(l, 18, 1500, 0, RECLAIMABLE);
	/* The pageblock of 3026 was unmovable; 3027 and what follows were free there, too. */
	fallback(l, 19, 3026, 3, MOVABLE, UNMOVABLE, true);
	page_alloc(l, 20, 3026, 0, MOVABLE);
	/* The one of 4100 was movable before an unmovable request claimed it. */
	fallback(l, 21, 4100, 8, UNMOVABLE, MOVABLE, true);
	page_alloc(l, 22, 4100, 0, UNMOVABLE);
	page_alloc(l, 100, 1003, 0, UNMOVABLE); /* behind the window */
	known_is(l, 7, expected);
	layout_free(l);
}

static const struct reclaim_demand *none(void *ctx, uint32_t task)
{
	return NULL;
}

/*
 * A zone of 4096 pages of which 600 are free: an unmovable block of 4 pages and movable ones, and
 * of known unmovable frames two more and of reclaimable ones two that are on per-CPU lists.
 */
static void the_engine_begins_with_it(void **state)
{
	static const uint32_t known[] = {
		1030 << 1,     1036 << 1, 1037 << 1,	 1038 << 1,   1039 << 1,
		2049 << 1 | 1, 1031 << 1, 3000 << 1 | 1, 90000u << 1,
	};
	struct reclaim_machine machine;
	const struct reclaim_task_desc task = { .cpu = -1 };
	const struct reclaim_config config = {
		.machine = &machine,
		.profile = reclaim_profile_find("k612"),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = none,
	};
	struct reclaim_initial initial = {
		.free = 600,
		.pcp = 6,
		.slab_reclaimable = 100,
		.active_file = 1000,
		.known = known,
		.nr_known = sizeof(known) / sizeof(known[0]),
		.pageblocks = { [RECLAIM_MT_UNMOVABLE] = 2, [RECLAIM_MT_RECLAIMABLE] = 2 },
	};
	struct reclaim_engine *e = NULL;
	struct reclaim_error error;
	const struct rc_zone *z;
	uint32_t i, unmovable = 0;

	reclaim_machine_init(&machine);
	machine.cpus = 2;
	initial.free_blocks[RECLAIM_MT_UNMOVABLE][2] = 1;
	initial.free_blocks[RECLAIM_MT_MOVABLE][9] = 1;
	initial.free_blocks[RECLAIM_MT_MOVABLE][6] = 1;
	initial.free_blocks[RECLAIM_MT_MOVABLE][4] = 1;
	initial.free_blocks[RECLAIM_MT_MOVABLE][2] = 1;
	assert_int_equal(reclaim_machine_add_zone(&machine, 0, RECLAIM_ZONE_NORMAL, 0, 4096, 4096),
			 0);
	if (reclaim_engine_create(&e, &config, &error) ||
	    reclaim_engine_populate(e, 0, &initial, &error))
		fail_msg("%s", error.text);
	z = e->zones;
	assert_int_equal(z->nr_free, 600);
	assert_int_equal(z->nr_pcp, 6);
	assert_int_equal(z->free[RECLAIM_MT_UNMOVABLE][2].len, 1);
	assert_int_equal(z->free[RECLAIM_MT_UNMOVABLE][2].head, 1036);
	assert_int_equal(z->block_mt[2], RECLAIM_MT_UNMOVABLE);
	assert_int_equal(z->block_mt[4], RECLAIM_MT_RECLAIMABLE);
	assert_int_equal(z->block_mt[5], RECLAIM_MT_RECLAIMABLE);
	for (i = 0; i < z->nr_blocks; i++)
		unmovable += z->block_mt[i] == RECLAIM_MT_UNMOVABLE;
	assert_int_equal(unmovable, 2);
	/* Equal parts: the lower two known frames and a movable one are CPU 0's. */
	assert_int_equal(z->pcp[0].lists[RECLAIM_MT_UNMOVABLE][0].len, 2);
	assert_int_equal(z->pcp[0].lists[RECLAIM_MT_MOVABLE][0].len, 1);
	assert_int_equal(z->pcp[1].lists[RECLAIM_MT_RECLAIMABLE][0].len, 2);
	assert_int_equal(z->pcp[1].lists[RECLAIM_MT_MOVABLE][0].len, 1);
	/* The reclaimable pageblocks hold the slab and nothing else in use. */
	for (i = 2048, unmovable = 0; i < 3072; i++)
		unmovable += (e->pages[i].flags & RC_PG_SLAB) != 0;
	assert_int_equal(unmovable, 100);
	reclaim_engine_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_sight_tells),
		cmocka_unit_test(the_engine_begins_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
