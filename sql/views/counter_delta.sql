-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view counter_delta By how much did each kernel counter grow?
-- Last less first snapshot in the window, of counters that only grow. Snapshots without a place on the
-- run's clock stand in the order before, others, after, and count only where the window is not narrowed.
-- A counter that goes back has begun anew. A 32-bit kernel's does so at 2^32: taken to be that where the
-- counter was in the upper half of 32 bits, fell by more than half, and none of the same file went back
-- otherwise. Else the machine was started anew, and how much the counter grew is not known.
-- @column run - run
-- @column source - file that has the counter: vmstat, memcg, ...
-- @column scope - node, zone, cgroup or device; empty: the whole machine
-- @column name - as the kernel spells it
-- @column unit - unit of delta
-- @column first - value at the first snapshot
-- @column last - value at the last snapshot
-- @column delta - growth; NULL: the counter went back, the snapshots are not of one boot
-- @column seconds s between the two snapshots; NULL: not known
CREATE VIEW counter_delta AS
WITH place AS (
	SELECT s.run, s.snapshot, s.ts, row_number() OVER (
			PARTITION BY s.run
			ORDER BY CASE WHEN s.ts IS NULL AND s.label = 'before' THEN 0
				WHEN s.ts IS NULL AND s.label = 'after' THEN 2 ELSE 1 END,
				s.ts, s.snapshot
		) AS n
	FROM span AS p
	JOIN run AS r ON r.run = p.run
	JOIN snapshot AS s ON s.run = p.run
	WHERE (s.ts >= p.start AND s.ts <= p.end)
		OR (s.ts IS NULL AND p.start <= coalesce(r.start, p.start)
			AND p.end >= coalesce(r.end, p.end))
),
ends AS (
	SELECT x.run, x.counter, min(a.n) AS lo, max(a.n) AS hi, min(x.value) AS least,
		max(x.value) AS most
	FROM place AS a
	CROSS JOIN sample AS x ON x.run = a.run AND x.snapshot = a.snapshot
	GROUP BY x.run, x.counter
),
growth AS MATERIALIZED (
	SELECT e.run, c.source, c.scope, c.name, c.unit, x.value AS first, y.value AS last,
		e.least < x.value OR e.most > y.value AS back,
		x.value >= 1 << 31 AND e.most < 1 << 32 AND y.value < x.value - (1 << 31) AS wraps,
		(b.ts - a.ts) / 1e9 AS seconds
	FROM ends AS e
	JOIN counter AS c ON c.counter = e.counter
	JOIN place AS a ON a.run = e.run AND a.n = e.lo
	JOIN place AS b ON b.run = e.run AND b.n = e.hi
	JOIN sample AS x ON x.run = e.run AND x.snapshot = a.snapshot AND x.counter = e.counter
	JOIN sample AS y ON y.run = e.run AND y.snapshot = b.snapshot AND y.counter = e.counter
	WHERE c.cumulative AND e.lo < e.hi
),
restarted AS MATERIALIZED (
	SELECT DISTINCT run, source FROM growth WHERE back AND NOT wraps
)
SELECT g.run, g.source, g.scope, g.name, g.unit, g.first, g.last,
	CASE WHEN NOT g.back THEN g.last - g.first
		WHEN g.wraps AND NOT EXISTS (
			SELECT 1 FROM restarted AS r WHERE r.run = g.run AND r.source = g.source
		) THEN g.last - g.first + (1 << 32) END AS delta,
	g.seconds
FROM growth AS g;
