-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view refault_series When do pages come back that were thrown out?
-- The kernel's workingset_refault counters of /proc/vmstat, from one snapshot to the next in the window.
-- @column run - run
-- @column ts ns end of the stretch, on the run's clock
-- @column name - anon, file, or all where the kernel does not tell them apart
-- @column refaults pages pages read back in the stretch
-- @column seconds s length of the stretch
-- @column rate pages/s refaults a second
CREATE VIEW refault_series AS
SELECT run, ts, name, refaults, (ts - before) / 1e9 AS seconds,
	refaults * 1e9 / (ts - before) AS rate
FROM (
	SELECT x.run, s.ts, CASE c.name WHEN 'workingset_refault' THEN 'all'
			ELSE replace(c.name, 'workingset_refault_', '') END AS name,
		lag(s.ts) OVER series AS before, x.value - lag(x.value) OVER series AS refaults
	FROM span AS p
	JOIN counter AS c ON c.source = 'vmstat' AND c.scope = ''
		AND c.name IN ('workingset_refault', 'workingset_refault_anon', 'workingset_refault_file')
	JOIN snapshot AS s ON s.run = p.run AND s.ts >= p.start AND s.ts <= p.end
	JOIN sample AS x ON x.run = s.run AND x.snapshot = s.snapshot AND x.counter = c.counter
	WINDOW series AS (PARTITION BY x.run, c.counter ORDER BY s.ts, s.snapshot)
)
WHERE refaults >= 0 AND ts > before;
