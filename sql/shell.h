/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell.h - queries by people and scripts
 *
 * One query, or a session that reads queries and dot commands line by line. Results go to a stream
 * in one of four forms; words about errors go elsewhere, so that the output of a script is data.
 */
#ifndef RECLAIMLAB_SHELL_H
#define RECLAIMLAB_SHELL_H

#include <stdbool.h>
#include <stdio.h>

#include "sql/store.h"

enum shell_mode {
	SHELL_TABLE,	/* for people: a box of at most shell_options.width columns */
	SHELL_CSV,	/* quoted as in RFC 4180, lines end in LF, with a line of names */
	SHELL_JSON,	/* an array of objects, one a line */
	SHELL_MARKDOWN, /* a table */
	SHELL_NR_MODES,
};

struct shell_options {
	const char *query; /* SQL or a dot command; NULL: a session that reads @in */
	enum shell_mode mode;
	unsigned int width; /* of a table, in characters; 0: as wide as it needs */
	FILE *out;
	FILE *in;    /* of a session */
	FILE *words; /* of a session: prompt and errors */
	bool prompt; /* of a session: print one */
};

/* The mode called @name ("table", "csv", "json", "markdown"), or -1. */
int shell_mode_by_name(const char *name);
const char *shell_mode_name(enum shell_mode mode);

/*
 * Run the query, which may be several statements, or the session. Returns 0, or a negative errno:
 * -EINVAL for a query that SQLite refuses (the line has its words, and where in the query), -EINTR
 * when interrupted, -EIO when @out fails. A session with a prompt shows errors on @words and goes
 * on; one without ends at the first, with the line of the input in front. The connection's limits
 * on what may be changed apply as always.
 */
int shell_run(struct store *store, const struct shell_options *options, struct rl_msg *msg);

#endif
