-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view stall_histogram How many stalls are how long?
-- Complete outermost episodes, without the soft limit reclaim of kswapd. The classes double: from 1 ns on,
-- each begins where the one before ends.
-- @column run - run
-- @column actor - kind of reclaim
-- @column class - number of the class; it begins at 2 to that power, in ns
-- @column shortest ns begin of the class, inclusive
-- @column longest ns end of the class, exclusive
-- @column count - stalls in it
CREATE VIEW stall_histogram AS
SELECT run, actor, class, 1 << class AS shortest, 2 << class AS longest, sum(count) AS count
FROM stall_map
GROUP BY run, actor, class;
