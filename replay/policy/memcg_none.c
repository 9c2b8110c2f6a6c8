/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memcg_none.c - no background reclaim for memory cgroups: tasks stall at their limit */
#include "builtin.h"

static bool background(void *state, const struct reclaim_memcg_view *view,
		       struct reclaim_memcg_plan *out)
{
	return false;
}

const struct reclaim_policy_ops reclaim_memcg_none = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "memcg-none",
	.source = "mainline",
	.summary = "no background reclaim in memory cgroups",
	.memcg_background = background,
};
