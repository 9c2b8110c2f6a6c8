-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view span Which stretch of each run do the figures cover?
-- The window of every other view: the table focus, one row a run. A focus on several tasks has one row a
-- task; the stretch is the same in each.
-- @column run - run
-- @column start ns first instant, on the run's clock
-- @column end ns first instant behind the window
-- @column elapsed ns length of the window; NULL: no time is known, or it is a single instant
-- @column seconds s the same in seconds
CREATE VIEW span AS
SELECT run, start, end, elapsed, elapsed / 1e9 AS seconds
FROM (
	SELECT f.run, min(f.start) AS start, max(f.end) AS end,
		CASE WHEN r.time_known AND max(f.end) - min(f.start) > 1
			THEN max(f.end) - min(f.start) END AS elapsed
	FROM focus AS f
	JOIN run AS r ON r.run = f.run
	GROUP BY f.run
);
