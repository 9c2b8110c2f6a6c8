/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* event.c - what the engine tells: events, counters, and the hash that proves two runs equal */
#include "internal.h"

static const char *const counter_names[] = {
#define NAME(id, name) [RECLAIM_VM_##id] = #name,
	RECLAIM_COUNTERS(NAME)
#undef NAME
};

const char *reclaim_counter_name(enum reclaim_counter counter)
{
	return (unsigned int)counter < RECLAIM_NR_COUNTERS ? counter_names[counter] : NULL;
}

int reclaim_counter_find(const char *name)
{
	int i;

	for (i = 0; i < RECLAIM_NR_COUNTERS; i++)
		if (!strcmp(name, counter_names[i]))
			return i;
	return -ENOENT;
}

struct reclaim_event rc_event(const struct reclaim_engine *e, enum reclaim_event_type type)
{
	struct reclaim_event ev;

	memset(&ev, 0, sizeof(ev));
	ev.at = rc_now(e);
	ev.type = (uint8_t)type;
	if (e->cur != RC_NONE) {
		ev.actor = (uint8_t)e->actors[e->cur].kind;
		ev.id = e->actors[e->cur].id;
		ev.cpu = (uint16_t)e->cur_cpu;
	}
	return ev;
}

void rc_emit(struct reclaim_engine *e, const struct reclaim_event *ev)
{
	const unsigned char *b = (const unsigned char *)ev;
	uint64_t h = e->hash, w;
	size_t i;

	for (i = 0; i + sizeof(w) <= sizeof(*ev); i += sizeof(w)) {
		memcpy(&w, b + i, sizeof(w));
		h = (h ^ w) * 0x100000001b3ULL;
		h ^= h >> 29;
	}
	e->hash = h;
	if (e->event && rc_event_wanted(e, (enum reclaim_event_type)ev->type))
		e->event(e->event_ctx, ev);
}
