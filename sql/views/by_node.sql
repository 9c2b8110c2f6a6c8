-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view by_node How is reclaim spread over the nodes?
-- @column run - run
-- @column node - node; NULL: scans that took nothing do not say it
-- @column actor - who reclaims
-- @column scanned pages inactive pages scanned
-- @column reclaimed pages pages freed
-- @column efficiency % reclaimed * 100 / scanned; NULL: no scan
CREATE VIEW by_node AS
SELECT t.run, t.node, a.name AS actor, t.scanned, t.reclaimed,
	t.reclaimed * 100.0 / nullif(t.scanned, 0) AS efficiency
FROM (
	SELECT s.run, s.node, s.actor, sum(s.scanned) AS scanned,
		coalesce(sum(s.reclaimed), 0) AS reclaimed
	FROM focus AS f
	CROSS JOIN scan AS s
	WHERE s.run = f.run AND s.ts >= f.start AND s.ts < f.end
		AND (s.lru IS NULL OR s.lru IN (0, 2))
		AND (f.task IS NULL OR s.task = f.task) AND (f.node IS NULL OR s.node = f.node)
	GROUP BY s.run, s.node, s.actor
) AS t
JOIN enum_name AS a ON a.domain = 'actor' AND a.value = t.actor;
