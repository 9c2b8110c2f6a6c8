/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - the last moments of a machine, at a glance
 *
 * A live view is a row of short recordings, each looked at as any other run is: the same views, so
 * the same figures as analyze prints, over a second instead of an hour.
 */
#ifndef RECLAIMLAB_LIVE_H
#define RECLAIMLAB_LIVE_H

#include <stdio.h>

#include "analyze/lens.h"

/* The names of the values of live_print_line(), for above them. */
void live_print_names(FILE *out);

/* One line for a run: rates, efficiency, stalls, throttling, the zone nearest to its low mark. */
int live_print_line(const struct lens *lens, FILE *out, struct rl_msg *msg);

/* What that line cannot hold: throttling by reason, every zone against its marks, who waits. */
int live_print_tables(const struct lens *lens, FILE *out, struct rl_msg *msg);

#endif
