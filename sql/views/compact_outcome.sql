-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view compact_outcome Does compaction fail for fragmentation or for lack of free memory?
-- From the results of whole compactions: complete and partial_skipped mean that the zone was gone through
-- without success, no_suitable_page, skipped and not_suitable_zone that it could not begin.
-- @column run - run
-- @column success - compactions that made a page of the order
-- @column fragmented - that looked everywhere without success
-- @column lacking - that had not the free pages to begin
-- @column other - deferred, contended, or not known
CREATE VIEW compact_outcome AS
SELECT run, count(*) FILTER (WHERE name IN ('success', 'partial')) AS success,
	count(*) FILTER (WHERE name IN ('complete', 'partial_skipped')) AS fragmented,
	count(*) FILTER (WHERE name IN ('skipped', 'no_suitable_page', 'not_suitable_zone')) AS lacking,
	count(*) FILTER (
		WHERE name IS NULL OR name IN ('deferred', 'contended', 'continue')
	) AS other
FROM (
	SELECT c.run, n.name
	FROM focus AS f
	CROSS JOIN compaction AS c
	LEFT JOIN enum_name AS n ON n.domain = 'compact' AND n.value = c.status
	WHERE c.run = f.run AND c.ts >= f.start AND c.ts < f.end
		AND (f.task IS NULL OR c.task = f.task)
)
GROUP BY run;
