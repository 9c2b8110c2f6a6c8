/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle_v2r5.c - reclaim_throttle() as it stood in the second posting
 *
 * Reclaimers wait for a reason, nearly always 100 ms; any progress of any reclaimer wakes all that
 * wait for progress, and one waits as soon as three priorities brought nothing.
 */
#include "throttle_reasons.h"

static const struct reclaim_policy_param params[] = {
	THROTTLE_REASONS_PARAMS(100000, 100000, 100000),
};

static const struct throttle_version version = {
	.any_progress = true,
	.highest = 9,
};

static void throttle(void *state, enum reclaim_throttle_point point,
		     const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	throttle_reasons_decide(&version, state, point, in, out);
}

const struct reclaim_policy_ops reclaim_throttle_v2r5 = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "reclaim-throttle-v2r5",
	.source = "linux-mm, September 2021: Remove dependency on congestion_wait in mm/, v2",
	.summary = "reclaim_throttle() as tested in v2r5",
	.params = params,
	.nr_params = THROTTLE_REASONS_NR_PARAMS,
	.state_size = sizeof(struct throttle_reasons),
	.init = throttle_reasons_init,
	.throttle = throttle,
};
