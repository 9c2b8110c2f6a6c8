/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace beside the kernel's counters, by hand: which scans which counter rightly leaves out. */
#include <stdio.h>
#include <stdlib.h>

#include "golden.h"

enum { INACTIVE_FILE = 2, ACTIVE_FILE = 3 };

static void put_scan(struct golden *g, enum store_actor actor, int64_t lru, int64_t scanned,
		     int64_t reclaimed)
{
	golden_put(g, STORE_TABLE_scan, SECOND, store_scan_actor, (int64_t)actor, store_scan_lru,
		   lru, store_scan_scanned, scanned, store_scan_taken, scanned,
		   store_scan_reclaimed, reclaimed, -1);
}

/* A counter that grows by @growth from the marker at 0 to the one at 10 s. */
static void put_counter(struct golden *g, int id, const char *name, int growth)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO counter VALUES (%d, 'vmstat', '', '%s', '', 1);"
		 "INSERT INTO sample VALUES (1, 1, %d, 0), (1, 2, %d, %d)",
		 id, name, id, id, growth);
	golden_sql(g, sql);
}

static void begin(struct golden *g, const char *name)
{
	golden_begin(g, name, "recorded");
	golden_sql(g, "INSERT INTO snapshot VALUES (1, 1, 0, 'before', 'a'), "
		      "(2, 1, 10000000000, 'after', 'b')");
}

static void expect(struct golden *g, const char *what, const char *row)
{
	char sql[256];
	char *text;

	snprintf(sql, sizeof(sql),
		 "SELECT trace || ' ' || counter || ' ' || exact FROM reconcile "
		 "WHERE run = ?1 AND what = '%s'",
		 what);
	text = golden_text(g, sql);
	assert_string_equal(text, row);
	free(text);
}

static void put_refills(struct golden *g)
{
	put_scan(g, STORE_KSWAPD, ACTIVE_FILE, 1000, 0);
	put_scan(g, STORE_DIRECT, ACTIVE_FILE, 200, 0);
	put_scan(g, STORE_MEMCG, ACTIVE_FILE, 30, 0);
	put_scan(g, STORE_SOFTLIMIT, ACTIVE_FILE, 4, 0);
}

/* shrink_active_list() of 5.9 and later: PGREFILL only where !cgroup_reclaim(sc). */
static void test_refill_of_cgroups_is_apart(void **state)
{
	struct golden g;

	begin(&g, "refill_apart");
	put_refills(&g);
	put_counter(&g, 1, "pgrefill", 1200);
	put_counter(&g, 2, "workingset_refault_anon", 0);
	golden_look(&g, 11 * SECOND, NULL);
	expect(&g, "pgrefill", "1200 1200 1");
	golden_end(&g);
}

/* Earlier it was counted whoever reclaimed. */
static void test_refill_of_old_kernels(void **state)
{
	struct golden g;

	begin(&g, "refill_old");
	put_refills(&g);
	put_counter(&g, 1, "pgrefill", 1234);
	golden_look(&g, 11 * SECOND, NULL);
	expect(&g, "pgrefill", "1234 1234 1");
	golden_end(&g);
}

/* With generations the events count too much: table and findings take the counters. */
static void test_generations_take_the_counters(void **state)
{
	struct golden g;
	char *text;

	begin(&g, "generations");
	put_scan(&g, STORE_KSWAPD, INACTIVE_FILE, 60000, 12000);
	put_scan(&g, STORE_DIRECT, INACTIVE_FILE, 100, 80);
	put_counter(&g, 1, "pgscan_kswapd", 50000);
	put_counter(&g, 2, "pgsteal_kswapd", 12000);
	put_counter(&g, 3, "pgscan_direct", 90);
	put_counter(&g, 4, "pgsteal_direct", 80);
	put_counter(&g, 5, "pgrefill", 700);
	golden_look(&g, 11 * SECOND, NULL);
	expect(&g, "pgscan_kswapd", "60000 50000 0");
	golden_figure(&g, "kswapd_scanned", "50000");
	golden_figure(&g, "kswapd_efficiency", "24.00");
	golden_figure(&g, "kswapd_velocity", "5000.00");
	golden_figure(&g, "direct_share", "0.18");
	text = golden_text(&g, "SELECT substr(evidence, 1, 43) FROM findings "
			       "WHERE run = ?1 AND key = 'inefficient_kswapd'");
	assert_string_equal(text, "It frees 12000 of 50000 pages scanned (24.0");
	free(text);
	golden_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refill_of_cgroups_is_apart),
		cmocka_unit_test(test_refill_of_old_kernels),
		cmocka_unit_test(test_generations_take_the_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
