/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of single keys: from vmstat_text of mm/vmstat.c and memory_stats of
 * mm/memcontrol.c, 2.6.32 to 6.18.
 */
#include <string.h>

#include "capture/read/counters_private.h"

/* Keys of vmstat that begin like gauges and only grow. */
static const char *const cumulative_nr[] = {
	"nr_dirtied",
	"nr_written",
	"nr_vmscan_write",
	"nr_vmscan_immediate_reclaim",
	"nr_throttled_written",
	"nr_foll_pin_acquired",
	"nr_foll_pin_released",
	"nr_tlb_remote_flush",
	"nr_tlb_remote_flush_received",
	"nr_tlb_local_flush_all",
	"nr_tlb_local_flush_one",
	NULL,
};

/* Keys without nr_ that are gauges. */
static const char *const gauges[] = {
	"workingset_nodes",
	NULL,
};

/* Keys of vmstat that count occurrences, not pages. */
static const char *const counts[] = {
	"allocstall",
	"allocstall_dma",
	"allocstall_dma32",
	"allocstall_normal",
	"allocstall_high",
	"allocstall_movable",
	"allocstall_device",
	"pageoutrun",
	"pgfault",
	"pgmajfault",
	"oom_kill",
	"drop_pagecache",
	"drop_slab",
	"pgscan_direct_throttle",
	"compact_stall",
	"compact_fail",
	"compact_success",
	"compact_daemon_wake",
	"compact_blocks_moved",
	"kswapd_low_wmark_hit_quickly",
	"kswapd_high_wmark_hit_quickly",
	"kswapd_skip_congestion_wait",
	"zone_reclaim_failed",
	"zone_reclaim_success",
	"htlb_buddy_alloc_success",
	"htlb_buddy_alloc_fail",
	"numa_huge_pte_updates",
	"numa_hint_faults",
	"numa_hint_faults_local",
	"thp_fault_alloc",
	"thp_fault_fallback",
	"thp_fault_fallback_charge",
	"thp_collapse_alloc",
	"thp_collapse_alloc_failed",
	"thp_split",
	"thp_split_page",
	"thp_split_page_failed",
	"thp_deferred_split_page",
	"thp_split_pmd",
	"thp_swpout",
	"thp_swpout_fallback",
	"thp_file_alloc",
	"thp_file_mapped",
	NULL,
};

/* One of these says vmstat: no other file has them. */
static const char *const vmstat_proof[] = {
	"nr_free_pages",
	"nr_zone_inactive_anon",
	"nr_zone_active_file",
	"nr_inactive_anon",
	"nr_inactive_file",
	"nr_active_file",
	"nr_vmscan_write",
	"nr_dirtied",
	"nr_written",
	"allocstall",
	"allocstall_dma",
	"allocstall_dma32",
	"allocstall_normal",
	"allocstall_high",
	"allocstall_movable",
	"pageoutrun",
	"pgpgin",
	"pswpin",
	"pswpout",
	"pgalloc_dma",
	"pgalloc_dma32",
	"pgalloc_normal",
	"pgfree",
	"pgscan_kswapd",
	"pgscan_direct",
	"pgsteal_kswapd",
	"pgsteal_direct",
	"pgscan_kswapd_dma",
	"pgscan_kswapd_dma32",
	"pgscan_kswapd_normal",
	"pgscan_direct_normal",
	"pgsteal_normal",
	"pgsteal_kswapd_normal",
	"pgsteal_direct_normal",
	"kswapd_steal",
	"kswapd_low_wmark_hit_quickly",
	"kswapd_high_wmark_hit_quickly",
	"slabs_scanned",
	"compact_stall",
	"compact_success",
	"compact_migrate_scanned",
	"pgmigrate_success",
	"workingset_refault",
	"workingset_refault_file",
	"workingset_activate",
	"pgscan_anon",
	"pgsteal_file",
	NULL,
};

/* One of these says memory.stat, of either version, also beside keys of vmstat. */
static const char *const memcg_proof[] = {
	"anon",
	"file",
	"kernel_stack",
	"slab_reclaimable",
	"slab_unreclaimable",
	"inactive_anon",
	"active_file",
	"cache",
	"rss",
	"rss_huge",
	"total_cache",
	"total_rss",
	"hierarchical_memory_limit",
	NULL,
};

static const char *const meminfo_proof[] = {
	"MemTotal", "MemFree", "MemAvailable", "Inactive(anon)", "SwapTotal", "Committed_AS", NULL,
};

static const char *const sysctl_proof[] = {
	"watermark_scale_factor", "min_free_kbytes", "swappiness", "watermark_boost_factor", NULL,
};

/* Event counts of memory.stat; its other keys are sizes. */
static const char *const memcg_counts[] = {
	"pgfault",
	"pgmajfault",
	"pgpgin",
	"pgpgout",
	"pgrefill",
	"pgscan",
	"pgsteal",
	"pgscan_kswapd",
	"pgscan_direct",
	"pgscan_khugepaged",
	"pgscan_proactive",
	"pgsteal_kswapd",
	"pgsteal_direct",
	"pgsteal_khugepaged",
	"pgsteal_proactive",
	"pgdemote_kswapd",
	"pgdemote_direct",
	"pgdemote_khugepaged",
	"pgdemote_proactive",
	"pgpromote_success",
	"pgactivate",
	"pgdeactivate",
	"pglazyfree",
	"pglazyfreed",
	"pswpin",
	"pswpout",
	"swpin_zero",
	"swpout_zero",
	"zswpin",
	"zswpout",
	"zswpwb",
	"thp_fault_alloc",
	"thp_collapse_alloc",
	"thp_swpout",
	"thp_swpout_fallback",
	"numa_pages_migrated",
	"numa_pte_updates",
	"numa_hint_faults",
	"workingset_refault",
	"workingset_refault_anon",
	"workingset_refault_file",
	"workingset_activate",
	"workingset_activate_anon",
	"workingset_activate_file",
	"workingset_restore_anon",
	"workingset_restore_file",
	"workingset_nodereclaim",
	"total_pgpgin",
	"total_pgpgout",
	"total_pgfault",
	"total_pgmajfault",
	/* memory.events */
	"low",
	"high",
	"max",
	"oom",
	"oom_kill",
	"oom_group_kill",
	NULL,
};

static bool listed(const char *const *list, struct counters_word word)
{
	for (; *list; list++)
		if (counters_is(word, *list))
			return true;
	return false;
}

static struct counters_word word_of(const char *name)
{
	return (struct counters_word){ name, strlen(name) };
}

bool counters_key_cumulative(enum counters_source source, const char *name)
{
	struct counters_word key = word_of(name);

	switch (source) {
	case COUNTERS_VMSTAT:
	case COUNTERS_ZONEINFO:
		if (counters_starts(key, "nr_"))
			return listed(cumulative_nr, key);
		return !listed(gauges, key);
	case COUNTERS_MEMCG:
		return listed(memcg_counts, key);
	default:
		return false;
	}
}

const char *counters_key_unit(enum counters_source source, const char *name)
{
	struct counters_word key = word_of(name);

	switch (source) {
	case COUNTERS_VMSTAT:
	case COUNTERS_ZONEINFO:
		if (counters_is(key, "pgpgin") || counters_is(key, "pgpgout"))
			return "KiB";
		if (counters_is(key, "nr_kernel_stack"))
			return "KiB";
		if (counters_is(key, "slabs_scanned"))
			return "objects";
		return listed(counts, key) ? "" : "pages";
	case COUNTERS_MEMCG:
		if (counters_starts(key, "pg") || counters_starts(key, "workingset_"))
			return "pages";
		return listed(memcg_counts, key) ? "" : "bytes";
	default:
		return "";
	}
}

bool counters_key_proves(enum counters_source source, struct counters_word key)
{
	static const char *const *const proofs[COUNTERS_NR] = {
		[COUNTERS_VMSTAT] = vmstat_proof,
		[COUNTERS_MEMCG] = memcg_proof,
		[COUNTERS_MEMINFO] = meminfo_proof,
		[COUNTERS_SYSCTL] = sysctl_proof,
	};

	return proofs[source] && listed(proofs[source], key);
}
