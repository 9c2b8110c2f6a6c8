/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden.h - runs made of facts that a test writes, and the views that look at them
 *
 * A test begins a run, puts rows with the columns that it names (the others are NULL), opens it,
 * and asks views for values.
 */
#ifndef RECLAIMLAB_GOLDEN_H
#define RECLAIMLAB_GOLDEN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "analyze/lens.h"
#include "sql/store.h"

#define SECOND INT64_C(1000000000)

struct golden {
	char path[256];
	struct store *store;
	struct lens *lens;
	int64_t task; /* a thread to put rows for */
};

/* A database called @name with the run 1 of @kind begun and one task in it. */
void golden_begin(struct golden *g, const char *name, const char *kind);

/* Put a row into @table, pairs of column (enum store_<table>_column) and value, ended by -1. */
void golden_put(struct golden *g, enum store_table table, int64_t ts, ...);

/* Run SQL on the database while it is written. */
void golden_sql(struct golden *g, const char *sql);

/* End the run, which lasts @ns from 0, commit, and look at it with @options (NULL: all of it). */
void golden_look(struct golden *g, int64_t ns, const struct lens_options *options);

/* The first column of the first row of @sql, in which ?1 is the run; a copy to be freed. */
char *golden_text(struct golden *g, const char *sql);

/* The same as a number. The test fails where it is NULL. */
double golden_number(struct golden *g, const char *sql);

/* The figure @key with the decimals that people see, or its state where it has no value. */
void golden_figure(struct golden *g, const char *key, const char *expected);

void golden_end(struct golden *g);

#endif
