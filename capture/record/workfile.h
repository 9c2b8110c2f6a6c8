/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workfile.h - the file of a running recording, and what becomes of it
 *
 * While it runs: a trace.dat v6 whose head is complete and in which every CPU has a sparse region
 * that the drain threads fill. At the end: version 6 with the regions moved together, or version 7
 * with zstd, under the name that the user asked for. A killed recorder leaves NAME.partial.
 */
#ifndef RECLAIMLAB_WORKFILE_H
#define RECLAIMLAB_WORKFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/record/instance.h"
#include "capture/record/meta.h"

struct workfile;

struct workfile_options {
	const char *output;
	unsigned int version; /* 6 or 7, of the final file */
	unsigned int cpus;
	uint64_t max_bytes; /* of trace data, all CPUs; 0: 95 % of what is free on the disk */
	const char *clock;
};

/* Write the head; the texts of @meta are copied into it. Takes no page cache when it returns. */
int workfile_open(struct rec_instance *inst, const struct trace_meta *meta,
		  const struct workfile_options *options, struct workfile **out,
		  struct rl_msg *msg);

/* Where the drain threads write: descriptor, whether it is O_DIRECT, regions and their size. */
int workfile_fd(const struct workfile *file);
bool workfile_direct(const struct workfile *file);
const uint64_t *workfile_regions(const struct workfile *file);
uint64_t workfile_region_size(const struct workfile *file);

/* Bytes written so far in each region; the drain threads store here. */
uint64_t *workfile_sizes(struct workfile *file);

/* Bring the sizes in the head up to date. */
int workfile_update(struct workfile *file, struct rl_msg *msg);

/*
 * Make the final file: statistics of the ring buffers (read from @inst) and task names go in, then
 * the data. Takes a while for large recordings.
 */
int workfile_complete(struct workfile *file, struct rec_instance *inst, struct rl_msg *msg);

/* Removes the working file unless it was completed. NULL is fine. */
void workfile_close(struct workfile *file);

#endif
