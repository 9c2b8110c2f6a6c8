-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view memcg_stall Who waits at the limit of a memory cgroup?
-- The kernel's events do not name the cgroup; the task stands in for it.
-- @column run - run
-- @column task - thread, task.task
-- @column tid - thread id
-- @column comm - name; NULL: never seen
-- @column count - episodes that begin in the window
-- @column total ns time waited
-- @column p50 ns median
-- @column p99 ns 99th percentile
-- @column max ns longest
-- @column scanned pages inactive pages scanned inside
-- @column reclaimed pages pages reclaimed, as the end events say
CREATE VIEW memcg_stall AS
SELECT s.run, s.task, t.tid, t.comm, sum(s.begun) AS count, sum(s.dur) AS total,
	percentile(s.dur, 50) AS p50, percentile(s.dur, 99) AS p99, max(s.dur) AS max,
	sum(s.scanned) AS scanned, sum(s.reclaimed) AS reclaimed
FROM stall AS s
LEFT JOIN task AS t ON t.task = s.task
WHERE s.actor = 'memcg'
GROUP BY s.run, s.task;
