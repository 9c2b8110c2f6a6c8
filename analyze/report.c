/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "analyze/query.h"
#include "analyze/report_private.h"
#include "analyze/table.h"

#define ROWS_FOR_PEOPLE 8

static void print_title(const struct report *report, const char *title)
{
	fprintf(report->out, report->options.form == REPORT_MARKDOWN ? "\n### %s\n\n" : "\n%s\n",
		title);
}

static int section_rows(sqlite3_stmt *stmt, const struct section *section, struct table *table,
			bool *more, struct rl_msg *msg)
{
	char buf[FORMAT_SIZE];
	int rows = 0, ret;

	while ((ret = query_step(stmt, msg)) > 0) {
		if (rows++ == ROWS_FOR_PEOPLE) {
			*more = true;
			break;
		}
		for (int c = 0; section->column[c].header; c++) {
			const char *text = format_column(stmt, c, section->column[c].kind, buf);

			ret = table_cell(table, text, msg);
			if (ret)
				return ret;
		}
	}
	return ret < 0 ? ret : rows;
}

static int section_for_people(const struct report *report, const struct section *section,
			      sqlite3_stmt *stmt, struct rl_msg *msg)
{
	struct table *table = table_new();
	bool more = false;
	int ret = table ? 0 : rl_fail(msg, ENOMEM, "out of memory");

	for (const struct section_column *c = section->column; !ret && c->header; c++)
		ret = table_column(table, c->header, format_is_text(c->kind), msg);
	if (!ret)
		ret = section_rows(stmt, section, table, &more, msg);
	if (ret > 0) {
		print_title(report, section->title);
		report_table(report, table);
		if (more)
			fprintf(report->out, "%s... more in the view %s\n",
				report->options.form == REPORT_TEXT ? "  " : "\n", section->view);
	}
	table_free(table);
	return ret < 0 ? ret : 0;
}

static int section_for_machines(struct report *report, const struct section *section,
				sqlite3_stmt *stmt, struct rl_msg *msg)
{
	int ret;

	json_open(&report->json, section->key, '[');
	while ((ret = query_step(stmt, msg)) > 0) {
		json_open(&report->json, NULL, '{');
		for (int c = 0; c < sqlite3_column_count(stmt); c++)
			json_column(&report->json, stmt, c);
		json_close(&report->json, '}');
	}
	json_close(&report->json, ']');
	return ret;
}

static int print_section(struct report *report, const struct section *section, struct rl_msg *msg)
{
	bool json = report->options.form == REPORT_JSON;
	sqlite3_stmt *stmt;
	int ret = query_run(report->db, section->sql, report->run, &stmt, msg);

	if (ret)
		goto out;
	sqlite3_bind_int(stmt, 2, json ? -1 : ROWS_FOR_PEOPLE + 1);
	ret = json ? section_for_machines(report, section, stmt, msg)
		   : section_for_people(report, section, stmt, msg);
	sqlite3_finalize(stmt);
out:
	if (ret)
		rl_msg_prefix(msg, "section %s", section->key);
	return ret;
}

void report_table(const struct report *report, const struct table *table)
{
	if (report->options.form == REPORT_MARKDOWN)
		table_print_markdown(table, report->out);
	else
		table_print(table, report->out, report->options.width);
}

int report_print(const struct lens *lens, const struct report_options *options, FILE *out,
		 struct rl_msg *msg)
{
	struct report report = {
		.db = lens_db(lens),
		.run = lens_run(lens),
		.options = *options,
		.out = out,
		.json = { .out = out },
	};
	bool json = options->form == REPORT_JSON;
	int ret;

	if (!report.options.width)
		report.options.width = 80;
	if (json)
		json_open(&report.json, NULL, '{');
	ret = report_head(&report, msg);
	if (!ret)
		ret = report_figures(&report, msg);
	if (!ret)
		ret = report_findings(&report, msg);
	if (!ret && options->pictures)
		ret = report_pictures(&report, msg);
	for (const struct section *s = report_sections; !ret && s->key; s++)
		ret = print_section(&report, s, msg);
	if (json && !ret)
		json_close(&report.json, '}');
	return ret;
}
