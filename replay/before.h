/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * before.h - pages that were evicted before the recording began
 *
 * A machine that reclaims already when the recording begins reads pages back that it evicted
 * before, or that were in memory at the begin and then were evicted; no event names these. The
 * kernel counts them as refaults; how many they are is what its counter says beyond the pages that
 * were seen to be read in, to go, and to come back (the demand's note BEFORE_NOTE). Which of the
 * pages that are read for the first time they are is not known, so they are spread evenly among
 * these. How long they were away is not known either: none is activated for it.
 */
#ifndef REPLAY_BEFORE_H
#define REPLAY_BEFORE_H

#include "capture/base/message.h"
#include "reclaim/engine.h"
#include "replay/workload/demand.h"

#define BEFORE_NOTE "refaulted_before" /* pages */

struct before;

/* The pages of @demand. The caller owns *@out. Returns 0 or -ENOMEM. */
int before_new(const struct demand *demand, struct before **out, struct rl_msg *msg);
void before_free(struct before *before);

/* How many they are. */
uint64_t before_pages(const struct before *before);

/* Tell @engine of them, before it runs. Returns 0 or -ENOMEM. */
int before_tell(const struct before *before, struct reclaim_engine *engine);

#endif
