/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_internal.h - what the files of the store share
 *
 *	store.c		open, commit, runs, rows
 *	store_file.c	what a file is, and the temporary file that a new database is written to
 *	store_schema.c	SQL that makes tables, virtual tables, views and names
 *	symbol.c	texts and their numbers
 *	sql_error.c	SQLite's result codes as errno and a line
 */
#ifndef RECLAIMLAB_STORE_INTERNAL_H
#define RECLAIMLAB_STORE_INTERNAL_H

#include "sql/column.h"
#include "sql/store.h"

struct symbols;
struct statement;

#define PARTIAL_MARK ".partial-" /* between the name of a database and what makes it another */

struct store {
	sqlite3 *db;
	unsigned int flags;
	char *target;	/* the database's final name; NULL with STORE_SCRATCH */
	char *partial;	/* where it is written until it is committed, or NULL */
	int partial_fd; /* holds the lock that says the partial file is in use, or -1 */
	bool in_transaction;
	int64_t run; /* being written, or 0 */
	struct column_writer *writer;
	struct symbols *symbols;
	sqlite3_stmt **insert; /* a table: of the ordinary ones */
	struct statement *statements;
};

/* A negative errno for the SQLite result code @rc; the line is "<what>: <SQLite's words>". */
int sql_fail(sqlite3 *db, int rc, struct rl_msg *msg, const char *what);

/* Run statements that return nothing. */
int sql_exec(sqlite3 *db, const char *sql, struct rl_msg *msg);

/*
 * Look at a file before SQLite does. Returns 1 when it is a database of this program and version,
 * 0 when there is none or it is empty, or an error as store_open() gives it.
 */
int store_file_probe(const char *path, struct rl_msg *msg);

/* May a new database take the place of @path? Anything that is no database of ours may not go. */
int store_file_replaceable(const char *path, struct rl_msg *msg);

/* Make and lock the partial file beside store->target, removing those of dead processes. */
int store_file_begin(struct store *store, struct rl_msg *msg);

/* Write the partial file to the disk and give it its final name. */
int store_file_commit(struct store *store, struct rl_msg *msg);

/* Remove a partial file that was not committed, and free what the above two keep. */
void store_file_end(struct store *store);

/*
 * Make every table that the database lacks (all of them when it is @fresh), and the views. Tables
 * that are there must be as this build writes them.
 */
int store_schema_create(struct store *store, bool fresh, struct rl_msg *msg);

struct symbols *symbols_new(sqlite3 *db);
void symbols_free(struct symbols *symbols);
int64_t symbols_number(struct symbols *symbols, const char *text, size_t len);

#endif
