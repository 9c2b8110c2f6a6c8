/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import: traces and counter files become runs of a database. */
#include <stdio.h>
#include <string.h>

#include "analyze/query.h"
#include "capture/base/heap.h"
#include "cli/cli.h"
#include "sql/import.h"

#define HEAP (24 << 20) /* bytes that an import takes */

static const char doc[] =
	"Reads traces (trace.dat, text) and counter files (/proc/vmstat, zoneinfo,\n"
	"meminfo, buddyinfo, pagetypeinfo, diskstats, pressure, memory.stat; one snapshot\n"
	"or a series) into a database. Each trace becomes a run; counter files join the\n"
	"trace before them. A folder is taken as a whole. Files may be packed with gzip,\n"
	"xz or zstd; \"-\" is standard input.\n"
	"Example: reclaimlab import trace.dat vmstat.before vmstat.after -o run.db";

/* A line a run, with the name of its file; the last @runs runs of the database are the new ones. */
static int note_runs(struct cli *cli, const char *database, struct store *store,
		     const struct import_result *result, struct rl_msg *msg)
{
	static const char sql[] =
		"SELECT r.run, r.source, (SELECT sum(records) FROM coverage WHERE run = r.run), "
		"(SELECT count(*) FROM snapshot WHERE run = r.run) "
		"FROM run AS r WHERE r.run > ?1 ORDER BY r.run";
	sqlite3_stmt *stmt;
	int ret = query_run(store_db(store), sql, result->run - result->runs, &stmt, msg);

	if (ret)
		return ret;
	while ((ret = query_step(stmt, msg)) > 0)
		cli_note(cli, "%s: run %lld: %s: %lld events, %lld counter snapshots", database,
			 (long long)sqlite3_column_int64(stmt, 0),
			 (const char *)sqlite3_column_text(stmt, 1),
			 (long long)sqlite3_column_int64(stmt, 2),
			 (long long)sqlite3_column_int64(stmt, 3));
	sqlite3_finalize(stmt);
	return ret;
}

static int run_import(struct cli *cli, const char *database, bool append, char **files,
		      unsigned int count)
{
	struct import_options options = { .progress = &cli->progress };
	struct import_result result;
	struct store *store = NULL;
	struct rl_msg msg;
	int ret;

	rl_heap_prepare(HEAP);
	cli_progress_begin(cli);
	ret = store_open(database, append ? STORE_APPEND : STORE_CREATE, &store, &msg);
	if (!ret)
		ret = import_files(store, (const char *const *)files, count, &options, &result,
				   &msg);
	if (!ret)
		ret = store_commit(store, &msg);
	cli_progress_end();
	if (!ret)
		ret = note_runs(cli, database, store, &result, &msg);
	store_close(store);
	if (ret)
		return cli_error(cli, &msg);
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
		{ 'o', "output", CLI_FILE, &database, "FILE",
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
