/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_line.h - what one line of a text trace is
 *
 * A line is a record (somebody, somewhere, some time, an event and its arguments), a line of a
 * kernel log that is an event, a note of lost events, noise that is understood, or nothing. Names
 * of tasks are hostile: a comm may hold blanks, dashes, brackets, colons and whole records. A
 * record is found from the place where its CPU, time and event stand, the first one with at most 15
 * bytes of name before it; only when there is none, a later one.
 */
#ifndef RECLAIMLAB_TEXT_LINE_H
#define RECLAIMLAB_TEXT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/read/text_pattern.h"

enum text_class { TEXT_UNKNOWN, TEXT_RECORD, TEXT_LOG, TEXT_LOSS, TEXT_NOISE, TEXT_DUMP };

struct text_record {
	enum text_form form;
	struct event_string comm; /* len 0: not known */
	struct event_string system;
	struct event_string event;
	struct event_string args;
	int32_t pid; /* thread; -1: not known */
	int32_t cpu; /* -1: not known */
	uint64_t ts; /* ns, or a bare count */
	bool has_ts;
	bool has_unit; /* ts is in ns */
};

struct text_line {
	enum text_class class;
	struct text_record record; /* of RECORD; ts and comm of LOG where they are known */
	struct text_match match;   /* of LOG, LOSS and NOISE */
	enum text_form form;	   /* what the line shows the input to be, or TEXT_NONE */
	bool of_a_log;		   /* a time of the kernel log stood before it */
	struct event_string rest;  /* the line without what stood before it */
};

/* The most common layouts by hand: "comm-pid ... [cpu] flags ts: event: args" and perf's. */
bool text_scan(const char *text, size_t len, struct text_record *record);

/* The same, and all other layouts, by the patterns. */
bool text_scan_patterns(struct text_patterns *patterns, const char *text, size_t len,
			struct text_record *record);

/* What the line is; @text without the end of line. */
void text_classify(struct text_patterns *patterns, const char *text, size_t len,
		   struct text_line *line);

/*
 * Was a line that is nothing a record before it was damaged? It holds a stamp (seconds and six or
 * nine digits) or the name of an event of the vocabulary, with a colon behind.
 */
bool text_is_torn_record(const char *text, size_t len);

/* "SEC.FRACTION" or a bare integer. False when it is neither or too large. */
bool text_time(const char *text, size_t len, uint64_t *ts, bool *has_unit);

#endif
