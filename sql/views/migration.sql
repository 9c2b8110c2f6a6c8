-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view migration How many pages were moved?
-- Runs with migrate events only. The event does not say the node: a focus on one leaves no row.
-- @column run - run
-- @column calls - calls of migrate_pages
-- @column succeeded pages pages moved
-- @column failed pages pages not moved
CREATE VIEW migration AS
SELECT r.run, count(m.ts) AS calls, coalesce(sum(m.succeeded), 0) AS succeeded,
	coalesce(sum(m.failed), 0) AS failed
FROM focus AS f
JOIN recorded AS r ON r.run = f.run AND r.fact = 'migrate'
LEFT JOIN migrate AS m ON m.run = f.run AND m.ts >= f.start AND m.ts < f.end
	AND (f.task IS NULL OR m.task = f.task)
WHERE f.node IS NULL
GROUP BY r.run;
