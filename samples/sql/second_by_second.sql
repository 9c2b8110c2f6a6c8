-- SPDX-License-Identifier: GPL-2.0-or-later
-- How does it go over time?
SELECT second, kswapd_scanned, kswapd_reclaimed, direct_scanned, direct_reclaimed, stalls,
	round(stall_time / 1e6, 1) AS stall_ms, throttles
FROM timeline
ORDER BY second;
