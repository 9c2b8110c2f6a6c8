/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * balance.c - who waits for a CPU goes to another (kernel/sched/fair.c)
 *
 * A CPU that runs dry takes from the longest queue, and one that has long been idle is sent what
 * waits elsewhere. A busy CPU compares its queue with the others' now and then (with two CPUs every
 * 28 ms; twice that after it found nothing amiss) and takes one over, if half of the loads'
 * difference from their mean is worth it; when it is less than a whole task's load, only after it
 * has failed to. So three that compute on two CPUs get two thirds of one each in the long run.
 */
#include "internal.h"

#define LOAD	     INT64_C(1024) /* of one actor */
#define BUSY_FACTOR  16
#define FAILURES_MAX 10
#define IDLE_TICKS   2 /* a CPU idle for so long is given what waits elsewhere */

/* A CPU that runs dry takes over who waits in the longest queue of the others. */
void rc_balance_idle(struct reclaim_engine *e, uint32_t cpu)
{
	uint32_t i, longest = cpu;
	struct rc_actor *a;

	for (i = 0; i < e->nr_cpus; i++)
		if (e->cpus[i].nr_ready > e->cpus[longest].nr_ready)
			longest = i;
	if (longest == cpu)
		return;
	a = rc_rq_pull(e, &e->cpus[longest], cpu, false);
	if (a)
		rc_rq_wake(e, &e->cpus[cpu], a, e->cpus[cpu].now);
}

/* A busy CPU's tick sends who waits there to a CPU that has long been idle. */
static void push_from(struct reclaim_engine *e, uint32_t cpu)
{
	const struct rc_cpu *c = &e->cpus[cpu];
	int64_t long_ago = c->now - IDLE_TICKS * RC_NSEC / e->m.hz;
	uint32_t i;

	for (i = 0; i < e->nr_cpus && c->nr_ready; i++) {
		struct rc_actor *a;

		if (e->cpus[i].running != RC_NONE || e->cpus[i].idle_since > long_ago)
			continue;
		a = rc_rq_pull(e, &e->cpus[cpu], i, true);
		if (a)
			rc_sched_place(e, i, a, c->now);
	}
}

/* How many want each CPU, in the mean, in 1024ths. */
static int64_t mean_load(const struct reclaim_engine *e)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < e->nr_cpus; i++)
		sum += LOAD * (e->cpus[i].nr_ready + (e->cpus[i].running != RC_NONE));
	return sum / e->nr_cpus;
}

/* load_balance() of a busy CPU: false when no other has so much more that one should move. */
static bool take_over(struct reclaim_engine *e, uint32_t cpu)
{
	int64_t mean = mean_load(e), own, most, imbalance;
	struct rc_cpu *c = &e->cpus[cpu];
	uint32_t i, busiest = cpu;
	struct rc_actor *a;

	for (i = 0; i < e->nr_cpus; i++)
		if (e->cpus[i].nr_ready > e->cpus[busiest].nr_ready)
			busiest = i;
	own = LOAD * (c->nr_ready + 1);
	most = LOAD * (e->cpus[busiest].nr_ready + 1);
	imbalance = rc_min(most - mean, mean - own);
	if (busiest == cpu || imbalance <= 0) {
		c->balance_failed = 0;
		return false;
	}
	a = LOAD >> c->balance_failed <= imbalance ? rc_rq_pull(e, &e->cpus[busiest], cpu, true)
						   : NULL;
	if (!a) {
		c->balance_failed = rc_min(c->balance_failed + 1, FAILURES_MAX);
		return true;
	}
	c->balance_failed = 0;
	rc_rq_wake(e, c, a, c->now);
	return true;
}

/* rebalance_domains() */
static void rebalance(struct reclaim_engine *e, uint32_t cpu)
{
	int64_t tick = RC_NSEC / e->m.hz, wait;
	struct rc_cpu *c = &e->cpus[cpu];

	if (c->now < c->balance_at)
		return;
	if (take_over(e, cpu))
		c->balance_ms = e->nr_cpus;
	else if (c->balance_ms < 2 * e->nr_cpus)
		c->balance_ms *= 2;
	wait = BUSY_FACTOR * c->balance_ms * 1000000LL / tick - 1;
	wait = rc_max(rc_min(wait, (int64_t)e->m.hz * e->nr_cpus / 10), 1);
	c->balance_at = c->now + wait * tick;
}

void rc_balance_tick(struct reclaim_engine *e, uint32_t cpu)
{
	if (e->cpus[cpu].nr_ready)
		push_from(e, cpu);
	if (e->nr_cpus > 1)
		rebalance(e, cpu);
}
