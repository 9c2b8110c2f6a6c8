-- SPDX-License-Identifier: GPL-2.0-or-later
-- How does it go over time?
SELECT second AS s, kswapd_scanned AS kswapd, kswapd_reclaimed AS freed, direct_scanned AS direct,
	direct_reclaimed AS direct_freed, stalls, round(stall_time / 1e6, 1) AS stall_ms,
	throttles AS waits
FROM timeline
ORDER BY second;
