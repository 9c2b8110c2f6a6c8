/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preset.h - which events to record, and what the running kernel has of them
 *
 * preset.def names the events of each preset by their vocabulary entry and says what is lost
 * without them. Whether the kernel has an event is asked of tracefs under every name that the
 * vocabulary knows for it.
 */
#ifndef RECLAIMLAB_PRESET_H
#define RECLAIMLAB_PRESET_H

#include "capture/base/message.h"
#include "capture/vocabulary/vocabulary.h"

enum record_preset {
	PRESET_NONE = 0,
	PRESET_RECLAIM = 1, /* cheap enough for production */
	PRESET_PAGES = 2,   /* + allocation, free, LRU, page cache, scheduler of reclaimers */
	PRESET_ACCESS = 4,  /* + accesses */
	PRESET_ALL = 8,	    /* + everything else that the vocabulary stores */
};

/* The preset called @name, or -EINVAL with the names in @msg. */
int preset_find(const char *name, enum record_preset *preset, struct rl_msg *msg);

enum preset_state {
	PRESET_PRESENT,
	PRESET_RENAMED,
	PRESET_REPLACED, /* absent, and nothing is lost: another event of the preset tells it */
	PRESET_PROBE,	 /* no event of the kernel: a dynamic probe of a recording, see probe.h */
	PRESET_ABSENT,
};

struct preset_event {
	enum vocab_id id;
	enum record_preset preset; /* the smallest one that has it */
	enum preset_state state;
	const char *system; /* as the running kernel has it; the vocabulary's where absent */
	const char *name;
	const char *filter; /* the kernel's syntax, or NULL */
	const char *cost;   /* what its absence costs, in words */
};

/* "reclaim", ...; the name of one preset. */
const char *preset_name(enum record_preset preset);

/*
 * The events of @preset (with those of the smaller presets), @i from 0. Returns false behind the
 * last. @tracing is the tracefs directory; system and name of @event are kept in @names.
 */
struct preset_names {
	char system[64];
	char name[128];
};
bool preset_event_at(const char *tracing, enum record_preset preset, unsigned int i,
		     struct preset_event *event, struct preset_names *names);

#endif
