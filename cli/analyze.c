/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/html.h"
#include "analyze/lens.h"
#include "analyze/report.h"
#include "capture/base/heap.h"
#include "cli/cli.h"

#define HEAP (12 << 20) /* bytes that a summary of a recording takes */

static int print_page(FILE *out, void *ctx, struct rl_msg *msg)
{
	return html_print(ctx, out, msg);
}

static int write_page(const struct lens *lens, const struct report_options *report,
		      const char *path, struct rl_msg *msg)
{
	struct html *html = html_new();
	int ret = html ? html_add(html, NULL, lens, msg) : rl_fail(msg, ENOMEM, "out of memory");

	if (!ret)
		ret = report_print(lens, report, html_body(html), msg);
	if (!ret)
		ret = cli_write_file(path, print_page, html, msg);
	html_free(html);
	return ret;
}

static int run_analyze(struct cli *cli, const char *const *paths, unsigned int count,
		       struct lens_options *look, const struct report_options *report,
		       const char *page)
{
	struct lens *lens = NULL;
	struct rl_msg msg;
	int ret;

	rl_heap_prepare(HEAP);
	look->progress = &cli->progress;
	cli_progress_begin(cli);
	ret = lens_open(paths, count, look, &lens, &msg);
	cli_progress_end();
	if (!ret)
		ret = page ? write_page(lens, report, page, &msg)
			   : report_print(lens, report, stdout, &msg);
	lens_close(lens);
	return ret ? cli_error(cli, &msg) : CLI_OK;
}

/* Numbers that name nothing, of options that were given; INT64_MIN: not given. */
static int take_numbers(int64_t run, int64_t node, int64_t elapsed, struct lens_options *look,
			struct rl_msg *msg)
{
	if (run != INT64_MIN && run < 1)
		return rl_fail(msg, EINVAL, "--run %" PRId64 ": runs are numbered from 1", run);
	if (node != INT64_MIN && node < 0)
		return rl_fail(msg, EINVAL, "--node %" PRId64 ": nodes are numbered from 0", node);
	if (elapsed != INT64_MIN && elapsed < 1)
		return rl_fail(msg, EINVAL, "--elapsed: no time lies between the two files");
	look->run = run == INT64_MIN ? 0 : run;
	look->node = node == INT64_MIN ? -1 : node;
	look->elapsed = elapsed == INT64_MIN ? 0 : elapsed;
	return 0;
}

int cli_analyze(struct cli *cli, int argc, char **argv)
{
	struct lens_options look = { 0 };
	struct report_options report = { .form = REPORT_TEXT };
	bool json = false, markdown = false, plain = false;
	int64_t run = INT64_MIN, node = INT64_MIN, elapsed = INT64_MIN;
	const char *page = NULL;
	struct rl_msg msg;
	const struct cli_option options[] = {
		{ 'j', "json", CLI_FLAG, &json, NULL, "the same figures for programs" },
		{ 'm', "markdown", CLI_FLAG, &markdown, NULL, "tables in Markdown" },
		{ 0, "html", CLI_FILE, &page, "FILE", "a page with plots, in one file" },
		{ 0, "plain", CLI_FLAG, &plain, NULL, "no pictures, also on a terminal" },
		{ 0, "from", CLI_TEXT, &look.from, "TIME", "from 12.5 on the run's clock, or +3s" },
		{ 0, "to", CLI_TEXT, &look.to, "TIME", "up to that time" },
		{ 0, "marker", CLI_TEXT, &look.markers, "A,B", "from trace marker A to marker B" },
		{ 0, "task", CLI_TEXT, &look.task, "NAME|TID", "only these threads" },
		{ 0, "node", CLI_NUMBER, &node, "N", "only this node" },
		{ 'r', "run", CLI_NUMBER, &run, "N", "which run of a database" },
		{ 0, "elapsed", CLI_TIME, &elapsed, "TIME", "between two counter files" },
		{ 0, NULL, CLI_FLAG, NULL, NULL, NULL },
	};
	const struct cli_usage usage = {
		"[options] run.db | TRACE [COUNTERS...] | BEFORE AFTER",
		"Summarise the reclaim of a run: what was scanned and freed, who waited, why.\n"
		"Example: reclaimlab analyze --marker \"begin,end\" trace.dat",
		options,
	};
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first == argc)
		return cli_usage_error(cli, "what is to be analysed?");
	if (json + markdown + !!page > 1)
		return cli_usage_error(cli, "--json, --markdown and --html exclude each other");
	if (lens_options_check(&look, &msg))
		return cli_usage_error(cli, "%s", msg.text);
	if (take_numbers(run, node, elapsed, &look, &msg))
		return cli_error(cli, &msg);
	report.form = page	 ? REPORT_HTML
		      : json	 ? REPORT_JSON
		      : markdown ? REPORT_MARKDOWN
				 : REPORT_TEXT;
	report.pictures = !plain && isatty(STDOUT_FILENO);
	return run_analyze(cli, (const char *const *)argv + first, (unsigned int)(argc - first),
			   &look, &report, page);
}
