/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/format.h"
#include "analyze/query.h"
#include "golden.h"

static void must(int ret, const struct rl_msg *msg)
{
	if (ret)
		fail_msg("%s", msg->text);
}

void golden_begin(struct golden *g, const char *name, const char *kind)
{
	struct store_run run = {
		.kind = kind,
		.source = name,
		.form = "test",
		.kernel = "",
		.machine = "",
		.clock = "mono",
		.time_known = true,
		.page_size = 4096,
		.cpus = 1,
		.policy = "",
		.parameters = "",
		.parent = STORE_NULL,
		.seed = STORE_NULL,
	};
	struct rl_msg msg;
	int64_t number;

	memset(g, 0, sizeof(*g));
	snprintf(g->path, sizeof(g->path), "%s/%s.db", RL_BUILD_DIR, name);
	unlink(g->path);
	must(store_open(g->path, STORE_CREATE, &g->store, &msg), &msg);
	must(store_run_begin(g->store, &run, &number, &msg), &msg);
	assert_int_equal(number, 1);
	golden_sql(g, "INSERT INTO task VALUES (1, 1, 100, 'worker', 'user', 0, 0)");
	g->task = 1;
}

void golden_put(struct golden *g, enum store_table table, int64_t ts, ...)
{
	int64_t value[64];
	struct rl_msg msg;
	va_list ap;
	int column;

	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
		value[i] = STORE_NULL;
	value[STORE_TS] = ts;
	value[STORE_CPU] = 0;
	value[STORE_TASK] = g->task;
	va_start(ap, ts);
	while ((column = va_arg(ap, int)) >= 0)
		value[column] = va_arg(ap, int64_t);
	va_end(ap);
	must(store_put(g->store, table, value, &msg), &msg);
}

void golden_sql(struct golden *g, const char *sql)
{
	struct rl_msg msg;

	must(query_exec(store_db(g->store), sql, &msg), &msg);
}

void golden_look(struct golden *g, int64_t ns, const struct lens_options *options)
{
	const struct lens_options whole = { .node = -1 };
	const char *path = g->path;
	struct rl_msg msg;

	must(store_run_end(g->store, 0, (uint64_t)ns - 1, &msg), &msg);
	must(store_commit(g->store, &msg), &msg);
	store_close(g->store);
	g->store = NULL;
	must(lens_open(&path, 1, options ? options : &whole, &g->lens, &msg), &msg);
}

char *golden_text(struct golden *g, const char *sql)
{
	sqlite3_stmt *stmt;
	struct rl_msg msg;
	char *text;

	must(query_prepare(lens_db(g->lens), sql, &stmt, &msg), &msg);
	sqlite3_bind_int64(stmt, 1, lens_run(g->lens));
	if (query_step(stmt, &msg) <= 0)
		fail_msg("no row: %s", sql);
	text = strdup(query_text(stmt, 0));
	assert_non_null(text);
	sqlite3_finalize(stmt);
	return text;
}

double golden_number(struct golden *g, const char *sql)
{
	char *text = golden_text(g, sql);
	double value = atof(text);

	if (!*text)
		fail_msg("NULL: %s", sql);
	free(text);
	return value;
}

void golden_figure(struct golden *g, const char *key, const char *expected)
{
	char buf[FORMAT_SIZE];
	sqlite3_stmt *stmt;
	struct rl_msg msg;

	must(query_run(lens_db(g->lens),
		       "SELECT value, digits, state FROM figures WHERE run = ?1 AND key = ?2",
		       lens_run(g->lens), &stmt, &msg),
	     &msg);
	sqlite3_bind_text(stmt, 2, key, -1, SQLITE_STATIC);
	if (query_step(stmt, &msg) <= 0)
		fail_msg("no figure %s", key);
	if (sqlite3_column_type(stmt, 0) == SQLITE_NULL)
		snprintf(buf, sizeof(buf), "%s", query_text(stmt, 2));
	else
		format_figure(sqlite3_column_double(stmt, 0), sqlite3_column_int(stmt, 1), buf);
	sqlite3_finalize(stmt);
	assert_string_equal(buf, expected);
}

void golden_end(struct golden *g)
{
	lens_close(g->lens);
	store_close(g->store);
	unlink(g->path);
}
