-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view zone_state Which zone is below which mark, and what fails at which order?
-- From every snapshot that shows free pages and watermarks: /proc/zoneinfo, or a report in a kernel log, of
-- zones that manage pages. Free
-- blocks come from the same snapshot or from one with the same label. The test is the page allocator's
-- (__zone_watermark_ok): an allocation that may not use CMA nor reserves, and that a higher zone could serve
-- as well, needs free - free_cma - (2^order - 1) above min + lowmem_reserve, and a block of its order.
-- @column run - run
-- @column snapshot - snapshot
-- @column ts ns time of it; NULL: not known
-- @column label - its label
-- @column node - node
-- @column zone - zone
-- @column free pages free pages
-- @column cma pages free pages that only movable allocations get
-- @column min pages min watermark
-- @column low pages low watermark
-- @column high pages high watermark
-- @column reserve pages lowmem_reserve against allocations for the highest zone
-- @column below - the lowest mark that free is not above; NULL: above all
-- @column largest_order - largest order with a free block; NULL: blocks are not known
-- @column fails_from - lowest order that fails; NULL: none up to 10 is known to fail
-- @column why - why it fails
-- @column words - all of it in words
CREATE VIEW zone_state AS
WITH zone AS MATERIALIZED (
	SELECT x.run, x.snapshot, s.ts, s.label, c.scope,
		CAST(substr(c.scope, 6) AS INTEGER) AS node,
		substr(c.scope, instr(c.scope, ' zone ') + 6) AS zone,
		max(x.value) FILTER (WHERE c.name = 'free') AS free,
		coalesce(max(x.value) FILTER (WHERE c.name = 'nr_free_cma'), 0) AS cma,
		max(x.value) FILTER (WHERE c.name = 'min') AS min,
		max(x.value) FILTER (WHERE c.name = 'low') AS low,
		max(x.value) FILTER (WHERE c.name = 'high') AS high,
		coalesce(max(x.value) FILTER (WHERE c.name LIKE 'protection %'), 0) AS reserve
	FROM counter AS c
	JOIN sample AS x ON x.counter = c.counter
	JOIN snapshot AS s ON s.snapshot = x.snapshot
	WHERE c.source = 'zoneinfo' AND c.scope LIKE 'node % zone %' AND c.scope NOT LIKE '% cpu %'
		AND (c.name IN ('free', 'nr_free_cma', 'min', 'low', 'high', 'managed') OR c.name LIKE 'protection %')
	GROUP BY x.run, x.snapshot, c.scope
	HAVING free IS NOT NULL AND min IS NOT NULL AND high > 0
		AND coalesce(max(x.value) FILTER (WHERE c.name = 'managed'), 1) > 0
),
block AS MATERIALIZED (
	SELECT x.run, x.snapshot, s.label, c.scope,
		max(CASE WHEN x.value > 0 THEN CAST(substr(c.name, 7) AS INTEGER) END) AS largest
	FROM counter AS c
	JOIN sample AS x ON x.counter = c.counter
	JOIN snapshot AS s ON s.snapshot = x.snapshot
	WHERE c.source = 'buddyinfo' AND c.name LIKE 'order %'
	GROUP BY x.run, x.snapshot, c.scope
),
known AS MATERIALIZED (
	SELECT z.*,
		(
			SELECT coalesce(b.largest, -1)
			FROM block AS b
			WHERE b.run = z.run AND b.scope = z.scope
				AND (b.snapshot = z.snapshot OR (b.label = z.label AND z.label <> ''))
			LIMIT 1
		) AS largest
	FROM zone AS z
),
orders(k) AS (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)),
failing AS MATERIALIZED (
	SELECT z.*,
		(
			SELECT min(o.k)
			FROM orders AS o
			WHERE z.free - z.cma - ((1 << o.k) - 1) <= z.min + z.reserve OR z.largest < o.k
		) AS k
	FROM known AS z
),
told AS (
	SELECT *,
		CASE
			WHEN k IS NULL THEN NULL
			WHEN free - cma - ((1 << k) - 1) <= min + reserve THEN
				printf('%d free', free) || iif(cma > 0, printf(' - %d CMA', cma), '') ||
				iif(k > 0, printf(' - %d', (1 << k) - 1), '') || printf(' <= min %d', min) ||
				iif(reserve > 0, printf(' + %d', reserve), '')
			ELSE printf('no block of order %d or more', k)
		END AS why,
		CASE WHEN free <= min THEN 'min' WHEN free <= low THEN 'low' WHEN free <= high THEN 'high' END AS below
	FROM failing
)
SELECT run, snapshot, ts, label, node, zone, free, cma, min, low, high, reserve, below,
	nullif(largest, -1) AS largest_order, k AS fails_from, why,
	CASE below
		WHEN 'min' THEN printf('%d pages below min', min - free)
		WHEN 'low' THEN printf('%d pages below low', low - free)
		WHEN 'high' THEN printf('%d pages below high', high - free)
		ELSE 'above high'
	END || iif(k IS NULL, '', printf('; order %d fails: %s', k, why)) AS words
FROM told;
