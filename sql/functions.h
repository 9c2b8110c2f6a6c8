/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h - the SQL functions of the program and the loadable extension
 *
 * A function is an entry of a table in the file of its topic, with the usage and the line of
 * documentation that .help and the SQL reference print:
 *
 *	function_regexp.c	regexp, regexp_extract
 *	function_names.c	names of numbers and masks
 *	function_numbers.c	division, shares, times as people read them
 *	function_sample.c	aggregates: percentile, median, histogram
 *
 * All are deterministic and innocuous: a view in a database that is not trusted may use them.
 */
#ifndef RECLAIMLAB_FUNCTIONS_H
#define RECLAIMLAB_FUNCTIONS_H

#include "sql/sqlite_api.h"

struct sql_function {
	const char *name;
	int nr_args;
	const char *usage; /* "percentile(x, p)" */
	const char *doc;   /* one line */
	void (*call)(sqlite3_context *context, int argc, sqlite3_value **argv);
	void (*step)(sqlite3_context *context, int argc, sqlite3_value **argv); /* aggregates */
	void (*final)(sqlite3_context *context);
	int data; /* for sql_function_data(): what tells functions with the same code apart */
};

/* The tables; each ends with an entry without a name. */
extern const struct sql_function regexp_functions[];
extern const struct sql_function name_functions[];
extern const struct sql_function number_functions[];
extern const struct sql_function sample_functions[];

/* Every function of all tables, @i from 0; NULL behind the last. */
const struct sql_function *function_at(unsigned int i);

/* The entry that @context was called through. */
const struct sql_function *function_of(sqlite3_context *context);

/* Register all of them on @db. Returns an SQLite result code. */
int functions_register(sqlite3 *db);

#endif
