/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/ingest_histogram.h"

#include <errno.h>
#include <string.h>

#include "sql/ingest_private.h"

#define NS_PER_US  1000
#define KEY_LEN	   24
#define NR_NUMBERS 8

/* "{ order: 0, lat: ~ 2^10 } hitcount: 12  lat: 17000": names and numbers, keys first. */
struct entry {
	unsigned int nr;
	unsigned int nr_keys;
	char name[NR_NUMBERS][KEY_LEN];
	int64_t number[NR_NUMBERS];
};

struct text {
	const char *p;
	const char *end;
};

static void skip(struct text *t, const char *set)
{
	while (t->p < t->end && strchr(set, *t->p))
		t->p++;
}

static bool take_name(struct text *t, char *name)
{
	size_t len = 0;

	while (t->p < t->end && *t->p != ':') {
		if (len == KEY_LEN - 1 || strchr(" {},", *t->p))
			return false;
		name[len++] = *t->p++;
	}
	name[len] = '\0';
	if (t->p == t->end || !len)
		return false;
	t->p++;
	return true;
}

/* A number, or the exponent of "~ 2^n". */
static bool take_number(struct text *t, int64_t *number)
{
	int64_t n = 0;
	bool any = false;

	skip(t, " ~");
	if (t->end - t->p >= 2 && t->p[0] == '2' && t->p[1] == '^')
		t->p += 2;
	while (t->p < t->end && *t->p >= '0' && *t->p <= '9') {
		if (n > (INT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (*t->p++ - '0');
		any = true;
	}
	*number = n;
	return any;
}

static bool parse_entry(const char *line, size_t len, struct entry *entry)
{
	struct text t = { line, line + len };

	memset(entry, 0, sizeof(*entry));
	skip(&t, " {");
	while (t.p < t.end && entry->nr < NR_NUMBERS) {
		if (!take_name(&t, entry->name[entry->nr]) ||
		    !take_number(&t, &entry->number[entry->nr]))
			return false;
		entry->nr++;
		skip(&t, " ,");
		if (t.p < t.end && *t.p == '}') {
			entry->nr_keys = entry->nr;
			t.p++;
			skip(&t, " ");
		}
	}
	return t.p == t.end && entry->nr_keys && entry->nr > entry->nr_keys;
}

/* The key called @name; or the value behind the keys. STORE_NULL where there is none. */
static int64_t entry_key(const struct entry *entry, const char *name)
{
	for (unsigned int i = 0; i < entry->nr_keys; i++)
		if (!strcmp(entry->name[i], name))
			return entry->number[i];
	return STORE_NULL;
}

static int64_t entry_sum(const struct entry *entry, const char *name)
{
	for (unsigned int i = entry->nr_keys; i < entry->nr; i++)
		if (!strcmp(entry->name[i], name))
			return entry->number[i];
	return STORE_NULL;
}

/* Share number @i of @n of @sum: they differ by one at most and add up to it. */
static int64_t share(int64_t sum, int64_t i, int64_t n)
{
	return sum == STORE_NULL ? STORE_NULL : sum / n + (i < sum % n);
}

/* What a kind of histogram fills a row with; @i of @n rows. */
typedef void fill_row(int64_t *row, const struct entry *entry, int64_t i, int64_t n);

static void fill_stall(int64_t *row, const struct entry *entry, int64_t i, int64_t n)
{
	int64_t us = share(entry_sum(entry, "lat"), i, n);

	row[store_reclaim_order] = entry_key(entry, "order");
	row[store_reclaim_dur] =
		us == STORE_NULL || us > INT64_MAX / NS_PER_US ? STORE_NULL : us * NS_PER_US;
	row[store_reclaim_paired] = 3;
	row[store_reclaim_depth] = 0;
}

static void fill_direct(int64_t *row, const struct entry *entry, int64_t i, int64_t n)
{
	row[store_reclaim_actor] = STORE_DIRECT;
	fill_stall(row, entry, i, n);
}

static void fill_memcg(int64_t *row, const struct entry *entry, int64_t i, int64_t n)
{
	row[store_reclaim_actor] = STORE_MEMCG;
	fill_stall(row, entry, i, n);
}

static void fill_throttle(int64_t *row, const struct entry *entry, int64_t i, int64_t n)
{
	row[store_throttle_reason] = entry_key(entry, "reason");
	row[store_throttle_delayed] = entry_key(entry, "usec_delayed");
	row[store_throttle_timeout] = share(entry_sum(entry, "usec_timeout"), i, n);
	row[store_throttle_kind] = 0;
}

static void fill_scan(int64_t *row, const struct entry *entry, int64_t i, int64_t n)
{
	row[store_scan_lru] = entry_key(entry, "lru");
	row[store_scan_scanned] = share(entry_sum(entry, "nr_scanned"), i, n);
	row[store_scan_taken] = share(entry_sum(entry, "nr_taken"), i, n);
	row[store_scan_parts] = 1;
}

static void fill_reclaimed(int64_t *row, const struct entry *entry, int64_t i, int64_t n)
{
	int64_t flags = entry_key(entry, "reclaim_flags");

	row[store_scan_lru] = flags != STORE_NULL && (flags & 2) ? 2 : 0;
	row[store_scan_flags] = flags;
	row[store_scan_reclaimed] = share(entry_sum(entry, "nr_reclaimed"), i, n);
	row[store_scan_parts] = 2;
}

static void fill_wake(int64_t *row, const struct entry *entry, int64_t i, int64_t n)
{
	row[store_kswapd_cycle_node] = entry_key(entry, "nid");
	row[store_kswapd_cycle_order] = entry_key(entry, "order");
	row[store_kswapd_cycle_end_kind] = 2;
}

#define NO_ACTOR 0

static const struct histogram {
	const char *scope;
	unsigned int table;
	unsigned int nr;
	unsigned int actor; /* column that the task decides, or NO_ACTOR */
	fill_row *fill;
} histograms[] = {
	{ "stall-direct", STORE_TABLE_reclaim, store_reclaim_nr, NO_ACTOR, fill_direct },
	{ "stall-memcg", STORE_TABLE_reclaim, store_reclaim_nr, NO_ACTOR, fill_memcg },
	{ "throttle", STORE_TABLE_throttle, store_throttle_nr, store_throttle_actor,
	  fill_throttle },
	{ "scan", STORE_TABLE_scan, store_scan_nr, store_scan_actor, fill_scan },
	{ "reclaim", STORE_TABLE_scan, store_scan_nr, store_scan_actor, fill_reclaimed },
	{ "wake", STORE_TABLE_kswapd_cycle, store_kswapd_cycle_nr, NO_ACTOR, fill_wake },
};

static int put_loss(struct ingest *ingest, int64_t count, struct rl_msg *msg)
{
	sqlite3_stmt *stmt = store_statement(
		ingest->store, "INSERT INTO loss (run, count, kind) VALUES (?1, ?2, 'dropped')",
		msg);

	if (!stmt)
		return -EIO;
	sqlite3_bind_int64(stmt, 1, ingest->run);
	sqlite3_bind_int64(stmt, 2, count);
	if (sqlite3_step(stmt) != SQLITE_DONE)
		return rl_fail(msg, EIO, "loss: %s", sqlite3_errmsg(store_db(ingest->store)));
	sqlite3_reset(stmt);
	return 0;
}

static int put_entry(struct ingest *ingest, const struct histogram *h, const struct entry *entry,
		     const struct event *ev, struct rl_msg *msg)
{
	int64_t count = entry_sum(entry, "hitcount");
	int64_t pid = entry_key(entry, "common_pid");
	int64_t row[EVENT_SLOTS + STORE_NR_COMMON];
	struct ingest_task *task;
	int ret = 0;

	if (count < 1)
		return 0;
	if (count > INGEST_HISTOGRAM_MAX)
		count = 1;
	task = ingest_task(ingest, pid >= 0 && pid <= INT32_MAX ? (int32_t)pid : -1, ev->ts);
	if (!task)
		return rl_fail(msg, ENOMEM, "out of memory");
	if (h->table == STORE_TABLE_kswapd_cycle)
		ingest_task_is(task, INGEST_KSWAPD);
	for (int64_t i = 0; i < count && !ret; i++) {
		ingest_row(row, h->nr, task, ev);
		if (h->actor)
			row[h->actor] = ingest_actor(task);
		h->fill(row, entry, i, count);
		ret = store_put(ingest->store, h->table, row, msg);
	}
	return ret;
}

static int take_line(struct ingest *ingest, const struct histogram *h, const char *line, size_t len,
		     const struct event *ev, struct rl_msg *msg)
{
	static const char dropped[] = "Dropped:";
	struct entry entry;

	if (len > sizeof(dropped) - 1 && !memcmp(line, dropped, sizeof(dropped) - 1)) {
		struct text t = { line + sizeof(dropped) - 1, line + len };
		int64_t count;

		return take_number(&t, &count) && count ? put_loss(ingest, count, msg) : 0;
	}
	return parse_entry(line, len, &entry) ? put_entry(ingest, h, &entry, ev, msg) : 0;
}

bool ingest_histogram_is(const struct counter_marker *marker)
{
	return marker->file_len == 4 && !memcmp(marker->file, "hist", 4);
}

int ingest_histogram(struct ingest *ingest, const struct counter_marker *marker,
		     const struct event *ev, struct rl_msg *msg)
{
	const char *p = marker->lines, *end = p + marker->lines_len;
	const struct histogram *h = NULL;
	int ret = 0;

	for (size_t i = 0; i < sizeof(histograms) / sizeof(histograms[0]); i++)
		if (strlen(histograms[i].scope) == marker->scope_len &&
		    !memcmp(histograms[i].scope, marker->scope, marker->scope_len))
			h = &histograms[i];
	while (h && p < end && !ret) {
		const char *stop = memchr(p, ';', end - p);

		ret = take_line(ingest, h, p, (size_t)((stop ? stop : end) - p), ev, msg);
		p = stop ? stop + 1 : end;
	}
	return ret;
}
