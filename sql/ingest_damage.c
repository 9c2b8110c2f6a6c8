/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that no kernel emits. A flipped bit or a mangled line can make any number of a count, and
 * one such number would drown every sum, so it is not taken and the run says so. The bounds are the
 * least that cannot be right: physical addresses have at most 52 bits, so there are fewer than 2^40
 * pages, and no more objects of slab caches worth a shrinker; 2^40 us are 12 days; the kernel's
 * orders are below 64, and -1 where none is meant.
 */
#include "sql/ingest_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define END (INT64_C(1) << 40)

static const struct ingest_bound {
	const char *unit;
	int64_t min, max;
	const char *words;
} bounds[INGEST_NR_BOUNDS] = {
	[INGEST_PAGES] = { "pages", 0, END - 1, "no count of pages" },
	[INGEST_OBJECTS] = { "objects", 1 - END, END - 1, "no count of objects" },
	[INGEST_MICROSECONDS] = { "us", 0, END - 1, "no time that a task waits" },
	[INGEST_ORDER] = { "", -1, 63, "no order" },
};

/* The flusher's works, for one, rightly ask for LONG_MAX pages. */
static bool counts_pages(const struct vocab_entry *entry)
{
	static const char *const systems[] = { "vmscan", "compaction", "migrate" };

	for (size_t s = 0; s < sizeof(systems) / sizeof(systems[0]); s++)
		if (!strcmp(systems[s], entry->system))
			return true;
	return false;
}

static bool is_order(const struct vocab_field *field)
{
	size_t len = strlen(field->name);

	return len >= 5 && !strcmp(field->name + len - 5, "order");
}

void ingest_bound_slots(const struct vocab_entry *entry, uint32_t slots[INGEST_NR_BOUNDS])
{
	memset(slots, 0, INGEST_NR_BOUNDS * sizeof(*slots));
	for (unsigned int i = 0; i < entry->nr_fields; i++) {
		const struct vocab_field *field = &entry->fields[i];

		for (unsigned int b = 0; b < INGEST_NR_BOUNDS && field->kind == VOCAB_INT; b++) {
			if (strcmp(field->unit, bounds[b].unit) != 0 ||
			    (b == INGEST_PAGES && !counts_pages(entry)) ||
			    (b == INGEST_ORDER && !is_order(field)))
				continue;
			slots[b] |= UINT32_C(1) << i;
		}
	}
}

uint32_t ingest_unsound(const struct event *ev, const uint32_t slots[INGEST_NR_BOUNDS])
{
	uint32_t unsound = 0;

	for (unsigned int b = 0; b < INGEST_NR_BOUNDS; b++)
		for (uint32_t left = slots[b] & ev->have; left; left &= left - 1) {
			unsigned int slot = (unsigned int)__builtin_ctz(left);

			if (ev->value[slot] < bounds[b].min || ev->value[slot] > bounds[b].max)
				unsound |= UINT32_C(1) << slot;
		}
	return unsound;
}

static const char *words_of(const uint32_t slots[INGEST_NR_BOUNDS], unsigned int slot)
{
	unsigned int b = 0;

	while (b + 1 < INGEST_NR_BOUNDS && !(slots[b] & UINT32_C(1) << slot))
		b++;
	return bounds[b].words;
}

static int put_damage(struct ingest *ingest, const struct event *ev, const char *what,
		      struct rl_msg *msg)
{
	sqlite3_stmt *insert;
	int rc;

	insert = store_statement(ingest->store,
				 "INSERT INTO loss (run, ts, cpu, kind, what)"
				 " VALUES (?, ?, ?, 'damaged', ?)",
				 msg);
	if (!insert)
		return -EIO;
	sqlite3_bind_int64(insert, 1, ingest->run);
	sqlite3_bind_int64(insert, 2, (int64_t)ev->ts);
	if (ev->cpu >= 0)
		sqlite3_bind_int(insert, 3, ev->cpu);
	sqlite3_bind_text(insert, 4, what, -1, SQLITE_TRANSIENT);
	rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	if (rc != SQLITE_DONE)
		return rl_fail(msg, EIO, "table loss: %s", sqlite3_errmsg(store_db(ingest->store)));
	return 0;
}

int ingest_damage(struct ingest *ingest, const struct event *ev, uint32_t unsound,
		  struct rl_msg *msg)
{
	const struct vocab_entry *entry = vocab_entry(ev->id);
	const uint32_t *slots = ingest->layout[ev->id].bound;
	char what[160];
	int ret = 0;

	for (; unsound && !ret; unsound &= unsound - 1) {
		unsigned int slot = (unsigned int)__builtin_ctz(unsound);

		snprintf(what, sizeof(what), "%.6f: %s: %s is %" PRId64 ", which is %s",
			 (double)ev->ts / 1e9, entry->name, entry->fields[slot].name,
			 ev->value[slot], words_of(slots, slot));
		ret = put_damage(ingest, ev, what, msg);
	}
	return ret;
}
