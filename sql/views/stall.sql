-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view stall Which tasks waited in reclaim, when, for what and how long?
-- One row an episode of direct, memcg, soft limit or node reclaim that begins in the window. The kernel
-- does not say the node of direct reclaim: with a focus on a node only node reclaim is left.
-- @column run - run
-- @column ts ns begin, on the run's clock (the end where the begin is not recorded)
-- @column task - thread, task.task
-- @column actor - kind of reclaim
-- @column order - order of the allocation
-- @column gfp - allocation flags, see gfp_flags()
-- @column dur ns begin to end; NULL: one of them is not recorded
-- @column begun - 1 the begin is recorded, 0 only the end
-- @column unpaired - 1 one of the two is missing
-- @column depth - 0 outermost, 1 inside another episode of the task
-- @column reclaimed pages as the end event says
-- @column scanned pages inactive pages scanned inside
-- @column compact_dur ns compaction inside
-- @column slab_dur ns slab shrinkers inside
-- @column throttle_dur ns throttled inside
CREATE VIEW stall AS
SELECT r.run, r.ts, r.task, a.name AS actor, r."order", r.gfp, r.dur, r.paired & 1 AS begun,
	r.paired <> 3 AS unpaired, r.depth, r.reclaimed, r.scanned, r.compact_dur, r.slab_dur,
	r.throttle_dur
FROM focus AS f
CROSS JOIN reclaim AS r
JOIN enum_name AS a ON a.domain = 'actor' AND a.value = r.actor
WHERE r.run = f.run AND r.ts >= f.start AND r.ts < f.end
	AND (f.task IS NULL OR r.task = f.task) AND (f.node IS NULL OR r.node = f.node);
