/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle.c - where reclaimers stop and wait
 *
 * Three generations of rules in the profiles: congestion_wait() and its relatives (to 5.15),
 * reclaim_throttle() as first merged (5.16-rc1), and as it was mended before 5.16. A policy may
 * replace the decision at any point; then its timeout counts, and whether something may end the
 * wait early.
 */
#include "internal.h"

static enum reclaim_throttle_reason point_reason(enum reclaim_throttle_point point)
{
	switch (point) {
	case RECLAIM_POINT_ISOLATED:
		return RECLAIM_THROTTLE_ISOLATED;
	case RECLAIM_POINT_IMMEDIATE:
		return RECLAIM_THROTTLE_WRITEBACK;
	case RECLAIM_POINT_CONGESTED:
		return RECLAIM_THROTTLE_CONGESTED;
	default:
		return RECLAIM_THROTTLE_NOPROGRESS;
	}
}

/* skip_throttle_noprogress() */
static bool little_pending(const struct reclaim_throttle_input *in)
{
	return in->hopeless || 2 * in->write_pending <= in->reclaimable;
}

static void rule_516(const struct reclaim_engine *e, enum reclaim_throttle_point point,
		     const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	int64_t jiffy = RC_NSEC / in->hz;

	out->wake_early = true;
	switch (point) {
	case RECLAIM_POINT_ISOLATED:
		out->timeout_ns = RC_NSEC / 50;
		break;
	case RECLAIM_POINT_IMMEDIATE:
		out->timeout_ns = RC_NSEC / 10;
		break;
	case RECLAIM_POINT_CONGESTED:
		out->timeout_ns = little_pending(in) ? 0 : jiffy;
		out->wake_early = false;
		break;
	case RECLAIM_POINT_PASS:
		if (in->priority == 1 && !in->reclaimed && in->actor == RECLAIM_ACTOR_TASK)
			out->timeout_ns = little_pending(in) ? 0 : jiffy;
		break;
	default:
		break;
	}
}

static void rule_516rc1(const struct reclaim_throttle_input *in, enum reclaim_throttle_point point,
			struct reclaim_throttle *out)
{
	out->wake_early = true;
	switch (point) {
	case RECLAIM_POINT_ISOLATED:
		out->timeout_ns = RC_NSEC / 50;
		break;
	case RECLAIM_POINT_IMMEDIATE:
	case RECLAIM_POINT_CONGESTED:
		out->timeout_ns = RC_NSEC / 10;
		break;
	case RECLAIM_POINT_PASS:
		if (in->priority < RC_DEF_PRIORITY - 2 && !in->reclaimed &&
		    in->actor == RECLAIM_ACTOR_TASK)
			out->timeout_ns = RC_NSEC / 2;
		break;
	default:
		break;
	}
}

static void rule_congestion(const struct reclaim_engine *e, enum reclaim_throttle_point point,
			    const struct reclaim_throttle_input *in, struct reclaim_throttle *out)
{
	out->wake_early = false;
	switch (point) {
	case RECLAIM_POINT_ISOLATED:
	case RECLAIM_POINT_IMMEDIATE:
		out->timeout_ns = RC_NSEC / 10;
		break;
	case RECLAIM_POINT_ALLOCATOR:
		out->timeout_ns = 2 * in->write_pending > in->reclaimable ? RC_NSEC / 10 : 0;
		break;
	default:
		/* wait_iff_congested(): today's block layer never marks a device congested. */
		break;
	}
}

static struct reclaim_throttle decide(struct reclaim_engine *e, struct rc_node *n,
				      struct rc_scan *sc, enum reclaim_throttle_point point)
{
	struct reclaim_throttle out = { 0, false, RECLAIM_WAKE_NONE };
	struct reclaim_throttle_input in = {
		.reason = point_reason(point),
		.actor = rc_current(e)->kind,
		.node = n->id,
		.hz = e->m.hz,
		.priority = sc->priority,
		.scanned = sc->nr_scanned,
		.reclaimed = sc->nr_reclaimed,
		.write_pending = rc_node_write_pending(e, n),
		.reclaimable = rc_node_reclaimable(e, n),
		.hopeless = n->kswapd_failures >= RC_MAX_RETRIES,
	};

	if (e->p_throttle) {
		e->p_throttle->ops->throttle(e->p_throttle->state, point, &in, &out);
		return out;
	}
	switch (e->prof.throttle) {
	case RC_RT_516:
		rule_516(e, point, &in, &out);
		break;
	case RC_RT_516RC1:
		rule_516rc1(&in, point, &out);
		break;
	default:
		rule_congestion(e, point, &in, &out);
		break;
	}
	return out;
}

static void wait_for(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		     enum reclaim_throttle_point point, const struct reclaim_throttle *t)
{
	enum reclaim_throttle_reason reason = point_reason(point);
	struct rc_waitq *q = &n->throttle_wait[reason];
	int64_t began = rc_now(e), jiffy = RC_NSEC / e->m.hz, until;
	struct reclaim_event ev;

	if (t->timeout_ns <= 0)
		return;
	if (reason == RECLAIM_THROTTLE_WRITEBACK && !q->nr)
		n->written_at_throttle = n->throttled_written;
	/* A timeout of n jiffies ends with a tick. */
	until = (began + t->timeout_ns + jiffy - 1) / jiffy * jiffy;
	if (t->wake_early)
		rc_wait(e, q, until - began);
	else
		rc_sleep_until(e, until);
	ev = rc_event(e, RECLAIM_EV_THROTTLED);
	ev.nid = (uint8_t)n->id;
	ev.reason = (uint8_t)reason;
	ev.priority = sc->priority;
	ev.u.throttle.usec_timeout = (uint32_t)(t->timeout_ns / 1000);
	/* The kernel measures in jiffies. */
	ev.u.throttle.usec_delayed = (uint32_t)((rc_now(e) / jiffy - began / jiffy) * jiffy / 1000);
	rc_emit(e, &ev);
}

void rc_throttle(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		 enum reclaim_throttle_point point)
{
	struct reclaim_throttle t = decide(e, n, sc, point);

	wait_for(e, n, sc, point, &t);
}

/* consider_reclaim_throttle() */
void rc_throttle_progress(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	struct rc_waitq *q = &n->throttle_wait[RECLAIM_THROTTLE_NOPROGRESS];
	bool progress = sc->nr_reclaimed > sc->nr_scanned >> 3;
	struct reclaim_throttle t;

	if (!e->p_throttle && progress) {
		rc_wake_one(e, q);
		return;
	}
	if (sc->kswapd || sc->target_memcg)
		return;
	t = decide(e, n, sc, RECLAIM_POINT_PASS);
	if (t.wake == RECLAIM_WAKE_ALL)
		rc_wake_all(e, q);
	else if (t.wake == RECLAIM_WAKE_ONE)
		rc_wake_one(e, q);
	wait_for(e, n, sc, RECLAIM_POINT_PASS, &t);
}

void rc_throttle_isolated_done(struct reclaim_engine *e, struct rc_node *n)
{
	rc_wake_one(e, &n->throttle_wait[RECLAIM_THROTTLE_ISOLATED]);
}

/* __acct_reclaim_writeback() */
void rc_throttle_written(struct reclaim_engine *e, struct rc_node *n)
{
	struct rc_waitq *q = &n->throttle_wait[RECLAIM_THROTTLE_WRITEBACK];

	if (!q->nr)
		return;
	n->throttled_written++;
	rc_count(e, RECLAIM_VM_NR_THROTTLED_WRITTEN, 1);
	if (n->throttled_written - n->written_at_throttle > (uint64_t)RC_BATCH * q->nr)
		rc_wake_one(e, q);
}
