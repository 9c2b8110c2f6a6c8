-- SPDX-License-Identifier: GPL-2.0-or-later
-- Does kswapd run for long once it is awake? Its cycles by length, in powers of two of a millisecond.
SELECT CASE WHEN awake < 1000000 THEN '< 1 ms'
		ELSE '>= ' || (1 << CAST(log2(awake / 1000000) AS INTEGER)) || ' ms' END AS length,
	count(*) AS cycles, sum(reclaimed) AS reclaimed, round(sum(awake) / 1e9, 2) AS seconds
FROM kswapd_cycles
GROUP BY length
ORDER BY min(awake);
