/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - a recording that goes on, looked at while it does
 *
 * One thread moves what the ring buffers hold into memory for as long as the recording lasts, also
 * while a look is computed: between two looks nothing is missed, however long the computing takes.
 * The last looks are kept. Each look gives a trace of them all, with the times where it begins and
 * ends itself: so a stall that began some looks ago has its begin, and the looks of a recording
 * make a whole without gap or overlap.
 *
 * A look's trace is the working file of the recording (workfile.h), written anew; no other is made.
 */
#ifndef RECLAIMLAB_WATCH_H
#define RECLAIMLAB_WATCH_H

#include <stdint.h>

#include "capture/base/message.h"
#include "capture/record/record.h"

#define WATCH_LOOKS 10	       /* kept, the last one among them */
#define WATCH_BYTES (64 << 20) /* of trace data, at most: older looks go first */

struct watch;

struct watch_look {
	const char *path; /* of the trace; the watch's, until the next look */
	uint64_t begin;	  /* ns of CLOCK_MONOTONIC, the clock of the trace */
	uint64_t end;	  /* first instant behind it, and begin of the next look */
};

/*
 * Begin to record into the folder of @options->output, with its events, buffers and tasks; what
 * ends a recording (a command, a time, a size), its clock and its samples are not used. The texts
 * of
 * @options are borrowed. Errors as those of record_run().
 */
int watch_open(const struct record_options *options, struct watch **out, struct rl_msg *msg);

/* End a look now. -ECANCELED when another program switched tracing off. */
int watch_look(struct watch *watch, struct watch_look *look, struct rl_msg *msg);

/* Nothing is left in tracefs or in the folder. NULL is fine. */
void watch_close(struct watch *watch);

#endif
