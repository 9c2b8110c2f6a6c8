-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view not_recorded Which events are missing from the recording, and what can therefore not be said?
-- A text does not say what was recorded: an event that is not in it may not have happened.
-- @column run - run
-- @column event - event that would say it
-- @column cost - what cannot be said; "not seen:" before it where the event may just not have happened
CREATE VIEW not_recorded AS
WITH need(event, instead, cost) AS (
	VALUES ('mm_vmscan_lru_isolate', 'mm_vmscan_lru_shrink_inactive', 'pages scanned, efficiency, velocity'),
		('mm_vmscan_lru_isolate', NULL, 'scans that took nothing, refills of the inactive list'),
		('mm_vmscan_lru_shrink_inactive', NULL, 'pages reclaimed, efficiency'),
		('mm_vmscan_direct_reclaim_begin', NULL, 'stalls of tasks in direct reclaim'),
		('mm_vmscan_direct_reclaim_end', NULL, 'length of stalls in direct reclaim'),
		('mm_vmscan_memcg_reclaim_begin', NULL, 'stalls at cgroup limits'),
		('mm_vmscan_kswapd_wake', NULL, 'wakes of kswapd, time awake'),
		('mm_vmscan_kswapd_sleep', NULL, 'whether kswapd reaches its goal'),
		('mm_vmscan_wakeup_kswapd', NULL, 'who wakes kswapd'),
		('mm_vmscan_throttled', 'writeback_congestion_wait', 'throttling of reclaimers'),
		('mm_vmscan_write_folio', NULL, 'page writes by reclaim'),
		('mm_shrink_slab_start', NULL, 'time in slab shrinkers'),
		('mm_compaction_begin', NULL, 'time in compaction'),
		('mm_migrate_pages', NULL, 'pages migrated'),
		('mm_page_alloc', NULL, 'requests for huge pages, demand for a replay'),
		('mm_page_alloc_extfrag', NULL, 'fragmentation events'),
		('mm_filemap_add_to_page_cache', NULL, 'files read back after eviction'),
		('mm_filemap_delete_from_page_cache', NULL, 'files read back after eviction')
)
SELECT p.run, n.event, CASE WHEN EXISTS (
		SELECT 1 FROM coverage AS c WHERE c.run = p.run AND c.event = n.event AND c.state = 'unseen'
	) THEN 'not seen: ' ELSE '' END || group_concat(DISTINCT n.cost) AS cost
FROM span AS p
JOIN need AS n
WHERE EXISTS (SELECT 1 FROM coverage AS c WHERE c.run = p.run)
	AND NOT EXISTS (
		SELECT 1 FROM coverage AS c
		WHERE c.run = p.run AND c.event IN (n.event, n.instead)
			AND c.state IN ('present', 'renamed')
	)
GROUP BY p.run, n.event;
