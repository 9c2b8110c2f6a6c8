-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view loss_total Is the recording whole?
-- @column run - run
-- @column gaps - places with a loss; 0: nothing was lost
-- @column unknown - gaps of unknown size
-- @column count - events lost in the gaps of known size
CREATE VIEW loss_total AS
SELECT p.run, coalesce(sum(l.gaps), 0) AS gaps, coalesce(sum(l.unknown), 0) AS unknown,
	coalesce(sum(l.count), 0) AS count
FROM span AS p
LEFT JOIN losses AS l ON l.run = p.run
GROUP BY p.run;
