/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "sql/store_internal.h"

static int errno_of(sqlite3 *db, int rc)
{
	int err;

	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return ENOMEM;
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return EBUSY;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return EACCES;
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		err = db ? sqlite3_system_errno(db) : 0;
		return err ? err : EIO;
	case SQLITE_INTERRUPT:
		return EINTR;
	default:
		return EINVAL;
	}
}

int sql_fail(sqlite3 *db, int rc, struct rl_msg *msg, const char *what)
{
	int err = errno_of(db, rc);

	bool said = db && (sqlite3_errcode(db) & 0xff) == (rc & 0xff);

	return rl_fail(msg, err, "%s: %s", what, said ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
}

int sql_exec(sqlite3 *db, const char *sql, struct rl_msg *msg)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc ? sql_fail(db, rc, msg, "database") : 0;
}
