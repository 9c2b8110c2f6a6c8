/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * profile.h - what differs from one kernel version to the next
 */
#ifndef RECLAIM_PROFILE_H
#define RECLAIM_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

enum rc_pcp_rule { RC_PCP_49, RC_PCP_514, RC_PCP_67 };
enum rc_cost_rule { RC_COST_ROTATED, RC_COST_515, RC_COST_612 };
enum rc_workingset_rule { RC_WS_FILE_ONLY, RC_WS_SPLIT };
enum rc_wbt_rule {
	RC_WBT_NONE,
	RC_WBT_KSWAPD, /* what kswapd writes is a class of its own */
	RC_WBT_SWAP,   /* what goes to swap is */
};
enum rc_suitable_rule { RC_SUITABLE_49, RC_SUITABLE_54, RC_SUITABLE_612, RC_SUITABLE_618 };

struct reclaim_profile {
	const char *name;
	const char *rules; /* the built-in policies for what a replay's policy leaves open */
	uint32_t min_free_max_kb;
	bool movable_is_high; /* ZONE_MOVABLE is left out of lowmem_pages, min clamped */
	bool has_boost;
	bool boost_on_claim;	/* only when a block is to be claimed */
	bool free_reversed;	/* reclaim gathers what it frees in a list, the last in front */
	bool free_to_block;	/* a freed page goes to the free list of its pageblock's type */
	bool boost_small_zones; /* also where four pageblocks exceed the zone */
	bool boost_flag_always; /* the kswapd hint is set even if nothing was boosted */
	bool reserve_flags;	/* MIN_RESERVE and NON_BLOCK instead of HIGH and HARDER */
	bool free_highatomic;	/* subtract free highatomic pages, not reserved blocks */
	bool fast_unusable;	/* the fast check subtracts what the caller may not use */
	bool fast_unboosted;	/* atomic requests are tried against the mark without its boost */
	bool highatomic_blocks; /* the highatomic limit is whole pageblocks */
	bool early_compact_all; /* early compaction also for small unmovable blocks */
	bool retry_backoff;
	bool alloc_congestion;
	bool unreserve_always;
	bool compact_retry_simple;
	enum rc_pcp_rule pcp;
	bool pcp_high_orders;
	bool pcp_free_high; /* 5.14 rules: blocks freed in a row empty the lists */
	bool pcp_high_late; /* 6.7 rules: they do so only after half the high mark more */
	uint8_t lru_batch;
	bool anon_two_refs;
	bool anon_starts_inactive;
	bool exec_needs_file;
	enum rc_cost_rule cost;
	enum rc_workingset_rule workingset;
	bool zone_inactive_low; /* inactive_is_low counts eligible zones only */
	bool adjust_once;	/* shrink_lruvec runs on after its one adjustment */
	bool isolated_waits_on; /* who waited for isolated pages looks whether there are fewer */
	bool kswapd_all_zones;
	bool kswapd_count_reclaimed;
	bool kswapd_trim_retry;
	bool dirty_needs_pages; /* the dirty flag of a node needs at least one dirty page */
	bool kswapd_writes_files;
	bool parks_dirty; /* dirty pages wait on the active list until they are written */
	bool mark_congested_once;
	enum rc_suitable_rule suitable;
	bool partial_walk;
	enum rc_wbt_rule wbt;
	bool eevdf; /* the scheduler goes by deadlines */
	bool kswapd_awake_rule;
	bool lumpy;
	bool mglru;
	uint8_t mglru_version;
};

#endif
