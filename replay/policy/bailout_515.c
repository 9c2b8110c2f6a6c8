/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bailout_515.c - only costly requests that said NORETRY give up early
 *
 * cc638f329ef6 and mainline since: skipped or deferred compaction fails a costly __GFP_NORETRY
 * request; stable 6.1 and 6.12 fail a costly __GFP_NORETRY | __GFP_THISNODE request in any case.
 */
#include "builtin.h"

struct bailout {
	int64_t thisnode;
};

static const struct reclaim_policy_param params[] = {
	{ "thisnode", "1: NORETRY with THISNODE always fails", 0, 1, 0 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	((struct bailout *)state)->thisnode = values[0];
	return 0;
}

static enum reclaim_bailout bailout(void *state, const struct reclaim_alloc_view *v)
{
	if (v->order <= 3 || !(v->gfp & RECLAIM_GFP_NORETRY))
		return RECLAIM_BAILOUT_GO_ON;
	if (((struct bailout *)state)->thisnode && (v->gfp & RECLAIM_GFP_THISNODE))
		return RECLAIM_BAILOUT_FAIL;
	return v->compact <= RECLAIM_COMPACT_DEFERRED ? RECLAIM_BAILOUT_FAIL
						      : RECLAIM_BAILOUT_ASYNC;
}

const struct reclaim_policy_ops reclaim_bailout_515 = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "bailout-515",
	.source = "cc638f329ef6, mm/page_alloc.c of 5.15 and later",
	.summary = "costly NORETRY requests fail when compaction was skipped or deferred",
	.params = params,
	.nr_params = 1,
	.state_size = sizeof(struct bailout),
	.init = init,
	.bailout = bailout,
};
