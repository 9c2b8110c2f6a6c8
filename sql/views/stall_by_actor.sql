-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view stall_by_actor How long do tasks wait in each kind of reclaim?
-- Durations of complete episodes; count has the incomplete ones too. Percentiles are those of the
-- function percentile(). An episode inside another one counts for its own kind here.
-- @column run - run
-- @column actor - kind of reclaim
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
CREATE VIEW stall_by_actor AS
SELECT s.run, s.actor, sum(s.begun) AS count, sum(s.unpaired) AS unpaired,
	sum(s.dur) AS total, min(s.dur) AS min, percentile(s.dur, 50) AS p50,
	percentile(s.dur, 90) AS p90, percentile(s.dur, 95) AS p95, percentile(s.dur, 99) AS p99,
	max(s.dur) AS max, sum(s.reclaimed) AS reclaimed
FROM stall AS s
GROUP BY s.run, s.actor;
