/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_tally.h - what a text input held beside its events
 *
 * Counts by name, names of threads, losses, and lines that nothing could be made of: the first few
 * with their numbers and the number of all of them. All of it is bounded.
 */
#ifndef RECLAIMLAB_TEXT_TALLY_H
#define RECLAIMLAB_TEXT_TALLY_H

#include "capture/read/source.h"
#include "capture/read/text_line.h"

struct text_tally;

/* One name of an event. */
struct text_count {
	char *system;
	char *name;
	char *missing; /* made by text_tally_finish() */
	enum vocab_id id;
	uint64_t records;
	uint32_t have; /* slots that some line had */
};

/* Returns NULL when memory is short. */
struct text_tally *text_tally_new(void);
void text_tally_free(struct text_tally *tally);

/* The count of a record's event, made when it is new; NULL: no memory or too many names. */
struct text_count *text_tally_event(struct text_tally *tally, struct event_string system,
				    struct event_string event);

/* Thread @pid is called @comm. */
int text_tally_comm(struct text_tally *tally, int32_t pid, struct event_string comm);
const char *text_tally_comm_of(const struct text_tally *tally, int32_t pid);

/* @count events were lost, -1: unknown; on @cpu, -1: unknown. */
int text_tally_loss(struct text_tally *tally, const char *kind, int32_t cpu, int64_t count);

/* What was lost on @cpu since the last call; the losses get the stamp of the event behind them. */
int64_t text_tally_take_loss(struct text_tally *tally, int32_t cpu, bool has_ts, uint64_t ts);

/* A line that could not be read, and why in a word or two; @record: an event is lost with it. */
int text_tally_unread(struct text_tally *tally, bool record, uint64_t number, const char *why,
		      const char *text, size_t len);

/* Time went back @times in the input, in line @number first; nothing is noted for 0 times. */
int text_tally_disorder(struct text_tally *tally, uint64_t number, uint64_t times);

/* The end of the input: sums unread lines into losses and a text. */
int text_tally_finish(struct text_tally *tally);

bool text_tally_count_at(const struct text_tally *tally, unsigned int i,
			 struct source_count *count);
bool text_tally_loss_at(const struct text_tally *tally, unsigned int i, struct source_loss *loss);
const char *text_tally_damage_at(const struct text_tally *tally, unsigned int i);

#endif
