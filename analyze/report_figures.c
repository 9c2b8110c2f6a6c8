/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "analyze/query.h"
#include "analyze/report_private.h"
#include "analyze/table.h"

static const char figures_sql[] = "SELECT key, name, unit, value, state, source, mib, digits "
				  "FROM figures WHERE run = ?1 ORDER BY position";

static void figure_for_machines(struct json *json, sqlite3_stmt *stmt)
{
	json_open(json, query_text(stmt, 0), '{');
	for (int c = 1; c < 7; c++)
		json_column(json, stmt, c);
	json_close(json, '}');
}

/* "316503", "at least 316503", "no scan". */
static int figure_for_people(struct table *table, sqlite3_stmt *stmt, struct rl_msg *msg)
{
	const char *state = query_text(stmt, 4);
	char value[FORMAT_SIZE] = "";
	char text[FORMAT_SIZE * 2];
	char mib[FORMAT_SIZE] = "";
	int ret;

	if (sqlite3_column_type(stmt, 3) != SQLITE_NULL)
		format_figure(sqlite3_column_double(stmt, 3), sqlite3_column_int(stmt, 7), value);
	snprintf(text, sizeof(text), "%s%s%s", state, *state && *value ? " " : "", value);
	if (sqlite3_column_double(stmt, 6) >= 1)
		snprintf(mib, sizeof(mib), "%.0f MiB", sqlite3_column_double(stmt, 6));
	ret = table_cell(table, query_text(stmt, 1), msg);
	if (!ret)
		ret = table_cell(table, text, msg);
	if (!ret)
		ret = table_cell(table, mib, msg);
	if (!ret)
		ret = table_cell(table,
				 strcmp(query_text(stmt, 5), "trace") ? query_text(stmt, 5) : "",
				 msg);
	return ret;
}

static int figures_table(struct report *report, sqlite3_stmt *stmt, struct table *table,
			 struct rl_msg *msg)
{
	bool markdown = report->options.form == REPORT_MARKDOWN;
	int ret = table_column(table, markdown ? "figure" : "", true, msg);

	if (!ret)
		ret = table_column(table, markdown ? "value" : "", false, msg);
	if (!ret)
		ret = table_column(table, markdown ? "memory" : "", false, msg);
	if (!ret)
		ret = table_column(table, markdown ? "from" : "", true, msg);
	while (!ret && (ret = query_step(stmt, msg)) > 0)
		ret = figure_for_people(table, stmt, msg);
	return ret;
}

int report_figures(struct report *report, struct rl_msg *msg)
{
	struct table *table = NULL;
	sqlite3_stmt *stmt;
	int ret = query_run(report->db, figures_sql, report->run, &stmt, msg);

	if (ret)
		return ret;
	if (report->options.form == REPORT_JSON) {
		json_open(&report->json, "figures", '{');
		while ((ret = query_step(stmt, msg)) > 0)
			figure_for_machines(&report->json, stmt);
		json_close(&report->json, '}');
	} else {
		table = table_new();
		ret = table ? figures_table(report, stmt, table, msg)
			    : rl_fail(msg, ENOMEM, "out of memory");
		if (!ret) {
			fputc('\n', report->out);
			report_table(report, table);
		}
	}
	table_free(table);
	sqlite3_finalize(stmt);
	return ret;
}
