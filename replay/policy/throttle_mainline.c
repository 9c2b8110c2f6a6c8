/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle_mainline.c - reclaim_throttle() as mended before 5.16 (1b4e3f26f9f7)
 *
 * The wait for progress is one tick, only at priority 1 with nothing reclaimed, and not at all
 * where little is under writeback or kswapd has given up.
 */
#include "throttle_reasons.h"

static const struct reclaim_policy_param params[] = {
	THROTTLE_REASONS_PARAMS(20000, -1, -1),
};

static const struct throttle_version version = {
	.lowest = 1,
	.highest = 1,
	.spares = true,
	.congested_full = true,
};

static void throttle(void *state, enum reclaim_throttle_point point,
		     const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	throttle_reasons_decide(&version, state, point, in, out);
}

const struct reclaim_policy_ops reclaim_throttle_mainline = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "reclaim-throttle",
	.source = "mm/vmscan.c, reclaim_throttle(), 5.16 and later",
	.summary = "reclaim_throttle() of mainline",
	.params = params,
	.nr_params = THROTTLE_REASONS_NR_PARAMS,
	.state_size = sizeof(struct throttle_reasons),
	.init = throttle_reasons_init,
	.throttle = throttle,
};
