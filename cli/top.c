/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/live.h"
#include "capture/record/record.h"
#include "cli/cli.h"

#define NAMES_EVERY  20 /* lines */
#define INTERVAL_MIN 100000000

struct top {
	int64_t interval; /* ns */
	int64_t count;	  /* of looks; 0: until Ctrl-C */
	bool batch;
	char folder[64]; /* of the recording that is looked at */
	char file[96];
};

static int stop_on_signal(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	return cli_interrupted();
}

static const struct rl_progress quiet = { .report = stop_on_signal };

/* -EINTR where Ctrl-C ends a recording: what it has is not a whole interval. */
static int record_interval(const struct top *top, struct rl_msg *msg)
{
	struct record_options options;
	struct record_result result;
	int ret;

	record_options_init(&options);
	options.output = top->file;
	options.duration_ns = (uint64_t)top->interval;
	options.sample_ms = (unsigned int)(top->interval / 1000000);
	options.fast_ms = 0;
	ret = record_run(&options, &quiet, NULL, NULL, &result, msg);
	return ret || !cli_interrupted() ? ret : -EINTR;
}

static int print_look(const struct top *top, const struct lens *lens, int64_t nr,
		      struct rl_msg *msg)
{
	int ret;

	if (!top->batch)
		fputs("\033[H\033[2J", stdout);
	if (!top->batch || nr % NAMES_EVERY == 0)
		live_print_names(stdout);
	ret = live_print_line(lens, stdout, msg);
	if (!ret && !top->batch)
		ret = live_print_tables(lens, stdout, msg);
	fflush(stdout);
	return ret;
}

static int look(const struct top *top, int64_t nr, struct rl_msg *msg)
{
	const struct lens_options options = { .node = -1, .progress = &quiet };
	const char *path = top->file;
	struct lens *lens = NULL;
	int ret = record_interval(top, msg);

	if (!ret)
		ret = lens_open(&path, 1, &options, &lens, msg);
	if (!ret)
		ret = print_look(top, lens, nr, msg);
	lens_close(lens);
	return ret;
}

static bool make_folder(struct top *top, struct rl_msg *msg)
{
	snprintf(top->folder, sizeof(top->folder), "/tmp/reclaimlab-top.XXXXXX");
	if (!mkdtemp(top->folder)) {
		rl_fail(msg, errno, "%s: %s", top->folder, strerror(errno));
		return false;
	}
	snprintf(top->file, sizeof(top->file), "%s/trace.dat", top->folder);
	return true;
}

static int run_top(struct cli *cli, struct top *top)
{
	struct rl_msg msg;
	int ret = 0;

	if (!make_folder(top, &msg))
		return cli_error(cli, &msg);
	cli_progress_begin(cli);
	for (int64_t nr = 0; !ret && !cli_interrupted() && (!top->count || nr < top->count); nr++)
		ret = look(top, nr, &msg);
	cli_progress_end();
	unlink(top->file);
	rmdir(top->folder);
	return ret && !cli_interrupted() ? cli_error(cli, &msg) : CLI_OK;
}

int cli_top(struct cli *cli, int argc, char **argv)
{
	struct top top = { .interval = 1000000000 };
	const struct cli_option options[] = {
		{ 'i', "interval", CLI_TIME, &top.interval, "TIME", "length of a look; 1s" },
		{ 'n', "count", CLI_NUMBER, &top.count, "N", "so many looks, then end" },
		{ 'b', "batch", CLI_FLAG, &top.batch, NULL, "a line a look, no screen" },
		{ 0, NULL, CLI_FLAG, NULL, NULL, NULL },
	};
	const struct cli_usage usage = {
		"[options]",
		"Watch the reclaim of this machine, look by look, until Ctrl-C. Each look is a\n"
		"short recording; between two of them nothing is seen.\n"
		"Example: reclaimlab top --batch --count 60",
		options,
	};
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first != argc)
		return cli_usage_error(cli, "'%s': no argument was expected", argv[first]);
	if (top.interval < INTERVAL_MIN || top.interval > 3600 * INT64_C(1000000000))
		return cli_usage_error(cli, "--interval: 100ms to an hour");
	if (top.count < 0)
		return cli_usage_error(cli, "--count: a number of looks");
	if (!isatty(STDOUT_FILENO))
		top.batch = true;
	return run_top(cli, &top);
}
