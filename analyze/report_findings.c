/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "analyze/markup.h"
#include "analyze/query.h"
#include "analyze/report_private.h"

static const char findings_sql[] = "SELECT key, weight, finding, evidence, rule, view, attempt, "
				   "'view ' || view || CASE attempt WHEN '' THEN '' ELSE "
				   "'; try ' || attempt END "
				   "FROM findings WHERE run = ?1 ORDER BY weight DESC, key";

/* Columns of findings_sql that people read. */
enum {
	FINDING_TEXT = 2,
	FINDING_EVIDENCE,
	FINDING_RULE,
	FINDING_VIEW,
	FINDING_ATTEMPT,
	FINDING_ADVICE
};

static void finding_for_pages(FILE *out, sqlite3_stmt *stmt)
{
	fputs("<li><b>", out);
	markup_text(out, query_text(stmt, FINDING_TEXT));
	fputs("</b><p>", out);
	markup_text(out, query_text(stmt, FINDING_EVIDENCE));
	fputs("</p><p class=\"rule\">Said when: ", out);
	markup_text(out, query_text(stmt, FINDING_RULE));
	fputs(". View ", out);
	markup_definition(out, query_text(stmt, FINDING_VIEW), NULL);
	if (*query_text(stmt, FINDING_ATTEMPT)) {
		fputs(". Try: ", out);
		markup_text(out, query_text(stmt, FINDING_ATTEMPT));
	}
	fputs(".</p></li>\n", out);
}

static void finding_for_people(const struct report *report, sqlite3_stmt *stmt)
{
	FILE *out = report->out;
	unsigned int width = report->options.width;

	if (report->options.form == REPORT_HTML) {
		finding_for_pages(out, stmt);
		return;
	}
	if (report->options.form == REPORT_MARKDOWN) {
		fprintf(out, "- **%s** %s (view `%s`)%s%s\n", query_text(stmt, FINDING_TEXT),
			query_text(stmt, FINDING_EVIDENCE), query_text(stmt, FINDING_VIEW),
			*query_text(stmt, FINDING_ATTEMPT) ? " Try: " : "",
			query_text(stmt, FINDING_ATTEMPT));
		return;
	}
	format_wrapped(out, query_text(stmt, FINDING_TEXT), 2, width);
	format_wrapped(out, query_text(stmt, FINDING_EVIDENCE), 4, width);
	format_wrapped(out, query_text(stmt, FINDING_ADVICE), 4, width);
}

static const char *const openings[] = {
	[REPORT_TEXT] = "\nFindings\n",
	[REPORT_MARKDOWN] = "\n### Findings\n\n",
	[REPORT_HTML] = "<h2>Findings</h2>\n<ul class=\"findings\">\n",
};

int report_findings(struct report *report, struct rl_msg *msg)
{
	bool json = report->options.form == REPORT_JSON;
	bool any = false;
	sqlite3_stmt *stmt;
	int ret = query_run(report->db, findings_sql, report->run, &stmt, msg);

	if (ret)
		return ret;
	if (json)
		json_open(&report->json, "findings", '[');
	while ((ret = query_step(stmt, msg)) > 0) {
		if (json) {
			json_open(&report->json, NULL, '{');
			for (int c = 0; c <= FINDING_ATTEMPT; c++)
				json_column(&report->json, stmt, c);
			json_close(&report->json, '}');
			continue;
		}
		if (!any)
			fputs(openings[report->options.form], report->out);
		any = true;
		finding_for_people(report, stmt);
	}
	if (json)
		json_close(&report->json, ']');
	else if (any && report->options.form == REPORT_HTML)
		fputs("</ul>\n", report->out);
	sqlite3_finalize(stmt);
	return ret;
}
