/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * future.h - when each page of a demand is asked for next
 *
 * Made once from a demand and shared by every replay of it: for each page the numbers of the
 * records that ask for it, and of those by which the workload gives it up. A cursor is one replay's
 * place: which of them are done. The order is that of the recording; where the stalls of another
 * policy make one task overtake another, a request counts as done when its own task has made it.
 */
#ifndef RECLAIMLAB_FUTURE_H
#define RECLAIMLAB_FUTURE_H

#include "capture/base/message.h"
#include "reclaim/engine.h"
#include "replay/feed.h"
#include "replay/workload/demand.h"

struct future;

/* Borrows @demand. The caller owns *@out. Returns 0, or -ENOMEM. */
int future_new(const struct demand *demand, struct future **out, struct rl_msg *msg);
void future_free(struct future *future);

struct future_cursor {
	struct reclaim_future engine; /* for reclaim_config.future */
	const struct future *future;
	const struct feed_cursor *feed; /* says which record a task is at */
	uint64_t *uses;			/* by page: the first that is not done */
	uint8_t *done;			/* a bit a use */
};

/* @feed is the cursor of the same replay and stays valid. Returns 0 or -ENOMEM. */
int future_cursor_init(struct future_cursor *cursor, const struct future *future,
		       const struct feed_cursor *feed);
void future_cursor_clear(struct future_cursor *cursor);

#endif
