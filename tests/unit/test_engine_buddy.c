/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which free list a page comes back to. One zone of eight blocks of the largest order, all of them
 * taken; each test gives back what it needs. And the lists that a zone begins with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "replay/engine/internal.h"

#define PAGES 8192u
#define LARGE (1u << RECLAIM_MAX_ORDER)
#define BATCH 31 /* of a zone of 128 MiB or more; ours gets a smaller one */

static const struct reclaim_demand *none(void *ctx, uint32_t task)
{
	return NULL;
}

/* All pages are taken; the pageblocks of the last large block are unmovable. */
static struct reclaim_engine *taken_zone(const char *profile)
{
	static struct reclaim_machine machine;
	const struct reclaim_task_desc task = { .cpu = -1 };
	const struct reclaim_config config = {
		.machine = &machine,
		.profile = reclaim_profile_find(profile),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = none,
	};
	struct reclaim_engine *e = NULL;
	struct reclaim_error error;
	uint32_t i;

	reclaim_machine_init(&machine);
	machine.cpus = 1;
	assert_int_equal(
		reclaim_machine_add_zone(&machine, 0, RECLAIM_ZONE_NORMAL, 0, PAGES, PAGES), 0);
	if (reclaim_engine_create(&e, &config, &error))
		fail_msg("%s", error.text);
	for (i = 0; i < PAGES / LARGE; i++)
		assert_int_not_equal(
			rc_buddy_alloc(e, e->zones, RECLAIM_MAX_ORDER, RECLAIM_MT_MOVABLE, 0),
			RC_NONE);
	assert_int_equal(e->zones->nr_free, 0);
	e->zones->block_mt[14] = RECLAIM_MT_UNMOVABLE;
	e->zones->block_mt[15] = RECLAIM_MT_UNMOVABLE;
	return e;
}

/* The first 16 MiB of a PC, less a hole of 255 pages at their beginning. */
static struct reclaim_engine *dma_zone(void)
{
	static struct reclaim_machine machine;
	const struct reclaim_task_desc task = { .cpu = -1 };
	const struct reclaim_config config = {
		.machine = &machine,
		.profile = reclaim_profile_find("k61"),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = none,
	};
	struct reclaim_engine *e = NULL;
	struct reclaim_error error;

	reclaim_machine_init(&machine);
	machine.cpus = 1;
	assert_int_equal(reclaim_machine_add_zone(&machine, 0, RECLAIM_ZONE_DMA, 1, 4095, 3840), 0);
	if (reclaim_engine_create(&e, &config, &error))
		fail_msg("%s", error.text);
	return e;
}

static uint64_t free_of(const struct reclaim_engine *e, int mt)
{
	uint64_t pages = 0;
	uint32_t order;

	for (order = 0; order < RECLAIM_NR_ORDERS; order++)
		pages += e->zones->free[mt][order].len << order;
	return pages;
}

/*
 * Eight unmovable pages are free. A movable request falls back to them, one is used, seven wait in
 * the per-CPU list until it is drained: since 6.10 to the list of their block, before to the one
 * they were taken for.
 */
static void pages_taken_from_another_type_and_not_used(void **state)
{
	struct reclaim_engine *e = taken_zone("k612");

	rc_buddy_free(e, e->zones, 7 * LARGE, 3, RECLAIM_MT_UNMOVABLE);
	assert_int_not_equal(rc_pcp_alloc(e, e->zones, 0, RECLAIM_MT_MOVABLE, 0), RC_NONE);
	rc_pcp_drain_all(e);
	assert_int_equal(free_of(e, RECLAIM_MT_UNMOVABLE), 7);
	assert_int_equal(free_of(e, RECLAIM_MT_MOVABLE), 0);
	reclaim_engine_free(e);

	e = taken_zone("k61");
	rc_buddy_free(e, e->zones, 7 * LARGE, 3, RECLAIM_MT_UNMOVABLE);
	assert_int_not_equal(rc_pcp_alloc(e, e->zones, 0, RECLAIM_MT_MOVABLE, 0), RC_NONE);
	rc_pcp_drain_all(e);
	assert_int_equal(free_of(e, RECLAIM_MT_UNMOVABLE), 0);
	assert_int_equal(free_of(e, RECLAIM_MT_MOVABLE), 7);
	reclaim_engine_free(e);
}

/* An unmovable pageblock is freed beside a free movable one; since 6.10 the latter changes type. */
static void merged_pageblocks(void **state)
{
	static const struct {
		const char *profile;
		uint8_t lower;
	} cases[] = { { "k612", RECLAIM_MT_UNMOVABLE }, { "k61", RECLAIM_MT_MOVABLE } };
	struct reclaim_engine *e;
	size_t i;

	for (i = 0; i < 2; i++) {
		e = taken_zone(cases[i].profile);
		e->zones->block_mt[14] = RECLAIM_MT_MOVABLE;
		rc_buddy_free(e, e->zones, 7 * LARGE, 9, RECLAIM_MT_MOVABLE);
		rc_buddy_free(e, e->zones, 7 * LARGE + LARGE / 2, 9, RECLAIM_MT_UNMOVABLE);
		assert_int_equal(e->zones->free[RECLAIM_MT_UNMOVABLE][10].len, 1);
		assert_int_equal(e->zones->block_mt[14], cases[i].lower);
		assert_int_equal(e->zones->block_mt[15], RECLAIM_MT_UNMOVABLE);
		reclaim_engine_free(e);
	}
}

/* What reclaim frees is had again first freed first from 4.15 to 6.9, last freed first since. */
static void order_of_reclaimed_pages(void **state)
{
	static const struct {
		const char *profile;
		uint32_t first;
	} cases[] = { { "k61", 0 }, { "k612", 3 } };
	size_t i;

	for (i = 0; i < 2; i++) {
		struct reclaim_engine *e = taken_zone(cases[i].profile);
		struct rc_scan sc = { .gfp = RECLAIM_GFP_KERNEL, .may_unmap = true };
		struct rc_judged j = { .nr_pages = 0 };
		uint32_t pages[4], left = 0, k;

		for (k = 0; k < 4; k++) {
			pages[k] = k;
			e->pages[k].order = 0;
			e->pages[k].flags = RC_PG_ISOLATED;
			e->pages[k].file = RC_NONE;
		}
		assert_int_equal(rc_judge_pages(e, e->nodes, &sc, pages, 4, &left, &j, false), 4);
		assert_int_equal(left, 0);
		assert_int_equal(rc_pcp_alloc(e, e->zones, 0, RECLAIM_MT_MOVABLE, 0),
				 cases[i].first);
		reclaim_engine_free(e);
	}
}

static int32_t held_after_blocks(const char *profile, uint32_t singles, uint32_t blocks)
{
	struct reclaim_engine *e = taken_zone(profile);
	int32_t held;
	uint32_t i;

	e->zones->pcp->high = e->zones->pcp->high_min = e->zones->pcp->high_max = 1000;
	e->zones->pcp->batch = BATCH;
	for (i = 0; i < singles; i++)
		rc_pcp_free(e, e->zones, 2 * i, 0);
	if (e->prof.pcp_free_high)
		e->zones->pcp->free_factor = singles > 0;
	for (i = 0; i < blocks; i++)
		rc_pcp_free(e, e->zones, 4096 + 4 * i, 1);
	held = e->zones->pcp->count;
	reclaim_engine_free(e);
	return held;
}

/*
 * Blocks of two pages are not hoarded: 6.1 gives everything back at the first one when it has
 * been freeing, 6.12 at the second in a row once a batch of pages was freed and is there.
 */
static void blocks_freed_in_a_row(void **state)
{
	assert_int_equal(held_after_blocks("k61", 0, 5), 10);
	assert_int_equal(held_after_blocks("k61", 10, 1), 0);
	assert_int_equal(held_after_blocks("k612", 10, 5), 20);
	assert_int_equal(held_after_blocks("k612", BATCH, 1), BATCH + 2);
	assert_int_equal(held_after_blocks("k612", BATCH, 2), 0);
	assert_int_equal(held_after_blocks("k618", BATCH, 2), BATCH + 4);
}

/* Memory kept for atomic requests becomes that of who could not do without. */
static void reserved_blocks_go_to_who_asks(void **state)
{
	struct reclaim_engine *e = taken_zone("k612");

	e->zones->block_mt[15] = RECLAIM_MT_HIGHATOMIC;
	e->zones->nr_reserved_highatomic = LARGE / 2;
	rc_buddy_free(e, e->zones, 7 * LARGE + LARGE / 2, 3, RECLAIM_MT_HIGHATOMIC);
	assert_false(rc_unreserve_highatomic(e, RECLAIM_MT_UNMOVABLE, false));
	assert_true(rc_unreserve_highatomic(e, RECLAIM_MT_UNMOVABLE, true));
	assert_int_equal(free_of(e, RECLAIM_MT_UNMOVABLE), 8);
	assert_int_equal(e->zones->block_mt[15], RECLAIM_MT_UNMOVABLE);
	reclaim_engine_free(e);
}

/* What kswapd was asked before the start waits for its next cycle; no more than it can be asked. */
static void an_older_request_of_kswapd(void **state)
{
	struct reclaim_engine *e = taken_zone("k612");
	struct reclaim_machine machine = e->m;
	struct reclaim_config config = { .machine = &machine,
					 .profile = reclaim_profile_find("k61"),
					 .next = none };
	struct reclaim_engine *asked = NULL;
	struct reclaim_error error;

	assert_int_equal(e->nodes[0].kswapd_zone, -1);
	reclaim_engine_free(e);
	machine.kswapd_asked = true;
	machine.kswapd_order = 1;
	assert_int_equal(reclaim_engine_create(&asked, &config, &error), 0);
	assert_int_equal(asked->nodes[0].kswapd_zone, RECLAIM_ZONE_MOVABLE);
	assert_int_equal(asked->nodes[0].kswapd_order, 1);
	reclaim_engine_free(asked);
	machine.kswapd_order = RECLAIM_MAX_ORDER + 1;
	assert_int_equal(reclaim_engine_create(&asked, &config, &error), -EINVAL);
}

/*
 * The zone as the kernel has it after boot: what is left of the first pageblock is one free block
 * of order 8 above the hole, and of unmovable type.
 */
static void free_block_above_a_hole(void **state)
{
	static const struct reclaim_initial initial = {
		.free = 3840,
		.free_blocks = { [RECLAIM_MT_UNMOVABLE] = { [8] = 1 },
				 [RECLAIM_MT_MOVABLE] = { [9] = 1, [10] = 3 } },
		.pageblocks = { [RECLAIM_MT_UNMOVABLE] = 1, [RECLAIM_MT_MOVABLE] = 7 },
	};
	struct reclaim_engine *e = dma_zone();
	struct reclaim_error error;

	if (reclaim_engine_populate(e, 0, &initial, &error))
		fail_msg("%s", error.text);
	assert_int_equal(e->zones->nr_free, 3840);
	assert_int_equal(free_of(e, RECLAIM_MT_UNMOVABLE), 256);
	assert_int_equal(e->zones->free[RECLAIM_MT_UNMOVABLE][8].len, 1);
	assert_int_equal(e->zones->free[RECLAIM_MT_MOVABLE][9].len, 1);
	assert_int_equal(e->zones->free[RECLAIM_MT_MOVABLE][10].len, 3);
	reclaim_engine_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(free_block_above_a_hole),
		cmocka_unit_test(pages_taken_from_another_type_and_not_used),
		cmocka_unit_test(merged_pageblocks),
		cmocka_unit_test(order_of_reclaimed_pages),
		cmocka_unit_test(blocks_freed_in_a_row),
		cmocka_unit_test(reserved_blocks_go_to_who_asks),
		cmocka_unit_test(an_older_request_of_kswapd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
