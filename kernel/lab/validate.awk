# SPDX-License-Identifier: GPL-2.0-or-later
# In: "policy counter p median lowest highest..." (predicted, three words a recording) and "policy
# counter m value..." (measured, one a run); out: the table of docs/validation.md and what it comes to.
# The first policy is the baseline. A handful says nothing: rows with less are left out.

BEGIN {
	LEAST = 10
}

# Sets median[], low[] and high[] of a predicted row: the median of the recordings' medians, and the
# lowest and the highest of all.
function predicted_row(key, n,    i, count) {
	low[key] = v[2]
	high[key] = v[3]
	for (i = 1; i + 2 <= n; i += 3) {
		if (v[i + 1] < low[key])
			low[key] = v[i + 1]
		if (v[i + 2] > high[key])
			high[key] = v[i + 2]
		v[++count] = v[i]
	}
	sort_values(count)
	median[key] = middle_value(count)
}

{
	if (!first)
		first = $1
	n = NF - 3
	key = $1 SUBSEP $2 SUBSEP $3
	known[key] = n
	if (!n)
		next
	for (i = 1; i <= n; i++)
		v[i] = $(i + 3) + 0
	if ($3 == "p") {
		predicted_row(key, n)
		next
	}
	sort_values(n)
	low[key] = v[1]
	high[key] = v[n]
	median[key] = middle_value(n)
	if (high[key] >= LEAST || (known[$1, $2, "p"] && high[$1, $2, "p"] >= LEAST))
		row[++rows] = $1 SUBSEP $2
}

END {
	print "| policy | counter | predicted | measured (runs) | off by | sign of the change |"
	print "|---|---|---|---|---|---|"
	for (r = 1; r <= rows; r++) {
		split(row[r], name, SUBSEP)
		p = name[1]; c = name[2]
		m = median[p, c, "m"]; q = median[p, c, "p"]
		predicted = known[p, c, "p"] ? sprintf("%d [%d..%d]", q, low[p, c, "p"], high[p, c, "p"]) : "none"
		off = !known[p, c, "p"] ? "" : m ? sprintf("%+.1f %%", (q - m) * 100 / m) : "measured 0"
		if (known[p, c, "p"] && m) {
			compared++
			near += q >= m * 0.75 && q <= m * 1.25
		}
		verdict = ""
		if (p != first && known[p, c, "p"]) {
			s = sign(p, c, "m"); t = sign(p, c, "p")
			verdict = !s ? "ranges meet" : s == t ? "right" : t ? "wrong" : "missed"
			verdicts[verdict]++
		}
		printf "| %s | %s | %s | %d [%d..%d] (%d) | %s | %s |\n", p, c, predicted, m,
			low[p, c, "m"], high[p, c, "m"], known[p, c, "m"], off, verdict
	}
	printf "\nWhere measured ranges separate, signs: %d right, %d missed, %d wrong. Medians within 25 %%: %d of %d.\n",
		verdicts["right"], verdicts["missed"], verdicts["wrong"], near, compared
}
