/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle_reasons.h - what the versions of reclaim_throttle() share
 *
 * Each waits for a reason with a timeout of its own. The versions differ in the defaults, in what
 * they do at the end of a pass, and in when a congested node lets a reclaimer wait.
 */
#ifndef RECLAIM_POLICY_THROTTLE_REASONS_H
#define RECLAIM_POLICY_THROTTLE_REASONS_H

#include "builtin.h"

struct throttle_reasons {
	int64_t writeback_us, isolated_us, noprogress_us, congested_us, early;
};

/* The parameters with these defaults in us; -1: one tick. */
#define THROTTLE_REASONS_PARAMS(isolated, noprogress, congested)                                   \
	{ "writeback_us", "timeout for WRITEBACK in us; 0: reason removed", 0, 10000000, 100000 }, \
		{ "isolated_us", "timeout for ISOLATED in us; 0: reason removed", 0, 10000000,     \
		  isolated },                                                                      \
		{ "noprogress_us",                                                                 \
		  "timeout for NOPROGRESS in us; -1: one tick, 0: reason removed", -1, 10000000,   \
		  noprogress },                                                                    \
		{ "congested_us",                                                                  \
		  "timeout on a congested node in us; -1: one tick, 0: reason removed", -1,        \
		  10000000, congested },                                                           \
	{                                                                                          \
		"early", "1: events end a wait early", 0, 1, 1                                     \
	}

#define THROTTLE_REASONS_NR_PARAMS 5

static inline int throttle_reasons_init(void *state, const int64_t *values,
					struct reclaim_error *error)
{
	struct throttle_reasons *s = state;

	s->writeback_us = values[0];
	s->isolated_us = values[1];
	s->noprogress_us = values[2];
	s->congested_us = values[3];
	s->early = values[4];
	return 0;
}

/* A timeout in ns; one tick where it is negative. */
static inline int64_t throttle_reasons_ns(int64_t us, uint32_t hz)
{
	return us < 0 ? 1000000000 / hz : us * 1000;
}

/* Every point but the end of a pass. */
static inline void throttle_reasons_wait(const struct throttle_reasons *s,
					 enum reclaim_throttle_point point,
					 const struct reclaim_throttle_input *in,
					 struct reclaim_throttle *out)
{
	out->wake_early = s->early;
	switch (point) {
	case RECLAIM_POINT_ISOLATED:
		out->timeout_ns = throttle_reasons_ns(s->isolated_us, in->hz);
		break;
	case RECLAIM_POINT_IMMEDIATE:
		out->timeout_ns = throttle_reasons_ns(s->writeback_us, in->hz);
		break;
	case RECLAIM_POINT_CONGESTED:
		out->timeout_ns = throttle_reasons_ns(s->congested_us, in->hz);
		break;
	default:
		break;
	}
}

#endif
