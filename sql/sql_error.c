/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

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

/* The name that the user knows the file of @db by, for a failure of that file; "" otherwise. */
static int file_name(sqlite3 *db, int rc, const char **name)
{
	const char *mark;

	rc &= 0xff;
	*name = NULL;
	if (db && (rc == SQLITE_FULL || rc == SQLITE_IOERR || rc == SQLITE_READONLY))
		*name = sqlite3_db_filename(db, "main");
	if (!*name)
		*name = "";
	mark = strstr(*name, PARTIAL_MARK);
	return mark ? (int)(mark - *name) : (int)strlen(*name);
}

int sql_fail(sqlite3 *db, int rc, struct rl_msg *msg, const char *what)
{
	int err = errno_of(db, rc);
	bool said = db && (sqlite3_errcode(db) & 0xff) == (rc & 0xff);
	const char *why = said ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
	const char *name;
	int len = file_name(db, rc, &name);

	if (len && !strchr(what, '/'))
		return rl_fail(msg, err, "%.*s: %s", len, name, why);
	return rl_fail(msg, err, "%s: %s", what, why);
}

int sql_exec(sqlite3 *db, const char *sql, struct rl_msg *msg)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc ? sql_fail(db, rc, msg, "database") : 0;
}
