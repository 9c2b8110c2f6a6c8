/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line of a live view has the figures of its run, in the order of the names above it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/live.h"
#include "golden.h"

#define MS INT64_C(1000000)

static void put_scan(struct golden *g, enum store_actor actor, int64_t scanned, int64_t reclaimed)
{
	golden_put(g, STORE_TABLE_scan, 1, store_scan_actor, (int64_t)actor, store_scan_lru,
		   INT64_C(0), store_scan_scanned, scanned, store_scan_reclaimed, reclaimed, -1);
}

static void put_stall(struct golden *g, int64_t ts, int64_t dur)
{
	golden_put(g, STORE_TABLE_reclaim, ts, store_reclaim_actor, (int64_t)STORE_DIRECT,
		   store_reclaim_dur, dur, store_reclaim_paired, INT64_C(3), store_reclaim_depth,
		   INT64_C(0), -1);
}

static int print_line(const struct lens *lens, FILE *out, struct rl_msg *msg)
{
	return live_print_line(lens, lens, 0, out, msg);
}

/* What @print writes about the run, to be freed. */
static char *printed(struct golden *g,
		     int (*print)(const struct lens *lens, FILE *out, struct rl_msg *msg))
{
	struct rl_msg msg;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	if (print(g->lens, out, &msg))
		fail_msg("%s", msg.text);
	fclose(out);
	return text;
}

/* Two seconds: 1000 and 600 pages scanned, 250 and 60 freed, stalls of 4 and 6 ms, one wait. */
static void look(struct golden *g)
{
	golden_begin(g, "live", "recorded");
	put_scan(g, STORE_KSWAPD, 1000, 250);
	put_scan(g, STORE_DIRECT, 600, 60);
	put_stall(g, 100 * MS, 4 * MS);
	put_stall(g, 200 * MS, 6 * MS);
	golden_put(g, STORE_TABLE_throttle, 300 * MS, store_throttle_actor, (int64_t)STORE_KSWAPD,
		   store_throttle_kind, INT64_C(1), store_throttle_timeout, INT64_C(100000),
		   store_throttle_delayed, INT64_C(100000), -1);
	golden_sql(g, "INSERT INTO counter VALUES "
		      "(1, 'zoneinfo', 'node 0 zone Normal', 'free', 'pages', 0), "
		      "(2, 'zoneinfo', 'node 0 zone Normal', 'min', 'pages', 0), "
		      "(3, 'zoneinfo', 'node 0 zone Normal', 'low', 'pages', 0), "
		      "(4, 'zoneinfo', 'node 0 zone Normal', 'high', 'pages', 0), "
		      "(5, 'zoneinfo', 'node 0 zone Movable', 'free', 'pages', 0), "
		      "(6, 'zoneinfo', 'node 0 zone Movable', 'min', 'pages', 0), "
		      "(7, 'zoneinfo', 'node 0 zone Movable', 'low', 'pages', 0), "
		      "(8, 'zoneinfo', 'node 0 zone Movable', 'high', 'pages', 0), "
		      "(9, 'zoneinfo', 'node 0 zone Movable', 'managed', 'pages', 0)");
	golden_sql(g, "INSERT INTO snapshot VALUES (1, 1, 1000, '', 'z')");
	golden_sql(g, "INSERT INTO sample VALUES (1, 1, 1, 70), (1, 1, 2, 50), (1, 1, 3, 62), "
		      "(1, 1, 4, 75), (1, 1, 5, 0), (1, 1, 6, 32), (1, 1, 7, 32), (1, 1, 8, 32), "
		      "(1, 1, 9, 0)");
	golden_look(g, 2 * SECOND, NULL);
}

static void test_line(void **state)
{
	static const char *const words[] = { "2.00", "500", "25.00", "300", "10.00", "2", "6.00",
					     "ms",   "1",   "100",   "ms",  "8",     "0" };
	struct golden g;
	char *text, *save = NULL, *word;
	size_t i = 0;

	look(&g);
	text = printed(&g, print_line);
	for (word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		assert_true(i < sizeof(words) / sizeof(words[0]));
		assert_string_equal(word, words[i++]);
	}
	assert_int_equal(i, sizeof(words) / sizeof(words[0]));
	free(text);
	golden_end(&g);
}

/* A zone without pages is below no mark and is not shown. */
static void test_tables(void **state)
{
	struct golden g;
	char *text;

	look(&g);
	text = printed(&g, live_print_tables);
	assert_non_null(strstr(text, "congestion_wait"));
	assert_non_null(strstr(text, "0 Normal"));
	assert_null(strstr(text, "Movable"));
	assert_non_null(strstr(text, "worker"));
	free(text);
	golden_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
