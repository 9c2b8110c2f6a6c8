-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view efficiency How much of what each reclaimer scans does it free?
-- Scans of inactive lists only, as the kernel's pgscan counters. Without a scan there is no efficiency:
-- the column is NULL, neither 0 nor 100. Where the run has no recorded scans, the counters stand in.
-- @column run - run
-- @column actor - who reclaims; kswapd and direct always have a row, but for those that the focus takes out
-- @column source - trace or counters
-- @column batches - scan batches; NULL: counters do not say it
-- @column scanned pages inactive pages scanned
-- @column taken pages inactive pages isolated; NULL: counters do not say it
-- @column reclaimed pages pages freed; NULL: not recorded
-- @column efficiency % reclaimed * 100 / scanned; NULL: no scan, or not recorded what was freed
-- @column scanned_anon pages of scanned, on the anon list
-- @column scanned_file pages of scanned, on the file list
-- @column reclaimed_anon pages of reclaimed, from the anon list
-- @column reclaimed_file pages of reclaimed, from the file list
CREATE VIEW efficiency AS
SELECT run, actor, source, batches, scanned, taken, iif(known, reclaimed, NULL) AS reclaimed,
	iif(known, reclaimed * 100.0 / nullif(scanned, 0), NULL) AS efficiency, scanned_anon,
	scanned_file, iif(known, reclaimed_anon, NULL) AS reclaimed_anon,
	iif(known, reclaimed_file, NULL) AS reclaimed_file
FROM (
	SELECT run, actor, source, sum(batches) AS batches, sum(scanned) AS scanned,
		sum(taken) AS taken, sum(reclaimed) AS reclaimed, sum(scanned_anon) AS scanned_anon,
		sum(scanned_file) AS scanned_file, sum(reclaimed_anon) AS reclaimed_anon,
		sum(reclaimed_file) AS reclaimed_file, source = 'counters' OR run IN (
			SELECT run FROM recorded WHERE fact = 'freed'
		) AS known
	FROM (
		SELECT run, actor, 'trace' AS source, batches, scanned, taken, reclaimed,
			CASE WHEN lru = 'inactive_anon' THEN scanned ELSE 0 END AS scanned_anon,
			CASE WHEN lru = 'inactive_file' THEN scanned ELSE 0 END AS scanned_file,
			CASE WHEN lru = 'inactive_anon' THEN reclaimed ELSE 0 END AS reclaimed_anon,
			CASE WHEN lru = 'inactive_file' THEN reclaimed ELSE 0 END AS reclaimed_file
		FROM scan_by_list
		WHERE lru IS NULL OR lru IN ('inactive_anon', 'inactive_file')
		UNION ALL
		SELECT p.run, a.actor, 'trace', 0, 0, 0, 0, 0, 0, 0, 0
		FROM span AS p
		JOIN recorded AS r ON r.run = p.run AND r.fact = 'scan'
		JOIN focus_actor AS a ON a.run = p.run
		UNION ALL
		SELECT c.run, a.column1, 'counters', NULL,
			CASE WHEN c.key = a.column1 || '_scanned' THEN c.value END, NULL,
			CASE WHEN c.key = a.column1 || '_reclaimed' THEN c.value END, NULL, NULL,
			NULL, NULL
		FROM counter_sum AS c
		JOIN (VALUES ('kswapd'), ('direct'), ('khugepaged'), ('proactive')) AS a
			ON c.key IN (a.column1 || '_scanned', a.column1 || '_reclaimed')
		WHERE c.run NOT IN (SELECT run FROM recorded WHERE fact = 'scan')
	)
	GROUP BY run, actor, source
);
