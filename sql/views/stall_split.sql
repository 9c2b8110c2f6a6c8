-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view stall_split What is the time of a stall spent on?
-- Complete outermost episodes only. rest is the scanning itself, waiting for a CPU, and whatever emits no
-- event. A part that was not recorded is NULL, and in rest. Where events were lost the parts can come to more
-- than the whole: then there is no rest.
-- @column run - run
-- @column actor - kind of reclaim
-- @column count - complete episodes
-- @column total ns time waited
-- @column throttled ns throttled, as the kernel measured it
-- @column compaction ns in compaction
-- @column slab ns in slab shrinkers
-- @column rest ns the remaining time; NULL: the parts come to more than total
-- @column throttled_share % of total
-- @column compaction_share % of total
-- @column slab_share % of total
-- @column rest_share % of total
CREATE VIEW stall_split AS
SELECT run, actor, count, total, throttled, compaction, slab, rest,
	throttled * 100.0 / nullif(total, 0) AS throttled_share,
	compaction * 100.0 / nullif(total, 0) AS compaction_share,
	slab * 100.0 / nullif(total, 0) AS slab_share,
	rest * 100.0 / nullif(total, 0) AS rest_share
FROM (
	SELECT *, iif(total < known, NULL, total - known) AS rest
	FROM (
		SELECT run, actor, count(*) AS count, sum(dur) AS total,
			iif((run, 'throttle') IN recorded, coalesce(sum(throttle_dur), 0), NULL) AS throttled,
			iif((run, 'compaction') IN recorded, coalesce(sum(compact_dur), 0), NULL) AS compaction,
			iif((run, 'slab') IN recorded, coalesce(sum(slab_dur), 0), NULL) AS slab,
			coalesce(sum(throttle_dur), 0) + coalesce(sum(compact_dur), 0)
				+ coalesce(sum(slab_dur), 0) AS known
		FROM stall
		WHERE depth = 0 AND NOT unpaired
		GROUP BY run, actor
	)
);
