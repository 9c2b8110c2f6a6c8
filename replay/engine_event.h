/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine_event.h - the engine's events in the words of the vocabulary
 *
 * So that a replay goes through the same handlers as a recording: one struct reclaim_event becomes
 * one struct event, with the thread ids of the recording and times on its clock. Events that no
 * kernel has (stalls as a whole, marks) have no counterpart.
 */
#ifndef RECLAIMLAB_ENGINE_EVENT_H
#define RECLAIMLAB_ENGINE_EVENT_H

#include <stdbool.h>

#include "capture/vocabulary/event.h"
#include "reclaim/engine.h"
#include "replay/workload/demand.h"

/* Thread ids of the engine's own actors; node @nid's kswapd is ENGINE_KSWAPD_TID + nid. */
enum {
	ENGINE_KSWAPD_TID = 1000000000,
	ENGINE_KCOMPACTD_TID = 1000001000,
	ENGINE_FLUSHER_TID = 1000002000,
	ENGINE_MEMCG_TID = 1000003000,
};

/* Fills @to; false when the vocabulary has no such event. */
bool engine_event_translate(const struct demand *demand, const struct reclaim_event *from,
			    struct event *to);

/* The name of a thread id given out by engine_event_translate(), or NULL. @buf is room for it. */
const char *engine_event_comm(const struct demand *demand, int32_t tid, char *buf, size_t size);

#endif
