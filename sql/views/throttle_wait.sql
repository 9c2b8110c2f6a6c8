-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view throttle_wait Which reclaimers were put to sleep, when and why?
-- One row a wait that ends in the window.
-- @column run - run
-- @column ts ns end of the wait, on the run's clock
-- @column task - thread, task.task
-- @column actor - who waits
-- @column node - node
-- @column reason - WRITEBACK, ISOLATED, NOPROGRESS, CONGESTED, or the older congestion_wait, wait_iff_congested
-- @column timeout us longest wait allowed
-- @column delayed us wait as the kernel measured it
-- @column outcome - full: at the timeout or beyond; zero: no measured wait; early: woken before
CREATE VIEW throttle_wait AS
SELECT t.run, t.ts, t.task, a.name AS actor, t.node,
	CASE t.kind WHEN 1 THEN 'congestion_wait' WHEN 2 THEN 'wait_iff_congested'
		ELSE replace(throttle_reason(t.reason), 'VMSCAN_THROTTLE_', '') END AS reason,
	t.timeout, t.delayed,
	CASE WHEN t.delayed = 0 THEN 'zero' WHEN t.delayed >= t.timeout THEN 'full' ELSE 'early' END
		AS outcome
FROM focus AS f
CROSS JOIN throttle AS t
JOIN enum_name AS a ON a.domain = 'actor' AND a.value = t.actor
WHERE t.run = f.run AND t.ts >= f.start AND t.ts < f.end
	AND (f.task IS NULL OR t.task = f.task) AND (f.node IS NULL OR t.node = f.node);
