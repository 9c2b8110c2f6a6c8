/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meta.h - what a trace.dat says about the kernel it was recorded on
 *
 * Read from tracefs and /proc: page header, event formats, task names, symbols. The texts belong to
 * the struct. Formats are those of every system that the vocabulary knows and of ftrace's own
 * events, so that a reader can tell an event that the kernel lacks from one that was not recorded.
 */
#ifndef RECLAIMLAB_META_H
#define RECLAIMLAB_META_H

#include <stddef.h>

#include "capture/base/message.h"
#include "capture/record/instance.h"

struct meta_text {
	char *data; /* a NUL stands behind it */
	size_t size;
};

struct meta_format {
	char *system;
	char *name;
	struct meta_text text;
};

struct trace_meta {
	struct meta_text header_page;
	struct meta_text header_event;
	unsigned int nr_formats;
	struct meta_format *format; /* sorted by system, ftrace first */
	unsigned int page_size;	    /* bytes of a sub-buffer, with its header */
};

/*
 * The formats of all systems that the vocabulary knows, and of every other one of which an event is
 * recorded: choose the events first. Returns 0 or a negative errno.
 */
int meta_read(struct rec_instance *inst, struct trace_meta *meta, struct rl_msg *msg);
void meta_free(struct trace_meta *meta);

/* A whole file into memory; @max bytes at most (-EFBIG). For texts of /proc and tracefs. */
int meta_read_file(const char *path, size_t max, struct meta_text *text, struct rl_msg *msg);

#endif
