/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle_mainline.c - reclaim_throttle() as mended before 5.16 (1b4e3f26f9f7)
 *
 * The wait for progress is one tick, only at priority 1 with nothing reclaimed, and not at all
 * where little is under writeback or kswapd has given up.
 */
#include "builtin.h"

struct throttle {
	int64_t writeback_us, isolated_us, noprogress_us, congested_us, early;
};

static const struct reclaim_policy_param params[] = {
	{ "writeback_us", "timeout for WRITEBACK in us; 0: reason removed", 0, 10000000, 100000 },
	{ "isolated_us", "timeout for ISOLATED in us; 0: reason removed", 0, 10000000, 20000 },
	{ "noprogress_us", "timeout for NOPROGRESS in us; -1: one tick, 0: reason removed", -1,
	  10000000, -1 },
	{ "congested_us", "timeout on a congested node in us; -1: one tick, 0: reason removed", -1,
	  10000000, -1 },
	{ "early", "1: events end a wait early", 0, 1, 1 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	struct throttle *s = state;

	s->writeback_us = values[0];
	s->isolated_us = values[1];
	s->noprogress_us = values[2];
	s->congested_us = values[3];
	s->early = values[4];
	return 0;
}

static int64_t ns(int64_t us, uint32_t hz)
{
	return us < 0 ? 1000000000 / hz : us * 1000;
}

/* skip_throttle_noprogress() */
static bool pointless(const struct reclaim_throttle_input *in)
{
	return in->hopeless || 2 * in->write_pending <= in->reclaimable;
}

static void pass(const struct throttle *s, const struct reclaim_throttle_input *in,
		 struct reclaim_throttle *out)
{
	if (in->reclaimed > in->scanned >> 3)
		out->wake = RECLAIM_WAKE_ONE;
	else if (in->priority == 1 && !in->reclaimed && !pointless(in))
		out->timeout_ns = ns(s->noprogress_us, in->hz);
}

static void throttle(void *state, enum reclaim_throttle_point point,
		     const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	const struct throttle *s = state;

	out->wake_early = s->early;
	switch (point) {
	case RECLAIM_POINT_ISOLATED:
		out->timeout_ns = ns(s->isolated_us, in->hz);
		break;
	case RECLAIM_POINT_IMMEDIATE:
		out->timeout_ns = ns(s->writeback_us, in->hz);
		break;
	case RECLAIM_POINT_CONGESTED:
		out->wake_early = false;
		out->timeout_ns = pointless(in) ? 0 : ns(s->congested_us, in->hz);
		break;
	case RECLAIM_POINT_PASS:
		pass(s, in, out);
		break;
	default:
		break;
	}
}

const struct reclaim_policy_ops reclaim_throttle_mainline = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "reclaim-throttle",
	.source = "mm/vmscan.c, reclaim_throttle(), 5.16 and later",
	.summary = "reclaim_throttle() of mainline",
	.params = params,
	.nr_params = 5,
	.state_size = sizeof(struct throttle),
	.init = init,
	.throttle = throttle,
};
