/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workfile.h - the file of a running recording, and what becomes of it
 *
 * While it runs: a trace.dat v6 whose head is complete and in which every CPU has a sparse region
 * that the drain threads fill. At the end: version 6 with the regions moved together, or version 7
 * with zstd, under the name that the user asked for. A killed recorder leaves NAME.partial. Where
 * the disk is full, or the packed file cannot be written for another reason, the working file
 * itself, unpacked and with holes between the regions, becomes what the user gets.
 */
#ifndef RECLAIMLAB_WORKFILE_H
#define RECLAIMLAB_WORKFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/record/drain.h"
#include "capture/record/meta.h"
#include "capture/record/stats.h"

struct workfile;

struct workfile_options {
	const char *output;
	unsigned int version; /* 6 or 7, of the final file */
	unsigned int cpus;
	uint64_t max_bytes; /* of trace data, all CPUs; 0: 95 % of what is free on the disk */
	const char *clock;
};

/* Write the head; the texts of @meta are copied into it. Takes no page cache when it returns. */
int workfile_open(const struct trace_meta *meta, const struct workfile_options *options,
		  struct workfile **out, struct rl_msg *msg);

/* Where the pages are to be written, and how far that is. */
const struct drain_target *workfile_target(const struct workfile *file);
uint64_t workfile_bytes(const struct workfile *file);

/* Name of the working file in its folder. */
const char *workfile_temp_name(const struct workfile *file);

/* The names of tasks as they are known by now; workfile_complete() replaces them. */
int workfile_names(struct workfile *file, const struct meta_text *names, struct rl_msg *msg);

/* Bring the sizes in the head up to date. */
int workfile_update(struct workfile *file, struct rl_msg *msg);

/* What workfile_complete() made of it. */
enum workfile_end {
	WORKFILE_PACKED,   /* as asked for */
	WORKFILE_UNPACKED, /* version 6 instead of 7: @msg says why */
};

/*
 * Make the final file with statistics of the ring buffers and task names. Takes a while for large
 * recordings. @full: the disk is, so there is no use in trying to pack. Returns enum workfile_end,
 * or a negative errno; then the working file is still there under its own name.
 */
int workfile_complete(struct workfile *file, const char *output, const struct rec_stats *stats,
		      const struct meta_text *names, bool full, struct rl_msg *msg);

/* After workfile_complete(): does the path lead to it? Not when its mount was taken away. */
bool workfile_reachable(const struct workfile *file);

/* Removes the working file unless it was completed. NULL is fine. */
void workfile_close(struct workfile *file);

#endif
