/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance.h - a private tracefs instance for one recording
 *
 * Owns the directory instances/reclaimlab-<pid>. Closing it disables what was enabled and removes
 * the directory, so nothing stays behind whichever way a recording ends. What a killed recorder
 * leaves is removed by the next one that starts (cleanup.h). A lock on a file of the instance tells
 * the two apart: the kernel drops it with the process, whatever its number is used for later and in
 * whichever pid namespace it ran.
 */
#ifndef RECLAIMLAB_INSTANCE_H
#define RECLAIMLAB_INSTANCE_H

#include <stdbool.h>
#include <sys/types.h>

#include <tracefs.h>

#include "capture/base/message.h"

#define REC_INSTANCE_PREFIX "reclaimlab-"
#define REC_INSTANCE_LOCK   "trace_marker" /* the file whose lock says that it is alive */

struct rec_instance {
	struct tracefs_instance *tracefs;
	char name[64];
	int lock;
};

/*
 * The directory of tracefs. NULL with a line in @msg where the kernel has none, it cannot be
 * mounted, it is read-only or it is not permitted; the line says what would help.
 */
const char *rec_tracing_dir(struct rl_msg *msg);

/*
 * Recordings that begin or end, and cleanups, do so one after the other: hold what this returns
 * (closed by close()) around them. A negative errno where there is no directory of instances.
 */
int rec_tracing_lock(struct rl_msg *msg);

/* Create the instance, not tracing. @suffix tells several of one process apart, "" for the first.
 */
int rec_instance_open(struct rec_instance *inst, const char *suffix, struct rl_msg *msg);

/* Remove it. Safe on one that is not open. */
void rec_instance_close(struct rec_instance *inst);

/* True unless somebody else switched it off. */
bool rec_instance_tracing(struct rec_instance *inst);

/* Drop what the ring buffers hold; their statistics start anew. */
int rec_instance_clear(struct rec_instance *inst, struct rl_msg *msg);

/* Write @value to @file of the instance; the line in @msg names both. */
int rec_instance_write(struct rec_instance *inst, const char *file, const char *value,
		       struct rl_msg *msg);

/* The clock of the stamps ("mono", ...); -EINVAL with the kernel's list in @msg. */
int rec_instance_clock(struct rec_instance *inst, const char *clock, struct rl_msg *msg);

/* Ring buffer of each CPU, KiB. */
int rec_instance_buffer(struct rec_instance *inst, unsigned int kb, struct rl_msg *msg);

/* Enable @system:@name (@name NULL: the whole system) with an optional @filter. */
int rec_instance_enable(struct rec_instance *inst, const char *system, const char *name,
			const char *filter, struct rl_msg *msg);

/*
 * The same for every event that fits both patterns of fnmatch(3); @name NULL stands for all of a
 * system. -ENOENT when none does.
 */
int rec_instance_enable_matching(struct rec_instance *inst, const char *system, const char *name,
				 const char *filter, struct rl_msg *msg);

bool rec_instance_is_enabled(struct rec_instance *inst, const char *system, const char *name);

/* Keep the events of thread @tid out. -ENOENT on kernels before 5.6. */
int rec_instance_ignore(struct rec_instance *inst, pid_t tid, struct rl_msg *msg);

/* Record only @tid (and, with event-fork, its children). */
int rec_instance_only(struct rec_instance *inst, pid_t tid, struct rl_msg *msg);

/*
 * Open the ring buffer of @cpu, which is empty as yet, for reads that do not wait; the descriptor
 * or a negative errno. The kernel takes the page that it hands out on the first read: this is one,
 * so that none has to be found when memory is short.
 */
int rec_instance_pipe(struct rec_instance *inst, unsigned int cpu, struct rl_msg *msg);

int rec_instance_on(struct rec_instance *inst, bool on, struct rl_msg *msg);

#endif
