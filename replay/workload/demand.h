/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demand.h - what a workload asked of memory, and nothing that the kernel answered
 *
 * A demand is an ordered list of requests. Every request belongs to a task and says what that task
 * wanted and how long it thought before (its own CPU time or sleep, with all recorded stalls taken
 * out), so that a replay can let each task run as a closed loop: a stall that another policy causes
 * delays what comes after.
 *
 * Names are logical. An anonymous or kernel page is a number below demand.nr_pages; a page-cache
 * page is a file number and an index. Page frames of the recorded machine never appear.
 *
 * This header is both the form in memory and, field by field, the record of the demand file
 * (docs/demand-format.md), which demand_file.h reads and writes. Records are ordered by @at, the
 * recorded time; records of one task keep their order.
 */
#ifndef RECLAIMLAB_DEMAND_H
#define RECLAIMLAB_DEMAND_H

#include <stddef.h>
#include <stdint.h>

#include "capture/base/message.h"

#define DEMAND_NONE UINT32_MAX

/* The numbers are those of the file and never change their meaning. */
enum demand_op {
	DEMAND_NOP = 0,	  /* only the thinking time */
	DEMAND_ALLOC = 1, /* @count times 2^@order pages, logical pages from @object on */
	DEMAND_FREE = 2,  /* @count logical pages from @object on */
	DEMAND_CACHE = 3, /* read page @index of file @object; absent: read [@start, +@count) */
	DEMAND_ACCESS =
		4,	  /* touch page @object through a page table (or, DEMAND_FILE, of a file) */
	DEMAND_DIRTY = 5, /* write pages [@index, +@count) of file @object */
	DEMAND_TRUNCATE = 6,  /* pages [@index, +@count) of file @object leave the page cache */
	DEMAND_EXIT = 7,      /* the task ends */
	DEMAND_PROACTIVE = 8, /* memory.reclaim of @object pages from memcg @memcg */
	DEMAND_KNOB = 9,      /* write @index to setting @object (enum demand_knob) */
	DEMAND_MARK = 10,     /* marker @object: a trace marker of the recording */
	DEMAND_SYNC = 11,     /* write back file @object and wait; DEMAND_NONE: every file */
	DEMAND_NR_OPS
};

enum demand_use {
	DEMAND_KERNEL = 0,
	DEMAND_ANON = 1,
	DEMAND_SHMEM = 2,
	DEMAND_SLAB_RECLAIMABLE = 3,
	DEMAND_MLOCKED = 4,
	DEMAND_NR_USES
};

enum demand_flags {
	DEMAND_ASYNC = 1,     /* CACHE: start the read of the absent pages, wait for nothing */
	DEMAND_NO_MARK = 2,   /* CACHE: a hit does not mark the page accessed */
	DEMAND_MAPPED = 4,    /* CACHE: a fault through a mapping */
	DEMAND_WRITE = 8,     /* ACCESS: makes the page dirty */
	DEMAND_FILE = 16,     /* ACCESS: @object is a file, @index the page */
	DEMAND_FALLBACK = 32, /* ALLOC: a huge page that falls back to single pages */
	DEMAND_IDLE = 64,     /* @think was spent asleep, not on a CPU */
	DEMAND_EXEC = 128,    /* the mapping is executable */
};

enum demand_knob {
	DEMAND_KNOB_MIN_FREE_KBYTES = 0,
	DEMAND_KNOB_WATERMARK_SCALE_FACTOR = 1,
	DEMAND_KNOB_WATERMARK_BOOST_FACTOR = 2,
	DEMAND_KNOB_SWAPPINESS = 3,
	DEMAND_KNOB_DIRTY_RATIO = 4,
	DEMAND_KNOB_DIRTY_BACKGROUND_RATIO = 5,
	DEMAND_KNOB_MEMCG_MAX = 6,
	DEMAND_KNOB_MEMCG_HIGH = 7,
	DEMAND_KNOB_MEMCG_LOW = 8,
	DEMAND_KNOB_MEMCG_MIN = 9,
	DEMAND_KNOB_MEMCG_SOFT_LIMIT = 10,
	DEMAND_KNOB_DROP_CACHES = 11,
	DEMAND_NR_KNOBS
};

/* 48 bytes, no padding; little-endian in the file. */
struct demand_record {
	uint64_t at;	/* ns from the start: when it was asked for in the recording */
	uint64_t think; /* ns that the task spent of its own accord before it */
	uint32_t task;	/* index into demand.tasks */
	uint32_t gfp;	/* low 32 bits of the project's allocation flags (gfp.h) */
	uint32_t object;
	uint32_t index;
	uint32_t start;
	uint16_t count;
	uint16_t memcg;
	uint8_t op;	     /* enum demand_op */
	uint8_t order;	     /* 0..10 */
	uint8_t migratetype; /* 0 unmovable, 1 movable, 2 reclaimable */
	uint8_t use;	     /* enum demand_use */
	uint8_t flags;	     /* enum demand_flags */
	uint8_t ref_class;   /* 0: no hidden references; else see the notes "ref_class.N" */
	uint8_t node;
	uint8_t reserved; /* 0 */
};

_Static_assert(sizeof(struct demand_record) == 48, "the record of the demand file has 48 bytes");

enum demand_task_kind {
	DEMAND_TASK_USER = 0,
	DEMAND_TASK_KTHREAD = 1,
	DEMAND_TASK_HELPERS = 2, /* many short-lived tasks of the recording, taken together */
};

#define DEMAND_COMM_SIZE 16

struct demand_task {
	uint64_t first; /* ns from the start: when the task's first think time begins */
	int32_t tid;
	uint32_t kind;		     /* enum demand_task_kind */
	char comm[DEMAND_COMM_SIZE]; /* NUL-padded */
};

struct demand_file {
	uint64_t dev; /* major << 20 | minor */
	uint64_t ino;
	uint32_t pages; /* highest index + 1 */
	uint32_t spare; /* 0 */
};

struct demand {
	uint64_t start;	   /* ns on the recording's clock at time 0 */
	uint64_t duration; /* ns */
	uint32_t page_size;
	uint32_t cpus;
	uint32_t nr_pages; /* logical pages are numbered below this */
	uint32_t nr_tasks;
	uint32_t nr_files;
	size_t nr_records;
	struct demand_task *tasks;
	struct demand_file *files;
	struct demand_record *records;
	char *notes; /* lines "key value", NUL-terminated; never NULL once read or extracted */
};

/* An empty demand. NULL when memory is short. */
struct demand *demand_new(void);
void demand_free(struct demand *demand);

/* "alloc", "free", ...; NULL for a number out of range. Static. */
const char *demand_op_name(unsigned int op);

/*
 * Append a line "key value" to the notes. Returns 0 or -ENOMEM. A newline in the value becomes a
 * blank.
 */
int demand_note(struct demand *demand, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The value of @key in the notes, copied to @buf (cut to @size), or NULL where there is none. */
const char *demand_note_find(const struct demand *demand, const char *key, char *buf, size_t size);

/*
 * Check that everything that a record names exists and that times ascend: what a consumer may rely
 * on. Returns 0, or -EBADMSG with the record's number and what is wrong with it in @msg.
 */
int demand_check_record(const struct demand *demand, const struct demand_record *rec, size_t nr,
			struct rl_msg *msg);

#endif
