-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view direct_share What part of the scanning falls on tasks that wait for memory?
-- Only kswapd and direct reclaim, as mmtests does; cgroup reclaim is not part of either. A focus that takes
-- one of the two out leaves no row.
-- @column run - run
-- @column source - trace or counters
-- @column kswapd pages scanned by kswapd
-- @column direct pages scanned by direct reclaim
-- @column share % direct * 100 / (direct + kswapd); NULL: no scan
CREATE VIEW direct_share AS
SELECT run, source, kswapd, direct, direct * 100.0 / nullif(direct + kswapd, 0) AS share
FROM (
	SELECT run, source, coalesce(sum(scanned) FILTER (WHERE actor = 'kswapd'), 0) AS kswapd,
		coalesce(sum(scanned) FILTER (WHERE actor = 'direct'), 0) AS direct
	FROM scan_total
	WHERE actor IN ('kswapd', 'direct')
	GROUP BY run, source
	HAVING count(*) = 2
);
