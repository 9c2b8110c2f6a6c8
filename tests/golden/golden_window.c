/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A window shows of kswapd what lies inside it, wherever its cycle begins, and nothing beyond the
 * run. */
#include <stdlib.h>

#include "golden.h"

/* Cycles of kswapd: node 0 from 1 s to 5 s, node 1 from 6 s to 8 s. */
static void put_cycle(struct golden *g, int64_t node, int64_t start, int64_t awake)
{
	golden_put(g, STORE_TABLE_kswapd_cycle, start, store_kswapd_cycle_node, node,
		   store_kswapd_cycle_awake, awake, store_kswapd_cycle_end_kind, INT64_C(0),
		   store_kswapd_cycle_scanned, INT64_C(96), store_kswapd_cycle_reclaimed,
		   INT64_C(48), store_kswapd_cycle_min_priority, INT64_C(2),
		   store_kswapd_cycle_rewakes, INT64_C(0), -1);
}

static void put_scan(struct golden *g, int64_t ts, int64_t scanned, int64_t priority)
{
	golden_put(g, STORE_TABLE_scan, ts, store_scan_actor, INT64_C(0), store_scan_node,
		   INT64_C(0), store_scan_lru, INT64_C(2), store_scan_scanned, scanned,
		   store_scan_reclaimed, scanned / 2, store_scan_priority, priority, -1);
}

static void begin(struct golden *g)
{
	golden_begin(g, "window", "recorded");
	put_scan(g, 3 * SECOND / 2, 32, 2);
	put_scan(g, 3 * SECOND, 64, 4);
	put_cycle(g, 0, 1 * SECOND, 4 * SECOND);
	put_cycle(g, 1, 6 * SECOND, 2 * SECOND);
	golden_put(g, STORE_TABLE_reclaim, 5 * SECOND / 2, store_reclaim_actor, INT64_C(1),
		   store_reclaim_dur, SECOND / 10, store_reclaim_paired, INT64_C(3),
		   store_reclaim_depth, INT64_C(0), -1);
}

static void test_cycle_across_a_window(void **state)
{
	const struct lens_options options = { .node = -1, .from = "2", .to = "4" };
	struct golden g;
	char *kswapd;

	begin(&g);
	golden_look(&g, 10 * SECOND, &options);
	assert_true(golden_number(&g, "SELECT count(*) FROM kswapd_by_node WHERE run = ?1") == 1);
	assert_true(golden_number(&g, "SELECT awake FROM kswapd_by_node WHERE run = ?1") == 2e9);
	assert_true(golden_number(&g, "SELECT awake_share FROM kswapd_by_node WHERE run = ?1") ==
		    100);
	assert_true(golden_number(&g, "SELECT wakes FROM kswapd_by_node WHERE run = ?1") == 0);
	assert_true(golden_number(&g, "SELECT min_priority FROM kswapd_by_node WHERE run = ?1") ==
		    4);
	assert_true(golden_number(&g, "SELECT scanned FROM kswapd_by_node WHERE run = ?1") == 64);
	assert_true(golden_number(&g, "SELECT reclaimed FROM kswapd_by_node WHERE run = ?1") == 32);
	kswapd = golden_text(&g, "SELECT kswapd FROM direct_entry WHERE run = ?1");
	assert_string_equal(kswapd, "awake");
	free(kswapd);
	golden_end(&g);
}

static void test_window_is_cut_to_the_run(void **state)
{
	const struct lens_options options = { .node = -1, .from = "-5", .to = "999" };
	struct golden g;

	begin(&g);
	golden_look(&g, 10 * SECOND, &options);
	assert_true(golden_number(&g, "SELECT seconds FROM span WHERE run = ?1") == 10);
	assert_true(golden_number(&g, "SELECT sum(wakes) FROM kswapd_by_node WHERE run = ?1") == 2);
	assert_true(
		golden_number(&g, "SELECT min(min_priority) FROM kswapd_by_node WHERE run = ?1") ==
		2);
	golden_end(&g);
}

static void test_one_node_of_two(void **state)
{
	const struct lens_options options = { .node = 1 };
	struct golden g;

	begin(&g);
	golden_look(&g, 10 * SECOND, &options);
	assert_true(golden_number(&g, "SELECT awake FROM kswapd_by_node WHERE run = ?1") == 2e9);
	golden_figure(&g, "kswapd_scanned", "0");
	golden_end(&g);
}

/* Events that were lost can leave parts that are longer than the stall: there is no rest below 0.
 */
static void test_parts_of_a_stall(void **state)
{
	struct golden g;

	golden_begin(&g, "parts", "recorded");
	for (int64_t actor = 1; actor <= 2; actor++)
		golden_put(&g, STORE_TABLE_reclaim, SECOND, store_reclaim_actor, actor,
			   store_reclaim_dur, INT64_C(100), store_reclaim_throttle_dur,
			   INT64_C(50) * actor, store_reclaim_slab_dur, INT64_C(25),
			   store_reclaim_paired, INT64_C(3), store_reclaim_depth, INT64_C(0), -1);
	golden_look(&g, 10 * SECOND, NULL);
	assert_true(golden_number(&g, "SELECT rest FROM stall_split WHERE run = ?1 AND "
				      "actor = 'direct'") == 25);
	assert_true(golden_number(&g, "SELECT rest IS NULL AND rest_share IS NULL FROM stall_split "
				      "WHERE run = ?1 AND actor = 'memcg'") == 1);
	golden_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cycle_across_a_window),
		cmocka_unit_test(test_window_is_cut_to_the_run),
		cmocka_unit_test(test_one_node_of_two),
		cmocka_unit_test(test_parts_of_a_stall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
