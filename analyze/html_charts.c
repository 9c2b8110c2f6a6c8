/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/html_private.h"
#include "analyze/query.h"

#define POINTS_MAX 1500 /* of a line over time; longer runs have several seconds a point */
#define STALLS_MAX 5000 /* drawn one by one, the longest; the map and the histogram have all */

/* ?1 is the run, ?2 how many seconds a point is, ?3 STALLS_MAX. */
struct chart_set {
	const char *key;
	const char *view; /* whose definitions hold */
	const char *sql;
};

static const struct chart_set chart_sets[] = {
	{ "timeline", "timeline",
	  "SELECT second / ?2 * ?2 AS second, sum(kswapd_scanned) AS kswapd_scanned, "
	  "sum(kswapd_reclaimed) AS kswapd_reclaimed, sum(direct_scanned) AS direct_scanned, "
	  "sum(direct_reclaimed) AS direct_reclaimed, sum(other_scanned) AS other_scanned, "
	  "sum(other_reclaimed) AS other_reclaimed, sum(wakes) AS wakes, sum(stalls) AS stalls, "
	  "sum(stall_time) AS stall_time FROM timeline WHERE run = ?1 GROUP BY 1 ORDER BY 1" },
	{ "zones", "zone_state",
	  "SELECT 'node ' || z.node || ' ' || z.zone AS zone, (z.ts - p.start) / 1e9 AS t, "
	  "min(z.free) AS free, z.min, z.low, z.high FROM zone_state AS z "
	  "JOIN span AS p ON p.run = z.run WHERE z.run = ?1 AND z.ts >= p.start AND z.ts <= p.end "
	  "GROUP BY z.node, z.zone, CASE WHEN ?2 > 1 THEN (z.ts - p.start) / 1000000000 / ?2 "
	  "ELSE z.snapshot END ORDER BY z.node, z.zone, z.ts" },
	{ "stalls", "stall",
	  "SELECT (s.ts - p.start) / 1e9 AS t, s.dur, s.actor, coalesce(t.comm, '?') AS comm, "
	  "t.tid, s.\"order\" FROM stall AS s JOIN span AS p ON p.run = s.run "
	  "LEFT JOIN task AS t ON t.task = s.task WHERE s.run = ?1 AND s.depth = 0 "
	  "AND s.actor <> 'softlimit' AND s.dur NOT NULL ORDER BY s.dur DESC LIMIT ?3" },
	{ "map", "stall_map",
	  "SELECT begin / 1e9 AS t, class, sum(count) AS count FROM stall_map WHERE run = ?1 "
	  "GROUP BY slice, class ORDER BY slice, class" },
	{ "histogram", "stall_histogram",
	  "SELECT actor, class, count FROM stall_histogram WHERE run = ?1 ORDER BY actor, class" },
	{ "throttles", "throttle_series",
	  "SELECT reason, second / ?2 * ?2 AS second, sum(count) AS count, sum(full) AS full, "
	  "sum(delayed) AS delayed FROM throttle_series WHERE run = ?1 GROUP BY 1, 2 "
	  "ORDER BY 1, 2" },
	{ "refaults", "refault_series",
	  "SELECT r.name, (r.ts - p.start) / 1e9 AS t, r.refaults, r.rate "
	  "FROM refault_series AS r JOIN span AS p ON p.run = r.run WHERE r.run = ?1 "
	  "ORDER BY r.name, r.ts" },
	{ "losses", "loss_series",
	  "SELECT second / ?2 * ?2 AS second, sum(gaps) AS gaps, sum(count) AS count "
	  "FROM loss_series WHERE run = ?1 GROUP BY 1 ORDER BY 1" },
	{ "tasks", "stall_by_task",
	  "SELECT coalesce(comm, '?') AS comm, tid, count, total FROM stall_by_task "
	  "WHERE run = ?1 ORDER BY total DESC LIMIT 12" },
	{ "wakers", "wakers",
	  "SELECT coalesce(comm, '?') AS comm, sum(requests) AS requests, sum(cycles) AS cycles "
	  "FROM wakers WHERE run = ?1 GROUP BY 1 ORDER BY 2 DESC LIMIT 12" },
};

#define NR_SETS (sizeof(chart_sets) / sizeof(chart_sets[0]))

static int print_rows(struct json *json, sqlite3_stmt *stmt, struct rl_msg *msg)
{
	int ret;

	json_open(json, "columns", '[');
	for (int c = 0; c < sqlite3_column_count(stmt); c++)
		json_string(json, NULL, sqlite3_column_name(stmt, c));
	json_close(json, ']');
	json_open(json, "rows", '[');
	while ((ret = query_step(stmt, msg)) > 0) {
		json_open(json, NULL, '[');
		for (int c = 0; c < sqlite3_column_count(stmt); c++)
			json_value(json, NULL, stmt, c);
		json_close(json, ']');
	}
	json_close(json, ']');
	return ret;
}

static int print_set(struct json *json, const struct chart_set *set, const struct lens *lens,
		     sqlite3_int64 step, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(lens_db(lens), set->sql, lens_run(lens), &stmt, msg);

	if (ret)
		goto out;
	if (sqlite3_bind_parameter_count(stmt) > 1)
		sqlite3_bind_int64(stmt, 2, step);
	if (sqlite3_bind_parameter_count(stmt) > 2)
		sqlite3_bind_int64(stmt, 3, STALLS_MAX);
	json_open(json, set->key, '{');
	json_string(json, "view", set->view);
	ret = print_rows(json, stmt, msg);
	json_close(json, '}');
	sqlite3_finalize(stmt);
out:
	if (ret)
		rl_msg_prefix(msg, "plot %s", set->key);
	return ret;
}

static int print_run(struct json *json, const char *name, const struct lens *lens,
		     sqlite3_int64 *step, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	double seconds;
	int ret = query_run(lens_db(lens),
			    "SELECT r.source, p.seconds FROM run AS r JOIN span AS p "
			    "ON p.run = r.run WHERE r.run = ?1",
			    lens_run(lens), &stmt, msg);

	if (ret)
		return ret;
	ret = query_step(stmt, msg);
	seconds = ret > 0 ? sqlite3_column_double(stmt, 1) : 0;
	*step = 1 + (sqlite3_int64)(seconds / POINTS_MAX);
	json_string(json, "name", name ? name : query_text(stmt, 0));
	json_real(json, "seconds", seconds);
	json_integer(json, "step", *step);
	sqlite3_finalize(stmt);
	return ret < 0 ? ret : 0;
}

int html_charts(struct json *json, const char *name, const struct lens *lens, struct rl_msg *msg)
{
	sqlite3_int64 step = 1;
	int ret;

	json_open(json, NULL, '{');
	ret = print_run(json, name, lens, &step, msg);
	json_open(json, "sets", '{');
	for (size_t i = 0; !ret && i < NR_SETS; i++)
		ret = print_set(json, &chart_sets[i], lens, step, msg);
	json_close(json, '}');
	json_close(json, '}');
	return ret;
}
