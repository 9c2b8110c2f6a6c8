-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view kswapd_by_node How busy is each kswapd?
-- @column run - run
-- @column node - node
-- @column wakes - cycles whose wake is recorded (the counter pageoutrun)
-- @column sleeps - cycles that end in a full sleep
-- @column dozes - cycles that end with the next wake: the high watermark was hit quickly, or a request came during the doze
-- @column rewakes - wake requests that came while awake
-- @column awake ns time awake, in the window
-- @column awake_share % awake * 100 / window
-- @column awake_p50 ns median cycle
-- @column awake_max ns longest cycle
-- @column wake_delay_p50 ns median delay between request and wake
-- @column min_priority - hardest priority reached
-- @column scanned pages inactive pages scanned
-- @column reclaimed pages pages freed
CREATE VIEW kswapd_by_node AS
SELECT k.run, k.node, count(*) FILTER (WHERE k.begun AND k.ended <> 'begin not recorded') AS wakes,
	count(*) FILTER (WHERE k.ended = 'sleep') AS sleeps,
	count(*) FILTER (WHERE k.ended = 'next wake') AS dozes, sum(k.rewakes) AS rewakes,
	sum(k.awake) AS awake,
	sum(k.awake) * 100.0 / nullif(p.elapsed, 0) AS awake_share,
	percentile(k.awake, 50) AS awake_p50, max(k.awake) AS awake_max,
	percentile(k.wake_delay, 50) AS wake_delay_p50, min(k.min_priority) AS min_priority,
	sum(k.scanned) AS scanned, sum(k.reclaimed) AS reclaimed
FROM kswapd_cycles AS k
JOIN span AS p ON p.run = k.run
GROUP BY k.run, k.node;
