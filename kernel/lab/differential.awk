# SPDX-License-Identifier: GPL-2.0-or-later
# Lines "policy counter side value...", side counters (kernel) or model, in; the table out.
# A difference to the first policy counts where the ranges do not meet.

function word(s) {
	return s > 0 ? "more" : s < 0 ? "less" : "same"
}

{
	n = NF - 3
	for (i = 1; i <= n; i++)
		v[i] = $(i + 3)
	sort_values(n)
	low[$1, $2, $3] = v[1]
	high[$1, $2, $3] = v[n]
	median[$1, $2, $3] = middle_value(n)
	if (!first)
		first = $1
	if ($3 == "model")
		row[++rows] = $1 SUBSEP $2
}

END {
	print "| policy | counter | kernel | model | model against kernel | against " first ": kernel, model |"
	print "|---|---|---|---|---|---|"
	for (r = 1; r <= rows; r++) {
		split(row[r], key, SUBSEP)
		p = key[1]; c = key[2]
		k = median[p, c, "counters"]; m = median[p, c, "model"]
		if (!high[p, c, "counters"] && !high[p, c, "model"])
			continue
		against = k ? sprintf("%+.1f %%", (m - k) * 100 / k) : "no kernel figure"
		s = sign(p, c, "counters"); t = sign(p, c, "model")
		verdict = p == first ? "" : word(s) ", " word(t) (s && s != t ? " (wrong)" : "")
		printf "| %s | %s | %d [%d..%d] | %d [%d..%d] | %s | %s |\n", p, c, k,
			low[p, c, "counters"], high[p, c, "counters"], m, low[p, c, "model"],
			high[p, c, "model"], against, verdict
	}
}
