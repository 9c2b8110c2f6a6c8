-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view findings What stands out in this run, how is it seen, and what could be tried?
-- Each finding rests on figures of other views and says the rule that it was drawn by; a rule that is not
-- met leaves no row.
-- @column run - run
-- @column weight - from 100, the heaviest
-- @column key - name for machines
-- @column finding - in a sentence
-- @column evidence - the figures
-- @column rule - when the finding is made
-- @column view - where to look closer
-- @column attempt - policies to try in a replay, or another capture; may be empty
CREATE VIEW findings AS
WITH who(actor, name, begin) AS (
	VALUES ('kswapd', 'kswapd', 'kswapd'), ('direct', 'direct reclaim', 'Direct reclaim'),
		('memcg', 'memory cgroup reclaim', 'Memory cgroup reclaim'),
		('node', 'node reclaim', 'Node reclaim'),
		('softlimit', 'soft limit reclaim', 'Soft limit reclaim'),
		('khugepaged', 'khugepaged', 'khugepaged'), ('kcompactd', 'kcompactd', 'kcompactd'),
		('proactive', 'proactive reclaim', 'Proactive reclaim'), ('other', 'others', 'Other reclaim')
)
SELECT t.run, 100 AS weight, 'lost' AS key, CASE WHEN d.damaged = d.gaps
		THEN 'The recording is damaged: sums are lower bounds, ratios may be off.'
		ELSE 'Events were lost: sums are lower bounds, ratios may be off.' END AS finding,
	printf('%d events in the gaps of known size, %d gaps in all, %d of unknown size.', t.count,
		t.gaps, t.unknown) || coalesce(' Damaged: ' || d.what || '.', '') AS evidence,
	'any gap in the window' AS rule, 'losses' AS view,
	iif(d.damaged = d.gaps, '', 'a capture with a larger buffer') AS attempt
FROM loss_total AS t
JOIN (
	SELECT p.run, count(*) AS gaps, count(*) FILTER (WHERE l.kind = 'damaged') AS damaged,
		min(l.what) AS what
	FROM span AS p
	JOIN loss AS l ON l.run = p.run AND (l.ts IS NULL OR (l.ts >= p.start AND l.ts <= p.end))
	GROUP BY p.run
) AS d ON d.run = t.run
WHERE t.gaps > 0
UNION ALL
SELECT run, 99, 'oom', 'The kernel killed tasks for want of memory.',
	printf('Killed %d: %s%s.', max(nr), group_concat(victim, ', ') FILTER (WHERE nr <= 5),
		iif(max(nr) > 5, ' and others', '')),
	'any kill', 'oom_kill', ''
FROM (
	SELECT run, coalesce(comm, '?') || ' (' || pid || ')' AS victim,
		row_number() OVER (PARTITION BY run ORDER BY ts) AS nr
	FROM (SELECT DISTINCT run, ts, comm, pid FROM oom_kill)
)
GROUP BY run
UNION ALL
SELECT run, 98, 'disorder', 'Time goes back in the text: it is out of order or of several recordings.',
	what || '; begins and ends that stand the wrong way round are not paired.',
	'a stamp behind its CPU''s last one, or a second behind the last of all', 'unpaired', ''
FROM loss
WHERE kind = 'disorder'
UNION ALL
SELECT run, 5, 'unread', 'The text holds lines that are no events.', what || '.',
	'any line that is not understood and no damaged record', 'losses', ''
FROM loss
WHERE kind = 'unread'
UNION ALL
SELECT p.run, 6, 'recorder', 'The recorder itself had to reclaim memory.',
	printf('%d of %d direct reclaims were its own.', count(*) FILTER (WHERE t.kind = 'recorder'),
		count(*)),
	'direct reclaims of the recorder''s threads', 'stall_by_task', ''
FROM span AS p
JOIN reclaim AS r ON r.run = p.run AND r.actor = 1 AND r.ts >= p.start AND r.ts < p.end
JOIN task AS t ON t.task = r.task
GROUP BY p.run
HAVING count(*) FILTER (WHERE t.kind = 'recorder') > 0
UNION ALL
SELECT run, 4, 'flight', 'A flight recorder''s file: it looks from where all CPUs are complete.',
	printf('%d events before that made room for later ones, on %d CPUs.', sum(count), count(*)),
	'events that were overwritten on purpose', 'span', ''
FROM loss
WHERE kind = 'overwritten'
GROUP BY run
UNION ALL
SELECT run, 95, 'disagree', 'The trace and the kernel''s counters disagree where they must be equal.',
	group_concat(printf('%s: trace %d, counter %d', what, trace, counter), '; ') || '.',
	'a total that must be equal and is not', 'reconcile', ''
FROM reconcile
WHERE exact AND difference <> 0
GROUP BY run
UNION ALL
SELECT s.run, 90, 'kswapd_behind', 'kswapd cannot keep up: tasks reclaim although it is at work.',
	printf('%d of %d direct stalls (%.2f %%) began while kswapd was awake; %.2f %% of the scanning is '
		|| 'direct.', e.awake, e.entries, e.awake * 100.0 / e.entries, s.share),
	'10 direct stalls or more, half of them while kswapd is awake, and 10 % of the scanning direct',
	'direct_entry', 'gap-split, linear with a larger watermark_scale_factor'
FROM direct_share AS s
JOIN (
	SELECT run, sum(entries) AS entries,
		coalesce(sum(entries) FILTER (WHERE kswapd = 'awake'), 0) AS awake
	FROM direct_entry
	GROUP BY run
) AS e ON e.run = s.run
WHERE s.share >= 10 AND e.entries >= 10 AND e.awake * 2 >= e.entries
UNION ALL
SELECT run, 85, 'woken_late', 'kswapd is woken too late: free memory is gone before it has begun.',
	printf('%d of %d direct stalls (%.2f %%) began within 10 ms of a wake of kswapd.', late, entries,
		late * 100.0 / entries),
	'10 direct stalls or more, a quarter of them within 10 ms of a wake', 'direct_wake',
	'gap-split with a larger min-low gap, linear with a larger watermark_scale_factor'
FROM (
	SELECT run, count(*) AS entries, count(*) FILTER (WHERE woken_before <= 10000000) AS late
	FROM direct_wake
	GROUP BY run
)
WHERE entries >= 10 AND late * 4 >= entries
UNION ALL
SELECT run, 80, 'kswapd_asleep', 'Tasks reclaim themselves while kswapd sleeps.',
	printf('%d of %d direct stalls (%.2f %%) began while kswapd was asleep.', asleep, entries,
		asleep * 100.0 / entries),
	'10 direct stalls or more, half of them while kswapd is asleep', 'direct_wake', ''
FROM (
	SELECT run, sum(entries) AS entries,
		coalesce(sum(entries) FILTER (WHERE kswapd = 'asleep'), 0) AS asleep
	FROM direct_entry
	GROUP BY run
)
WHERE entries >= 10 AND asleep * 2 >= entries
UNION ALL
SELECT t.run, 75, 'throttle_timeout',
	printf('Waits of %s for %s run into their timeout: nothing wakes them in time.', w.name, t.reason),
	printf('%d of %d waits (%.2f %%) took the whole timeout; %.2f s waited in all.', t.full, t.count,
		t.full_share, t.total / 1e6),
	'10 waits or more for WRITEBACK or, before 5.16, for congestion, a quarter of them at the timeout',
	'throttle_by_reason', 'congestion-wait, reclaim-throttle in its versions'
FROM throttle_by_reason AS t
JOIN who AS w ON w.actor = t.actor
WHERE t.reason NOT IN ('ISOLATED', 'NOPROGRESS', 'CONGESTED') AND t.count >= 10 AND t.full * 4 >= t.count
UNION ALL
SELECT t.run, c.weight, c.key, c.finding,
	printf('%d waits of %s for %s, %.2f s in all.', t.count, w.name, t.reason, t.total / 1e6),
	'10 waits or more for ' || t.reason, 'throttle_by_reason', c.attempt
FROM throttle_by_reason AS t
JOIN who AS w ON w.actor = t.actor
JOIN (
	SELECT 'NOPROGRESS' AS reason, 74 AS weight, 'no_progress' AS key,
		'Reclaim gets nowhere: tasks are held because what was scanned is not freed.' AS finding,
		'reclaim-throttle in its versions' AS attempt
	UNION ALL
	SELECT 'CONGESTED', 73, 'congested',
		'Whole batches are under write-back: tasks are held until kswapd is through.',
		'reclaim-throttle in its versions'
	UNION ALL
	SELECT 'ISOLATED', 66, 'isolated',
		'So many tasks reclaim at once that they wait for each other''s pages.', ''
) AS c ON c.reason = t.reason
WHERE t.count >= 10
UNION ALL
SELECT run, 72, 'memcg_limit', 'Tasks stall at the limit of a memory cgroup.',
	printf('%d stalls of %d task%s take %.2f s in all, the longest %.1f ms.', sum(count), count(*),
		iif(count(*) = 1, '', 's'), sum(total) / 1e9, max(max) / 1e6),
	'10 stalls or more at a limit, of 100 ms in all', 'memcg_stall', 'memcg-async, memcg-wmark'
FROM memcg_stall
GROUP BY run
HAVING sum(count) >= 10 AND sum(total) >= 100000000
UNION ALL
SELECT run, 70, 'long_stalls', 'Tasks wait long for memory.',
	printf('%d stalls of %s reclaim take %.2f s in all; 99 %% end within %.1f ms, the longest takes '
		|| '%.1f ms.', count, actor, total / 1e9, p99 / 1e6, max / 1e6),
	'a longest stall of 100 ms or more', 'stall_by_task', ''
FROM stall_by_actor
WHERE actor <> 'softlimit' AND max >= 100000000
UNION ALL
SELECT run, 68, 'dirty_tail', 'Reclaim meets dirty pages and pages under write-back: writing is behind.',
	printf('Of %d pages taken %d were dirty (%.2f %%) and %d under write-back (%.2f %%).', taken, dirty,
		dirty * 100.0 / taken, writeback, writeback * 100.0 / taken),
	'10000 pages taken or more, a quarter of them dirty or a quarter under write-back', 'page_fate', ''
FROM (
	SELECT run, sum(taken) AS taken, sum(dirty) AS dirty, sum(writeback) AS writeback
	FROM page_fate
	GROUP BY run
)
WHERE taken >= 10000 AND (dirty * 4 >= taken OR writeback * 4 >= taken)
UNION ALL
SELECT e.run, 65, 'inefficient_' || e.actor, w.begin || ' scans in vain.',
	printf('It frees %d of %d pages scanned (%.2f %%).', e.reclaimed, e.scanned, e.efficiency)
		|| coalesce(printf(' Of the pages taken %.2f %% were put back on an active list, %.2f %% '
			|| 'kept for their references.', p.activated * 100.0 / p.taken,
			p.kept * 100.0 / p.taken), ''),
	'10000 pages scanned or more, fewer than half of them freed', 'page_fate', ''
FROM scan_total AS e
JOIN who AS w ON w.actor = e.actor
LEFT JOIN page_fate AS p ON p.run = e.run AND p.actor = e.actor AND p.taken > 0
WHERE e.scanned >= 10000 AND e.efficiency < 50
UNION ALL
SELECT run, 62, 'kswapd_busy', 'kswapd hardly sleeps.',
	printf('That of node %d is at work for %.2f %% of the time.', node, awake_share),
	'90 % of the time of a second or more', 'kswapd_by_node', ''
FROM (
	SELECT k.run, k.node, max(k.awake_share) AS awake_share
	FROM kswapd_by_node AS k
	JOIN span AS p ON p.run = k.run
	WHERE p.elapsed >= 1000000000 AND k.awake_share >= 90
	GROUP BY k.run
)
UNION ALL
SELECT c.run, 60, 'thrashing', 'Pages come back after they were thrown out: the working set does not fit.',
	printf('%d refaults for %d pages reclaimed (%.2f %%).', c.value, e.reclaimed,
		c.value * 100.0 / e.reclaimed),
	'1000 refaults or more, half as many as pages reclaimed', 'refaults', 'mglru, refault-feedback'
FROM counter_sum AS c
JOIN (
	SELECT run, sum(reclaimed) AS reclaimed
	FROM efficiency
	GROUP BY run
) AS e ON e.run = c.run
WHERE c.key = 'refaults' AND c.value >= 1000 AND c.value * 2 >= e.reclaimed AND e.reclaimed > 0
UNION ALL
SELECT h.run, 55, 'huge_fail',
	printf('Requests of order %d fail%s.', h."order", CASE
		WHEN c.fragmented > c.lacking THEN ' for fragmentation, not for lack of free memory'
		WHEN c.lacking > 0 THEN ' for lack of free memory to compact into' ELSE '' END),
	printf('%d of %d got nothing.%s', h.failed, h.asked, CASE WHEN c.run IS NULL THEN ''
		ELSE printf(' Compactions that looked everywhere without success: %d; that had not the '
			|| 'free pages to begin: %d.', c.fragmented, c.lacking) END),
	'5 requests or more of an order above 3, half of them failed', 'huge_requests',
	'compaction, lumpy, costly-bailout'
FROM (
	SELECT run, "order", sum(asked) AS asked, sum(failed) AS failed
	FROM huge_requests
	GROUP BY run, "order"
) AS h
LEFT JOIN compact_outcome AS c ON c.run = h.run
WHERE h.asked >= 5 AND h.failed * 2 >= h.asked
UNION ALL
SELECT run, 50, 'stall_in_' || part, printf('Most of the time of %s stalls goes to %s.', actor, part),
	printf('%.2f %% of %.2f s.', share, total / 1e9), 'half of the time or more, of 100 ms in all',
	'stall_split', CASE part WHEN 'throttling' THEN 'reclaim-throttle in its versions' ELSE '' END
FROM (
	SELECT run, actor, total, 'throttling' AS part, throttled_share AS share FROM stall_split
	UNION ALL
	SELECT run, actor, total, 'compaction', compaction_share FROM stall_split
	UNION ALL
	SELECT run, actor, total, 'slab shrinkers', slab_share FROM stall_split
)
WHERE share >= 50 AND total >= 100000000
UNION ALL
SELECT run, 45, 'file_writes', 'Reclaim itself writes file pages, one by one.',
	printf('%d pages.', file), '1000 pages or more', 'page_writes', ''
FROM page_writes
WHERE file >= 1000;
