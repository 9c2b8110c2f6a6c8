/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instance.h - a private tracefs instance for one recording
 *
 * Owns the directory instances/reclaimlab-<pid>. Closing it disables what was enabled and removes
 * the directory, so nothing stays behind whichever way a recording ends; what a killed recorder
 * leaves is removed by the next one that starts (its process no longer exists).
 */
#ifndef RECLAIMLAB_INSTANCE_H
#define RECLAIMLAB_INSTANCE_H

#include <stdbool.h>
#include <sys/types.h>

#include <tracefs.h>

#include "capture/base/message.h"

struct rec_instance {
	struct tracefs_instance *tracefs;
	char name[64];
};

/*
 * Create the instance, not tracing. -ENOENT: the kernel has no tracefs or it cannot be mounted;
 * -EPERM/-EACCES: not permitted; the line says what would help. Stale instances are removed.
 */
int rec_instance_open(struct rec_instance *inst, struct rl_msg *msg);

/* Remove it. Safe on one that is not open. */
void rec_instance_close(struct rec_instance *inst);

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

bool rec_instance_is_enabled(struct rec_instance *inst, const char *system, const char *name);

/* Keep the events of thread @tid out. -ENOENT on kernels before 5.6. */
int rec_instance_ignore(struct rec_instance *inst, pid_t tid, struct rl_msg *msg);

/* Record only @tid (and, with event-fork, its children). */
int rec_instance_only(struct rec_instance *inst, pid_t tid, struct rl_msg *msg);

int rec_instance_on(struct rec_instance *inst, bool on, struct rl_msg *msg);

#endif
