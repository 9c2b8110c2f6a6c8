/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mglru_policy.c - generations instead of two lists */
#include "builtin.h"

const struct reclaim_policy_ops reclaim_mglru = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "mglru",
	.source = "mm/vmscan.c, CONFIG_LRU_GEN, 6.1 and later",
	.summary = "the multi-generational LRU",
	.lru_kind = RECLAIM_LRU_MGLRU,
};
