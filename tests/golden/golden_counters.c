/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counters of several kernels say, by hand. */
#include <stdio.h>

#include "golden.h"

struct pair {
	const char *name;
	int64_t before;
	int64_t after;
};

static void look_at(struct golden *g, const char *name, const struct pair *pair, size_t count,
		    const struct lens_options *options)
{
	char sql[512];

	golden_begin(g, name, "counters");
	golden_sql(g, "INSERT INTO snapshot VALUES (1, 1, NULL, 'before', 'a'), "
		      "(2, 1, NULL, 'after', 'b')");
	for (size_t i = 0; i < count; i++) {
		snprintf(sql, sizeof(sql),
			 "INSERT INTO counter VALUES (%zu, 'vmstat', '', '%s', '', 1);"
			 "INSERT INTO sample VALUES (1, 1, %zu, %lld), (1, 2, %zu, %lld)",
			 i + 1, pair[i].name, i + 1, (long long)pair[i].before, i + 1,
			 (long long)pair[i].after);
		golden_sql(g, sql);
	}
	golden_look(g, 1, options);
}

#define LOOK_AT(g, name, pairs, options)                                                           \
	look_at(g, name, pairs, sizeof(pairs) / sizeof((pairs)[0]), options)

static bool has_figure(struct golden *g, const char *key)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM figures WHERE run = ?1 AND key = '%s'",
		 key);
	return golden_number(g, sql) > 0;
}

/* Unsigned longs of a 32-bit kernel; both of these grew by less than 2^31. */
static void test_wrap_at_32_bits(void **state)
{
	static const struct pair pairs[] = {
		{ "pgscan_kswapd", 4294967000, 704 },  { "pgsteal_kswapd", 4294966796, 300 },
		{ "pgscan_direct", 100, 350 },	       { "pgsteal_direct", 20, 70 },
		{ "pgfault", 3000000000, 3000000001 },
	};
	struct golden g;

	LOOK_AT(&g, "wrap_32", pairs, NULL);
	golden_figure(&g, "kswapd_scanned", "1000");
	golden_figure(&g, "kswapd_reclaimed", "800");
	golden_figure(&g, "direct_scanned", "250");
	golden_end(&g);
}

/* A counter far below 2^31 went back, too: the machine was started anew between the two. */
static void test_restart_is_no_wrap(void **state)
{
	static const struct pair pairs[] = {
		{ "pgscan_kswapd_dma", 10, 60 },
		{ "pgscan_kswapd_normal", 4294967000, 704 },
		{ "pgsteal_kswapd", 500, 30 },
		{ "pgscan_direct", 100, 350 },
	};
	struct golden g;

	LOOK_AT(&g, "restart", pairs, NULL);
	assert_false(has_figure(&g, "kswapd_scanned"));
	assert_false(has_figure(&g, "kswapd_reclaimed"));
	golden_end(&g);
}

/* On 64 bits nothing wraps: a value above 2^32 beside it says so. */
static void test_no_wrap_of_64_bits(void **state)
{
	static const struct pair pairs[] = {
		{ "pgscan_kswapd", 8589934592, 704 },
		{ "pgscan_direct", 4294967000, 4294967001 },
	};
	struct golden g;

	LOOK_AT(&g, "no_wrap", pairs, NULL);
	assert_false(has_figure(&g, "kswapd_scanned"));
	golden_figure(&g, "direct_scanned", "1");
	golden_end(&g);
}

/* Before 3.4 pgsteal_<zone> is all reclaim and kswapd_steal the part of kswapd. */
static void test_steal_of_old_kernels(void **state)
{
	static const struct pair pairs[] = {
		{ "pgsteal_dma", 0, 100 },	    { "pgsteal_normal", 50, 1050 },
		{ "kswapd_steal", 0, 700 },	    { "pgscan_kswapd_normal", 0, 1400 },
		{ "pgscan_direct_normal", 0, 600 }, { "allocstall", 3, 10 },
	};
	struct golden g;

	LOOK_AT(&g, "steal_old", pairs, NULL);
	golden_figure(&g, "kswapd_reclaimed", "700");
	golden_figure(&g, "direct_reclaimed", "400");
	golden_figure(&g, "kswapd_efficiency", "50.00");
	golden_figure(&g, "direct_efficiency", "66.67");
	golden_figure(&g, "direct_share", "30.00");
	golden_figure(&g, "stalls", "7");
	golden_end(&g);
}

/* Stalls are summed over the zones, and a count of stalls is no page scanned. */
static void test_exact_keys(void **state)
{
	static const struct pair pairs[] = {
		{ "allocstall_dma", 0, 1 },
		{ "allocstall_dma32", 0, 2 },
		{ "allocstall_normal", 0, 4 },
		{ "allocstall_movable", 0, 8 },
		{ "allocstall_order_3", 0, 1000 },
		{ "pgscan_direct", 100, 300 },
		{ "pgscan_direct_throttle", 0, 5000 },
		{ "pgscan_kswapd", 100, 100 },
		{ "pgscan_anon", 0, 150 },
		{ "pgscan_file", 0, 50 },
		{ "pgsteal_direct", 0, 100 },
		{ "pgsteal_kswapd", 7, 7 },
	};
	struct golden g;

	LOOK_AT(&g, "exact_keys", pairs, NULL);
	golden_figure(&g, "stalls", "15");
	golden_figure(&g, "direct_scanned", "200");
	golden_figure(&g, "direct_throttles", "5000");
	golden_figure(&g, "direct_efficiency", "50.00");
	golden_figure(&g, "kswapd_scanned", "0");
	golden_figure(&g, "kswapd_efficiency", "no scan");
	golden_figure(&g, "direct_share", "100.00");
	assert_false(has_figure(&g, "kswapd_velocity"));
	golden_end(&g);
}

/* The time between two files is not known, but can be said. */
static void test_elapsed(void **state)
{
	static const struct pair pairs[] = {
		{ "pgscan_kswapd", 0, 1000 },
		{ "pgscan_direct", 0, 100 },
	};
	const struct lens_options options = { .node = -1, .elapsed = 8 * SECOND };
	struct golden g;

	LOOK_AT(&g, "elapsed", pairs, &options);
	golden_figure(&g, "kswapd_velocity", "125.00");
	golden_figure(&g, "direct_velocity", "12.50");
	golden_end(&g);
}

/* Every term of the cost, and what compaction reaches. */
static void test_compaction(void **state)
{
	static const struct pair pairs[] = {
		{ "compact_stall", 0, 8 },
		{ "compact_success", 0, 2 },
		{ "compact_fail", 0, 6 },
		{ "compact_migrate_scanned", 0, 1000000 },
		{ "compact_free_scanned", 0, 2000000 },
		{ "compact_isolated", 0, 1000000 },
		{ "pgmigrate_success", 0, 1000000 },
		{ "pgmigrate_fail", 0, 1000000 },
	};
	struct golden g;

	LOOK_AT(&g, "compaction", pairs, NULL);
	golden_figure(&g, "compact_efficiency", "25.00");
	golden_figure(&g, "compact_scan_efficiency", "50.00");
	/* 7 x 1 + 7 x 2 + 19 + 1038 + 14 */
	golden_figure(&g, "compact_cost", "1092");
	golden_end(&g);
}

/* A counter that goes back is of another boot: it says nothing. */
static void test_counter_goes_back(void **state)
{
	static const struct pair pairs[] = {
		{ "pgscan_kswapd", 1000, 10 },
		{ "pswpin", 5, 8 },
	};
	struct golden g;

	LOOK_AT(&g, "goes_back", pairs, NULL);
	assert_false(has_figure(&g, "kswapd_scanned"));
	golden_figure(&g, "swap_ins", "3");
	golden_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap_at_32_bits),
		cmocka_unit_test(test_restart_is_no_wrap),
		cmocka_unit_test(test_no_wrap_of_64_bits),
		cmocka_unit_test(test_steal_of_old_kernels),
		cmocka_unit_test(test_exact_keys),
		cmocka_unit_test(test_elapsed),
		cmocka_unit_test(test_compaction),
		cmocka_unit_test(test_counter_goes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
