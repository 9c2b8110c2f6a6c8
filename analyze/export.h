/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - ways out of a run: rows for other programs, and a trace for a viewer
 *
 * Rows are those of any table or view, in the window of the lens: those of the run, and where a
 * table has times, those in its window.
 *
 * A trace is in the JSON format that Chrome made and that Perfetto (ui.perfetto.dev) opens: stalls,
 * throttling, compaction and the cycles of kswapd as slices on a track a thread or node, free pages
 * with their watermarks, scanning and refaults as counters, markers and losses as instants. What is
 * on a track is data (export_trace.c): a query whose first columns place an event and whose others
 * are its arguments, under the names that the views give them.
 */
#ifndef RECLAIMLAB_EXPORT_H
#define RECLAIMLAB_EXPORT_H

#include <stdio.h>

#include "analyze/lens.h"

enum export_form {
	EXPORT_CSV,   /* a line of names, then a line a row */
	EXPORT_LINES, /* an object a row, with the name of the table as "table" */
};

/*
 * Print the rows of the table or view @name. Returns 0, -EINVAL with a line when there is no such
 * table or view, or the error of a query. Write errors are left to @out.
 */
int export_rows(const struct lens *lens, const char *name, enum export_form form, FILE *out,
		struct rl_msg *msg);

/* Print the run as a trace. Returns 0 or the error of a query. */
int export_trace(const struct lens *lens, FILE *out, struct rl_msg *msg);

#endif
