/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/grade.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS   1e6
#define NS_PER_US   1e3
#define MAX_SECONDS 3600

static const struct {
	const char *name, *unit;
	unsigned int goal, mixed;
} metrics[GRADE_NR_METRICS] = {
#define METRIC(id, name, unit, goal, mixed) [GRADE_##id] = { name, unit, goal, mixed },
	GRADE_METRICS(METRIC)
#undef METRIC
};

const uint64_t grade_wake_bounds[GRADE_WAKE_BUCKETS] = {
	1, 48, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, UINT64_MAX
};

const char *grade_metric_name(enum grade_metric metric)
{
	return metrics[metric].name;
}

const char *grade_metric_unit(enum grade_metric metric)
{
	return metrics[metric].unit;
}

int grade_metric_find(const char *name)
{
	for (int i = 0; i < GRADE_NR_METRICS; i++)
		if (!strcmp(metrics[i].name, name))
			return i;
	return -ENOENT;
}

static double throttles(const struct response *res, int reason)
{
	return (double)(res->throttles[reason][0] + res->throttles[reason][1]);
}

static bool known(uint64_t value, double *to)
{
	*to = (double)value;
	return value != UINT64_MAX;
}

bool grade_value(const struct response *res, int64_t pace, enum grade_metric metric, double *value)
{
	switch (metric) {
	case GRADE_SCAN:
		return known(res->scan[RESPONSE_KSWAPD] + res->scan[RESPONSE_DIRECT], value);
	case GRADE_STEAL:
		return known(res->steal[RESPONSE_KSWAPD] + res->steal[RESPONSE_DIRECT], value);
	case GRADE_REFAULT_FILE:
		return known(res->refault_file, value);
	case GRADE_REFAULT_ANON:
		return known(res->refault_anon, value);
	case GRADE_SCAN_KSWAPD:
		return known(res->scan[RESPONSE_KSWAPD], value);
	case GRADE_STEAL_KSWAPD:
		return known(res->steal[RESPONSE_KSWAPD], value);
	case GRADE_SCAN_DIRECT:
		return known(res->scan[RESPONSE_DIRECT], value);
	case GRADE_STEAL_DIRECT:
		return known(res->steal[RESPONSE_DIRECT], value);
	case GRADE_SCAN_ANON:
		return known(res->scan_anon, value);
	case GRADE_STEAL_ANON:
		return known(res->steal_anon, value);
	case GRADE_REFILL:
		return known(res->refill, value);
	case GRADE_STALLS:
		return known(res->stalls, value);
	case GRADE_STALL_TIME:
		*value = (double)res->stall_ns / NS_PER_MS;
		return true;
	case GRADE_STALL_P50:
		*value = (double)response_stall_percentile(res, 50) / NS_PER_US;
		return true;
	case GRADE_STALL_P95:
		*value = (double)response_stall_percentile(res, 95) / NS_PER_US;
		return true;
	case GRADE_STALL_MAX:
		*value = (double)response_stall_percentile(res, 100) / NS_PER_US;
		return true;
	case GRADE_WAKES:
		return known(res->wakes, value);
	case GRADE_FALLBACKS:
		return known(res->fallbacks, value);
	case GRADE_WRITES:
		return known(res->writes, value);
	case GRADE_THROTTLE_WRITEBACK:
	case GRADE_THROTTLE_ISOLATED:
	case GRADE_THROTTLE_NOPROGRESS:
	case GRADE_THROTTLE_CONGESTED:
		*value = throttles(res, metric - GRADE_THROTTLE_WRITEBACK);
		return true;
	case GRADE_PACE:
		*value = (double)pace / NS_PER_MS;
		return true;
	default:
		return false;
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Sorts @values. The median of an even number is the mean of the two in the middle. */
static double median(double *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), compare_doubles);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

void grade_ensemble(const struct run_result *results, unsigned int nr, enum grade_metric metric,
		    struct grade_range *range)
{
	double *values = calloc(nr + 1, sizeof(*values));
	unsigned int n = 0;

	*range = (struct grade_range){ 0 };
	if (!values)
		return;
	for (unsigned int i = 0; i < nr; i++)
		if (!results[i].error &&
		    grade_value(&results[i].response, results[i].pace, metric, &values[n]))
			n++;
	if (n) {
		range->known = true;
		range->median = median(values, n);
		range->min = values[0];
		range->max = values[n - 1];
	}
	free(values);
}

bool grade_separates(const struct grade_range *a, const struct grade_range *b)
{
	return a->known && b->known && (a->max < b->min || b->max < a->min);
}

/* Direct reclaim is chaotic: two runs of a machine differ as much as members of an ensemble do. */
static bool scatters(enum grade_metric metric)
{
	return metric == GRADE_SCAN_DIRECT || metric == GRADE_STEAL_DIRECT ||
	       metric == GRADE_STALLS;
}

/* Less than 1 % of what was scanned is anonymous, nothing was written or under writeback. */
static bool meets_clean_files(const struct response *recorded)
{
	double scanned, anon, writes, throttled;

	return recorded && grade_value(recorded, 0, GRADE_SCAN, &scanned) &&
	       grade_value(recorded, 0, GRADE_SCAN_ANON, &anon) && anon * 100 < scanned &&
	       grade_value(recorded, 0, GRADE_WRITES, &writes) && writes <= 0 &&
	       grade_value(recorded, 0, GRADE_THROTTLE_WRITEBACK, &throttled) && throttled <= 0;
}

static void grade_row(const struct response *recorded, int64_t pace,
		      const struct run_result *results, unsigned int nr, enum grade_metric metric,
		      bool clean, struct grade_row *row)
{
	double off;

	*row = (struct grade_row){
		.goal = clean ? metrics[metric].goal : metrics[metric].mixed,
	};
	row->known = recorded && grade_value(recorded, pace, metric, &row->recorded);
	grade_ensemble(results, nr, metric, &row->range);
	if (!row->known || !row->range.known)
		return;
	off = fabs(row->range.median - row->recorded);
	row->has_error = row->recorded > 0;
	if (row->has_error)
		row->error = (row->range.median - row->recorded) * 100 / row->recorded;
	row->reached = off * 100 <= row->recorded * row->goal ||
		       (scatters(metric) && off <= row->range.max - row->range.min);
}

static double second_value(const struct response *res, size_t second, enum grade_series series)
{
	if (second >= res->nr_seconds)
		return 0;
	switch (series) {
	case GRADE_SERIES_KSWAPD:
		return (double)res->seconds[second].scan[RESPONSE_KSWAPD];
	case GRADE_SERIES_DIRECT:
		return (double)res->seconds[second].scan[RESPONSE_DIRECT];
	default:
		return (double)res->seconds[second].wakes;
	}
}

static bool correlate(const struct response *a, const struct response *b, enum grade_series series,
		      double *r)
{
	size_t n = a->nr_seconds > b->nr_seconds ? a->nr_seconds : b->nr_seconds;
	double *x, *y;
	bool ok;

	if (n > MAX_SECONDS)
		n = MAX_SECONDS;
	x = calloc(2 * n + 1, sizeof(*x));
	if (!x)
		return false;
	y = x + n;
	for (size_t i = 0; i < n; i++) {
		x[i] = second_value(a, i, series);
		y[i] = second_value(b, i, series);
	}
	ok = response_correlation(x, y, n, r);
	free(x);
	return ok;
}

static void grade_series(const struct response *recorded, const struct run_result *results,
			 unsigned int nr, struct grade *grade)
{
	double *r = calloc(nr + 1, sizeof(*r));

	for (int series = 0; r && series < GRADE_NR_SERIES; series++) {
		unsigned int n = 0;

		for (unsigned int i = 0; i < nr; i++)
			if (!results[i].error &&
			    correlate(recorded, &results[i].response, series, &r[n]))
				n++;
		grade->has_r[series] = n > 0;
		if (n)
			grade->r[series] = median(r, n);
	}
	free(r);
}

void grade_compute(const struct response *recorded, int64_t pace, const struct run_result *results,
		   unsigned int nr, struct grade *grade)
{
	bool clean = meets_clean_files(recorded);

	*grade = (struct grade){ .members = nr };
	for (unsigned int i = 0; i < nr; i++)
		grade->failed += results[i].error != 0;
	for (int metric = 0; metric < GRADE_NR_METRICS; metric++)
		grade_row(recorded, pace, results, nr, metric, clean, &grade->row[metric]);
	if (recorded)
		grade_series(recorded, results, nr, grade);
}

void grade_wake_histogram(const struct response *response, uint64_t counts[GRADE_WAKE_BUCKETS])
{
	memset(counts, 0, GRADE_WAKE_BUCKETS * sizeof(*counts));
	for (size_t i = 0; i < response->nr_wake_pages; i++)
		for (int bucket = 0; bucket < GRADE_WAKE_BUCKETS; bucket++)
			if (response->wake_pages[i] < grade_wake_bounds[bucket]) {
				counts[bucket]++;
				break;
			}
}
