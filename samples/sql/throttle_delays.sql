-- SPDX-License-Identifier: GPL-2.0-or-later
-- How long exactly is each reclaimer held, for which reason, and how often to the full timeout?
SELECT reason, actor, delayed AS usec_delayed, count, outcome,
	round(count * 100.0 / sum(count) OVER (PARTITION BY reason, actor), 2) AS share
FROM throttle_distribution
ORDER BY reason, actor, delayed DESC;
