-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view throttle_series When is there throttling, and why, second by second?
-- Seconds are counted from the window's start. A second without a wait has no row.
-- @column run - run
-- @column second s from the start of the window
-- @column reason - why, as in throttle_wait
-- @column count - waits that end
-- @column full - of them, waits at the timeout or beyond
-- @column delayed us their delays
CREATE VIEW throttle_series AS
SELECT t.run, (t.ts - p.start) / 1000000000 AS second, t.reason, count(*) AS count,
	count(*) FILTER (WHERE t.outcome = 'full') AS full, sum(t.delayed) AS delayed
FROM throttle_wait AS t
JOIN span AS p ON p.run = t.run
GROUP BY 1, 2, 3;
