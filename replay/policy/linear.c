/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linear.c - mainline's watermarks: the same gap from min to low and from low to high */
#include "builtin.h"

struct linear {
	int64_t wsf;
};

static const struct reclaim_policy_param params[] = {
	{ "wsf", "watermark_scale_factor, 1/10000 of the zone; 0: the machine's", 0, 3000, 0 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	((struct linear *)state)->wsf = values[0];
	return 0;
}

static void watermarks(void *state, const struct reclaim_wmark_input *in,
		       struct reclaim_wmarks *out)
{
	uint64_t gap = reclaim_linear_gap(in, ((struct linear *)state)->wsf);

	out->low = out->min + gap;
	out->high = out->low + gap;
	out->promo = out->high + gap;
}

const struct reclaim_policy_ops reclaim_linear = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "linear",
	.source = "mm/page_alloc.c, __setup_per_zone_wmarks()",
	.summary = "equal gaps, a share of the zone",
	.params = params,
	.nr_params = 1,
	.state_size = sizeof(struct linear),
	.init = init,
	.watermarks = watermarks,
};
