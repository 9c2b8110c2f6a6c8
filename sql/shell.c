/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/shell.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/base/nearest.h"
#include "sql/catalog.h"
#include "sql/functions.h"
#include "sql/shell_output.h"
#include "sql/store_internal.h"

static const char *const mode_names[] = {
	[SHELL_TABLE] = "table",
	[SHELL_CSV] = "csv",
	[SHELL_JSON] = "json",
	[SHELL_MARKDOWN] = "markdown",
};

struct session {
	struct store *store;
	const struct shell_options *options;
	enum shell_mode mode;
	struct catalog *catalog; /* made when first asked for */
	unsigned long line;	 /* of the input */
	bool quit;
};

/* A dot command; @argument is what stands behind it, "" where nothing does. */
struct command {
	const char *name;
	const char *usage;
	const char *doc;
	void (*run)(struct session *session, const char *argument);
};

int shell_mode_by_name(const char *name)
{
	for (int i = 0; i < SHELL_NR_MODES; i++)
		if (!strcasecmp(name, mode_names[i]))
			return i;
	return -1;
}

const char *shell_mode_name(enum shell_mode mode)
{
	return mode_names[mode];
}

static int print_rows(sqlite3_stmt *stmt, struct shell_output *output)
{
	int err = 0;
	int rc;

	while (!err && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
		err = shell_output_row(output);
	if (err)
		return err;
	return rc == SQLITE_DONE ? shell_output_end(output) : -EINVAL;
}

static int run_statement(struct session *session, sqlite3_stmt *stmt, struct rl_msg *msg)
{
	sqlite3 *db = sqlite3_db_handle(stmt);
	struct shell_output *output;
	int err;

	if (!sqlite3_column_count(stmt)) {
		int rc = sqlite3_step(stmt);

		return rc == SQLITE_DONE ? 0 : sql_fail(db, rc, msg, "query");
	}
	output = shell_output_new(session->options, session->mode, stmt);
	if (!output)
		return rl_fail(msg, ENOMEM, "query: out of memory");
	err = print_rows(stmt, output);
	shell_output_free(output);
	if (err == -EINVAL)
		return sql_fail(db, sqlite3_errcode(db), msg, "query");
	if (err)
		return rl_fail_errno(msg, -err, "output");
	return 0;
}

/* "no such table: stals": which one is near. */
static const char *near_table(const char *error, char *meant, unsigned int size)
{
	static const char begin[] = "no such table: ";
	struct rl_nearest nearest = { .word = error + strlen(begin) };
	const struct catalog_entry *entry;
	struct catalog *catalog;

	*meant = '\0';
	if (strncmp(error, begin, strlen(begin)) != 0)
		return meant;
	catalog = catalog_new();
	for (unsigned int i = 0; catalog && (entry = catalog_at(catalog, i)); i++)
		rl_nearest_offer(&nearest, entry->name);
	rl_nearest_words(&nearest, meant, size);
	catalog_free(catalog);
	return meant;
}

/* Where in the query SQLite found what it refuses, as the words in front of its own. */
static int syntax_error(sqlite3 *db, const char *query, const char *at, struct rl_msg *msg)
{
	int offset = sqlite3_error_offset(db);
	const char *error = sqlite3_errmsg(db);
	char meant[RL_NEAREST_SIZE];

	near_table(error, meant, sizeof(meant));
	if (offset < 0)
		return rl_fail(msg, EINVAL, "query: %s%s", error, meant);
	return rl_fail(msg, EINVAL, "query: character %ld: %s%s", (long)(at - query) + offset + 1,
		       error, meant);
}

static int run_query(struct session *session, const char *query, struct rl_msg *msg)
{
	sqlite3 *db = store_db(session->store);
	const char *next;
	int err = 0;

	for (const char *at = query; *at && !err; at = next) {
		sqlite3_stmt *stmt;

		if (sqlite3_prepare_v2(db, at, -1, &stmt, &next))
			return syntax_error(db, query, at, msg);
		if (stmt)
			err = run_statement(session, stmt, msg);
		sqlite3_finalize(stmt);
	}
	return err;
}

/* The catalog, or NULL with words about it. */
static struct catalog *get_catalog(struct session *session)
{
	if (!session->catalog)
		session->catalog = catalog_new();
	if (!session->catalog)
		fputs("out of memory\n", session->options->words);
	return session->catalog;
}

static void list_tables(struct session *session, const char *argument)
{
	const struct catalog *catalog = get_catalog(session);
	const struct catalog_entry *entry;

	for (unsigned int i = 0; catalog && (entry = catalog_at(catalog, i)); i++)
		fprintf(session->options->out, "%-22s %s\n", entry->name, entry->doc);
}

static void print_schema(struct session *session, const char *argument)
{
	const struct catalog *catalog = get_catalog(session);
	const struct catalog_entry *entry;

	if (!catalog)
		return;
	if (*argument) {
		entry = catalog_find(catalog, argument);
		if (entry)
			catalog_print(entry, session->options->out);
		else
			fprintf(session->options->words, "no table or view is called '%s'\n",
				argument);
		return;
	}
	for (unsigned int i = 0; (entry = catalog_at(catalog, i)); i++) {
		fputs(i ? "\n" : "", session->options->out);
		catalog_print(entry, session->options->out);
	}
}

static void list_functions(struct session *session, const char *argument)
{
	const struct sql_function *f;

	for (unsigned int i = 0; (f = function_at(i)); i++)
		fprintf(session->options->out, "%s\n    %s\n", f->usage, f->doc);
}

static void set_mode(struct session *session, const char *argument)
{
	int mode = shell_mode_by_name(argument);

	if (mode >= 0)
		session->mode = (enum shell_mode)mode;
	else
		fputs("expected .mode table, csv, json or markdown\n", session->options->words);
}

static void quit(struct session *session, const char *argument)
{
	session->quit = true;
}

static void help(struct session *session, const char *argument);

static const struct command commands[] = {
	{ ".tables", ".tables", "every table and view, and what it is about", list_tables },
	{ ".schema", ".schema [NAME]", "the columns of a table or view, with units", print_schema },
	{ ".functions", ".functions", "the SQL functions beside SQLite's own", list_functions },
	{ ".mode", ".mode MODE", "output as table, csv, json or markdown", set_mode },
	{ ".help", ".help", "this list", help },
	{ ".quit", ".quit", "leave (so does the end of the input)", quit },
};

static void help(struct session *session, const char *argument)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(session->options->out, "%-16s %s\n", commands[i].usage, commands[i].doc);
	fputs("Anything else is SQL and ends with a semicolon.\n", session->options->out);
}

/* @line is a dot command, without its newline. */
static int run_command(struct session *session, const char *line, struct rl_msg *msg)
{
	size_t len = strcspn(line, " \t");
	const char *argument = line + len + strspn(line + len, " \t");

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strlen(commands[i].name) != len || strncmp(commands[i].name, line, len))
			continue;
		commands[i].run(session, argument);
		return 0;
	}
	return rl_fail(msg, EINVAL, "unknown command %.*s, see .help", (int)len, line);
}

static void strip_end(char *line)
{
	size_t len = strlen(line);

	while (len && isspace((unsigned char)line[len - 1]))
		line[--len] = '\0';
}

static void prompt(const struct session *session, bool more)
{
	if (!session->options->prompt)
		return;
	fputs(more ? "   ...> " : "reclaimlab> ", session->options->words);
	fflush(session->options->words);
}

/* A person goes on after an error; a file of queries ends at its first. */
static int note_error(struct session *session, int err, struct rl_msg *msg)
{
	fflush(session->options->out);
	if (!err)
		return 0;
	if (!session->options->prompt) {
		rl_msg_prefix(msg, "line %lu", session->line);
		return err;
	}
	fprintf(session->options->words, "%s\n", msg->text);
	return 0;
}

/* Put @line behind what is typed of a query; runs it when it is complete. */
static int take_line(struct session *session, char **query, const char *line, struct rl_msg *msg)
{
	char *both;
	int err;

	if (asprintf(&both, "%s%s\n", *query ? *query : "", line) < 0)
		return rl_fail(msg, ENOMEM, "query: out of memory");
	free(*query);
	*query = both;
	if (!sqlite3_complete(both))
		return 0;
	err = note_error(session, run_query(session, both, msg), msg);
	free(both);
	*query = NULL;
	return err;
}

static int run_session(struct session *session, struct rl_msg *msg)
{
	char *line = NULL;
	char *query = NULL;
	size_t room = 0;
	int err = 0;

	prompt(session, false);
	while (!err && !session->quit && getline(&line, &room, session->options->in) >= 0) {
		session->line++;
		strip_end(line);
		if (!query && line[0] == '.')
			err = note_error(session, run_command(session, line, msg), msg);
		else if (query || line[0])
			err = take_line(session, &query, line, msg);
		if (!session->quit)
			prompt(session, query != NULL);
	}
	if (!err && query && !session->quit)
		err = note_error(session, run_query(session, query, msg), msg);
	free(query);
	free(line);
	if (err)
		return err;
	return ferror(session->options->out) ? rl_fail(msg, EIO, "output: write error") : 0;
}

int shell_run(struct store *store, const struct shell_options *options, struct rl_msg *msg)
{
	struct session session = { .store = store, .options = options, .mode = options->mode };
	int err;

	if (!options->query)
		err = run_session(&session, msg);
	else if (options->query[0] == '.')
		err = run_command(&session, options->query, msg);
	else
		err = run_query(&session, options->query, msg);
	catalog_free(session.catalog);
	return err;
}
