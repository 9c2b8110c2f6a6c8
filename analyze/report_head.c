/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/markup.h"
#include "analyze/query.h"
#include "analyze/report_private.h"

static const char head_sql[] =
	"SELECT r.run, r.kind, r.source, r.form, r.kernel, r.machine, r.clock, r.cpus, "
	"r.page_size, r.policy, r.parameters, r.parent, r.seed, p.start, p.\"end\", p.seconds, "
	"(SELECT sum(records) FROM coverage AS c WHERE c.run = r.run) AS events, "
	"l.gaps AS lost_gaps, l.unknown AS lost_gaps_of_unknown_size, l.count AS lost_events, "
	"(SELECT group_concat(DISTINCT t.comm) FROM focus AS f JOIN task AS t ON t.task = f.task) "
	"AS only_task, (SELECT max(node) FROM focus) AS only_node, "
	"(SELECT m.text FROM marker AS m WHERE m.run = r.run AND m.ts = p.start) AS start_marker, "
	"(SELECT m.text FROM marker AS m WHERE m.run = r.run AND m.ts = p.\"end\") AS end_marker, "
	"(SELECT count(*) FROM reconcile AS c WHERE c.run = r.run AND c.exact AND c.trace NOT NULL) "
	"AS totals_compared, "
	"(SELECT count(*) FROM reconcile AS c WHERE c.run = r.run AND c.exact AND c.difference = 0) "
	"AS totals_equal, "
	"(SELECT nullif(sum(s.scanned), 0) FROM focus AS f CROSS JOIN scan AS s WHERE f.node NOT NULL "
	"AND s.run = f.run AND s.ts >= f.start AND s.ts < f.\"end\" AND s.node IS NULL "
	"AND (f.task IS NULL OR s.task = f.task) AND (s.lru IS NULL OR s.lru IN (0, 2))) "
	"AS scanned_without_node, "
	"(SELECT d.what FROM loss AS d WHERE d.run = r.run "
	"AND d.kind = 'damaged' AND (d.ts IS NULL OR (d.ts >= p.start AND d.ts <= p.\"end\")) "
	"LIMIT 1) AS damaged, "
	"EXISTS (SELECT 1 FROM reconcile AS c WHERE c.run = r.run AND c.overcounts) AS overcounts "
	"FROM run AS r JOIN span AS p ON p.run = r.run JOIN loss_total AS l ON l.run = r.run "
	"WHERE r.run = ?1";

/* Columns of head_sql. */
enum {
	HEAD_RUN,
	HEAD_KIND,
	HEAD_SOURCE,
	HEAD_FORM,
	HEAD_KERNEL,
	HEAD_MACHINE,
	HEAD_CLOCK,
	HEAD_CPUS,
	HEAD_PAGE_SIZE,
	HEAD_POLICY,
	HEAD_PARAMETERS,
	HEAD_PARENT,
	HEAD_SEED,
	HEAD_START,
	HEAD_END,
	HEAD_SECONDS,
	HEAD_EVENTS,
	HEAD_LOST_GAPS,
	HEAD_LOST_UNKNOWN,
	HEAD_LOST_EVENTS,
	HEAD_TASK,
	HEAD_NODE,
	HEAD_START_MARKER,
	HEAD_END_MARKER,
	HEAD_COMPARED,
	HEAD_EQUAL,
	HEAD_WITHOUT_NODE,
	HEAD_DAMAGED,
	HEAD_OVERCOUNTS,
};

static void print_machine(FILE *out, sqlite3_stmt *head)
{
	char buf[FORMAT_SIZE];

	fprintf(out, "%s", format_column(head, HEAD_SOURCE, FORMAT_TEXT, buf));
	if (*query_text(head, HEAD_FORM))
		fprintf(out, ", %s", format_column(head, HEAD_FORM, FORMAT_TEXT, buf));
	fputc('\n', out);
	if (*query_text(head, HEAD_POLICY))
		fprintf(out, "replay of run %s, policy %s\n", query_text(head, HEAD_PARENT),
			format_column(head, HEAD_POLICY, FORMAT_TEXT, buf));
	if (!*query_text(head, HEAD_KERNEL))
		return;
	fprintf(out, "Linux %s", format_column(head, HEAD_KERNEL, FORMAT_TEXT, buf));
	fprintf(out, " %s", format_column(head, HEAD_MACHINE, FORMAT_TEXT, buf));
	if (sqlite3_column_int64(head, HEAD_CPUS))
		fprintf(out, ", %s CPUs", query_text(head, HEAD_CPUS));
	if (sqlite3_column_int64(head, HEAD_PAGE_SIZE))
		fprintf(out, ", pages of %" PRId64 " KiB",
			(int64_t)sqlite3_column_int64(head, HEAD_PAGE_SIZE) / 1024);
	fputc('\n', out);
}

static void print_window(FILE *out, sqlite3_stmt *head)
{
	char buf[FORMAT_SIZE];

	if (sqlite3_column_type(head, HEAD_SECONDS) == SQLITE_NULL)
		fprintf(out, "no time is known: no velocities\n");
	else
		fprintf(out, "%.2f s, from %.6f to %.6f%s%s\n",
			sqlite3_column_double(head, HEAD_SECONDS),
			(double)sqlite3_column_int64(head, HEAD_START) / 1e9,
			(double)sqlite3_column_int64(head, HEAD_END) / 1e9,
			*query_text(head, HEAD_CLOCK) ? ", clock " : "",
			format_column(head, HEAD_CLOCK, FORMAT_TEXT, buf));
	if (*query_text(head, HEAD_START_MARKER) && *query_text(head, HEAD_END_MARKER)) {
		fprintf(out, "from marker \"%s\"",
			format_column(head, HEAD_START_MARKER, FORMAT_TEXT, buf));
		fprintf(out, " to \"%s\"\n",
			format_column(head, HEAD_END_MARKER, FORMAT_TEXT, buf));
	}
	if (*query_text(head, HEAD_TASK))
		fprintf(out, "only what the task %s does\n",
			format_column(head, HEAD_TASK, FORMAT_TEXT, buf));
	if (*query_text(head, HEAD_NODE))
		fprintf(out, "only what names node %s", query_text(head, HEAD_NODE));
	if (*query_text(head, HEAD_WITHOUT_NODE))
		fprintf(out, "; %s pages scanned name no node",
			query_text(head, HEAD_WITHOUT_NODE));
	if (*query_text(head, HEAD_NODE))
		fputc('\n', out);
}

static void print_losses(FILE *out, sqlite3_stmt *head)
{
	int64_t gaps = sqlite3_column_int64(head, HEAD_LOST_GAPS);
	int64_t unknown = sqlite3_column_int64(head, HEAD_LOST_UNKNOWN);
	char buf[FORMAT_SIZE];

	if (sqlite3_column_int64(head, HEAD_EVENTS))
		fprintf(out, "%s events in the whole run, ", query_text(head, HEAD_EVENTS));
	else if (!gaps)
		return;
	if (!gaps) {
		fputs("nothing lost\n", out);
		return;
	}
	if (unknown == gaps)
		fprintf(out, "an unknown number lost in %" PRId64 " gap%s", gaps,
			gaps > 1 ? "s" : "");
	else
		fprintf(out, "at least %s lost in %" PRId64 " gap%s",
			query_text(head, HEAD_LOST_EVENTS), gaps, gaps > 1 ? "s" : "");
	if (unknown && unknown < gaps)
		fprintf(out, ", %" PRId64 " of unknown size", unknown);
	fputs(":\nsums below are \"at least\", ratios are of what was not lost\n", out);
	if (*query_text(head, HEAD_DAMAGED))
		fprintf(out, "damaged: %s\n", format_column(head, HEAD_DAMAGED, FORMAT_TEXT, buf));
}

static void print_reconciled(FILE *out, sqlite3_stmt *head)
{
	if (sqlite3_column_int64(head, HEAD_COMPARED))
		fprintf(out,
			"%s of %s totals of the trace that must equal the kernel's counters do\n",
			query_text(head, HEAD_EQUAL), query_text(head, HEAD_COMPARED));
	if (sqlite3_column_int(head, HEAD_OVERCOUNTS))
		fputs("generations (MGLRU): the events also count pages that are sorted to other\n"
		      "generations, pages scanned are from the counters\n",
		      out);
}

static void head_for_people(FILE *out, sqlite3_stmt *head)
{
	print_machine(out, head);
	print_window(out, head);
	print_losses(out, head);
	print_reconciled(out, head);
}

/* The same words as in a mail. */
static int head_for_pages(FILE *out, sqlite3_stmt *head, struct rl_msg *msg)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return rl_fail(msg, ENOMEM, "out of memory");
	head_for_people(words, head);
	if (fclose(words)) {
		free(text);
		return rl_fail(msg, ENOMEM, "out of memory");
	}
	fputs("<pre class=\"head\">", out);
	markup_text(out, text);
	fputs("</pre>\n", out);
	free(text);
	return 0;
}

static int print_head(struct report *report, sqlite3_stmt *head, struct rl_msg *msg)
{
	switch (report->options.form) {
	case REPORT_JSON:
		json_open(&report->json, "run", '{');
		for (int c = 0; c < sqlite3_column_count(head); c++)
			json_column(&report->json, head, c);
		json_close(&report->json, '}');
		return 0;
	case REPORT_HTML:
		return head_for_pages(report->out, head, msg);
	case REPORT_MARKDOWN:
		fputs("## Memory reclaim\n\n```\n", report->out);
		head_for_people(report->out, head);
		fputs("```\n", report->out);
		return 0;
	default:
		head_for_people(report->out, head);
		return 0;
	}
}

int report_head(struct report *report, struct rl_msg *msg)
{
	sqlite3_stmt *head;
	int ret = query_run(report->db, head_sql, report->run, &head, msg);

	if (ret)
		return ret;
	ret = query_step(head, msg);
	if (ret > 0)
		ret = print_head(report, head, msg);
	sqlite3_finalize(head);
	return ret < 0 ? ret : 0;
}
