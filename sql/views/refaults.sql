-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view refaults Which files are read back after their pages were thrown out?
-- Page-cache adds of a page that was deleted from the cache earlier in the window, by file. A truncated
-- and rewritten page counts too; the counters workingset_refault_* do not have those.
-- @column run - run
-- @column dev - device, major << 20 | minor
-- @column ino - inode
-- @column adds pages pages added to the cache
-- @column deletes pages pages deleted from it
-- @column refaults pages adds of pages deleted before
-- @column away_p50 ns median time from delete to add
CREATE VIEW refaults AS
SELECT run, dev, ino, count(*) FILTER (WHERE added) AS adds,
	count(*) FILTER (WHERE NOT added) AS deletes,
	count(*) FILTER (WHERE added AND gone IS NOT NULL) AS refaults,
	percentile(ts - gone, 50) FILTER (WHERE added AND gone IS NOT NULL) AS away_p50
FROM (
	SELECT run, ts, dev, ino, added, max(CASE WHEN NOT added THEN ts END) OVER (
			PARTITION BY run, dev, ino, "index" ORDER BY ts ROWS UNBOUNDED PRECEDING
		) AS gone
	FROM (
		SELECT c.run, c.ts, c.dev, c.ino, c."index", 1 AS added
		FROM focus AS f
		CROSS JOIN cache_add AS c
		WHERE c.run = f.run AND c.ts >= f.start AND c.ts < f.end
			AND (f.task IS NULL OR c.task = f.task)
		UNION ALL
		SELECT c.run, c.ts, c.dev, c.ino, c."index", 0
		FROM span AS p
		CROSS JOIN cache_delete AS c
		WHERE c.run = p.run AND c.ts >= p.start AND c.ts < p.end
	)
)
GROUP BY run, dev, ino;
