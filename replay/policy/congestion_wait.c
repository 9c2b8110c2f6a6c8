/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * congestion_wait.c - waiting before 5.16: a fixed time, and nothing ends it
 *
 * The block layer had stopped to clear its congestion marks, so congestion_wait() always slept for
 * its whole timeout, whether or not the memory that it waited for came.
 */
#include "builtin.h"

struct congestion_wait {
	int64_t timeout_us;
};

static const struct reclaim_policy_param params[] = {
	{ "timeout_us", "length of every wait in us", 0, 10000000, 100000 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	((struct congestion_wait *)state)->timeout_us = values[0];
	return 0;
}

static void throttle(void *state, enum reclaim_throttle_point point,
		     const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	bool wait = point == RECLAIM_POINT_ISOLATED || point == RECLAIM_POINT_IMMEDIATE ||
		    (point == RECLAIM_POINT_ALLOCATOR && 2 * in->write_pending > in->reclaimable);

	out->timeout_ns = wait ? ((struct congestion_wait *)state)->timeout_us * 1000 : 0;
}

const struct reclaim_policy_ops reclaim_congestion_wait = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "congestion-wait",
	.source = "mm/backing-dev.c, congestion_wait(), to 5.15",
	.summary = "always wait for the whole timeout",
	.params = params,
	.nr_params = 1,
	.state_size = sizeof(struct congestion_wait),
	.init = init,
	.throttle = throttle,
};
