-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view wake_chain Who asked, was kswapd awake when a task had to reclaim itself, and what held it?
-- One row an outermost stall of direct reclaim: the task's last wake request before it, the last wake of
-- kswapd, and the throttling inside. An entry while kswapd is awake says that kswapd cannot keep up; one
-- while it sleeps, that nothing woke it. The chain looks only through the window.
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
	c.ts - c.asked AS asked_before, c.ts - c.woken AS woken_before,
	CASE WHEN c.ts <= c.awake_until THEN 'awake' WHEN c.woken IS NOT NULL THEN 'asleep' END
		AS kswapd,
	c.throttle_dur
FROM (
	SELECT e.*,
		max(e.ts) FILTER (WHERE e.what = 1) OVER (
			PARTITION BY e.run, e.task ORDER BY e.ts, e.what ROWS UNBOUNDED PRECEDING
		) AS asked,
		max(e.ts) FILTER (WHERE e.what = 0) OVER (
			PARTITION BY e.run ORDER BY e.ts, e.what ROWS UNBOUNDED PRECEDING
		) AS woken,
		max(e.until) OVER (
			PARTITION BY e.run ORDER BY e.ts, e.what ROWS UNBOUNDED PRECEDING
		) AS awake_until
	FROM (
		SELECT k.run, k.ts, k.task, 0 AS what, k.ts + k.awake AS until, NULL AS "order",
			NULL AS gfp, NULL AS dur, NULL AS throttle_dur
		FROM span AS p
		CROSS JOIN kswapd_cycle AS k
		WHERE k.run = p.run AND k.ts >= p.start AND k.ts < p.end
		UNION ALL
		SELECT w.run, w.ts, w.task, 1, NULL, NULL, NULL, NULL, NULL
		FROM span AS p
		CROSS JOIN wake AS w
		WHERE w.run = p.run AND w.ts >= p.start AND w.ts < p.end
		UNION ALL
		SELECT s.run, s.ts, s.task, 2, NULL, s."order", s.gfp, s.dur, s.throttle_dur
		FROM stall AS s
		WHERE s.actor = 'direct' AND s.depth = 0
	) AS e
) AS c
LEFT JOIN task AS t ON t.task = c.task
WHERE c.what = 2;
