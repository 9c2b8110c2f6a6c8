-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view page_fate What becomes of the pages that a reclaimer takes?
-- From the shrink events; a batch that took nothing has none.
-- @column run - run
-- @column actor - who reclaims
-- @column taken pages pages isolated
-- @column reclaimed pages pages freed
-- @column dirty pages dirty pages met
-- @column writeback pages pages under writeback met
-- @column congested pages pages whose device is congested, or under writeback and marked for reclaim
-- @column immediate pages pages that kswapd met again while under writeback
-- @column activated pages pages put on an active list
-- @column kept pages referenced pages kept
-- @column unmap_fail pages pages that could not be unmapped
CREATE VIEW page_fate AS
SELECT t.run, a.name AS actor, t.taken, t.reclaimed, t.dirty, t.writeback, t.congested, t.immediate,
	t.activated, t.kept, t.unmap_fail
FROM (
	SELECT s.run, s.actor, sum(s.taken) AS taken, sum(s.reclaimed) AS reclaimed,
		sum(s.dirty) AS dirty, sum(s.writeback) AS writeback,
		sum(s.congested) AS congested, sum(s.immediate) AS immediate,
		sum(s.activate_anon) + coalesce(sum(s.activate_file), 0) AS activated,
		sum(s.ref_keep) AS kept, sum(s.unmap_fail) AS unmap_fail
	FROM focus AS f
	CROSS JOIN scan AS s
	WHERE s.run = f.run AND s.ts >= f.start AND s.ts < f.end
		AND (s.lru IS NULL OR s.lru IN (0, 2))
		AND (f.task IS NULL OR s.task = f.task) AND (f.node IS NULL OR s.node = f.node)
	GROUP BY (s.run << 8) + s.actor
) AS t
JOIN enum_name AS a ON a.domain = 'actor' AND a.value = t.actor;
