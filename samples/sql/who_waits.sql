-- SPDX-License-Identifier: GPL-2.0-or-later
-- Which tasks wait for memory, how often, how long at the worst?
SELECT comm, sum(count) AS stalls, round(sum(total) / 1e6, 1) AS total_ms,
	round(max(max) / 1e6, 1) AS max_ms
FROM stall_by_task
GROUP BY comm
ORDER BY total_ms DESC
LIMIT 10;
