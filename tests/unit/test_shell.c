/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sql/catalog.h"
#include "sql/shell.h"

static struct store *store;
static char *printed;
static char *said;

static int set_up(void **state)
{
	struct rl_msg msg;

	return store_open(NULL, STORE_SCRATCH, &store, &msg);
}

static int tear_down(void **state)
{
	store_close(store);
	free(printed);
	free(said);
	return 0;
}

/* Whether sessions are those of a person. */
static bool typed;

/* What a query, or a session with @input, prints. */
static const char *run(const char *query, const char *input, enum shell_mode mode,
		       unsigned int width, int expected, struct rl_msg *msg)
{
	struct shell_options options = { .query = query, .mode = mode, .width = width };
	size_t size;
	size_t words;

	free(printed);
	free(said);
	options.out = open_memstream(&printed, &size);
	options.words = open_memstream(&said, &words);
	options.prompt = typed;
	options.in = fmemopen((void *)(input ? input : " "), strlen(input ? input : " "), "r");
	assert_int_equal(shell_run(store, &options, msg), expected);
	fclose(options.out);
	fclose(options.words);
	fclose(options.in);
	return printed;
}

static void prints(const char *query, enum shell_mode mode, unsigned int width, const char *text)
{
	struct rl_msg msg = { "" };

	assert_string_equal(run(query, NULL, mode, width, 0, &msg), text);
}

static void csv_is_that_of_the_standard(void **state)
{
	prints("SELECT 1 AS a, 'x,y' AS b, NULL AS c, 'say \"no\"' AS d", SHELL_CSV, 80,
	       "a,b,c,d\n1,\"x,y\",,\"say \"\"no\"\"\"\n");
	prints("SELECT 1 AS a WHERE 0", SHELL_CSV, 80, "a\n");
	prints("SELECT 0.1 AS a, 1e300 * 10 AS b, 3.0 AS c, x'00ff' AS d", SHELL_CSV, 80,
	       "a,b,c,d\n0.1,1.0e+301,3.0,X'00ff'\n");
}

static void json_is_valid_whatever_the_text(void **state)
{
	prints("SELECT 1 AS a, 'q\"\\' || char(10) AS b, NULL AS c UNION ALL SELECT -2.5, "
	       "CAST(x'61ff' AS TEXT), 9e999",
	       SHELL_JSON, 80,
	       "[{\"a\":1,\"b\":\"q\\\"\\\\\\u000a\",\"c\":null},\n"
	       "{\"a\":-2.5,\"b\":\"a\\ufffd\",\"c\":null}]\n");
	prints("SELECT 1 WHERE 0", SHELL_JSON, 80, "[]\n");
	/* Half of a surrogate pair is no UTF-8 either. */
	prints("SELECT CAST(X'eda080' AS TEXT) AS a", SHELL_JSON, 80,
	       "[{\"a\":\"\\ufffd\\ufffd\\ufffd\"}]\n");
}

static void markdown_escapes_its_bars(void **state)
{
	prints("SELECT 'a|b' AS flags, 7 AS pages", SHELL_MARKDOWN, 80,
	       "| flags | pages |\n|---|---:|\n| a\\|b | 7 |\n");
}

static void a_box_aligns_numbers_and_wraps_text(void **state)
{
	prints("SELECT 'kswapd' AS actor, 12 AS pages UNION ALL SELECT 'direct', 3", SHELL_TABLE,
	       80,
	       "┌────────┬───────┐\n"
	       "│ actor  │ pages │\n"
	       "├────────┼───────┤\n"
	       "│ kswapd │    12 │\n"
	       "│ direct │     3 │\n"
	       "└────────┴───────┘\n");
	prints("SELECT 'one two three' AS t, 1 AS n", SHELL_TABLE, 16,
	       "┌──────────┬───┐\n"
	       "│ t        │ n │\n"
	       "├──────────┼───┤\n"
	       "│ one two  │ 1 │\n"
	       "│ three    │   │\n"
	       "└──────────┴───┘\n");
	prints("SELECT 'tür' || char(10) || char(27) || '[31m' AS t", SHELL_TABLE, 80,
	       "┌───────┐\n"
	       "│ t     │\n"
	       "├───────┤\n"
	       "│ tür   │\n"
	       "│ ?[31m │\n"
	       "└───────┘\n");
}

/* Rows behind those that the widths were taken from keep the box straight. */
static void a_long_box_stays_straight(void **state)
{
	struct rl_msg msg;
	const char *line;
	unsigned int lines = 0;

	line = run("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE "
		   "x < 3000) SELECT x, CASE WHEN x = 2500 THEN 'wider than any before' ELSE "
		   "'short' END AS t FROM c",
		   NULL, SHELL_TABLE, 80, 0, &msg);
	for (; *line; line += strcspn(line, "\n") + 1, lines++)
		if (lines > 2 && strncmp(line, "└", 3))
			assert_int_equal(strcspn(line, "\n"), strlen("│ 1000 │ short │"));
	assert_true(lines > 3004);
}

static void errors_are_one_line_that_says_where(void **state)
{
	struct rl_msg msg;

	run("SELECT 1; SELECT nowhere FROM run", NULL, SHELL_CSV, 80, -EINVAL, &msg);
	assert_string_equal(msg.text, "query: character 18: no such column: nowhere");
	run("SELEC 1", NULL, SHELL_CSV, 80, -EINVAL, &msg);
	assert_string_equal(msg.text, "query: character 1: near \"SELEC\": syntax error");
	run("SELECT percentile(1, 200)", NULL, SHELL_CSV, 80, -EINVAL, &msg);
	assert_string_equal(msg.text, "query: percentile: expected a number from 0 to 100");
}

static void a_session_goes_on_after_errors(void **state)
{
	struct rl_msg msg;

	typed = true;
	run(NULL,
	    ".mode csv\n\nSELECT 1 AS a,\n 2 AS b;\nSELECT oops;\n.nothing\nSELECT 3 AS c;\n"
	    ".quit\nSELECT 4;\n",
	    SHELL_TABLE, 80, 0, &msg);
	assert_string_equal(printed, "a,b\n1,2\nc\n3\n");
	assert_non_null(strstr(said, "query: character 8: no such column: oops\n"));
	assert_non_null(strstr(said, "unknown command .nothing, see .help\n"));
	typed = false;
	/* what is typed last needs no semicolon */
	run(NULL, "SELECT 5 AS d", SHELL_CSV, 80, 0, &msg);
	assert_string_equal(printed, "d\n5\n");
}

static void a_file_of_queries_ends_at_its_first_error(void **state)
{
	struct rl_msg msg;

	run(NULL, "SELECT 1 AS a;\n\nSELECT\noops;\nSELECT 2;\n", SHELL_CSV, 80, -EINVAL, &msg);
	assert_string_equal(printed, "a\n1\n");
	assert_string_equal(msg.text, "line 4: query: character 8: no such column: oops");
	run(NULL, "SELECT 1 AS a;\n.nothing\n", SHELL_CSV, 80, -EINVAL, &msg);
	assert_string_equal(msg.text, "line 2: unknown command .nothing, see .help");
}

static void a_query_may_be_a_dot_command(void **state)
{
	struct rl_msg msg;

	run(".schema throttle", NULL, SHELL_TABLE, 80, 0, &msg);
	assert_non_null(strstr(printed, "throttle (table of events)\n"));
	run(".nothing", NULL, SHELL_TABLE, 80, -EINVAL, &msg);
	assert_string_equal(msg.text, "unknown command .nothing, see .help");
}

static void a_session_tells_what_there_is(void **state)
{
	struct rl_msg msg;

	run(NULL, ".tables\n", SHELL_TABLE, 80, 0, &msg);
	assert_non_null(strstr(printed, "\npage_alloc "));
	assert_non_null(strstr(printed, "\nrun "));
	run(NULL, ".schema throttle\n", SHELL_TABLE, 80, 0, &msg);
	assert_non_null(strstr(printed, "throttle (table of events)\n"
					"one wait of a reclaimer; ts is its end\n"));
	assert_non_null(strstr(printed, "  delayed  us  wait as the kernel measured it\n"));
	run(NULL, ".schema run\n", SHELL_TABLE, 80, 0, &msg);
	assert_non_null(strstr(printed, "  start       ns     first event\n"));
	run(NULL, ".functions\n.help\n", SHELL_TABLE, 80, 0, &msg);
	assert_non_null(strstr(printed, "percentile(x, p)\n"));
	assert_non_null(strstr(printed, ".schema [NAME]"));
}

/* Every table and view is documented column by column, and nothing else is. */
static void the_catalog_is_what_the_database_has(void **state)
{
	struct catalog *catalog = catalog_new();
	const struct catalog_entry *entry;
	sqlite3_stmt *stmt;

	for (unsigned int i = 0; (entry = catalog_at(catalog, i)); i++) {
		char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", entry->name);

		if (sqlite3_prepare_v2(store_db(store), sql, -1, &stmt, NULL))
			fail_msg("%s: %s", entry->name, sqlite3_errmsg(store_db(store)));
		sqlite3_free(sql);
		if (!*entry->doc)
			fail_msg("%s is not documented", entry->name);
		if ((unsigned int)sqlite3_column_count(stmt) != entry->nr_columns)
			fail_msg("%s has %d columns, %u are documented", entry->name,
				 sqlite3_column_count(stmt), entry->nr_columns);
		for (unsigned int c = 0; c < entry->nr_columns; c++)
			if (strcmp(entry->column[c].name, sqlite3_column_name(stmt, (int)c)) ||
			    !*entry->column[c].doc)
				fail_msg("%s.%s is documented as %s", entry->name,
					 sqlite3_column_name(stmt, (int)c), entry->column[c].name);
		sqlite3_finalize(stmt);
	}
	assert_int_equal(
		sqlite3_prepare_v2(store_db(store),
				   "SELECT name FROM sqlite_schema WHERE type IN "
				   "('table', 'view') AND name NOT LIKE '\\_%' ESCAPE '\\'",
				   -1, &stmt, NULL),
		0);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);

		if (!catalog_find(catalog, name))
			fail_msg("%s is not in the catalog", name);
	}
	sqlite3_finalize(stmt);
	catalog_free(catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_is_that_of_the_standard),
		cmocka_unit_test(json_is_valid_whatever_the_text),
		cmocka_unit_test(markdown_escapes_its_bars),
		cmocka_unit_test(a_box_aligns_numbers_and_wraps_text),
		cmocka_unit_test(a_long_box_stays_straight),
		cmocka_unit_test(errors_are_one_line_that_says_where),
		cmocka_unit_test(a_session_goes_on_after_errors),
		cmocka_unit_test(a_session_tells_what_there_is),
		cmocka_unit_test(a_file_of_queries_ends_at_its_first_error),
		cmocka_unit_test(a_query_may_be_a_dot_command),
		cmocka_unit_test(the_catalog_is_what_the_database_has),
	};

	return cmocka_run_group_tests_name("shell", tests, set_up, tear_down);
}
