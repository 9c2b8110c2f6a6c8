/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle_v2r5.c - reclaim_throttle() as it stood in the second posting
 *
 * Reclaimers wait for a reason, nearly always 100 ms; any progress of any reclaimer wakes all that
 * wait for progress, and one waits as soon as three priorities brought nothing.
 */
#include "builtin.h"

struct throttle {
	int64_t writeback_us, isolated_us, noprogress_us, congested_us, early;
};

static const struct reclaim_policy_param params[] = {
	{ "writeback_us", "timeout for WRITEBACK in us; 0: reason removed", 0, 10000000, 100000 },
	{ "isolated_us", "timeout for ISOLATED in us; 0: reason removed", 0, 10000000, 100000 },
	{ "noprogress_us", "timeout for NOPROGRESS in us; -1: one tick, 0: reason removed", -1,
	  10000000, 100000 },
	{ "congested_us", "timeout on a congested node in us; -1: one tick, 0: reason removed", -1,
	  10000000, 100000 },
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

static void pass(const struct throttle *s, const struct reclaim_throttle_input *in,
		 struct reclaim_throttle *out)
{
	if (in->reclaimed) {
		out->wake = RECLAIM_WAKE_ALL;
		return;
	}
	if (in->priority < 10 && !in->reclaimed)
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
		out->timeout_ns = ns(s->congested_us, in->hz);
		break;
	case RECLAIM_POINT_PASS:
		pass(s, in, out);
		break;
	default:
		break;
	}
}

const struct reclaim_policy_ops reclaim_throttle_v2r5 = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "reclaim-throttle-v2r5",
	.source = "linux-mm, September 2021: Remove dependency on congestion_wait in mm/, v2",
	.summary = "reclaim_throttle() as tested in v2r5",
	.params = params,
	.nr_params = 5,
	.state_size = sizeof(struct throttle),
	.init = init,
	.throttle = throttle,
};
