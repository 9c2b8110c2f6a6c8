/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.c - the kernels whose rules the engine knows
 *
 * Each profile is a row of switches and constants; no other file knows a kernel's version.
 */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

#define BASE_49                                                                                    \
	.rules = "congestion-wait+bailout-49", .min_free_max_kb = 65536,                           \
	.boost_small_zones = true, .retry_backoff = true, .alloc_congestion = true,                \
	.pcp = RC_PCP_49, .lru_batch = 14, .cost = RC_COST_ROTATED, .workingset = RC_WS_FILE_ONLY, \
	.zone_inactive_low = true, .adjust_once = true, .isolated_waits_on = true,                 \
	.kswapd_all_zones = true, .kswapd_writes_files = true, .suitable = RC_SUITABLE_49

#define BASE_54                                                                                    \
	.rules = "congestion-wait+bailout-54", .min_free_max_kb = 65536, .has_boost = true,        \
	.boost_small_zones = true, .boost_flag_always = true, .early_compact_all = true,           \
	.alloc_congestion = true, .pcp = RC_PCP_49, .lru_batch = 15, .cost = RC_COST_ROTATED,      \
	.workingset = RC_WS_FILE_ONLY, .zone_inactive_low = true, .adjust_once = true,             \
	.kswapd_writes_files = true, .parks_dirty = true, .suitable = RC_SUITABLE_54,              \
	.free_reversed = true, .wbt = RC_WBT_KSWAPD

#define BASE_515                                                                                   \
	.min_free_max_kb = 262144, .has_boost = true, .fast_unusable = true,                       \
	.fast_unboosted = true, .early_compact_all = true, .pcp = RC_PCP_514,                      \
	.pcp_high_orders = true, .lru_batch = 15, .anon_two_refs = true,                           \
	.anon_starts_inactive = true, .exec_needs_file = true, .cost = RC_COST_515,                \
	.workingset = RC_WS_SPLIT, .adjust_once = true, .kswapd_writes_files = true,               \
	.parks_dirty = true, .suitable = RC_SUITABLE_54, .free_reversed = true,                    \
	.wbt = RC_WBT_KSWAPD

#define BASE_61                                                                                    \
	.rules = "reclaim-throttle+bailout-515:thisnode=1", .min_free_max_kb = 262144,             \
	.has_boost = true, .reserve_flags = true, .fast_unusable = true, .fast_unboosted = true,   \
	.early_compact_all = true, .unreserve_always = true, .pcp = RC_PCP_514,                    \
	.pcp_high_orders = true, .lru_batch = 15, .anon_two_refs = true,                           \
	.anon_starts_inactive = true, .exec_needs_file = true, .cost = RC_COST_515,                \
	.workingset = RC_WS_SPLIT, .kswapd_writes_files = true, .parks_dirty = true,               \
	.suitable = RC_SUITABLE_54, .free_reversed = true, .pcp_free_high = true,                  \
	.wbt = RC_WBT_KSWAPD

#define BASE_612                                                                                   \
	.rules = "reclaim-throttle+bailout-515:thisnode=1", .min_free_max_kb = 262144,             \
	.movable_is_high = true, .has_boost = true, .boost_on_claim = true, .free_to_block = true, \
	.reserve_flags = true, .free_highatomic = true, .fast_unusable = true,                     \
	.fast_unboosted = true, .early_compact_all = true, .unreserve_always = true,               \
	.compact_retry_simple = true, .pcp = RC_PCP_67, .pcp_high_orders = true, .lru_batch = 31,  \
	.anon_two_refs = true, .anon_starts_inactive = true, .exec_needs_file = true,              \
	.cost = RC_COST_612, .workingset = RC_WS_SPLIT, .kswapd_count_reclaimed = true,            \
	.kswapd_trim_retry = true, .kswapd_writes_files = true, .parks_dirty = true,               \
	.suitable = RC_SUITABLE_612, .partial_walk = true, .eevdf = true, .wbt = RC_WBT_SWAP

#define BASE_618                                                                                   \
	.rules = "reclaim-throttle+bailout-515", .min_free_max_kb = 262144,                        \
	.movable_is_high = true, .has_boost = true, .boost_on_claim = true, .free_to_block = true, \
	.reserve_flags = true, .free_highatomic = true, .fast_unusable = true,                     \
	.fast_unboosted = true, .highatomic_blocks = true, .early_compact_all = true,              \
	.unreserve_always = true, .compact_retry_simple = true, .pcp = RC_PCP_67,                  \
	.pcp_high_orders = true, .lru_batch = 31, .anon_two_refs = true,                           \
	.anon_starts_inactive = true, .exec_needs_file = true, .cost = RC_COST_612,                \
	.workingset = RC_WS_SPLIT, .kswapd_count_reclaimed = true, .kswapd_trim_retry = true,      \
	.dirty_needs_pages = true, .parks_dirty = true, .suitable = RC_SUITABLE_618,               \
	.partial_walk = true, .kswapd_awake_rule = true, .eevdf = true, .pcp_high_late = true,     \
	.wbt = RC_WBT_SWAP

static const struct reclaim_profile profiles[] = {
	{ .name = "k49", BASE_49 },
	{ .name = "k54", BASE_54 },
	{ .name = "k515",
	  BASE_515,
	  .rules = "congestion-wait+bailout-515",
	  .alloc_congestion = true },
	{ .name = "k516rc1", BASE_515, .rules = "reclaim-throttle-516rc1+bailout-515" },
	{ .name = "k516", BASE_515, .rules = "reclaim-throttle+bailout-515" },
	{ .name = "k61", BASE_61 },
	{ .name = "k612", BASE_612 },
	{ .name = "k618", BASE_618 },
	{ .name = "lumpy2636", BASE_49, .lumpy = true },
	{ .name = "k61-mglru", BASE_61, .mglru = true, .mglru_version = 1 },
	{ .name = "k612-mglru", BASE_612, .mglru = true, .mglru_version = 2 },
	{ .name = "k618-mglru", BASE_618, .mglru = true, .mglru_version = 3 },
};

#define NR_PROFILES (sizeof(profiles) / sizeof(profiles[0]))

const struct reclaim_profile *reclaim_profile_find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_PROFILES; i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

const char *reclaim_profile_name(const struct reclaim_profile *profile)
{
	return profile->name;
}

const char *reclaim_profile_list(size_t i)
{
	return i < NR_PROFILES ? profiles[i].name : NULL;
}

const struct reclaim_profile *reclaim_profile_for_release(const char *release, bool mglru)
{
	static const struct {
		uint32_t upto; /* major << 8 | minor */
		const char *name;
	} steps[] = {
		{ 0x0206ff, "lumpy2636" }, { 0x0410, "k49" },	   { 0x0507, "k54" },
		{ 0x050f, "k515" },	   { 0x0600, "k516" },	   { 0x0606, "k61" },
		{ 0x060e, "k612" },	   { UINT32_MAX, "k618" },
	};
	const char *end = release;
	char name[32];
	unsigned long major, minor = 0;
	size_t i;

	major = strtoul(release, (char **)&end, 10);
	if (*end == '.')
		minor = strtoul(end + 1, NULL, 10);
	if (!major || major > 99 || minor > 255)
		return NULL;
	if (major == 2)
		return reclaim_profile_find("lumpy2636");
	for (i = 1; steps[i].upto < (major << 8 | minor); i++)
		;
	snprintf(name, sizeof(name), "%s%s", steps[i].name, mglru ? "-mglru" : "");
	if (mglru && !reclaim_profile_find(name))
		return NULL;
	return reclaim_profile_find(name);
}
