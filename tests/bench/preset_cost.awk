# SPDX-License-Identifier: GPL-2.0-or-later
# The file "cost" of the scenario preset-cost: what recording adds to the processor time of each load,
# in two ways. Measured: the difference of each recorded run to the unrecorded one of its half round;
# median, and the interval that holds the median of such differences with a probability of at least
# 95 %, a pair of order statistics by the binomial distribution (the sign test turned round), whatever
# the shape of the scatter. Computed: the events of a run times what one costs in the same guest.

$1 == "price" {
	if (++price_runs[$2] > 2) { # until then it warms up
		price_ns[$2] += $3
		price_events[$2] += $4
		priced[$2]++
	}
	next
}

$1 == "instance" {
	if ($3 > slab)
		slab = $3
	next
}

$3 == "recorded" {
	events[$1] += $4
	lost += $5
	recordings[$1]++
	next
}

$2 > 0 {
	if (!seen[$1]++)
		load[++loads] = $1
	if ($2 > rounds)
		rounds = $2
	ns[$1, $2, $3, ++count[$1, $2, $3]] = $4
	pages[$1] += $5
	runs[$1]++
	if ($3 == "plain") {
		plain[$1] += $4
		plains[$1]++
	}
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

function row(name, one,    r, h, n, k, middle, work) {
	for (r = 1; r <= rounds; r++)
		for (h = 1; h <= 2; h++)
			if (((name, r, "plain", h) in ns) && ((name, r, "capture", h) in ns))
				v[++n] = (ns[name, r, "capture", h] / ns[name, r, "plain", h] - 1) * 100
	sort_values(n)
	k = rank(n)
	middle = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	work = plain[name] / plains[name]
	printf "%-8s %8d %8d %8d %8d %7.2f %%  ", name, n, pages[name] / runs[name],
		work / (pages[name] / runs[name]), events[name] / recordings[name],
		events[name] / recordings[name] * one / work * 100
	if (k < 1)
		printf "%7.2f %%\n", middle
	else
		printf "%7.2f %% [%.2f .. %.2f]\n", middle, v[k], v[n + 1 - k]
}

END {
	if (!rounds || !priced[1] || !priced[0])
		exit 1
	one = (price_ns[1] / priced[1] - price_ns[0] / priced[0]) / (price_events[1] / priced[1])
	printf "an event costs %.0f ns; an instance takes %d KiB of slab; %d events lost\n", one, slab, lost
	printf "%-8s %8s %8s %8s %8s %9s  %9s\n", "load", "pairs", "pages", "ns/page", "events",
		"computed", "measured"
	for (i = 1; i <= loads; i++)
		row(load[i], one)
}
