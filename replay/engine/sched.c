/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sched.c - simulated time: CPUs, the run queue, sleeping and waking
 *
 * Each CPU has a clock of its own. The scheduler always advances the busy CPU that is furthest
 * behind, and only as far as the next thing that another CPU or a timer could do (the horizon), so
 * every state change is seen in the order of simulated time. Each CPU has a run queue (runqueue.c).
 * An actor that becomes runnable goes to the CPU that it had, unless that is busy and it finds an
 * idle one; who waits may go to another CPU (balance.c).
 */
#include <stdlib.h>

#include "internal.h"

#define THINK_PIECE   250000LL /* thinking is burnt in pieces of at most 0.25 ms */
#define PPM	      INT64_C(1000000)
#define DEADLOCK_TIME (600 * RC_NSEC)
#define INSTANT_TURNS (1u << 26) /* more than any work needs at one instant */

int64_t rc_now(const struct reclaim_engine *e)
{
	return e->cur == RC_NONE ? e->now : e->cpus[e->cur_cpu].now;
}

int64_t reclaim_engine_now(const struct reclaim_engine *engine)
{
	return rc_now(engine);
}

int rc_timer_add(struct reclaim_engine *e, int64_t at, uint32_t kind, uint32_t what, uint32_t gen)
{
	int ret = rc_heap_push(&e->heap, at, kind, what, gen);

	if (ret)
		rc_fatal(e, ENOMEM, "no memory for a timer");
	e->horizon = rc_min(e->horizon, at);
	return ret;
}

/* ---- pauses ---- */

static void next_listed_pause(struct reclaim_engine *e, uint32_t cpu)
{
	struct rc_cpu *c = &e->cpus[cpu];
	const struct reclaim_pauses *p = &e->m.pauses;

	for (; c->pause_list_pos < p->nr_list; c->pause_list_pos++) {
		if (p->list[c->pause_list_pos].cpu != cpu)
			continue;
		c->pause_list_at = p->list[c->pause_list_pos].at;
		c->pause_list_ns = p->list[c->pause_list_pos].ns;
		c->pause_list_pos++;
		return;
	}
	c->pause_list_at = RECLAIM_NO_TIME;
}

static void next_random_pause(struct reclaim_engine *e, struct rc_cpu *c)
{
	const struct reclaim_pauses *p = &e->m.pauses;

	if (!p->mean_gap_ns || !p->nr_quantiles) {
		c->pause_random_at = RECLAIM_NO_TIME;
		return;
	}
	c->pause_random_at += c->pause_random_ns + rc_prng_exp(&e->rng, p->mean_gap_ns) + 1;
	c->pause_random_ns = p->quantiles[rc_prng_below(&e->rng, p->nr_quantiles)];
}

static void choose_pause(struct rc_cpu *c)
{
	if (c->pause_list_at <= c->pause_random_at) {
		c->pause_at = c->pause_list_at;
		c->pause_ns = c->pause_list_ns;
	} else {
		c->pause_at = c->pause_random_at;
		c->pause_ns = c->pause_random_ns;
	}
}

static void next_pause(struct reclaim_engine *e, uint32_t cpu, bool first)
{
	struct rc_cpu *c = &e->cpus[cpu];

	if (first || c->pause_list_at == c->pause_at)
		next_listed_pause(e, cpu);
	else
		next_random_pause(e, c);
	if (first)
		next_random_pause(e, c);
	choose_pause(c);
}

/* Thinking of @ns, of which not all counts towards the next random pause. */
static void spare_thought(const struct reclaim_engine *e, struct rc_cpu *c, int64_t ns)
{
	if (e->m.pauses.think_ppm == PPM || c->pause_random_at == RECLAIM_NO_TIME)
		return;
	c->pause_random_at += ns * (PPM - (int64_t)e->m.pauses.think_ppm) / PPM;
	choose_pause(c);
}
/*
 * An idle CPU loses nothing: gaps between random pauses are CPU time, so an exponential one simply
 * begins again, and a listed pause counts only for what is left of it.
 */
static void skip_pauses(struct reclaim_engine *e, uint32_t cpu)
{
	struct rc_cpu *c = &e->cpus[cpu];

	while (c->pause_at < c->now) {
		if (c->pause_at == c->pause_list_at) {
			c->now = rc_max(c->now, c->pause_at + c->pause_ns);
		} else {
			c->pause_random_at = c->now;
			c->pause_random_ns = 0;
		}
		next_pause(e, cpu, false);
	}
}

/* ---- giving CPUs away ---- */

bool rc_may_run_on(const struct rc_actor *a, uint32_t cpu)
{
	return a->kind != RECLAIM_ACTOR_TASK || a->task.cpu < 0 || (uint32_t)a->task.cpu == cpu;
}

static uint32_t idle_cpu(const struct reclaim_engine *e, const struct rc_actor *a)
{
	uint32_t i;

	for (i = 0; i < e->nr_cpus; i++)
		if (e->cpus[i].running == RC_NONE && rc_may_run_on(a, i))
			return i;
	return RC_NONE;
}

static uint32_t shortest_queue(const struct reclaim_engine *e, const struct rc_actor *a)
{
	uint32_t best = RC_NONE, i;

	for (i = 0; i < e->nr_cpus; i++)
		if (rc_may_run_on(a, i) &&
		    (best == RC_NONE || e->cpus[i].nr_ready < e->cpus[best].nr_ready))
			best = i;
	return best;
}

/* select_task_rq_fair() */
static uint32_t choose_cpu(struct reclaim_engine *e, const struct rc_actor *a)
{
	bool placed = a->cpu < e->nr_cpus && rc_may_run_on(a, a->cpu);
	uint32_t idle;

	if (placed && e->cpus[a->cpu].running == RC_NONE)
		return a->cpu;
	if (placed && !rc_prng_chance(&e->rng, e->m.wake_spread_ppm))
		return a->cpu;
	idle = idle_cpu(e, a);
	if (idle != RC_NONE)
		return idle;
	return placed ? a->cpu : shortest_queue(e, a);
}

void rc_sched_place(struct reclaim_engine *e, uint32_t cpu, struct rc_actor *a, int64_t now)
{
	struct rc_cpu *c = &e->cpus[cpu];

	if (c->running == RC_NONE) {
		c->now = rc_max(c->now, now + e->m.wake_latency_ns);
		skip_pauses(e, cpu);
	} else {
		a->stays = !rc_prng_chance(&e->rng, e->m.idle_pull_ppm);
	}
	rc_rq_wake(e, c, a, now);
	e->horizon = rc_min(e->horizon, c->now);
}

void rc_actor_ready(struct reclaim_engine *e, struct rc_actor *a)
{
	a->timer_gen++;
	a->timer_set = false;
	rc_sched_place(e, choose_cpu(e, a), a, rc_now(e));
}

static void leave_cpu(struct reclaim_engine *e, uint32_t cpu)
{
	struct rc_cpu *c = &e->cpus[cpu];
	struct rc_actor *next;

	rc_rq_sleep(e, c);
	next = rc_rq_next(e, c);
	if (next)
		rc_rq_run(e, c, next);
	else
		rc_balance_idle(e, cpu);
	c->idle_since = c->now;
}

/* ---- what actors do with time ---- */

void rc_yield(struct reclaim_engine *e)
{
	struct rc_cpu *c = rc_this_cpu(e);

	if (c->now >= e->horizon || c->resched || (c->now >= c->tick_at && c->nr_ready))
		rc_co_yield(e);
}

void rc_burn(struct reclaim_engine *e, int64_t ns)
{
	struct rc_cpu *c = rc_this_cpu(e);

	c->now += ns;
	while (c->pause_at <= c->now) {
		c->now += c->pause_ns;
		next_pause(e, e->cur_cpu, false);
	}
	if (e->in_co)
		rc_yield(e);
}

void rc_sleep_until(struct reclaim_engine *e, int64_t at)
{
	struct rc_actor *a = rc_current(e);

	rc_plug_flush(e, a);
	a->state = RC_BLOCKED;
	a->timer_set = true;
	if (rc_timer_add(e, rc_max(at, rc_now(e)), RC_TIMER_WAKE, a->self, a->timer_gen))
		return;
	if (e->in_co)
		rc_co_yield(e);
}

static void waitq_remove(struct reclaim_engine *e, struct rc_waitq *q, struct rc_actor *a)
{
	uint32_t prev = RC_NONE, i;

	for (i = q->head; i != a->self; prev = i, i = e->actors[i].wait_next)
		if (i == RC_NONE)
			return;
	if (prev != RC_NONE)
		e->actors[prev].wait_next = a->wait_next;
	else
		q->head = a->wait_next;
	if (q->tail == a->self)
		q->tail = prev;
	q->nr--;
	a->waiting = NULL;
}

int64_t rc_wait(struct reclaim_engine *e, struct rc_waitq *q, int64_t timeout)
{
	struct rc_actor *a = rc_current(e);
	int64_t until = timeout == RECLAIM_NO_TIME ? RECLAIM_NO_TIME : rc_now(e) + timeout;

	a->wait_next = RC_NONE;
	if (q->nr)
		e->actors[q->tail].wait_next = a->self;
	else
		q->head = a->self;
	q->tail = a->self;
	q->nr++;
	a->waiting = q;
	a->timed_out = false;
	if (until != RECLAIM_NO_TIME) {
		rc_sleep_until(e, until);
	} else {
		rc_plug_flush(e, a);
		a->state = RC_BLOCKED;
		rc_co_yield(e);
	}
	return a->timed_out || until == RECLAIM_NO_TIME ? 0 : rc_max(until - rc_now(e), 1);
}

uint32_t rc_wake_one(struct reclaim_engine *e, struct rc_waitq *q)
{
	struct rc_actor *a;

	if (!q->nr)
		return 0;
	a = &e->actors[q->head];
	q->head = a->wait_next;
	if (!--q->nr)
		q->tail = RC_NONE;
	a->waiting = NULL;
	rc_actor_ready(e, a);
	return 1;
}

void rc_wake_all(struct reclaim_engine *e, struct rc_waitq *q)
{
	while (rc_wake_one(e, q))
		;
}

/* ---- the loop ---- */

static void task_end(struct reclaim_engine *e, struct rc_actor *a)
{
	if (!a->ended)
		e->tasks_left--;
	a->ended = true;
	a->state = RC_ENDED;
}

static void task_fetch(struct reclaim_engine *e, struct rc_actor *a)
{
	const struct reclaim_demand *d = a->killed ? NULL : e->next(e->next_ctx, a->id);

	if (!d) {
		task_end(e, a);
		return;
	}
	if (!rc_demand_check(e, d))
		return;
	a->demand = d;
	a->pos = 0;
	a->io_nr = 0;
	a->io_stop = false;
	a->counted = false;
	a->records++;
	e->vm[RECLAIM_VM_DEMAND_RECORDS]++;
	if (d->think <= 0) {
		a->phase = RC_EXEC;
	} else if (d->flags & RECLAIM_DEMAND_IDLE) {
		a->phase = RC_EXEC;
		rc_sleep_until(e, rc_now(e) + d->think);
	} else {
		a->phase = RC_THINK;
		a->think_left = d->think;
	}
}

static void demand_entry(struct reclaim_engine *e, struct rc_actor *a)
{
	rc_demand_run(e, a);
	rc_demand_used(e, a);
}

static void high_entry(struct reclaim_engine *e, struct rc_actor *a)
{
	rc_memcg_handle_high(e, a);
}

/* Between two records; what a task owes to memory.high is paid here, on return to user space. */
static void task_done(struct rc_actor *a)
{
	a->phase = a->high_pending ? RC_IN_CO : RC_FETCH;
	a->entry = high_entry;
}

static void task_exec(struct reclaim_engine *e, struct rc_actor *a)
{
	a->request_at = rc_now(e);
	if (rc_demand_run(e, a) == RC_AGAIN) {
		a->phase = RC_IN_CO;
		a->entry = demand_entry;
	} else {
		rc_demand_used(e, a);
		task_done(a);
	}
	if (a->demand->op == RECLAIM_OP_EXIT)
		task_end(e, a);
}

static void actor_step(struct reclaim_engine *e, struct rc_actor *a)
{
	int64_t piece;

	switch (a->phase) {
	case RC_FETCH:
		task_fetch(e, a);
		break;
	case RC_THINK:
		piece = rc_min(a->think_left, THINK_PIECE);
		a->think_left -= piece;
		if (!a->think_left)
			a->phase = RC_EXEC;
		spare_thought(e, rc_this_cpu(e), piece);
		rc_burn(e, piece);
		break;
	case RC_EXEC:
		task_exec(e, a);
		break;
	case RC_IN_CO:
		if (rc_co_resume(e, a)) {
			if (a->kind == RECLAIM_ACTOR_TASK)
				task_done(a);
			else
				a->state = RC_ENDED;
		}
		break;
	}
}

static void stands_still(struct reclaim_engine *e, int64_t at)
{
	rc_fatal(e, EDEADLK, "at %lld ns: simulated time stands still", (long long)at);
}

static void cpu_step(struct reclaim_engine *e, uint32_t cpu, int64_t horizon)
{
	struct rc_cpu *c = &e->cpus[cpu];
	struct rc_actor *a = &e->actors[c->running];
	int64_t at = c->now;
	uint32_t turns = 0; /* since the CPU's time last moved */

	e->cur = a->self;
	e->cur_cpu = cpu;
	e->horizon = horizon;
	while (c->now < e->horizon) {
		if (c->now >= c->tick_at) {
			rc_rq_tick(e, c);
			rc_balance_tick(e, cpu);
		}
		if (c->resched) {
			rc_rq_switch(e, c);
			if (c->running != a->self)
				break;
		}
		actor_step(e, a);
		if (a->state != RC_RUNNING) {
			leave_cpu(e, cpu);
			break;
		}
		turns = c->now == at ? turns + 1 : 0;
		at = c->now;
		if (turns > INSTANT_TURNS) {
			stands_still(e, at);
			break;
		}
	}
	e->cur = RC_NONE;
}

/* Does a task think or sleep by its own wish? In its request (RC_IN_CO) it waits for others. */
static bool task_is_busy(const struct rc_actor *a)
{
	return !a->ended && a->phase != RC_IN_CO && (a->state != RC_BLOCKED || a->timer_set);
}

static void check_deadlock(struct reclaim_engine *e)
{
	uint64_t progress = e->vm[RECLAIM_VM_DEMAND_RECORDS] + e->vm[RECLAIM_VM_PGALLOC] +
			    e->vm[RECLAIM_VM_NR_WRITTEN];
	bool busy = progress != e->progress;
	uint32_t i;

	for (i = 0; i < e->nr_tasks && !busy; i++)
		busy = task_is_busy(&e->actors[i]);
	if (busy) {
		e->progress_at = e->now;
		e->progress = progress;
	} else if (e->now - e->progress_at > DEADLOCK_TIME) {
		rc_fatal(e, EDEADLK, "at %lld s: for %lld s no demand got on",
			 (long long)(e->now / RC_NSEC), (long long)(DEADLOCK_TIME / RC_NSEC));
	}
}

/* Simulated time goes to @at; it must move sooner or later. */
static void clock_to(struct reclaim_engine *e, int64_t at)
{
	e->instant = at == e->now ? e->instant + 1 : 0;
	e->now = at;
	if (e->instant > INSTANT_TURNS)
		stands_still(e, at);
}

static bool stopped(const struct reclaim_engine *e)
{
	return e->stop && __atomic_load_n(e->stop, __ATOMIC_RELAXED);
}

static void timer_fire(struct reclaim_engine *e, const struct rc_timer *t)
{
	struct rc_actor *a;

	switch (t->kind) {
	case RC_TIMER_WAKE:
		a = &e->actors[t->what];
		if (a->state != RC_BLOCKED || a->timer_gen != t->gen)
			break;
		a->timed_out = true;
		if (a->waiting)
			waitq_remove(e, a->waiting, a);
		rc_actor_ready(e, a);
		break;
	case RC_TIMER_START:
		rc_actor_ready(e, &e->actors[t->what]);
		break;
	case RC_TIMER_IO:
		rc_io_done(e, t->what);
		break;
	case RC_TIMER_WBT:
		rc_wbt_timer(e, t->what);
		break;
	case RC_TIMER_TICK: {
		struct reclaim_tick tick = { .at = e->now,
					     .counters = e->vm,
					     .managed = e->total_managed };

		if (e->p_tick->ops->tick(e->p_tick->state, &tick)) {
			e->after_setup = true;
			rc_watermarks_apply(e);
		}
		rc_timer_add(e, e->now + e->p_tick->ops->tick_ns, RC_TIMER_TICK, 0, 0);
		break;
	}
	case RC_TIMER_SAMPLE:
		e->sample(e->sample_ctx, e, e->now);
		rc_timer_add(e, e->now + e->sample_ns, RC_TIMER_SAMPLE, 0, 0);
		break;
	case RC_TIMER_VMSTAT:
		rc_pcp_decay(e);
		check_deadlock(e);
		rc_timer_add(e, e->now + RC_NSEC, RC_TIMER_VMSTAT, 0, 0);
		break;
	}
}

/* The busy CPU that is furthest behind, and the clock of the next one. */
static uint32_t slowest_cpu(const struct reclaim_engine *e, int64_t *second)
{
	int64_t first = RECLAIM_NO_TIME;
	uint32_t best = RC_NONE, i;

	*second = RECLAIM_NO_TIME;
	for (i = 0; i < e->nr_cpus; i++) {
		const struct rc_cpu *c = &e->cpus[i];

		if (c->running == RC_NONE)
			continue;
		if (c->now < first) {
			*second = first;
			first = c->now;
			best = i;
		} else if (c->now < *second) {
			*second = c->now;
		}
	}
	return best;
}

int reclaim_engine_run(struct reclaim_engine *e, int64_t until, struct reclaim_error *error)
{
	while (!e->fatal && e->tasks_left) {
		int64_t timer = e->heap.nr ? e->heap.v[0].at : RECLAIM_NO_TIME, second, now;
		uint32_t cpu = slowest_cpu(e, &second);

		now = cpu == RC_NONE ? RECLAIM_NO_TIME : e->cpus[cpu].now;
		if (rc_min(timer, now) > until || (timer == RECLAIM_NO_TIME && cpu == RC_NONE))
			return 0;
		if (stopped(e))
			return rc_fail(error, EINTR, "stopped");
		if (now < timer) {
			clock_to(e, now);
			/* Equal clocks: the other CPU gets its turn a nanosecond later. */
			second = second == RECLAIM_NO_TIME ? second : rc_max(second, now + 1);
			cpu_step(e, cpu, rc_min(second, timer));
		} else {
			struct rc_timer t = rc_heap_pop(&e->heap);

			clock_to(e, t.at);
			timer_fire(e, &t);
		}
	}
	if (e->fatal) {
		if (error)
			*error = e->fatal_error;
		return e->fatal;
	}
	return 1;
}

/* ---- making and unmaking actors ---- */

static struct rc_actor *actor_init(struct reclaim_engine *e, uint32_t self,
				   enum reclaim_actor_kind kind, uint32_t id,
				   void (*entry)(struct reclaim_engine *, struct rc_actor *))
{
	struct rc_actor *a = &e->actors[self];

	a->kind = kind;
	a->id = id;
	a->self = self;
	a->state = RC_BLOCKED;
	a->cpu = RC_NONE;
	a->run_next = RC_NONE;
	a->wait_next = RC_NONE;
	a->plug_head = RC_NONE;
	a->plug_tail = RC_NONE;
	a->entry = entry;
	a->phase = entry ? RC_IN_CO : RC_FETCH;
	a->swapin.prev = RC_NONE;
	a->last_file = RC_NONE;
	a->wait_request = RC_NONE;
	return a;
}

int rc_sched_init(struct reclaim_engine *e, const struct reclaim_config *config)
{
	uint32_t i, n;

	e->nr_cpus = e->m.cpus;
	e->nr_tasks = config->nr_tasks;
	e->nr_actors = config->nr_tasks + 2 * e->m.nodes + 2;
	e->tasks_left = config->nr_tasks;
	e->cur = RC_NONE;
	e->cpus = calloc(e->nr_cpus, sizeof(*e->cpus));
	e->actors = calloc(e->nr_actors, sizeof(*e->actors));
	if (!e->cpus || !e->actors || rc_co_init(e))
		return -ENOMEM;
	for (i = 0; i < e->nr_cpus; i++) {
		e->cpus[i].running = RC_NONE;
		e->cpus[i].run_head = RC_NONE;
		e->cpus[i].run_tail = RC_NONE;
		e->cpus[i].tick_at = RC_NSEC / e->m.hz;
		e->cpus[i].balance_ms = e->nr_cpus;
		next_pause(e, i, true);
	}
	for (i = 0; i < e->nr_tasks; i++) {
		struct rc_actor *a = actor_init(e, i, RECLAIM_ACTOR_TASK, i, NULL);

		a->task = config->tasks[i];
		rc_timer_add(e, a->task.start, RC_TIMER_START, i, 0);
	}
	n = e->nr_tasks;
	for (i = 0; i < e->m.nodes; i++) {
		e->nodes[i].kswapd = n;
		rc_actor_ready(e, actor_init(e, n++, RECLAIM_ACTOR_KSWAPD, i, rc_kswapd_main));
		e->nodes[i].kcompactd = n;
		rc_actor_ready(e,
			       actor_init(e, n++, RECLAIM_ACTOR_KCOMPACTD, i, rc_kcompactd_main));
	}
	e->flusher = n;
	rc_actor_ready(e, actor_init(e, n++, RECLAIM_ACTOR_FLUSHER, 0, rc_flusher_main));
	e->memcg_worker = n;
	rc_actor_ready(e, actor_init(e, n++, RECLAIM_ACTOR_MEMCG_WORKER, 0, rc_memcg_worker_main));
	rc_timer_add(e, RC_NSEC, RC_TIMER_VMSTAT, 0, 0);
	if (e->p_tick)
		rc_timer_add(e, e->p_tick->ops->tick_ns, RC_TIMER_TICK, 0, 0);
	if (e->sample_ns)
		rc_timer_add(e, e->sample_ns, RC_TIMER_SAMPLE, 0, 0);
	return e->fatal ? -ENOMEM : 0;
}

void rc_sched_free(struct reclaim_engine *e)
{
	if (e->main_context)
		rc_co_exit(e);
	free(e->heap.v);
	free(e->actors);
	free(e->cpus);
}
