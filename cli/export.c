/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/export.h"
#include "cli/cli.h"

struct export
{
	const struct lens *lens;
	const struct cli_list *tables;
	bool trace;
	enum export_form form;
};

static int write_export(FILE *out, void *ctx, struct rl_msg *msg)
{
	const struct export *export = ctx;
	int ret = 0;

	if (export->trace)
		return export_trace(export->lens, out, msg);
	for (unsigned int i = 0; !ret && i < export->tables->count; i++)
		ret = export_rows(export->lens, export->tables->item[i], export->form, out, msg);
	return ret;
}

static int run_export(struct cli *cli, const char *const *paths, unsigned int count,
		      struct lens_options *look, struct export *export, const char *output)
{
	struct lens *lens = NULL;
	struct rl_msg msg;
	int ret;

	look->progress = &cli->progress;
	cli_progress_begin(cli);
	ret = lens_open(paths, count, look, &lens, &msg);
	cli_progress_end();
	export->lens = lens;
	if (!ret)
		ret = cli_write_file(output, write_export, export, &msg);
	lens_close(lens);
	return ret ? cli_error(cli, &msg) : CLI_OK;
}

int cli_export(struct cli *cli, int argc, char **argv)
{
	struct lens_options look = { .node = -1 };
	struct cli_list tables = { .count = 0 };
	struct export export = { .tables = &tables };
	const char *output = "-";
	bool json = false;
	const struct cli_option options[] = {
		{ 't', "table", CLI_LIST, &tables, "NAME", "a table or view, as CSV" },
		{ 'j', "json", CLI_FLAG, &json, NULL, "an object a line instead; any tables" },
		{ 0, "trace", CLI_FLAG, &export.trace, NULL, "a trace for ui.perfetto.dev" },
		{ 'o', "output", CLI_FILE, &output, "FILE", "instead of standard output" },
		{ 0, "from", CLI_TEXT, &look.from, "TIME", "from 12.5 on the run's clock, or +3s" },
		{ 0, "to", CLI_TEXT, &look.to, "TIME", "up to that time" },
		{ 0, "marker", CLI_TEXT, &look.markers, "A,B", "from trace marker A to marker B" },
		{ 0, "task", CLI_TEXT, &look.task, "NAME|TID", "only these threads, in views" },
		{ 'r', "run", CLI_NUMBER, &look.run, "N", "which run of a database" },
		{ 0, NULL, CLI_FLAG, NULL, NULL, NULL },
	};
	const struct cli_usage usage = {
		"[options] run.db | trace.dat [counters...]",
		"Give a run to other programs: rows of tables and views, or a trace for a viewer.\n"
		"Example: reclaimlab export --trace -o stalls.json trace.dat",
		options,
	};
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first == argc)
		return cli_usage_error(cli, "which run is to be exported?");
	if (export.trace == (tables.count > 0))
		return cli_usage_error(cli, "either --trace, or the tables with --table");
	if (tables.count > 1 && !json)
		return cli_usage_error(cli, "CSV has one table; several go with --json");
	export.form = json ? EXPORT_LINES : EXPORT_CSV;
	return run_export(cli, (const char *const *)argv + first, (unsigned int)(argc - first),
			  &look, &export, output);
}
