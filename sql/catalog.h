/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog.h - what every table and view of a database holds, for people
 *
 * The words are where the things are defined: facts in schema/tables.def and the vocabulary, other
 * tables in the comments of schema/meta.sql, views in the head of their files. The catalog brings
 * them together; .schema of the shell and the SQL reference are printed from it.
 *
 *	-- @view velocity How fast does each reclaimer scan?
 *	-- more lines about the view
 *	-- @column seconds s length of the window		(unit "-": none)
 */
#ifndef RECLAIMLAB_CATALOG_H
#define RECLAIMLAB_CATALOG_H

#include <stdbool.h>
#include <stdio.h>

enum catalog_kind {
	CATALOG_TABLE,	 /* not made of events */
	CATALOG_ROWS,	 /* facts, an ordinary table */
	CATALOG_COLUMNS, /* facts in the column store, a virtual table */
	CATALOG_VIEW,
};

struct catalog_column {
	char *name;
	char *unit; /* "" where there is none */
	char *doc;
};

struct catalog_entry {
	enum catalog_kind kind;
	char *name;
	char *doc;    /* one line */
	char *more;   /* further lines about a view, joined by blanks, or "" */
	char *origin; /* the file that defines it, from the root of the sources */
	char *event;  /* the tracepoint whose rows a table of events holds, or "" */
	unsigned int nr_columns;
	struct catalog_column *column;
};

struct catalog;

/* NULL when memory is short. */
struct catalog *catalog_new(void);
void catalog_free(struct catalog *catalog);

/* Entry @i from 0, by kind and then as defined; NULL behind the last. */
const struct catalog_entry *catalog_at(const struct catalog *catalog, unsigned int i);

/* The entry called @name (letter case does not count), or NULL. */
const struct catalog_entry *catalog_find(const struct catalog *catalog, const char *name);

/* "table", "table of events", ... */
const char *catalog_kind_name(enum catalog_kind kind);

/* One entry as text of at most 80 columns where its words allow it. */
void catalog_print(const struct catalog_entry *entry, FILE *out);

/*
 * The whole catalog and the SQL functions as a Markdown page, with the file that defines each.
 * docs/sql-reference.md is this page.
 */
void catalog_print_markdown(const struct catalog *catalog, FILE *out);

#endif
