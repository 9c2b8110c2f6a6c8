# SPDX-License-Identifier: GPL-2.0-or-later
# The file "cost" of the scenario preset-cost: what recording adds to the time of the work, from the
# difference of each recorded measurement to the unrecorded one of its half round. Median, and the
# interval that holds the median of such differences with a probability of at least 95 %: a pair of
# order statistics, by the binomial distribution (the sign test turned round), whatever the shape of the scatter.

/recorded/ {
	split($2, part, ".")
	events[part[1]] += $3
	lost += $4
	runs[part[1]]++
	next
}

$1 > 0 {
	if (count[$1, $2]++ == 0)
		rounds = $1
	ns[$1, $2, count[$1, $2]] = $3
	stolen += $5
	idle += $4
	measured++
}

function sort_values(n,    i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
			t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
		}
}

# The largest k for which fewer than k of n fall below the median with a probability of 2.5 % or less.
function rank(n,    k, term, sum) {
	term = 0.5 ^ n
	for (k = 0; sum + term <= 0.025; k++) {
		sum += term
		term *= (n - k) / (k + 1)
	}
	return k
}

function row(how,    r, h, n, k, middle) {
	n = 0
	for (r = 1; r <= rounds; r++)
		for (h = 1; h <= 2; h++)
			v[++n] = (ns[r, how, h] / ns[r, "plain", h] - 1) * 100
	sort_values(n)
	k = rank(n)
	middle = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	if (k < 1)
		printf "%-8s %6.2f %%  of %d pairs, too few for an interval\n", how, middle, n
	else
		printf "%-8s %6.2f %%  [%.2f .. %.2f]  of %d pairs; %d events a run\n", how, middle, \
			v[k], v[n + 1 - k], n, events[how] / runs[how]
}

END {
	if (!rounds || idle > measured)
		exit 1
	printf "%d measurements, %d pages reclaimed in each, %d events lost\n", measured, \
		stolen / measured, lost
	row("events")
	row("samples")
}
