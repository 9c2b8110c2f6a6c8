-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view kswapd_cycles When did kswapd wake, for whom, for how long and with what result?
-- One row a cycle that is at work in the window. Of one that reaches beyond the window only what lies inside
-- counts: its time, the batches that begin there, the requests that come there.
-- @column run - run
-- @column ts ns wake, on the run's clock; the window's start where the cycle is older
-- @column node - node
-- @column order - highest order asked for
-- @column waker - name of the task whose request woke it; NULL: not seen
-- @column waker_tid - its thread id
-- @column wake_delay ns request to wake
-- @column awake ns wake to the last event of the cycle
-- @column begun - 1 the cycle begins in the window, 0 it is older
-- @column ended - sleep, next wake (only dozed), end of recording, begin not recorded
-- @column scanned pages inactive pages scanned
-- @column reclaimed pages pages freed
-- @column efficiency % reclaimed * 100 / scanned; NULL: no scan
-- @column min_priority - hardest priority reached (12 easy, 1 hard)
-- @column rewakes - wake requests that came while awake
CREATE VIEW kswapd_cycles AS
WITH seen AS (
	SELECT k.*, max(k.ts, f.start) AS since, min(k.ts + k.awake, f.end) AS until,
		k.ts < f.start OR k.ts + k.awake >= f.end AS cut
	FROM focus AS f
	CROSS JOIN kswapd_cycle AS k
	WHERE k.run = f.run AND k.ts < f.end AND (k.ts >= f.start OR k.ts + k.awake > f.start)
		AND (f.task IS NULL OR k.task = f.task) AND (f.node IS NULL OR k.node = f.node)
),
inside AS MATERIALIZED (
	SELECT c.run, c.task, c.since,
		coalesce(sum(s.scanned) FILTER (WHERE s.lru IS NULL OR s.lru IN (0, 2)), 0) AS scanned,
		coalesce(sum(s.reclaimed) FILTER (WHERE s.lru IS NULL OR s.lru IN (0, 2)), 0) AS reclaimed,
		min(s.priority) AS min_priority, (
			SELECT count(*) FROM wake AS w
			WHERE w.run = c.run AND w.nid = c.node AND w.ts >= c.since AND w.ts < c.until
		) AS rewakes
	FROM seen AS c
	LEFT JOIN scan AS s ON s.run = c.run AND s.task = c.task AND s.ts >= c.since AND s.ts < c.until
	WHERE c.cut
	GROUP BY c.run, c.task, c.since
)
SELECT k.run, k.since AS ts, k.node, k."order", w.comm AS waker, w.tid AS waker_tid, k.wake_delay,
	k.until - k.since AS awake, k.ts = k.since AS begun,
	CASE k.end_kind WHEN 0 THEN 'sleep' WHEN 1 THEN 'next wake' WHEN 2 THEN 'end of recording'
		ELSE 'begin not recorded' END AS ended,
	k.scanned, k.reclaimed, k.reclaimed * 100.0 / nullif(k.scanned, 0) AS efficiency,
	k.min_priority, k.rewakes
FROM (
	SELECT c.run, c.ts, c.node, c."order", c.waker, c.wake_delay, c.since, c.until, c.end_kind,
		iif(c.cut, i.scanned, c.scanned) AS scanned,
		iif(c.cut, i.reclaimed, c.reclaimed) AS reclaimed,
		iif(c.cut, i.min_priority, c.min_priority) AS min_priority,
		iif(c.cut, i.rewakes, c.rewakes) AS rewakes
	FROM seen AS c
	LEFT JOIN inside AS i ON i.run = c.run AND i.task = c.task AND i.since = c.since
) AS k
LEFT JOIN task AS w ON w.task = k.waker;
