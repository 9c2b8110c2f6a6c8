/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feed.h - demand in the engine's form
 *
 * Made once from a demand and shared by every replay of it: one array of the engine's records, each
 * task's in a row. A cursor is one replay's place in it.
 */
#ifndef RECLAIMLAB_FEED_H
#define RECLAIMLAB_FEED_H

#include <stdint.h>

#include "capture/base/message.h"
#include "reclaim/engine.h"
#include "replay/workload/demand.h"

struct feed {
	struct reclaim_demand *records;
	uint64_t *first; /* nr_tasks + 1: where each task's records begin */
	struct reclaim_task_desc *tasks;
	uint32_t nr_tasks, nr_files, nr_pages;
	int64_t duration; /* ns */
	uint64_t nr_records;
};

/*
 * Turn @demand into records of the engine. The caller owns *@out. Returns 0, or -ENOMEM.
 */
int feed_new(const struct demand *demand, struct feed **out, struct rl_msg *msg);
void feed_free(struct feed *feed);

struct feed_cursor {
	const struct feed *feed;
	uint64_t *next; /* nr_tasks */
};

/* Returns 0 or -ENOMEM. */
int feed_cursor_init(struct feed_cursor *cursor, const struct feed *feed);
void feed_cursor_clear(struct feed_cursor *cursor);

/* A reclaim_next_fn; @ctx is the cursor. */
const struct reclaim_demand *feed_next(void *ctx, uint32_t task);

#endif
