/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ingest_private.h - what the handlers of ingest_*.c share (see ingest.h) */
#ifndef RECLAIMLAB_INGEST_PRIVATE_H
#define RECLAIMLAB_INGEST_PRIVATE_H

#include <stdbool.h>

#include "sql/ingest.h"

#define INGEST_COMM_SIZE 32 /* TASK_COMM_LEN is 16; text may hold more */
#define INGEST_DEPTH	 8  /* reclaim episodes of one task inside each other; the kernel has 3 */
#define INGEST_NODES	 1024
#define INGEST_LONGEST	 (INT64_C(1) << 50) /* ns, 13 days: no begin and end are so far apart */

enum ingest_kind {
	INGEST_UNKNOWN,
	INGEST_USER,
	INGEST_KSWAPD,
	INGEST_KCOMPACTD,
	INGEST_KHUGEPAGED,
	INGEST_KWORKER,
	INGEST_RECORDER,
	INGEST_NR_KINDS,
};

/* A half-made row; present says whether there is one. */
struct ingest_scan_open {
	bool present;
	int64_t file; /* 1: of a file list, where the list has no name, or NULL */
	int64_t value[store_scan_nr];
};

struct ingest_slab_open {
	bool present;
	int64_t value[store_slab_nr];
};

struct ingest_compaction_open {
	bool present;
	int64_t value[store_compaction_nr];
};

struct ingest_migrate_open {
	bool present;
	int64_t value[store_migrate_nr];
};

struct ingest_cycle_open {
	bool present;
	uint64_t last; /* stamp of the last event at reclaim rate */
	int64_t value[store_kswapd_cycle_nr];
};

/* What a task is in the middle of. Most tasks never reclaim and have none. */
struct ingest_work {
	unsigned int depth;
	int64_t episode[INGEST_DEPTH][store_reclaim_nr]; /* outermost first */
	struct ingest_scan_open scan;
	struct ingest_slab_open slab;
	struct ingest_compaction_open compaction;
	struct ingest_migrate_open migrate;
	struct ingest_cycle_open cycle; /* of a kswapd */
};

/* One life of a thread id. */
struct ingest_task {
	int64_t row; /* task.task */
	uint64_t first, last;
	struct ingest_work *work;
	int32_t pid;
	enum ingest_kind kind;
	bool by_name; /* kind comes from the name and may change with it */
	bool exited;
	char comm[INGEST_COMM_SIZE]; /* "" not known yet */
};

/* The last wakeup_kswapd of a node. */
struct ingest_waker {
	bool present;
	uint64_t ts;
	int64_t task;
};

/* What a number counts, which says how large it may be (ingest_damage.c). */
enum ingest_bound_of {
	INGEST_PAGES,
	INGEST_OBJECTS,
	INGEST_MICROSECONDS,
	INGEST_ORDER,
	INGEST_NR_BOUNDS,
};

/* How an event becomes a row by itself. */
struct ingest_layout {
	int table; /* -1: it does not */
	unsigned int nr;
	uint32_t slots, strings;	  /* a bit each */
	uint32_t bound[INGEST_NR_BOUNDS]; /* slots whose values have these bounds */
	bool fast;			  /* page rate */
};

struct ingest_tasks;

struct ingest {
	struct store *store;
	int64_t run;
	struct ingest_layout layout[VOCAB_NR];
	struct ingest_tasks *tasks;
	const char *(*comm)(void *ctx, int32_t pid);
	void *comm_ctx;
	int32_t recorder;
	bool isolate_seen;    /* the recording has lru_isolate */
	bool inactive_seen;   /* and lru_shrink_inactive */
	bool unfinished_seen; /* an inactive batch took pages and was followed by another one */
	bool isolate_counts;  /* isolate_mode is that of 3.1 and before */
	bool any;
	uint64_t first, last;
	struct ingest_waker waker[INGEST_NODES];
	struct ingest_task *kswapd[INGEST_NODES]; /* by node */
};

/* Tasks: ingest_task.c. */
int ingest_tasks_open(struct ingest *ingest, struct rl_msg *msg);
void ingest_tasks_close(struct ingest *ingest);

/* The present life of @pid, begun when there is none. NULL when memory is short. */
struct ingest_task *ingest_task(struct ingest *ingest, int32_t pid, uint64_t ts);
/* The present life of @pid or NULL. */
struct ingest_task *ingest_task_find(struct ingest *ingest, int32_t pid);
void ingest_task_name(struct ingest_task *task, const char *comm, size_t len);
/* @task was seen doing what only threads of @kind do. */
void ingest_task_is(struct ingest_task *task, enum ingest_kind kind);
/* Events of sched that tell of names and lives. */
int ingest_task_event(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		      struct rl_msg *msg);
/* Its work, made when there is none. NULL when memory is short. */
struct ingest_work *ingest_task_work(struct ingest_task *task);
/* Calls @each for every life in the order of the rows; stops at an error. */
int ingest_tasks_each(struct ingest *ingest,
		      int (*each)(struct ingest *ingest, struct ingest_task *task,
				  struct rl_msg *msg),
		      struct rl_msg *msg);
int ingest_tasks_write(struct ingest *ingest, struct rl_msg *msg);

/*
 * Can @ev be the end of @row? Text may come out of the order of time, and a damaged stamp may be
 * years away; sums of such durations would leave 64 bits.
 */
static inline bool ingest_is_behind(const int64_t *row, const struct event *ev)
{
	return (int64_t)ev->ts >= row[STORE_TS] && (int64_t)ev->ts - row[STORE_TS] < INGEST_LONGEST;
}

/* Who reclaims when @task does (see ingest.h). */
enum store_actor ingest_actor(const struct ingest_task *task);

/* The common columns of a row that begins with @ev. All others become NULL. */
void ingest_row(int64_t *value, unsigned int nr, const struct ingest_task *task,
		const struct event *ev);

/* The same with the common columns of @like, a row of any table. */
void ingest_row_like(int64_t *value, unsigned int nr, const int64_t *like);

/* *@sum += @add, where both may be NULL. */
void ingest_add(int64_t *sum, int64_t add);

/* The value of @slot, or NULL. */
static inline int64_t ingest_value(const struct event *ev, unsigned int slot)
{
	return event_value(ev, slot, STORE_NULL);
}

/* Values that cannot be: ingest_damage.c. The slots of @entry that each bound holds for. */
void ingest_bound_slots(const struct vocab_entry *entry, uint32_t slots[INGEST_NR_BOUNDS]);
/* Those of @slots whose value in @ev is beyond their bound. */
uint32_t ingest_unsound(const struct event *ev, const uint32_t slots[INGEST_NR_BOUNDS]);
/* A row of the table loss for each slot of @unsound. */
int ingest_damage(struct ingest *ingest, const struct event *ev, uint32_t unsound,
		  struct rl_msg *msg);

typedef int ingest_handler(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			   struct rl_msg *msg);

/* Handlers, one file a topic; close functions put what is still open at the end. */
ingest_handler ingest_reclaim_begin, ingest_reclaim_end;
int ingest_reclaim_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg);
/* Add to column @column of every open episode of @task. */
void ingest_reclaim_sum(struct ingest_task *task, unsigned int column, int64_t add);

ingest_handler ingest_scan_isolate, ingest_scan_shrink;
int ingest_scan_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg);

ingest_handler ingest_kswapd_wake, ingest_kswapd_sleep, ingest_kswapd_wakeup;
int ingest_kswapd_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg);
/* @task, a kswapd, did something at reclaim rate. */
void ingest_kswapd_active(struct ingest_task *task, const struct event *ev);
/* The node of @task, a kswapd, or NULL as long as it is not known. */
int64_t ingest_kswapd_node(const struct ingest_task *task);
/* It scanned a batch (a row of the table scan). */
void ingest_kswapd_scan(struct ingest_task *task, const int64_t *scan);

ingest_handler ingest_throttle, ingest_slab_start, ingest_slab_end;
int ingest_slab_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg);

ingest_handler ingest_compaction_begin, ingest_compaction_end, ingest_compaction_part;
int ingest_compaction_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg);

ingest_handler ingest_migrate_start, ingest_migrate_pages;
int ingest_migrate_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg);

ingest_handler ingest_marker;

#endif
