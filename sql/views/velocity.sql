-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view velocity How fast does each reclaimer scan?
-- Wall velocity divides by the window, as mmtests does. Active velocity divides by the time that the
-- reclaimer was at work (view active_time).
-- @column run - run
-- @column actor - who reclaims
-- @column source - trace or counters
-- @column scanned pages inactive pages scanned
-- @column seconds s length of the window, or between the snapshots of the counters; NULL: not known
-- @column velocity pages/s scanned / seconds
-- @column active ns time at work; NULL: not recorded
-- @column velocity_active pages/s scanned / time at work
CREATE VIEW velocity AS
SELECT run, actor, source, scanned, seconds, scanned / seconds AS velocity, active,
	CASE WHEN seconds IS NOT NULL THEN scanned * 1e9 / nullif(active, 0) END AS velocity_active
FROM (
	SELECT e.run, e.actor, e.source, e.scanned, t.active,
		CASE e.source WHEN 'trace' THEN p.seconds ELSE coalesce(nullif((
			SELECT max(c.seconds) FROM counter_sum AS c WHERE c.run = e.run
		), 0), p.seconds) END AS seconds
	FROM efficiency AS e
	JOIN span AS p ON p.run = e.run
	LEFT JOIN active_time AS t ON t.run = e.run AND t.actor = e.actor
);
