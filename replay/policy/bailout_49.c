/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bailout_49.c - requests that said NORETRY give up when compaction is deferred
 *
 * The allocator of 4.9: a request that shall not retry fails where compaction is deferred, else it
 * reclaims and compacts asynchronously only, whatever its order.
 */
#include "builtin.h"

static enum reclaim_bailout bailout(void *state, const struct reclaim_alloc_view *v)
{
	if (!(v->gfp & RECLAIM_GFP_NORETRY))
		return RECLAIM_BAILOUT_GO_ON;
	return v->compact == RECLAIM_COMPACT_DEFERRED ? RECLAIM_BAILOUT_FAIL
						      : RECLAIM_BAILOUT_ASYNC;
}

const struct reclaim_policy_ops reclaim_bailout_49 = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "bailout-49",
	.source = "mm/page_alloc.c of 4.9, __alloc_pages_slowpath()",
	.summary = "NORETRY requests fail when compaction was deferred",
	.bailout = bailout,
};
