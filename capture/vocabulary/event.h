/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event.h - one decoded event, whatever it was read from
 *
 * Binary traces, text traces and the replay engine all yield struct event. Its values are
 *canonical: integers in the units and codes of the vocabulary (see vocabulary.h), never those of
 *one kernel. A source owns one struct event and fills it again for every event; nothing in it is
 *allocated.
 *
 * Which value is where is fixed per event: events.def gives each field of an event a slot, and
 * vocabulary.h turns it into an enumerator, so that a consumer writes
 *
 *	if (event_has(ev, mm_vmscan_lru_isolate_nr_scanned))
 *		scanned += ev->value[mm_vmscan_lru_isolate_nr_scanned];
 */
#ifndef RECLAIMLAB_EVENT_H
#define RECLAIMLAB_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most fields that an event of the vocabulary has. */
#define EVENT_SLOTS 24

/* A string that the source owns; not terminated; valid until the source's next event. */
struct event_string {
	const char *text;
	uint32_t len;
};

struct event {
	uint64_t ts;	/* ns on the run's clock; see EVENT_NO_TIME_UNIT */
	int32_t cpu;	/* -1: not known */
	int32_t pid;	/* thread id; -1: not known */
	uint16_t id;	/* enum vocab_id */
	uint16_t flags; /* EVENT_* */
	uint32_t have;	/* bit n: value[n] was recorded */
	int64_t lost;	/* events lost on this CPU just before: 0, a count, or -1: unknown */
	uint64_t where; /* offset in the file (binary) or line number (text) */
	int64_t value[EVENT_SLOTS];
	struct event_string string[EVENT_SLOTS]; /* for VOCAB_STRING and VOCAB_SYMBOL slots */
	struct event_string comm; /* text sources: the name on the line, else len 0 */
};

#define EVENT_NO_TIME_UNIT 1 /* ts counts something that is not a time (clock counter, x86-tsc) */

static inline bool event_has(const struct event *ev, unsigned int slot)
{
	return ev->have & (1u << slot);
}

/* The value of @slot, or @absent where the event was recorded without it. */
static inline int64_t event_value(const struct event *ev, unsigned int slot, int64_t absent)
{
	return event_has(ev, slot) ? ev->value[slot] : absent;
}

#endif
