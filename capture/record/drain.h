/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.h - one thread a CPU that moves ring-buffer pages to the working file
 *
 * A thread sleeps until its CPU's buffer is a quarter full, then reads whole sub-buffers with
 * read() into one locked, aligned block and writes full blocks at the end of its region of the
 * working file; once a second it writes whatever there is, so that a killed recorder loses no more
 * than that. Nothing is allocated after drain_start(). Where a file system takes no O_DIRECT, what
 * was written is flushed and dropped from the page cache block by block.
 */
#ifndef RECLAIMLAB_DRAIN_H
#define RECLAIMLAB_DRAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/base/message.h"
#include "capture/record/instance.h"

struct drain;

struct drain_options {
	int fd; /* the working file, opened with O_DIRECT where @direct */
	bool direct;
	unsigned int page_size; /* of a sub-buffer, bytes */
	const uint64_t *region; /* file offset of each CPU's region */
	uint64_t region_size;	/* bytes that a region may hold */
	unsigned int cpus;
	int realtime;	/* SCHED_FIFO priority, 0: none */
	uint64_t *size; /* bytes in each region; written with release order */
};

/* Start the threads, already kept out of @inst's events. They read until drain_stop(). */
int drain_start(struct rec_instance *inst, const struct drain_options *options, struct drain **out,
		struct rl_msg *msg);

/* 0 while all is well, -EFBIG when a region is full, another error with a line in @msg. */
int drain_error(struct drain *drain, struct rl_msg *msg);

/* Tracing is off: read what is left, write it, end the threads. Returns as drain_error(). */
int drain_stop(struct drain *drain, struct rl_msg *msg);

void drain_free(struct drain *drain);

#endif
