/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay: what would another policy have done with the recorded demand? */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "replay/explain.h"
#include "replay/recording.h"
#include "replay/workload/demand_file.h"

static const char doc[] =
	"Takes the demand out of a recording: what the workload asked of memory, without what the\n"
	"kernel did about it. --explain prints the split and checks it against /proc/vmstat;\n"
	"--export writes the demand to a file of its own (see docs/demand-format.md).";

struct options {
	bool explain, plain;
	const char *export;
};

static void print_explanation(const struct recording *rec)
{
	struct explain_row rows[EXPLAIN_MAX_ROWS];
	unsigned int nr = explain_recording(rec, rows);

	printf("%s: kernel %s, %.3f s%s\n", rec->path, *rec->kernel ? rec->kernel : "unknown",
	       (double)(rec->end - rec->start) / 1e9,
	       rec->marked ? " between the markers SNAP before and SNAP after" : "");
	if (rec->lost)
		printf("events were lost: every figure is at least what it says\n");
	printf("%-9s %-48s %14s %-9s\n", "", "", "recording", "/proc/vmstat");
	for (unsigned int i = 0; i < nr; i++) {
		printf("%-9s %-48s %14" PRIu64 " %-9s",
		       i && !strcmp(rows[i].part, rows[i - 1].part) ? "" : rows[i].part,
		       rows[i].what, rows[i].value, rows[i].unit);
		if (rows[i].has_counter)
			printf(" %s %" PRId64 "%s", rows[i].counter, rows[i].counted,
			       rows[i].counted == (int64_t)rows[i].value ? " equal" : "");
		printf("\n");
	}
	printf("%zu demand records of %u tasks, %u files, %u logical pages\n",
	       rec->demand->nr_records, rec->demand->nr_tasks, rec->demand->nr_files,
	       rec->demand->nr_pages);
	fputs(rec->demand->notes, stdout);
}

static int run(struct cli *cli, const struct options *o, char **paths, unsigned int nr)
{
	struct recording *rec = NULL;
	struct rl_msg msg;
	int ret;

	cli_progress_begin(cli);
	ret = recording_open((const char *const *)paths, nr, &cli->progress, &rec, &msg);
	cli_progress_end();
	if (!ret && o->explain)
		print_explanation(rec);
	if (!ret && o->export)
		ret = demand_save(rec->demand, o->export, o->plain, &msg);
	recording_free(rec);
	return ret ? cli_error(cli, &msg) : CLI_OK;
}

int cli_replay(struct cli *cli, int argc, char **argv)
{
	struct options o = { 0 };
	const struct cli_option options[] = {
		{ 0, "explain", CLI_FLAG, &o.explain, NULL,
		  "print what is demand and what response, checked against the counters" },
		{ 0, "export", CLI_TEXT, &o.export, "FILE", "write the demand to FILE" },
		{ 0, "plain", CLI_FLAG, &o.plain, NULL, "with --export: without compression" },
		{ 0 },
	};
	const struct cli_usage usage = { "TRACE|FOLDER [COUNTERS...]", doc, options };
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first == argc)
		return cli_usage_error(cli, "no recording to replay");
	return run(cli, &o, argv + first, (unsigned int)(argc - first));
}
