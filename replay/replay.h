/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - what would another policy have done?
 *
 * One decode of a recording, then ensembles of replays on all cores: first the recorded policy on
 * the recorded machine, graded against what really happened, then each variant (another policy,
 * another machine, or both). With sensitivity, the recorded policy and every variant run again with
 * the calibrated costs of reclaim halved and doubled, so that an answer that hangs on them is seen
 * to.
 *
 * Demand, costs and pauses are the same for all variants of one comparison.
 */
#ifndef RECLAIMLAB_REPLAY_H
#define RECLAIMLAB_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "replay/grade.h"
#include "replay/machine.h"
#include "replay/recording.h"
#include "replay/run.h"

#define REPLAY_MAX_ENSEMBLE 256
#define REPLAY_MAX_VARIANTS 4096
#define REPLAY_COSTS	    3 /* as calibrated, halved, doubled */

struct replay_variant {
	char *policy;  /* "" the recorded kernel's own */
	char *changes; /* "memory=2x swappiness=10", "" none */
	struct machine *machine;
	struct run_result *results[REPLAY_COSTS]; /* ensembles; NULL where not run */
};

struct replay {
	const struct recording *recording;
	struct feed *feed;
	struct before *before; /* pages evicted before the recording */
	struct future *future; /* made for the first policy that needs it; else NULL */
	uint32_t wait_ppm;     /* share of the waits of unknown cause that is kept */
	unsigned int ensemble;
	bool sensitivity;
	struct uml *uml;		 /* performs the variants; NULL: the engine does */
	struct replay_variant *variants; /* [0] is the recorded policy on the recorded machine */
	unsigned int nr_variants;
	size_t room_variants;
	struct grade grade; /* of variant 0 */
};

/*
 * Prepare: the feed and the machine of @recording, variant 0. The caller owns *@out. Takes some
 * replays to find how long waits are. Returns 0, -EINTR when @progress said so, or another negative
 * errno.
 */
int replay_new(const struct recording *recording, unsigned int ensemble, bool sensitivity,
	       const struct rl_progress *progress, struct replay **out, struct rl_msg *msg);
void replay_free(struct replay *replay);

/*
 * Let User Mode Linux perform the variants (uml.h): @kernel, or NULL for the one that is built.
 * Before replay_add(), which then refuses policies that the kernel has no switch for. Errors of
 * uml_open().
 */
int replay_use_uml(struct replay *replay, const char *kernel, struct rl_msg *msg);

/*
 * Add a variant. @policy as reclaim_policy_create() takes it ("" the recorded kernel's), @changes
 * as blank-separated "key=value" for machine_change(). Both are checked here: -EINVAL with what was
 * expected.
 */
int replay_add(struct replay *replay, const char *policy, const char *changes, struct rl_msg *msg);

/*
 * The same check without a recording, on a machine of no particular size: is it worth to begin?
 * Returns 0, or -EINVAL with what was expected.
 */
int replay_check(const char *policy, const char *changes, struct rl_msg *msg);

/* Run everything on @threads threads (0: one a CPU) and grade. 0, -EINTR, -ENOMEM. */
int replay_run(struct replay *replay, unsigned int threads, const struct rl_progress *progress,
	       struct rl_msg *msg);

/*
 * For sweeps, which look at some variants at a time: run the ensembles of the variants from @first
 * on, as calibrated; and take these out again (never the first of all).
 */
int replay_run_since(struct replay *replay, unsigned int first, unsigned int threads,
		     const struct rl_progress *progress, struct rl_msg *msg);
void replay_drop_since(struct replay *replay, unsigned int first);

/* The job of one member, to be run again (with an event callback, say). */
void replay_job(const struct replay *replay, unsigned int variant, unsigned int member,
		struct run_job *job);

/*
 * Does variant @a have less of @metric than @b with every cost tried? 1 yes, -1 more with every
 * cost, 0 when the answer flips or the ranges overlap everywhere.
 */
int replay_ranking(const struct replay *replay, unsigned int a, unsigned int b,
		   enum grade_metric metric);

#endif
