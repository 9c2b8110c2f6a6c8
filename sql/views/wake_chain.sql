-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view wake_chain Who asked, was kswapd awake when the task had to reclaim itself, and what held it?
-- The rows of direct_wake with the task's name and its own last wake request before the stall.
-- @column run - run
-- @column ts ns begin of the stall
-- @column comm - name of the task; NULL: never seen
-- @column tid - thread id
-- @column order - order of the request
-- @column gfp - allocation flags by name
-- @column dur ns length of the stall
-- @column asked_before ns last wake request of this task to the begin; NULL: none
-- @column woken_before ns last kswapd wake to the begin; NULL: none
-- @column kswapd - awake or asleep; NULL: no cycle recorded before
-- @column throttle_dur ns throttled inside
CREATE VIEW wake_chain AS
SELECT c.run, c.ts, t.comm, t.tid, c."order", gfp_flags(c.gfp) AS gfp, c.dur,
	c.ts - c.asked AS asked_before, c.woken_before, c.kswapd, c.throttle_dur
FROM (
	SELECT e.*, max(e.request) OVER (
			PARTITION BY e.run, e.task ORDER BY e.ts, e.what ROWS UNBOUNDED PRECEDING
		) AS asked
	FROM (
		SELECT w.run, w.ts, w.task, 0 AS what, w.ts AS request, NULL AS "order", NULL AS gfp,
			NULL AS dur, NULL AS woken_before, NULL AS kswapd, NULL AS throttle_dur
		FROM span AS p
		CROSS JOIN wake AS w
		WHERE w.run = p.run AND w.ts >= p.start AND w.ts < p.end
		UNION ALL
		SELECT d.run, d.ts, d.task, 1, NULL, d."order", d.gfp, d.dur, d.woken_before, d.kswapd,
			d.throttle_dur
		FROM direct_wake AS d
	) AS e
) AS c
LEFT JOIN task AS t ON t.task = c.task
WHERE c.what = 1;
