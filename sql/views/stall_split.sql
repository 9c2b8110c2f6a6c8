-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view stall_split What is the time of a stall spent on?
-- Complete outermost episodes only. rest is the scanning itself, waiting for a CPU, and whatever emits no
-- event.
-- @column run - run
-- @column actor - kind of reclaim
-- @column count - complete episodes
-- @column total ns time waited
-- @column throttled ns throttled, as the kernel measured it
-- @column compaction ns in compaction
-- @column slab ns in slab shrinkers
-- @column rest ns the remaining time
-- @column throttled_share % of total
-- @column compaction_share % of total
-- @column slab_share % of total
-- @column rest_share % of total
CREATE VIEW stall_split AS
SELECT run, actor, count, total, throttled, compaction, slab,
	total - throttled - compaction - slab AS rest,
	throttled * 100.0 / nullif(total, 0) AS throttled_share,
	compaction * 100.0 / nullif(total, 0) AS compaction_share,
	slab * 100.0 / nullif(total, 0) AS slab_share,
	(total - throttled - compaction - slab) * 100.0 / nullif(total, 0) AS rest_share
FROM (
	SELECT run, actor, count(*) AS count, sum(dur) AS total,
		coalesce(sum(throttle_dur), 0) AS throttled,
		coalesce(sum(compact_dur), 0) AS compaction, coalesce(sum(slab_dur), 0) AS slab
	FROM stall
	WHERE depth = 0 AND NOT unpaired
	GROUP BY run, actor
);
