/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze/live.h"
#include "capture/base/clock.h"
#include "capture/record/watch.h"
#include "cli/cli.h"

#define NAMES_EVERY  20 /* lines */
#define INTERVAL_MIN 100000000

struct top {
	int64_t interval; /* ns */
	int64_t count;	  /* of looks; 0: until Ctrl-C */
	bool batch;
	char folder[64]; /* of the recording that is looked at */
	char file[96];
	struct watch *watch;
};

static int stop_on_signal(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	return cli_interrupted();
}

static const struct rl_progress quiet = { .report = stop_on_signal };

static int print_look(const struct top *top, const struct lens *look, const struct lens *past,
		      int64_t begin, int64_t nr, struct rl_msg *msg)
{
	int ret;

	if (!top->batch)
		fputs("\033[H\033[2J", stdout);
	if (!top->batch || nr % NAMES_EVERY == 0)
		live_print_names(stdout);
	ret = live_print_line(look, past, begin, stdout, msg);
	if (!ret && !top->batch)
		ret = live_print_tables(past, stdout, msg);
	fflush(stdout);
	return ret;
}

static int open_lens(const struct watch_look *look, uint64_t begin, struct lens **lens,
		     struct rl_msg *msg)
{
	char from[32], to[32];
	const struct lens_options options = {
		.node = -1,
		.from = begin ? from : NULL,
		.to = to,
		.progress = &quiet,
	};

	snprintf(from, sizeof(from), "%" PRIu64 "ns", begin);
	snprintf(to, sizeof(to), "%" PRIu64 "ns", look->end);
	return lens_open(&look->path, 1, &options, lens, msg);
}

static int show(const struct top *top, int64_t nr, struct rl_msg *msg)
{
	struct lens *own = NULL, *past = NULL;
	struct watch_look look;
	int ret = watch_look(top->watch, &look, msg);

	if (!ret)
		ret = open_lens(&look, look.begin, &own, msg);
	if (!ret)
		ret = open_lens(&look, 0, &past, msg);
	if (!ret)
		ret = print_look(top, own, past, (int64_t)look.begin, nr, msg);
	lens_close(own);
	lens_close(past);
	return ret;
}

/* Sleep what is left of the interval; recording goes on meanwhile and while a look is computed. */
static void wait_for(uint64_t when)
{
	const struct timespec ts = { .tv_sec = (time_t)(when / RL_NS_PER_S),
				     .tv_nsec = (long)(when % RL_NS_PER_S) };

	while (!cli_interrupted() &&
	       clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* In memory where that is possible: a monitor should not wait for the disk that it watches. */
static bool make_folder(struct top *top, struct rl_msg *msg)
{
	static const char *const above[] = { "/dev/shm", "/tmp" };

	for (size_t i = 0; i < sizeof(above) / sizeof(above[0]); i++) {
		snprintf(top->folder, sizeof(top->folder), "%s/reclaimlab-top.XXXXXX", above[i]);
		if (mkdtemp(top->folder)) {
			snprintf(top->file, sizeof(top->file), "%s/trace.dat", top->folder);
			return true;
		}
	}
	rl_fail(msg, errno, "%s: %s", top->folder, strerror(errno));
	return false;
}

static int look_on(struct top *top, struct rl_msg *msg)
{
	struct record_options options;
	uint64_t next;
	int ret;

	record_options_init(&options);
	options.output = top->file;
	ret = watch_open(&options, &top->watch, msg);
	next = rl_now_ns();
	for (int64_t nr = 0; !ret && (!top->count || nr < top->count); nr++) {
		next += (uint64_t)top->interval;
		wait_for(next);
		if (cli_interrupted())
			break;
		ret = show(top, nr, msg);
		if (next + (uint64_t)top->interval < rl_now_ns())
			next = rl_now_ns() - (uint64_t)top->interval;
	}
	watch_close(top->watch);
	return ret;
}

static int run_top(struct cli *cli, struct top *top)
{
	struct rl_msg msg;
	int ret;

	if (!make_folder(top, &msg))
		return cli_error(cli, &msg);
	cli_progress_begin(cli);
	ret = look_on(top, &msg);
	cli_progress_end();
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
		"Watch the reclaim of this machine, look by look, until Ctrl-C. One recording\n"
		"goes on behind all looks, so that nothing is missed between two of them.\n"
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
