/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hit_quickly.c - gaps that follow the hit-quickly counters
 *
 * The reply to the square-root proposal: kswapd counts how often a watermark is hit again soon
 * after it wanted to sleep. Low hit quickly says that kswapd stopped too early (raise the upper
 * gap), high hit quickly that memory is gone before it can doze (raise the lower gap); quiet lets
 * both shrink.
 */
#include "builtin.h"

struct hit_quickly {
	int64_t wsf, max, step, threshold;
	uint64_t lower, upper; /* per cent of the linear gap */
	uint64_t seen_low, seen_high;
};

static const struct reclaim_policy_param params[] = {
	{ "wsf", "watermark_scale_factor to start from; 0: the machine's", 0, 3000, 0 },
	{ "max", "largest gap, per cent of the linear gap", 100, 5000, 800 },
	{ "step", "change of a gap in one second, per cent of itself", 1, 100, 25 },
	{ "threshold", "hits a second that count as many", 1, 1000, 3 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	struct hit_quickly *s = state;

	s->wsf = values[0];
	s->max = values[1];
	s->step = values[2];
	s->threshold = values[3];
	s->lower = 100;
	s->upper = 100;
	return 0;
}

static void watermarks(void *state, const struct reclaim_wmark_input *in,
		       struct reclaim_wmarks *out)
{
	const struct hit_quickly *s = state;
	uint64_t gap = reclaim_linear_gap(in, s->wsf), room = in->managed / 2;

	out->low = out->min + gap * s->lower / 100;
	if (out->low > room)
		out->low = room > out->min ? room : out->min;
	out->high = out->low + gap * s->upper / 100;
	if (out->high > room)
		out->high = room > out->low ? room : out->low;
	out->promo = out->high + gap;
}

static bool follow(const struct hit_quickly *s, uint64_t *gap, uint64_t hits)
{
	uint64_t before = *gap, change = before * (uint64_t)s->step / 100;

	if (hits >= (uint64_t)s->threshold)
		*gap += change ? change : 1;
	else if (!hits)
		*gap -= change;
	if (*gap < 100)
		*gap = 100;
	if (*gap > (uint64_t)s->max)
		*gap = (uint64_t)s->max;
	return *gap != before;
}

static bool tick(void *state, const struct reclaim_tick *t)
{
	struct hit_quickly *s = state;
	uint64_t low = t->counters[RECLAIM_VM_KSWAPD_LOW_WMARK_HIT_QUICKLY];
	uint64_t high = t->counters[RECLAIM_VM_KSWAPD_HIGH_WMARK_HIT_QUICKLY];
	bool changed;

	changed = follow(s, &s->upper, low - s->seen_low);
	changed |= follow(s, &s->lower, high - s->seen_high);
	s->seen_low = low;
	s->seen_high = high;
	return changed;
}

const struct reclaim_policy_ops reclaim_hit_quickly = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "hit-quickly",
	.source = "linux-mm, 2018: let the gaps follow kswapd_low/high_wmark_hit_quickly",
	.summary = "gaps follow the hit-quickly counters",
	.params = params,
	.nr_params = 4,
	.state_size = sizeof(struct hit_quickly),
	.init = init,
	.watermarks = watermarks,
	.tick_ns = 1000000000,
	.tick = tick,
};
