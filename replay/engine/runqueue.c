/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * runqueue.c - who has a CPU, and for how long: the kernel's fair scheduler in small
 *
 * Each CPU has a queue of its own. An actor's virtual time is the time that it had its CPU, the
 * time that the CPU itself was paused included (a guest cannot tell them apart); all weigh the
 * same. Two generations of rules (kernel/sched/fair.c):
 *
 *	to 6.5	the least virtual time runs next. A sleeper comes back at most half a latency behind
 *		the others, and takes the CPU at once when it is a wake-up granularity behind who
 *		has it. The timer's tick takes the CPU away after the slice, a latency shared by all
 *		who want it (check_preempt_tick(), check_preempt_wakeup())
 *	6.6	of those who had no more than their share (the mean virtual time) the earliest
 *		deadline runs next, a deadline being a slice behind where the actor was put. Who is
 *		put on the CPU keeps it for a slice; then the tick, or any change of the queue, may
 *		take it. What a sleeper had too little of it finds again (pick_eevdf(),
 *		place_entity(), update_deadline())
 */
#include "internal.h"

#define BASE_SLICE	 750000LL /* for one CPU; 1 + log2 times that for more */
#define MAX_SLICE_CPUS	 8
#define LATENCY_SLICES	 8 /* 6 ms */
#define WAKEUP_NUM	 4 /* 1 ms */
#define WAKEUP_DEN	 3
#define LAG_LIMIT_SLICES 2

static int64_t base_slice(const struct reclaim_engine *e)
{
	uint64_t cpus = rc_min(e->nr_cpus, MAX_SLICE_CPUS);

	return e->m.timeslice_ns ? e->m.timeslice_ns : BASE_SLICE * rc_fls64(cpus);
}

static int64_t tick_ns(const struct reclaim_engine *e)
{
	return RC_NSEC / e->m.hz;
}

static struct rc_actor *running(const struct reclaim_engine *e, const struct rc_cpu *c)
{
	return c->running == RC_NONE ? NULL : &e->actors[c->running];
}

/* The mean virtual time of all who have or want the CPU, above the queue's base. */
static int64_t mean_above(const struct reclaim_engine *e, const struct rc_cpu *c)
{
	const struct rc_actor *a = running(e, c);
	int64_t sum = a ? a->vruntime - c->min_vruntime : 0;
	int64_t nr = a ? 1 : 0;
	uint32_t i;

	for (i = c->run_head; i != RC_NONE; i = e->actors[i].run_next, nr++)
		sum += e->actors[i].vruntime - c->min_vruntime;
	return nr ? sum / nr : 0;
}

static void raise_base(const struct reclaim_engine *e, struct rc_cpu *c)
{
	const struct rc_actor *a = running(e, c);
	int64_t least = a ? a->vruntime : INT64_MAX;
	uint32_t i;

	for (i = c->run_head; i != RC_NONE; i = e->actors[i].run_next)
		least = rc_min(least, e->actors[i].vruntime);
	if (least != INT64_MAX)
		c->min_vruntime = rc_max(c->min_vruntime, least);
}

/* update_curr(): true when the running actor's slice is over. */
static bool charge(struct reclaim_engine *e, struct rc_cpu *c)
{
	struct rc_actor *a = running(e, c);
	bool over = false;

	if (!a)
		return false;
	a->vruntime += rc_max(c->now - c->charged, 0);
	c->charged = rc_max(c->charged, c->now);
	if (e->prof.eevdf && a->vruntime >= a->deadline) {
		a->deadline = a->vruntime + base_slice(e);
		c->keeps = false;
		over = true;
	}
	raise_base(e, c);
	return over;
}

/* place_entity(), and what the dequeue left behind in @a. */
static void place_eevdf(const struct reclaim_engine *e, const struct rc_cpu *c, struct rc_actor *a,
			int64_t now)
{
	int64_t lag = a->lag, nr = (int64_t)c->nr_ready + (c->running != RC_NONE);

	/* Who had too much stays queued until it has paid, or is forgiven. */
	if (lag < 0)
		lag = rc_min(lag + rc_max(now - a->slept_at, 0), 0);
	if (nr)
		lag += lag / nr;
	a->vruntime = c->min_vruntime + mean_above(e, c) - lag;
	a->deadline = a->vruntime + base_slice(e);
}

static void place_cfs(const struct reclaim_engine *e, const struct rc_cpu *c, struct rc_actor *a)
{
	int64_t least = c->min_vruntime - LATENCY_SLICES * base_slice(e) / 2;

	/* Virtual times of two queues compare by their bases. */
	if (a->cpu < e->nr_cpus)
		a->vruntime += c->min_vruntime - e->cpus[a->cpu].min_vruntime;
	else
		a->vruntime = c->min_vruntime;
	a->vruntime = rc_max(a->vruntime, least);
}

static void queue_tail(struct reclaim_engine *e, struct rc_cpu *c, struct rc_actor *a)
{
	a->state = RC_READY;
	a->run_next = RC_NONE;
	if (c->run_tail != RC_NONE)
		e->actors[c->run_tail].run_next = a->self;
	else
		c->run_head = a->self;
	c->run_tail = a->self;
	c->nr_ready++;
}

static void queue_del(struct reclaim_engine *e, struct rc_cpu *c, const struct rc_actor *a)
{
	uint32_t prev = RC_NONE, i;

	for (i = c->run_head; i != a->self; i = e->actors[i].run_next)
		prev = i;
	if (prev != RC_NONE)
		e->actors[prev].run_next = a->run_next;
	else
		c->run_head = a->run_next;
	if (c->run_tail == a->self)
		c->run_tail = prev;
	c->nr_ready--;
}

static bool eligible(const struct rc_cpu *c, const struct rc_actor *a, int64_t mean)
{
	return a->vruntime - c->min_vruntime <= mean;
}

static bool before(const struct reclaim_engine *e, const struct rc_actor *a,
		   const struct rc_actor *b)
{
	return e->prof.eevdf ? a->deadline < b->deadline : a->vruntime < b->vruntime;
}

/* Whose turn it is among those that wait and, with @current, who has the CPU. */
static struct rc_actor *best(struct reclaim_engine *e, struct rc_cpu *c, bool current)
{
	struct rc_actor *a = current ? running(e, c) : NULL, *least = NULL;
	int64_t mean = e->prof.eevdf ? mean_above(e, c) : 0;
	uint32_t i;

	if (a && e->prof.eevdf && !eligible(c, a, mean))
		a = NULL;
	if (a && e->prof.eevdf && c->keeps)
		return a;
	for (i = c->run_head; i != RC_NONE; i = e->actors[i].run_next) {
		struct rc_actor *b = &e->actors[i];

		if (!least || b->vruntime < least->vruntime)
			least = b;
		if (e->prof.eevdf && !eligible(c, b, mean))
			continue;
		if (!a || before(e, b, a))
			a = b;
	}
	if (a)
		return a;
	return least || !current ? least : running(e, c);
}

void rc_rq_run(struct reclaim_engine *e, struct rc_cpu *c, struct rc_actor *a)
{
	c->running = a->self;
	c->picked = c->now;
	c->charged = c->now;
	c->keeps = true;
	c->resched = false;
	a->state = RC_RUNNING;
	a->cpu = (uint32_t)(c - e->cpus);
}

void rc_rq_wake(struct reclaim_engine *e, struct rc_cpu *c, struct rc_actor *a, int64_t now)
{
	const struct rc_actor *has;
	bool over = charge(e, c);

	if (over && c->nr_ready)
		c->resched = true;
	if (e->prof.eevdf)
		place_eevdf(e, c, a, now);
	else
		place_cfs(e, c, a);
	a->cpu = (uint32_t)(c - e->cpus);
	has = running(e, c);
	if (!has) {
		rc_rq_run(e, c, a);
		return;
	}
	queue_tail(e, c, a);
	if (e->prof.eevdf)
		c->resched |= best(e, c, true) == a;
	else
		c->resched |= has->vruntime - a->vruntime > base_slice(e) * WAKEUP_NUM / WAKEUP_DEN;
}

/* update_entity_lag(): what it had too little of goes with who leaves the queue. */
static void leave(const struct reclaim_engine *e, const struct rc_cpu *c, struct rc_actor *a)
{
	int64_t limit = rc_max(LAG_LIMIT_SLICES * base_slice(e), tick_ns(e));

	a->lag = c->min_vruntime + mean_above(e, c) - a->vruntime;
	a->lag = rc_max(rc_min(a->lag, limit), -limit);
	a->slept_at = c->now;
}

void rc_rq_sleep(struct reclaim_engine *e, struct rc_cpu *c)
{
	charge(e, c);
	leave(e, c, running(e, c));
	c->running = RC_NONE;
	raise_base(e, c);
}

struct rc_actor *rc_rq_next(struct reclaim_engine *e, struct rc_cpu *c)
{
	struct rc_actor *a = best(e, c, false);

	if (a)
		queue_del(e, c, a);
	return a;
}

void rc_rq_switch(struct reclaim_engine *e, struct rc_cpu *c)
{
	struct rc_actor *has = running(e, c), *next;

	charge(e, c);
	c->resched = false;
	next = best(e, c, true);
	if (next == has)
		return;
	queue_del(e, c, next);
	queue_tail(e, c, has);
	rc_rq_run(e, c, next);
}

/* check_preempt_tick(): has the running actor had its slice, or is another far behind? */
static bool slice_over(const struct reclaim_engine *e, const struct rc_cpu *c)
{
	int64_t least = INT64_MAX, nr = (int64_t)c->nr_ready + 1, had = c->now - c->picked;
	int64_t slice = rc_max(LATENCY_SLICES * base_slice(e) / nr, base_slice(e));
	uint32_t i;

	if (had > slice)
		return true;
	if (had < base_slice(e))
		return false;
	for (i = c->run_head; i != RC_NONE; i = e->actors[i].run_next)
		least = rc_min(least, e->actors[i].vruntime);
	return running(e, c)->vruntime - least > slice;
}

void rc_rq_tick(struct reclaim_engine *e, struct rc_cpu *c)
{
	int64_t tick = tick_ns(e);
	bool over = charge(e, c);

	c->tick_at = (c->now / tick + 1) * tick;
	if (!c->nr_ready)
		return;
	if (e->prof.eevdf ? over : slice_over(e, c))
		c->resched = true;
}

struct rc_actor *rc_rq_pull(struct reclaim_engine *e, struct rc_cpu *from, uint32_t cpu, bool all)
{
	uint32_t i;

	for (i = from->run_head; i != RC_NONE; i = e->actors[i].run_next) {
		struct rc_actor *a = &e->actors[i];

		if ((!all && a->stays) || !rc_may_run_on(a, cpu))
			continue;
		leave(e, from, a);
		queue_del(e, from, a);
		return a;
	}
	return NULL;
}
