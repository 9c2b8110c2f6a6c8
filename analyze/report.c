/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "analyze/markup.h"
#include "analyze/query.h"
#include "analyze/report_private.h"
#include "analyze/table.h"

#define ROWS_FOR_PEOPLE 8  /* of a table in a mail */
#define ROWS_IN_PAGE	40 /* of a table in a page */

static int rows_shown(const struct report *report)
{
	return report->options.form == REPORT_HTML ? ROWS_IN_PAGE : ROWS_FOR_PEOPLE;
}

static void print_title(const struct report *report, const struct section *section)
{
	if (report->options.form == REPORT_HTML) {
		fprintf(report->out, "<h2>%s ", section->title);
		markup_definition(report->out, section->view, "what is this?");
		fputs("</h2>\n", report->out);
		return;
	}
	fprintf(report->out, report->options.form == REPORT_MARKDOWN ? "\n### %s\n\n" : "\n%s\n",
		section->title);
}

static void print_more(const struct report *report, const struct section *section)
{
	if (report->options.form == REPORT_HTML)
		fprintf(report->out, "<p class=\"note\">more in the view %s</p>\n", section->view);
	else
		fprintf(report->out, "%s... more in the view %s\n",
			report->options.form == REPORT_TEXT ? "  " : "\n", section->view);
}

static int section_rows(sqlite3_stmt *stmt, const struct section *section, int most,
			struct table *table, bool *more, struct rl_msg *msg)
{
	char buf[FORMAT_SIZE];
	int rows = 0, ret;

	while ((ret = query_step(stmt, msg)) > 0) {
		if (rows++ == most) {
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
		ret = section_rows(stmt, section, rows_shown(report), table, &more, msg);
	if (ret > 0) {
		print_title(report, section);
		report_table(report, table);
		if (more)
			print_more(report, section);
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
	sqlite3_bind_int(stmt, 2, json ? -1 : rows_shown(report) + 1);
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
	else if (report->options.form == REPORT_HTML)
		table_print_html(table, report->out);
	else
		table_print(table, report->out, report->options.width);
}

static struct report report_of(const struct lens *lens, const struct report_options *options,
			       FILE *out)
{
	struct report report = {
		.db = lens_db(lens),
		.run = lens_run(lens),
		.options = *options,
		.out = out,
		.json = { .out = out },
	};

	if (!report.options.width)
		report.options.width = TABLE_WIDTH;
	return report;
}

int report_print_head(const struct lens *lens, const struct report_options *options, FILE *out,
		      struct rl_msg *msg)
{
	struct report report = report_of(lens, options, out);

	return report_head(&report, msg);
}

int report_print(const struct lens *lens, const struct report_options *options, FILE *out,
		 struct rl_msg *msg)
{
	struct report report = report_of(lens, options, out);
	bool json = options->form == REPORT_JSON;
	int ret;

	if (json)
		json_open(&report.json, NULL, '{');
	ret = report_head(&report, msg);
	if (!ret)
		ret = report_figures(&report, msg);
	if (!ret)
		ret = report_findings(&report, msg);
	if (!ret && options->form == REPORT_HTML)
		fputs("<div id=\"plots\"></div>\n", out);
	if (!ret && options->pictures)
		ret = report_pictures(&report, msg);
	for (const struct section *s = report_sections; !ret && s->key; s++)
		ret = print_section(&report, s, msg);
	if (json && !ret)
		json_close(&report.json, '}');
	return ret;
}
