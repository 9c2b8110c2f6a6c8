/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.c - when a task had its CPU, when it wanted it, and when it slept
 *
 * Where the scheduler's events are recorded they tell it. Else a task that comes back may have
 * waited for its CPU while others showed there: that is taken for a wait, too. Neither is thinking
 * of the task's own. What happens inside reclaim, compaction or a pause at the dirty limits is part
 * of that stall.
 */
#include <errno.h>

#include "capture/base/array.h"
#include "capture/vocabulary/vocabulary.h"
#include "replay/workload/extract_private.h"

#define MAX_CPUS     4096
#define STATE_SLEEPS 0xff /* bits of prev_state; without any of them the task is runnable */
#define STATE_DEEP   0x2  /* D */

static bool in_stall(const struct task *task, uint64_t since)
{
	const struct losses *stalls = &task->stalls;

	return task->depth || task->compacting || task->kswapd ||
	       (stalls->nr && stalls->v[stalls->nr - 1].end > since);
}

/* @task wanted its CPU for @ns until @end. */
static int queued(struct extract *x, struct task *task, uint64_t end, uint64_t ns)
{
	if (!ns || in_stall(task, end - 1))
		return 0;
	if (extract_inside(x, end))
		x->counts.queued_ns += ns;
	return extract_loss(&task->stalls, end, ns);
}

static struct processor *processor_of(struct extract *x, int32_t cpu)
{
	if (rl_array_room(&x->processors, &x->room_processors, (size_t)cpu, sizeof(*x->processors)))
		return NULL;
	return &x->processors[cpu];
}

static void leaves(struct task *task, const struct event *ev)
{
	int64_t state = event_value(ev, sched_switch_prev_state, 0);

	task->off_at = ev->ts;
	task->deep = state & STATE_DEEP;
	task->runnable_at = state & STATE_SLEEPS ? 0 : ev->ts;
}

static int comes_back(struct extract *x, struct task *task, const struct event *ev)
{
	uint64_t off_at = task->off_at, woken = task->runnable_at ? task->runnable_at : ev->ts;
	int ret = 0;

	task->off_at = 0;
	if (!off_at || in_stall(task, off_at))
		return 0;
	if (woken > off_at)
		ret = extract_loss(task->deep ? &task->waits : &task->naps, woken, woken - off_at);
	return ret ? ret : queued(x, task, ev->ts, ev->ts - woken);
}

static int switched(struct extract *x, struct task *task, struct processor *cpu,
		    const struct event *ev)
{
	int64_t next = event_value(ev, sched_switch_next_pid, 0);
	uint32_t nr = idmap_find(&x->task_ids, (uint64_t)next, 0);
	struct task *to;

	leaves(task, ev);
	cpu->pid = (int32_t)next;
	if (nr == UINT32_MAX)
		return 0;
	to = &x->tasks[nr];
	to->cpu = ev->cpu;
	to->occupied = cpu->occupied;
	return comes_back(x, to, ev);
}

static void woken(struct extract *x, int64_t pid, uint64_t ts)
{
	uint32_t nr = idmap_find(&x->task_ids, (uint64_t)pid, 0);

	if (nr != UINT32_MAX && x->tasks[nr].off_at && !x->tasks[nr].runnable_at)
		x->tasks[nr].runnable_at = ts;
}

int extract_turn(struct extract *x, struct task *task, const struct event *ev)
{
	struct processor *cpu;
	uint64_t waited = 0;
	int ret;

	if (ev->cpu < 0 || ev->cpu >= MAX_CPUS)
		return 0;
	cpu = processor_of(x, ev->cpu);
	if (!cpu)
		return -ENOMEM;
	if (task->off_at) {
		task->turns_missed = true;
		task->off_at = 0;
	}
	if (task->cpu >= 0)
		waited = x->processors[task->cpu].occupied - task->occupied;
	ret = queued(x, task, ev->ts, waited);
	if (cpu->pid == ev->pid && cpu->last)
		cpu->occupied += ev->ts - cpu->last;
	cpu->pid = ev->pid;
	cpu->last = ev->ts;
	task->cpu = ev->cpu;
	task->occupied = cpu->occupied;
	if (ev->id == VOCAB_sched_switch) {
		task->turns_seen = true;
		return ret ? ret : switched(x, task, cpu, ev);
	}
	if (ev->id == VOCAB_sched_wakeup)
		woken(x, event_value(ev, sched_wakeup_pid, 0), ev->ts);
	return ret;
}
