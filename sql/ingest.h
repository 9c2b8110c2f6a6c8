/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ingest.h - events become rows
 *
 * An ingest takes the events of one run in time order, whatever yields them (a source, the replay
 * engine), and puts rows into a store:
 *
 *	- an event that the vocabulary calls ROWS or COLUMNS becomes a row by itself;
 *	- PAIRED events go to a handler, one file a topic (ingest_reclaim.c, ingest_scan.c, ...),
 *that joins several events of one task into one row. Begin and end belong together by task, never
 *	  by CPU. What has no partner is kept and marked.
 *
 * Tasks. A row of the table task is one thread life. Its number is given out at the first event and
 * its name filled in when the run ends, because a recording often learns names late. A thread id
 * that is used again begins a new life when the recording shows the end of the old one (its
 *release, or its exit followed by a fork or wake-up of the same id). A changed name alone is no new
 *life: exec and prctl change names.
 *
 * Who reclaims (enum store_actor) is decided as the kernel decides what it counts: inside
 * memcg_reclaim_begin and _end of the same task it is memcg, and likewise soft limit and node; else
 * a kswapd thread (one that emitted kswapd_wake or kswapd_sleep, or is called kswapdN) is kswapd,
 * khugepaged is khugepaged, and every other task is direct.
 */
#ifndef RECLAIMLAB_INGEST_H
#define RECLAIMLAB_INGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/vocabulary/event.h"
#include "sql/store.h"

struct ingest;

/*
 * Start on @run, which store_run_begin() opened in @store. The caller owns *@out until
 * ingest_close(). Returns 0, -ENOMEM, or the error of a query on the store.
 */
int ingest_open(struct store *store, int64_t run, struct ingest **out, struct rl_msg *msg);

/*
 * Where names of threads can be asked for, or NULL. @comm returns NULL for a thread without a name
 * and is called when a thread is first seen and again at the end. @ctx must outlive the ingest.
 */
void ingest_names(struct ingest *ingest, const char *(*comm)(void *ctx, int32_t pid), void *ctx);

/* The process that recorded: its threads get the kind "recorder". */
void ingest_recorder(struct ingest *ingest, int32_t pid);

/* Take one event. Returns 0 or a negative errno from the store. */
int ingest_event(struct ingest *ingest, const struct event *ev, struct rl_msg *msg);

/*
 * Close what is still open (kept as begun, not ended) and write the tasks. *@start and *@end are
 * the stamps of the first and last event, 0 when there was none. Call it before store_run_end().
 */
int ingest_finish(struct ingest *ingest, uint64_t *start, uint64_t *end, struct rl_msg *msg);

/*
 * True when batches took pages and no event of the run said what became of them: then
 * mm_vmscan_lru_shrink_inactive was not recorded, whatever the recording knows of it.
 */
bool ingest_lacks_shrinks(const struct ingest *ingest);

/* NULL is fine. */
void ingest_close(struct ingest *ingest);

#endif
