/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_args.h - the arguments of an event's line become its values
 *
 * Which key is which slot, and how its value reads, is asked of the vocabulary; nothing here knows
 * a field. Two caches make that cheap: keys come in the same order in every line of an event, and
 * names of flags and enumerations come again and again.
 */
#ifndef RECLAIMLAB_TEXT_ARGS_H
#define RECLAIMLAB_TEXT_ARGS_H

#include "capture/read/text_pattern.h"
#include "capture/vocabulary/event.h"

struct text_args;

/* How well arguments were understood. */
struct text_score {
	unsigned int slots; /* values that were set */
	unsigned int bad;   /* keys and words that mean nothing, values that do not read */
};

/* @patterns stays the caller's. Returns NULL when memory is short. */
struct text_args *text_args_new(struct text_patterns *patterns);
void text_args_free(struct text_args *args);

/* Bytes of a page of the recorded machine, 4096 until it is known. */
void text_args_page_size(struct text_args *args, unsigned int page_size);

/* Bare gfp numbers have the bits of vocab_gfp_number(), or nothing is known of them. */
void text_args_gfp_known(struct text_args *args, bool known);

/*
 * Set id, have, value and string of @ev from @text; strings point into it.
 */
struct text_score text_args_parse(struct text_args *args, enum vocab_id id, const char *text,
				  size_t len, struct event *ev);

/* The same from the groups of a match of a LOG pattern. */
struct text_score text_args_log(struct text_args *args, const struct text_match *match,
				struct event *ev);

#endif
