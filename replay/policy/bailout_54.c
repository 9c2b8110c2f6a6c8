/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bailout_54.c - huge requests give up when compaction may not succeed
 *
 * b39d0ee2632d: a request of at least a pageblock that may do I/O fails when early compaction was
 * skipped or deferred. It hit the growth of the hugetlb pool, so 5.4-rc4 exempted
 * __GFP_RETRY_MAYFAIL.
 */
#include "builtin.h"

struct bailout {
	int64_t exempt;
};

static const struct reclaim_policy_param params[] = {
	{ "exempt", "1: not for __GFP_RETRY_MAYFAIL", 0, 1, 1 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	((struct bailout *)state)->exempt = values[0];
	return 0;
}

static enum reclaim_bailout bailout(void *state, const struct reclaim_alloc_view *v)
{
	bool exempt = ((struct bailout *)state)->exempt && (v->gfp & RECLAIM_GFP_RETRY_MAYFAIL);
	bool hopeless = v->compact <= RECLAIM_COMPACT_DEFERRED;

	if (v->order >= v->pageblock_order && (v->gfp & RECLAIM_GFP_IO) && !exempt && hopeless)
		return RECLAIM_BAILOUT_FAIL;
	if (v->order > 3 && (v->gfp & RECLAIM_GFP_NORETRY))
		return v->compact == RECLAIM_COMPACT_DEFERRED ? RECLAIM_BAILOUT_FAIL
							      : RECLAIM_BAILOUT_ASYNC;
	return RECLAIM_BAILOUT_GO_ON;
}

const struct reclaim_policy_ops reclaim_bailout_54 = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "bailout-54",
	.source = "b39d0ee2632d (2019), with or without the exemption of 5.4-rc4",
	.summary = "huge requests fail when compaction was skipped or deferred",
	.params = params,
	.nr_params = 1,
	.state_size = sizeof(struct bailout),
	.init = init,
	.bailout = bailout,
};
