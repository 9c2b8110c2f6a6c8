-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view oom_kill Whom did the kernel kill for want of memory?
-- From the event mark_victim and from lines of a kernel log. Neither the killed task nor a node is what a
-- focus names: with one on tasks, the kills that these tasks brought about.
-- @column run - run
-- @column ts ns when, on the run's clock
-- @column source - event or log
-- @column comm - name of the victim; NULL: the kernel did not say
-- @column pid - its thread group
-- @column total_vm KiB its address space
-- @column anon_rss KiB its resident anonymous memory
-- @column file_rss KiB its resident file memory
-- @column shmem_rss KiB its resident shared memory
CREATE VIEW oom_kill AS
SELECT k.run, k.ts, k.source, coalesce(y.text, t.comm) AS comm, k.pid, k.total_vm, k.anon_rss,
	k.file_rss, k.shmem_rss
FROM focus AS f
CROSS JOIN (
	SELECT run, ts, task, 'event' AS source, comm, pid, total_vm, anon_rss, file_rss, shmem_rss
	FROM oom_victim
	UNION ALL
	SELECT run, ts, task, 'log', comm, pid, total_vm, anon_rss, file_rss, shmem_rss FROM log_kill
) AS k
LEFT JOIN symbol AS y ON y.symbol = k.comm
LEFT JOIN task AS t ON t.run = k.run AND t.tid = k.pid AND k.comm IS NULL
	AND t.first <= k.ts AND t.last >= k.ts
WHERE k.run = f.run AND k.ts >= f.start AND k.ts < f.end AND (f.task IS NULL OR k.task = f.task);
