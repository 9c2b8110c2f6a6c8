-- SPDX-License-Identifier: GPL-2.0-or-later
-- How many requests for large blocks were met, by order?
SELECT "order", sum(asked) AS asked, sum(got) AS got,
	round(sum(got) * 100.0 / sum(asked), 2) AS success
FROM huge_requests
GROUP BY "order"
ORDER BY "order" DESC;
