/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sql/functions.h"

static sqlite3 *db;

static int set_up(void **state)
{
	return sqlite3_open(":memory:", &db) || functions_register(db);
}

static int tear_down(void **state)
{
	return sqlite3_close(db);
}

/* The first value of the first row as text; "NULL", or the error. */
static const char *ask(const char *sql)
{
	static char answer[1024];
	sqlite3_stmt *stmt;
	const char *text;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL))
		return sqlite3_errmsg(db);
	text = sqlite3_step(stmt) == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0)
						: sqlite3_errmsg(db);
	snprintf(answer, sizeof(answer), "%s", text ? text : "NULL");
	sqlite3_finalize(stmt);
	return answer;
}

static void check(const char *const (*pair)[2])
{
	for (; (*pair)[0]; pair++)
		if (strcmp(ask((*pair)[0]), (*pair)[1]))
			fail_msg("%s gives %s, expected %s", (*pair)[0], ask((*pair)[0]),
				 (*pair)[1]);
}

static void regular_expressions(void **state)
{
	static const char *const pairs[][2] = {
		{ "SELECT 'kswapd0' REGEXP '^kswapd\\d+$'", "1" },
		{ "SELECT 'kswapd' REGEXP '^kswapd\\d+$'", "0" },
		{ "SELECT regexp('b+', 'abc')", "1" },
		{ "SELECT NULL REGEXP 'a'", "NULL" },
		{ "SELECT 'a' REGEXP NULL", "NULL" },
		{ "SELECT 'a' REGEXP '(a'",
		  "regexp: offset 2 of the pattern: missing closing parenthesis" },
		{ "SELECT x'61ff62' REGEXP 'b'", "1" },
		{ "SELECT 'stra\u00dfe' REGEXP '^.{6}$'", "1" },
		{ "SELECT regexp_extract('kworker/u4:2-events', 'u(\\d+):(\\d+)')", "4" },
		{ "SELECT regexp_extract('kworker/u4:2-events', 'u(\\d+):(\\d+)', 2)", "2" },
		{ "SELECT regexp_extract('kworker/u4:2-events', 'u\\d+')", "u4" },
		{ "SELECT regexp_extract('abc', '(x)|b', 1)", "NULL" },
		{ "SELECT regexp_extract('abc', 'x')", "NULL" },
		{ "SELECT regexp_extract('abc', 'b', 3)",
		  "regexp_extract: the pattern has no such group" },
		{ "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' REGEXP '^(a|aa)+[bc]$'",
		  "regexp: the pattern takes too long to match" },
		/* a pattern of each row, and one for all rows */
		{ "SELECT group_concat(t REGEXP p) FROM (SELECT 'ab' AS t, 'a' AS p UNION ALL "
		  "SELECT 'ab', 'c' UNION ALL SELECT 'ab', '^b')",
		  "1,0,0" },
		{ "SELECT sum(value REGEXP '[13579]$') FROM "
		  "json_each('[1,2,3,4,5,6,7,8,9,10,11]')",
		  "6" },
		{ NULL, NULL },
	};

	check(pairs);
}

/* Type 7 by hand: of 1 2 3 4 the 50th lies at (4-1) x 0.5 = 1.5, so 2 + 0.5 x (3 - 2). */
static void percentiles(void **state)
{
	static const char *const pairs[][2] = {
		{ "SELECT percentile(value, 50) FROM json_each('[4,1,3,2]')", "2.5" },
		{ "SELECT median(value) FROM json_each('[4,1,3,2]')", "2.5" },
		{ "SELECT median(value) FROM json_each('[9,1,5]')", "5" },
		{ "SELECT percentile(value, 90) FROM json_each('[10,20,30,40,50]')", "46.0" },
		{ "SELECT percentile(value, 25) FROM json_each('[10,20,30,40,50]')", "20" },
		{ "SELECT percentile(value, 0) FROM json_each('[7,-3,5]')", "-3" },
		{ "SELECT percentile(value, 100) FROM json_each('[7,-3,5]')", "7" },
		{ "SELECT percentile(value, 99) FROM json_each('[5]')", "5" },
		{ "SELECT percentile(value, 50) FROM json_each('[1.5,2,4]')", "2.0" },
		{ "SELECT percentile(value, 50) FROM json_each('[1,null,3]')", "2.0" },
		{ "SELECT percentile(value, 50) FROM json_each('[3,3,-2,3,9]')", "3" },
		{ "SELECT percentile(value, 75) FROM json_each('[-0.5,-1e9,256,-257]')", "63.625" },
		{ "SELECT percentile(value, 30) FROM json_each('[-256,-1,65536,0,-65537,255]')",
		  "-128.5" },
		{ "SELECT percentile(value, 50) FROM json_each('[null]')", "NULL" },
		{ "SELECT percentile(value, 50) FROM json_each('[]')", "NULL" },
		{ "SELECT percentile(9007199254740993, 10)", "9007199254740993" },
		{ "SELECT percentile(1, 101)", "percentile: expected a number from 0 to 100" },
		{ "SELECT percentile('many', 50)", "a sample holds numbers only" },
		{ "SELECT percentile(value, value) FROM json_each('[1,2]')",
		  "the second argument must not change in a group" },
		{ "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1001) "
		  "SELECT percentile(x * 7919 % 1001, 99) FROM c",
		  "990" },
		{ NULL, NULL },
	};

	check(pairs);
}

static void histograms(void **state)
{
	static const char *const pairs[][2] = {
		{ "SELECT histogram(value) FROM json_each('[0,1,2,3,4,7,8]')",
		  "[{\"from\":0,\"to\":1,\"count\":1},{\"from\":1,\"to\":2,\"count\":1},"
		  "{\"from\":2,\"to\":4,\"count\":2},{\"from\":4,\"to\":8,\"count\":2},"
		  "{\"from\":8,\"to\":16,\"count\":1}]" },
		{ "SELECT histogram(value) FROM json_each('[4611686018427387903]')",
		  "[{\"from\":2.30584300921369e+18,\"to\":4.61168601842739e+18,\"count\":1}]" },
		{ "SELECT histogram(value) FROM json_each('[-5,0.5,1.5]')",
		  "[{\"from\":-8,\"to\":-4,\"count\":1},{\"from\":0,\"to\":1,\"count\":1},"
		  "{\"from\":1,\"to\":2,\"count\":1}]" },
		{ "SELECT histogram(value, 10) FROM json_each('[-1,0,9,10,35]')",
		  "[{\"from\":-10,\"to\":0,\"count\":1},{\"from\":0,\"to\":10,\"count\":2},"
		  "{\"from\":10,\"to\":20,\"count\":1},{\"from\":30,\"to\":40,\"count\":1}]" },
		{ "SELECT histogram(value) FROM json_each('[]')", "[]" },
		{ "SELECT histogram(1, 0)", "histogram: expected a width above 0" },
		{ NULL, NULL },
	};

	check(pairs);
}

static void names_and_masks(void **state)
{
	static const char *const pairs[][2] = {
		{ "SELECT gfp_has(1 << 16, 'NORETRY')", "1" },
		{ "SELECT gfp_has(1 << 16, '__GFP_NORETRY')", "1" },
		{ "SELECT gfp_has(1 << 16, 'NOFAIL')", "0" },
		{ "SELECT gfp_has(0, 'NO_SUCH')",
		  "gfp_has: no allocation flag is called 'NO_SUCH'" },
		{ "SELECT gfp_has(NULL, 'NORETRY')", "NULL" },
		/* GFP_KERNEL is IO, FS, direct reclaim and kswapd reclaim */
		{ "SELECT gfp_flags(64 + 128 + 1024 + 2048)", "GFP_KERNEL" },
		{ "SELECT gfp_has(64 + 128 + 1024 + 2048, 'GFP_KERNEL')", "1" },
		{ "SELECT gfp_has(64 + 128 + 2048, 'GFP_KERNEL')", "0" },
		{ "SELECT lru_name(2)", "inactive_file" },
		{ "SELECT lru_name(99)", "99" },
		{ "SELECT actor_name(0)", "kswapd" },
		{ "SELECT actor_name(8)", "other" },
		{ "SELECT actor_name(-1)", "-1" },
		{ "SELECT zone_name(2)", "Normal" },
		{ "SELECT lru_name(NULL)", "NULL" },
		{ "SELECT device((8 << 20) + 1)", "8:1" },
		{ NULL, NULL },
	};

	check(pairs);
	assert_non_null(strstr(ask("SELECT throttle_reason(1)"), "WRITEBACK"));
	assert_non_null(strstr(ask("SELECT throttle_reason(9)"), "CONGESTED"));
	assert_non_null(strstr(ask("SELECT reclaim_flags(2)"), "FILE"));
}

static void numbers(void **state)
{
	static const char *const pairs[][2] = {
		{ "SELECT ratio(1, 4)", "0.25" },
		{ "SELECT ratio(1, 0)", "NULL" },
		{ "SELECT ratio(NULL, 2)", "NULL" },
		{ "SELECT round(percent(87830801, 128555233), 2)", "68.32" },
		{ "SELECT seconds(1500000000)", "1.5" },
		{ "SELECT ms(1500000)", "1.5" },
		{ "SELECT us(2500)", "2.5" },
		{ "SELECT elapsed(3500000000, 1000000000)", "2.5" },
		{ "SELECT clock_text(7349096384)", "7.349096384" },
		{ "SELECT clock_text(-5)", "-0.000000005" },
		{ "SELECT duration_text(1634000000)", "1.634 s" },
		{ "SELECT duration_text(12345678)", "12.346 ms" },
		{ "SELECT duration_text(999)", "999 ns" },
		{ "SELECT duration_text(-1500)", "-1.500 us" },
		{ NULL, NULL },
	};

	check(pairs);
}

static void every_function_is_documented(void **state)
{
	const struct sql_function *f;

	for (unsigned int i = 0; (f = function_at(i)); i++) {
		assert_non_null(strstr(f->usage, f->name));
		assert_true(strlen(f->doc) > 10);
		assert_true(!f->call != !f->step);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regular_expressions),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(histograms),
		cmocka_unit_test(names_and_masks),
		cmocka_unit_test(numbers),
		cmocka_unit_test(every_function_is_documented),
	};

	return cmocka_run_group_tests_name("functions", tests, set_up, tear_down);
}
