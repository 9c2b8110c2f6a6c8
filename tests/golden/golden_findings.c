/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each finding appears on the evidence that its rule names, and not a step short of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"

#define MS INT64_C(1000000)

static void put_scan(struct golden *g, enum store_actor actor, int64_t scanned, int64_t reclaimed)
{
	golden_put(g, STORE_TABLE_scan, 1, store_scan_actor, (int64_t)actor, store_scan_lru,
		   INT64_C(0), store_scan_scanned, scanned, store_scan_reclaimed, reclaimed, -1);
}

static void put_stall(struct golden *g, int64_t ts, int64_t dur, int64_t throttled)
{
	golden_put(g, STORE_TABLE_reclaim, ts, store_reclaim_actor, (int64_t)STORE_DIRECT,
		   store_reclaim_order, INT64_C(0), store_reclaim_gfp, INT64_C(0),
		   store_reclaim_dur, dur, store_reclaim_paired, INT64_C(3),
		   store_reclaim_throttle_dur, throttled, store_reclaim_depth, INT64_C(0), -1);
}

static void put_cycle(struct golden *g, int64_t ts, int64_t awake)
{
	golden_put(g, STORE_TABLE_kswapd_cycle, ts, store_kswapd_cycle_node, INT64_C(0),
		   store_kswapd_cycle_awake, awake, store_kswapd_cycle_end_kind, INT64_C(0), -1);
}

static bool finds(struct golden *g, const char *key)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM findings WHERE run = ?1 AND key = '%s'",
		 key);
	return golden_number(g, sql) == 1;
}

/* @inside of 10 stalls begin while kswapd is awake, @share % of the scanning is direct. */
static void look_at_entries(struct golden *g, int inside, int64_t direct)
{
	golden_begin(g, "entries", "recorded");
	put_scan(g, STORE_KSWAPD, 100 - direct, 0);
	put_scan(g, STORE_DIRECT, direct, 0);
	put_cycle(g, 10 * MS, 500 * MS);
	for (int i = 0; i < 10; i++)
		put_stall(g, i < inside ? (100 + i) * MS : (900 + i) * MS, MS, 0);
	golden_look(g, SECOND, NULL);
}

static void test_kswapd_behind(void **state)
{
	struct golden g;

	look_at_entries(&g, 5, 10);
	assert_true(finds(&g, "kswapd_behind"));
	golden_end(&g);
	look_at_entries(&g, 4, 10);
	assert_false(finds(&g, "kswapd_behind"));
	assert_true(finds(&g, "kswapd_asleep"));
	golden_end(&g);
	look_at_entries(&g, 6, 9);
	assert_false(finds(&g, "kswapd_behind"));
	assert_false(finds(&g, "kswapd_asleep"));
	golden_end(&g);
}

/* @early of 12 stalls begin 10 ms behind a wake, the others 10 ms and a bit. */
static void look_at_wakes(struct golden *g, int early)
{
	golden_begin(g, "wakes", "recorded");
	for (int i = 0; i < 12; i++) {
		put_cycle(g, i * 50 * MS, 20 * MS);
		put_stall(g, i * 50 * MS + 10 * MS + (i >= early), MS, 0);
	}
	golden_look(g, SECOND, NULL);
}

static void test_woken_late(void **state)
{
	struct golden g;

	look_at_wakes(&g, 3);
	assert_true(finds(&g, "woken_late"));
	golden_end(&g);
	look_at_wakes(&g, 2);
	assert_false(finds(&g, "woken_late"));
	golden_end(&g);
}

/* @count waits for @reason (1 WRITEBACK, 2 ISOLATED, 4 NOPROGRESS, 8 CONGESTED), @full at the
 * timeout. */
static void look_at_throttles(struct golden *g, int64_t reason, int count, int full)
{
	golden_begin(g, "timeouts", "recorded");
	for (int i = 0; i < count; i++)
		golden_put(g, STORE_TABLE_throttle, i, store_throttle_actor, (int64_t)STORE_DIRECT,
			   store_throttle_reason, reason, store_throttle_timeout, INT64_C(1000),
			   store_throttle_delayed, INT64_C(999) + (i < full), store_throttle_kind,
			   INT64_C(0), -1);
	golden_look(g, SECOND, NULL);
}

static void test_throttle_timeout(void **state)
{
	struct golden g;

	look_at_throttles(&g, 1, 12, 3);
	assert_true(finds(&g, "throttle_timeout"));
	golden_end(&g);
	look_at_throttles(&g, 1, 12, 2);
	assert_false(finds(&g, "throttle_timeout"));
	golden_end(&g);
}

/* The other reasons tell something by being there; their waits always run out, or never. */
static void test_throttle_reasons(void **state)
{
	static const struct {
		int64_t reason;
		const char *key;
	} cases[] = { { 2, "isolated" }, { 4, "no_progress" }, { 8, "congested" } };
	struct golden g;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		look_at_throttles(&g, cases[i].reason, 10, 10);
		assert_true(finds(&g, cases[i].key));
		assert_false(finds(&g, "throttle_timeout"));
		golden_end(&g);
		look_at_throttles(&g, cases[i].reason, 9, 9);
		assert_false(finds(&g, cases[i].key));
		golden_end(&g);
	}
}

/* @count stalls at a limit, of @dur each. */
static void look_at_limit(struct golden *g, int count, int64_t dur)
{
	golden_begin(g, "limit", "recorded");
	for (int i = 0; i < count; i++)
		golden_put(g, STORE_TABLE_reclaim, i * MS, store_reclaim_actor,
			   (int64_t)STORE_MEMCG, store_reclaim_dur, dur, store_reclaim_paired,
			   INT64_C(3), store_reclaim_depth, INT64_C(0), -1);
	golden_look(g, SECOND, NULL);
}

static void test_memcg_limit(void **state)
{
	struct golden g;

	look_at_limit(&g, 10, 10 * MS);
	assert_true(finds(&g, "memcg_limit"));
	golden_end(&g);
	look_at_limit(&g, 10, 10 * MS - 1);
	assert_false(finds(&g, "memcg_limit"));
	golden_end(&g);
	look_at_limit(&g, 9, 20 * MS);
	assert_false(finds(&g, "memcg_limit"));
	golden_end(&g);
}

/* A batch of @taken pages, so many of them dirty or under write-back. */
static void look_at_tail(struct golden *g, int64_t taken, int64_t dirty, int64_t writeback)
{
	golden_begin(g, "tail", "recorded");
	golden_put(g, STORE_TABLE_scan, 1, store_scan_actor, (int64_t)STORE_KSWAPD, store_scan_lru,
		   INT64_C(0), store_scan_scanned, taken, store_scan_taken, taken,
		   store_scan_reclaimed, INT64_C(0), store_scan_dirty, dirty, store_scan_writeback,
		   writeback, -1);
	golden_look(g, SECOND, NULL);
}

static void test_dirty_tail(void **state)
{
	struct golden g;

	look_at_tail(&g, 10000, 2500, 0);
	assert_true(finds(&g, "dirty_tail"));
	golden_end(&g);
	look_at_tail(&g, 10000, 0, 2500);
	assert_true(finds(&g, "dirty_tail"));
	golden_end(&g);
	look_at_tail(&g, 10000, 2499, 2499);
	assert_false(finds(&g, "dirty_tail"));
	golden_end(&g);
	look_at_tail(&g, 9999, 9999, 0);
	assert_false(finds(&g, "dirty_tail"));
	golden_end(&g);
}

static void test_kswapd_busy(void **state)
{
	struct golden g;

	golden_begin(&g, "busy", "recorded");
	put_cycle(&g, 0, 900 * MS);
	golden_look(&g, SECOND, NULL);
	assert_true(finds(&g, "kswapd_busy"));
	golden_end(&g);
	golden_begin(&g, "busy", "recorded");
	put_cycle(&g, 0, 899 * MS);
	golden_look(&g, SECOND, NULL);
	assert_false(finds(&g, "kswapd_busy"));
	golden_end(&g);
}

static void test_oom(void **state)
{
	struct golden g;
	char *words;

	golden_begin(&g, "oom", "recorded");
	golden_sql(&g, "INSERT INTO oom_victim (run, ts, pid) VALUES (1, 5, 42), (1, 7, 43)");
	golden_look(&g, SECOND, NULL);
	words = golden_text(&g, "SELECT evidence FROM findings WHERE key = 'oom'");
	assert_string_equal(words, "Killed 2: ? (42), ? (43).");
	free(words);
	golden_end(&g);
	golden_begin(&g, "oom", "recorded");
	golden_look(&g, SECOND, NULL);
	assert_false(finds(&g, "oom"));
	golden_end(&g);
}

static void test_long_stalls(void **state)
{
	struct golden g;

	golden_begin(&g, "long", "recorded");
	put_stall(&g, 1, 100 * MS, 50 * MS);
	golden_look(&g, SECOND, NULL);
	assert_true(finds(&g, "long_stalls"));
	assert_true(finds(&g, "stall_in_throttling"));
	golden_end(&g);
	golden_begin(&g, "long", "recorded");
	put_stall(&g, 1, 100 * MS - 1, 49 * MS);
	golden_look(&g, SECOND, NULL);
	assert_false(finds(&g, "long_stalls"));
	assert_false(finds(&g, "stall_in_throttling"));
	golden_end(&g);
}

static void test_inefficient(void **state)
{
	struct golden g;

	golden_begin(&g, "vain", "recorded");
	put_scan(&g, STORE_KSWAPD, 10000, 4999);
	put_scan(&g, STORE_DIRECT, 10000, 5000);
	put_scan(&g, STORE_MEMCG, 9999, 0);
	golden_look(&g, SECOND, NULL);
	assert_true(finds(&g, "inefficient_kswapd"));
	assert_false(finds(&g, "inefficient_direct"));
	assert_false(finds(&g, "inefficient_memcg"));
	golden_end(&g);
}

/* Losses are told before everything else, and sums are lower bounds. */
static void test_lost(void **state)
{
	struct golden g;
	char *state_of_sum, *state_of_ratio;

	golden_begin(&g, "lost", "recorded");
	put_scan(&g, STORE_KSWAPD, 100, 40);
	golden_sql(
		&g,
		"INSERT INTO loss (run, ts, cpu, count, kind) VALUES (1, 5, 0, 17, 'overrun'), (1, NULL, 1, NULL, "
		"'missed')");
	golden_look(&g, SECOND, NULL);
	assert_true(finds(&g, "lost"));
	assert_int_equal(golden_number(&g, "SELECT count FROM loss_total WHERE run = ?1"), 17);
	assert_int_equal(golden_number(&g, "SELECT unknown FROM loss_total WHERE run = ?1"), 1);
	state_of_sum = golden_text(&g, "SELECT state FROM figures WHERE key = 'kswapd_scanned'");
	state_of_ratio =
		golden_text(&g, "SELECT state FROM figures WHERE key = 'kswapd_efficiency'");
	assert_string_equal(state_of_sum, "at least");
	assert_string_equal(state_of_ratio, "from part");
	free(state_of_sum);
	free(state_of_ratio);
	golden_end(&g);
}

/* @failed of 10 requests for huge pages fail, and compaction ends with the status called @name. */
static void look_at_huge(struct golden *g, int failed, const char *name)
{
	int table = store_event_table(VOCAB_mm_page_alloc);
	char status[160];

	golden_begin(g, "huge", "recorded");
	for (int i = 0; i < 10; i++)
		golden_put(g, (enum store_table)table, i, STORE_NR_COMMON + mm_page_alloc_pfn,
			   i < failed ? INT64_C(-1) : INT64_C(512) * (i + 1),
			   STORE_NR_COMMON + mm_page_alloc_order, INT64_C(9), -1);
	snprintf(status, sizeof(status),
		 "INSERT INTO compaction (run, ts, cpu, task, actor, status, paired) "
		 "SELECT 1, 1, 0, 1, 1, value, 3 FROM enum_name WHERE domain = 'compact' AND "
		 "name = '%s'",
		 name);
	golden_sql(g, status);
	golden_look(g, SECOND, NULL);
}

static void test_huge_fail(void **state)
{
	struct golden g;
	char *words;

	look_at_huge(&g, 5, "complete");
	assert_true(finds(&g, "huge_fail"));
	words = golden_text(&g, "SELECT finding FROM findings WHERE key = 'huge_fail'");
	assert_string_equal(words,
			    "Requests of order 9 fail for fragmentation, not for lack of free "
			    "memory.");
	free(words);
	assert_int_equal(golden_number(&g, "SELECT failed FROM huge_requests"), 5);
	golden_end(&g);
	look_at_huge(&g, 10, "skipped");
	words = golden_text(&g, "SELECT finding FROM findings WHERE key = 'huge_fail'");
	assert_string_equal(words, "Requests of order 9 fail for lack of free memory to compact "
				   "into.");
	free(words);
	golden_end(&g);
	look_at_huge(&g, 4, "complete");
	assert_false(finds(&g, "huge_fail"));
	golden_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kswapd_behind),	 cmocka_unit_test(test_woken_late),
		cmocka_unit_test(test_throttle_timeout), cmocka_unit_test(test_long_stalls),
		cmocka_unit_test(test_inefficient),	 cmocka_unit_test(test_lost),
		cmocka_unit_test(test_huge_fail),	 cmocka_unit_test(test_throttle_reasons),
		cmocka_unit_test(test_memcg_limit),	 cmocka_unit_test(test_dirty_tail),
		cmocka_unit_test(test_kswapd_busy),	 cmocka_unit_test(test_oom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
