/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - how a recording was split into demand and response, as a table
 *
 * Where /proc/vmstat counts the same thing, the row holds its figure for the same window: with
 * nothing lost the two are equal to the page.
 */
#ifndef RECLAIMLAB_EXPLAIN_H
#define RECLAIMLAB_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/recording.h"

#define EXPLAIN_MAX_ROWS 48

struct explain_row {
	const char *part; /* "response", "demand", "time" */
	const char *what;
	const char *unit; /* "pages", "requests", "ns", ... */
	uint64_t value;
	const char *counter; /* of vmstat, or NULL */
	bool has_counter;
	int64_t counted; /* the counter's growth in the window */
	bool exact;	 /* the two must be equal when nothing was lost */
};

/* Fills @rows (room for EXPLAIN_MAX_ROWS) and returns how many. */
unsigned int explain_recording(const struct recording *recording, struct explain_row *rows);

#endif
