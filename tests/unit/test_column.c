/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sql/column.h"
#include "sql/embedded.h"
#include "sql/module.h"

#define NR_COLUMNS 7

static sqlite3 *db;
static uint64_t seed;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void exec(const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error))
		fail_msg("%s: %s", sql, error);
}

static int set_up(void **state)
{
	seed = 88172645463325252u;
	assert_int_equal(sqlite3_open(":memory:", &db), 0);
	assert_int_equal(column_module_register(db), 0);
	exec(store_meta_sql);
	exec("CREATE VIRTUAL TABLE packed USING reclaimlab_columns (run, ts, cpu, task, pfn, "
	     "\"order\", odd);"
	     "CREATE TABLE plain (run INTEGER, ts INTEGER, cpu INTEGER, task INTEGER, pfn INTEGER, "
	     "\"order\" INTEGER, odd INTEGER)");
	return 0;
}

static int tear_down(void **state)
{
	return sqlite3_close(db);
}

static void make_row(int64_t run, int64_t ts, int64_t *value)
{
	uint64_t r = next_random();

	value[0] = run;
	value[1] = ts;
	value[2] = (int64_t)(r % 2);
	value[3] = r % 11 ? (int64_t)(r / 11 % 5) : PACK_NULL;
	value[4] = ts / 7 + (int64_t)(r % 100);
	value[5] = r % 50 ? 0 : (int64_t)(r / 50 % 11);
	value[6] = r % 3 ? (int64_t)(next_random() | 1) : PACK_NULL;
}

/* Blocks of two runs in packed, and the same rows in plain. */
static void fill_with(struct column_writer *writer, unsigned int rows, bool ordered)
{
	int64_t value[NR_COLUMNS];
	sqlite3_stmt *insert;

	exec("BEGIN; DELETE FROM column_block; DELETE FROM plain");
	sqlite3_prepare_v2(db, "INSERT INTO plain VALUES (?, ?, ?, ?, ?, ?, ?)", -1, &insert, NULL);
	for (int64_t run = 1; run <= 2; run++) {
		for (unsigned int i = 0; i < rows; i++) {
			int64_t at = ordered ? i : (int64_t)(next_random() % rows);

			make_row(run, at * 10, value);
			assert_int_equal(column_writer_put(writer, 0, "packed", NR_COLUMNS, value),
					 0);
			for (int c = 0; c < NR_COLUMNS; c++) {
				if (value[c] == PACK_NULL)
					sqlite3_bind_null(insert, c + 1);
				else
					sqlite3_bind_int64(insert, c + 1, value[c]);
			}
			assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
			sqlite3_reset(insert);
		}
		assert_int_equal(column_writer_flush(writer), 0);
	}
	sqlite3_finalize(insert);
	column_writer_free(writer);
	exec("COMMIT");
}

static void fill(unsigned int rows, bool ordered)
{
	fill_with(column_writer_new(db), rows, ordered);
}

/* A text of all rows that a query gives, or its error. */
static char *answer(const char *sql)
{
	sqlite3_str *all = sqlite3_str_new(db);
	sqlite3_stmt *stmt;
	int rc;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (int c = 0; c < sqlite3_column_count(stmt); c++)
			sqlite3_str_appendf(all, "%s|", (const char *)sqlite3_column_text(stmt, c));
		sqlite3_str_appendall(all, "\n");
	}
	if (rc != SQLITE_DONE)
		sqlite3_str_appendf(all, "%s", sqlite3_errmsg(db));
	sqlite3_finalize(stmt);
	return sqlite3_str_finish(all);
}

/* @format has %s where the table's name goes, twice at most. */
static void both_agree(const char *format)
{
	char packed[1024];
	char plain[1024];
	char *one;
	char *two;

	snprintf(packed, sizeof(packed), format, "packed", "packed");
	snprintf(plain, sizeof(plain), format, "plain", "plain");
	one = answer(packed);
	two = answer(plain);
	if (strcmp(one ? one : "", two ? two : ""))
		fail_msg("%s differs", packed);
	sqlite3_free(one);
	sqlite3_free(two);
}

static void random_condition(char *out, size_t size)
{
	static const char *const columns[] = { "run", "ts",	   "cpu", "task",
					       "pfn", "\"order\"", "odd", "ts" };
	static const char *const ops[] = { "=", "<", "<=", ">", ">=", "<>", "IS", "=" };
	static const char *const odd[] = {
		"NULL",	  "'7'",
		"5.5",	  "-1e30",
		"1e30",	  "'text'",
		"1",	  "1.0",
		"x'37'",  "'5.5'",
		"-0.5",	  "-1",
		"' 8 '",  "9223372036854775807",
		"'1e99'", "(-9223372036854775807 - 1)",
	};
	const char *column = columns[next_random() % 8];
	const char *op = ops[next_random() % 8];
	uint64_t r = next_random();

	if (r % 4 == 0)
		snprintf(out, size, "%s %s %s", column, op, odd[r / 4 % 16]);
	else if (r % 4 == 1)
		snprintf(out, size, "%s %s %d", column, op, (int)(r / 4 % 12));
	else
		snprintf(out, size, "%s %s %d", column, op, (int)(r / 4 % 450000));
}

static void conditions_agree(void)
{
	char one[100];
	char two[100];
	char query[512];

	for (unsigned int round = 0; round < 250; round++) {
		random_condition(one, sizeof(one));
		random_condition(two, sizeof(two));
		snprintf(query, sizeof(query),
			 "SELECT count(*), sum(pfn), min(ts), max(odd), count(task) FROM %%s WHERE "
			 "%s %s %s",
			 one, round % 5 ? "AND" : "OR", two);
		both_agree(query);
	}
}

static void every_condition_finds_what_a_plain_table_finds(void **state)
{
	fill(20000, true);
	conditions_agree();
}

static void queries_agree(void)
{
	static const char *const queries[] = {
		"SELECT run, ts FROM %s WHERE run = 1 ORDER BY ts LIMIT 500",
		"SELECT run, ts FROM %s ORDER BY run, ts LIMIT 50000",
		"SELECT ts FROM %s ORDER BY ts LIMIT 500",
		"SELECT ts FROM %s ORDER BY ts DESC LIMIT 500",
		"SELECT ts FROM %s WHERE run = 2 AND ts > 1234 ORDER BY ts LIMIT 10",
		"SELECT ts FROM %s WHERE run IN (2, 1) ORDER BY ts LIMIT 300",
		"SELECT count(*) FROM %s WHERE task IN (1, 3, NULL)",
		"SELECT run, task, count(*), sum(odd IS NULL) FROM %s GROUP BY run, task",
		"SELECT a.ts FROM (SELECT 2 AS run UNION ALL SELECT 1) AS r JOIN %s AS a USING (run) "
		"ORDER BY a.ts LIMIT 100",
		"SELECT count(*) FROM %s AS a JOIN %s AS b ON b.run = a.run AND b.ts = a.ts "
		"WHERE a.pfn = 300",
		"SELECT count(DISTINCT pfn), total(odd) FROM %s",
		"SELECT max(ts) FROM %s WHERE \"order\" = 10 AND cpu = 1",
	};

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		both_agree(queries[i]);
}

static void quick_blocks_hold_the_same(void **state)
{
	struct column_writer *writer = column_writer_new(db);

	column_writer_quick(writer);
	fill_with(writer, 20000, true);
	conditions_agree();
	queries_agree();
}

static void order_and_joins_are_right(void **state)
{
	fill(20000, true);
	queries_agree();
}

static void blocks_out_of_order_are_sorted(void **state)
{
	fill(20000, false);
	queries_agree();
}

static bool plan_has(const char *sql, const char *words)
{
	char query[512];
	char *plan;
	bool has;

	snprintf(query, sizeof(query), "EXPLAIN QUERY PLAN %s", sql);
	plan = answer(query);
	has = strstr(plan, words);
	sqlite3_free(plan);
	return has;
}

static void natural_order_needs_no_sorter(void **state)
{
	static const char by_ts[] = "SELECT ts FROM packed WHERE run = 1 ORDER BY ts";

	fill(20000, true);
	assert_false(plan_has(by_ts, "B-TREE"));
	assert_false(plan_has("SELECT ts FROM packed ORDER BY run, ts", "B-TREE"));
	assert_true(plan_has("SELECT ts FROM packed ORDER BY ts", "B-TREE"));
	assert_true(plan_has("SELECT ts FROM packed WHERE run = 1 ORDER BY ts DESC", "B-TREE"));
	fill(20000, false);
	assert_true(plan_has(by_ts, "B-TREE"));
}

/* A statement that was prepared while blocks were in order is planned again. */
static void an_old_plan_does_not_sort_wrongly(void **state)
{
	sqlite3_stmt *stmt;
	int64_t before = -1;

	fill(100, true);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT ts FROM packed WHERE run = 1 ORDER BY ts",
					    -1, &stmt, NULL),
			 0);
	fill(20000, false);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		assert_true(sqlite3_column_int64(stmt, 0) >= before);
		before = sqlite3_column_int64(stmt, 0);
	}
	assert_true(before > 0);
	sqlite3_finalize(stmt);
}

/* A block that cannot satisfy a bound is not unpacked: its data may be anything. */
static void bounds_pass_over_blocks(void **state)
{
	char *rows;

	fill(40000, true);
	exec("UPDATE column_block SET data = x'00' WHERE block > 1");
	rows = answer("SELECT count(*) FROM packed WHERE run = 1 AND ts < 1000");
	assert_string_equal(rows, "100|\n");
	sqlite3_free(rows);
	rows = answer("SELECT count(pfn) FROM packed WHERE run = 1");
	assert_string_equal(rows, "table packed: a block is damaged");
	sqlite3_free(rows);
	/* no column is asked for: nothing is unpacked at all */
	rows = answer("SELECT count(*) FROM packed WHERE run = 1");
	assert_string_equal(rows, "40000|\n");
	sqlite3_free(rows);
}

static void damage(int64_t block, const char *column)
{
	sqlite3_blob *blob;
	uint8_t byte;
	int at;

	assert_int_equal(sqlite3_blob_open(db, "main", "column_block", column, block, 1, &blob), 0);
	at = (int)(next_random() % (unsigned int)sqlite3_blob_bytes(blob));
	assert_int_equal(sqlite3_blob_read(blob, &byte, 1, at), 0);
	byte ^= (uint8_t)(1 + next_random() % 255);
	assert_int_equal(sqlite3_blob_write(blob, &byte, 1, at), 0);
	assert_int_equal(sqlite3_blob_close(blob), 0);
}

static void damaged_blocks_are_errors_and_no_more(void **state)
{
	unsigned int errors = 0;

	fill(2000, true);
	for (unsigned int round = 0; round < 1000; round++) {
		char *text;

		exec("SAVEPOINT whole");
		damage(1 + (int64_t)(next_random() % 2), round % 3 ? "data" : "head");
		text = answer(
			"SELECT count(*), sum(ts / 1000), sum(cpu), sum(task), sum(pfn / 1000), "
			"sum(\"order\"), max(odd) FROM packed");
		errors += strstr(text, "damaged") != NULL;
		sqlite3_free(text);
		text = answer("SELECT count(*) FROM packed WHERE ts > 5000 AND pfn < 900");
		sqlite3_free(text);
		exec("ROLLBACK TO whole; RELEASE whole");
	}
	assert_int_equal(errors, 1000);
}

static void odd_rows_in_the_block_table_are_errors(void **state)
{
	static const char *const changes[] = {
		"SET rows = 0",
		"SET rows = 16385",
		"SET rows = -1",
		"SET rows = 'many'",
		"SET rows = 9223372036854775807",
		"SET head = x''",
		"SET head = zeroblob(228)",
		"SET head = 'text'",
		"SET head = zeroblob(1000000)",
		"SET data = 17",
		"SET data = 'text'",
		"SET data = x''",
		"SET rows = 1990",
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char sql[128];
		char *text;

		fill(2000, true);
		snprintf(sql, sizeof(sql), "UPDATE column_block %s WHERE block = 1", changes[i]);
		exec(sql);
		text = answer("SELECT max(odd) FROM packed");
		if (strchr(text, '|'))
			fail_msg("%s is not noticed: %s", changes[i], text);
		sqlite3_free(text);
	}
}

static void odd_declarations_are_refused(void **state)
{
	static const char *const declarations[] = {
		"",
		"run, ts, cpu",
		"ts, run, cpu, task",
		"run, ts, cpu, task, a b, 'c'",
		"run, ts, cpu, task, x)\n",
	};
	char many[1024] = "run, ts, cpu, task";
	char sql[1200];

	for (size_t i = 0; i < sizeof(declarations) / sizeof(declarations[0]); i++) {
		snprintf(sql, sizeof(sql), "CREATE VIRTUAL TABLE odd USING reclaimlab_columns (%s)",
			 declarations[i]);
		assert_int_not_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
	}
	for (int i = 4; i < 65; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ", c%d", i);
	snprintf(sql, sizeof(sql), "CREATE VIRTUAL TABLE odd USING reclaimlab_columns (%s)", many);
	assert_int_not_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), 0);
	assert_int_not_equal(sqlite3_exec(db, "SELECT * FROM reclaimlab_columns", 0, 0, 0), 0);
	assert_int_not_equal(sqlite3_exec(db, "DELETE FROM packed", 0, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_condition_finds_what_a_plain_table_finds),
		cmocka_unit_test(quick_blocks_hold_the_same),
		cmocka_unit_test(order_and_joins_are_right),
		cmocka_unit_test(blocks_out_of_order_are_sorted),
		cmocka_unit_test(natural_order_needs_no_sorter),
		cmocka_unit_test(an_old_plan_does_not_sort_wrongly),
		cmocka_unit_test(bounds_pass_over_blocks),
		cmocka_unit_test(damaged_blocks_are_errors_and_no_more),
		cmocka_unit_test(odd_rows_in_the_block_table_are_errors),
		cmocka_unit_test(odd_declarations_are_refused),
	};

	return cmocka_run_group_tests_name("column", tests, set_up, tear_down);
}
