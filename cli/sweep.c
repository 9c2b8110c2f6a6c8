/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep: replays over a grid of policies, their parameters and machines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "replay/sweep.h"
#include "sql/store.h"

static const char doc[] =
	"Replays a recording at every point of a grid and prints the points that nothing\n"
	"beats (the Pareto front of stalls against pages read back) and all others. Axes\n"
	"are \"key=a,b,c\" or \"key=from:to:step\": policy, parameters of the policy,\n"
	"properties of the machine (memory, swappiness, min_free_kbytes, ...). With\n"
	"--journal a sweep that was stopped goes on where it was.\n"
	"Example: reclaimlab sweep trace.dat --grid \"policy=linear wsf=10:200:10\"";

struct options {
	const char *grid, *journal, *output;
	int64_t ensemble, threads, run;
};

static void print_point(const struct sweep_point *p)
{
	printf("%c %016llx %-32s %-24s ", p->pareto ? '*' : ' ', (unsigned long long)p->id,
	       *p->policy ? p->policy : "as recorded", p->changes);
	if (p->error[0])
		printf("failed: %s\n", p->error);
	else if (!p->done)
		printf("not run\n");
	else
		printf("%9.0f %10.0f %11.1f %8.0f %10.0f %10.0f\n", p->stalls, p->refaults,
		       p->stall_ms, p->wakes, p->steal_kswapd, p->steal_direct);
}

static void print_points(const struct sweep *sweep)
{
	printf("  %-16s %-32s %-24s %9s %10s %11s %8s %10s %10s\n", "id", "policy", "machine",
	       "stalls", "refaults", "stall ms", "wakes", "kswapd", "direct");
	for (int front = 1; front >= 0; front--)
		for (unsigned int i = 0; i < sweep_nr(sweep); i++)
			if (sweep_at(sweep, i)->pareto == front)
				print_point(sweep_at(sweep, i));
	printf("* nothing has both fewer stalls and fewer pages read back\n");
}

/* The points that nothing beats become runs, beside the recorded policy replayed. */
static int store_front(struct cli *cli, const struct options *o, const struct recording *rec,
		       const struct sweep *sweep, struct rl_msg *msg)
{
	struct replay *replay = NULL;
	int ret;

	cli_progress_begin(cli);
	ret = replay_new(rec, (unsigned int)o->ensemble, false, &cli->progress, &replay, msg);
	for (unsigned int i = 0; i < sweep_nr(sweep) && !ret; i++)
		if (sweep_at(sweep, i)->pareto)
			ret = replay_add(replay, sweep_at(sweep, i)->policy,
					 sweep_at(sweep, i)->changes, msg);
	if (!ret)
		ret = replay_run(replay, (unsigned int)o->threads, &cli->progress, msg);
	cli_progress_end();
	if (!ret)
		ret = cli_store_variants(cli, o->output, STORE_NULL, replay, msg);
	replay_free(replay);
	return ret;
}

static int run(struct cli *cli, const struct options *o, char **paths, unsigned int nr)
{
	struct recording *rec = NULL;
	struct sweep *sweep = NULL;
	struct rl_msg msg;
	int ret;

	ret = cli_open_recording(cli, paths, nr, o->run, &rec, &msg);
	cli_progress_begin(cli);
	if (!ret)
		ret = sweep_new(rec, o->grid, (unsigned int)o->ensemble, &sweep, &msg);
	if (!ret)
		ret = sweep_run(sweep, o->journal, (unsigned int)o->threads, &cli->progress, &msg);
	cli_progress_end();
	if (sweep && (!ret || cli_interrupted()))
		print_points(sweep);
	if (!ret && o->output)
		ret = store_front(cli, o, rec, sweep, &msg);
	sweep_free(sweep);
	recording_free(rec);
	return ret ? cli_error(cli, &msg) : CLI_OK;
}

int cli_sweep(struct cli *cli, int argc, char **argv)
{
	struct options o = { .ensemble = 8 };
	const struct cli_option options[] = {
		{ 'g', "grid", CLI_TEXT, &o.grid, "AXES",
		  "such as \"policy=linear,gap-sqrt memory=0.5x,1x\"" },
		{ 'o', "output", CLI_TEXT, &o.output, "DB",
		  "add the points that nothing beats to DB, as runs" },
		{ 0, "run", CLI_NUMBER, &o.run, "N", "of a database: replay its run N" },
		{ 0, "journal", CLI_FILE, &o.journal, "FILE", "keep finished points in FILE" },
		{ 0, "ensemble", CLI_NUMBER, &o.ensemble, "N", "members of an ensemble (8)" },
		{ 'j', "threads", CLI_NUMBER, &o.threads, "N", "replays at once (one a CPU)" },
		{ 0 },
	};
	const struct cli_usage usage = { "TRACE|FOLDER|DEMAND|DB [COUNTERS...] --grid AXES", doc,
					 options };
	int first = cli_parse(cli, &usage, argc, argv);
	struct rl_msg msg;

	if (first < 0)
		return cli_parse_status(first);
	if (first == argc)
		return cli_usage_error(cli, "no recording to replay");
	if (!o.grid)
		return cli_usage_error(cli, "--grid says what to try");
	if (o.ensemble < 1 || o.ensemble > REPLAY_MAX_ENSEMBLE)
		return cli_usage_error(cli, "--ensemble: expected 1..%d", REPLAY_MAX_ENSEMBLE);
	if (o.threads < 0 || o.threads > 256)
		return cli_usage_error(cli, "--threads: expected 0..256");
	if (sweep_check(o.grid, &msg))
		return cli_usage_error(cli, "%s", msg.text);
	return run(cli, &o, argv + first, (unsigned int)(argc - first));
}
