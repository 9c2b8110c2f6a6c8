/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lumpy.c - reclaim takes the aligned block around each victim and moves on */
#include "builtin.h"

static void contiguous(void *state, uint32_t order, int priority, struct reclaim_contig *out)
{
	out->kind = order > 3 || priority < 10 ? RECLAIM_CONTIG_LUMPY : RECLAIM_CONTIG_NONE;
}

const struct reclaim_policy_ops reclaim_lumpy = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "lumpy",
	.source = "mm/vmscan.c, isolate_lru_pages(), 2.6.23",
	.summary = "lumpy reclaim that does not wait for writeback",
	.contiguous = contiguous,
};
