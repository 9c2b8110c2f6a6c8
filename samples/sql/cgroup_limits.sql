-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who stalls at the limit of a memory cgroup, and how long?
SELECT comm, tid, count, round(total / 1e6, 1) AS total_ms, round(max / 1e6, 1) AS max_ms, reclaimed
FROM memcg_stall
ORDER BY total DESC;
