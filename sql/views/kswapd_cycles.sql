-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view kswapd_cycles When did kswapd wake, for whom, for how long and with what result?
-- One row a cycle that begins in the window.
-- @column run - run
-- @column ts ns wake, on the run's clock
-- @column node - node
-- @column order - highest order asked for
-- @column waker - name of the task whose request woke it; NULL: not seen
-- @column waker_tid - its thread id
-- @column wake_delay ns request to wake
-- @column awake ns wake to the last event of the cycle
-- @column ended - sleep, next wake (only dozed), end of recording, begin not recorded
-- @column scanned pages inactive pages scanned
-- @column reclaimed pages pages freed
-- @column efficiency % reclaimed * 100 / scanned; NULL: no scan
-- @column min_priority - hardest priority reached (12 easy, 1 hard)
-- @column rewakes - wake requests that came while awake
CREATE VIEW kswapd_cycles AS
SELECT k.run, k.ts, k.node, k."order", w.comm AS waker, w.tid AS waker_tid, k.wake_delay, k.awake,
	CASE k.end_kind WHEN 0 THEN 'sleep' WHEN 1 THEN 'next wake' WHEN 2 THEN 'end of recording'
		ELSE 'begin not recorded' END AS ended,
	k.scanned, k.reclaimed, k.reclaimed * 100.0 / nullif(k.scanned, 0) AS efficiency,
	k.min_priority, k.rewakes
FROM focus AS f
CROSS JOIN kswapd_cycle AS k
LEFT JOIN task AS w ON w.task = k.waker
WHERE k.run = f.run AND k.ts >= f.start AND k.ts < f.end
	AND (f.task IS NULL OR k.task = f.task) AND (f.node IS NULL OR k.node = f.node);
