/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that no kernel emits. A flipped bit or a mangled line can make any number of a count of
 * pages, and one such number would drown every sum, so it is not taken and the run says so. The
 * bound is the largest count that cannot be right: physical addresses have at most 52 bits.
 */
#include "sql/ingest_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAGES_END (INT64_C(1) << 40) /* of 4096 bytes in 2^52 bytes */

uint32_t ingest_page_slots(const struct vocab_entry *entry)
{
	static const char *const systems[] = { "vmscan", "compaction", "migrate" };
	uint32_t slots = 0;
	size_t s = 0;

	/* The flusher's works, for one, rightly ask for LONG_MAX pages. */
	while (s < sizeof(systems) / sizeof(systems[0]) && strcmp(systems[s], entry->system) != 0)
		s++;
	if (s == sizeof(systems) / sizeof(systems[0]))
		return 0;
	for (unsigned int i = 0; i < entry->nr_fields; i++)
		if (entry->fields[i].kind == VOCAB_INT && !strcmp(entry->fields[i].unit, "pages"))
			slots |= UINT32_C(1) << i;
	return slots;
}

uint32_t ingest_unsound(const struct event *ev, uint32_t slots)
{
	uint32_t unsound = 0;

	for (slots &= ev->have; slots; slots &= slots - 1) {
		unsigned int slot = (unsigned int)__builtin_ctz(slots);

		if ((uint64_t)ev->value[slot] >= PAGES_END)
			unsound |= UINT32_C(1) << slot;
	}
	return unsound;
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
	char what[160];
	int ret = 0;

	for (; unsound && !ret; unsound &= unsound - 1) {
		unsigned int slot = (unsigned int)__builtin_ctz(unsound);

		snprintf(what, sizeof(what),
			 "%.6f: %s: %s is %" PRId64 ", which is no count of pages",
			 (double)ev->ts / 1e9, entry->name, entry->fields[slot].name,
			 ev->value[slot]);
		ret = put_damage(ingest, ev, what, msg);
	}
	return ret;
}
