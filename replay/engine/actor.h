/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * actor.h - who acts: tasks and kernel threads, CPUs and their run queues, waiting
 */
#ifndef RECLAIM_ACTOR_H
#define RECLAIM_ACTOR_H

#include "page.h"

struct rc_waitq {
	uint32_t head, tail; /* actors */
	uint32_t nr;
};

/* How urgent a write is to who holds writers back. */
enum rc_write_kind { RC_WRITE_NORMAL, RC_WRITE_BACKGROUND, RC_WRITE_FIRST };

enum rc_state { RC_READY, RC_RUNNING, RC_BLOCKED, RC_ENDED };
enum rc_phase { RC_FETCH, RC_THINK, RC_EXEC, RC_IN_CO };

struct rc_co;

/* What the window of swap-in's readahead follows. */
struct rc_swapin {
	uint32_t prev, win, hits;
};

struct rc_actor {
	enum reclaim_actor_kind kind;
	uint32_t id;   /* task number or node */
	uint32_t self; /* index into engine->actors */
	enum rc_state state;
	enum rc_phase phase;
	uint32_t cpu;
	uint32_t run_next;		 /* run queue */
	int64_t vruntime;		 /* on the clock of the queue of @cpu */
	int64_t deadline, lag, slept_at; /* since 6.6 */
	bool stays;			 /* while it waits no idle CPU takes it over */
	uint32_t wait_next;		 /* wait queue */
	struct rc_waitq *waiting;
	uint32_t timer_gen;
	bool timer_set;
	bool timed_out;
	struct rc_co *co;
	void (*entry)(struct reclaim_engine *e, struct rc_actor *a);
	/* tasks */
	struct reclaim_task_desc task;
	const struct reclaim_demand *demand;
	int64_t think_left;
	uint32_t pos; /* how far a record of several pages has come */
	uint32_t io_first, io_nr;
	bool io_stop;
	bool counted;  /* the request under way is in the counters */
	bool memalloc; /* PF_MEMALLOC: reclaims already */
	bool killed, ended;
	bool oom_reserves; /* a victim that may use reserves */
	int64_t stall_ns, io_ns, dirty_ns;
	uint64_t records, stalls, rss;
	int64_t request_at; /* when the request under way began */
	uint32_t dirtied, dirty_pause_at;
	int64_t dirty_paused_at;		/* end of the last pause, 0: none yet */
	uint64_t high_pending;			/* pages charged while over memory.high */
	struct rc_swapin swapin;		/* readahead by address */
	uint32_t plug_head, plug_tail, plug_nr; /* its requests that are not issued yet */
	enum rc_write_kind write_kind;		/* of the write that it waits with */
	uint32_t last_file, last_index;
	uint32_t wait_request;
};

struct rc_lru_batch {
	uint32_t pages[RC_LRU_BATCH_MAX];
	uint32_t nr;
};

#define RC_SLOT_CACHE 64 /* SWAP_SLOTS_CACHE_SIZE */

struct rc_slot_cache {
	uint32_t slots[RC_SLOT_CACHE];
	uint32_t nr, taken;
	uint32_t cluster, next; /* solid devices */
};

struct rc_cpu {
	int64_t now;
	uint32_t running;		       /* actor, RC_NONE: idle */
	uint32_t run_head, run_tail, nr_ready; /* who waits for this CPU */
	int64_t min_vruntime;
	int64_t picked, charged; /* when the running actor was put on, and up to where it paid */
	int64_t tick_at;
	int64_t idle_since;
	int64_t balance_at;	 /* when it next compares its queue with others */
	uint32_t balance_ms;	 /* how long until then, before it is known to be busy */
	uint32_t balance_failed; /* times in a row that it found none to take */
	bool keeps;		 /* the running actor is within its first slice */
	bool resched;		 /* another should have the CPU */
	int64_t pause_at, pause_ns;
	size_t pause_list_pos;
	int64_t pause_list_at, pause_list_ns;
	int64_t pause_random_at, pause_random_ns;
	struct rc_lru_batch add, activate;
	struct rc_slot_cache slots;
	uint16_t stock_memcg;
	uint32_t stock;
};

/* ---- runqueue.c ---- */

/* Who has the CPU from now on. */
void rc_rq_run(struct reclaim_engine *e, struct rc_cpu *c, struct rc_actor *a);
/* @a wants CPU @c: it gets it if it is idle, else waits, and may have it taken from who has it. */
void rc_rq_wake(struct reclaim_engine *e, struct rc_cpu *c, struct rc_actor *a, int64_t now);
/* The running actor leaves the CPU and the queue. */
void rc_rq_sleep(struct reclaim_engine *e, struct rc_cpu *c);
/* Take the best who waits out of the queue of an idle CPU; NULL when none does. */
struct rc_actor *rc_rq_next(struct reclaim_engine *e, struct rc_cpu *c);
/* The best of the running actor and those who wait gets the CPU. */
void rc_rq_switch(struct reclaim_engine *e, struct rc_cpu *c);
void rc_rq_tick(struct reclaim_engine *e, struct rc_cpu *c);
/*
 * Take who waits on @from and may run on CPU @cpu out of the queue; only with @all also one that
 * stays. NULL when there is none.
 */
struct rc_actor *rc_rq_pull(struct reclaim_engine *e, struct rc_cpu *from, uint32_t cpu, bool all);

/* ---- balance.c ---- */

/* CPU @cpu ran dry: it takes over who waits elsewhere. */
void rc_balance_idle(struct reclaim_engine *e, uint32_t cpu);
/* The timer's tick of a busy CPU: who waits may change places. */
void rc_balance_tick(struct reclaim_engine *e, uint32_t cpu);

/* ---- sched.c, coroutine.c ---- */

bool rc_may_run_on(const struct rc_actor *a, uint32_t cpu);

void rc_burn(struct reclaim_engine *e, int64_t ns);
/* Only on a coroutine: let time pass. Returns the ns that were left of the wait. */
void rc_sleep_until(struct reclaim_engine *e, int64_t at);
int64_t rc_wait(struct reclaim_engine *e, struct rc_waitq *q, int64_t timeout);
uint32_t rc_wake_one(struct reclaim_engine *e, struct rc_waitq *q);
void rc_wake_all(struct reclaim_engine *e, struct rc_waitq *q);
/* @a becomes runnable at @now on CPU @cpu. */
void rc_sched_place(struct reclaim_engine *e, uint32_t cpu, struct rc_actor *a, int64_t now);
int rc_sched_init(struct reclaim_engine *e, const struct reclaim_config *config);
void rc_sched_free(struct reclaim_engine *e);
void rc_actor_ready(struct reclaim_engine *e, struct rc_actor *a);
void rc_yield(struct reclaim_engine *e);
int64_t rc_now(const struct reclaim_engine *e);
int rc_timer_add(struct reclaim_engine *e, int64_t at, uint32_t kind, uint32_t what, uint32_t gen);

/* Run @a->entry on a coroutine until it yields; true when it has returned. */
bool rc_co_resume(struct reclaim_engine *e, struct rc_actor *a);
void rc_co_yield(struct reclaim_engine *e);
void rc_co_release(struct reclaim_engine *e, struct rc_actor *a);
int rc_co_init(struct reclaim_engine *e);
void rc_co_exit(struct reclaim_engine *e);

#endif
