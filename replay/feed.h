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

/* When the requests of a task came, on average: time since the task's begin. */
struct feed_pace {
	unsigned __int128 sum; /* ns */
	uint64_t requests;
};

struct feed {
	struct reclaim_demand *records;
	uint64_t *first; /* nr_tasks + 1: where each task's records begin */
	struct reclaim_task_desc *tasks;
	uint8_t *file_device; /* 0 or FEED_DEVICE_WRITTEN, by file */
	uint32_t nr_tasks, nr_files, nr_pages;
	int64_t duration; /* ns */
	uint64_t nr_records;
	/* Mean time from its task's begin to a request of a user's task, in the recording, ns. */
	int64_t pace;
};

#define FEED_WAIT_ALL 1000000 /* parts per million */
/* Waits that were taken for the device's may have been longer than a replay's device lets them be.
 */
#define FEED_WAIT_MOST	    (4 * FEED_WAIT_ALL)
#define FEED_DEVICE_WRITTEN 2 /* of files on another file system than those mostly read */

/*
 * Turn @demand into records of the engine. Of waits of unknown cause @wait_ppm[task] parts per
 * million are kept (0..FEED_WAIT_MOST); NULL: all. The caller owns *@out. Returns 0, or -ENOMEM.
 */
int feed_new(const struct demand *demand, const uint32_t *wait_ppm, struct feed **out,
	     struct rl_msg *msg);
void feed_free(struct feed *feed);

struct feed_cursor {
	const struct feed *feed;
	const struct reclaim_engine *engine; /* set by the caller before the first feed_next() */
	uint64_t *next;			     /* nr_tasks */
	struct feed_pace *paces;	     /* by task, as the replay goes */
};

/* Returns 0 or -ENOMEM. */
int feed_cursor_init(struct feed_cursor *cursor, const struct feed *feed);
void feed_cursor_clear(struct feed_cursor *cursor);

/* The paces of the recording, added to @paces (one a task). Only users' tasks have one. */
void feed_recorded_paces(const struct demand *demand, struct feed_pace *paces);
void feed_pace_add(struct feed_pace *to, const struct feed_pace *pace);
/* ns; 0 when there was no request. */
int64_t feed_pace_mean(const struct feed_pace *pace);

/* The feed's pace, as the replay went: ns, 0 when there was no request. */
int64_t feed_cursor_pace(const struct feed_cursor *cursor);

/* A reclaim_next_fn; @ctx is the cursor. */
const struct reclaim_demand *feed_next(void *ctx, uint32_t task);

#endif
