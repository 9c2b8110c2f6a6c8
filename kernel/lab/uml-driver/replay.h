/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - a demand file performed by the kernel's own memory management
 *
 * "echo DEMAND TRACE > /sys/kernel/debug/replay/run" (two paths of the host; TRACE may be -) maps
 * the demand file, starts one task for each of the file's, and returns when all have ended. Each
 * task is a closed loop: it thinks (sleeps), performs its next request, waits for what the request
 * needs, and goes on. Beside it, result tells what was done, and vmstat.before and vmstat.after
 * hold the counters at the two ends of the trace. The format of the file is docs/demand-format.md
 * of reclaimlab, plain.
 *
 * What is the kernel's own: allocation, page cache, LRU lists, rmap, swap, workingset, writeback,
 * dirty throttling, kswapd, direct reclaim, compaction. What is modelled: the devices (device.h),
 * the time that a task thinks, and the cost of scanning a page (reclaimlab.scan_cost_ns).
 *
 * The tasks are user tasks that never return to user space: kernel threads are exempt from
 * throttling. They share the address space of the writer of "run", in which every anonymous page of
 * the demand has an address of its own.
 */
#ifndef RECLAIMLAB_REPLAY_H
#define RECLAIMLAB_REPLAY_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <linux/wait.h>

#define REPLAY_MAGIC	   "RLDEMAND"
#define REPLAY_VERSION	   1
#define REPLAY_FLAG_PLAIN  1
#define REPLAY_HEADER_SIZE 96
#define REPLAY_RECORD_SIZE 48
#define REPLAY_NONE	   0xffffffffU
#define REPLAY_MAX_TASKS   2048
#define REPLAY_MAX_FILES   (1U << 24)
#define REPLAY_MAX_NOTES   (1U << 20)

struct replay_header {
	char magic[8];
	__le32 version, header_size, record_size, flags;
	__le64 records, start, duration;
	__le32 page_size, cpus, tasks, files, pages, notes;
	u8 reserved[24];
};

struct replay_task_entry {
	__le64 first;
	__le32 tid, kind;
	char name[16];
};

struct replay_file_entry {
	__le64 dev, ino;
	__le32 pages, spare;
};

struct replay_record {
	__le64 at, think;
	__le32 task, gfp, object, index, start;
	__le16 count, memcg;
	u8 op, order, migratetype, use, flags, ref_class, node, reserved;
};

enum replay_op {
	OP_NOP,
	OP_ALLOC,
	OP_FREE,
	OP_CACHE,
	OP_ACCESS,
	OP_DIRTY,
	OP_TRUNCATE,
	OP_EXIT,
	OP_PROACTIVE,
	OP_KNOB,
	OP_MARK,
	OP_SYNC,
	NR_OPS
};

enum { KIND_USER, KIND_KTHREAD, KIND_HELPERS };

enum replay_use { USE_KERNEL, USE_ANON, USE_SHMEM, USE_SLAB, USE_MLOCKED, NR_USES };

enum replay_flag {
	FLAG_ASYNC = 1,
	FLAG_NO_MARK = 2,
	FLAG_MAPPED = 4,
	FLAG_WRITE = 8,
	FLAG_FILE = 16,
	FLAG_FALLBACK = 32,
	FLAG_IDLE = 64,
	FLAG_EXEC = 128,
};

/* What was done, for the result file. */
enum replay_count {
	COUNT_OPS,
	COUNT_MISSES = COUNT_OPS + NR_OPS, /* synchronous reads that waited for the device */
	COUNT_READ_PAGES,
	COUNT_ALLOC_FAILED,
	COUNT_HIDDEN, /* requests that this driver cannot perform as asked */
	COUNT_KILLED, /* tasks that the OOM killer ended */
	NR_COUNTS
};

struct replay_run {
	const void *map;
	unsigned long map_size;
	const struct replay_record *records;
	const struct replay_task_entry *tasks;
	const struct replay_file_entry *files;
	u32 nr_tasks, nr_files, nr_pages;
	u64 nr_records;

	u32 *next;	       /* by record: the next record of the same task, plus 1 */
	u32 *first;	       /* by task */
	u64 *pages;	       /* by logical page: see requests.c */
	struct inode **inodes; /* by file */
	unsigned long anon;    /* address of logical page 0 */

	ktime_t start;
	atomic_t running;
	wait_queue_head_t idle;
	pid_t first_pid;
	u64 progress, requests; /* sum of the times of requests since the task's begin, ns */
	u64 counts[NR_COUNTS];	/* one CPU, no preemption: plain increments */
};

/* tasks.c: start the tasks and wait for their end. */
int replay_tasks_run(struct replay_run *run);

/* Sleep without being woken by signals. */
void replay_sleep(u64 ns);

/* requests.c: perform one record for the current task. */
void replay_request(struct replay_run *run, const struct replay_record *record);
void replay_release_pages(struct replay_run *run);
void replay_fault_in(struct replay_run *run, unsigned long address, bool write);

/* cache.c: the files of the demand, inodes of a file system without names. */
int replay_cache_init(void);
int replay_cache_open(struct replay_run *run);
void replay_cache_close(struct replay_run *run);
/* A file of @active + @inactive pages in memory; *@inode is the caller's. */
int replay_cache_fill(unsigned long active, unsigned long inactive, struct inode **inode);
void replay_cache_read(struct replay_run *run, const struct replay_record *record);
void replay_cache_touch(struct replay_run *run, const struct replay_record *record);
void replay_cache_dirty(struct replay_run *run, const struct replay_record *record);
void replay_cache_truncate(struct replay_run *run, const struct replay_record *record);
void replay_cache_sync(struct replay_run *run, u32 file);

/* start.c: memory as it was when the recording began, and back. Start may sleep and reclaim. */
int replay_start(struct replay_run *run);
void replay_start_release(void);

/* counters.c: the counters of /proc/vmstat at the two ends of the trace. */
enum replay_moment { MOMENT_BEFORE, MOMENT_AFTER, NR_MOMENTS };

struct seq_file;
void replay_counters_take(enum replay_moment moment);
void replay_counters_show(struct seq_file *seq, enum replay_moment moment);

/* trace.c: the trace, written to the host from inside. */
int replay_trace_start(const char *path);
void replay_trace_drain(bool all);
void replay_trace_mark(const char *text);
int replay_trace_stop(u64 *bytes, u64 *lost);

#endif
