/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - the last moments of a machine, at a glance
 *
 * A live view is a row of looks at a recording that goes on (capture/record/watch.h). Each is a
 * lens on its own stretch of time, beside one on all that is kept of the past: the same views, so
 * the same figures as analyze prints, over a second instead of an hour.
 */
#ifndef RECLAIMLAB_LIVE_H
#define RECLAIMLAB_LIVE_H

#include <stdint.h>
#include <stdio.h>

#include "analyze/lens.h"

/* The names of the values of live_print_line(), for above them. */
void live_print_names(FILE *out);

/*
 * One line for a look: rates, efficiency, stalls that begin in it, the longest of those that end
 * (in @past, at @begin ns or later), throttling, the zone nearest to its low mark.
 */
int live_print_line(const struct lens *look, const struct lens *past, int64_t begin, FILE *out,
		    struct rl_msg *msg);

/* What that line cannot hold: throttling by reason, zones against their marks, who waits. */
int live_print_tables(const struct lens *past, FILE *out, struct rl_msg *msg);

#endif
