/* SPDX-License-Identifier: GPL-2.0-or-later */
/* think.c - what a task did in the gap between two of its records */
#include "replay/workload/think.h"

#include <errno.h>
#include <stdlib.h>

#define COMPUTE_MEDIANS 4
#define SLEEP_NS	UINT64_C(50000000)
#define GAP_SAMPLES_MIN 16

/* Time lost in (@from, @until], moving *@behind on. */
static uint64_t lost_until(const struct losses *losses, uint32_t *behind, uint64_t from,
			   uint64_t until)
{
	uint64_t ns = 0;

	for (; *behind < losses->nr && losses->v[*behind].end <= until; ++*behind) {
		const struct stall *loss = &losses->v[*behind];

		if (loss->end > from)
			ns += loss->ns < loss->end - from ? loss->ns : loss->end - from;
	}
	return ns;
}

/* A gap of a task: behind a run of reads, a page of it, or behind anything else. */
struct gap_sample {
	uint32_t task;
	bool read;
	uint64_t ns;
};

static int compare_samples(const void *a, const void *b)
{
	const struct gap_sample *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->read != y->read)
		return x->read ? 1 : -1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* Uses walk->end and walk->count, which the caller resets. */
static uint32_t gap_samples(const struct extract *x, const uint32_t *order, uint32_t nr_order,
			    struct walk *walks, struct gap_sample *samples)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < nr_order; i++) {
		const struct demand_record *rec = &x->records[order[i]];
		struct walk *walk = &walks[rec->task];

		if (rec->reserved & MARK_HIT)
			continue;
		if (walk->started && rec->at > walk->end)
			samples[nr++] = (struct gap_sample){
				.task = rec->task,
				.read = walk->count,
				.ns = (rec->at - walk->end) / (walk->count ? walk->count : 1),
			};
		walk->started = true;
		walk->end = rec->at + rec->think;
		walk->count = rec->op == DEMAND_CACHE ? rec->count : 0;
	}
	return nr;
}

int think_measure(const struct extract *x, const uint32_t *order, uint32_t nr_order,
		  struct walk *walks)
{
	struct gap_sample *samples = calloc((size_t)nr_order + 1, sizeof(*samples));
	uint32_t nr, first = 0;

	if (!samples)
		return -ENOMEM;
	nr = gap_samples(x, order, nr_order, walks, samples);
	qsort(samples, nr, sizeof(*samples), compare_samples);
	for (uint32_t i = 0; i < nr; i++) {
		struct walk *walk = &walks[samples[i].task];

		if (i + 1 < nr && samples[i + 1].task == samples[i].task &&
		    samples[i + 1].read == samples[i].read)
			continue;
		if (i + 1 - first >= GAP_SAMPLES_MIN && samples[i].read)
			walk->copy_ns = samples[first + (i - first) / 4].ns;
		else if (i + 1 - first >= GAP_SAMPLES_MIN)
			walk->compute_ns = COMPUTE_MEDIANS * samples[first + (i - first) / 2].ns;
		first = i + 1;
	}
	free(samples);
	return 0;
}

/* Take up to @ns out of *@from. Returns how much. */
static uint64_t take(uint64_t *from, uint64_t ns)
{
	if (ns > *from)
		ns = *from;
	*from -= ns;
	return ns;
}

bool think_known(const struct task *task)
{
	return task->asked && task->turns_seen && !task->turns_missed;
}

/* The scheduler's events tell what the @left ns were. */
static struct gap split_known(const struct task *task, struct walk *walk, uint64_t at,
			      uint64_t left, uint64_t answer)
{
	uint64_t slept = lost_until(&task->naps, &walk->nr_naps, walk->end, at);
	uint64_t waited = lost_until(&task->waits, &walk->nr_waits, walk->end, at);
	struct gap gap = { 0 };

	gap.slept = take(&left, slept);
	gap.waited = take(&left, waited);
	gap.computed = left;
	take(&gap.waited, answer);
	return gap;
}

struct gap think_split(const struct extract *x, const struct task *task, struct walk *walk,
		       uint64_t at, bool jumps)
{
	uint64_t left = at > walk->end ? at - walk->end : 0;
	uint64_t answer = walk->read_before ? x->options.read_wait_ns : 0;
	uint64_t copies = walk->read_before && !jumps ? walk->copy_ns * walk->count : 0;
	struct gap gap = { 0 };

	take(&left, lost_until(&task->stalls, &walk->nr_stalls, walk->end, at));
	if (task->kind == DEMAND_TASK_KTHREAD || task->pid == 0) {
		gap.slept = left;
	} else if (think_known(task)) {
		gap = split_known(task, walk, at, left, answer);
		if (!x->has_accesses)
			take(&gap.computed, copies);
	} else {
		if (jumps)
			take(&left, answer);
		gap.computed = take(&left, walk->read_before && !jumps ? copies : walk->compute_ns);
		if (!jumps)
			take(&left, answer);
		*(left < SLEEP_NS ? &gap.waited : &gap.slept) = left;
		if (walk->read_before && !jumps && !x->has_accesses)
			gap.computed = 0;
	}
	return gap;
}
