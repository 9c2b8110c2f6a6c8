/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - what the commands share
 *
 * A command is one file, cli/NAME.c, with the function cli_NAME(), and one line in commands.def.
 * Its options are a table of struct cli_option that cli_parse() reads the arguments with and prints
 * the help from. A command returns its exit status: CLI_OK, CLI_FAILED, or CLI_USAGE.
 *
 * Only this folder prints words and ends the process. Results go to stdout, words to stderr.
 */
#ifndef RECLAIMLAB_CLI_H
#define RECLAIMLAB_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"

enum cli_status {
	CLI_OK = 0,
	CLI_FAILED = 1,
	CLI_USAGE = 2,
};

struct cli {
	const char *command;	     /* name of the command that runs */
	struct rl_progress progress; /* shows a line on a terminal, stops after Ctrl-C */
	uint64_t progress_shown;     /* when, ns */
	unsigned int user_signals;   /* told of so far */
};

struct cli_command {
	const char *name;
	int (*run)(struct cli *cli, int argc, char **argv);
	const char *doc;
};

#define COMMAND(name, doc) int cli_##name(struct cli *cli, int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

enum cli_option_kind {
	CLI_FLAG,   /* target: bool */
	CLI_TEXT,   /* target: const char * */
	CLI_FILE,   /* target: const char *; the name of a file to be written, not empty */
	CLI_NUMBER, /* target: int64_t; decimal or 0x */
	CLI_TIME,   /* target: int64_t, ns; "1.5s", "20ms", "300us", "7ns"; bare numbers are seconds
		     */
	CLI_LIST,   /* target: struct cli_list; may be given several times */
};

#define CLI_LIST_MAX 64

struct cli_list {
	const char *item[CLI_LIST_MAX];
	unsigned int count;
};

struct cli_option {
	char letter; /* 0: none */
	const char *name;
	enum cli_option_kind kind;
	void *target;
	const char *arg; /* what the value is called in the help; NULL for flags */
	const char *doc; /* NULL: only its name is in the help, the rest in the man page */
};

/* How a command is used: @synopsis behind its name, @doc in a line or more. */
struct cli_usage {
	const char *synopsis;
	const char *doc;
	const struct cli_option *options; /* ends with a name of NULL; NULL: none */
};

/*
 * Read the options of @argv (argv[0] is the command). Options and arguments may be mixed; "--" ends
 * the options. Returns the index of the first argument, behind which only arguments stand, or a
 * negative value when the command is to return cli_parse_status() at once (help was asked for, or
 * an option was wrong; all is printed).
 */
int cli_parse(const struct cli *cli, const struct cli_usage *usage, int argc, char **argv);
#define cli_parse_status(ret) ((ret) == CLI_PARSE_HELP ? CLI_OK : CLI_USAGE)
#define CLI_PARSE_HELP	      (-1)
#define CLI_PARSE_WRONG	      (-2)

/* Say that the arguments are wrong: one line and where the help is. Returns CLI_USAGE. */
int cli_usage_error(const struct cli *cli, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Say what failed, one line on stderr. Returns CLI_FAILED. */
int cli_error(const struct cli *cli, const struct rl_msg *msg);

struct recording;

/*
 * Open what a replay is to start from: one database (its run @run, 0: the first recorded one; says
 * which trace that was), or a trace and counter files. Shows progress. Returns 0 or a negative
 * errno.
 */
int cli_open_recording(struct cli *cli, char **paths, unsigned int nr, int64_t run,
		       struct recording **out, struct rl_msg *msg);

struct replay;

/*
 * Every variant of @replay as a run of the database @path, the recorded policy first. @parent as
 * store_replay() has it. Says which run is which. Returns 0 or a negative errno.
 */
int cli_store_variants(const struct cli *cli, const char *path, int64_t parent,
		       const struct replay *replay, struct rl_msg *msg);

/*
 * Write a file in full: @write prints to it, with @ctx. "-" is stdout. A file that could not be
 * written leaves what was there before. Returns 0 or a negative errno.
 */
int cli_write_file(const char *path, int (*write)(FILE *out, void *ctx, struct rl_msg *msg),
		   void *ctx, struct rl_msg *msg);

/* A word on stderr that is no error. */
void cli_note(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Install the progress line and the handlers of SIGINT, SIGTERM and SIGHUP; remove the line at the
 * end. SIGHUP stays ignored where it was (nohup).
 */
void cli_progress_begin(struct cli *cli);
void cli_progress_end(void);

/* True after SIGINT, SIGTERM or SIGHUP. */
bool cli_interrupted(void);

/* Count SIGUSR1 from now on, and be told of each once. */
void cli_watch_user_signal(void);
bool cli_user_signal(struct cli *cli);

#endif
