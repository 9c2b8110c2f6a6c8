/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_pattern.h - the pattern table of text_layouts.def, compiled
 *
 * Patterns are compiled once a source, when they are first needed, with PCRE2's JIT where it is
 * there, and matched with bounded effort: a hostile line ends in "no match", never in a long
 * search.
 */
#ifndef RECLAIMLAB_TEXT_PATTERN_H
#define RECLAIMLAB_TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "capture/base/message.h"
#include "capture/vocabulary/event.h"
#include "capture/vocabulary/vocabulary.h"

enum text_form { TEXT_NONE, TEXT_FTRACE, TEXT_TRACE_CMD, TEXT_PERF, TEXT_ATRACE };

enum text_pattern_type {
	PATTERN_PREFIX,
	PATTERN_PREFIX_LATE,
	PATTERN_LAYOUT,
	PATTERN_LAYOUT_LAST,
	PATTERN_LOG,
	PATTERN_BODY,
	PATTERN_LOSS,
	PATTERN_NOISE,
	PATTERN_DUMP,
	PATTERN_REFUSED,
};

struct text_pattern {
	enum text_pattern_type type;
	const char *name;
	enum text_form form;  /* of LAYOUT and NOISE */
	enum vocab_id id;     /* of LOG and BODY */
	const char *argument; /* kind of LOSS, advice of REFUSED */
	const char *source;
};

#define TEXT_GROUPS 24

/* A match: the whole of it is @len bytes; groups by the names of the pattern. */
struct text_match {
	const struct text_pattern *pattern;
	size_t len;
	unsigned int nr_groups;
	struct {
		const char *name;
		struct event_string text; /* text NULL: did not take part */
	} group[TEXT_GROUPS];
};

struct text_patterns;

/* Returns NULL when memory is short. */
struct text_patterns *text_patterns_new(void);
void text_patterns_free(struct text_patterns *patterns);

/* Compile all of them now. False when one is no valid pattern, or memory is short. */
bool text_patterns_compile(struct text_patterns *patterns);

/* The first pattern of @type that matches at the begin of @text. */
bool text_match(struct text_patterns *patterns, enum text_pattern_type type, const char *text,
		size_t len, struct text_match *match);

/* The same among the patterns of one event. */
bool text_match_event(struct text_patterns *patterns, enum text_pattern_type type, enum vocab_id id,
		      const char *text, size_t len, struct text_match *match);

/* The group called @name; an empty string with text NULL where it took no part. */
struct event_string text_group(const struct text_match *match, const char *name);

/* The name of a kernel thread that the latency format has cut, or @name. */
struct event_string text_whole_name(struct event_string name);

/* Does this event show that bare gfp numbers of its recording can be read? */
bool text_proves_gfp(const struct event *ev);

/* The table itself, for tests: @i from 0, NULL behind the last. */
const struct text_pattern *text_pattern_at(unsigned int i);

#endif
