-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view by_priority How hard does each reclaimer have to try?
-- Priority 12 looks at a 4096th of each list a pass, 0 at all of it.
-- @column run - run
-- @column actor - who reclaims
-- @column priority - scan priority; NULL: scans that took nothing do not say it
-- @column batches - scan batches
-- @column scanned pages inactive pages scanned
-- @column reclaimed pages pages freed
-- @column efficiency % reclaimed * 100 / scanned; NULL: no scan
CREATE VIEW by_priority AS
SELECT t.run, a.name AS actor, t.priority, t.batches, t.scanned, t.reclaimed,
	t.reclaimed * 100.0 / nullif(t.scanned, 0) AS efficiency
FROM (
	SELECT s.run, s.actor, s.priority, count(*) AS batches, sum(s.scanned) AS scanned,
		coalesce(sum(s.reclaimed), 0) AS reclaimed
	FROM focus AS f
	CROSS JOIN scan AS s
	WHERE s.run = f.run AND s.ts >= f.start AND s.ts < f.end
		AND (s.lru IS NULL OR s.lru IN (0, 2))
		AND (f.task IS NULL OR s.task = f.task) AND (f.node IS NULL OR s.node = f.node)
	GROUP BY s.run, s.actor, s.priority
) AS t
JOIN enum_name AS a ON a.domain = 'actor' AND a.value = t.actor;
