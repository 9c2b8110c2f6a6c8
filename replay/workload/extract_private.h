/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extract_private.h - what the files of the extraction share (see extract.h)
 *
 * While events come in, a record's @think holds the length of the request in ns (a run lasts from
 * its first to its last add); extract_finish.c turns it into the thinking time when all records and
 * stalls are known, because probes prove some touches only later than they happened.
 */
#ifndef RECLAIMLAB_EXTRACT_PRIVATE_H
#define RECLAIMLAB_EXTRACT_PRIVATE_H

#include "replay/workload/extract.h"
#include "replay/workload/frames.h"
#include "replay/workload/idmap.h"

/* Marks in demand_record.reserved until the demand is made. */
enum { MARK_DEAD = 1, MARK_SWAP_IN = 2, MARK_REQUEST = 4, MARK_RUN = 8, MARK_HIT = 16 };

/* A time that a task lost to the kernel. Ordered by @end, never overlapping. */
struct stall {
	uint64_t end, ns;
};

/* Time that a task lost, in order. */
struct losses {
	struct stall *v;
	uint32_t nr;
	size_t room;
};

struct task {
	int32_t pid;
	uint32_t kind; /* enum demand_task_kind */
	bool kswapd, kcompactd, recorder;
	bool exited;
	uint8_t depth; /* nested reclaim begins */
	bool batch;    /* between lru_isolate and shrink_inactive */
	bool batch_anon;
	bool batch_retries; /* MGLRU goes over a batch again, behind its shrink_inactive */
	bool compacting;
	bool asked; /* has a record */
	uint64_t reclaim_begin, compact_begin;
	uint64_t first, last; /* ns, first and last event */
	int32_t cpu;	      /* of the last event */
	uint64_t occupied;    /* of that CPU at the last event */
	uint32_t run;	      /* open page-cache run: record + 1 */
	uint64_t quiet; /* ns: longest time without an event since the last add, outside reclaim */
	/* The pages that a read() under way was last seen to want; file UINT32_MAX: none. */
	uint32_t asked_file, asked_index, asked_last;
	uint32_t free_run, truncate_run;
	int64_t looked_pfn;   /* folio_referenced under way */
	struct losses stalls; /* to reclaim, the dirty limits, others on its CPU */
	/* Where the scheduler's events tell: sleep of its own accord, and uninterruptible sleep. */
	struct losses naps, waits;
	uint64_t off_at;      /* it left its CPU then; 0: it has one */
	uint64_t runnable_at; /* and wants it since then; 0: it sleeps */
	bool deep;	      /* in uninterruptible sleep */
	bool turns_seen;      /* the scheduler's events are recorded */
	bool turns_missed;    /* but not all of them: it was back without one */
	uint32_t *swapped;    /* logical pages out at swap */
	uint32_t nr_swapped;
	size_t room_swapped;
};

/* A CPU: how long one and the same task showed there from one event to the next, ns in all. */
struct processor {
	uint64_t occupied, last;
	int32_t pid;
};

struct extract {
	struct extract_options options;
	struct extract_counts counts;
	struct frames *frames;
	struct idmap task_ids, file_ids;
	struct idmap
		anon_ids; /* (address space, address) -> logical page, where probes name them */
	struct task *tasks;
	size_t room_tasks;
	struct processor *processors;
	size_t room_processors;
	struct demand_file *files;
	size_t room_files;
	struct demand_record *records;
	uint32_t nr_records;
	size_t room_records;
	/* Pages of files that were added or that reclaim took: (file, index) -> state. */
	struct idmap page_ids;
	uint8_t *page_state;
	size_t room_page_state;
	uint32_t nr_logical;
	uint64_t *looks; /* by logical page: when it was last looked at, mapped or faulted, ns */
	size_t room_looks;
	uint64_t *evictions; /* ns, of anonymous pages by reclaim */
	uint32_t nr_evictions;
	size_t room_evictions;
	bool has_accesses; /* get_pages events are recorded */
	bool has_probes;   /* folio_referenced probes are recorded */
	uint64_t random;
	uint64_t swap_in_second, swap_ins; /* the second under way, and swap-ins in it */
	uint64_t read_tenth, reads;	   /* the tenth of a second, and pages read in it */
};

static inline bool extract_inside(const struct extract *x, uint64_t ts)
{
	return ts >= x->options.start && ts < x->options.end;
}

static inline bool task_reclaims(const struct task *task)
{
	return task->kswapd || task->depth;
}

/* NULL when memory is short. Pointers to tasks are good until the next new task. */
struct task *extract_task(struct extract *x, const struct event *ev);

/* The number of a task's record in demand.tasks is its place here. */
static inline uint32_t extract_task_number(const struct extract *x, const struct task *task)
{
	return (uint32_t)(task - x->tasks);
}

/* Append a record of @task at @ts; closes the task's open runs. NULL when memory is short. */
struct demand_record *extract_record(struct extract *x, struct task *task, uint64_t ts,
				     enum demand_op op);

/* @losses grows by @ns that ended at @end. Returns 0 or -ENOMEM. */
int extract_loss(struct losses *losses, uint64_t end, uint64_t ns);
/* Who had which CPU up to @ev of @task (turns.c). Returns 0 or -ENOMEM. */
int extract_turn(struct extract *x, struct task *task, const struct event *ev);

uint64_t extract_random(struct extract *x);

/* One more swap-in, at @ts. */
void extract_count_swap_in(struct extract *x, uint64_t ts);

/* Remember when logical page @logical was last known to be looked at. Returns 0 or -ENOMEM. */
int extract_looked(struct extract *x, uint32_t logical, uint64_t ts);

int extract_page_alloc(struct extract *x, struct task *task, const struct event *ev);
int extract_page_free(struct extract *x, struct task *task, const struct event *ev);
int extract_lru_insertion(struct extract *x, const struct event *ev);
int extract_cache_add(struct extract *x, struct task *task, const struct event *ev);
int extract_cache_delete(struct extract *x, struct task *task, const struct event *ev);
int extract_request(struct extract *x, struct task *task, const struct event *ev);
int extract_fault(struct extract *x, struct task *task, const struct event *ev);
int extract_activation(struct extract *x, struct task *task, const struct event *ev);
int extract_probe(struct extract *x, struct task *task, const struct event *ev);

#endif
