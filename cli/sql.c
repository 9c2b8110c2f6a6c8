/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "cli/cli.h"
#include "sql/shell.h"
#include "sql/store.h"

static int run_sql(struct cli *cli, const char *database, const struct shell_options *shell)
{
	struct store *store = NULL;
	struct rl_msg msg;
	int ret = store_open(database, STORE_READ, &store, &msg);

	if (!ret)
		ret = shell_run(store, shell, &msg);
	store_close(store);
	return ret ? cli_error(cli, &msg) : CLI_OK;
}

int cli_sql(struct cli *cli, int argc, char **argv)
{
	bool csv = false, json = false, markdown = false;
	struct shell_options shell = { .out = stdout, .in = stdin, .words = stderr };
	const struct cli_option options[] = {
		{ 'c', "csv", CLI_FLAG, &csv, NULL, "comma-separated values with a line of names" },
		{ 'j', "json", CLI_FLAG, &json, NULL, "an array of objects" },
		{ 'm', "markdown", CLI_FLAG, &markdown, NULL, "a table in Markdown" },
		{ 0, NULL, CLI_FLAG, NULL, NULL, NULL },
	};
	const struct cli_usage usage = {
		"[options] run.db [QUERY]",
		"Ask a database of runs. Without a query a session begins, or queries are read\n"
		"from standard input; .help tells its commands. The database is not changed.\n"
		"Example: reclaimlab sql run.db \"SELECT * FROM stall_by_task ORDER BY total DESC\"",
		options,
	};
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first == argc)
		return cli_usage_error(cli, "no database to ask");
	if (argc - first > 2)
		return cli_usage_error(cli, "one query at a time; put it in quotes");
	if (csv + json + markdown > 1)
		return cli_usage_error(cli, "--csv, --json and --markdown exclude each other");
	shell.mode = csv ? SHELL_CSV : json ? SHELL_JSON : markdown ? SHELL_MARKDOWN : SHELL_TABLE;
	shell.query = argv[first + 1];
	shell.prompt = !shell.query && isatty(STDIN_FILENO);
	return run_sql(cli, argv[first], &shell);
}
