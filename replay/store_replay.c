/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/store_replay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "replay/engine_event.h"
#include "sql/ingest.h"

#define GRADE_SIZE 4096

struct writer {
	struct store *store;
	struct ingest *ingest;
	const struct demand *demand;
	char comm[32];
};

static int on_event(void *ctx, const struct event *ev, struct rl_msg *msg)
{
	struct writer *w = ctx;

	return ingest_event(w->ingest, ev, msg);
}

static const char *comm_of(void *ctx, int32_t pid)
{
	struct writer *w = ctx;

	return engine_event_comm(w->demand, pid, w->comm, sizeof(w->comm));
}

static int step(struct store *store, sqlite3_stmt *stmt, struct rl_msg *msg)
{
	if (!stmt)
		return -EIO;
	if (sqlite3_step(stmt) == SQLITE_DONE)
		return 0;
	return rl_fail(msg, EIO, "database: %s", sqlite3_errmsg(store_db(store)));
}

static int put_snapshot(struct store *store, int64_t run, uint64_t ts, const char *label,
			struct rl_msg *msg)
{
	sqlite3_stmt *stmt = store_statement(store,
					     "INSERT INTO snapshot (run, ts, label, file)"
					     " VALUES (?, ?, ?, 'replay')",
					     msg);

	if (!stmt)
		return -EIO;
	sqlite3_bind_int64(stmt, 1, run);
	sqlite3_bind_int64(stmt, 2, (int64_t)ts);
	sqlite3_bind_text(stmt, 3, label, -1, SQLITE_STATIC);
	return step(store, stmt, msg);
}

static int put_counter(struct store *store, int64_t run, int64_t snapshot, const char *name,
		       int64_t value, struct rl_msg *msg)
{
	sqlite3_stmt *stmt =
		store_statement(store,
				"INSERT OR IGNORE INTO counter (source, scope, name, unit,"
				" cumulative) VALUES ('vmstat', '', ?, '', 1)",
				msg);
	int ret;

	if (!stmt)
		return -EIO;
	sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
	ret = step(store, stmt, msg);
	if (ret)
		return ret;
	stmt = store_statement(store,
			       "INSERT INTO sample (run, snapshot, counter, value)"
			       " SELECT ?1, ?2, counter, ?3 FROM counter"
			       " WHERE source = 'vmstat' AND scope = '' AND name = ?4",
			       msg);
	if (!stmt)
		return -EIO;
	sqlite3_bind_int64(stmt, 1, run);
	sqlite3_bind_int64(stmt, 2, snapshot);
	sqlite3_bind_int64(stmt, 3, value);
	sqlite3_bind_text(stmt, 4, name, -1, SQLITE_STATIC);
	return step(store, stmt, msg);
}

/* The engine counts from 0: a snapshot of zeros at the begin, its counters at the end. */
static int put_counters(struct store *store, int64_t run, uint64_t start, uint64_t end,
			const struct run_result *result, struct rl_msg *msg)
{
	int ret = 0;

	for (int after = 0; after < 2 && !ret; after++) {
		int64_t snapshot;

		ret = put_snapshot(store, run, after ? end : start, after ? "after" : "before",
				   msg);
		snapshot = sqlite3_last_insert_rowid(store_db(store));
		for (int i = 0; i < RECLAIM_NR_COUNTERS && !ret; i++)
			ret = put_counter(store, run, snapshot, reclaim_counter_name(i),
					  after ? (int64_t)result->counters[i] : 0, msg);
	}
	return ret;
}

/* The grade as JSON: {"scanned": {"recorded": n, "median": n, "min": n, "max": n}, ...}. */
static void grade_json(const struct grade *grade, char *buf, size_t size)
{
	size_t len = (size_t)snprintf(buf, size, "{");

	for (int i = 0; i < GRADE_NR_METRICS && len < size; i++) {
		const struct grade_row *row = &grade->row[i];

		if (!row->known || !row->range.known)
			continue;
		len += (size_t)snprintf(buf + len, size - len,
					"%s\"%s\": {\"recorded\": %.0f, \"median\": %.0f, "
					"\"min\": %.0f, \"max\": %.0f}",
					len > 1 ? ", " : "", grade_metric_name(i), row->recorded,
					row->range.median, row->range.min, row->range.max);
	}
	if (len < size)
		snprintf(buf + len, size - len, "}");
}

static int put_grade(struct store *store, int64_t run, const struct grade *grade,
		     struct rl_msg *msg)
{
	sqlite3_stmt *stmt = store_statement(store, "UPDATE run SET grade = ? WHERE run = ?", msg);
	char json[GRADE_SIZE];

	if (!stmt)
		return -EIO;
	grade_json(grade, json, sizeof(json));
	sqlite3_bind_text(stmt, 1, json, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int64(stmt, 2, run);
	return step(store, stmt, msg);
}

static int write_run(struct writer *w, struct run_job *job, int64_t run,
		     const struct rl_progress *progress, struct rl_msg *msg)
{
	struct run_result result = { 0 };
	uint64_t start, end;
	int ret = ingest_open(w->store, run, &w->ingest, msg);

	if (ret)
		return ret;
	ingest_names(w->ingest, comm_of, w);
	job->event = on_event;
	job->ctx = w;
	ret = run_all(job, &result, 1, 1, progress);
	if (!ret)
		ret = result.error;
	if (ret)
		*msg = result.msg;
	if (!ret)
		ret = ingest_finish(w->ingest, &start, &end, msg);
	start = job->demand->start;
	end = start + (uint64_t)result.ended;
	if (!ret)
		ret = put_counters(w->store, run, start, end, &result, msg);
	if (!ret)
		ret = store_run_end(w->store, start, end, msg);
	run_result_clear(&result);
	ingest_close(w->ingest);
	return ret;
}

int store_replay(struct store *store, const struct replay *replay, unsigned int variant,
		 int64_t parent, const struct rl_progress *progress, int64_t *run,
		 struct rl_msg *msg)
{
	const struct replay_variant *v = &replay->variants[variant];
	const struct recording *rec = replay->recording;
	struct writer w = { .store = store, .demand = rec->demand };
	struct run_job job;
	int ret;

	replay_job(replay, variant, 0, &job);
	ret = store_run_begin(store,
			      &(struct store_run){
				      .kind = "replayed",
				      .source = *v->policy ? v->policy : "as recorded",
				      .form = "replay",
				      .kernel = rec->kernel,
				      .machine = replay->uml ? "User Mode Linux" : "",
				      .clock = "mono",
				      .time_known = true,
				      .page_size = rec->page_size,
				      .cpus = rec->cpus,
				      .policy = *v->policy ? v->policy : "as recorded",
				      .parameters = v->changes,
				      .parent = parent,
				      .seed = (int64_t)job.seed,
			      },
			      run, msg);
	if (!ret)
		ret = write_run(&w, &job, *run, progress, msg);
	if (!ret && !variant)
		ret = put_grade(store, *run, &replay->grade, msg);
	return ret;
}
