-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view unpaired How many begins have no end, and ends no begin?
-- @column run - run
-- @column fact - table that holds the pairs
-- @column pairs - whole pairs
-- @column begin_only - begins without an end
-- @column end_only - ends without a begin
CREATE VIEW unpaired AS
SELECT run, fact, sum(count) - sum(begin_only) - sum(end_only) AS pairs,
	sum(begin_only) AS begin_only, sum(end_only) AS end_only
FROM (
	SELECT run, 'reclaim' AS fact, 1 AS count, unpaired AND begun AS begin_only,
		unpaired AND NOT begun AS end_only
	FROM stall
	UNION ALL
	SELECT run, 'slab', count, begin_only, end_only FROM slab_time
	UNION ALL
	SELECT run, 'compaction', count, begin_only, end_only FROM compaction_time
)
GROUP BY run, fact
HAVING sum(begin_only) + sum(end_only) > 0;
