/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"
#include "capture/vocabulary/vocabulary.h"
#include "replay/workload/extract_private.h"

#define MS_NS	      UINT64_C(1000000)
#define NS_PER_S      UINT64_C(1000000000)
#define CLASSIC_BATCH 32 /* SWAP_CLUSTER_MAX; multi-generational lists ask for more */

/* Programs that record a trace. */
static const char *const recorders[] = { "rawrec", "trace-cmd", "reclaimlab", "perf" };

/* Begins of the names of kernel threads. */
static const char *const kthreads[] = {
	"kworker/",   "jbd2/",	      "ksoftirqd/", "kcompactd", "kswapd",
	"khugepaged", "migration/",   "rcu_",	    "kthreadd",	 "flush-",
	"oom_reaper", "ext4lazyinit", "scsi_eh_",
};

/* xorshift64* (Vigna 2016). */
uint64_t extract_random(struct extract *x)
{
	x->random ^= x->random >> 12;
	x->random ^= x->random << 25;
	x->random ^= x->random >> 27;
	return x->random * UINT64_C(0x2545f4914f6cdd1d);
}

struct extract *extract_new(const struct extract_options *options)
{
	struct extract *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->options = *options;
	x->random = options->seed * 2 + 1;
	x->frames = frames_new();
	if (!x->frames) {
		free(x);
		return NULL;
	}
	return x;
}

void extract_free(struct extract *extract)
{
	if (!extract)
		return;
	for (uint32_t i = 0; i < extract->task_ids.count; i++) {
		free(extract->tasks[i].stalls.v);
		free(extract->tasks[i].naps.v);
		free(extract->tasks[i].waits.v);
		free(extract->tasks[i].swapped);
	}
	free(extract->tasks);
	free(extract->files);
	free(extract->records);
	free(extract->looks);
	free(extract->evictions);
	free(extract->processors);
	idmap_clear(&extract->task_ids);
	idmap_clear(&extract->file_ids);
	idmap_clear(&extract->page_ids);
	free(extract->page_state);
	idmap_clear(&extract->anon_ids);
	frames_free(extract->frames);
	free(extract);
}

const struct extract_counts *extract_counts(const struct extract *extract)
{
	return &extract->counts;
}

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

static void task_names(struct extract *x, struct task *task)
{
	const char *comm = x->options.comm ? x->options.comm(x->options.ctx, task->pid) : NULL;

	if (task->pid == 0)
		task->kind = DEMAND_TASK_KTHREAD;
	if (x->options.recorder && task->pid == x->options.recorder)
		task->recorder = true;
	if (!comm)
		return;
	for (size_t i = 0; i < sizeof(recorders) / sizeof(*recorders); i++)
		task->recorder |= begins_with(comm, recorders[i]);
	for (size_t i = 0; i < sizeof(kthreads) / sizeof(*kthreads); i++)
		if (begins_with(comm, kthreads[i]))
			task->kind = DEMAND_TASK_KTHREAD;
	task->kswapd = begins_with(comm, "kswapd");
	task->kcompactd = begins_with(comm, "kcompactd");
}

struct task *extract_task(struct extract *x, const struct event *ev)
{
	uint32_t known = x->task_ids.count, nr = idmap_get(&x->task_ids, (uint64_t)ev->pid, 0);
	struct task *task;

	if (nr == UINT32_MAX || rl_array_room(&x->tasks, &x->room_tasks, nr, sizeof(*task)))
		return NULL;
	task = &x->tasks[nr];
	if (nr == known) {
		*task = (struct task){ .pid = ev->pid,
				       .first = ev->ts,
				       .last = ev->ts,
				       .asked_file = UINT32_MAX,
				       .looked_pfn = -1,
				       .cpu = -1 };
		task_names(x, task);
	}
	return task;
}

struct demand_record *extract_record(struct extract *x, struct task *task, uint64_t ts,
				     enum demand_op op)
{
	struct demand_record *rec;

	if (x->nr_records == UINT32_MAX ||
	    rl_array_room(&x->records, &x->room_records, x->nr_records, sizeof(*rec)))
		return NULL;
	rec = &x->records[x->nr_records++];
	*rec = (struct demand_record){ .at = ts, .task = extract_task_number(x, task), .op = op };
	task->asked = true;
	return rec;
}

void extract_count_swap_in(struct extract *x, uint64_t ts)
{
	uint64_t second = (ts - x->options.start) / NS_PER_S;

	x->counts.swap_in++;
	if (second != x->swap_in_second)
		x->swap_ins = 0;
	x->swap_in_second = second;
	if (++x->swap_ins > x->counts.swap_in_peak)
		x->counts.swap_in_peak = x->swap_ins;
}

int extract_looked(struct extract *x, uint32_t logical, uint64_t ts)
{
	if (rl_array_room(&x->looks, &x->room_looks, logical, sizeof(*x->looks)))
		return -ENOMEM;
	x->looks[logical] = ts;
	return 0;
}

int extract_loss(struct losses *losses, uint64_t end, uint64_t ns)
{
	if (rl_array_room(&losses->v, &losses->room, losses->nr, sizeof(*losses->v)))
		return -ENOMEM;
	losses->v[losses->nr++] = (struct stall){ .end = end, .ns = ns };
	return 0;
}

static int task_stalled(struct extract *x, struct task *task, uint64_t begin, uint64_t end)
{
	if (end <= begin)
		return 0;
	if (extract_inside(x, end)) {
		x->counts.stall_ns += end - begin;
		x->counts.stalls++;
	}
	return extract_loss(&task->stalls, end, end - begin);
}

static void reclaim_begins(struct task *task, uint64_t ts)
{
	if (!task->depth && !task->compacting)
		task->reclaim_begin = ts;
	if (task->depth < UINT8_MAX)
		task->depth++;
}

static int reclaim_ends(struct extract *x, struct task *task, uint64_t ts)
{
	if (!task->depth)
		return 0;
	task->depth--;
	if (task->depth || task->compacting)
		return 0;
	task->batch = false;
	return task_stalled(x, task, task->reclaim_begin, ts);
}

static void compaction_begins(struct task *task, uint64_t ts)
{
	task->compacting = true;
	task->compact_begin = ts;
}

static int compaction_ends(struct extract *x, struct task *task, uint64_t ts)
{
	if (!task->compacting)
		return 0;
	task->compacting = false;
	if (task->depth || task->kcompactd || task->kswapd)
		return 0;
	return task_stalled(x, task, task->compact_begin, ts);
}

static void batch_begins(struct task *task, const struct event *ev)
{
	int64_t lru = event_value(ev, mm_vmscan_lru_isolate_lru, -1);

	if (lru < 0)
		lru = event_value(ev, mm_vmscan_lru_isolate_file, 1) ? 2 : 0;
	task->batch = lru == 0 || lru == 2;
	task->batch_anon = lru == 0;
	task->batch_retries =
		event_value(ev, mm_vmscan_lru_isolate_nr_requested, CLASSIC_BATCH) > CLASSIC_BATCH;
}

static int dirty_pause(struct extract *x, struct task *task, const struct event *ev)
{
	int64_t ms = event_value(ev, balance_dirty_pages_pause, 0);
	int64_t limit = event_value(ev, balance_dirty_pages_dirty_limit, 0);

	if (!x->counts.dirty_limit && limit > 0)
		x->counts.dirty_limit = (uint64_t)limit;
	if (ms <= 0 || ms > 10000)
		return 0;
	if (extract_inside(x, ev->ts))
		x->counts.dirty_pause_ns += (uint64_t)ms * MS_NS;
	return task_stalled(x, task, ev->ts, ev->ts + (uint64_t)ms * MS_NS);
}

static void process_exits(struct extract *x, const struct event *ev)
{
	uint32_t nr = idmap_find(&x->task_ids,
				 (uint64_t)event_value(ev, sched_process_exit_pid, ev->pid), 0);

	if (nr != UINT32_MAX)
		x->tasks[nr].exited = true;
}

/* Events that change what the task is in the middle of. */
static int context_event(struct extract *x, struct task *task, const struct event *ev)
{
	switch (ev->id) {
	case VOCAB_mm_vmscan_kswapd_wake:
	case VOCAB_mm_vmscan_kswapd_sleep:
		task->kswapd = true;
		task->kind = DEMAND_TASK_KTHREAD;
		task->batch = false;
		return 0;
	case VOCAB_mm_vmscan_direct_reclaim_begin:
	case VOCAB_mm_vmscan_memcg_reclaim_begin:
	case VOCAB_mm_vmscan_memcg_softlimit_reclaim_begin:
	case VOCAB_mm_vmscan_node_reclaim_begin:
		reclaim_begins(task, ev->ts);
		return 0;
	case VOCAB_mm_vmscan_direct_reclaim_end:
	case VOCAB_mm_vmscan_memcg_reclaim_end:
	case VOCAB_mm_vmscan_memcg_softlimit_reclaim_end:
	case VOCAB_mm_vmscan_node_reclaim_end:
		return reclaim_ends(x, task, ev->ts);
	case VOCAB_mm_vmscan_lru_isolate:
		batch_begins(task, ev);
		return 0;
	case VOCAB_mm_vmscan_lru_shrink_inactive:
		task->batch &= task->batch_retries;
		return 0;
	case VOCAB_mm_vmscan_lru_shrink_active:
	case VOCAB_mm_shrink_slab_start:
		task->batch = false;
		return 0;
	case VOCAB_mm_compaction_begin:
		compaction_begins(task, ev->ts);
		return 0;
	case VOCAB_mm_compaction_end:
		return compaction_ends(x, task, ev->ts);
	case VOCAB_balance_dirty_pages:
		return dirty_pause(x, task, ev);
	case VOCAB_sched_process_exit:
		process_exits(x, ev);
		return 0;
	default:
		return 0;
	}
}

int extract_event(struct extract *extract, const struct event *ev)
{
	struct task *task = extract_task(extract, ev);

	if (!task || extract_turn(extract, task, ev))
		return -ENOMEM;
	if (!task->depth && ev->ts - task->last > task->quiet)
		task->quiet = ev->ts - task->last;
	task->last = ev->ts;
	switch (ev->id) {
	case VOCAB_mm_page_alloc:
		return extract_page_alloc(extract, task, ev);
	case VOCAB_mm_page_free:
		return extract_page_free(extract, task, ev);
	case VOCAB_mm_lru_insertion:
		return extract_lru_insertion(extract, ev);
	case VOCAB_mm_filemap_add_to_page_cache:
		return extract_cache_add(extract, task, ev);
	case VOCAB_mm_filemap_delete_from_page_cache:
		return extract_cache_delete(extract, task, ev);
	case VOCAB_mm_lru_activate:
		return extract_activation(extract, task, ev);
	case VOCAB_mm_filemap_get_pages:
		return extract_request(extract, task, ev);
	case VOCAB_mm_filemap_fault:
		return extract_fault(extract, task, ev);
	case VOCAB_probe_referenced:
	case VOCAB_probe_referenced_ret:
	case VOCAB_probe_swap_fault:
	case VOCAB_probe_anon_new:
	case VOCAB_probe_anon_map:
		return extract_probe(extract, task, ev);
	default:
		return context_event(extract, task, ev);
	}
}
