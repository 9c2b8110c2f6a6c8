/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * internal.h - the model that the files of libreclaim share
 *
 * One struct reclaim_engine holds everything; there is no other state. Page frames are numbers
 * into engine->pages, lists are chains of such numbers, so a frame costs sizeof(struct rc_page) and
 * a list operation touches at most three frames. Tasks run their demand directly on the scheduler's
 * stack; only what has to wait inside a request (reclaim, a throttle, a full device queue) moves to
 * a coroutine, where the code reads as straight as the kernel's.
 *
 * The types of each topic and what its files offer the others are in a header of the topic, which
 * this one includes; here are the engine itself and the short functions that look into it.
 */
#ifndef RECLAIM_INTERNAL_H
#define RECLAIM_INTERNAL_H

#include "io.h"
#include "scan.h"

struct reclaim_engine {
	struct reclaim_machine m;
	struct reclaim_profile prof;
	struct reclaim_policy *policy, *rules; /* @rules: the profile's */
	/* The part of the policy that has each decision, NULL: the code's own. The profile's rules
	 * have the throttle and the bail-out where the policy leaves them open. */
	const struct rc_policy_part *p_watermarks, *p_tick, *p_wake, *p_balance_mark,
		*p_scan_balance, *p_verdict, *p_throttle, *p_bailout, *p_memcg, *p_contig, *p_lru;
	const struct reclaim_discipline *discipline;
	struct reclaim_future future; /* members NULL unless the discipline needs it */
	bool mglru;
	bool after_setup;
	struct rc_prng rng;

	struct rc_page *pages;
	uint32_t nr_pages;
	struct rc_zone *zones;
	uint32_t nr_zones;
	struct rc_node nodes[RECLAIM_MAX_NODES];
	struct rc_lruvec *lruvecs; /* [memcg * nodes + node] */
	struct rc_memcg *memcgs;

	struct rc_table logical;
	struct rc_file *files;
	uint32_t nr_files;
	const uint8_t *file_device;
	uint32_t nr_file_device;

	uint64_t total_managed;
	struct rc_slots slots;
	struct rc_swapin swapin; /* readahead by slot */
	uint64_t swap_used;
	uint64_t swap_nameless; /* of these, slots of pages that no demand names */
	uint64_t nr_dirty, nr_writeback, nr_slab;
	uint64_t nr_file_writeback; /* of nr_writeback, pages of files */
	struct rc_list
		dirty_list; /* dirty file pages, oldest at the tail, by dirty_next and dirty_prev */
	struct rc_list slab_list;

	struct rc_actor *actors;
	uint32_t nr_actors, nr_tasks, tasks_left;
	struct rc_cpu *cpus;
	uint32_t nr_cpus;
	struct rc_heap heap;
	int64_t now;
	int64_t horizon;
	uint32_t cur; /* current actor, RC_NONE: the scheduler */
	uint32_t cur_cpu;
	bool in_co;
	struct rc_co *co_free;
	void *main_context;
	struct rc_device devices[RECLAIM_MAX_DEVICES];
	struct rc_request *requests;
	uint32_t nr_requests, cap_requests, free_request;

	struct rc_waitq flusher_wait;
	uint32_t flusher;
	uint64_t flush_pages;		 /* asked by reclaim */
	uint32_t flush_head, flush_tail; /* files with dirty pages, by flush_next */
	uint32_t flush_file, flush_left; /* the file under way, and pages left of its turn */
	uint32_t sync_waiters;
	struct rc_waitq writeback_wait;
	int64_t ratelimit_at; /* last estimate of the write bandwidth */
	uint64_t ratelimit_written, ratelimit_dirtied;
	uint64_t write_bw, avg_write_bw;	      /* pages a second */
	uint64_t dirty_ratelimit, balanced_ratelimit; /* pages a second */
	uint64_t files_written;			      /* pages of files whose writeback ended */
	uint64_t dirty_limit;			      /* in force, pages */
	bool dirty_exceeded;
	struct rc_waitq memcg_wait;
	uint32_t memcg_worker;
	struct rc_waitq oom_wait;

	uint64_t vm[RECLAIM_NR_COUNTERS];
	reclaim_event_fn event;
	void *event_ctx;
	uint64_t event_mask;
	reclaim_next_fn next;
	void *next_ctx;
	int64_t sample_ns;
	void (*sample)(void *ctx, struct reclaim_engine *engine, int64_t at);
	void *sample_ctx;
	uint64_t hash;
	int64_t progress_at; /* when demand last got on */
	uint64_t progress;   /* what had been done then */
	uint32_t instant;    /* turns since simulated time last moved */
	const int *stop;
	int fatal; /* negative errno: the run must stop */
	struct reclaim_error fatal_error;
};

static inline void rc_list_add(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	p->prev = RC_NONE;
	p->next = l->head;
	if (l->head != RC_NONE)
		e->pages[l->head].prev = page;
	else
		l->tail = page;
	l->head = page;
	l->len++;
}

static inline void rc_list_add_tail(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	p->next = RC_NONE;
	p->prev = l->tail;
	if (l->tail != RC_NONE)
		e->pages[l->tail].next = page;
	else
		l->head = page;
	l->tail = page;
	l->len++;
}

static inline void rc_list_del(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (p->prev != RC_NONE)
		e->pages[p->prev].next = p->next;
	else
		l->head = p->next;
	if (p->next != RC_NONE)
		e->pages[p->next].prev = p->prev;
	else
		l->tail = p->prev;
	p->next = RC_NONE;
	p->prev = RC_NONE;
	l->len--;
}

static inline uint64_t rc_table_get(const struct rc_table *t, uint32_t index)
{
	uint32_t c = index >> RC_CHUNK_SHIFT;

	if (c >= t->nr_chunks || !t->chunks[c])
		return 0;
	return t->chunks[c][index & (RC_CHUNK - 1)];
}

/* The place of an entry, made if need be; NULL without memory. */
static inline uint64_t *rc_table_slot(struct rc_table *t, uint32_t index)
{
	uint32_t c = index >> RC_CHUNK_SHIFT;

	if (c >= t->nr_chunks || !t->chunks[c])
		return rc_table_make(t, index);
	return &t->chunks[c][index & (RC_CHUNK - 1)];
}

/* A file, made if need be; NULL without memory. */
static inline struct rc_file *rc_file_get(struct reclaim_engine *e, uint32_t file)
{
	return file < e->nr_files ? &e->files[file] : rc_file_make(e, file);
}

static inline bool rc_wmark_fast(const struct reclaim_engine *e, const struct rc_zone *z,
				 uint32_t order, uint64_t mark, int highest, uint32_t flags,
				 bool min_mark)
{
	uint64_t unusable = 0;

	if (!order) {
		if (e->prof.fast_unusable && !(flags & (RC_ALLOC_HARDER | RC_ALLOC_OOM)))
			unusable = e->prof.free_highatomic ? z->nr_free_highatomic
							   : z->nr_reserved_highatomic;
		if (rc_sub(z->nr_free, unusable) > mark + z->marks.reserve[highest])
			return true;
	}
	return rc_wmark_slow(e, z, order, mark, highest, flags, min_mark);
}

static inline struct rc_actor *rc_current(struct reclaim_engine *e)
{
	return &e->actors[e->cur];
}

static inline struct rc_cpu *rc_this_cpu(struct reclaim_engine *e)
{
	return &e->cpus[e->cur_cpu];
}

/* ---- demand.c ---- */

/* Allocate, charge and fill in a page of a file or a logical page. 0 and *page, or as
 * rc_alloc_pages(). */
int rc_new_page(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d,
		uint32_t gfp, uint32_t order, uint8_t mt, uint32_t *page);
/* Give a new page its name; reads its shadow and puts it on its list. */
void rc_name_page(struct reclaim_engine *e, uint32_t page, uint32_t file, uint32_t index,
		  uint64_t *slot);
void rc_wait_page(struct reclaim_engine *e, struct rc_actor *a, uint32_t page);
/* Carry out the record of a task. 0 done; RC_AGAIN: needs a coroutine. */
int rc_demand_run(struct reclaim_engine *e, struct rc_actor *a);
/* The record is done: a discipline that knows the future looks at its pages anew. */
void rc_demand_used(struct reclaim_engine *e, struct rc_actor *a);
bool rc_demand_check(struct reclaim_engine *e, const struct reclaim_demand *d);

/* ---- event.c ---- */

static inline bool rc_event_wanted(const struct reclaim_engine *e, enum reclaim_event_type type)
{
	return (e->event_mask >> type) & 1;
}
/* A record with time, actor and CPU filled in. */
struct reclaim_event rc_event(const struct reclaim_engine *e, enum reclaim_event_type type);
void rc_emit(struct reclaim_engine *e, const struct reclaim_event *ev);

static inline void rc_count(struct reclaim_engine *e, enum reclaim_counter c, uint64_t n)
{
	e->vm[c] += n;
}

void rc_oom(struct reclaim_engine *e, uint32_t order, uint32_t gfp, int memcg);

#endif
