-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view unpaired How many begins have no end, and ends no begin?
-- Kinds of facts with none are left out.
-- @column run - run
-- @column fact - table that holds the pairs
-- @column pairs - whole pairs
-- @column unpaired - begins without an end, and ends without a begin
CREATE VIEW unpaired AS
SELECT run, fact, sum(count) - sum(unpaired) AS pairs, sum(unpaired) AS unpaired
FROM (
	SELECT run, 'reclaim' AS fact, 1 AS count, unpaired FROM stall
	UNION ALL
	SELECT run, 'slab', count, unpaired FROM slab_time
	UNION ALL
	SELECT run, 'compaction', count, unpaired FROM compaction_time
)
GROUP BY run, fact
HAVING sum(unpaired) > 0;
