-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view scan_total What has each reclaimer scanned and freed, by the better of trace and counters?
-- The rows of efficiency and velocity; where the events count pages that the kernel's counters rightly do
-- not (reconcile.overcounts), the counters of kswapd and direct reclaim take their place.
-- @column run - run
-- @column actor - who reclaims
-- @column source - trace or counters
-- @column scanned pages inactive pages scanned
-- @column reclaimed pages pages freed; NULL: not recorded
-- @column efficiency % reclaimed * 100 / scanned; NULL: no scan, or not recorded what was freed
-- @column velocity pages/s scanned a second of the window; NULL: not known
CREATE VIEW scan_total AS
WITH counted AS MATERIALIZED (
	SELECT a.run, a.column1 AS actor, s.value AS scanned, f.value AS reclaimed, s.seconds
	FROM (
		SELECT c.run, v.column1
		FROM reconcile AS c
		CROSS JOIN (VALUES ('kswapd'), ('direct')) AS v
		WHERE c.overcounts
		GROUP BY c.run, v.column1
	) AS a
	JOIN counter_sum AS s ON s.run = a.run AND s.key = a.column1 || '_scanned'
	JOIN counter_sum AS f ON f.run = a.run AND f.key = a.column1 || '_reclaimed'
)
SELECT e.run, e.actor, e.source, e.scanned, e.reclaimed, e.efficiency, v.velocity
FROM efficiency AS e
JOIN velocity AS v ON v.run = e.run AND v.actor = e.actor AND v.source = e.source
WHERE (e.run, e.actor) NOT IN (SELECT run, actor FROM counted)
UNION ALL
SELECT run, actor, 'counters', scanned, reclaimed, reclaimed * 100.0 / nullif(scanned, 0),
	scanned / nullif(seconds, 0)
FROM counted;
