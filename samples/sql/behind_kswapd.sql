-- SPDX-License-Identifier: GPL-2.0-or-later
-- Was kswapd at work when tasks had to reclaim themselves?
SELECT coalesce(kswapd, 'not seen') AS kswapd, entries, round(total / 1e6, 1) AS total_ms, throttled
FROM direct_entry
ORDER BY entries DESC;
