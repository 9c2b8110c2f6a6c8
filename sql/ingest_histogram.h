/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ingest_histogram.h - in-kernel histograms become rows
 *
 * A summary recording (capture/record/summary.h) holds no events but the text of histograms, in
 * markers. An entry that was hit n times becomes n rows of the table that its events would have
 * filled, so that the same views answer. What is exact stays exact: the rows' sums and counts are
 * those of the entry, shared out evenly. What is lost: when things happened (every row has the
 * marker's stamp), the length of one stall within its power of two, which of direct and memory
 * cgroup reclaim scanned, and which batch reclaimed what.
 */
#ifndef RECLAIMLAB_INGEST_HISTOGRAM_H
#define RECLAIMLAB_INGEST_HISTOGRAM_H

#include "capture/read/counter_marker.h"
#include "sql/ingest.h"

/* Rows that one entry may become; a larger one becomes a single row with the sums. */
#define INGEST_HISTOGRAM_MAX 1000000

/* True when @marker holds histogram lines. */
bool ingest_histogram_is(const struct counter_marker *marker);

/*
 * Take the lines of @marker, which came with @ev. Lines that cannot be read are passed over.
 * Returns 0 or a negative errno from the store.
 */
int ingest_histogram(struct ingest *ingest, const struct counter_marker *marker,
		     const struct event *ev, struct rl_msg *msg);

#endif
