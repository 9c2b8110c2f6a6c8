-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view counter_sum What do the kernel's counters say, whatever this kernel calls them?
-- Each sum takes exactly the keys that are listed, never a prefix: pgscan_direct_throttle is a count of
-- stalls, pgscan_anon and pgscan_file count the same pages a second time. A key that the kernel does not
-- have adds nothing; a sum none of whose keys exist has no row, nor has one with a key whose growth is
-- not known. Up to 3.3 pgsteal_<zone> has both kinds
-- of reclaim and kswapd_steal the part of kswapd, hence the weight of -1. The weights of compact_cost are
-- those of mmtests for x86-64, with the free scanner's pages, which mmtests looks for under a name that
-- no kernel has; its unit is a million. Counters know neither tasks nor nodes: a focus on some leaves no
-- row.
-- @column run - run
-- @column key - what is summed
-- @column value - sum of the differences
-- @column seconds s between the snapshots; NULL: not known
CREATE VIEW counter_sum AS
WITH part(key, name, weight) AS (
	VALUES
		('minor_faults', 'pgfault', 1), ('minor_faults', 'pgmajfault', -1),
		('major_faults', 'pgmajfault', 1), ('swap_ins', 'pswpin', 1),
		('swap_outs', 'pswpout', 1), ('stalls', 'allocstall', 1),
		('stalls', 'allocstall_dma', 1), ('stalls', 'allocstall_dma32', 1),
		('stalls', 'allocstall_normal', 1), ('stalls', 'allocstall_high', 1),
		('stalls', 'allocstall_movable', 1), ('stalls', 'allocstall_device', 1),
		('alloc_dma', 'pgalloc_dma', 1), ('alloc_dma32', 'pgalloc_dma32', 1),
		('alloc_normal', 'pgalloc_normal', 1), ('alloc_high', 'pgalloc_high', 1),
		('alloc_movable', 'pgalloc_movable', 1), ('alloc_device', 'pgalloc_device', 1),
		('kswapd_scanned', 'pgscan_kswapd', 1), ('kswapd_scanned', 'pgscan_kswapd_dma', 1),
		('kswapd_scanned', 'pgscan_kswapd_dma32', 1),
		('kswapd_scanned', 'pgscan_kswapd_normal', 1),
		('kswapd_scanned', 'pgscan_kswapd_high', 1),
		('kswapd_scanned', 'pgscan_kswapd_movable', 1),
		('direct_scanned', 'pgscan_direct', 1), ('direct_scanned', 'pgscan_direct_dma', 1),
		('direct_scanned', 'pgscan_direct_dma32', 1),
		('direct_scanned', 'pgscan_direct_normal', 1),
		('direct_scanned', 'pgscan_direct_high', 1),
		('direct_scanned', 'pgscan_direct_movable', 1),
		('kswapd_reclaimed', 'pgsteal_kswapd', 1),
		('kswapd_reclaimed', 'pgsteal_kswapd_dma', 1),
		('kswapd_reclaimed', 'pgsteal_kswapd_dma32', 1),
		('kswapd_reclaimed', 'pgsteal_kswapd_normal', 1),
		('kswapd_reclaimed', 'pgsteal_kswapd_high', 1),
		('kswapd_reclaimed', 'pgsteal_kswapd_movable', 1),
		('kswapd_reclaimed', 'kswapd_steal', 1), ('direct_reclaimed', 'pgsteal_direct', 1),
		('direct_reclaimed', 'pgsteal_direct_dma', 1),
		('direct_reclaimed', 'pgsteal_direct_dma32', 1),
		('direct_reclaimed', 'pgsteal_direct_normal', 1),
		('direct_reclaimed', 'pgsteal_direct_high', 1),
		('direct_reclaimed', 'pgsteal_direct_movable', 1),
		('direct_reclaimed', 'pgsteal_dma', 1), ('direct_reclaimed', 'pgsteal_dma32', 1),
		('direct_reclaimed', 'pgsteal_normal', 1), ('direct_reclaimed', 'pgsteal_high', 1),
		('direct_reclaimed', 'pgsteal_movable', 1),
		('direct_reclaimed', 'kswapd_steal', -1),
		('khugepaged_scanned', 'pgscan_khugepaged', 1),
		('khugepaged_reclaimed', 'pgsteal_khugepaged', 1),
		('proactive_scanned', 'pgscan_proactive', 1),
		('proactive_reclaimed', 'pgsteal_proactive', 1),
		('zone_dma_scanned', 'pgscan_kswapd_dma', 1),
		('zone_dma_scanned', 'pgscan_direct_dma', 1),
		('zone_dma32_scanned', 'pgscan_kswapd_dma32', 1),
		('zone_dma32_scanned', 'pgscan_direct_dma32', 1),
		('zone_normal_scanned', 'pgscan_kswapd_normal', 1),
		('zone_normal_scanned', 'pgscan_direct_normal', 1),
		('zone_high_scanned', 'pgscan_kswapd_high', 1),
		('zone_high_scanned', 'pgscan_direct_high', 1),
		('zone_movable_scanned', 'pgscan_kswapd_movable', 1),
		('zone_movable_scanned', 'pgscan_direct_movable', 1), ('refilled', 'pgrefill', 1),
		('refilled', 'pgrefill_dma', 1), ('refilled', 'pgrefill_dma32', 1),
		('refilled', 'pgrefill_normal', 1), ('refilled', 'pgrefill_high', 1),
		('refilled', 'pgrefill_movable', 1), ('writes', 'nr_vmscan_write', 1),
		('writes_file', 'nr_vmscan_write', 1), ('writes_file', 'pswpout', -1),
		('writes_anon', 'pswpout', 1), ('immediate', 'nr_vmscan_immediate_reclaim', 1),
		('kbytes_in', 'pgpgin', 1), ('kbytes_out', 'pgpgout', 1),
		('rescued', 'pgrescued', 1), ('slabs_scanned', 'slabs_scanned', 1),
		('direct_inode_steals', 'pginodesteal', 1),
		('kswapd_inode_steals', 'kswapd_inodesteal', 1),
		('skipped_wait', 'kswapd_skip_congestion_wait', 1),
		('direct_throttles', 'pgscan_direct_throttle', 1),
		('kswapd_wakes', 'pageoutrun', 1),
		('low_hit_quickly', 'kswapd_low_wmark_hit_quickly', 1),
		('high_hit_quickly', 'kswapd_high_wmark_hit_quickly', 1),
		('refaults', 'workingset_refault', 1), ('refaults', 'workingset_refault_anon', 1),
		('refaults', 'workingset_refault_file', 1),
		('refault_activations', 'workingset_activate', 1),
		('refault_activations', 'workingset_activate_anon', 1),
		('refault_activations', 'workingset_activate_file', 1),
		('oom_kills', 'oom_kill', 1), ('thp_fault_alloc', 'thp_fault_alloc', 1),
		('thp_collapse_alloc', 'thp_collapse_alloc', 1), ('thp_splits', 'thp_split', 1),
		('thp_splits', 'thp_split_page', 1),
		('thp_fault_fallback', 'thp_fault_fallback', 1),
		('thp_collapse_fail', 'thp_collapse_alloc_failed', 1),
		('compact_stalls', 'compact_stall', 1), ('compact_success', 'compact_success', 1),
		('compact_failures', 'compact_fail', 1),
		('migrate_success', 'pgmigrate_success', 1),
		('migrate_failure', 'pgmigrate_fail', 1),
		('compact_isolated', 'compact_isolated', 1),
		('compact_migrate_scanned', 'compact_migrate_scanned', 1),
		('compact_free_scanned', 'compact_free_scanned', 1),
		('compact_cost', 'compact_migrate_scanned', 7),
		('compact_cost', 'compact_free_scanned', 7),
		('compact_cost', 'compact_isolated', 19),
		('compact_cost', 'pgmigrate_success', 1038), ('compact_cost', 'pgmigrate_fail', 14),
		('kcompactd_wakes', 'compact_daemon_wake', 1),
		('kcompactd_migrate_scanned', 'compact_daemon_migrate_scanned', 1),
		('kcompactd_free_scanned', 'compact_daemon_free_scanned', 1),
		('numa_hit', 'numa_hit', 1), ('numa_miss', 'numa_miss', 1),
		('numa_interleave', 'numa_interleave', 1), ('numa_local', 'numa_local', 1),
		('numa_pte_updates', 'numa_pte_updates', 1),
		('numa_huge_updates', 'numa_huge_pte_updates', 1),
		('numa_hint_faults', 'numa_hint_faults', 1),
		('numa_hint_local', 'numa_hint_faults_local', 1),
		('numa_migrated', 'numa_pages_migrated', 1)
)
SELECT d.run, p.key, sum(d.delta * p.weight) AS value, max(d.seconds) AS seconds
FROM counter_delta AS d
JOIN part AS p ON p.name = d.name
WHERE d.source = 'vmstat' AND NOT EXISTS (
	SELECT 1 FROM focus AS f
	WHERE f.run = d.run AND (f.task IS NOT NULL OR f.node IS NOT NULL)
)
GROUP BY d.run, p.key
HAVING max(p.weight) > 0 AND count(d.delta) = count(*);
