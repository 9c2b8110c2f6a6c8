/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * refault_feedback.c - gaps that weigh pages read back against stalls
 *
 * The author of the square-root proposal named the signals: refaults say that too much is reclaimed
 * (shrink the gaps), time lost in direct reclaim that too little is (grow them).
 */
#include "builtin.h"

struct refault_feedback {
	int64_t wsf, max, step, refaults, stalls;
	uint64_t gap; /* per cent of the linear gap */
	uint64_t seen_refaults, seen_stalls, seen_steal;
};

static const struct reclaim_policy_param params[] = {
	{ "wsf", "watermark_scale_factor to start from; 0: the machine's", 0, 3000, 0 },
	{ "max", "largest gap, per cent of the linear gap", 100, 5000, 800 },
	{ "step", "change in one second, per cent", 1, 100, 25 },
	{ "refaults", "refaults that count as many, per cent of the pages stolen", 1, 100, 50 },
	{ "stalls", "direct reclaims a second that count as many", 1, 100000, 5 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	struct refault_feedback *s = state;

	s->wsf = values[0];
	s->max = values[1];
	s->step = values[2];
	s->refaults = values[3];
	s->stalls = values[4];
	s->gap = 100;
	return 0;
}

static void watermarks(void *state, const struct reclaim_wmark_input *in,
		       struct reclaim_wmarks *out)
{
	const struct refault_feedback *s = state;
	uint64_t linear = reclaim_linear_gap(in, s->wsf), gap = linear * s->gap / 100;

	if (gap > in->managed / 4)
		gap = in->managed / 4 > linear ? in->managed / 4 : linear;
	out->low = out->min + gap;
	out->high = out->low + gap;
	out->promo = out->high + gap;
}

static bool tick(void *state, const struct reclaim_tick *t)
{
	struct refault_feedback *s = state;
	const uint64_t *c = t->counters;
	uint64_t refaults =
		c[RECLAIM_VM_WORKINGSET_REFAULT_ANON] + c[RECLAIM_VM_WORKINGSET_REFAULT_FILE];
	uint64_t steal = c[RECLAIM_VM_PGSTEAL_KSWAPD] + c[RECLAIM_VM_PGSTEAL_DIRECT];
	uint64_t stalls = c[RECLAIM_VM_ALLOCSTALL], before = s->gap,
		 change = s->gap * (uint64_t)s->step / 100;

	if (stalls - s->seen_stalls >= (uint64_t)s->stalls)
		s->gap += change ? change : 1;
	else if ((refaults - s->seen_refaults) * 100 >
		 (steal - s->seen_steal) * (uint64_t)s->refaults)
		s->gap -= change;
	if (s->gap < 100)
		s->gap = 100;
	if (s->gap > (uint64_t)s->max)
		s->gap = (uint64_t)s->max;
	s->seen_refaults = refaults;
	s->seen_steal = steal;
	s->seen_stalls = stalls;
	return s->gap != before;
}

const struct reclaim_policy_ops reclaim_refault_feedback = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "refault-feedback",
	.source = "linux-mm, 2018: refaults and direct reclaim as signals for the gaps",
	.summary = "gaps grow with stalls and shrink with refaults",
	.params = params,
	.nr_params = 5,
	.state_size = sizeof(struct refault_feedback),
	.init = init,
	.watermarks = watermarks,
	.tick_ns = 1000000000,
	.tick = tick,
};
