-- SPDX-License-Identifier: GPL-2.0-or-later
-- Whose allocations wake kswapd, and of which order?
SELECT comm, "order", sum(requests) AS requests, sum(cycles) AS cycles
FROM wakers
GROUP BY comm, "order"
ORDER BY cycles DESC
LIMIT 10;
