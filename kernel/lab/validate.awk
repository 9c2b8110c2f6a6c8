# SPDX-License-Identifier: GPL-2.0-or-later
# In: "policy counter p median lowest highest" (predicted) and "policy counter m value..." (measured,
# one a run); out: the table of docs/validation.md. The first policy is the baseline.

{
	if (!first)
		first = $1
	n = NF - 3
	known[$1, $2, $3] = n
	if (!n)
		next
	for (i = 1; i <= n; i++)
		v[i] = $(i + 3)
	if ($3 == "p") {
		median[$1, $2, $3] = v[1]; low[$1, $2, $3] = v[2]; high[$1, $2, $3] = v[3]
		next
	}
	sort_values(n)
	low[$1, $2, $3] = v[1]
	high[$1, $2, $3] = v[n]
	median[$1, $2, $3] = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	if (high[$1, $2, $3] > 0)
		row[++rows] = $1 SUBSEP $2
	else if (known[$1, $2, "p"] && high[$1, $2, "p"] > 0)
		row[++rows] = $1 SUBSEP $2
}

END {
	print "| policy | counter | predicted | measured (runs) | off by | sign of the change |"
	print "|---|---|---|---|---|---|"
	for (r = 1; r <= rows; r++) {
		split(row[r], key, SUBSEP)
		p = key[1]; c = key[2]
		m = median[p, c, "m"]; q = median[p, c, "p"]
		predicted = known[p, c, "p"] ? sprintf("%d [%d..%d]", q, low[p, c, "p"], high[p, c, "p"]) : "none"
		off = !known[p, c, "p"] ? "" : m ? sprintf("%+.1f %%", (q - m) * 100 / m) : "measured 0"
		verdict = ""
		if (p != first && known[p, c, "p"]) {
			s = sign(p, c, "m"); t = sign(p, c, "p")
			verdict = !s ? "ranges meet" : s == t ? "right" : t ? "wrong" : "missed"
		}
		printf "| %s | %s | %s | %d [%d..%d] (%d) | %s | %s |\n", p, c, predicted, m,
			low[p, c, "m"], high[p, c, "m"], known[p, c, "m"], off, verdict
	}
}
