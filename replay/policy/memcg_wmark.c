/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memcg_wmark.c - a high and a low mark below a cgroup's limit
 *
 * The later form of the idea (a vendor kernel's memory.wmark_ratio): background reclaim starts
 * above high = limit x ratio / 100 and goes down to low = high - high / 256.
 */
#include "builtin.h"

struct memcg_wmark {
	int64_t ratio, scan;
};

static const struct reclaim_policy_param params[] = {
	{ "ratio", "high mark, per cent of the limit", 1, 100, 95 },
	{ "scan", "most pages to scan in a run; 0: no limit", 0, 1 << 24, 4096 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	struct memcg_wmark *s = state;

	s->ratio = values[0];
	s->scan = values[1];
	return 0;
}

static bool background(void *state, const struct reclaim_memcg_view *v,
		       struct reclaim_memcg_plan *out)
{
	const struct memcg_wmark *s = state;
	uint64_t high, low;

	if (v->max == UINT64_MAX)
		return false;
	high = v->max / 100 * (uint64_t)s->ratio;
	low = high - high / 256;
	if (!v->running && v->usage <= high)
		return false;
	out->reclaim = v->usage > low ? v->usage - low : 0;
	out->scan_limit = (uint64_t)s->scan;
	out->again_ns = 100000000;
	return true;
}

const struct reclaim_policy_ops reclaim_memcg_wmark = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "memcg-wmark",
	.source = "memory.wmark_ratio of a vendor kernel",
	.summary = "a high and a low mark as shares of the limit",
	.params = params,
	.nr_params = 2,
	.state_size = sizeof(struct memcg_wmark),
	.init = init,
	.memcg_background = background,
};
