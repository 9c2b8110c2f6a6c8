/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - one replay, and many at once
 *
 * A job says what to run: a feed, a machine, a policy, a seed. Running it makes an engine, lets it
 * go through the whole demand, and leaves the response and the counters. Jobs are independent of
 * each other, so any number of them run on all cores; each writes only its own result, and a job
 * that fails fails alone.
 */
#ifndef RECLAIMLAB_RUN_H
#define RECLAIMLAB_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "replay/before.h"
#include "replay/feed.h"
#include "replay/future.h"
#include "replay/machine.h"
#include "replay/response.h"

struct uml;

struct run_job {
	const struct demand *demand;
	const struct feed *feed;
	const struct machine *machine;
	const struct before *before; /* NULL: none */
	const struct future *future; /* for a policy that needs it; NULL: none */
	const char *policy;    /* text for reclaim_policy_create(); "" or NULL: the profile's own */
	const struct uml *uml; /* the kernel performs it; NULL: the engine does */
	uint64_t seed;
	int32_t memory_ppm; /* change of the memory's size, parts per million; +-10000 is 1 % */
	/* Called with each event in the vocabulary's words, beside the response; may be NULL. */
	int (*event)(void *ctx, const struct event *ev, struct rl_msg *msg);
	void *ctx;
	struct feed_pace *paces; /* filled, by task, as the replay went; may be NULL */
	const int *stop; /* as in struct reclaim_config; NULL: none. run_all() has its own */
};

struct run_result {
	int error; /* 0, or a negative errno: then @msg says why and the rest is void */
	struct rl_msg msg;
	struct response response;
	uint64_t counters[RECLAIM_NR_COUNTERS];
	int64_t ended; /* ns of simulated time */
	int64_t pace;  /* ns, to compare with feed.pace */
	uint64_t records;
	uint64_t hash;
	int64_t wall_ns; /* real time that it took */
};

/* Run one job. @result is overwritten; the caller clears it with run_result_clear(). */
void run_one(const struct run_job *job, struct run_result *result);
void run_result_clear(struct run_result *result);

/*
 * Run @nr jobs on @threads threads (0: one a CPU of this machine). Reports finished jobs to
 * @progress. Returns 0, or -EINTR when @progress said to stop: unfinished results then have the
 * error -EINTR.
 */
int run_all(const struct run_job *jobs, struct run_result *results, unsigned int nr,
	    unsigned int threads, const struct rl_progress *progress);

/*
 * The members of an ensemble of @nr: seeds 1.., the first with the memory as it is, the others with
 * it spread evenly over +-1 %. Fills the seed and memory of @jobs, which are copies of @job.
 */
void run_ensemble(const struct run_job *job, struct run_job *jobs, unsigned int nr);

#endif
