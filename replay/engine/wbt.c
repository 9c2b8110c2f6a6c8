/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * wbt.c - holding back who writes (block/blk-wbt.c, block/blk-rq-qos.c)
 *
 * Buffered writes need a token from their class to become a request: what kswapd writes is one
 * class, everything else another (since 6.8 swap and everything else). At first a class has 16
 * tokens at most, a task's writes half of them, and a quarter while somebody reads. Every 100 ms in
 * which the device wrote the limit is looked at: it grows up to three quarters of the queue while
 * only writes go on or reads are quick, and falls when the quickest read took longer than the
 * target. On a device with a write cache who waits is woken only once nothing of the class is under
 * way any more, unless a writer was paused at the dirty limits within the last second. So writers
 * go on in bursts.
 */
#include "internal.h"

#define DEFAULT_DEPTH	16
#define WINDOW		(RC_NSEC / 10)
#define RECENT_READ	(RC_NSEC / 10)
#define RECENT_PAUSE	RC_NSEC
#define TARGET_ROTATING (75 * RC_NSEC / 1000)
#define TARGET_SOLID	(2 * RC_NSEC / 1000)
#define MIN_WRITES	3
#define UNKNOWN_WINDOWS 5
#define DEPTH_SHIFT_MAX 31
#define NO_LIMIT	UINT32_MAX

enum latency { LATENCY_OK, LATENCY_UNKNOWN, LATENCY_ONLY_WRITES, LATENCY_EXCEEDED };

static bool enabled(const struct reclaim_engine *e, const struct rc_device *d)
{
	return e->prof.wbt != RC_WBT_NONE && d->desc.throttle_writes;
}

/* Of one of its queues, which is what the kernel goes by. */
static uint32_t queue_depth(const struct rc_device *d)
{
	if (!d->desc.queue_depth)
		return NO_LIMIT / 4;
	return rc_max(d->desc.queue_depth / rc_max(d->desc.hw_queues, 1), 1);
}

/* rq_depth_calc_max_depth(): true when more is not to be had. */
static bool set_depth(struct rc_device *d)
{
	struct rc_wbt *w = &d->wbt;
	uint64_t depth = rc_min(DEFAULT_DEPTH, queue_depth(d)), most = 3ULL * queue_depth(d) / 4;
	bool at_most = false;

	if (queue_depth(d) == 1) {
		at_most = w->step <= 0;
		depth = at_most ? 2 : 1;
	} else if (w->step > 0) {
		depth = 1 + ((depth - 1) >> rc_min(w->step, DEPTH_SHIFT_MAX));
	} else if (w->step < 0) {
		depth = 1 + ((depth - 1) << rc_min(-w->step, DEPTH_SHIFT_MAX));
		at_most = depth > most;
		depth = rc_min(depth, most);
	}
	w->max_depth = (uint32_t)depth;
	w->normal = depth <= 2 ? w->max_depth : (w->max_depth + 1) / 2;
	w->background = depth <= 2 ? 1 : (w->max_depth + 3) / 4;
	return at_most;
}

void rc_wbt_init(struct rc_device *d)
{
	d->wbt.read_at = -RC_NSEC;
	d->wbt.paused_at = -2 * RC_NSEC;
	d->wbt.window_ns = WINDOW;
	d->wbt.first_read = RC_NONE;
	d->wbt.read_min = INT64_MAX;
	set_depth(d);
}

static bool recent_pause(const struct rc_wbt *w, int64_t now)
{
	return now < w->paused_at + RECENT_PAUSE;
}

/* get_limit() */
static uint32_t limit_of(const struct rc_wbt *w, enum rc_write_kind kind, int64_t now)
{
	if (kind == RC_WRITE_FIRST || recent_pause(w, now))
		return w->max_depth;
	if (kind == RC_WRITE_BACKGROUND || now < w->read_at + RECENT_READ)
		return w->background;
	return w->normal;
}

static bool take_token(struct rc_wbt *w, uint32_t class, enum rc_write_kind kind, int64_t now)
{
	if (w->in_flight[class] >= limit_of(w, kind, now))
		return false;
	w->in_flight[class]++;
	return true;
}

static void wake(struct reclaim_engine *e, struct rc_wbt *w, uint32_t class)
{
	struct rc_waitq *q = &w->wait[class];

	while (q->nr && take_token(w, class, e->actors[q->head].write_kind, rc_now(e)))
		rc_wake_one(e, q);
}

static void start_window(struct reclaim_engine *e, struct rc_device *d)
{
	struct rc_wbt *w = &d->wbt;

	w->window_ns = WINDOW;
	if (w->step > 0)
		w->window_ns = (WINDOW << 4) / (int64_t)rc_isqrt((uint64_t)(w->step + 1) << 8);
	w->reads = 0;
	w->writes = 0;
	w->read_min = INT64_MAX;
	w->armed = true;
	rc_timer_add(e, rc_now(e) + w->window_ns, RC_TIMER_WBT, (uint32_t)(d - e->devices), 0);
}

uint8_t rc_wbt_wait(struct reclaim_engine *e, struct rc_device *d, bool swap,
		    enum rc_write_kind kind)
{
	struct rc_actor *a = rc_current(e);
	bool apart = e->prof.wbt == RC_WBT_SWAP ? swap : a->kind == RECLAIM_ACTOR_KSWAPD;
	uint32_t class = apart ? 1 : 0;

	if (!enabled(e, d))
		return RC_WBT_UNTRACKED;
	a->write_kind = apart ? RC_WRITE_FIRST : kind;
	if (d->wbt.wait[class].nr || !take_token(&d->wbt, class, a->write_kind, rc_now(e))) {
		if (e->in_co)
			rc_wait(e, &d->wbt.wait[class], RECLAIM_NO_TIME);
		else
			d->wbt.in_flight[class]++;
	}
	if (!d->wbt.armed)
		start_window(e, d);
	return (uint8_t) class;
}

void rc_wbt_paused(struct reclaim_engine *e, struct rc_device *d)
{
	d->wbt.paused_at = rc_now(e);
}

void rc_wbt_issue(struct reclaim_engine *e, struct rc_device *d, uint32_t request)
{
	struct rc_wbt *w = &d->wbt;

	if (e->requests[request].write)
		return;
	w->read_at = rc_now(e);
	if (w->first_read != RC_NONE)
		return;
	w->first_read = request;
	w->first_read_at = rc_now(e);
}

/* wbt_rqw_done() */
static void give_back(struct reclaim_engine *e, struct rc_wbt *w, bool cache, uint32_t class)
{
	uint32_t limit = cache && !recent_pause(w, rc_now(e)) ? 0 : w->normal, left;

	left = --w->in_flight[class];
	if (left && left >= limit)
		return;
	if (!left || limit - left >= w->background / 2)
		wake(e, w, class);
}

void rc_wbt_done(struct reclaim_engine *e, struct rc_device *d, uint32_t request)
{
	const struct rc_request *r = &e->requests[request];
	struct rc_wbt *w = &d->wbt;

	if (!enabled(e, d))
		return;
	if (r->write) {
		w->writes++;
		if (r->wbt_class != RC_WBT_UNTRACKED)
			give_back(e, w, d->desc.write_cache, r->wbt_class);
		return;
	}
	w->reads++;
	w->read_min = rc_min(w->read_min, e->now - r->issued);
	w->read_at = e->now;
	if (w->first_read == request)
		w->first_read = RC_NONE;
}

/* latency_exceeded() */
static enum latency latency_of(const struct rc_device *d, int64_t now)
{
	int64_t target = d->desc.rotational ? TARGET_ROTATING : TARGET_SOLID, waits = 0;
	const struct rc_wbt *w = &d->wbt;

	if (w->first_read != RC_NONE)
		waits = now - w->first_read_at;
	if (waits > w->window_ns || (waits > target && !w->reads))
		return LATENCY_EXCEEDED;
	if (!w->reads || w->writes < MIN_WRITES)
		return w->writes || recent_pause(w, now) || w->in_flight[0] || w->in_flight[1]
			       ? LATENCY_ONLY_WRITES
			       : LATENCY_UNKNOWN;
	return w->read_min > target ? LATENCY_EXCEEDED : LATENCY_OK;
}

static void scale_up(struct reclaim_engine *e, struct rc_device *d)
{
	struct rc_wbt *w = &d->wbt;

	if (w->at_most)
		return;
	w->step--;
	w->at_most = set_depth(d);
	w->unknown = 0;
	for (uint32_t i = 0; i < RC_WBT_CLASSES; i++)
		wake(e, w, i);
}

static void scale_down(struct rc_device *d, bool hard)
{
	struct rc_wbt *w = &d->wbt;

	if (w->max_depth == 1)
		return;
	w->step = w->step < 0 && hard ? 0 : w->step + 1;
	w->at_most = false;
	set_depth(d);
	w->unknown = 0;
}

/* wb_timer_fn() */
void rc_wbt_timer(struct reclaim_engine *e, uint32_t device)
{
	struct rc_device *d = &e->devices[device];
	struct rc_wbt *w = &d->wbt;

	switch (latency_of(d, e->now)) {
	case LATENCY_EXCEEDED:
		scale_down(d, true);
		break;
	case LATENCY_OK:
	case LATENCY_ONLY_WRITES:
		scale_up(e, d);
		break;
	case LATENCY_UNKNOWN:
		if (++w->unknown < UNKNOWN_WINDOWS)
			break;
		if (w->step > 0)
			scale_up(e, d);
		else if (w->step < 0)
			scale_down(d, false);
		break;
	}
	w->armed = false;
	if (w->step || w->in_flight[0] || w->in_flight[1])
		start_window(e, d);
}
