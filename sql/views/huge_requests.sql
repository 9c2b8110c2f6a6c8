-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view huge_requests How many requests for large contiguous blocks were met?
-- Allocations of an order above 3, which the kernel calls costly. A request that fails is recorded with no
-- page.
-- @column run - run
-- @column order - order of the request
-- @column comm - name of the asking task; NULL: never seen
-- @column gfp - allocation flags by name
-- @column asked - requests
-- @column got - requests that got a block
-- @column failed - requests that got none
-- @column success % got * 100 / asked
CREATE VIEW huge_requests AS
SELECT h.run, h."order", t.comm, gfp_flags(h.gfp) AS gfp, sum(h.asked) AS asked,
	sum(h.got) AS got, sum(h.asked) - sum(h.got) AS failed,
	sum(h.got) * 100.0 / sum(h.asked) AS success
FROM (
	SELECT a.run, a."order", a.task, a.gfp, count(*) AS asked,
		count(*) FILTER (WHERE a.pfn IS NOT -1) AS got
	FROM focus AS f
	CROSS JOIN page_alloc AS a
	WHERE a.run = f.run AND a.ts >= f.start AND a.ts < f.end AND a."order" >= 4
		AND (f.task IS NULL OR a.task = f.task)
	GROUP BY a.run, a."order", a.task, a.gfp
) AS h
LEFT JOIN task AS t ON t.task = h.task
GROUP BY h.run, h."order", t.comm, h.gfp;
