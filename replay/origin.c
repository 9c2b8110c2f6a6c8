/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/origin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sql/store.h"

struct reading {
	const char *database;
	struct store *store;
	struct origin *origin;
};

static int fail_db(const struct reading *r, struct rl_msg *msg)
{
	return rl_fail(msg, EIO, "%s: %s", r->database, sqlite3_errmsg(store_db(r->store)));
}

static void copy_column(char *to, size_t size, sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	snprintf(to, size, "%s", text ? (const char *)text : "");
}

static const char find_run[] =
	"SELECT run, kind, source, kernel FROM run"
	" WHERE CASE WHEN ?1 THEN run = ?1 ELSE kind = 'recorded' END ORDER BY run LIMIT 1";

/* The run's row; @origin->trace is then the path as it was given to the import. */
static int read_run(const struct reading *r, int64_t run, struct rl_msg *msg)
{
	sqlite3_stmt *stmt = store_statement(r->store, find_run, msg);
	struct origin *origin = r->origin;
	char kind[32];
	int rc;

	if (!stmt)
		return -EIO;
	sqlite3_bind_int64(stmt, 1, run);
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_DONE)
		return run ? rl_fail(msg, ENOENT, "%s: has no run %lld", r->database,
				     (long long)run)
			   : rl_fail(msg, ENOENT, "%s: has no recorded run", r->database);
	if (rc != SQLITE_ROW)
		return fail_db(r, msg);
	origin->run = sqlite3_column_int64(stmt, 0);
	copy_column(kind, sizeof(kind), stmt, 1);
	copy_column(origin->trace, sizeof(origin->trace), stmt, 2);
	copy_column(origin->kernel, sizeof(origin->kernel), stmt, 3);
	sqlite3_reset(stmt);
	if (strcmp(kind, "recorded") != 0)
		return rl_fail(msg, EINVAL,
			       "%s: run %lld is %s; a replay starts from a recorded run",
			       r->database, (long long)origin->run, kind);
	return 0;
}

static int find_trace(const struct reading *r, struct rl_msg *msg)
{
	const char *slash = strrchr(r->database, '/');
	char *trace = r->origin->trace;
	char beside[ORIGIN_PATH_SIZE];

	if (!access(trace, F_OK))
		return 0;
	if (slash && *trace != '/' &&
	    snprintf(beside, sizeof(beside), "%.*s/%s", (int)(slash - r->database), r->database,
		     trace) < ORIGIN_PATH_SIZE &&
	    !access(beside, F_OK)) {
		memcpy(trace, beside, sizeof(beside));
		return 0;
	}
	return rl_fail(
		msg, ENOENT,
		"%s: the trace of run %lld, \"%.120s\", is not there any more; replay takes the "
		"demand from it",
		r->database, (long long)r->origin->run, trace);
}

static const char find_samples[] =
	"SELECT c.source, c.scope, c.name, s.value, p.label FROM sample AS s"
	" JOIN snapshot AS p ON p.snapshot = s.snapshot JOIN counter AS c ON c.counter = s.counter"
	" WHERE s.run = ?1 AND (c.source IN ('sysctl', 'queue') OR p.label IN ('before', 'after'))"
	" ORDER BY s.snapshot, s.counter";

static int read_counters(const struct reading *r, struct counter_set *before,
			 struct counter_set *after, struct counter_set *settings,
			 struct rl_msg *msg)
{
	sqlite3_stmt *stmt = store_statement(r->store, find_samples, msg);
	int rc;

	if (!stmt)
		return -EIO;
	sqlite3_bind_int64(stmt, 1, r->origin->run);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *source = (const char *)sqlite3_column_text(stmt, 0);
		const char *scope = (const char *)sqlite3_column_text(stmt, 1);
		const char *name = (const char *)sqlite3_column_text(stmt, 2);
		const char *label = (const char *)sqlite3_column_text(stmt, 4);
		struct counter_set *set;

		if (!source || !scope || !name || !label)
			continue;
		set = strcmp(label, "before") ? after : before;
		if (!strcmp(source, "sysctl") || !strcmp(source, "queue"))
			set = settings;
		if (counter_set_put(set, source, scope, name, sqlite3_column_int64(stmt, 3)))
			return rl_fail_errno(msg, ENOMEM, "%s", r->database);
	}
	return rc == SQLITE_DONE ? 0 : fail_db(r, msg);
}

int origin_read(const char *database, int64_t run, struct origin *origin,
		struct counter_set *before, struct counter_set *after, struct counter_set *settings,
		struct rl_msg *msg)
{
	struct reading r = { .database = database, .origin = origin };
	int ret = store_open(database, STORE_READ, &r.store, msg);

	if (!ret)
		ret = read_run(&r, run, msg);
	if (!ret)
		ret = find_trace(&r, msg);
	if (!ret)
		ret = read_counters(&r, before, after, settings, msg);
	store_close(r.store);
	return ret;
}
