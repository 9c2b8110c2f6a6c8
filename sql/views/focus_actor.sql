-- SPDX-License-Identifier: GPL-2.0-or-later
-- @view focus_actor Of kswapd and of the tasks that reclaim directly, which can the focus show?
-- Both, where it is not on tasks. What it takes out has no figures: a zero would look like one.
-- @column run - run
-- @column actor - kswapd or direct
CREATE VIEW focus_actor AS
SELECT DISTINCT f.run, a.column1 AS actor
FROM focus AS f
CROSS JOIN (VALUES ('kswapd'), ('direct')) AS a
LEFT JOIN task AS t ON t.task = f.task
WHERE f.task IS NULL OR (t.kind = 'kswapd') = (a.column1 = 'kswapd');
