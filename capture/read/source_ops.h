/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source_ops.h - what a kind of input implements (see source.h)
 *
 * A kind is one file, source_NAME.c, with a struct source_ops, and one line in the table of
 * source.c. match() decides by the first bytes of the unpacked input; the first kind of the table
 * that says yes gets it. open() allocates its own struct that begins with struct source, fills
 * source.info, and leaves the rest of struct source to source.c.
 */
#ifndef RECLAIMLAB_SOURCE_OPS_H
#define RECLAIMLAB_SOURCE_OPS_H

#include <stddef.h>

#include "capture/base/spool.h"
#include "capture/read/source.h"

/* match() sees this many bytes at most. */
#define SOURCE_HEAD_SIZE 65536

struct source_ops {
	const char *expects; /* for the line that says what was understood of nothing */
	bool (*match)(const uint8_t *head, size_t size);
	/* @path can be read from its begin, also when the input came through a pipe. */
	int (*open)(const char *path, const struct rl_progress *progress, struct source **out,
		    struct rl_msg *msg);
	void (*close)(struct source *source);
	void (*want)(struct source *source, enum vocab_id id, enum source_want want);
	void (*want_from)(struct source *source, enum vocab_id id, unsigned int slot, int64_t min);
	int (*next)(struct source *source, struct event *ev, struct rl_msg *msg);
	const char *(*comm)(const struct source *source, int32_t pid);
	bool (*span)(const struct source *source, uint64_t *first, uint64_t *last); /* or NULL */
	bool (*count_at)(const struct source *source, unsigned int i, struct source_count *count);
	bool (*loss_at)(const struct source *source, unsigned int i, struct source_loss *loss);
	const char *(*damage_at)(const struct source *source, unsigned int i);
	/* NULL where no input of this kind has any. */
	int (*reports)(const struct source *source, const struct counters_visitor *visitor,
		       struct rl_msg *msg);
};

struct source {
	const struct source_ops *ops;
	struct source_info info;
	const struct rl_progress *progress;
	char *name;	       /* as the user gave it */
	struct rl_spool spool; /* holds what came through a pipe */
};

extern const struct source_ops source_tracedat_ops, source_text_ops;

#endif
