/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocations, frees, and what insertions into LRU lists tell about them. */
#include <errno.h>
#include <stdlib.h>

#include "capture/base/array.h"
#include "capture/vocabulary/gfp.h"
#include "capture/vocabulary/vocabulary.h"
#include "replay/workload/extract_private.h"

#define HUGE_REQUEST_ORDER 4 /* failed requests of this order and above stay demand */
#define LRU_ANON	   1 /* inactive 0, active 1 */
#define LRU_UNEVICTABLE	   4
#define PAGE_IS_ANON	   0x2
#define PAGE_IN_SWAP_CACHE 0x8
#define PAGE_SWAP_BACKED   0x10
#define MAX_ORDER	   10

static uint8_t order_of(int64_t order)
{
	if (order < 0)
		return 0;
	return order > MAX_ORDER ? MAX_ORDER : order;
}

static uint8_t migratetype_of(int64_t type)
{
	return type < 0 || type > 2 ? 0 : type;
}

static void note_swapped(struct extract *x, const struct frame *frame)
{
	struct task *owner = &x->tasks[frame->owner];

	if (frame->logical == DEMAND_NONE || frame->kind != FRAME_ANON)
		return;
	if (rl_array_room(&owner->swapped, &owner->room_swapped, owner->nr_swapped,
			  sizeof(*owner->swapped)))
		return;
	owner->swapped[owner->nr_swapped++] = frame->logical;
}

static struct demand_record *alloc_record(struct extract *x, struct task *task,
					  const struct event *ev, uint8_t order)
{
	struct demand_record *rec = extract_record(x, task, ev->ts, DEMAND_ALLOC);

	if (!rec)
		return NULL;
	rec->object = x->nr_logical++;
	rec->count = 1;
	rec->order = order;
	rec->gfp = (uint32_t)event_value(ev, mm_page_alloc_gfp, 0);
	rec->migratetype = migratetype_of(event_value(ev, mm_page_alloc_migratetype, 0));
	if (rec->gfp & RL_GFP(RECLAIMABLE))
		rec->use = DEMAND_SLAB_RECLAIMABLE;
	return rec;
}

static int failed_alloc(struct extract *x, struct task *task, const struct event *ev, uint8_t order)
{
	if (!extract_inside(x, ev->ts) || task_reclaims(task) || task->recorder)
		return 0;
	if (order < HUGE_REQUEST_ORDER) {
		x->counts.alloc_failed++;
		return 0;
	}
	x->counts.alloc_failed_huge++;
	return alloc_record(x, task, ev, order) ? 0 : -ENOMEM;
}

int extract_page_alloc(struct extract *x, struct task *task, const struct event *ev)
{
	int64_t pfn = event_value(ev, mm_page_alloc_pfn, -1);
	uint8_t order = order_of(event_value(ev, mm_page_alloc_order, 0));
	bool inside = extract_inside(x, ev->ts);
	struct demand_record *rec;
	struct frame *frame;

	if (pfn == -1)
		return failed_alloc(x, task, ev, order);
	frame = frames_at(x->frames, pfn);
	if (!frame)
		return pfn < 0 || pfn >= FRAMES_MAX ? 0 : -ENOMEM;
	*frame = (struct frame){ .logical = DEMAND_NONE,
				 .owner = extract_task_number(x, task),
				 .order = order };
	if (task->recorder) {
		frame->kind = FRAME_RECORDER;
		x->counts.alloc_recorder += inside ? 1u << order : 0;
		return 0;
	}
	if (task_reclaims(task) || task->compacting || task->kcompactd) {
		frame->kind = FRAME_RESPONSE;
		x->counts.alloc_reclaim += inside ? 1u << order : 0;
		return 0;
	}
	frame->kind = FRAME_KERNEL;
	if (!inside)
		return 0;
	rec = alloc_record(x, task, ev, order);
	if (!rec)
		return -ENOMEM;
	frame->record = x->nr_records;
	frame->logical = rec->object;
	return 0;
}

static int note_eviction(struct extract *x, uint64_t ts)
{
	if (rl_array_room(&x->evictions, &x->room_evictions, x->nr_evictions,
			  sizeof(*x->evictions)))
		return -ENOMEM;
	x->evictions[x->nr_evictions++] = ts;
	return 0;
}

/* A free inside a batch of reclaim. */
static int batch_free(struct extract *x, struct task *task, const struct frame *frame,
		      const struct event *ev, uint8_t order)
{
	bool inside = extract_inside(x, ev->ts);

	bool kernel = frame->kind == FRAME_KERNEL || frame->kind == FRAME_RESPONSE;

	if (frame->deleted)
		return 0;
	if (task->batch_anon && !kernel) {
		note_swapped(x, frame);
		x->counts.evicted_anon += inside ? 1u << order : 0;
		return inside ? note_eviction(x, ev->ts) : 0;
	}
	x->counts.batch_other += inside ? 1u << order : 0;
	return 0;
}

static int free_record(struct extract *x, struct task *task, const struct event *ev,
		       uint32_t logical)
{
	struct demand_record *rec;

	if (task->free_run) {
		rec = &x->records[task->free_run - 1];
		if (rec->object + rec->count == logical && rec->count < UINT16_MAX &&
		    task->free_run == x->nr_records) {
			rec->count++;
			rec->think = ev->ts - rec->at;
			return 0;
		}
	}
	rec = extract_record(x, task, ev->ts, DEMAND_FREE);
	if (!rec)
		return -ENOMEM;
	rec->object = logical;
	rec->count = 1;
	task->free_run = x->nr_records;
	return 0;
}

static int demand_free_page(struct extract *x, struct task *task, const struct event *ev,
			    const struct frame *frame, uint8_t order)
{
	const struct demand_record *rec = frame->record ? &x->records[frame->record - 1] : NULL;

	if (frame->logical == DEMAND_NONE)
		return 0;
	if (task_reclaims(task) && rec && rec->use == DEMAND_SLAB_RECLAIMABLE) {
		x->counts.free_shrinker += 1u << order;
		return 0;
	}
	x->counts.free_demand += 1u << order;
	return free_record(x, task, ev, frame->logical);
}

int extract_page_free(struct extract *x, struct task *task, const struct event *ev)
{
	struct frame *frame = frames_at(x->frames, event_value(ev, mm_page_free_pfn, -1));
	uint8_t order = order_of(event_value(ev, mm_page_free_order, 0));
	bool inside = extract_inside(x, ev->ts);
	int ret = 0;

	if (!frame)
		return 0;
	if (task->batch && task_reclaims(task)) {
		ret = batch_free(x, task, frame, ev, order);
		goto out;
	}
	switch (frame->kind) {
	case FRAME_UNSEEN:
		x->counts.free_unseen += inside ? 1u << order : 0;
		break;
	case FRAME_RESPONSE:
	case FRAME_RECORDER:
		x->counts.free_response += inside ? 1u << order : 0;
		break;
	case FRAME_CACHE:
		break;
	default:
		if (inside && !task->compacting && !task->kcompactd)
			ret = demand_free_page(x, task, ev, frame, order);
		break;
	}
out:
	*frame = (struct frame){ .logical = DEMAND_NONE };
	return ret;
}

/* A page that the task has out at swap, chosen by chance; DEMAND_NONE when it has none. */
static uint32_t take_swapped(struct extract *x, struct task *task)
{
	uint32_t at, logical;

	if (!task->nr_swapped)
		return DEMAND_NONE;
	at = extract_random(x) % task->nr_swapped;
	logical = task->swapped[at];
	task->swapped[at] = task->swapped[--task->nr_swapped];
	return logical;
}

/* The allocation of @frame was a swap-in: its record becomes the access that caused it. */
static void becomes_swap_in(struct extract *x, struct frame *frame, struct demand_record *rec)
{
	uint32_t logical;

	extract_count_swap_in(x, rec->at);
	rec->reserved |= MARK_SWAP_IN;
	if (x->has_probes) {
		rec->reserved |= MARK_DEAD;
		return;
	}
	logical = take_swapped(x, &x->tasks[rec->task]);
	if (logical != DEMAND_NONE)
		rec->object = logical;
	rec->op = DEMAND_ACCESS;
	rec->flags |= DEMAND_WRITE;
	rec->use = DEMAND_KERNEL;
	rec->count = 0;
	frame->logical = rec->object;
}

/*
 * A page that comes from swap may have left the swap cache before its insertion shows. A first
 * touch asks for a zeroed page; a copy for writing does not either, but tasks that have pages at
 * swap and copy others at the same time are rare.
 */
static bool was_swapped_in(const struct extract *x, const struct demand_record *rec, int64_t flags)
{
	if (flags & PAGE_IN_SWAP_CACHE)
		return true;
	return !x->has_probes && flags & PAGE_IS_ANON && !rec->order &&
	       !(rec->gfp & (RL_GFP(ZERO) | RL_GFP(WRITE))) && x->tasks[rec->task].nr_swapped;
}

int extract_lru_insertion(struct extract *x, const struct event *ev)
{
	struct frame *frame = frames_at(x->frames, event_value(ev, mm_lru_insertion_pfn, -1));
	int64_t flags = event_value(ev, mm_lru_insertion_flags, 0);
	int64_t lru = event_value(ev, mm_lru_insertion_lru, 0);
	struct demand_record *rec;

	if (!frame || frame->kind != FRAME_KERNEL)
		return 0;
	if (!(flags & (PAGE_IS_ANON | PAGE_IN_SWAP_CACHE | PAGE_SWAP_BACKED)) && lru > LRU_ANON)
		return 0;
	frame->kind = flags & (PAGE_IS_ANON | PAGE_IN_SWAP_CACHE) ? FRAME_ANON : FRAME_SHMEM;
	if (!frame->record)
		return 0;
	rec = &x->records[frame->record - 1];
	if (was_swapped_in(x, rec, flags)) {
		becomes_swap_in(x, frame, rec);
		return 0;
	}
	if (lru == LRU_UNEVICTABLE)
		rec->use = DEMAND_MLOCKED;
	else
		rec->use = frame->kind == FRAME_ANON ? DEMAND_ANON : DEMAND_SHMEM;
	rec->ref_class = EXTRACT_CLASS_ANON;
	return 0;
}
