-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view compaction_time How long does compaction run, and does it succeed?
-- The recorded scan counts lie below the counters compact_migrate_scanned and compact_free_scanned (up to
-- a third): not every scan emits an event.
-- @column run - run
-- @column actor - who compacts
-- @column count - compactions of a zone
-- @column total ns time in compaction
-- @column p50 ns median
-- @column max ns longest
-- @column success - compactions that ended with a free page of the order
-- @column migrate_scanned pages scanned for pages to move
-- @column free_scanned pages scanned for free pages
-- @column migrated pages pages moved
-- @column failed pages pages that could not be moved
-- @column unpaired - compactions whose begin or end is not recorded
CREATE VIEW compaction_time AS
SELECT c.run, a.name AS actor, count(*) AS count, sum(c.dur) AS total,
	percentile(c.dur, 50) AS p50, max(c.dur) AS max,
	count(*) FILTER (WHERE n.name IN ('success', 'partial')) AS success,
	sum(c.migrate_scanned) AS migrate_scanned, sum(c.free_scanned) AS free_scanned,
	sum(c.migrated) AS migrated, sum(c.failed) AS failed,
	count(*) - count(c.dur) AS unpaired
FROM focus AS f
CROSS JOIN compaction AS c
JOIN enum_name AS a ON a.domain = 'actor' AND a.value = c.actor
LEFT JOIN enum_name AS n ON n.domain = 'compact' AND n.value = c.status
WHERE c.run = f.run AND c.ts >= f.start AND c.ts < f.end AND (f.task IS NULL OR c.task = f.task)
GROUP BY c.run, c.actor;
