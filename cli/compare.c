/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare.h"
#include "analyze/html.h"
#include "analyze/query.h"
#include "analyze/report.h"
#include "cli/cli.h"

#define FILES_MAX 16

/*
 * One argument: files joined by commas (a trace and its counters, two vmstat files) or a database,
 * with ":N" behind it for its run N. A name that exists as it stands is one file.
 */
struct input {
	char *text;
	const char *path[FILES_MAX];
	unsigned int nr_paths;
	int64_t run; /* 0: all of a database */
};

static bool split_run(struct input *input)
{
	char *colon = strrchr(input->text, ':');
	char *end;

	if (!colon || !colon[1])
		return false;
	input->run = strtoll(colon + 1, &end, 10);
	if (*end || input->run < 1)
		return false;
	*colon = '\0';
	if (lens_is_database(input->text))
		return true;
	*colon = ':';
	input->run = 0;
	return false;
}

static int input_parse(struct input *input, const char *argument, struct rl_msg *msg)
{
	char *save = NULL;

	input->text = strdup(argument);
	if (!input->text)
		return rl_fail(msg, ENOMEM, "out of memory");
	if (lens_is_database(argument) || split_run(input) || !strchr(argument, ',')) {
		input->path[input->nr_paths++] = input->text;
		return 0;
	}
	for (char *p = strtok_r(input->text, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
		if (input->nr_paths == FILES_MAX)
			return rl_fail(msg, E2BIG, "%s: more than %d files in one input", argument,
				       FILES_MAX);
		input->path[input->nr_paths++] = p;
	}
	return 0;
}

/* The runs of a database beside the first, each in a column or ensemble like an input. */
static int next_run(const struct lens *lens, int64_t *run, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(lens_db(lens), "SELECT min(run) FROM run WHERE run > ?1", *run, &stmt,
			    msg);

	if (ret)
		return ret;
	ret = query_step(stmt, msg);
	*run = ret > 0 ? sqlite3_column_int64(stmt, 0) : 0;
	sqlite3_finalize(stmt);
	return ret < 0 ? ret : 0;
}

/* Where runs go: a comparison, and the page that it is to be on, or NULL. */
struct goal {
	struct compare *compare;
	struct html *page;
};

static int add_to_page(struct html *page, const struct lens *lens, struct rl_msg *msg)
{
	const struct report_options options = { .form = REPORT_HTML };
	int ret = html_add(page, NULL, lens, msg);

	return ret ? ret : report_print_head(lens, &options, html_body(page), msg);
}

static int add_lens(const struct goal *goal, const struct lens *lens, bool own_column,
		    struct rl_msg *msg)
{
	int ret = own_column ? compare_column(goal->compare, NULL, msg) : 0;

	if (!ret)
		ret = compare_add(goal->compare, lens, msg);
	if (!ret && goal->page)
		ret = add_to_page(goal->page, lens, msg);
	return ret;
}

static int add_input(struct cli *cli, const struct goal *goal, const char *argument,
		     struct lens_options look, bool own_column, struct rl_msg *msg)
{
	struct input input = { 0 };
	struct lens *lens = NULL;
	int64_t run = 0;
	bool every;
	int ret = input_parse(&input, argument, msg);

	every = !ret && !input.run && lens_is_database(input.path[0]);
	look.run = every ? LENS_FIRST : input.run;
	cli_progress_begin(cli);
	if (!ret)
		ret = lens_open(input.path, input.nr_paths, &look, &lens, msg);
	cli_progress_end();
	if (!ret)
		ret = add_lens(goal, lens, own_column, msg);
	run = ret ? 0 : lens_run(lens);
	while (!ret && every) {
		ret = next_run(lens, &run, msg);
		if (ret || !run)
			break;
		ret = lens_look(lens, run, &look, msg);
		if (!ret)
			ret = add_lens(goal, lens, own_column, msg);
	}
	lens_close(lens);
	free(input.text);
	return ret;
}

static bool has_ensembles(char **argument, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(argument[i], ":"))
			return true;
	return false;
}

static bool has_empty_ensemble(char **argument, int count)
{
	bool empty = true;

	for (int i = 0; i < count; i++) {
		bool colon = !strcmp(argument[i], ":");

		if (colon && empty)
			return true;
		empty = colon;
	}
	return empty;
}

static int print_page(FILE *out, void *ctx, struct rl_msg *msg)
{
	return html_print(ctx, out, msg);
}

static int print_goal(const struct goal *goal, enum compare_form form, const char *path,
		      struct rl_msg *msg)
{
	int ret;

	if (!goal->page)
		return compare_print(goal->compare, form, stdout, msg);
	ret = compare_print(goal->compare, COMPARE_HTML, html_body(goal->page), msg);
	return ret ? ret : cli_write_file(path, print_page, goal->page, msg);
}

static int add_inputs(struct cli *cli, const struct goal *goal, char **argument, int count,
		      const struct lens_options *look, struct rl_msg *msg)
{
	bool ensembles = has_ensembles(argument, count);
	int ret = ensembles ? compare_column(goal->compare, NULL, msg) : 0;

	for (int i = 0; !ret && i < count; i++) {
		if (!strcmp(argument[i], ":"))
			ret = compare_column(goal->compare, NULL, msg);
		else
			ret = add_input(cli, goal, argument[i], *look, !ensembles, msg);
	}
	return ret;
}

/* @path: of a page; NULL: print to stdout. */
static int run_compare(struct cli *cli, char **argument, int count, struct lens_options *look,
		       enum compare_form form, const char *path)
{
	struct goal goal = { compare_new(), path ? html_new() : NULL };
	struct rl_msg msg;
	int ret = goal.compare && (goal.page || !path) ? 0 : rl_fail(&msg, ENOMEM, "out of memory");

	look->progress = &cli->progress;
	if (!ret)
		ret = add_inputs(cli, &goal, argument, count, look, &msg);
	if (!ret)
		ret = print_goal(&goal, form, path, &msg);
	html_free(goal.page);
	compare_free(goal.compare);
	return ret ? cli_error(cli, &msg) : CLI_OK;
}

int cli_compare(struct cli *cli, int argc, char **argv)
{
	struct lens_options look = { .node = -1 };
	bool json = false, markdown = false, csv = false;
	const char *page = NULL;
	const struct cli_option options[] = {
		{ 'j', "json", CLI_FLAG, &json, NULL, "for programs" },
		{ 'm', "markdown", CLI_FLAG, &markdown, NULL, "tables in Markdown" },
		{ 'c', "csv", CLI_FLAG, &csv, NULL, "one line a figure and run" },
		{ 0, "html", CLI_FILE, &page, "FILE",
		  "a page with the runs drawn over each other" },
		{ 0, "from", CLI_TEXT, &look.from, "TIME",
		  "from 12.5 on each run's clock, or +3s" },
		{ 0, "to", CLI_TEXT, &look.to, "TIME", "up to that time" },
		{ 0, "marker", CLI_TEXT, &look.markers, "A,B", "from trace marker A to marker B" },
		{ 0, "elapsed", CLI_TIME, &look.elapsed, "TIME", "between two counter files" },
		{ 0, NULL, CLI_FLAG, NULL, NULL, NULL },
	};
	const struct cli_usage usage = {
		"[options] A B [C ...] | A1 A2 ... : B1 B2 ...",
		"Show runs side by side, each against the first. An input is a recording, a\n"
		"database (all of its runs, or run N as run.db:N), or files joined by commas,\n"
		"such as vmstat.before,vmstat.after. With a lone : between them inputs form\n"
		"ensembles, shown as median [lowest..highest].\n"
		"Example: reclaimlab compare old1.dat old2.dat : new1.dat new2.dat",
		options,
	};
	int first = cli_parse(cli, &usage, argc, argv);

	if (first < 0)
		return cli_parse_status(first);
	if (first == argc)
		return cli_usage_error(cli, "what is to be compared?");
	if (has_empty_ensemble(argv + first, argc - first))
		return cli_usage_error(cli, "an ensemble without an input beside the :");
	if (json + markdown + csv + !!page > 1)
		return cli_usage_error(cli,
				       "--json, --markdown, --csv and --html exclude each other");
	return run_compare(cli, argv + first, argc - first, &look,
			   json	      ? COMPARE_JSON
			   : markdown ? COMPARE_MARKDOWN
			   : csv      ? COMPARE_CSV
				      : COMPARE_TEXT,
			   page);
}
