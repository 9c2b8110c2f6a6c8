-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view scan_by_list How many pages of each list and node does each reclaimer scan, take and free?
-- The one pass over the scan batches that efficiency, velocity, direct_share, by_node and page_fate rest on. Scanning
-- of an active list refills the inactive one and frees nothing; it is here but not in efficiency. The key
-- of the groups is packed into one number, which sorts much faster than four.
-- @column run - run
-- @column actor - who reclaims
-- @column lru - list; NULL: the kernel did not say
-- @column node - node; NULL: scans that took nothing do not say it
-- @column batches - scan batches
-- @column scanned pages pages scanned
-- @column taken pages pages isolated
-- @column reclaimed pages pages freed
-- @column dirty pages dirty pages met
-- @column writeback pages pages under writeback met
-- @column congested pages pages whose device is congested, or under writeback and marked for reclaim
-- @column immediate pages pages that kswapd met again while under writeback
-- @column activated pages pages put on an active list
-- @column kept pages referenced pages kept
-- @column unmap_fail pages pages that could not be unmapped
CREATE VIEW scan_by_list AS
SELECT t.key >> 40 AS run, a.name AS actor, l.name AS lru,
	nullif((t.key >> 16) & 0xffffff, 0) - 1 AS node,
	t.batches, t.scanned, t.taken, t.reclaimed, t.dirty, t.writeback, t.congested, t.immediate,
	t.activated, t.kept, t.unmap_fail
FROM (
	SELECT (s.run << 40) + ((coalesce(s.node + 1, 0) & 0xffffff) << 16) + (s.actor << 8)
			+ (coalesce(s.lru + 1, 0) & 0xff) AS key,
		count(*) AS batches, coalesce(sum(s.scanned), 0) AS scanned,
		coalesce(sum(s.taken), 0) AS taken, coalesce(sum(s.reclaimed), 0) AS reclaimed,
		sum(s.dirty) AS dirty, sum(s.writeback) AS writeback,
		sum(s.congested) AS congested, sum(s.immediate) AS immediate,
		sum(s.activate_anon) + coalesce(sum(s.activate_file), 0) AS activated,
		sum(s.ref_keep) AS kept, sum(s.unmap_fail) AS unmap_fail
	FROM focus AS f
	CROSS JOIN scan AS s
	WHERE s.run = f.run AND s.ts >= f.start AND s.ts < f.end
		AND (f.task IS NULL OR s.task = f.task) AND (f.node IS NULL OR s.node = f.node)
	GROUP BY key
) AS t
JOIN enum_name AS a ON a.domain = 'actor' AND a.value = ((t.key >> 8) & 0xff)
LEFT JOIN enum_name AS l ON l.domain = 'lru' AND l.value = nullif(t.key & 0xff, 0) - 1;
