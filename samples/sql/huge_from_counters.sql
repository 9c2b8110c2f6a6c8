-- SPDX-License-Identifier: GPL-2.0-or-later
-- From two copies of /proc/vmstat: stalls for huge pages, and the memory reclaimed for them.
SELECT name, value, round(mib) AS mib
FROM figures
WHERE key IN ('compact_stalls', 'direct_reclaimed', 'kswapd_reclaimed', 'stalls')
ORDER BY position;
