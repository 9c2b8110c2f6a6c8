/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compaction_policy.c - reclaim makes room, compaction makes the block */
#include "builtin.h"

static void contiguous(void *state, uint32_t order, int priority, struct reclaim_contig *out)
{
	out->kind = RECLAIM_CONTIG_COMPACTION;
}

const struct reclaim_policy_ops reclaim_compaction = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "compaction",
	.source = "mm/compaction.c, 2.6.35 and later",
	.summary = "reclaim and compaction",
	.contiguous = contiguous,
};
