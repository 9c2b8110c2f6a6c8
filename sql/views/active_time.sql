-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view active_time How long is each reclaimer at work?
-- kswapd: its cycles, from wake to the last event of the cycle. Others: their episodes. Both cut at the
-- window's end. A reclaimer inside another one (memcg inside direct) counts for both.
-- @column run - run
-- @column actor - who reclaims
-- @column episodes - cycles or episodes that begin in the window
-- @column active ns time at work, summed over threads
CREATE VIEW active_time AS
SELECT run, 'kswapd' AS actor, count(*) FILTER (WHERE begun) AS episodes, sum(awake) AS active
FROM kswapd_cycles
GROUP BY run
UNION ALL
SELECT s.run, s.actor, sum(s.begun), sum(min(s.dur, p.end - s.ts))
FROM stall AS s
JOIN span AS p ON p.run = s.run
GROUP BY s.run, s.actor;
