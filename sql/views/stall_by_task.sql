-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view stall_by_task Who waits, and how long?
-- Durations of complete episodes; count has the incomplete ones too. Percentiles are those of the
-- function percentile(). Only outermost episodes, so that no wait is counted twice, and not the soft
-- limit reclaim of kswapd, for which no task waits.
-- @column run - run
-- @column task - thread, task.task
-- @column tid - thread id
-- @column comm - name; NULL: never seen
-- @column count - episodes that begin in the window
-- @column unpaired - episodes without begin or end
-- @column total ns time waited
-- @column min ns shortest
-- @column p50 ns median
-- @column p90 ns 90th percentile
-- @column p95 ns 95th percentile
-- @column p99 ns 99th percentile
-- @column max ns longest
-- @column reclaimed pages pages reclaimed, as the end events say
CREATE VIEW stall_by_task AS
SELECT s.run, s.task, t.tid, t.comm, sum(s.begun) AS count, sum(s.unpaired) AS unpaired,
	sum(s.dur) AS total, min(s.dur) AS min, percentile(s.dur, 50) AS p50,
	percentile(s.dur, 90) AS p90, percentile(s.dur, 95) AS p95, percentile(s.dur, 99) AS p99,
	max(s.dur) AS max, sum(s.reclaimed) AS reclaimed
FROM stall AS s
LEFT JOIN task AS t ON t.task = s.task
WHERE s.depth = 0 AND s.actor <> 'softlimit'
GROUP BY s.run, s.task;
