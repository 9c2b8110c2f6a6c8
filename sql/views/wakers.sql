-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view wakers Who asks kswapd to work?
-- Wake requests (wakeup_kswapd), also those that find it awake.
-- @column run - run
-- @column comm - name of the asking task; NULL: never seen
-- @column order - order of the request
-- @column gfp - allocation flags by name; NULL: the kernel did not say
-- @column requests - wake requests
-- @column cycles - cycles that began with a request of this task
CREATE VIEW wakers AS
SELECT w.run, t.comm, w."order", gfp_flags(w.gfp) AS gfp, count(*) AS requests,
	count(c.ts) AS cycles
FROM focus AS f
CROSS JOIN wake AS w
LEFT JOIN task AS t ON t.task = w.task
LEFT JOIN (SELECT run, waker, ts, ts - wake_delay AS asked FROM kswapd_cycle) AS c
	ON c.run = w.run AND c.waker = w.task AND c.asked = w.ts
WHERE w.run = f.run AND w.ts >= f.start AND w.ts < f.end
	AND (f.task IS NULL OR w.task = f.task) AND (f.node IS NULL OR w.nid = f.node)
GROUP BY w.run, t.comm, w."order", w.gfp;
