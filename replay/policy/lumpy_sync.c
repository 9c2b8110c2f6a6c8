/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lumpy_sync.c - lumpy reclaim that waits for the block
 *
 * The patch of 2007: reclaim queued a block's dirty pages and moved on before they were free, so
 * the block was lost. Direct reclaim waits for the block's writeback and looks again, up to 5
 * times; the reviewer asked for one asynchronous and one synchronous pass, which was merged.
 */
#include "builtin.h"

struct lumpy_sync {
	int64_t passes;
};

static const struct reclaim_policy_param params[] = {
	{ "passes", "synchronous passes over a block", 1, 16, 1 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	((struct lumpy_sync *)state)->passes = values[0];
	return 0;
}

static void contiguous(void *state, uint32_t order, int priority, struct reclaim_contig *out)
{
	out->kind = order > 3 || priority < 10 ? RECLAIM_CONTIG_LUMPY_SYNC : RECLAIM_CONTIG_NONE;
	out->passes = (uint32_t)((struct lumpy_sync *)state)->passes;
}

const struct reclaim_policy_ops reclaim_lumpy_sync = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "lumpy-sync",
	.source = "linux-mm, 2007: synchronous lumpy reclaim",
	.summary = "lumpy reclaim that waits for the writeback of its block",
	.params = params,
	.nr_params = 1,
	.state_size = sizeof(struct lumpy_sync),
	.init = init,
	.contiguous = contiguous,
};
