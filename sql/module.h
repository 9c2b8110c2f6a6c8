/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.h - what the program and the loadable extension add to an SQLite connection
 */
#ifndef RECLAIMLAB_MODULE_H
#define RECLAIMLAB_MODULE_H

#include "sql/sqlite_api.h"

/* The virtual tables over the column store (vtab.c). Returns an SQLite result code. */
int column_module_register(sqlite3 *db);

/* The columns of a table; the names must outlive the connection. */
struct column_names {
	unsigned int nr;
	const char *name[];
};

/*
 * One table over the column store of the main database, there without a CREATE VIRTUAL TABLE.
 * @names comes from malloc() and is the connection's from now on, also after an error.
 */
int column_table_register(sqlite3 *db, const char *table, struct column_names *names);

#endif
