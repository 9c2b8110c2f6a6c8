/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counter snapshots of one run and their place on its clock. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/read/counter_marker.h"
#include "capture/read/counters.h"
#include "sql/import_private.h"
#include "sql/store_internal.h"

#define HASH_FIRST   1024 /* a power of two */
#define LABEL_SIZE   64
#define NS_PER_S     INT64_C(1000000000)
#define CLOCK_MARGIN (60 * NS_PER_S) /* a series may begin before the trace and end behind it */

/* A counter that the table has: its row by source, scope and name. */
struct known {
	uint64_t hash; /* 0: free place */
	int64_t id;
	char *key; /* scope, NUL, name */
	enum counters_source source;
};

struct import_counters {
	struct store *store;
	int64_t run;
	const char *file; /* that is read */
	int64_t snapshot; /* that values belong to, 0: none */
	uint64_t snapshots;
	struct known *known;
	size_t size, used;
	/* Markers with counters. */
	char label[LABEL_SIZE]; /* of "SNAP label", until "SNAPEND" */
	int64_t label_ts;
	bool any_marker;
	uint64_t marker_number;
};

static int fail_db(struct import_counters *c, int rc, const char *what, struct rl_msg *msg)
{
	return sql_fail(store_db(c->store), rc, msg, what);
}

static uint64_t hash_bytes(uint64_t hash, const char *text)
{
	do {
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	} while (*text++);
	return hash;
}

static uint64_t hash_of(const struct counters_value *v)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + (uint64_t)v->source;

	hash = hash_bytes(hash_bytes(hash, v->scope), v->name);
	return hash ? hash : 1;
}

static bool same_counter(const struct known *k, uint64_t hash, const struct counters_value *v)
{
	return k->hash == hash && k->source == v->source && !strcmp(k->key, v->scope) &&
	       !strcmp(k->key + strlen(k->key) + 1, v->name);
}

static struct known *find_known(struct import_counters *c, uint64_t hash,
				const struct counters_value *v)
{
	size_t i = hash & (c->size - 1);

	while (c->known[i].hash && !same_counter(&c->known[i], hash, v))
		i = (i + 1) & (c->size - 1);
	return &c->known[i];
}

static int grow_known(struct import_counters *c)
{
	struct known *old = c->known;
	size_t old_size = c->size;
	struct known *grown = calloc(2 * old_size, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	c->known = grown;
	c->size = 2 * old_size;
	for (size_t i = 0; i < old_size; i++) {
		size_t at = old[i].hash & (c->size - 1);

		if (!old[i].hash)
			continue;
		while (grown[at].hash)
			at = (at + 1) & (c->size - 1);
		grown[at] = old[i];
	}
	free(old);
	return 0;
}

/* The row of @v in the table counter, made when there is none. Negative errno on failure. */
static int64_t counter_row(struct import_counters *c, const struct counters_value *v,
			   struct rl_msg *msg)
{
	static const char sql[] =
		"INSERT INTO counter (source, scope, name, unit, cumulative)"
		" VALUES (?, ?, ?, ?, ?) ON CONFLICT (source, scope, name)"
		" DO UPDATE SET cumulative = excluded.cumulative RETURNING counter";
	sqlite3_stmt *insert = store_statement(c->store, sql, msg);
	int64_t id;
	int rc;

	if (!insert)
		return -EIO;
	sqlite3_bind_text(insert, 1, counters_source_name(v->source), -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 2, v->scope, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(insert, 3, v->name, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(insert, 4, v->unit, -1, SQLITE_TRANSIENT);
	sqlite3_bind_int(insert, 5, v->cumulative);
	rc = sqlite3_step(insert);
	id = sqlite3_column_int64(insert, 0);
	if (rc == SQLITE_ROW)
		rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? id : fail_db(c, rc, "counter", msg);
}

static int64_t counter_id(struct import_counters *c, const struct counters_value *v,
			  struct rl_msg *msg)
{
	uint64_t hash = hash_of(v);
	struct known *k = find_known(c, hash, v);
	size_t scope_len = strlen(v->scope) + 1, name_len = strlen(v->name) + 1;
	int64_t id;

	if (k->hash)
		return k->id;
	if (2 * (c->used + 1) > c->size) {
		if (grow_known(c))
			return rl_fail_errno(msg, ENOMEM, "counters");
		k = find_known(c, hash, v);
	}
	id = counter_row(c, v, msg);
	if (id < 0)
		return id;
	k->key = malloc(scope_len + name_len);
	if (!k->key)
		return rl_fail_errno(msg, ENOMEM, "counters");
	memcpy(k->key, v->scope, scope_len);
	memcpy(k->key + scope_len, v->name, name_len);
	k->hash = hash;
	k->id = id;
	k->source = v->source;
	c->used++;
	return id;
}

static int put_value(void *ctx, const struct counters_value *v, struct rl_msg *msg)
{
	struct import_counters *c = ctx;
	int64_t id = counter_id(c, v, msg);
	sqlite3_stmt *insert;
	int rc;

	if (id < 0)
		return (int)id;
	insert = store_statement(c->store,
				 "INSERT OR REPLACE INTO sample (run, snapshot, counter, value)"
				 " VALUES (?, ?, ?, ?)",
				 msg);
	if (!insert)
		return -EIO;
	sqlite3_bind_int64(insert, 1, c->run);
	sqlite3_bind_int64(insert, 2, c->snapshot);
	sqlite3_bind_int64(insert, 3, id);
	sqlite3_bind_int64(insert, 4, v->value);
	rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? 0 : fail_db(c, rc, "sample", msg);
}

static int new_snapshot(struct import_counters *c, bool has_ts, int64_t ts, const char *label,
			struct rl_msg *msg)
{
	sqlite3_stmt *insert;
	int rc;

	insert = store_statement(
		c->store, "INSERT INTO snapshot (run, ts, label, file) VALUES (?, ?, ?, ?)", msg);
	if (!insert)
		return -EIO;
	sqlite3_bind_int64(insert, 1, c->run);
	if (has_ts)
		sqlite3_bind_int64(insert, 2, ts);
	sqlite3_bind_text(insert, 3, label, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(insert, 4, c->file, -1, SQLITE_TRANSIENT);
	rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	if (rc != SQLITE_DONE)
		return fail_db(c, rc, "snapshot", msg);
	c->snapshot = sqlite3_last_insert_rowid(store_db(c->store));
	c->snapshots++;
	return 0;
}

static int begin_snapshot(void *ctx, const struct counters_snapshot *s, struct rl_msg *msg)
{
	return new_snapshot(ctx, s->has_time, s->time, s->label, msg);
}

int import_counters_file(struct import_counters *c, const char *path, struct rl_msg *msg)
{
	struct counters_visitor visitor = { begin_snapshot, put_value, c };

	c->file = path;
	return counters_read(path, &visitor, msg);
}

int import_counters_reports(struct import_counters *c, const struct source *source,
			    struct rl_msg *msg)
{
	struct counters_visitor visitor = { begin_snapshot, put_value, c };
	int ret;

	c->file = source_info(source)->path;
	ret = source_reports(source, &visitor, msg);
	return ret < 0 ? ret : 0;
}

/* "SNAP before" opens a labelled moment, "SNAPEND before" closes it. */
static void note_label(struct import_counters *c, const char *text, size_t len, int64_t ts)
{
	while (len && (text[len - 1] == '\n' || !text[len - 1]))
		len--;
	if (len > 5 && !memcmp(text, "SNAP ", 5)) {
		snprintf(c->label, sizeof(c->label), "%.*s",
			 len - 5 < LABEL_SIZE ? (int)(len - 5) : LABEL_SIZE - 1, text + 5);
		c->label_ts = ts;
	} else if (len >= 7 && !memcmp(text, "SNAPEND", 7)) {
		c->label[0] = '\0';
	}
}

int import_counters_marker(struct import_counters *c, const struct event *ev, struct rl_msg *msg)
{
	const struct event_string *text = &ev->string[print_buf];
	struct counters_visitor visitor = { begin_snapshot, put_value, c };
	struct counter_marker marker;
	int ret = 0;

	if (!event_has(ev, print_buf))
		return 0;
	if (!counter_marker_parse(text->text, text->len, &marker)) {
		note_label(c, text->text, text->len, (int64_t)ev->ts);
		return 0;
	}
	if (!c->any_marker || marker.number != c->marker_number) {
		c->file = "";
		ret = new_snapshot(c, true, c->label[0] ? c->label_ts : (int64_t)ev->ts, c->label,
				   msg);
		c->any_marker = true;
		c->marker_number = marker.number;
	}
	if (!ret)
		ret = counters_lines(marker.file, marker.file_len, marker.scope, marker.scope_len,
				     marker.lines, marker.lines_len, ';', &visitor, msg);
	/* A file that only a newer recorder knows is no reason to stop. */
	return ret && ret != -EINVAL ? ret : 1;
}

static int run_sql(struct import_counters *c, const char *sql, int64_t start, int64_t end,
		   struct rl_msg *msg)
{
	sqlite3_stmt *stmt = store_statement(c->store, sql, msg);
	int rc;

	if (!stmt)
		return -EIO;
	sqlite3_bind_int64(stmt, 1, c->run);
	if (sqlite3_bind_parameter_count(stmt) > 1) {
		sqlite3_bind_int64(stmt, 2, start);
		sqlite3_bind_int64(stmt, 3, end);
	}
	rc = sqlite3_step(stmt);
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? 0 : fail_db(c, rc, "snapshot", msg);
}

/* Snapshots with a label are at the marker "SNAP label", or "label". */
static const char place_by_marker[] =
	"UPDATE snapshot SET ts = (SELECT min(m.ts) FROM marker AS m WHERE m.run = ?1"
	" AND m.text = 'SNAP ' || label) WHERE run = ?1 AND ts IS NULL AND label <> ''"
	" AND EXISTS (SELECT 1 FROM marker AS m WHERE m.run = ?1 AND m.text = 'SNAP ' || label)";
static const char place_by_plain_marker[] =
	"UPDATE snapshot SET ts = (SELECT min(m.ts) FROM marker AS m WHERE m.run = ?1"
	" AND m.text = label) WHERE run = ?1 AND ts IS NULL AND label <> ''";
/* Else where the file uptime with the same label says. */
static const char place_by_uptime[] =
	"UPDATE snapshot SET ts = (SELECT x.value FROM snapshot AS u"
	" JOIN sample AS x ON x.run = u.run AND x.snapshot = u.snapshot"
	" JOIN counter AS c ON c.counter = x.counter AND c.source = 'uptime'"
	" WHERE u.run = ?1 AND u.label = snapshot.label LIMIT 1)"
	" WHERE run = ?1 AND ts IS NULL";
/* A time that is not on the trace's clock is none. */
static const char drop_foreign_times[] =
	"UPDATE snapshot SET ts = NULL WHERE run = ?1 AND (ts < ?2 OR ts > ?3)";

static int span_of_snapshots(struct import_counters *c, uint64_t *start, uint64_t *end,
			     struct rl_msg *msg)
{
	sqlite3_stmt *query;

	query = store_statement(c->store, "SELECT min(ts), max(ts) FROM snapshot WHERE run = ?",
				msg);
	if (!query)
		return -EIO;
	sqlite3_bind_int64(query, 1, c->run);
	if (sqlite3_step(query) == SQLITE_ROW && sqlite3_column_type(query, 0) != SQLITE_NULL) {
		*start = (uint64_t)sqlite3_column_int64(query, 0);
		*end = (uint64_t)sqlite3_column_int64(query, 1);
	}
	sqlite3_reset(query);
	return 0;
}

int import_counters_finish(struct import_counters *c, uint64_t *start, uint64_t *end,
			   struct rl_msg *msg)
{
	bool trace = *start <= *end;
	int64_t low = trace ? (int64_t)*start - CLOCK_MARGIN : 0;
	int64_t high = trace ? (int64_t)*end + CLOCK_MARGIN : INT64_MAX;
	int ret;

	if (!c->snapshots)
		return 0;
	ret = run_sql(c, place_by_marker, 0, 0, msg);
	if (!ret)
		ret = run_sql(c, place_by_plain_marker, 0, 0, msg);
	if (!ret)
		ret = run_sql(c, place_by_uptime, 0, 0, msg);
	if (!ret)
		ret = run_sql(c, drop_foreign_times, low, high, msg);
	return ret || trace ? ret : span_of_snapshots(c, start, end, msg);
}

uint64_t import_counters_snapshots(const struct import_counters *c)
{
	return c->snapshots;
}

int import_counters_open(struct store *store, int64_t run, struct import_counters **out,
			 struct rl_msg *msg)
{
	struct import_counters *c = calloc(1, sizeof(*c));

	if (c)
		c->known = calloc(HASH_FIRST, sizeof(*c->known));
	if (!c || !c->known) {
		free(c);
		return rl_fail_errno(msg, ENOMEM, "counters");
	}
	c->store = store;
	c->run = run;
	c->size = HASH_FIRST;
	c->file = "";
	*out = c;
	return 0;
}

void import_counters_close(struct import_counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->size; i++)
		free(c->known[i].key);
	free(c->known);
	free(c);
}
