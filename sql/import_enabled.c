/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of recorded events that this program's own recordings carry (counter_marker.h, file
 * events). A trace.dat holds the formats of many events; only with the list is it known that one
 * without records did not happen, rather than was not asked for.
 */
#include "sql/import_private.h"

#include <errno.h>
#include <string.h>

#include "sql/store_internal.h"

bool import_enabled_is(const struct counter_marker *marker)
{
	return marker->file_len == 6 && !memcmp(marker->file, "events", 6);
}

static int run_statement(struct store *store, const char *sql, const char *text, size_t len,
			 int64_t run, struct rl_msg *msg)
{
	sqlite3_stmt *stmt = store_statement(store, sql, msg);
	int rc;

	if (!stmt)
		return -EIO;
	if (text)
		sqlite3_bind_text(stmt, 1, text, (int)len, SQLITE_STATIC);
	else if (run)
		sqlite3_bind_int64(stmt, 1, run);
	rc = sqlite3_step(stmt);
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? 0 : sql_fail(store_db(store), rc, msg, "recorded events");
}

int import_enabled_take(struct store *store, const struct counter_marker *marker,
			struct rl_msg *msg)
{
	const char *p = marker->lines, *end = p + marker->lines_len;
	int ret = run_statement(
		store, "CREATE TEMP TABLE IF NOT EXISTS enabled_event (name TEXT PRIMARY KEY)",
		NULL, 0, 0, msg);

	while (p < end && !ret) {
		const char *stop = memchr(p, ';', end - p);
		size_t len = (size_t)((stop ? stop : end) - p);

		ret = run_statement(store, "INSERT OR IGNORE INTO temp.enabled_event VALUES (?1)",
				    p, len, 0, msg);
		p = stop ? stop + 1 : end;
	}
	return ret;
}

int import_enabled_finish(struct store *store, int64_t run, struct rl_msg *msg)
{
	int ret = run_statement(store,
				"UPDATE coverage SET state = 'off' WHERE run = ?1 AND records = 0 "
				"AND state IN ('present', 'renamed') AND system || ':' || "
				"recorded_as NOT IN (SELECT name FROM temp.enabled_event)",
				NULL, 0, run, msg);

	return ret ? ret : run_statement(store, "DELETE FROM temp.enabled_event", NULL, 0, 0, msg);
}
