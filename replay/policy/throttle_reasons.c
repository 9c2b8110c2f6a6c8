/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* throttle_reasons.c - the waits that all versions of reclaim_throttle() have */
#include "throttle_reasons.h"

int throttle_reasons_init(void *state, const int64_t *values, struct reclaim_error *error)
{
	struct throttle_reasons *s = state;

	s->writeback_us = values[0];
	s->isolated_us = values[1];
	s->noprogress_us = values[2];
	s->congested_us = values[3];
	s->early = values[4];
	return 0;
}

/* A timeout in ns; one tick where it is negative. */
static int64_t timeout_ns(int64_t us, uint32_t hz)
{
	return us < 0 ? 1000000000 / hz : us * 1000;
}

/* The end of a pass: wake who waits for progress, or wait for it (consider_reclaim_throttle()). */
static void pass(const struct throttle_version *v, const struct throttle_reasons *s,
		 const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	if (in->reclaimed > (v->any_progress ? 0 : in->scanned >> 3))
		out->wake = RECLAIM_WAKE_ALL;
	else if (!in->reclaimed && in->priority >= v->lowest && in->priority <= v->highest)
		out->timeout_ns = timeout_ns(s->noprogress_us, in->hz);
}

/* skip_throttle_noprogress() */
static bool pointless(const struct reclaim_throttle_input *in)
{
	return in->hopeless || 2 * in->write_pending <= in->reclaimable;
}

void throttle_reasons_decide(const struct throttle_version *version,
			     const struct throttle_reasons *s, enum reclaim_throttle_point point,
			     const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	out->wake_early = s->early;
	switch (point) {
	case RECLAIM_POINT_ISOLATED:
		out->timeout_ns = timeout_ns(s->isolated_us, in->hz);
		return;
	case RECLAIM_POINT_IMMEDIATE:
		out->timeout_ns = timeout_ns(s->writeback_us, in->hz);
		return;
	case RECLAIM_POINT_CONGESTED:
		out->timeout_ns = timeout_ns(s->congested_us, in->hz);
		if (version->congested_full)
			out->wake_early = false;
		break;
	case RECLAIM_POINT_PASS:
		pass(version, s, in, out);
		break;
	default:
		return;
	}
	if (version->spares && pointless(in))
		out->timeout_ns = 0;
}
