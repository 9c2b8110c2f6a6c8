/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>

#include "analyze/query.h"

static int query_fail(sqlite3 *db, int rc, struct rl_msg *msg)
{
	if (rc == SQLITE_INTERRUPT)
		return rl_fail(msg, EINTR, "interrupted");
	if (rc == SQLITE_NOMEM)
		return rl_fail(msg, ENOMEM, "out of memory");
	return rl_fail(msg, EIO, "%s", sqlite3_errmsg(db));
}

int query_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, struct rl_msg *msg)
{
	int rc = sqlite3_prepare_v2(db, sql, -1, out, NULL);

	return rc == SQLITE_OK ? 0 : query_fail(db, rc, msg);
}

int query_run(sqlite3 *db, const char *sql, sqlite3_int64 run, sqlite3_stmt **out,
	      struct rl_msg *msg)
{
	int ret = query_prepare(db, sql, out, msg);

	if (!ret)
		sqlite3_bind_int64(*out, 1, run);
	return ret;
}

int query_step(sqlite3_stmt *stmt, struct rl_msg *msg)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return query_fail(sqlite3_db_handle(stmt), rc, msg);
}

int query_exec(sqlite3 *db, const char *sql, struct rl_msg *msg)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : query_fail(db, rc, msg);
}

const char *query_text(sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	return text ? (const char *)text : "";
}
