/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run tells the same of itself alone in a database and beside another one, in every view. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"
#include "sql/embedded.h"
#include "sql/import.h"

static const char sample[] = RL_SAMPLES_DIR "/dirty.dat";
static const char database[] = RL_BUILD_DIR "/golden-runs.db";

/* A database with the sample in it @runs times. */
static struct store *import_times(unsigned int runs)
{
	const char *const paths[] = { sample, sample };
	struct import_options options = { 0 };
	struct import_result result;
	struct store *store;
	struct rl_msg msg;
	int ret = store_open(database, STORE_CREATE, &store, &msg);

	if (!ret)
		ret = import_files(store, paths, runs, &options, &result, &msg);
	if (!ret)
		ret = store_commit(store, &msg);
	if (ret)
		fail_msg("%s", msg.text);
	return store;
}

/* Numbers that the database gives out are not the same in two runs. */
static bool is_told_by_run(const char *column)
{
	return strcmp(column, "run") != 0 && strcmp(column, "task") != 0 &&
	       strcmp(column, "snapshot") != 0;
}

/* All that @view says of @run, row by row. */
static char *told(sqlite3 *db, const char *view, int run)
{
	sqlite3_str *query = sqlite3_str_new(NULL), *all = sqlite3_str_new(NULL);
	char *head = sqlite3_mprintf("SELECT * FROM %s LIMIT 0", view), *sql;
	sqlite3_stmt *stmt;

	assert_int_equal(sqlite3_prepare_v2(db, head, -1, &stmt, NULL), SQLITE_OK);
	sqlite3_str_appendf(query, "SELECT '%q'", view);
	for (int c = 0; c < sqlite3_column_count(stmt); c++)
		if (is_told_by_run(sqlite3_column_name(stmt, c)))
			sqlite3_str_appendf(query, " || '|' || coalesce(\"%w\", '-')",
					    sqlite3_column_name(stmt, c));
	sqlite3_finalize(stmt);
	sqlite3_str_appendf(query, " FROM %s WHERE run = %d ORDER BY 1", view, run);
	sql = sqlite3_str_finish(query);
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", view, sqlite3_errmsg(db));
	while (sqlite3_step(stmt) == SQLITE_ROW)
		sqlite3_str_appendf(all, "%s\n", (const char *)sqlite3_column_text(stmt, 0));
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
	sqlite3_free(sql);
	sqlite3_free(head);
	return sqlite3_str_finish(all);
}

static void expect_told(struct store *store, const char *view, int run, const char *alone)
{
	char *beside = told(store_db(store), view, run);

	if (strcmp(beside ? beside : "", alone ? alone : "") != 0)
		fail_msg("run %d of two says\n%sand alone\n%s", run, beside, alone);
	sqlite3_free(beside);
}

static void test_two_runs(void **state)
{
	struct store *store = import_times(1);
	unsigned int nr = 0, rows = 0;
	char **alone;

	while (store_views[nr].name)
		nr++;
	alone = calloc(nr, sizeof(char *));
	assert_non_null(alone);
	for (unsigned int i = 0; i < nr; i++)
		alone[i] = told(store_db(store), store_views[i].name, 1);
	store_close(store);
	store = import_times(2);
	for (unsigned int i = 0; i < nr; i++) {
		expect_told(store, store_views[i].name, 1, alone[i]);
		expect_told(store, store_views[i].name, 2, alone[i]);
		rows += alone[i] != NULL;
		sqlite3_free(alone[i]);
	}
	store_close(store);
	free(alone);
	unlink(database);
	assert_true(rows > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
