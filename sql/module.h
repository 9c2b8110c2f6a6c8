/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * module.h - what the program and the loadable extension add to an SQLite connection
 */
#ifndef RECLAIMLAB_MODULE_H
#define RECLAIMLAB_MODULE_H

#include "sql/sqlite_api.h"

/* The virtual tables over the column store (vtab.c). Returns an SQLite result code. */
int column_module_register(sqlite3 *db);

#endif
