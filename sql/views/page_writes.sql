-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view page_writes How many pages does reclaim itself write, to swap or to files?
-- Where the run has no recorded writes, the counters stand in: nr_vmscan_write, of which pswpout went to
-- swap. The event does not say the node: a focus on one leaves no row.
-- @column run - run
-- @column source - trace or counters
-- @column total pages pages written by reclaim
-- @column file pages of total, file pages
-- @column anon pages of total, anon pages
CREATE VIEW page_writes AS
SELECT p.run, 'trace' AS source, w.total, w.total - w.anon AS file, w.anon
FROM span AS p
JOIN recorded AS r ON r.run = p.run AND r.fact = 'writeout'
JOIN (
	SELECT f.run, count(w.ts) AS total, count(w.ts) FILTER (WHERE w.flags & 1) AS anon
	FROM focus AS f
	LEFT JOIN writeout AS w ON w.run = f.run AND w.ts >= f.start AND w.ts < f.end
		AND (f.task IS NULL OR w.task = f.task)
	WHERE f.node IS NULL
	GROUP BY f.run
) AS w ON w.run = p.run
UNION ALL
SELECT run, 'counters', sum(value) FILTER (WHERE key = 'writes'),
	sum(value) FILTER (WHERE key = 'writes_file'), sum(value) FILTER (WHERE key = 'writes_anon')
FROM counter_sum
WHERE key IN ('writes', 'writes_file', 'writes_anon')
	AND run NOT IN (SELECT run FROM recorded WHERE fact = 'writeout')
GROUP BY run;
