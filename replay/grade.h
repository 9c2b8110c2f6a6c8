/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grade.h - figures of a response, and how far a replay's lie from the recording's
 *
 * Reclaim is chaotic: a figure of a replay is a median and a range over an ensemble, never one run,
 * and two policies separate in a figure only where their ranges do not overlap.
 */
#ifndef RECLAIMLAB_GRADE_H
#define RECLAIMLAB_GRADE_H

#include <stdbool.h>
#include <stddef.h>

#include "replay/response.h"
#include "replay/run.h"

/*
 * METRIC(id, name, unit, goal, mixed): the error in per cent that a replay should stay within, of a
 * recording whose reclaim meets clean pages of files alone, and of any other.
 */
#define GRADE_METRICS(M)                                                                           \
	M(SCAN, "scanned", "pages", 2, 10)                                                         \
	M(STEAL, "reclaimed", "pages", 2, 5)                                                       \
	M(REFAULT_FILE, "refaults, file", "pages", 2, 15)                                          \
	M(REFAULT_ANON, "refaults, anon", "pages", 15, 15)                                         \
	M(SCAN_KSWAPD, "scanned by kswapd", "pages", 5, 30)                                        \
	M(STEAL_KSWAPD, "reclaimed by kswapd", "pages", 5, 30)                                     \
	M(SCAN_DIRECT, "scanned directly", "pages", 15, 30)                                        \
	M(STEAL_DIRECT, "reclaimed directly", "pages", 15, 30)                                     \
	M(SCAN_ANON, "scanned, anon", "pages", 10, 10)                                             \
	M(STEAL_ANON, "reclaimed, anon", "pages", 5, 5)                                            \
	M(REFILL, "scanned, active lists", "pages", 30, 30)                                        \
	M(STALLS, "stalls", "", 15, 15)                                                            \
	M(STALL_TIME, "stall time", "ms", 25, 25)                                                  \
	M(STALL_P50, "stall, median", "us", 50, 50)                                                \
	M(STALL_P95, "stall, 95 %", "us", 50, 50)                                                  \
	M(STALL_MAX, "stall, longest", "us", 100, 100)                                             \
	M(WAKES, "kswapd wakes", "", 15, 15)                                                       \
	M(FALLBACKS, "fallback allocations", "", 50, 50)                                           \
	M(WRITES, "written by reclaim", "pages", 15, 15)                                           \
	M(THROTTLE_WRITEBACK, "throttles, writeback", "", 50, 50)                                  \
	M(THROTTLE_ISOLATED, "throttles, isolated", "", 50, 50)                                    \
	M(THROTTLE_NOPROGRESS, "throttles, no progress", "", 50, 50)                               \
	M(THROTTLE_CONGESTED, "throttles, congested", "", 50, 50)                                  \
	M(PACE, "mean time to a request", "ms", 10, 10)

enum grade_metric {
#define METRIC(id, name, unit, goal, mixed) GRADE_##id,
	GRADE_METRICS(METRIC)
#undef METRIC
		GRADE_NR_METRICS
};

const char *grade_metric_name(enum grade_metric metric);
const char *grade_metric_unit(enum grade_metric metric);
/* The metric called @name, or -ENOENT. */
int grade_metric_find(const char *name);

/* A figure of @response; false where it is not known. @pace as in struct run_result, ns. */
bool grade_value(const struct response *response, int64_t pace, enum grade_metric metric,
		 double *value);

/* Median and range of a figure over an ensemble. */
struct grade_range {
	bool known;
	double median, min, max;
};

/* Over the results without an error. */
void grade_ensemble(const struct run_result *results, unsigned int nr, enum grade_metric metric,
		    struct grade_range *range);

/* Do the ranges of @a and @b not overlap? */
bool grade_separates(const struct grade_range *a, const struct grade_range *b);

/* One line of a grade. */
struct grade_row {
	bool known; /* the recording has it */
	double recorded;
	struct grade_range range;
	bool has_error;	   /* the recorded figure is not 0 */
	double error;	   /* per cent of the recorded figure, of the median */
	unsigned int goal; /* per cent */
	bool reached; /* within the goal; of direct reclaim and stalls also within twice the spread
		       */
};

enum grade_series { GRADE_SERIES_KSWAPD, GRADE_SERIES_DIRECT, GRADE_SERIES_WAKES, GRADE_NR_SERIES };

struct grade {
	struct grade_row row[GRADE_NR_METRICS];
	/* Pearson's r of the per-second series, median over the ensemble. */
	bool has_r[GRADE_NR_SERIES];
	double r[GRADE_NR_SERIES];
	unsigned int members, failed;
};

/*
 * Grade an ensemble of replays of the recorded policy against the recording. @recorded NULL: not
 * known; then only the ranges are filled in.
 */
void grade_compute(const struct response *recorded, int64_t pace, const struct run_result *results,
		   unsigned int nr, struct grade *grade);

/* Bounds of the histogram of pages that kswapd reclaims a wake: bucket i holds less than bound i.
 */
#define GRADE_WAKE_BUCKETS 12
extern const uint64_t grade_wake_bounds[GRADE_WAKE_BUCKETS];

/* Counts of wakes by pages reclaimed. */
void grade_wake_histogram(const struct response *response, uint64_t counts[GRADE_WAKE_BUCKETS]);

#endif
