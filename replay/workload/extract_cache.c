/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page-cache requests: runs of adds, accesses where the recording holds them, truncation. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "capture/base/array.h"
#include "capture/vocabulary/gfp.h"
#include "capture/vocabulary/vocabulary.h"
#include "replay/workload/extract_private.h"

/*
 * Adds of one run follow each other at once, with other events of the task between them where it
 * had to reclaim; a task that copies data out or waits is quiet for longer than this.
 */
#define RUN_GAP_NS  UINT64_C(50000)
#define TENTH_NS    UINT64_C(100000000)
#define MAX_RUN	    4096
#define MAX_REQUEST 1024 /* pages of one get_pages that are followed one by one */
#define MAX_INDEX   (UINT32_MAX - 2 * MAX_RUN)
#define MAX_ORDER   10

/* The number of the file, or UINT32_MAX when memory is short. */
static uint32_t file_number(struct extract *x, int64_t dev, int64_t ino, int64_t end)
{
	uint32_t known = x->file_ids.count;
	uint32_t nr = idmap_get(&x->file_ids, (uint64_t)dev, (uint64_t)ino);
	struct demand_file *file;

	if (nr == UINT32_MAX || rl_array_room(&x->files, &x->room_files, nr, sizeof(*x->files)))
		return UINT32_MAX;
	file = &x->files[nr];
	if (nr == known)
		*file = (struct demand_file){ .dev = (uint64_t)dev, .ino = (uint64_t)ino };
	if (end > file->pages)
		file->pages = (uint32_t)end;
	return nr;
}

/* The open run of @task when an add of @nr pages at @index of @file continues it, or NULL. */
static struct demand_record *continued_run(struct extract *x, const struct task *task,
					   uint32_t file, uint32_t index, uint32_t nr, uint8_t op)
{
	struct demand_record *run = task->run ? &x->records[task->run - 1] : NULL;

	if (!run || run->op != op || run->object != file || run->count + nr > MAX_RUN ||
	    run->start + run->count != index)
		return NULL;
	return task->quiet > RUN_GAP_NS ? NULL : run;
}

/*
 * The allocation of a page that now enters the cache leaves the demand: the request stands for it.
 * Returns its gfp, 0 when it was not recorded.
 */
static uint32_t allocation_goes(struct extract *x, struct frame *frame)
{
	struct demand_record *rec;

	if (!frame->record)
		return 0;
	rec = &x->records[frame->record - 1];
	rec->reserved |= MARK_DEAD;
	frame->record = 0;
	frame->logical = DEMAND_NONE;
	return rec->gfp;
}

static int new_run(struct extract *x, struct task *task, uint64_t ts, uint32_t file, uint32_t index,
		   uint32_t nr, uint32_t gfp)
{
	bool write = gfp & RL_GFP(WRITE);
	struct demand_record *run =
		extract_record(x, task, ts, write ? DEMAND_DIRTY : DEMAND_CACHE);

	if (!run)
		return -ENOMEM;
	run->object = file;
	run->index = index;
	run->start = index;
	run->count = nr;
	run->gfp = gfp;
	run->migratetype = 1;
	run->reserved = MARK_RUN;
	task->run = x->nr_records;
	x->counts.runs++;
	return 0;
}

static void count_read(struct extract *x, uint64_t ts, uint32_t nr)
{
	uint64_t tenth = (ts - x->options.start) / TENTH_NS;

	x->counts.cache_read += nr;
	if (tenth != x->read_tenth)
		x->reads = 0;
	x->read_tenth = tenth;
	x->reads += nr;
	if (x->reads > x->counts.read_peak)
		x->counts.read_peak = x->reads;
}

/* What was seen of a page of a file, in the window. */
#define PAGE_ADDED 1
#define PAGE_AWAY  2 /* reclaim took it */

static uint8_t *page_state(struct extract *x, uint32_t file, uint64_t index)
{
	uint32_t id = idmap_get(&x->page_ids, file, index);

	if (id == UINT32_MAX || rl_array_room(&x->page_state, &x->room_page_state, id, 1))
		return NULL;
	return &x->page_state[id];
}

/* They leave the page cache. @away: reclaim took them; else nothing is left of them. */
static int pages_leave(struct extract *x, uint32_t file, uint32_t index, uint32_t nr, bool away)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint8_t *state = page_state(x, file, (uint64_t)index + i);

		if (!state)
			return -ENOMEM;
		*state = (uint8_t)((*state & PAGE_ADDED) | (away ? PAGE_AWAY : 0));
	}
	return 0;
}

/* They come into the page cache; only what is read there comes back. */
static int pages_come(struct extract *x, uint32_t file, uint32_t index, uint32_t nr, bool read)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint8_t *state = page_state(x, file, (uint64_t)index + i);

		if (!state)
			return -ENOMEM;
		x->counts.refaulted_file += read && *state & PAGE_AWAY;
		x->counts.refaulted_added += read && *state == (PAGE_AWAY | PAGE_ADDED);
		*state = PAGE_ADDED;
	}
	return 0;
}

int extract_cache_add(struct extract *x, struct task *task, const struct event *ev)
{
	struct frame *frame =
		frames_at(x->frames, event_value(ev, mm_filemap_add_to_page_cache_pfn, -1));
	int64_t order = event_value(ev, mm_filemap_add_to_page_cache_order, 0);
	int64_t index = event_value(ev, mm_filemap_add_to_page_cache_index, 0);
	uint32_t nr, file, gfp;
	struct demand_record *run;

	if (!frame || order < 0 || order > MAX_ORDER || index < 0 || index > MAX_INDEX)
		return 0;
	nr = 1u << order;
	file = file_number(x, event_value(ev, mm_filemap_add_to_page_cache_dev, 0),
			   event_value(ev, mm_filemap_add_to_page_cache_ino, 0), index + nr);
	if (file == UINT32_MAX)
		return -ENOMEM;
	gfp = allocation_goes(x, frame);
	if (frame->kind != FRAME_RECORDER)
		frame->kind = FRAME_CACHE;
	frame->file = file;
	frame->index = (uint32_t)index;
	frame->owner = extract_task_number(x, task);
	frame->marked = !(gfp & RL_GFP(WRITE));
	frame->deleted = 0;
	if (!extract_inside(x, ev->ts))
		return 0;
	if (pages_come(x, file, (uint32_t)index, nr, !(gfp & RL_GFP(WRITE))))
		return -ENOMEM;
	if (task->recorder) {
		x->counts.cache_recorder += nr;
		return 0;
	}
	if (gfp & RL_GFP(WRITE))
		x->counts.cache_written += nr;
	else
		count_read(x, ev->ts, nr);
	run = continued_run(x, task, file, (uint32_t)index, nr,
			    gfp & RL_GFP(WRITE) ? DEMAND_DIRTY : DEMAND_CACHE);
	task->quiet = 0;
	if (!run)
		return new_run(x, task, ev->ts, file, (uint32_t)index, nr, gfp);
	run->count += nr;
	run->think = ev->ts - run->at;
	return 0;
}

static int truncated(struct extract *x, struct task *task, uint64_t ts, uint32_t file,
		     uint32_t index, uint32_t nr)
{
	struct demand_record *rec;

	x->counts.truncated += nr;
	if (task->truncate_run) {
		rec = &x->records[task->truncate_run - 1];
		if (rec->object == file && rec->index + rec->count == index &&
		    rec->count + nr <= UINT16_MAX) {
			rec->count += nr;
			rec->think = ts - rec->at;
			return 0;
		}
	}
	rec = extract_record(x, task, ts, DEMAND_TRUNCATE);
	if (!rec)
		return -ENOMEM;
	rec->object = file;
	rec->index = index;
	rec->count = nr;
	task->truncate_run = x->nr_records;
	return 0;
}

int extract_cache_delete(struct extract *x, struct task *task, const struct event *ev)
{
	struct frame *frame =
		frames_at(x->frames, event_value(ev, mm_filemap_delete_from_page_cache_pfn, -1));
	int64_t order = event_value(ev, mm_filemap_delete_from_page_cache_order, 0);
	int64_t index = event_value(ev, mm_filemap_delete_from_page_cache_index, 0);
	uint32_t nr, file;

	if (!frame || frame->kind == FRAME_SHMEM || frame->kind == FRAME_ANON || order < 0 ||
	    order > MAX_ORDER || index < 0 || index > MAX_INDEX)
		return 0;
	nr = 1u << order;
	file = file_number(x, event_value(ev, mm_filemap_delete_from_page_cache_dev, 0),
			   event_value(ev, mm_filemap_delete_from_page_cache_ino, 0), index + nr);
	if (file == UINT32_MAX)
		return -ENOMEM;
	if (frame->kind != FRAME_RECORDER)
		frame->kind = FRAME_CACHE;
	frame->deleted = 1;
	if (!extract_inside(x, ev->ts))
		return 0;
	if (task_reclaims(task) && task->batch) {
		x->counts.evicted_file += nr;
		return pages_leave(x, file, (uint32_t)index, nr, true);
	}
	if (pages_leave(x, file, (uint32_t)index, nr, false))
		return -ENOMEM;
	if (task_reclaims(task)) {
		x->counts.inode_dropped += nr;
		return 0;
	}
	if (task->recorder || task->compacting || task->kcompactd)
		return 0;
	return truncated(x, task, ev->ts, file, (uint32_t)index, nr);
}

static int request_page(struct extract *x, struct task *task, uint64_t ts, uint32_t file,
			uint32_t index, uint8_t flags)
{
	struct demand_record *rec = extract_record(x, task, ts, DEMAND_CACHE);

	if (!rec)
		return -ENOMEM;
	rec->object = file;
	rec->index = index;
	rec->flags = flags;
	rec->reserved = MARK_REQUEST;
	task->run = 0;
	return 0;
}

/*
 * The event of a read comes when its pages are there. What the task added to the cache just before
 * belongs to it: a run that holds the page read was waited for, any other was readahead. Returns
 * whether the run stands for the read of @index.
 */
static bool run_serves(struct extract *x, struct task *task, uint64_t ts, uint32_t file,
		       uint32_t index)
{
	struct demand_record *run = task->run ? &x->records[task->run - 1] : NULL;

	task->run = 0;
	if (!run || run->op != DEMAND_CACHE || run->object != file)
		return false;
	run->reserved = MARK_REQUEST;
	run->index = index;
	if (index < run->start || index - run->start >= run->count) {
		run->flags |= DEMAND_ASYNC;
		return false;
	}
	run->think = ts - run->at;
	return true;
}

/*
 * Each look of a read() into the cache tells all that is still wanted, however little of it is
 * there: where it goes on, the rest was asked for already.
 */
static bool is_rest(struct task *task, uint32_t file, uint32_t index, uint32_t last)
{
	bool rest = task->asked_file == file && task->asked_last == last &&
		    index > task->asked_index && index <= last;

	task->asked_file = file;
	task->asked_index = index;
	task->asked_last = last;
	return rest;
}

int extract_request(struct extract *x, struct task *task, const struct event *ev)
{
	int64_t index = event_value(ev, mm_filemap_get_pages_index, -1);
	int64_t last = event_value(ev, mm_filemap_get_pages_last_index, index);
	uint32_t file;
	int ret = 0;

	x->has_accesses = true;
	if (index < 0 || last < index || last - index >= MAX_REQUEST || last > MAX_INDEX ||
	    task->recorder || !extract_inside(x, ev->ts))
		return 0;
	file = file_number(x, event_value(ev, mm_filemap_get_pages_dev, 0),
			   event_value(ev, mm_filemap_get_pages_ino, 0), last + 1);
	if (file == UINT32_MAX)
		return -ENOMEM;
	if (is_rest(task, file, (uint32_t)index, (uint32_t)last))
		return 0;
	x->counts.accesses_known += (uint64_t)(last - index) + 1;
	if (run_serves(x, task, ev->ts, file, (uint32_t)index))
		index++;
	for (int64_t i = index; !ret && i <= last; i++)
		ret = request_page(x, task, ev->ts, file, (uint32_t)i, 0);
	return ret;
}

int extract_fault(struct extract *x, struct task *task, const struct event *ev)
{
	int64_t index = event_value(ev, mm_filemap_fault_index, -1);
	uint32_t file;

	if (index < 0 || index > MAX_INDEX || task->recorder || !extract_inside(x, ev->ts))
		return 0;
	file = file_number(x, event_value(ev, mm_filemap_fault_dev, 0),
			   event_value(ev, mm_filemap_fault_ino, 0), index + 1);
	if (file == UINT32_MAX)
		return -ENOMEM;
	x->counts.mmap_faults++;
	return request_page(x, task, ev->ts, file, (uint32_t)index, DEMAND_MAPPED);
}

static bool may_read(const struct task *task)
{
	return task->kind == DEMAND_TASK_USER && !task->kswapd && !task->recorder && task->pid;
}

/*
 * The second mark of a page moves it to the active list (folio_mark_accessed()) and takes the first
 * away again, so that every later move has two behind it. Moves are made in batches, by whoever
 * fills one or drains it; where that is nobody who reads, the page's reader is taken.
 */
int extract_activation(struct extract *x, struct task *task, const struct event *ev)
{
	struct frame *frame = frames_at(x->frames, event_value(ev, mm_lru_activate_pfn, -1));
	struct demand_record *rec;
	int marks;

	if (!frame || frame->kind != FRAME_CACHE || frame->deleted || x->has_accesses ||
	    !extract_inside(x, ev->ts))
		return 0;
	marks = frame->marked ? 1 : 2;
	frame->marked = 0;
	if (!may_read(task))
		task = &x->tasks[frame->owner];
	if (!may_read(task))
		return 0;
	for (int i = 0; i < marks; i++) {
		rec = extract_record(x, task, ev->ts, DEMAND_CACHE);
		if (!rec)
			return -ENOMEM;
		rec->object = frame->file;
		rec->index = frame->index;
		rec->reserved = MARK_HIT;
	}
	x->counts.activations++;
	return 0;
}
