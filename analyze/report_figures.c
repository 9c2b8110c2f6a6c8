/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "analyze/query.h"
#include "analyze/report_private.h"
#include "analyze/table.h"

/* People do not read rows of zeros that only the counters of a recording's kernel have. */
static const char figures_sql[] =
	"SELECT f.key, f.name, f.unit, f.value, f.state, f.source, f.mib, f.digits, "
	"f.view, f.source = 'trace' OR r.kind = 'counters' OR f.value <> 0 AS matters, "
	"r.kind = 'counters' AS only_counters "
	"FROM figures AS f JOIN run AS r ON r.run = f.run WHERE f.run = ?1 ORDER BY f.position";

/* Columns of figures_sql. */
enum {
	FIGURE_KEY,
	FIGURE_NAME,
	FIGURE_UNIT,
	FIGURE_VALUE,
	FIGURE_STATE,
	FIGURE_SOURCE,
	FIGURE_MIB,
	FIGURE_DIGITS,
	FIGURE_VIEW,
	FIGURE_MATTERS,
	FIGURE_ONLY_COUNTERS,
};

static void figure_for_machines(struct json *json, sqlite3_stmt *stmt)
{
	json_open(json, query_text(stmt, FIGURE_KEY), '{');
	for (int c = FIGURE_NAME; c <= FIGURE_MIB; c++)
		json_column(json, stmt, c);
	json_close(json, '}');
}

/* "316503", "at least 316503", "no scan". */
static void format_value(sqlite3_stmt *stmt, char *text, size_t size)
{
	const char *state = query_text(stmt, FIGURE_STATE);
	char value[FORMAT_SIZE] = "";

	if (sqlite3_column_type(stmt, FIGURE_VALUE) != SQLITE_NULL)
		format_figure(sqlite3_column_double(stmt, FIGURE_VALUE),
			      sqlite3_column_int(stmt, FIGURE_DIGITS), value);
	snprintf(text, size, "%s%s%s", state, *state && *value ? " " : "", value);
}

static int figure_for_people(struct table *table, sqlite3_stmt *stmt, struct rl_msg *msg)
{
	bool counters = !strcmp(query_text(stmt, FIGURE_SOURCE), "counters") &&
			!sqlite3_column_int(stmt, FIGURE_ONLY_COUNTERS);
	double mib = sqlite3_column_double(stmt, FIGURE_MIB);
	char text[FORMAT_SIZE * 2];
	char memory[FORMAT_SIZE] = "";
	int ret;

	if (!sqlite3_column_int(stmt, FIGURE_MATTERS))
		return 0;
	format_value(stmt, text, sizeof(text));
	if (mib >= 1)
		snprintf(memory, sizeof(memory), "%.0f MiB", mib);
	ret = table_cell(table, query_text(stmt, FIGURE_NAME), msg);
	if (!ret)
		ret = table_define(table, query_text(stmt, FIGURE_VIEW), msg);
	if (!ret)
		ret = table_cell(table, text, msg);
	if (!ret)
		ret = table_cell(table, memory, msg);
	if (!ret)
		ret = table_cell(table, counters ? "counters" : "", msg);
	return ret;
}

static int figures_table(struct report *report, sqlite3_stmt *stmt, struct table *table,
			 struct rl_msg *msg)
{
	bool header = report->options.form != REPORT_TEXT;
	int ret = table_column(table, header ? "figure" : "", true, msg);

	if (!ret)
		ret = table_column(table, header ? "value" : "", false, msg);
	if (!ret)
		ret = table_column(table, header ? "memory" : "", false, msg);
	if (!ret)
		ret = table_column(table, header ? "from" : "", true, msg);
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
			bool page = report->options.form == REPORT_HTML;

			fputs(page ? "<h2>Figures</h2>\n<div class=\"figures\">\n" : "\n",
			      report->out);
			report_table(report, table);
			fputs(page ? "</div>\n" : "", report->out);
		}
	}
	table_free(table);
	sqlite3_finalize(stmt);
	return ret;
}
