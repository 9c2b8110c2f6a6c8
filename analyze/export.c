/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "analyze/export.h"
#include "analyze/json.h"
#include "analyze/query.h"
#include "capture/base/nearest.h"
#include "sql/catalog.h"
#include "sql/shell_output.h"

static bool is_fact(const struct catalog_entry *entry)
{
	return entry->kind == CATALOG_ROWS || entry->kind == CATALOG_COLUMNS;
}

/* Every fact has a run and a time, other tables some of it. */
static bool has_column(const struct catalog_entry *entry, const char *name)
{
	if (is_fact(entry))
		return true;
	for (unsigned int i = 0; i < entry->nr_columns; i++)
		if (!strcmp(entry->column[i].name, name))
			return true;
	return false;
}

static char *rows_sql(const struct catalog_entry *entry)
{
	bool timed = entry->kind != CATALOG_VIEW && has_column(entry, "ts");

	return sqlite3_mprintf(
		"SELECT * FROM \"%w\" WHERE ?1%s%s", entry->name,
		has_column(entry, "run") ? " = run" : "",
		timed ? " AND (ts IS NULL OR (ts >= (SELECT start FROM span WHERE run = ?1) "
			"AND ts < (SELECT \"end\" FROM span WHERE run = ?1)))"
		      : "");
}

static int print_lines(sqlite3_stmt *stmt, const char *name, FILE *out, struct rl_msg *msg)
{
	struct json json = { .out = out, .compact = true };
	int ret;

	while ((ret = query_step(stmt, msg)) > 0) {
		json.begun = false;
		json_open(&json, NULL, '{');
		json_string(&json, "table", name);
		for (int c = 0; c < sqlite3_column_count(stmt); c++)
			json_column(&json, stmt, c);
		json_close(&json, '}');
	}
	return ret;
}

static int print_csv(sqlite3_stmt *stmt, FILE *out, struct rl_msg *msg)
{
	const struct shell_options options = { .mode = SHELL_CSV, .out = out, .words = stderr };
	struct shell_output *output = shell_output_new(&options, SHELL_CSV, stmt);
	int ret = output ? 0 : -ENOMEM;

	while (!ret && (ret = query_step(stmt, msg)) > 0)
		ret = shell_output_row(output);
	if (!ret)
		ret = shell_output_end(output);
	if (ret == -ENOMEM)
		rl_fail(msg, ENOMEM, "out of memory");
	else if (ferror(out))
		rl_fail(msg, EIO, "writing the output failed");
	shell_output_free(output);
	return ret;
}

static int print_entry(const struct lens *lens, const struct catalog_entry *entry,
		       enum export_form form, FILE *out, struct rl_msg *msg)
{
	char *sql = rows_sql(entry);
	sqlite3_stmt *stmt;
	int ret;

	if (!sql)
		return rl_fail(msg, ENOMEM, "out of memory");
	ret = query_run(lens_db(lens), sql, lens_run(lens), &stmt, msg);
	sqlite3_free(sql);
	if (ret)
		return ret;
	ret = form == EXPORT_CSV ? print_csv(stmt, out, msg)
				 : print_lines(stmt, entry->name, out, msg);
	sqlite3_finalize(stmt);
	return ret;
}

static int no_table(const struct catalog *catalog, const char *name, struct rl_msg *msg)
{
	struct rl_nearest nearest = { .word = name };
	const struct catalog_entry *entry;
	char meant[RL_NEAREST_SIZE];

	for (unsigned int i = 0; (entry = catalog_at(catalog, i)); i++)
		rl_nearest_offer(&nearest, entry->name);
	rl_nearest_words(&nearest, meant, sizeof(meant));
	return rl_fail(msg, EINVAL, "%s: no such table or view%s", name,
		       *meant ? meant : " (.tables of the command sql lists them)");
}

int export_rows(const struct lens *lens, const char *name, enum export_form form, FILE *out,
		struct rl_msg *msg)
{
	struct catalog *catalog = catalog_new();
	const struct catalog_entry *entry = catalog ? catalog_find(catalog, name) : NULL;
	int ret;

	if (!catalog)
		return rl_fail(msg, ENOMEM, "out of memory");
	ret = entry ? print_entry(lens, entry, form, out, msg) : no_table(catalog, name, msg);
	catalog_free(catalog);
	return ret;
}
