/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gap_split.c - a tunable of its own for the gap from low to high */
#include "builtin.h"

struct gap_split {
	int64_t wsf, high;
};

static const struct reclaim_policy_param params[] = {
	{ "wsf", "watermark_scale_factor, 1/10000 of the zone; 0: the machine's", 0, 3000, 0 },
	{ "high", "the gap from low to high, 1/10000 of the zone", 0, 3000, 10 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	struct gap_split *s = state;

	s->wsf = values[0];
	s->high = values[1];
	return 0;
}

static void watermarks(void *state, const struct reclaim_wmark_input *in,
		       struct reclaim_wmarks *out)
{
	const struct gap_split *s = state;
	uint64_t upper = in->managed * (uint64_t)s->high / 10000;

	if (upper < in->share / 4)
		upper = in->share / 4;
	out->low = out->min + reclaim_linear_gap(in, s->wsf);
	out->high = out->low + upper;
	out->promo = out->high + upper;
}

const struct reclaim_policy_ops reclaim_gap_split = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "gap-split",
	.source = "linux-mm, 2018: a separate tunable for the upper gap",
	.summary = "the gaps below and above low are set apart",
	.params = params,
	.nr_params = 2,
	.state_size = sizeof(struct gap_split),
	.init = init,
	.watermarks = watermarks,
};
