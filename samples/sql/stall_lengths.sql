-- SPDX-License-Identifier: GPL-2.0-or-later
-- How are the stalls of direct reclaim distributed, in powers of two of a microsecond?
SELECT e.value ->> 'from' AS from_us, e.value ->> 'to' AS to_us, e.value ->> 'count' AS stalls
FROM (SELECT histogram(dur / 1000) AS h FROM stall WHERE actor = 'direct') AS s,
	json_each(s.h) AS e;
