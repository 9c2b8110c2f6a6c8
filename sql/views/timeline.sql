-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view timeline How does it go over time, second by second?
-- Seconds are counted from the window's start. A second in which nothing happened has no row.
-- @column run - run
-- @column second s from the start of the window
-- @column kswapd_scanned pages scanned by kswapd
-- @column kswapd_reclaimed pages freed by kswapd
-- @column direct_scanned pages scanned by direct reclaim
-- @column direct_reclaimed pages freed by direct reclaim
-- @column other_scanned pages scanned by every other reclaimer
-- @column other_reclaimed pages freed by every other reclaimer
-- @column wakes - kswapd cycles that begin
-- @column stalls - episodes of direct, memcg or node reclaim that begin
-- @column stall_time ns their durations
-- @column stall_max ns the longest of them
-- @column throttles - waits that end
-- @column throttle_time us their delays
CREATE VIEW timeline AS
SELECT run, second, sum(ks) AS kswapd_scanned, sum(kr) AS kswapd_reclaimed,
	sum(ds) AS direct_scanned, sum(dr) AS direct_reclaimed, sum(os) AS other_scanned,
	sum(our) AS other_reclaimed, sum(wakes) AS wakes, sum(stalls) AS stalls,
	sum(stall_time) AS stall_time, max(stall_max) AS stall_max, sum(throttles) AS throttles,
	sum(throttle_time) AS throttle_time
FROM (
	SELECT s.run, (s.ts - f.start) / 1000000000 AS second,
		coalesce(sum(s.scanned) FILTER (WHERE s.actor = 0), 0) AS ks,
		coalesce(sum(s.reclaimed) FILTER (WHERE s.actor = 0), 0) AS kr,
		coalesce(sum(s.scanned) FILTER (WHERE s.actor = 1), 0) AS ds,
		coalesce(sum(s.reclaimed) FILTER (WHERE s.actor = 1), 0) AS dr,
		coalesce(sum(s.scanned) FILTER (WHERE s.actor > 1), 0) AS os,
		coalesce(sum(s.reclaimed) FILTER (WHERE s.actor > 1), 0) AS our,
		0 AS wakes, 0 AS stalls, 0 AS stall_time, NULL AS stall_max, 0 AS throttles,
		0 AS throttle_time
	FROM focus AS f
	CROSS JOIN scan AS s
	WHERE s.run = f.run AND s.ts >= f.start AND s.ts < f.end
		AND (s.lru IS NULL OR s.lru IN (0, 2))
		AND (f.task IS NULL OR s.task = f.task) AND (f.node IS NULL OR s.node = f.node)
	GROUP BY s.run, second
	UNION ALL
	SELECT k.run, (k.ts - p.start) / 1000000000, 0, 0, 0, 0, 0, 0, count(*), 0, 0, NULL, 0, 0
	FROM kswapd_cycles AS k
	JOIN span AS p ON p.run = k.run
	WHERE k.begun AND k.ended <> 'begin not recorded'
	GROUP BY 1, 2
	UNION ALL
	SELECT s.run, (s.ts - p.start) / 1000000000, 0, 0, 0, 0, 0, 0, 0, sum(s.begun),
		coalesce(sum(s.dur), 0), max(s.dur), 0, 0
	FROM stall AS s
	JOIN span AS p ON p.run = s.run
	WHERE s.depth = 0 AND s.actor <> 'softlimit'
	GROUP BY 1, 2
	UNION ALL
	SELECT t.run, (t.ts - p.start) / 1000000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, count(*),
		coalesce(sum(t.delayed), 0)
	FROM throttle_wait AS t
	JOIN span AS p ON p.run = t.run
	GROUP BY 1, 2
)
GROUP BY run, second;
