-- SPDX-License-Identifier: GPL-2.0-or-later
-- Is the gap between min and low too small? Direct stalls by the time since kswapd was woken.
SELECT CASE WHEN woken_before IS NULL THEN 'no wake seen'
		WHEN woken_before <= 1000000 THEN 'within 1 ms of the wake'
		WHEN woken_before <= 10000000 THEN 'within 10 ms of the wake'
		WHEN woken_before <= 100000000 THEN 'within 100 ms of the wake'
		ELSE 'later' END AS began,
	count(*) AS stalls, round(sum(dur) / 1e6, 1) AS total_ms
FROM direct_wake
GROUP BY began
ORDER BY stalls DESC;
