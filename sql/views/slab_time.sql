-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view slab_time Which slab shrinkers cost time, and what do they free?
-- The key of the groups is packed into one number, which sorts much faster than three.
-- @column run - run
-- @column actor - who reclaims
-- @column shrinker - function of the shrinker
-- @column count - calls
-- @column total ns time inside
-- @column max ns longest call
-- @column asked objects objects that the pressure of these calls asked for
-- @column freed objects objects freed (left over, on kernels up to 3.11)
-- @column unpaired - calls whose begin or end is not recorded
CREATE VIEW slab_time AS
SELECT t.key >> 48 AS run, a.name AS actor, y.text AS shrinker, t.count, t.total, t.max, t.asked,
	t.freed, t.unpaired
FROM (
	SELECT (s.run << 48) + (coalesce(s.shrinker, 0) << 8) + s.actor AS key, count(*) AS count,
		sum(s.dur) AS total, max(s.dur) AS max, sum(s.delta) AS asked, sum(s.freed) AS freed,
		count(*) - count(s.dur) AS unpaired
	FROM focus AS f
	CROSS JOIN slab AS s
	WHERE s.run = f.run AND s.ts >= f.start AND s.ts < f.end
		AND (f.task IS NULL OR s.task = f.task) AND (f.node IS NULL OR s.node = f.node)
	GROUP BY key
) AS t
JOIN enum_name AS a ON a.domain = 'actor' AND a.value = (t.key & 0xff)
LEFT JOIN symbol AS y ON y.symbol = ((t.key >> 8) & 0xffffffffff);
