/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page holds the figures of the views, nothing that a browser would load, and no name as markup.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/html.h"
#include "analyze/query.h"
#include "analyze/report.h"
#include "golden.h"

#define MS	  INT64_C(1000000)
#define SIZE_MOST 2000000 /* bytes */

static void put_stall(struct golden *g, int64_t ts, int64_t dur)
{
	golden_put(g, STORE_TABLE_reclaim, ts, store_reclaim_actor, (int64_t)STORE_DIRECT,
		   store_reclaim_order, INT64_C(0), store_reclaim_gfp, INT64_C(0),
		   store_reclaim_dur, dur, store_reclaim_paired, INT64_C(3), store_reclaim_depth,
		   INT64_C(0), -1);
}

static void put_scan(struct golden *g, int64_t ts, int64_t scanned, int64_t reclaimed)
{
	golden_put(g, STORE_TABLE_scan, ts, store_scan_actor, (int64_t)STORE_KSWAPD, store_scan_lru,
		   INT64_C(0), store_scan_scanned, scanned, store_scan_reclaimed, reclaimed, -1);
}

static void put_throttle(struct golden *g, int64_t ts, int64_t delayed)
{
	golden_put(g, STORE_TABLE_throttle, ts, store_throttle_actor, (int64_t)STORE_KSWAPD,
		   store_throttle_kind, INT64_C(1), store_throttle_timeout, INT64_C(100000),
		   store_throttle_delayed, delayed, -1);
}

/* The page of the run, to be freed. */
static char *page_of(struct golden *g)
{
	const struct report_options options = { .form = REPORT_HTML };
	struct html *html = html_new();
	struct rl_msg msg;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(html);
	assert_non_null(out);
	assert_int_equal(html_add(html, NULL, g->lens, &msg), 0);
	assert_int_equal(report_print(g->lens, &options, html_body(html), &msg), 0);
	assert_int_equal(html_print(html, out, &msg), 0);
	assert_int_equal(fclose(out), 0);
	html_free(html);
	return text;
}

static unsigned int occurrences(const char *text, const char *word)
{
	unsigned int n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* The number that @sql finds in the data of the plots, which are ?1. */
static double in_data(struct golden *g, const char *page, const char *sql)
{
	const char *begin = strstr(page, "id=\"runs\">");
	const char *end;
	sqlite3_stmt *stmt;
	struct rl_msg msg;
	double value;

	assert_non_null(begin);
	begin += strlen("id=\"runs\">");
	end = strstr(begin, "</script>");
	assert_non_null(end);
	if (query_prepare(lens_db(g->lens), sql, &stmt, &msg))
		fail_msg("%s: %s", sql, msg.text);
	sqlite3_bind_text(stmt, 1, begin, (int)(end - begin), SQLITE_TRANSIENT);
	assert_int_equal(query_step(stmt, &msg), 1);
	value = sqlite3_column_double(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static void test_names(void **state)
{
	static const char evil[] = "</script><script>alert(1)</script>";
	struct golden g;
	char *page;

	golden_begin(&g, "html_names", "recorded");
	golden_sql(&g, "UPDATE run SET source = '<img src=x onerror=alert(1)>'");
	golden_sql(&g, "UPDATE task SET comm = '</script><script>alert(1)</script>'");
	put_stall(&g, 100 * MS, 200 * MS);
	golden_look(&g, SECOND, NULL);
	page = page_of(&g);
	assert_null(strstr(page, evil));
	assert_null(strstr(page, "<img"));
	assert_int_equal(occurrences(page, "<script"), 2);
	assert_int_equal(occurrences(page, "</script"), 2);
	assert_non_null(strstr(page, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;"));
	assert_non_null(strstr(page, "\\u003c/script>\\u003cscript>alert(1)"));
	assert_true(in_data(&g, page,
			    "SELECT json_extract(?1, '$[0].sets.tasks.rows[0][0]') = "
			    "'</script><script>alert(1)</script>'") == 1);
	free(page);
	golden_end(&g);
}

static void test_loads_nothing(void **state)
{
	static const char *const loads[] = { " src=",	"href=\"http", "url(", "@import",
					     "<link",	"<iframe",     "<img", "fetch(",
					     "XMLHttp", "WebSocket" };
	struct golden g;
	char *page;

	golden_begin(&g, "html_loads", "recorded");
	put_stall(&g, 100 * MS, 200 * MS);
	golden_look(&g, SECOND, NULL);
	page = page_of(&g);
	assert_non_null(strstr(page, "content=\"default-src 'none'; style-src 'unsafe-inline'; "
				     "script-src 'sha256-"));
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		if (strstr(page, loads[i]))
			fail_msg("the page has %s", loads[i]);
	free(page);
	golden_end(&g);
}

/* Every link to a definition has its definition. */
static void test_definitions(void **state)
{
	struct golden g;
	const char *at;
	char *page;
	unsigned int links = 0;

	golden_begin(&g, "html_definitions", "recorded");
	put_scan(&g, 100 * MS, 100, 40);
	put_stall(&g, 100 * MS, 200 * MS);
	golden_look(&g, SECOND, NULL);
	page = page_of(&g);
	for (at = page; (at = strstr(at, "href=\"#view-")); links++) {
		char id[80];

		at += strlen("href=\"#");
		snprintf(id, sizeof(id), "<section id=\"%.*s\">", (int)strcspn(at, "\""), at);
		if (!strstr(page, id))
			fail_msg("no %s", id);
	}
	assert_true(links > 5);
	free(page);
	golden_end(&g);
}

/* Two hours, 20000 stalls: what is drawn is thinned, what is counted is not. */
static void test_long_run(void **state)
{
	struct golden g;
	char *page;

	golden_begin(&g, "html_long", "recorded");
	for (int64_t i = 0; i < 20000; i++)
		put_stall(&g, i * 360 * MS, (1 + i % 500) * MS);
	for (int64_t i = 0; i < 7200; i++)
		put_scan(&g, i * SECOND, 100 + i % 7, 50);
	golden_look(&g, 7200 * SECOND, NULL);
	page = page_of(&g);
	assert_true(strlen(page) < SIZE_MOST);
	assert_int_equal(in_data(&g, page,
				 "SELECT sum(json_extract(value, '$[1]')) FROM json_each(?1, "
				 "'$[0].sets.timeline.rows')"),
			 golden_number(&g, "SELECT scanned FROM efficiency WHERE run = ?1 AND "
					   "actor = 'kswapd'"));
	assert_int_equal(in_data(&g, page,
				 "SELECT sum(json_extract(value, '$[2]')) FROM json_each(?1, "
				 "'$[0].sets.map.rows')"),
			 20000);
	assert_int_equal(in_data(&g, page, "SELECT json_array_length(?1, '$[0].sets.stalls.rows')"),
			 5000);
	assert_int_equal(
		in_data(&g, page, "SELECT json_extract(?1, '$[0].sets.stalls.rows[0][1]')"),
		500 * MS);
	free(page);
	golden_end(&g);
}

/* Classes double; a slice is a 120th of the window. */
static void test_map(void **state)
{
	struct golden g;

	golden_begin(&g, "html_map", "recorded");
	put_stall(&g, 0, 0);
	put_stall(&g, 0, 1);
	put_stall(&g, 0, 2);
	put_stall(&g, 500 * MS - 1, 1023);
	put_stall(&g, 500 * MS, 1024);
	put_stall(&g, 60 * SECOND - 1, 1025);
	golden_look(&g, 60 * SECOND, NULL);
	assert_int_equal(golden_number(&g, "SELECT count FROM stall_map WHERE run = ?1 AND "
					   "slice = 0 AND class = 0"),
			 2);
	assert_int_equal(golden_number(&g, "SELECT count FROM stall_map WHERE run = ?1 AND "
					   "slice = 0 AND class = 9"),
			 1);
	assert_int_equal(golden_number(&g, "SELECT begin FROM stall_map WHERE run = ?1 AND "
					   "slice = 1 AND class = 10"),
			 500 * MS);
	assert_int_equal(golden_number(&g, "SELECT max(slice) FROM stall_map WHERE run = ?1"), 119);
	assert_int_equal(golden_number(&g, "SELECT count FROM stall_histogram WHERE run = ?1 AND "
					   "shortest = 1024 AND longest = 2048"),
			 2);
	assert_int_equal(golden_number(&g, "SELECT sum(count) FROM stall_histogram WHERE run = ?1"),
			 6);
	golden_end(&g);
}

static void test_series(void **state)
{
	struct golden g;

	golden_begin(&g, "html_series", "recorded");
	put_throttle(&g, 2 * SECOND, 100000);
	put_throttle(&g, 3 * SECOND - 1, 40000);
	put_throttle(&g, 3 * SECOND, 7);
	golden_sql(&g, "INSERT INTO counter VALUES (1, 'vmstat', '', 'workingset_refault_file', "
		       "'pages', 1)");
	golden_sql(&g, "INSERT INTO snapshot VALUES (1, 1, 1000000000, '', 'v'), "
		       "(2, 1, 3000000000, '', 'v'), (3, 1, 4000000000, '', 'v')");
	golden_sql(&g, "INSERT INTO sample VALUES (1, 1, 1, 10), (1, 2, 1, 510), (1, 3, 1, 510)");
	golden_sql(&g, "INSERT INTO loss VALUES (1, 5000000000, 0, 12, 'overrun', NULL), "
		       "(1, 5900000000, 0, NULL, 'missed', NULL)");
	golden_look(&g, 6 * SECOND, NULL);
	assert_int_equal(golden_number(&g, "SELECT count * 10 + full FROM throttle_series "
					   "WHERE run = ?1 AND second = 2"),
			 21);
	assert_int_equal(golden_number(&g, "SELECT delayed FROM throttle_series WHERE run = ?1 "
					   "AND second = 2 AND reason = 'congestion_wait'"),
			 140000);
	assert_int_equal(golden_number(&g, "SELECT rate FROM refault_series WHERE run = ?1 AND "
					   "ts = 3000000000 AND name = 'file'"),
			 250);
	assert_int_equal(golden_number(&g, "SELECT sum(refaults) FROM refault_series "
					   "WHERE run = ?1"),
			 500);
	assert_int_equal(golden_number(&g, "SELECT gaps * 100 + count FROM loss_series "
					   "WHERE run = ?1 AND second = 5"),
			 212);
	golden_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	    cmocka_unit_test(test_loads_nothing),
		cmocka_unit_test(test_definitions), cmocka_unit_test(test_long_run),
		cmocka_unit_test(test_map),	    cmocka_unit_test(test_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
