-- SPDX-License-Identifier: GPL-2.0-or-later
-- What is the time of a stall spent on?
SELECT actor, round(total / 1e6, 1) AS total_ms, round(throttled_share, 2) AS throttled,
	round(compaction_share, 2) AS compaction, round(slab_share, 2) AS slab,
	round(rest_share, 2) AS rest
FROM stall_split
ORDER BY total_ms DESC;
