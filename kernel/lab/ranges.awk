# SPDX-License-Identifier: GPL-2.0-or-later
# What the tables of differential and validate share: v[1..n] in order, its median, and the sign of a
# policy's difference to the first, from low[policy, counter, side] and high[].

function sort_values(n,    i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
			t = v[j]; v[j] = v[j - 1]; v[j - 1] = t
		}
}

function middle_value(n) {
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

# 1 above the first policy's range, -1 below, 0 where the ranges meet.
function sign(policy, counter, side) {
	if (low[policy, counter, side] > high[first, counter, side])
		return 1
	if (high[policy, counter, side] < low[first, counter, side])
		return -1
	return 0
}
