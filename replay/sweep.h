/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sweep.h - many replays over a grid
 *
 * A grid is text: blank-separated axes "key=value,value" or "key=from:to:step". The axis "policy"
 * names policies; keys that machine_change() knows change the machine; all others are parameters of
 * the policy ("wsf"). Each point is a job: its id is a hash of the recording, of what the engine
 * does with it under the recorded policy, and of everything else that decides its outcome, so a
 * sweep that was killed goes on where it stopped (finished jobs are lines of a journal file),
 * another engine or a plugin built anew begins anew, and a job that fails fails alone.
 */
#ifndef RECLAIMLAB_SWEEP_H
#define RECLAIMLAB_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "replay/grade.h"
#include "replay/replay.h"

#define SWEEP_MAX_POINTS 100000
#define SWEEP_MAX_AXES	 16

struct sweep_point {
	char *policy;  /* for reclaim_policy_create() */
	char *changes; /* for machine_change() */
	uint64_t id;
	bool done;		 /* has values */
	bool restored;		 /* from the journal */
	char error[128];	 /* "" when it went well */
	double stalls, refaults; /* medians of the ensemble: stalls, and pages read back */
	double stall_ms, wakes, steal_kswapd, steal_direct;
	bool pareto; /* no other point has fewer stalls and fewer pages read back */
};

struct sweep;

/* Parse @grid for @recording. Errors: -EINVAL with the axis and what was expected. */
int sweep_new(const struct recording *recording, const char *grid, unsigned int ensemble,
	      struct sweep **out, struct rl_msg *msg);
void sweep_free(struct sweep *sweep);

/* Is there any point of @grid that could run (replay_check())? Errors as above; no recording. */
int sweep_check(const char *grid, struct rl_msg *msg);

unsigned int sweep_nr(const struct sweep *sweep);
const struct sweep_point *sweep_at(const struct sweep *sweep, unsigned int i);

/*
 * Take results from the journal @path (which need not exist), run what is missing on @threads
 * threads, and append each finished point to it. @path may be NULL. Marks the Pareto front. Returns
 * 0, -EINTR (what is finished is in the journal), or another negative errno.
 */
int sweep_run(struct sweep *sweep, const char *path, unsigned int threads,
	      const struct rl_progress *progress, struct rl_msg *msg);

#endif
