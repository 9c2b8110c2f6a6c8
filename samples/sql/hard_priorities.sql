-- SPDX-License-Identifier: GPL-2.0-or-later
-- How hard does reclaim have to try, and what does it get for it?
SELECT actor, priority, scanned, reclaimed, round(efficiency, 2) AS efficiency
FROM by_priority
WHERE priority IS NOT NULL
ORDER BY actor, priority DESC;
