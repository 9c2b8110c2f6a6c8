-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view by_node How is reclaim spread over the nodes?
-- @column run - run
-- @column node - node; NULL: scans that took nothing do not say it
-- @column actor - who reclaims
-- @column scanned pages inactive pages scanned
-- @column reclaimed pages pages freed
-- @column efficiency % reclaimed * 100 / scanned; NULL: no scan
CREATE VIEW by_node AS
SELECT run, node, actor, sum(scanned) AS scanned, sum(reclaimed) AS reclaimed,
	sum(reclaimed) * 100.0 / nullif(sum(scanned), 0) AS efficiency
FROM scan_by_list
WHERE lru IS NULL OR lru IN ('inactive_anon', 'inactive_file')
GROUP BY run, node, actor;
