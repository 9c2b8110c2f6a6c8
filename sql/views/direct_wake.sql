-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view direct_wake Was kswapd awake when a task had to reclaim itself?
-- One row an outermost stall of direct reclaim, with the last wake of kswapd before it. An entry while
-- kswapd is awake says that kswapd cannot keep up; one while it sleeps, that nothing woke it. The
-- wakes before the window count too.
-- @column run - run
-- @column ts ns begin of the stall
-- @column task - thread, task.task
-- @column order - order of the request
-- @column gfp - allocation flags, see gfp_flags()
-- @column dur ns length of the stall
-- @column woken_before ns last kswapd wake to the begin; NULL: none
-- @column kswapd - awake or asleep; NULL: no cycle recorded before
-- @column throttle_dur ns throttled inside
CREATE VIEW direct_wake AS
SELECT c.run, c.ts, c.task, c."order", c.gfp, c.dur, c.ts - c.woken AS woken_before,
	CASE WHEN c.ts <= c.awake_until THEN 'awake' WHEN c.woken IS NOT NULL THEN 'asleep' END
		AS kswapd,
	c.throttle_dur
FROM (
	SELECT e.*, max(e.wake) OVER w AS woken, max(e.until) OVER w AS awake_until
	FROM (
		SELECT p.run, k.ts, NULL AS task, 0 AS what, k.ts AS wake, k.ts + k.awake AS until,
			NULL AS "order", NULL AS gfp, NULL AS dur, NULL AS throttle_dur
		FROM span AS p
		CROSS JOIN kswapd_cycle AS k
		WHERE k.run = p.run AND k.ts < p.end
		UNION ALL
		SELECT s.run, s.ts, s.task, 1, NULL, NULL, s."order", s.gfp, s.dur, s.throttle_dur
		FROM stall AS s
		WHERE s.actor = 'direct' AND s.depth = 0
	) AS e
	WINDOW w AS (PARTITION BY e.run ORDER BY e.ts, e.what ROWS UNBOUNDED PRECEDING)
) AS c
WHERE c.what = 1;
