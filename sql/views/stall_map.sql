-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view stall_map When are there how many stalls of which length?
-- The window cut into 120 slices, durations into classes that double. Complete outermost episodes, without
-- the soft limit reclaim of kswapd, by their begin. A stall of 0 ns is in the lowest class.
-- @column run - run
-- @column actor - kind of reclaim
-- @column slice - number of the slice, from 0
-- @column begin ns begin of the slice from the start of the window
-- @column class - number of the class; it begins at 2 to that power, in ns
-- @column count - stalls in it
CREATE VIEW stall_map AS
WITH RECURSIVE classes(class, shortest) AS MATERIALIZED (
	VALUES (0, 0)
	UNION ALL
	SELECT class + 1, 2 << class
	FROM classes
	WHERE class < 61
)
SELECT s.run, s.actor, CAST((s.ts - p.start) * 120.0 / p.elapsed AS INTEGER) AS slice,
	p.elapsed * CAST((s.ts - p.start) * 120.0 / p.elapsed AS INTEGER) / 120 AS begin,
	(SELECT max(class) FROM classes WHERE shortest <= s.dur) AS class, count(*) AS count
FROM stall AS s
JOIN span AS p ON p.run = s.run
WHERE s.depth = 0 AND s.actor <> 'softlimit' AND s.dur >= 0 AND p.elapsed > 0
GROUP BY 1, 2, 3, 5;
