/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle_reasons.h - what the versions of reclaim_throttle() share
 *
 * Each waits for a reason with a timeout of its own. The versions differ in the defaults, in what
 * counts as progress, in who waits for it, and in when a congested node lets a reclaimer wait.
 */
#ifndef RECLAIM_POLICY_THROTTLE_REASONS_H
#define RECLAIM_POLICY_THROTTLE_REASONS_H

#include "builtin.h"

/* Parameters, in this order. */
struct throttle_reasons {
	int64_t writeback_us, isolated_us, noprogress_us, congested_us, early;
};

struct throttle_version {
	bool any_progress;   /* one page is progress; else more than an eighth of those scanned */
	int lowest, highest; /* priorities at which one waits for progress */
	bool spares;	     /* skip_throttle_noprogress(): no wait that nothing would end */
	bool congested_full; /* nothing ends the wait on a congested node */
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

int throttle_reasons_init(void *state, const int64_t *values, struct reclaim_error *error);
/* The decision of one version at one point (struct reclaim_policy_ops.throttle). */
void throttle_reasons_decide(const struct throttle_version *version,
			     const struct throttle_reasons *s, enum reclaim_throttle_point point,
			     const struct reclaim_throttle_input *in, struct reclaim_throttle *out);

#endif
