/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.h - moves ring-buffer pages to the working file
 *
 * While a recording runs there is one thread a CPU. It sleeps until its CPU's buffer is a quarter
 * full, then reads whole sub-buffers with read() into one locked, aligned block and writes full
 * blocks at the end of its region of the working file; once a second it writes whatever there is,
 * so that a killed recorder loses no more than that. A flight recorder has no threads: the buffers
 * are read once, when there is something to keep. Nothing is allocated after drain_open(). Where a
 * file system takes no O_DIRECT, what was written is flushed and dropped from the page cache block
 * by block.
 */
#ifndef RECLAIMLAB_DRAIN_H
#define RECLAIMLAB_DRAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/base/message.h"
#include "capture/read/ring.h"
#include "capture/record/instance.h"

struct drain;

struct drain_options {
	struct ring_layout layout; /* of the instance's pages */
	unsigned int cpus;
	int realtime; /* SCHED_FIFO priority of the threads, 0: none */
	bool ignored; /* keep the threads out of the instance's events */
};

/* Where the pages go. It is borrowed while they are being moved. */
struct drain_target {
	int fd; /* the working file, opened with O_DIRECT where @direct */
	bool direct;
	const uint64_t *region; /* file offset of each CPU's region */
	uint64_t region_size;	/* bytes that a region may hold */
	uint64_t *size;		/* bytes in each region; written with release order */
};

/* Open the buffers and take all memory. */
int drain_open(struct rec_instance *inst, const struct drain_options *options, struct drain **out,
	       struct rl_msg *msg);

/* Start the threads. They read until drain_stop(). */
int drain_start(struct drain *drain, const struct drain_target *target, struct rl_msg *msg);

/*
 * 0 while all is well, -EFBIG when a region is full, another error with a line in @msg. -ENOSPC,
 * -EDQUOT and -EIO are those of the disk; what was written before stays good.
 */
int drain_error(struct drain *drain, struct rl_msg *msg);

/* Tracing is off: read what is left, write it, end the threads. Returns as drain_error(). */
int drain_stop(struct drain *drain, struct rl_msg *msg);

/* Tracing is off and there are no threads: read and write all that there is. */
int drain_once(struct drain *drain, const struct drain_target *target, struct rl_msg *msg);

/*
 * The most events that were lost on @cpu at a stretch, that is, before its thread had caught up: as
 * many more would have had to fit. After drain_stop(). 0: none.
 */
uint64_t drain_worst_loss(const struct drain *drain, unsigned int cpu);

void drain_free(struct drain *drain);

#endif
