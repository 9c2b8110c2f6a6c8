/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/export.h"
#include "analyze/json.h"
#include "analyze/query.h"

/*
 * Columns of every query: the track's group (pid) and number (tid), the name, the time and the
 * duration in ns (NULL: none). The others are arguments.
 */
enum {
	TRACK_GROUP,
	TRACK_NUMBER,
	TRACK_NAME,
	TRACK_TS,
	TRACK_DUR,
	TRACK_ARGUMENTS,
};

struct track {
	const char *key;
	const char *phase; /* of the format: M names, X slice, C counter, i instant */
	const char *sql;   /* ?1 is the run */
};

/*
 * The reader nests the slices of a task and flags those that overlap in part. The kernel counts a
 * throttled wait in ticks, so that by its count it can have begun before the last one ended: a wait
 * begins no earlier than that.
 */
static const struct track tracks[] = {
	{ "groups", "M",
	  "SELECT column1, 0, 'process_name', 0, NULL, column2 AS name FROM (VALUES "
	  "(1, 'stalls'), (2, 'kswapd'), (3, 'throttled'), (4, 'compaction'), (5, 'counters'), "
	  "(6, 'marks')) WHERE ?1" },
	{ "threads", "M",
	  "SELECT g.\"group\", t.tid, 'thread_name', 0, NULL, max(t.comm) AS name FROM ("
	  "SELECT 1 AS \"group\", task FROM stall WHERE run = ?1 "
	  "UNION SELECT 3, task FROM throttle_wait WHERE run = ?1 "
	  "UNION SELECT 4, c.task FROM span AS p JOIN compaction AS c ON c.run = p.run "
	  "AND c.ts >= p.start AND c.ts < p.\"end\" WHERE p.run = ?1"
	  ") AS g JOIN task AS t ON t.task = g.task WHERE t.comm NOT NULL GROUP BY 1, 2" },
	{ "nodes", "M",
	  "SELECT 2, node, 'thread_name', 0, NULL, 'node ' || node AS name FROM kswapd_by_node "
	  "WHERE run = ?1" },
	{ "stalls", "X",
	  "SELECT 1, t.tid, s.actor || ' reclaim', s.ts, s.dur, s.\"order\", "
	  "gfp_flags(s.gfp) AS gfp, s.reclaimed, s.scanned, s.compact_dur, s.slab_dur, "
	  "s.throttle_dur FROM stall AS s LEFT JOIN task AS t ON t.task = s.task "
	  "WHERE s.run = ?1 AND s.dur NOT NULL ORDER BY s.ts" },
	{ "kswapd", "X",
	  "SELECT 2, node, 'awake', ts, awake, \"order\", waker, waker_tid, wake_delay, ended, "
	  "scanned, reclaimed, min_priority, rewakes FROM kswapd_cycles WHERE run = ?1 "
	  "AND awake NOT NULL ORDER BY ts" },
	{ "throttles", "X",
	  "SELECT 3, t.tid, w.reason, w.begin, w.ts - w.begin, w.actor, w.timeout, w.delayed, "
	  "w.outcome FROM (SELECT *, max(ts - delayed * 1000, coalesce(lag(ts) OVER (PARTITION BY "
	  "task ORDER BY ts), 0)) AS begin FROM throttle_wait WHERE run = ?1) AS w "
	  "LEFT JOIN task AS t ON t.task = w.task ORDER BY w.ts" },
	{ "compaction", "X",
	  "SELECT 4, t.tid, 'compaction', c.ts, c.dur, c.migrated, c.failed, c.migrate_scanned, "
	  "c.free_scanned FROM span AS p JOIN compaction AS c ON c.run = p.run AND c.ts >= p.start "
	  "AND c.ts < p.\"end\" LEFT JOIN task AS t ON t.task = c.task WHERE p.run = ?1 "
	  "AND c.dur NOT NULL ORDER BY c.ts" },
	{ "zones", "C",
	  "SELECT 5, 0, 'node ' || z.node || ' ' || z.zone, z.ts, NULL, z.free, z.min, z.low, z.high "
	  "FROM zone_state AS z JOIN span AS p ON p.run = z.run WHERE z.run = ?1 "
	  "AND z.ts >= p.start AND z.ts <= p.\"end\" ORDER BY z.ts" },
	{ "scanned", "C",
	  "SELECT 5, 0, 'scanned in a second', p.start + t.second * 1000000000, NULL, "
	  "t.kswapd_scanned, t.direct_scanned, t.other_scanned FROM timeline AS t "
	  "JOIN span AS p ON p.run = t.run WHERE t.run = ?1 ORDER BY t.second" },
	{ "reclaimed", "C",
	  "SELECT 5, 0, 'reclaimed in a second', p.start + t.second * 1000000000, NULL, "
	  "t.kswapd_reclaimed, t.direct_reclaimed, t.other_reclaimed FROM timeline AS t "
	  "JOIN span AS p ON p.run = t.run WHERE t.run = ?1 ORDER BY t.second" },
	{ "refaults", "C",
	  "SELECT 5, 0, 'refaults a second, ' || name, ts, NULL, rate FROM refault_series "
	  "WHERE run = ?1 ORDER BY ts" },
	{ "markers", "i",
	  "SELECT 6, 0, m.text, m.ts, NULL FROM span AS p JOIN marker AS m ON m.run = p.run "
	  "AND m.ts >= p.start AND m.ts <= p.\"end\" WHERE p.run = ?1 ORDER BY m.ts" },
	{ "losses", "i",
	  "SELECT 6, 0, 'lost: ' || l.kind, l.ts, NULL, l.cpu, l.count FROM span AS p "
	  "JOIN loss AS l ON l.run = p.run AND l.ts >= p.start AND l.ts <= p.\"end\" "
	  "WHERE p.run = ?1 ORDER BY l.ts" },
};

#define NR_TRACKS (sizeof(tracks) / sizeof(tracks[0]))

static void print_arguments(struct json *json, const struct track *track, sqlite3_stmt *stmt)
{
	bool counter = track->phase[0] == 'C';

	json_open(json, "args", '{');
	for (int c = TRACK_ARGUMENTS; c < sqlite3_column_count(stmt); c++)
		/* A counter without a number is none for the reader. */
		if (!counter || sqlite3_column_type(stmt, c) != SQLITE_NULL)
			json_column(json, stmt, c);
	json_close(json, '}');
}

static void print_event(struct json *json, const struct track *track, sqlite3_stmt *stmt)
{
	json_open(json, NULL, '{');
	json_string(json, "ph", track->phase);
	json_value(json, "pid", stmt, TRACK_GROUP);
	json_integer(json, "tid", sqlite3_column_int64(stmt, TRACK_NUMBER));
	json_string(json, "name", query_text(stmt, TRACK_NAME));
	json_thousandths(json, "ts", sqlite3_column_int64(stmt, TRACK_TS));
	if (sqlite3_column_type(stmt, TRACK_DUR) != SQLITE_NULL)
		json_thousandths(json, "dur", sqlite3_column_int64(stmt, TRACK_DUR));
	if (track->phase[0] == 'i')
		json_string(json, "s", "g");
	print_arguments(json, track, stmt);
	json_close(json, '}');
	fputc('\n', json->out);
}

static int print_track(struct json *json, const struct track *track, const struct lens *lens,
		       struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(lens_db(lens), track->sql, lens_run(lens), &stmt, msg);

	if (!ret) {
		while ((ret = query_step(stmt, msg)) > 0)
			print_event(json, track, stmt);
		sqlite3_finalize(stmt);
	}
	if (ret)
		rl_msg_prefix(msg, "track %s", track->key);
	return ret;
}

int export_trace(const struct lens *lens, FILE *out, struct rl_msg *msg)
{
	struct json json = { .out = out, .compact = true };
	int ret = 0;

	json_open(&json, NULL, '{');
	json_string(&json, "displayTimeUnit", "ms");
	json_open(&json, "traceEvents", '[');
	for (size_t i = 0; !ret && i < NR_TRACKS; i++)
		ret = print_track(&json, &tracks[i], lens, msg);
	json_close(&json, ']');
	json_close(&json, '}');
	return ret;
}
