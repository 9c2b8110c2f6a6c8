-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view loss_series When was something lost, second by second?
-- A gap counts in the second of the event behind it. Gaps whose place is not known have no row here; the
-- view losses has them.
-- @column run - run
-- @column second s from the start of the window
-- @column gaps - places with a loss
-- @column unknown - gaps of unknown size
-- @column count - events lost in the gaps of known size
CREATE VIEW loss_series AS
SELECT l.run, (l.ts - p.start) / 1000000000 AS second, count(*) AS gaps,
	count(*) FILTER (WHERE l.count IS NULL) AS unknown, coalesce(sum(l.count), 0) AS count
FROM span AS p
JOIN loss AS l ON l.run = p.run
WHERE l.ts >= p.start AND l.ts <= p.end
GROUP BY 1, 2;
