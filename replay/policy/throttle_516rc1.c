/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle_516rc1.c - reclaim_throttle() as merged for 5.16-rc1
 *
 * As v2r5, but only a reclaimer that frees more than an eighth of what it scans wakes the others,
 * and the wait for progress is half a second. Out-of-memory kills took minutes; see
 * throttle_mainline.c.
 */
#include "throttle_reasons.h"

static const struct reclaim_policy_param params[] = {
	THROTTLE_REASONS_PARAMS(20000, 500000, 100000),
};

static const struct throttle_version version = {
	.highest = 9,
};

static void throttle(void *state, enum reclaim_throttle_point point,
		     const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	throttle_reasons_decide(&version, state, point, in, out);
}

const struct reclaim_policy_ops reclaim_throttle_516rc1 = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "reclaim-throttle-516rc1",
	.source = "5.16-rc1, 69392a403f49 and followers",
	.summary = "reclaim_throttle() as first merged",
	.params = params,
	.nr_params = THROTTLE_REASONS_NR_PARAMS,
	.state_size = sizeof(struct throttle_reasons),
	.init = throttle_reasons_init,
	.throttle = throttle,
};
