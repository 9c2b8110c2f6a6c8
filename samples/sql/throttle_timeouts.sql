-- SPDX-License-Identifier: GPL-2.0-or-later
-- Is the timeout too short? The share of waits that nothing ended before it.
SELECT reason, actor, count, full, round(full_share, 2) AS full_share, total / 1000 AS total_ms
FROM throttle_by_reason
ORDER BY full_share DESC;
