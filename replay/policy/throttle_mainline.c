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

/* skip_throttle_noprogress() */
static bool pointless(const struct reclaim_throttle_input *in)
{
	return in->hopeless || 2 * in->write_pending <= in->reclaimable;
}

static void pass(const struct throttle_reasons *s, const struct reclaim_throttle_input *in,
		 struct reclaim_throttle *out)
{
	if (in->reclaimed > in->scanned >> 3)
		out->wake = RECLAIM_WAKE_ONE;
	else if (in->priority == 1 && !in->reclaimed && !pointless(in))
		out->timeout_ns = throttle_reasons_ns(s->noprogress_us, in->hz);
}

static void throttle(void *state, enum reclaim_throttle_point point,
		     const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	const struct throttle_reasons *s = state;

	throttle_reasons_wait(s, point, in, out);
	if (point == RECLAIM_POINT_PASS)
		pass(s, in, out);
	if (point == RECLAIM_POINT_CONGESTED) {
		out->wake_early = false;
		if (pointless(in))
			out->timeout_ns = 0;
	}
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
