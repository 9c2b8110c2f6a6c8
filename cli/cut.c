/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/lens.h"
#include "analyze/query.h"
#include "capture/record/tracedat_cut.h"
#include "cli/cli.h"

/* The window that the options name, on the clock of the recording. */
static int find_window(struct cli *cli, const char *path, struct lens_options *look,
		       struct tracedat_cut *cut, struct rl_msg *msg)
{
	struct lens *lens = NULL;
	sqlite3_stmt *stmt;
	int ret;

	look->progress = &cli->progress;
	ret = lens_open(&path, 1, look, &lens, msg);
	if (ret)
		return ret;
	ret = query_run(lens_db(lens), "SELECT start, \"end\" FROM span WHERE run = ?1",
			lens_run(lens), &stmt, msg);
	if (ret)
		goto out;
	ret = query_step(stmt, msg);
	cut->from = ret > 0 ? (uint64_t)sqlite3_column_int64(stmt, 0) : 0;
	cut->to = ret > 0 ? (uint64_t)sqlite3_column_int64(stmt, 1) : 0;
	sqlite3_finalize(stmt);
out:
	lens_close(lens);
	return ret < 0 ? ret : 0;
}

static int run_cut(struct cli *cli, const char *in, const char *out, struct lens_options *look,
		   struct tracedat_cut *cut)
{
	struct tracedat_cut_result result;
	struct rl_msg msg;
	int ret;

	cli_progress_begin(cli);
	ret = find_window(cli, in, look, cut, &msg);
	if (!ret)
		ret = tracedat_cut(in, out, cut, &result, &msg);
	cli_progress_end();
	if (ret)
		return cli_error(cli, &msg);
	cli_note(cli, "%s: %" PRIu64 " events of %.3f s", out, result.records,
		 (double)(result.last - result.first) / 1e9);
	return CLI_OK;
}

int cli_cut(struct cli *cli, int argc, char **argv)
{
	struct lens_options look = { .node = -1 };
	struct tracedat_cut cut = { .version = 7, .compression = "zstd" };
	const char *output = NULL;
	struct rl_msg msg;
	bool old = false, keep = false, drop = false;
	const struct cli_option options[] = {
		{ 'o', "output", CLI_FILE, &output, "FILE", "the small trace.dat" },
		{ 0, "from", CLI_TEXT, &look.from, "TIME", "from 12.5 on the run's clock, or +3s" },
		{ 0, "to", CLI_TEXT, &look.to, "TIME", "up to that time" },
		{ 0, "marker", CLI_TEXT, &look.markers, "A,B", "from trace marker A to marker B" },
		{ 0, "kallsyms", CLI_FLAG, &keep, NULL, "keep the kernel's symbols in version 6" },
		{ 0, "no-kallsyms", CLI_FLAG, &drop, NULL,
		  "leave the kernel's symbols out, a smaller file" },
		{ 0, "v6", CLI_FLAG, &old, NULL, "version 6, not packed, for old tools" },
		{ 0, NULL, CLI_FLAG, NULL, NULL, NULL },
	};
	const struct cli_usage usage = {
		"[options] trace.dat -o small.dat",
		"Cut a window out of a trace.dat, into one that trace-cmd and KernelShark open.\n"
		"Example: reclaimlab cut trace.dat --from 17 --to 19.5 -o stall.dat",
		options,
	};
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (argc - first != 1)
		return cli_usage_error(cli, "one trace.dat is to be cut");
	if (lens_options_check(&look, &msg))
		return cli_usage_error(cli, "%s", msg.text);
	if (keep && drop)
		return cli_usage_error(cli, "--kallsyms and --no-kallsyms exclude each other");
	if (!output)
		return cli_usage_error(cli, "-o names the small trace.dat");
	cut.kallsyms = keep || (!old && !drop);
	if (old) {
		cut.version = 6;
		cut.compression = "none";
	}
	return run_cut(cli, argv[first], output, &look, &cut);
}
