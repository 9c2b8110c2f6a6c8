/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gap_sqrt.c - a smaller gap from low to high
 *
 * Proposed in 2018 so that a large watermark_scale_factor wakes kswapd early without making it run
 * for long: the upper gap is the lower one times int_sqrt(4 x managed pages) / 10000, but at least
 * a quarter of min and at most the lower gap.
 */
#include "builtin.h"

struct gap_sqrt {
	int64_t wsf;
};

static const struct reclaim_policy_param params[] = {
	{ "wsf", "watermark_scale_factor, 1/10000 of the zone; 0: the machine's", 0, 3000, 0 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	((struct gap_sqrt *)state)->wsf = values[0];
	return 0;
}

static uint64_t int_sqrt(uint64_t x)
{
	uint64_t root = 0, bit;

	for (bit = 1ULL << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

static void watermarks(void *state, const struct reclaim_wmark_input *in,
		       struct reclaim_wmarks *out)
{
	uint64_t gap = reclaim_linear_gap(in, ((struct gap_sqrt *)state)->wsf);
	uint64_t upper = gap * int_sqrt(4 * in->managed) / 10000;

	if (upper < out->min / 4)
		upper = out->min / 4;
	if (upper > gap)
		upper = gap;
	out->low = out->min + gap;
	out->high = out->low + upper;
	out->promo = out->high + upper;
}

const struct reclaim_policy_ops reclaim_gap_sqrt = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "gap-sqrt",
	.source = "linux-mm, 2018: distance between the low and the high watermark",
	.summary = "low to high grows with the square root of the zone",
	.params = params,
	.nr_params = 1,
	.state_size = sizeof(struct gap_sqrt),
	.init = init,
	.watermarks = watermarks,
};
