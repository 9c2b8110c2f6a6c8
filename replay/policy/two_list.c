/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* two_list.c - the active and the inactive list */
#include "builtin.h"

const struct reclaim_policy_ops reclaim_two_list = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "two-list",
	.source = "mm/vmscan.c",
	.summary = "active and inactive lists by the profile's rules",
	.lru_kind = RECLAIM_LRU_TWO_LIST,
};
