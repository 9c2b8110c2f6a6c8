-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view figures What does the whole run come to, in the rows of mmtests?
-- One row a figure that this run can tell, named and ordered as mmtests does where it has the row. Facts
-- of the trace come first; where the trace cannot hold them, the counters. Its differences to mmtests:
-- allocstall is summed over the zones, an efficiency without a scan is none, compaction cost has its
-- term for the free scanner.
-- @column run - run
-- @column position - order of the rows
-- @column key - name for machines
-- @column name - name for people
-- @column unit - unit of value
-- @column digits - decimals to print
-- @column value - the figure; NULL: see state
-- @column state - empty; no scan; at least: events were lost; from part: a ratio of what was not lost
-- @column source - trace or counters
-- @column mib MiB value, where it is a number of pages
-- @column view - view that defines the figure
CREATE VIEW figures AS
WITH title(position, key, name, unit, digits) AS (
	VALUES
		(10, 'minor_faults', 'Minor Faults', '', 0),
		(11, 'major_faults', 'Major Faults', '', 0),
		(12, 'swap_ins', 'Swap Ins', 'pages', 0),
		(13, 'swap_outs', 'Swap Outs', 'pages', 0),
		(14, 'stalls', 'Allocation stalls', '', 0),
		(20, 'alloc_dma', 'DMA allocs', 'pages', 0),
		(21, 'alloc_dma32', 'DMA32 allocs', 'pages', 0),
		(22, 'alloc_normal', 'Normal allocs', 'pages', 0),
		(23, 'alloc_high', 'High allocs', 'pages', 0),
		(24, 'alloc_movable', 'Movable allocs', 'pages', 0),
		(30, 'direct_scanned', 'Direct pages scanned', 'pages', 0),
		(31, 'kswapd_scanned', 'Kswapd pages scanned', 'pages', 0),
		(32, 'kswapd_reclaimed', 'Kswapd pages reclaimed', 'pages', 0),
		(33, 'direct_reclaimed', 'Direct pages reclaimed', 'pages', 0),
		(34, 'kswapd_efficiency', 'Kswapd efficiency %', '%', 2),
		(35, 'kswapd_velocity', 'Kswapd velocity', 'pages/s', 2),
		(36, 'direct_efficiency', 'Direct efficiency %', '%', 2),
		(37, 'direct_velocity', 'Direct velocity', 'pages/s', 2),
		(38, 'direct_share', 'Percentage direct scans', '%', 2),
		(40, 'zone_dma_velocity', 'Zone dma velocity', 'pages/s', 2),
		(41, 'zone_dma32_velocity', 'Zone dma32 velocity', 'pages/s', 2),
		(42, 'zone_normal_velocity', 'Zone normal velocity', 'pages/s', 2),
		(43, 'zone_high_velocity', 'Zone high velocity', 'pages/s', 2),
		(44, 'zone_movable_velocity', 'Zone movable velocity', 'pages/s', 2),
		(50, 'memcg_scanned', 'Memcg pages scanned', 'pages', 0),
		(51, 'memcg_reclaimed', 'Memcg pages reclaimed', 'pages', 0),
		(52, 'memcg_efficiency', 'Memcg efficiency %', '%', 2),
		(53, 'memcg_velocity', 'Memcg velocity', 'pages/s', 2),
		(54, 'softlimit_scanned', 'Soft limit pages scanned', 'pages', 0),
		(55, 'softlimit_reclaimed', 'Soft limit pages reclaimed', 'pages', 0),
		(56, 'softlimit_efficiency', 'Soft limit efficiency %', '%', 2),
		(57, 'node_scanned', 'Node reclaim pages scanned', 'pages', 0),
		(58, 'node_reclaimed', 'Node reclaim pages reclaimed', 'pages', 0),
		(59, 'node_efficiency', 'Node reclaim efficiency %', '%', 2),
		(60, 'khugepaged_scanned', 'Khugepaged pages scanned', 'pages', 0),
		(61, 'khugepaged_reclaimed', 'Khugepaged pages reclaimed', 'pages', 0),
		(62, 'khugepaged_efficiency', 'Khugepaged efficiency %', '%', 2),
		(63, 'proactive_scanned', 'Proactive pages scanned', 'pages', 0),
		(64, 'proactive_reclaimed', 'Proactive pages reclaimed', 'pages', 0),
		(65, 'proactive_efficiency', 'Proactive efficiency %', '%', 2),
		(66, 'refilled', 'Inactive list refills', 'pages', 0),
		(70, 'writes', 'Page writes by reclaim', 'pages', 0),
		(71, 'writes_file', 'Page writes file', 'pages', 0),
		(72, 'writes_anon', 'Page writes anon', 'pages', 0),
		(73, 'immediate', 'Page reclaim immediate', 'pages', 0),
		(74, 'kbytes_in', 'Sector Reads', 'KiB', 0),
		(75, 'kbytes_out', 'Sector Writes', 'KiB', 0),
		(76, 'rescued', 'Page rescued immediate', 'pages', 0),
		(80, 'slabs_scanned', 'Slabs scanned', 'objects', 0),
		(81, 'direct_inode_steals', 'Direct inode steals', '', 0),
		(82, 'kswapd_inode_steals', 'Kswapd inode steals', '', 0),
		(83, 'skipped_wait', 'Kswapd skipped wait', '', 0),
		(84, 'kswapd_wakes', 'Kswapd wakes', '', 0),
		(85, 'low_hit_quickly', 'Low watermark hit quickly', '', 0),
		(86, 'high_hit_quickly', 'High watermark hit quickly', '', 0),
		(87, 'direct_throttles', 'Direct reserve throttles', '', 0),
		(88, 'refaults', 'Workingset refaults', 'pages', 0),
		(89, 'refault_activations', 'Workingset activations', 'pages', 0),
		(90, 'oom_kills', 'OOM kills', '', 0),
		(100, 'thp_fault_alloc', 'THP fault alloc', '', 0),
		(101, 'thp_collapse_alloc', 'THP collapse alloc', '', 0),
		(102, 'thp_splits', 'THP splits', '', 0),
		(103, 'thp_fault_fallback', 'THP fault fallback', '', 0),
		(104, 'thp_collapse_fail', 'THP collapse fail', '', 0),
		(110, 'compact_stalls', 'Compaction stalls', '', 0),
		(111, 'compact_success', 'Compaction success', '', 0),
		(112, 'compact_failures', 'Compaction failures', '', 0),
		(113, 'compact_efficiency', 'Compaction efficiency', '%', 2),
		(114, 'migrate_success', 'Page migrate success', 'pages', 0),
		(115, 'migrate_failure', 'Page migrate failure', 'pages', 0),
		(116, 'compact_isolated', 'Compaction pages isolated', 'pages', 0),
		(117, 'compact_migrate_scanned', 'Compaction migrate scanned', 'pages', 0),
		(118, 'compact_free_scanned', 'Compaction free scanned', 'pages', 0),
		(119, 'compact_scan_efficiency', 'Compact scan efficiency', '%', 2),
		(120, 'compact_cost', 'Compaction cost', '', 0),
		(121, 'kcompactd_wakes', 'Kcompactd wake', '', 0),
		(122, 'kcompactd_migrate_scanned', 'Kcompactd migrate scanned', 'pages', 0),
		(123, 'kcompactd_free_scanned', 'Kcompactd free scanned', 'pages', 0),
		(130, 'numa_hit', 'NUMA alloc hit', '', 0),
		(131, 'numa_miss', 'NUMA alloc miss', '', 0),
		(132, 'numa_interleave', 'NUMA interleave hit', '', 0),
		(133, 'numa_local', 'NUMA alloc local', '', 0),
		(134, 'numa_pte_updates', 'NUMA base PTE updates', '', 0),
		(135, 'numa_huge_updates', 'NUMA huge PMD updates', '', 0),
		(136, 'numa_hint_faults', 'NUMA hint faults', '', 0),
		(137, 'numa_hint_local', 'NUMA hint local faults', '', 0),
		(138, 'numa_migrated', 'NUMA pages migrated', 'pages', 0)
),
found(run, key, value, source, view) AS (
	SELECT run, actor || '_scanned', scanned, source, 'scan_total' FROM scan_total
	UNION ALL
	SELECT run, actor || '_reclaimed', reclaimed, source, 'scan_total'
	FROM scan_total WHERE reclaimed IS NOT NULL
	UNION ALL
	SELECT run, actor || '_efficiency', efficiency, source, 'scan_total'
	FROM scan_total WHERE reclaimed IS NOT NULL
	UNION ALL
	SELECT run, actor || '_velocity', velocity, source, 'scan_total'
	FROM scan_total WHERE velocity IS NOT NULL
	UNION ALL
	SELECT run, 'direct_share', share, source, 'direct_share' FROM direct_share
	UNION ALL
	SELECT run, 'refilled', sum(scanned), 'trace', 'scan_by_list' FROM scan_by_list
	WHERE lru IN ('active_anon', 'active_file')
	GROUP BY run
	UNION ALL
	SELECT r.run, 'stalls', coalesce(s.count, 0), 'trace', 'stall_by_actor'
	FROM recorded AS r
	JOIN span AS p ON p.run = r.run
	JOIN focus_actor AS a ON a.run = r.run AND a.actor = 'direct'
	LEFT JOIN stall_by_actor AS s ON s.run = r.run AND s.actor = 'direct'
	WHERE r.fact = 'stall' AND NOT EXISTS (
		SELECT 1 FROM focus AS f WHERE f.run = r.run AND f.node IS NOT NULL
	)
	UNION ALL
	SELECT r.run, 'kswapd_wakes', coalesce(sum(k.wakes), 0), 'trace', 'kswapd_by_node'
	FROM recorded AS r
	JOIN span AS p ON p.run = r.run
	JOIN focus_actor AS a ON a.run = r.run AND a.actor = 'kswapd'
	LEFT JOIN kswapd_by_node AS k ON k.run = r.run
	WHERE r.fact = 'cycle'
	GROUP BY r.run
	UNION ALL
	SELECT run, 'writes', total, source, 'page_writes' FROM page_writes
	UNION ALL
	SELECT run, 'writes_file', file, source, 'page_writes' FROM page_writes WHERE file IS NOT NULL
	UNION ALL
	SELECT run, 'writes_anon', anon, source, 'page_writes' FROM page_writes WHERE anon IS NOT NULL
	UNION ALL
	SELECT run, 'migrate_success', succeeded, 'trace', 'migration' FROM migration
	UNION ALL
	SELECT run, 'migrate_failure', failed, 'trace', 'migration' FROM migration
	UNION ALL
	SELECT run, 'oom_kills', count(*), 'trace', 'oom_kill' FROM oom_kill GROUP BY run
	UNION ALL
	SELECT s.run, replace(c.key, '_scanned', '_velocity'), c.value / s.seconds,
		'counters', 'counter_sum'
	FROM counter_sum AS c
	JOIN velocity AS s ON s.run = c.run AND s.actor = 'kswapd' AND s.seconds IS NOT NULL
	WHERE c.key LIKE 'zone!_%!_scanned' ESCAPE '!'
	UNION ALL
	SELECT a.run, 'compact_efficiency', a.value * 100.0 / nullif(b.value, 0), 'counters', 'counter_sum'
	FROM counter_sum AS a
	JOIN counter_sum AS b ON b.run = a.run AND b.key = 'compact_stalls'
	WHERE a.key = 'compact_success' AND b.value > 0
	UNION ALL
	SELECT a.run, 'compact_scan_efficiency', a.value * 100.0 / b.value, 'counters', 'counter_sum'
	FROM counter_sum AS a
	JOIN counter_sum AS b ON b.run = a.run AND b.key = 'compact_free_scanned'
	WHERE a.key = 'compact_migrate_scanned' AND b.value > 0
	UNION ALL
	SELECT run, key, CASE key WHEN 'compact_cost' THEN value / 1e6 ELSE value END,
		'counters', 'counter_sum'
	FROM counter_sum
)
SELECT v.run, t.position, t.key, t.name, t.unit, t.digits, v.value,
	CASE WHEN v.value IS NULL THEN 'no scan'
		WHEN v.source = 'counters' OR l.gaps = 0 THEN ''
		WHEN t.digits THEN 'from part' ELSE 'at least' END AS state,
	v.source,
	CASE t.unit WHEN 'pages' THEN v.value * coalesce(r.page_size, 4096) / 1048576.0 END AS mib,
	v.view
FROM (
	SELECT run, key, value, source, view,
		row_number() OVER (PARTITION BY run, key ORDER BY source = 'counters') AS choice
	FROM found
) AS v
JOIN title AS t ON t.key = v.key
JOIN loss_total AS l ON l.run = v.run
JOIN run AS r ON r.run = v.run
WHERE v.choice = 1;
