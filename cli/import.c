/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import: traces and counter files become runs of a database. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "sql/import.h"

static const char doc[] =
	"Reads traces (trace.dat, text) and counter files (/proc/vmstat, zoneinfo,\n"
	"meminfo, buddyinfo, pagetypeinfo, diskstats, pressure, memory.stat; one snapshot\n"
	"or a series) into a database. Each trace becomes a run; counter files join the\n"
	"trace before them. A folder is taken as a whole. Files may be packed with gzip,\n"
	"xz or zstd; \"-\" is standard input.\n"
	"Example: reclaimlab import trace.dat vmstat.before vmstat.after -o run.db";

static int run_import(struct cli *cli, const char *database, bool append, char **files,
		      unsigned int count)
{
	struct import_options options = { .progress = &cli->progress };
	struct import_result result;
	struct store *store = NULL;
	struct rl_msg msg;
	int ret;

	cli_progress_begin(cli);
	ret = store_open(database, append ? STORE_APPEND : STORE_CREATE, &store, &msg);
	if (!ret)
		ret = import_files(store, (const char *const *)files, count, &options, &result,
				   &msg);
	if (!ret)
		ret = store_commit(store, &msg);
	store_close(store);
	cli_progress_end();
	if (ret)
		return cli_error(cli, &msg);
	cli_note(cli, "%s: run %lld: %llu events, %llu counter snapshots", database,
		 (long long)result.run, (unsigned long long)result.events,
		 (unsigned long long)result.snapshots);
	if (result.damages)
		cli_note(cli, "damaged: %s%s", result.damage.text,
			 result.damages > 1 ? "; more in the table loss" : "");
	if (result.skipped)
		cli_note(cli, "%u other files in the folder were passed over", result.skipped);
	return CLI_OK;
}

int cli_import(struct cli *cli, int argc, char **argv)
{
	const char *database = NULL;
	bool append = false;
	const struct cli_option options[] = {
		{ 'o', "output", CLI_TEXT, &database, "FILE",
		  "the database; an old one is replaced" },
		{ 'a', "append", CLI_FLAG, &append, NULL, "add runs to the database if it exists" },
		{ 0 },
	};
	const struct cli_usage usage = { "FILE... -o run.db", doc, options };
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first == argc)
		return cli_usage_error(cli, "no file to read");
	if (!database)
		return cli_usage_error(cli, "-o names the database");
	return run_import(cli, database, append, argv + first, (unsigned int)(argc - first));
}
