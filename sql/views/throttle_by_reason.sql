-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view throttle_by_reason Is the throttling of use, or does it only run into its timeout?
-- @column run - run
-- @column reason - why
-- @column actor - who waits
-- @column count - waits
-- @column total us time waited
-- @column full - waits at the timeout or beyond
-- @column early - waits ended by a wake-up
-- @column zero - waits without a measured delay
-- @column full_share % full * 100 / count
-- @column p50 us median delay
-- @column max us longest delay
CREATE VIEW throttle_by_reason AS
SELECT run, reason, actor, sum(count) AS count, sum(delayed * count) AS total,
	coalesce(sum(count) FILTER (WHERE outcome = 'full'), 0) AS full,
	coalesce(sum(count) FILTER (WHERE outcome = 'early'), 0) AS early,
	coalesce(sum(count) FILTER (WHERE outcome = 'zero'), 0) AS zero,
	coalesce(sum(count) FILTER (WHERE outcome = 'full'), 0) * 100.0 / sum(count) AS full_share,
	min(delayed) FILTER (WHERE upto * 2 >= all_count) AS p50, max(delayed) AS max
FROM (
	SELECT *, sum(count) OVER (PARTITION BY run, reason, actor ORDER BY delayed, timeout
			ROWS UNBOUNDED PRECEDING) AS upto,
		sum(count) OVER (PARTITION BY run, reason, actor) AS all_count
	FROM throttle_distribution
)
GROUP BY run, reason, actor;
