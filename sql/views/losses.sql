-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view losses What was lost, and where?
-- Gaps whose place is not known count as inside the window. Lines of a text that are no events and time that
-- goes back in it are no gaps; the view findings tells of them.
-- @column run - run
-- @column cpu - CPU; NULL: not known
-- @column kind - overrun, missed, dropped, unparsed, damaged
-- @column gaps - places with a loss
-- @column unknown - gaps of unknown size
-- @column count - events lost in the gaps of known size
CREATE VIEW losses AS
SELECT l.run, l.cpu, l.kind, count(*) AS gaps, count(*) FILTER (WHERE l.count IS NULL) AS unknown,
	coalesce(sum(l.count), 0) AS count
FROM span AS p
JOIN loss AS l ON l.run = p.run
WHERE l.kind NOT IN ('unread', 'disorder', 'overwritten')
	AND (l.ts IS NULL OR (l.ts >= p.start AND l.ts <= p.end))
GROUP BY l.run, l.cpu, l.kind;
