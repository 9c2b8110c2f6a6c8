/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures that were published on the kernel's mailing lists, recomputed from their counts. */
#include <stdio.h>

#include "golden.h"

/* Totals of a published table: pages by kswapd and direct reclaim, and the seconds that it took. */
struct totals {
	int64_t kswapd_scanned;
	int64_t kswapd_reclaimed;
	int64_t direct_scanned;
	int64_t direct_reclaimed;
	int64_t elapsed; /* ns */
};

static void put_scans(struct golden *g, enum store_actor actor, int64_t scanned, int64_t reclaimed)
{
	golden_put(g, STORE_TABLE_scan, 1, store_scan_actor, (int64_t)actor, store_scan_lru,
		   INT64_C(2), store_scan_scanned, scanned, store_scan_taken, scanned,
		   store_scan_reclaimed, reclaimed, store_scan_parts, INT64_C(3), -1);
}

static void look_at_totals(struct golden *g, const char *name, const struct totals *t)
{
	golden_begin(g, name, "recorded");
	put_scans(g, STORE_KSWAPD, t->kswapd_scanned, t->kswapd_reclaimed);
	put_scans(g, STORE_DIRECT, t->direct_scanned, t->direct_reclaimed);
	golden_look(g, t->elapsed, NULL);
}

/* Throttling by events, 2021: the unpatched kernel. */
static void test_throttling_vanilla(void **state)
{
	const struct totals t = { 128555233, 87830801, 518791317, 16114049, 2402850000000 };
	struct golden g;

	look_at_totals(&g, "vanilla", &t);
	golden_figure(&g, "kswapd_scanned", "128555233");
	golden_figure(&g, "kswapd_reclaimed", "87830801");
	golden_figure(&g, "direct_scanned", "518791317");
	golden_figure(&g, "direct_reclaimed", "16114049");
	golden_figure(&g, "kswapd_efficiency", "68.32");
	golden_figure(&g, "direct_efficiency", "3.11");
	golden_figure(&g, "kswapd_velocity", "53501.15");
	golden_figure(&g, "direct_velocity", "215906.66");
	golden_figure(&g, "direct_share", "80.14");
	golden_end(&g);
}

/* The same with the series. The direct velocity was published as 91345.5. */
static void test_throttling_patched(void **state)
{
	const struct totals t = { 165439373, 72216420, 219956338, 10408389, 2407960000000 };
	struct golden g;

	look_at_totals(&g, "patched", &t);
	golden_figure(&g, "kswapd_efficiency", "43.65");
	golden_figure(&g, "direct_efficiency", "4.73");
	golden_figure(&g, "kswapd_velocity", "68705.20");
	golden_figure(&g, "direct_velocity", "91345.51");
	golden_figure(&g, "direct_share", "57.07");
	golden_end(&g);
}

static void test_throttling_other(void **state)
{
	const struct totals t = { 109795048, 63269243, 1056608451, 10803973, 2277670000000 };
	struct golden g;

	look_at_totals(&g, "other", &t);
	golden_figure(&g, "kswapd_efficiency", "57.62");
	golden_figure(&g, "direct_efficiency", "1.02");
	golden_figure(&g, "kswapd_velocity", "48204.98");
	golden_figure(&g, "direct_velocity", "463898.83");
	golden_figure(&g, "direct_share", "90.59");
	golden_end(&g);
}

/* How long kswapd was held for WRITEBACK: the published distribution. */
static void test_throttle_distribution(void **state)
{
	static const struct {
		int64_t count;
		int64_t delayed; /* us */
	} published[] = { { 1, 84000 }, { 2, 20000 },  { 6, 16000 }, { 12, 12000 },
			  { 17, 8000 }, { 129, 4000 }, { 205, 0 } };
	int64_t ts = 0;
	struct golden g;
	char sql[256];

	golden_begin(&g, "throttle", "recorded");
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++)
		for (int64_t n = 0; n < published[i].count; n++)
			golden_put(&g, STORE_TABLE_throttle, ++ts, store_throttle_actor,
				   (int64_t)STORE_KSWAPD, store_throttle_node, INT64_C(0),
				   store_throttle_reason, INT64_C(1), store_throttle_timeout,
				   INT64_C(100000), store_throttle_delayed, published[i].delayed,
				   store_throttle_kind, INT64_C(0), -1);
	golden_look(&g, SECOND, NULL);
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		snprintf(sql, sizeof(sql),
			 "SELECT count FROM throttle_distribution WHERE run = ?1 AND reason = "
			 "'WRITEBACK' AND actor = 'kswapd' AND delayed = %d",
			 (int)published[i].delayed);
		assert_int_equal(golden_number(&g, sql), published[i].count);
	}
	assert_int_equal(golden_number(&g, "SELECT count(*) FROM throttle_distribution"), 7);
	assert_int_equal(golden_number(&g, "SELECT count FROM throttle_by_reason"), 372);
	assert_int_equal(golden_number(&g, "SELECT zero FROM throttle_by_reason"), 205);
	assert_int_equal(golden_number(&g, "SELECT early FROM throttle_by_reason"), 167);
	assert_int_equal(golden_number(&g, "SELECT full FROM throttle_by_reason"), 0);
	assert_int_equal(golden_number(&g, "SELECT total FROM throttle_by_reason"), 1016000);
	assert_int_equal(golden_number(&g, "SELECT p50 FROM throttle_by_reason"), 0);
	golden_end(&g);
}

static void put_counter(struct golden *g, const char *name, int64_t before, int64_t after)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO counter (source, scope, name, unit, cumulative) "
		 "VALUES ('vmstat', '', '%s', '', 1);"
		 "INSERT INTO sample SELECT 1, 1, counter, %lld FROM counter WHERE name = '%s';"
		 "INSERT INTO sample SELECT 1, 2, counter, %lld FROM counter WHERE name = '%s'",
		 name, (long long)before, name, (long long)after, name);
	golden_sql(g, sql);
}

static void begin_counters(struct golden *g, const char *name)
{
	golden_begin(g, name, "counters");
	golden_sql(g, "INSERT INTO snapshot VALUES (1, 1, NULL, 'before', 'vmstat.before'), "
		      "(2, 1, NULL, 'after', 'vmstat.after')");
}

/* Huge pages on a full page cache, 2019: 37 stalls, 146 MiB direct + 359 MiB kswapd. */
static void test_huge_pages_old(void **state)
{
	struct golden g;

	begin_counters(&g, "huge_old");
	put_counter(&g, "allocstall_movable", 29, 65);
	put_counter(&g, "pgsteal_kswapd", 206760, 298688);
	put_counter(&g, "pgsteal_direct", 30162, 67645);
	put_counter(&g, "compact_stall", 29, 66);
	golden_look(&g, 1, NULL);
	golden_figure(&g, "compact_stalls", "37");
	golden_figure(&g, "stalls", "36");
	golden_figure(&g, "direct_reclaimed", "37483");
	golden_figure(&g, "kswapd_reclaimed", "91928");
	assert_int_equal(golden_number(&g, "SELECT mib FROM figures WHERE key = "
					   "'direct_reclaimed'"),
			 146);
	assert_int_equal(golden_number(&g, "SELECT mib FROM figures WHERE key = "
					   "'kswapd_reclaimed'"),
			 359);
	golden_end(&g);
}

/* The same with the series: 106 stalls, 48 + 446 MiB. */
static void test_huge_pages_new(void **state)
{
	struct golden g;

	begin_counters(&g, "huge_new");
	put_counter(&g, "allocstall_movable", 52, 64);
	put_counter(&g, "pgsteal_kswapd", 182617, 296840);
	put_counter(&g, "pgsteal_direct", 54281, 66778);
	put_counter(&g, "compact_stall", 85, 191);
	golden_look(&g, 1, NULL);
	golden_figure(&g, "compact_stalls", "106");
	golden_figure(&g, "stalls", "12");
	assert_int_equal(golden_number(&g, "SELECT mib FROM figures WHERE key = "
					   "'direct_reclaimed'"),
			 48);
	assert_int_equal(golden_number(&g, "SELECT mib FROM figures WHERE key = "
					   "'kswapd_reclaimed'"),
			 446);
	golden_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_throttling_vanilla),
		cmocka_unit_test(test_throttling_patched),
		cmocka_unit_test(test_throttling_other),
		cmocka_unit_test(test_throttle_distribution),
		cmocka_unit_test(test_huge_pages_old),
		cmocka_unit_test(test_huge_pages_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
