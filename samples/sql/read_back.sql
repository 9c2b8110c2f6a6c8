-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which files are read back after reclaim threw their pages out, and how soon?
SELECT (dev >> 20) || ':' || (dev & 1048575) AS device, ino, adds, refaults,
	round(away_p50 / 1e6, 1) AS away_ms
FROM refaults
ORDER BY refaults DESC
LIMIT 10;
