/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * active_softlimit.c - a soft limit that keeps reclaiming
 *
 * Asked for in the discussion of 2011: not only under global pressure, but all the time, down to
 * the soft limit, so that a group shrinks to its working set. The pace is bounded: pages in one
 * run, and a pause between runs.
 */
#include "builtin.h"

struct active_softlimit {
	int64_t reclaim, pause_ms;
	int64_t last[RECLAIM_MAX_MEMCGS];
};

static const struct reclaim_policy_param params[] = {
	{ "reclaim", "most pages to free in a run", 32, 1 << 24, 1024 },
	{ "pause_ms", "between two runs, in ms", 0, 100000, 100 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	struct active_softlimit *s = state;

	s->reclaim = values[0];
	s->pause_ms = values[1];
	return 0;
}

static bool background(void *state, const struct reclaim_memcg_view *v,
		       struct reclaim_memcg_plan *out)
{
	struct active_softlimit *s = state;
	int64_t pause = s->pause_ms * 1000000;

	if (v->soft_limit == UINT64_MAX || v->usage <= v->soft_limit ||
	    v->memcg >= RECLAIM_MAX_MEMCGS)
		return false;
	if (s->last[v->memcg] && v->at - s->last[v->memcg] < pause)
		return false;
	if (v->running)
		s->last[v->memcg] = v->at;
	out->reclaim = v->usage - v->soft_limit;
	if (out->reclaim > (uint64_t)s->reclaim)
		out->reclaim = (uint64_t)s->reclaim;
	out->again_ns = pause;
	return true;
}

const struct reclaim_policy_ops reclaim_active_softlimit = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "active-softlimit",
	.source = "linux-mm, May 2011: answers to memcg async reclaim",
	.summary = "background reclaim down to the soft limit",
	.params = params,
	.nr_params = 2,
	.state_size = sizeof(struct active_softlimit),
	.init = init,
	.memcg_background = background,
};
