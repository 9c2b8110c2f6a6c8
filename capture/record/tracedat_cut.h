/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_cut.h - a small trace.dat out of a large one
 *
 * The records of a time window, with what is needed to read them: the formats of the systems
 * whose events occur in it and those of ftrace, task names, printk formats and the options that
 * describe the machine and the clock. Left out are kallsyms (by far the largest part) unless asked
 * for, and the ring buffers' statistics, which tell of the whole recording; losses inside the
 * window stay with the records that follow them.
 */
#ifndef RECLAIMLAB_TRACEDAT_CUT_H
#define RECLAIMLAB_TRACEDAT_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"

struct tracedat_cut {
	uint64_t from, to;	 /* stamps as tracedat.h gives them: from <= ts < to */
	int version;		 /* 6 or 7 */
	const char *compression; /* "none", "zlib", "zstd" */
	bool kallsyms;		 /* keep the symbols */
};

struct tracedat_cut_result {
	uint64_t records;
	uint64_t events; /* formats kept beside those of ftrace */
	uint64_t first, last;
};

/*
 * Cut @in to @out. @result may be NULL. -ENODATA when no record lies in the window, otherwise as
 * tracedat_open() and tracedat_writer_finish(); @out is there only after a success.
 */
int tracedat_cut(const char *in, const char *out, const struct tracedat_cut *cut,
		 struct tracedat_cut_result *result, struct rl_msg *msg);

#endif
