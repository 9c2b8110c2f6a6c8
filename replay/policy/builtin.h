/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * builtin.h - the policies that come with libreclaim
 *
 * One table a policy, each in a file of its own; builtin.c lists them.
 */
#ifndef RECLAIM_BUILTIN_H
#define RECLAIM_BUILTIN_H

#include "reclaim/policy.h"

extern const struct reclaim_policy_ops reclaim_linear;
extern const struct reclaim_policy_ops reclaim_gap_sqrt;
extern const struct reclaim_policy_ops reclaim_gap_split;
extern const struct reclaim_policy_ops reclaim_hit_quickly;
extern const struct reclaim_policy_ops reclaim_refault_feedback;
extern const struct reclaim_policy_ops reclaim_congestion_wait;
extern const struct reclaim_policy_ops reclaim_throttle_v2r5;
extern const struct reclaim_policy_ops reclaim_throttle_516rc1;
extern const struct reclaim_policy_ops reclaim_throttle_mainline;
extern const struct reclaim_policy_ops reclaim_memcg_none;
extern const struct reclaim_policy_ops reclaim_memcg_async;
extern const struct reclaim_policy_ops reclaim_memcg_wmark;
extern const struct reclaim_policy_ops reclaim_active_softlimit;
extern const struct reclaim_policy_ops reclaim_bailout_49;
extern const struct reclaim_policy_ops reclaim_bailout_54;
extern const struct reclaim_policy_ops reclaim_bailout_515;
extern const struct reclaim_policy_ops reclaim_bailout_none;
extern const struct reclaim_policy_ops reclaim_lumpy;
extern const struct reclaim_policy_ops reclaim_lumpy_sync;
extern const struct reclaim_policy_ops reclaim_compaction;
extern const struct reclaim_policy_ops reclaim_two_list;
extern const struct reclaim_policy_ops reclaim_mglru;
extern const struct reclaim_policy_ops reclaim_belady;

/* The mainline gap between two watermarks of a zone, in pages, for a scale factor (0: the
 * machine's). */
static inline uint64_t reclaim_linear_gap(const struct reclaim_wmark_input *in, int64_t wsf)
{
	uint64_t factor = wsf ? (uint64_t)wsf : in->scale_factor;
	uint64_t gap = in->managed * factor / 10000;

	return gap > in->share / 4 ? gap : in->share / 4;
}

#endif
