-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view unpaired How many begins have no end, and ends no begin?
-- @column run - run
-- @column fact - table that holds the pairs
-- @column pairs - whole pairs
-- @column begin_only - begins without an end
-- @column end_only - ends without a begin
CREATE VIEW unpaired AS
SELECT run, fact, count(*) FILTER (WHERE paired = 3) AS pairs,
	count(*) FILTER (WHERE paired = 1) AS begin_only,
	count(*) FILTER (WHERE paired = 2) AS end_only
FROM (
	SELECT f.run, 'reclaim' AS fact, r.paired
	FROM focus AS f CROSS JOIN reclaim AS r
	WHERE r.run = f.run AND r.ts >= f.start AND r.ts < f.end
	UNION ALL
	SELECT f.run, 'slab', s.paired
	FROM focus AS f CROSS JOIN slab AS s
	WHERE s.run = f.run AND s.ts >= f.start AND s.ts < f.end
	UNION ALL
	SELECT f.run, 'compaction', c.paired
	FROM focus AS f CROSS JOIN compaction AS c
	WHERE c.run = f.run AND c.ts >= f.start AND c.ts < f.end
)
GROUP BY run, fact
HAVING pairs < count(*);
