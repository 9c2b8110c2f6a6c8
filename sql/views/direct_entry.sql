-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view direct_entry Was kswapd at work when tasks had to reclaim themselves?
-- @column run - run
-- @column kswapd - awake or asleep; NULL: no cycle recorded before
-- @column entries - outermost direct reclaim stalls
-- @column total ns their durations
-- @column woken_before_p50 ns median of last kswapd wake to the begin
-- @column throttled - stalls with throttling inside
CREATE VIEW direct_entry AS
SELECT run, kswapd, count(*) AS entries, sum(dur) AS total,
	percentile(woken_before, 50) AS woken_before_p50, count(*) FILTER (WHERE throttle_dur > 0)
		AS throttled
FROM direct_wake
GROUP BY run, kswapd;
