/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * query.h - SQL with errors that say what was asked
 */
#ifndef RECLAIMLAB_QUERY_H
#define RECLAIMLAB_QUERY_H

#include <sqlite3.h>

#include "capture/base/message.h"

/*
 * Prepare @sql. Returns 0 and *@out, which the caller finalizes, or a negative errno: -EINTR when
 * the connection was interrupted, -ENOMEM, else -EIO with SQLite's words.
 */
int query_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct rl_msg *msg);

/* Prepare @sql with @run bound to its first parameter. */
int query_run(sqlite3 *db, const char *sql, sqlite3_int64 run, sqlite3_stmt **out,
	      struct rl_msg *msg);

/* The next row: 1, 0 at the end, or a negative errno as above. */
int query_step(sqlite3_stmt *stmt, struct rl_msg *msg);

/* Run statements that return nothing. */
int query_exec(sqlite3 *db, const char *sql, struct rl_msg *msg);

/* The text of a column, "" where it is NULL; valid until the next step. */
const char *query_text(sqlite3_stmt *stmt, int column);

#endif
