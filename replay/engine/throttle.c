/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * throttle.c - where reclaimers stop and wait
 *
 * The policy decides at every point how long to wait and whether something may end the wait early;
 * where a replay's policy leaves that open, the profile names the built-in one of its kernel.
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

	e->p_throttle->ops->throttle(e->p_throttle->state, point, &in, &out);
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
	struct reclaim_throttle t = decide(e, n, sc, RECLAIM_POINT_PASS);

	if (t.wake == RECLAIM_WAKE_ALL)
		rc_wake_all(e, q);
	else if (t.wake == RECLAIM_WAKE_ONE)
		rc_wake_one(e, q);
	if (!sc->kswapd && !sc->target_memcg)
		wait_for(e, n, sc, RECLAIM_POINT_PASS, &t);
}

/* Nobody waits exclusively, so that each wake_up() of these queues wakes all of them. */

void rc_throttle_isolated_done(struct reclaim_engine *e, struct rc_node *n)
{
	rc_wake_all(e, &n->throttle_wait[RECLAIM_THROTTLE_ISOLATED]);
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
		rc_wake_all(e, q);
}
