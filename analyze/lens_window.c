/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/lens_window.h"
#include "analyze/query.h"
#include "capture/base/duration.h"

struct window {
	int64_t start; /* ns, inclusive */
	int64_t end;   /* ns, exclusive */
};

/* "1 trace.dat, 2 gap-sqrt", for a line that asks for a choice. */
static int list_runs(sqlite3 *db, char *buf, size_t size)
{
	sqlite3_stmt *stmt;
	struct rl_msg msg;
	size_t used = 0;
	int ret = query_prepare(db, "SELECT run, source FROM run ORDER BY run", &stmt, &msg);

	buf[0] = '\0';
	if (ret)
		return ret;
	while (query_step(stmt, &msg) > 0 && used + 1 < size)
		used += (size_t)snprintf(buf + used, size - used, "%s%" PRId64 " %s",
					 used ? ", " : "", (int64_t)sqlite3_column_int64(stmt, 0),
					 query_text(stmt, 1));
	sqlite3_finalize(stmt);
	return 0;
}

int window_choose_run(sqlite3 *db, const char *path, int64_t wanted, int64_t *run,
		      struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	char list[256];
	int64_t all = 0, recorded = 0, only = 0, only_recorded = 0;
	int ret = query_prepare(db, "SELECT run, kind FROM run ORDER BY run", &stmt, msg);

	if (ret)
		return ret;
	while ((ret = query_step(stmt, msg)) > 0) {
		int64_t number = sqlite3_column_int64(stmt, 0);

		if (wanted > 0 && number != wanted)
			continue;
		if (wanted == LENS_FIRST && all)
			break;
		all++;
		only = number;
		if (strcmp(query_text(stmt, 1), "recorded") != 0)
			continue;
		recorded++;
		only_recorded = number;
	}
	sqlite3_finalize(stmt);
	if (ret < 0)
		return ret;
	*run = all == 1 ? only : only_recorded;
	if (all == 1 || recorded == 1)
		return 0;
	list_runs(db, list, sizeof(list));
	if (!all && wanted <= 0)
		return rl_fail(msg, EINVAL, "%s: holds no run", path);
	if (!all)
		return rl_fail(msg, EINVAL, "%s: has no run %" PRId64 "; it has %s", path, wanted,
			       list);
	return rl_fail(msg, EINVAL, "%s: holds several runs, say which with --run: %s", path, list);
}

/* "12.5", "12.5s", "300ms": @text in ns on the run's clock, or behind @start with a leading '+'. */
static int parse_instant(const char *text, int64_t start, int64_t *ns, struct rl_msg *msg)
{
	if (rl_duration_parse(text, ns) &&
	    (text[0] != '+' || !__builtin_add_overflow(*ns, start, ns)))
		return 0;
	return rl_fail(
		msg, EINVAL,
		"\"%s\" is no time; expected 12.5 or 12.5s on the run's clock, or +3s behind "
		"the first event",
		text);
}

static int fail_markers(const char *markers, struct rl_msg *msg)
{
	return rl_fail(msg, EINVAL, "\"%s\" is no window; expected two markers, A,B", markers);
}

int lens_options_check(const struct lens_options *options, struct rl_msg *msg)
{
	int64_t ns;
	int ret = 0;

	if (options->from)
		ret = parse_instant(options->from, 0, &ns, msg);
	if (!ret && options->to)
		ret = parse_instant(options->to, 0, &ns, msg);
	if (!ret && options->markers && !strchr(options->markers, ','))
		ret = fail_markers(options->markers, msg);
	return ret;
}

static int window_whole(sqlite3 *db, int64_t run, const struct lens_options *options,
			struct window *w, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(db,
			    "SELECT f.start, f.end, r.kind FROM main.focus AS f "
			    "JOIN main.run AS r USING (run) WHERE run = ?1",
			    run, &stmt, msg);

	if (ret)
		return ret;
	ret = query_step(stmt, msg);
	if (ret > 0) {
		w->start = sqlite3_column_int64(stmt, 0);
		w->end = sqlite3_column_int64(stmt, 1);
		if (options->elapsed > 0 && strcmp(query_text(stmt, 2), "counters") != 0)
			ret = rl_fail(msg, EINVAL,
				      "--elapsed is for counter files without times; run %" PRId64
				      " has its own",
				      run);
		else if (options->elapsed > 0)
			w->end = w->start + options->elapsed;
	} else if (!ret) {
		ret = rl_fail(msg, EINVAL, "run %" PRId64 " is not finished", run);
	}
	sqlite3_finalize(stmt);
	return ret < 0 ? ret : 0;
}

static int list_markers(sqlite3 *db, int64_t run, char *buf, size_t size, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	size_t used = 0;
	int ret =
		query_run(db, "SELECT DISTINCT text FROM marker WHERE run = ?1 ORDER BY ts LIMIT 8",
			  run, &stmt, msg);

	buf[0] = '\0';
	if (ret)
		return ret;
	while (query_step(stmt, msg) > 0 && used + 1 < size)
		used += (size_t)snprintf(buf + used, size - used, "%s\"%.40s\"", used ? ", " : "",
					 query_text(stmt, 0));
	sqlite3_finalize(stmt);
	return 0;
}

/* The first marker called @text at or behind @from: 1 and its stamp in *@ts, or 0. */
static int marker_behind(sqlite3 *db, int64_t run, const char *text, size_t len, int64_t from,
			 int64_t *ts, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(db,
			    "SELECT min(ts) FROM marker WHERE run = ?1 AND text = ?2 AND ts >= ?3",
			    run, &stmt, msg);

	if (ret)
		return ret;
	sqlite3_bind_text(stmt, 2, text, (int)len, SQLITE_STATIC);
	sqlite3_bind_int64(stmt, 3, from);
	ret = query_step(stmt, msg);
	if (ret > 0 && sqlite3_column_type(stmt, 0) == SQLITE_NULL)
		ret = 0;
	else if (ret > 0)
		*ts = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return ret;
}

static int fail_marker(sqlite3 *db, int64_t run, const char *text, size_t len, struct rl_msg *msg)
{
	char list[256];
	int ret = list_markers(db, run, list, sizeof(list), msg);

	if (ret)
		return ret;
	if (!list[0])
		return rl_fail(msg, EINVAL, "the run has no markers");
	return rl_fail(msg, EINVAL, "no marker \"%.*s\" there; the run has %s", (int)len, text,
		       list);
}

static int window_markers(sqlite3 *db, int64_t run, const char *markers, struct window *w,
			  struct rl_msg *msg)
{
	const char *comma = strchr(markers, ',');
	int64_t begin = 0, end = 0;
	size_t len;
	int ret;

	if (!comma)
		return fail_markers(markers, msg);
	len = (size_t)(comma - markers);
	ret = marker_behind(db, run, markers, len, INT64_MIN, &begin, msg);
	if (ret <= 0)
		return ret ? ret : fail_marker(db, run, markers, len, msg);
	ret = marker_behind(db, run, comma + 1, strlen(comma + 1), begin, &end, msg);
	if (!ret) {
		ret = marker_behind(db, run, comma + 1, strlen(comma + 1), INT64_MIN, &end, msg);
		if (ret > 0)
			return rl_fail(msg, EINVAL,
				       "marker \"%s\" at %.6f lies before \"%.*s\" at %.6f",
				       comma + 1, (double)end / 1e9, (int)len, markers,
				       (double)begin / 1e9);
	}
	if (ret <= 0)
		return ret ? ret : fail_marker(db, run, comma + 1, strlen(comma + 1), msg);
	w->start = begin;
	w->end = end;
	return 0;
}

/* No window reaches beyond the run: time that was not recorded is not time without reclaim. */
static int window_clamp(const struct window *whole, struct window *w, struct rl_msg *msg)
{
	if (w->start >= whole->end)
		return rl_fail(msg, EINVAL, "no such window: the run ends at %.6f",
			       (double)whole->end / 1e9);
	if (w->end <= whole->start)
		return rl_fail(msg, EINVAL, "no such window: the run begins at %.6f",
			       (double)whole->start / 1e9);
	if (w->end <= w->start)
		return rl_fail(msg, EINVAL, "the window ends before it begins");
	if (w->start < whole->start)
		w->start = whole->start;
	if (w->end > whole->end)
		w->end = whole->end;
	return 0;
}

static int window_narrow(sqlite3 *db, int64_t run, const struct lens_options *options,
			 struct window *w, struct rl_msg *msg)
{
	const struct window whole = *w;
	int ret = 0;

	if (options->markers)
		ret = window_markers(db, run, options->markers, w, msg);
	if (!ret && options->from)
		ret = parse_instant(options->from, whole.start, &w->start, msg);
	if (!ret && options->to)
		ret = parse_instant(options->to, whole.start, &w->end, msg);
	if (!ret && (options->markers || options->from || options->to))
		ret = window_clamp(&whole, w, msg);
	return ret;
}

/*
 * Whether anything of the run names *@node. Where it is the only one, it is all of the run, also
 * what does not say its node: *@node becomes -1.
 */
static int window_node(sqlite3 *db, int64_t run, int64_t *node, struct rl_msg *msg)
{
	static const char sql[] =
		"SELECT coalesce(sum(node = ?2), 0), coalesce(sum(node <> ?2), 0) FROM ("
		"SELECT node FROM kswapd_cycle WHERE run = ?1 UNION "
		"SELECT node FROM throttle WHERE run = ?1 UNION "
		"SELECT nid FROM wake WHERE run = ?1 UNION "
		"SELECT node FROM slab WHERE run = ?1 UNION "
		"SELECT node FROM scan WHERE run = ?1 UNION "
		"SELECT CAST(substr(c.scope, 6) AS INTEGER) FROM counter AS c "
		"WHERE c.scope LIKE 'node %' AND EXISTS (SELECT 1 FROM snapshot AS s "
		"JOIN sample AS x ON x.run = s.run AND x.snapshot = s.snapshot "
		"AND x.counter = c.counter WHERE s.run = ?1))";
	sqlite3_stmt *stmt;
	int64_t named = 0, others = 0, wanted = *node;
	int ret;

	if (wanted < 0)
		return 0;
	ret = query_run(db, sql, run, &stmt, msg);
	if (ret)
		return ret;
	sqlite3_bind_int64(stmt, 2, wanted);
	ret = query_step(stmt, msg);
	if (ret > 0) {
		named = sqlite3_column_int64(stmt, 0);
		others = sqlite3_column_int64(stmt, 1);
	}
	sqlite3_finalize(stmt);
	if (ret < 0)
		return ret;
	if (!named)
		return rl_fail(msg, EINVAL, "nothing in the run names node %" PRId64, wanted);
	if (!others)
		*node = -1;
	return 0;
}

/* One row of focus a thread that @task names, or one for all. */
static int window_tasks(sqlite3 *db, int64_t run, const struct window *w, const char *task,
			int64_t node, struct rl_msg *msg)
{
	static const char some[] = "INSERT INTO focus SELECT ?1, ?2, ?3, task, ?4 FROM task "
				   "WHERE run = ?1 AND (comm = ?5 OR CAST(tid AS TEXT) = ?5)";
	static const char all[] = "INSERT INTO focus VALUES (?1, ?2, ?3, NULL, ?4)";
	sqlite3_stmt *stmt;
	int ret = query_run(db, task ? some : all, run, &stmt, msg);

	if (ret)
		return ret;
	sqlite3_bind_int64(stmt, 2, w->start);
	sqlite3_bind_int64(stmt, 3, w->end);
	if (node >= 0)
		sqlite3_bind_int64(stmt, 4, node);
	if (task)
		sqlite3_bind_text(stmt, 5, task, -1, SQLITE_STATIC);
	ret = query_step(stmt, msg);
	sqlite3_finalize(stmt);
	if (!ret && !sqlite3_changes(db))
		ret = rl_fail(msg, EINVAL, "the run has no task \"%s\"", task);
	return ret;
}

int window_set(sqlite3 *db, int64_t run, const struct lens_options *options, struct rl_msg *msg)
{
	struct window w = { 0 };
	int64_t node = options->node;
	int ret = window_whole(db, run, options, &w, msg);

	if (!ret)
		ret = window_narrow(db, run, options, &w, msg);
	if (!ret)
		ret = window_node(db, run, &node, msg);
	if (!ret)
		ret = query_exec(db, "DELETE FROM focus", msg);
	if (!ret)
		ret = window_tasks(db, run, &w, options->task, node, msg);
	return ret;
}
