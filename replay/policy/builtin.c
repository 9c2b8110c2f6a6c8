/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* builtin.c - the list of the policies that come with libreclaim */
#include "builtin.h"

static const struct reclaim_policy_ops *const builtins[] = {
	&reclaim_linear,
	&reclaim_gap_sqrt,
	&reclaim_gap_split,
	&reclaim_hit_quickly,
	&reclaim_refault_feedback,
	&reclaim_congestion_wait,
	&reclaim_throttle_v2r5,
	&reclaim_throttle_516rc1,
	&reclaim_throttle_mainline,
	&reclaim_memcg_none,
	&reclaim_memcg_async,
	&reclaim_memcg_wmark,
	&reclaim_active_softlimit,
	&reclaim_bailout_49,
	&reclaim_bailout_54,
	&reclaim_bailout_515,
	&reclaim_bailout_none,
	&reclaim_lumpy,
	&reclaim_lumpy_sync,
	&reclaim_compaction,
	&reclaim_two_list,
	&reclaim_mglru,
	&reclaim_belady,
};

const struct reclaim_policy_ops *reclaim_policy_builtin(size_t i)
{
	return i < sizeof(builtins) / sizeof(builtins[0]) ? builtins[i] : NULL;
}
