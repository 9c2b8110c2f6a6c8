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
SELECT run, actor, sum(taken) AS taken, sum(reclaimed) AS reclaimed, sum(dirty) AS dirty,
	sum(writeback) AS writeback, sum(congested) AS congested, sum(immediate) AS immediate,
	sum(activated) AS activated, sum(kept) AS kept, sum(unmap_fail) AS unmap_fail
FROM scan_by_list
WHERE lru IS NULL OR lru IN ('inactive_anon', 'inactive_file')
GROUP BY run, actor;
