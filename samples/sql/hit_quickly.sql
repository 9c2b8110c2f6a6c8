-- SPDX-License-Identifier: GPL-2.0-or-later
-- Are the watermarks hit again at once after kswapd went to sleep? The feedback that watermark tuning uses.
SELECT name, delta
FROM counter_delta
WHERE name IN ('pageoutrun', 'kswapd_low_wmark_hit_quickly', 'kswapd_high_wmark_hit_quickly')
ORDER BY name;
