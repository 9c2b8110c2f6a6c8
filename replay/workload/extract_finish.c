/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what was seen to the demand: order by time, what runs and their neighbours say about each
 * other, thinking times, dense numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"
#include "replay/workload/think.h"
#include "replay/workload/touch.h"

#define COMPUTE_NS     UINT64_C(20000000)
#define EXIT_MARGIN_NS UINT64_C(500000000)
#define SWAP_RA_GAP_NS INT64_C(40000)

struct finish {
	struct extract *x;
	struct walk *walks;
	uint32_t *order;
	uint32_t nr_order;
	struct touches touches;
	struct demand_record *out;
	uint32_t nr_out;
	size_t room_out;
	bool failed;
};

/* A record that the output begins with @at and @think set; NULL when memory is short. */
static struct demand_record *emit(struct finish *f, const struct demand_record *rec)
{
	if (f->nr_out == UINT32_MAX ||
	    rl_array_room(&f->out, &f->room_out, f->nr_out, sizeof(*f->out))) {
		f->failed = true;
		return NULL;
	}
	f->out[f->nr_out] = *rec;
	f->out[f->nr_out].reserved = 0;
	return &f->out[f->nr_out++];
}

/* Tasks that ended take what they had at swap with them. */
static int append_exits(struct extract *x)
{
	for (uint32_t i = 0; i < x->task_ids.count; i++) {
		struct task *task = &x->tasks[i];
		struct demand_record *rec;

		if (!task->asked || task->kind != DEMAND_TASK_USER ||
		    !extract_inside(x, task->last) ||
		    (!task->exited && task->last + EXIT_MARGIN_NS > x->options.end))
			continue;
		for (uint32_t j = 0; j < task->nr_swapped; j++) {
			rec = extract_record(x, task, task->last, DEMAND_FREE);
			if (!rec)
				return -ENOMEM;
			rec->object = task->swapped[j];
			rec->count = 1;
		}
		if (!extract_record(x, task, task->last, DEMAND_EXIT))
			return -ENOMEM;
	}
	return 0;
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct extract *x = ctx;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

	if (x->records[i].at != x->records[j].at)
		return x->records[i].at < x->records[j].at ? -1 : 1;
	return i < j ? -1 : 1;
}

/* The live records in order of time. */
static int put_in_order(struct finish *f)
{
	struct extract *x = f->x;
	bool sorted = true;

	f->order = calloc((size_t)x->nr_records + 1, sizeof(*f->order));
	if (!f->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < x->nr_records; i++) {
		if (x->records[i].reserved & MARK_DEAD)
			continue;
		if (f->nr_order && x->records[i].at < x->records[f->order[f->nr_order - 1]].at)
			sorted = false;
		f->order[f->nr_order++] = i;
	}
	if (!sorted)
		qsort_r(f->order, f->nr_order, sizeof(*f->order), by_time, x);
	return 0;
}

/* A wait of @idle ns; @unknown: it may be the machine's as well as the task's. */
static void sleep_before(struct finish *f, const struct demand_record *rec, uint64_t idle,
			 bool unknown)
{
	struct demand_record nop = { .at = rec->at,
				     .think = idle,
				     .task = rec->task,
				     .object = unknown,
				     .op = DEMAND_NOP,
				     .flags = DEMAND_IDLE };

	if (idle)
		emit(f, &nop);
}

static bool run_follows(const struct demand_record *rec, const struct walk *walk)
{
	return walk->has_run && rec->object == walk->file &&
	       rec->start == walk->start + walk->count;
}

/* Set the thinking time of @rec; waiting before it becomes a record of its own. */
static void set_think(struct finish *f, struct demand_record *rec, const struct task *task,
		      struct walk *walk, bool jumps)
{
	struct gap gap = think_split(f->x, task, walk, rec->at, jumps);

	sleep_before(f, rec, gap.slept, false);
	sleep_before(f, rec, gap.waited, true);
	rec->think = gap.computed;
}

/* Every page of the window that the run before brought in was read by the time this one began. */
static void read_window(struct finish *f, const struct demand_record *rec, const struct walk *walk,
			uint32_t from)
{
	struct demand_record hit = { .at = rec->at,
				     .task = rec->task,
				     .op = DEMAND_CACHE,
				     .object = walk->file,
				     .start = walk->start,
				     .count = (uint16_t)walk->count,
				     .think = walk->copy_ns,
				     .gfp = rec->gfp,
				     .migratetype = 1 };

	for (uint32_t i = from; i < walk->count; i++) {
		hit.index = walk->start + i;
		emit(f, &hit);
	}
}

/*
 * A run of reads without access events. One that continues the run before was started by readahead
 * when the task came to that run's first page, before it waited for that page; the task then read
 * the rest of it.
 */
static void infer_run(struct finish *f, struct demand_record *rec, struct walk *walk)
{
	bool follows = run_follows(rec, walk);
	struct walk before = *walk;
	struct demand_record first = *rec;

	walk->has_run = true;
	walk->file = rec->object;
	walk->start = rec->start;
	walk->count = rec->count;
	if (!follows) {
		emit(f, rec);
		return;
	}
	f->x->counts.runs_async++;
	first.index = before.start;
	first.start = before.start;
	first.count = (uint16_t)before.count;
	first.think = walk->copy_ns;
	rec->flags |= DEMAND_ASYNC;
	rec->index = before.start;
	emit(f, rec);
	emit(f, &first);
	read_window(f, rec, &before, 1);
}

/* A run behind an mmap fault that holds the faulting page is what the fault read. */
static bool fault_absorbs(struct finish *f, const struct demand_record *rec, struct walk *walk)
{
	struct demand_record *fault = walk->fault ? &f->out[walk->fault - 1] : NULL;

	walk->fault = 0;
	if (!fault || fault->object != rec->object || fault->index < rec->start ||
	    fault->index - rec->start >= rec->count)
		return false;
	fault->start = rec->start;
	fault->count = rec->count;
	fault->gfp = rec->gfp;
	return true;
}

static void emit_cache(struct finish *f, struct demand_record *rec, uint8_t mark, struct walk *walk)
{
	if (mark & MARK_RUN && fault_absorbs(f, rec, walk))
		return;
	if (mark & MARK_RUN && !f->x->has_accesses) {
		infer_run(f, rec, walk);
		return;
	}
	emit(f, rec);
	walk->count = rec->count;
	if (rec->flags & DEMAND_MAPPED)
		walk->fault = f->nr_out;
}

/* What the task touched before this swap-in, without taking time of its own. */
static void emit_touches(struct finish *f, const struct demand_record *seen)
{
	const struct touches *t = &f->touches;
	uint32_t nr = (uint32_t)(seen - f->x->records);
	struct demand_record touch = {
		.at = seen->at, .task = seen->task, .op = DEMAND_ACCESS, .flags = DEMAND_WRITE
	};

	for (uint32_t i = t->first ? t->first[nr] : 0; t->first && i < t->first[nr + 1]; i++) {
		touch.object = t->pages[i];
		emit(f, &touch);
	}
}

static void take_record(struct finish *f, const struct demand_record *seen)
{
	struct walk *walk = &f->walks[seen->task];
	const struct task *task = &f->x->tasks[seen->task];
	struct demand_record rec = *seen;
	uint64_t end = seen->at + seen->think;
	bool known_wait = seen->reserved & MARK_REQUEST, jumps;

	if (seen->reserved & MARK_SWAP_IN && walk->swap_before &&
	    seen->at < walk->end + SWAP_RA_GAP_NS) {
		f->x->counts.swap_readahead++;
		walk->end = end;
		return;
	}
	if (seen->reserved & MARK_HIT) {
		emit(f, &rec);
		return;
	}
	jumps = seen->reserved & MARK_RUN && rec.op == DEMAND_CACHE && !f->x->has_accesses &&
		!run_follows(&rec, walk);
	set_think(f, &rec, task, walk, jumps);
	if (seen->reserved & MARK_SWAP_IN)
		emit_touches(f, seen);
	if (rec.op == DEMAND_CACHE)
		emit_cache(f, &rec, seen->reserved, walk);
	else
		emit(f, &rec);
	walk->read_before = rec.op == DEMAND_CACHE && !known_wait;
	walk->swap_before = rec.op == DEMAND_ACCESS && seen->reserved & MARK_SWAP_IN;
	if (walk->end < end)
		walk->end = end;
}

static bool names_logical(const struct demand_record *rec)
{
	return rec->op == DEMAND_ALLOC || rec->op == DEMAND_FREE || rec->op == DEMAND_ACCESS;
}

/* Logical pages and tasks that the output names get dense numbers in their old order. */
static int renumber(struct finish *f, struct demand *demand)
{
	struct extract *x = f->x;
	uint32_t *pages = calloc((size_t)x->nr_logical + 1, sizeof(*pages));
	uint32_t *tasks = calloc((size_t)x->task_ids.count + 1, sizeof(*tasks));
	uint32_t nr_pages = 0, nr_tasks = 0;
	int ret = pages && tasks ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < f->nr_out; i++) {
		const struct demand_record *rec = &f->out[i];

		tasks[rec->task] = 1;
		for (uint32_t j = 0; names_logical(rec) && j < (rec->count ? rec->count : 1u); j++)
			pages[rec->object + j] = 1;
	}
	for (uint32_t i = 0; !ret && i < x->nr_logical; i++)
		pages[i] = pages[i] ? nr_pages++ : DEMAND_NONE;
	for (uint32_t i = 0; !ret && i < x->task_ids.count; i++)
		tasks[i] = tasks[i] ? nr_tasks++ : DEMAND_NONE;
	for (uint32_t i = 0; !ret && i < f->nr_out; i++) {
		struct demand_record *rec = &f->out[i];

		rec->at -= x->options.start;
		if (names_logical(rec))
			rec->object = pages[rec->object];
		rec->task = tasks[rec->task];
	}
	demand->nr_pages = nr_pages;
	demand->nr_tasks = nr_tasks;
	demand->tasks = calloc((size_t)nr_tasks + 1, sizeof(*demand->tasks));
	if (!demand->tasks)
		ret = -ENOMEM;
	for (uint32_t i = 0; !ret && i < x->task_ids.count; i++) {
		const struct task *task = &x->tasks[i];
		const char *comm;
		struct demand_task *to;

		if (tasks[i] == DEMAND_NONE)
			continue;
		to = &demand->tasks[tasks[i]];
		comm = x->options.comm ? x->options.comm(x->options.ctx, task->pid) : NULL;
		to->tid = task->pid;
		to->kind = task->kind;
		to->first = task->first > x->options.start ? task->first - x->options.start : 0;
		if (comm)
			strncpy(to->comm, comm, sizeof(to->comm) - 1);
	}
	free(pages);
	free(tasks);
	return ret;
}

/* Slab that reclaim never freed, though it ran, is as good as other kernel memory. */
static void fix_slab(const struct extract *x, struct finish *f)
{
	if (x->counts.free_shrinker || !(x->counts.evicted_file + x->counts.evicted_anon))
		return;
	for (uint32_t i = 0; i < f->nr_out; i++)
		if (f->out[i].op == DEMAND_ALLOC && f->out[i].use == DEMAND_SLAB_RECLAIMABLE)
			f->out[i].use = DEMAND_KERNEL;
}

static void count_uses(struct extract *x, const struct finish *f)
{
	for (uint32_t i = 0; i < f->nr_out; i++) {
		const struct demand_record *rec = &f->out[i];
		uint64_t pages = (uint64_t)rec->count << rec->order;

		if (rec->op != DEMAND_ALLOC)
			continue;
		if (rec->use == DEMAND_SHMEM)
			x->counts.alloc_shmem += pages;
		else if (rec->use == DEMAND_ANON || rec->use == DEMAND_MLOCKED)
			x->counts.alloc_anon += pages;
		else
			x->counts.alloc_kernel += pages;
	}
}

static int write_notes(const struct extract *x, const struct touches *touches,
		       struct demand *demand)
{
	const char *file =
		x->has_accesses ? "page-cache accesses recorded"
				: "page-cache misses and activations recorded, other hits hidden";
	const char *anon = x->has_probes ? "references and swap identity recorded"
			   : touches->nr ? "touches of anonymous pages drawn by popularity"
					 : "anonymous references hidden";

	return demand_note(demand, "basis", "%s; %s", file, anon);
}

static int walk_all(struct finish *f)
{
	struct extract *x = f->x;
	int ret = append_exits(x);

	f->walks = calloc((size_t)x->task_ids.count + 1, sizeof(*f->walks));
	if (!f->walks)
		ret = -ENOMEM;
	if (!ret)
		ret = put_in_order(f);
	if (!ret)
		ret = touches_draw(x, f->order, f->nr_order, &f->touches);
	if (!ret)
		ret = think_measure(x, f->order, f->nr_order, f->walks);
	for (uint32_t i = 0; !ret && i < x->task_ids.count; i++) {
		struct walk *walk = &f->walks[i];

		x->counts.turns_known += think_known(&x->tasks[i]);
		walk->count = 0;
		walk->end =
			x->tasks[i].first > x->options.start ? x->tasks[i].first : x->options.start;
		if (!walk->compute_ns)
			walk->compute_ns = COMPUTE_NS;
	}
	for (uint32_t i = 0; !ret && i < f->nr_order && !f->failed; i++)
		take_record(f, &x->records[f->order[i]]);
	return f->failed ? -ENOMEM : ret;
}

int extract_finish(struct extract *extract, uint32_t page_size, uint32_t cpus, struct demand **out,
		   struct rl_msg *msg)
{
	struct finish f = { .x = extract };
	struct demand *demand = demand_new();
	int ret = demand ? walk_all(&f) : -ENOMEM;

	if (!ret)
		ret = renumber(&f, demand);
	if (!ret) {
		fix_slab(extract, &f);
		count_uses(extract, &f);
		demand->records = f.out;
		demand->nr_records = f.nr_out;
		demand->files = extract->files;
		demand->nr_files = extract->file_ids.count;
		demand->start = extract->options.start;
		demand->duration = extract->options.end - extract->options.start;
		demand->page_size = page_size;
		demand->cpus = cpus;
		extract->files = NULL;
		f.out = NULL;
		ret = write_notes(extract, &f.touches, demand);
	}
	touches_clear(&f.touches);
	free(f.walks);
	free(f.order);
	free(f.out);
	if (ret) {
		demand_free(demand);
		return rl_fail_errno(msg, -ret, "making the demand out of %u records",
				     extract->nr_records);
	}
	*out = demand;
	return 0;
}
