/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bailout_none.c - no request gives up before it has reclaimed */
#include "builtin.h"

static enum reclaim_bailout bailout(void *state, const struct reclaim_alloc_view *v)
{
	return v->order > 3 && (v->gfp & RECLAIM_GFP_NORETRY) ? RECLAIM_BAILOUT_ASYNC
							      : RECLAIM_BAILOUT_GO_ON;
}

const struct reclaim_policy_ops reclaim_bailout_none = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "bailout-none",
	.source = "mm/page_alloc.c before b39d0ee2632d",
	.summary = "every request reclaims first",
	.bailout = bailout,
};
