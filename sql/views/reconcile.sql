-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view reconcile Do the trace and the kernel's own counters tell the same?
-- The stretch is that between the first and the last vmstat snapshot in the window. Where both lie at a
-- marker and nothing was lost, rows with exact = 1 must have a difference of 0. The focus on tasks and
-- nodes does not count here: the counters know neither.
-- @column run - run
-- @column what - the counter, or the sum of its kinds
-- @column trace - total of the trace; NULL: the events were not recorded
-- @column counter - growth of the counter
-- @column difference - trace less counter
-- @column exact - 1: the two must be equal
-- @column why - why they differ, or may
-- @column overcounts - 1: the events count pages that the counter rightly does not
CREATE VIEW reconcile AS
WITH pair AS MATERIALIZED (
	SELECT s.run, min(s.ts) AS start, max(s.ts) AS end,
		min(s.label <> '' OR s.ts NOT IN (a.lo, a.hi)) AS marked
	FROM (
		SELECT s.run, min(s.ts) AS lo, max(s.ts) AS hi
		FROM span AS p
		JOIN snapshot AS s ON s.run = p.run AND s.ts >= p.start AND s.ts <= p.end
		WHERE EXISTS (
			SELECT 1 FROM counter AS c
			JOIN sample AS x ON x.run = s.run AND x.snapshot = s.snapshot
				AND x.counter = c.counter
			WHERE c.source = 'vmstat'
		)
		GROUP BY s.run
		HAVING lo < hi
	) AS a
	JOIN snapshot AS s ON s.run = a.run AND s.ts IN (a.lo, a.hi)
	GROUP BY s.run
),
lost AS MATERIALIZED (
	SELECT w.run, count(l.run) AS gaps
	FROM pair AS w
	LEFT JOIN loss AS l ON l.run = w.run AND l.kind NOT IN ('unread', 'disorder', 'overwritten')
		AND (l.ts IS NULL OR (l.ts >= w.start AND l.ts <= w.end))
	GROUP BY w.run
),
delta AS MATERIALIZED (
	SELECT run, source, name, sum(delta) AS delta, count(*) AS scopes
	FROM counter_delta
	WHERE source IN ('vmstat', 'memcg')
	GROUP BY run, source, name
	HAVING count(delta) = count(*)
),
-- Direct reclaim of khugepaged has counters of its own from 6.2 on. From 5.9 on, which brought
-- workingset_refault_anon, pgrefill leaves out the reclaim of cgroups.
own AS MATERIALIZED (
	SELECT w.run, EXISTS (
		SELECT 1 FROM delta AS d WHERE d.run = w.run AND d.name = 'pgscan_khugepaged'
	) AS khugepaged, EXISTS (
		SELECT 1 FROM delta AS d
		WHERE d.run = w.run AND d.source = 'vmstat' AND d.name = 'workingset_refault_anon'
	) AS refill_apart
	FROM pair AS w
),
scanned AS MATERIALIZED (
	SELECT w.run,
		sum(s.scanned) FILTER (WHERE inactive AND s.actor = 0) AS scan_kswapd,
		sum(s.scanned) FILTER (WHERE inactive AND is_direct) AS scan_direct,
		sum(s.scanned) FILTER (WHERE inactive AND s.actor = 2) AS scan_memcg,
		sum(s.scanned) FILTER (WHERE s.lru = 0) AS scan_anon,
		sum(s.scanned) FILTER (WHERE s.lru = 2) AS scan_file,
		sum(s.scanned) FILTER (WHERE NOT inactive) AS aged,
		sum(s.scanned) FILTER (WHERE is_refill) AS refill,
		sum(s.scanned) FILTER (WHERE NOT inactive AND s.actor = 2) AS refill_memcg,
		sum(s.reclaimed) FILTER (WHERE s.actor = 0) AS steal_kswapd,
		sum(s.reclaimed) FILTER (WHERE is_direct) AS steal_direct,
		sum(s.reclaimed) FILTER (WHERE s.actor = 2) AS steal_memcg,
		sum(s.reclaimed) FILTER (WHERE s.flags & 3 = 1) AS steal_anon,
		sum(s.reclaimed) FILTER (WHERE s.flags & 3 = 2) AS steal_file,
		sum(s.activate_anon) AS activate_anon, sum(s.activate_file) AS activate_file
	FROM pair AS w
	JOIN (
		SELECT s.*, s.lru IS NULL OR s.lru IN (0, 2) AS inactive,
			s.actor IN (1, 4, 8) OR (s.actor = 5 AND NOT o.khugepaged) AS is_direct,
			s.lru IN (1, 3) AND NOT (s.actor IN (2, 3) AND o.refill_apart) AS is_refill
		FROM own AS o
		CROSS JOIN scan AS s
		WHERE s.run = o.run
	) AS s ON s.run = w.run AND s.ts >= w.start AND s.ts < w.end
	GROUP BY w.run
),
-- The generations are scanned as inactive lists and aged without an event.
generations AS MATERIALIZED (
	SELECT d.run
	FROM delta AS d
	LEFT JOIN scanned AS s ON s.run = d.run
	WHERE d.source = 'vmstat' AND d.name = 'pgrefill' AND d.delta > 0 AND s.aged IS NULL
		AND coalesce(s.scan_kswapd, s.scan_direct) > 0
),
fact(run, what, value) AS (
	SELECT w.run, v.column1, coalesce(CASE v.column1
		WHEN 'pgscan_kswapd' THEN s.scan_kswapd WHEN 'pgscan_direct' THEN s.scan_direct
		WHEN 'pgsteal_kswapd' THEN s.steal_kswapd WHEN 'pgsteal_direct' THEN s.steal_direct
		WHEN 'pgscan_anon' THEN s.scan_anon WHEN 'pgscan_file' THEN s.scan_file
		WHEN 'pgsteal_anon' THEN s.steal_anon WHEN 'pgsteal_file' THEN s.steal_file
		WHEN 'pgrefill' THEN s.refill WHEN 'memory.stat pgscan' THEN s.scan_memcg
		WHEN 'memory.stat pgsteal' THEN s.steal_memcg
		WHEN 'memory.stat pgrefill' THEN s.refill_memcg END, 0)
	FROM pair AS w
	CROSS JOIN (
		VALUES ('pgscan_kswapd'), ('pgscan_direct'), ('pgsteal_kswapd'), ('pgsteal_direct'),
			('pgscan_anon'), ('pgscan_file'), ('pgsteal_anon'), ('pgsteal_file'),
			('pgrefill'), ('memory.stat pgscan'), ('memory.stat pgsteal'),
			('memory.stat pgrefill')
	) AS v
	JOIN recorded AS r ON r.run = w.run
		AND r.fact = iif(v.column1 LIKE '%pgsteal%', 'freed', 'scan')
	LEFT JOIN scanned AS s ON s.run = w.run
	UNION ALL
	SELECT w.run, CASE actor WHEN 1 THEN 'allocstall' ELSE 'memory.events max' END, (
		SELECT count(*) FROM reclaim AS e
		WHERE e.run = w.run AND e.actor = a.actor AND e.paired & 1 AND e.ts >= w.start
			AND e.ts < w.end
	)
	FROM pair AS w
	JOIN recorded AS r ON r.run = w.run AND r.fact = 'stall'
	CROSS JOIN (SELECT 1 AS actor UNION ALL SELECT 2) AS a
	UNION ALL
	SELECT w.run, 'pageoutrun', (
		SELECT count(*) FROM kswapd_cycle AS k
		WHERE k.run = w.run AND k.end_kind <> 3 AND k.ts >= w.start AND k.ts < w.end
	)
	FROM pair AS w
	JOIN recorded AS r ON r.run = w.run AND r.fact = 'cycle'
	UNION ALL
	SELECT w.run, 'nr_vmscan_write', (
		SELECT count(*) FROM writeout AS o
		WHERE o.run = w.run AND o.ts >= w.start AND o.ts < w.end
	)
	FROM pair AS w
	JOIN recorded AS r ON r.run = w.run AND r.fact = 'writeout'
	UNION ALL
	SELECT w.run, v.column1, (
		SELECT coalesce(sum(CASE v.column1 WHEN 'pgmigrate_success' THEN m.succeeded
			ELSE m.failed END), 0)
		FROM migrate AS m
		WHERE m.run = w.run AND m.ts >= w.start AND m.ts < w.end
	)
	FROM pair AS w
	JOIN recorded AS r ON r.run = w.run AND r.fact = 'migrate'
	CROSS JOIN (VALUES ('pgmigrate_success'), ('pgmigrate_fail')) AS v
	UNION ALL
	SELECT w.run, v.column1, (
		SELECT coalesce(sum(CASE v.column1 WHEN 'compact_migrate_scanned' THEN c.migrate_scanned
			WHEN 'compact_free_scanned' THEN c.free_scanned ELSE c.isolated END), 0)
		FROM compaction AS c
		WHERE c.run = w.run AND c.ts >= w.start AND c.ts < w.end
	)
	FROM pair AS w
	JOIN recorded AS r ON r.run = w.run AND r.fact = 'compaction'
	CROSS JOIN (
		VALUES ('compact_migrate_scanned'), ('compact_free_scanned'), ('compact_isolated')
	) AS v
	UNION ALL
	SELECT w.run, 'pgactivate', (
		SELECT count(*) FROM lru_activate AS l
		WHERE l.run = w.run AND l.ts >= w.start AND l.ts < w.end
	) + coalesce(s.activate_anon, 0) + coalesce(s.activate_file, 0)
	FROM pair AS w
	JOIN coverage AS c ON c.run = w.run AND c.event = 'mm_lru_activate' AND c.stored_in IS NOT NULL
	LEFT JOIN scanned AS s ON s.run = w.run
	UNION ALL
	SELECT w.run, 'pgalloc', (
		SELECT sum(1 << l."order") FROM page_alloc AS l
		WHERE l.run = w.run AND l.ts >= w.start AND l.ts < w.end AND l.pfn > 0
	)
	FROM pair AS w
	JOIN coverage AS c ON c.run = w.run AND c.event = 'mm_page_alloc' AND c.stored_in IS NOT NULL
	UNION ALL
	SELECT w.run, 'pgfree', (
		SELECT sum(1 << l."order") FROM page_free AS l
		WHERE l.run = w.run AND l.ts >= w.start AND l.ts < w.end
	)
	FROM pair AS w
	JOIN coverage AS c ON c.run = w.run AND c.event = 'mm_page_free' AND c.stored_in IS NOT NULL
),
-- key: of counter_sum, or NULL: the counter has always had this name.
line(what, key, source, exact, why) AS (
	VALUES
		('pgscan_kswapd', 'kswapd_scanned', 'vmstat', 1, ''),
		('pgscan_direct', 'direct_scanned', 'vmstat', 1, ''),
		('pgsteal_kswapd', 'kswapd_reclaimed', 'vmstat', 1, ''),
		('pgsteal_direct', 'direct_reclaimed', 'vmstat', 1, ''),
		('pgscan_anon', NULL, 'vmstat', 1, ''), ('pgscan_file', NULL, 'vmstat', 1, ''),
		('pgsteal_anon', NULL, 'vmstat', 1, ''), ('pgsteal_file', NULL, 'vmstat', 1, ''),
		('pgrefill', 'refilled', 'vmstat', 1, ''),
		('pageoutrun', 'kswapd_wakes', 'vmstat', 1, ''),
		('nr_vmscan_write', 'writes', 'vmstat', 1, ''),
		('pgmigrate_success', 'migrate_success', 'vmstat', 1, ''),
		('pgmigrate_fail', 'migrate_failure', 'vmstat', 1, ''),
		('allocstall', 'stalls', 'vmstat', 0,
			'reclaim that tries again inside one call is counted again and emits one event'),
		('pgactivate', NULL, 'vmstat', 0,
			'a few activations emit no event, and a few are emitted before they count'),
		('pgalloc', NULL, 'vmstat', 0,
			'pages allocated in bulk and the target pages of compaction emit no event'),
		('pgfree', NULL, 'vmstat', 0, 'a few pages are freed past the event or past the counter'),
		('compact_migrate_scanned', NULL, 'vmstat', 0,
			'the scanner skips and retries blocks without an event: take the counter'),
		('compact_free_scanned', NULL, 'vmstat', 0,
			'the scanner skips and retries blocks without an event: take the counter'),
		('compact_isolated', NULL, 'vmstat', 0,
			'pages isolated and put back are counted without an event: take the counter'),
		('memory.stat pgscan', 'pgscan', 'memcg', 1, ''),
		('memory.stat pgsteal', 'pgsteal', 'memcg', 1, ''),
		('memory.stat pgrefill', 'pgrefill', 'memcg', 1, ''),
		('memory.events max', 'max', 'memcg', 0,
			'other cgroups than the sampled one reclaim as well, or it was not at its limit')
),
told AS (
	SELECT w.run, l.what, l.exact, l.why, f.value AS trace, CASE
		WHEN l.source = 'memcg' THEN (
			SELECT d.delta FROM delta AS d
			WHERE d.run = w.run AND d.source = 'memcg' AND d.name = l.key AND d.scopes = 1
		)
		WHEN l.what = 'pgalloc' THEN (
			SELECT CASE WHEN count(d.delta) = count(*) THEN sum(d.delta) END
			FROM counter_delta AS d
			WHERE d.run = w.run AND d.source = 'vmstat' AND d.name IN ('pgalloc_dma',
				'pgalloc_dma32', 'pgalloc_normal', 'pgalloc_high', 'pgalloc_movable',
				'pgalloc_device')
		)
		WHEN l.key IS NULL THEN (
			SELECT d.delta FROM delta AS d
			WHERE d.run = w.run AND d.source = 'vmstat' AND d.name = l.what
		)
		ELSE (SELECT c.value FROM counter_sum AS c WHERE c.run = w.run AND c.key = l.key)
		END AS counter
	FROM pair AS w
	CROSS JOIN line AS l
	LEFT JOIN fact AS f ON f.run = w.run AND f.what = l.what
)
SELECT t.run, t.what, t.trace, t.counter, t.trace - t.counter AS difference,
	t.exact AND w.marked AND NOT o.gaps AND NOT (
		g.run IS NOT NULL AND (t.what LIKE 'pgscan_%' OR t.what IN ('pgrefill'))
	) AS exact,
	CASE
		WHEN t.trace IS NULL THEN 'the events are not in the recording, or only a database looks at them'
		WHEN o.gaps THEN 'events were lost: the trace is a lower bound'
		WHEN t.trace = t.counter THEN ''
		WHEN g.run IS NOT NULL AND t.what LIKE 'pgscan_%'
			THEN 'generations (MGLRU): pages sorted to other generations are in the events too'
		WHEN g.run IS NOT NULL AND t.what = 'pgrefill'
			THEN 'generations (MGLRU): their aging emits no event'
		WHEN NOT w.marked THEN 'the snapshots of a series are stamped before they are read'
		WHEN t.exact THEN 'not expected'
		ELSE t.why
	END AS why,
	g.run IS NOT NULL AND t.what LIKE 'pgscan_%' AND t.trace > t.counter AS overcounts
FROM told AS t
JOIN pair AS w ON w.run = t.run
JOIN lost AS o ON o.run = t.run
LEFT JOIN generations AS g ON g.run = t.run
WHERE t.counter IS NOT NULL;
