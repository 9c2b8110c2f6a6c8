/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_clock.h - the stamps of a text input as they come
 *
 * Lines need not be in the order of time: with the clock "local" the CPUs differ a little, which is
 * as it should be. On one CPU time never goes back in a ring buffer, and among CPUs not by a
 * second: where it does, the text was sorted, shuffled or put together of several.
 */
#ifndef RECLAIMLAB_TEXT_CLOCK_H
#define RECLAIMLAB_TEXT_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define TEXT_CLOCK_CPUS 1024

/* Zero it to begin. */
struct text_clock {
	bool any;
	uint64_t first, last; /* least and greatest stamp */
	uint64_t previous;    /* stamp of the record before */
	uint64_t back;	      /* how often time went back */
	uint64_t back_number; /* line where it did so first; 0: it did not */
	uint32_t stretch;     /* of lines in order, from 1 */
	struct {
		uint32_t stretch; /* that ts belongs to */
		uint64_t ts;
	} cpu[TEXT_CLOCK_CPUS + 1]; /* the last: CPUs beyond, or not known */
};

/* The record of line @number has the stamp @ts (ns where @has_unit) on @cpu, -1: not known. */
void text_clock_note(struct text_clock *clock, uint64_t number, int32_t cpu, uint64_t ts,
		     bool has_unit);

#endif
