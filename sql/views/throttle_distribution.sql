-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view throttle_distribution How long exactly does each reason hold each reclaimer?
-- One row a measured delay: the table that throttling patches are argued with.
-- @column run - run
-- @column reason - why
-- @column actor - who waits
-- @column timeout us longest wait allowed
-- @column delayed us wait as the kernel measured it
-- @column outcome - full, early or zero, see throttle_wait
-- @column count - waits of this length
CREATE VIEW throttle_distribution AS
SELECT run, reason, actor, timeout, delayed, outcome, count(*) AS count
FROM throttle_wait
GROUP BY run, reason, actor, timeout, delayed;
