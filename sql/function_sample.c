/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aggregates over a sample: they keep its values until the group ends.
 *
 * percentile(x, p) is linear between the two nearest values in order, counting the smallest as 0
 * and the largest as 100: type 7 of Hyndman and Fan, Sample Quantiles in Statistical Packages, The
 * American Statistician 50 (1996), the default of R and of NumPy. With n values in order v[0] ..
 * v[n-1], h = (n - 1) x p / 100, it is v[floor h] + (h - floor h) x (v[floor h + 1] - v[floor h]).
 * Integers stay exact where the result is one of the values.
 */
#include <math.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sql/functions.h"

#define FIRST_VALUES 64
#define MAX_BUCKETS  65536 /* of a linear histogram */

struct sample {
	double percent; /* or the width of a bucket, 0: log2 */
	bool begun;
	bool real; /* some value is no integer: value[] holds doubles */
	size_t nr;
	size_t room;
	union {
		int64_t *integer;
		double *real;
	} value;
};

static void sample_free(struct sample *sample)
{
	free(sample->value.integer);
	sample->value.integer = NULL;
	sample->nr = 0;
}

static bool sample_grow(struct sample *sample)
{
	size_t room = sample->room ? sample->room * 2 : FIRST_VALUES;
	int64_t *value = realloc(sample->value.integer, room * sizeof(*value));

	if (!value)
		return false;
	sample->value.integer = value;
	sample->room = room;
	return true;
}

static void sample_make_real(struct sample *sample)
{
	for (size_t i = 0; i < sample->nr; i++)
		sample->value.real[i] = (double)sample->value.integer[i];
	sample->real = true;
}

/* Add @arg to the sample of the group; NULL adds nothing. Returns it, or NULL on an error. */
static struct sample *sample_add(sqlite3_context *context, sqlite3_value *arg)
{
	struct sample *sample = sqlite3_aggregate_context(context, sizeof(*sample));
	int type = sqlite3_value_numeric_type(arg);

	if (!sample) {
		sqlite3_result_error_nomem(context);
		return NULL;
	}
	if (type == SQLITE_NULL)
		return sample;
	if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
		sqlite3_result_error(context, "a sample holds numbers only", -1);
		return NULL;
	}
	if (sample->nr == sample->room && !sample_grow(sample)) {
		sqlite3_result_error_nomem(context);
		return NULL;
	}
	if (type == SQLITE_FLOAT && !sample->real)
		sample_make_real(sample);
	if (sample->real)
		sample->value.real[sample->nr++] = sqlite3_value_double(arg);
	else
		sample->value.integer[sample->nr++] = sqlite3_value_int64(arg);
	return sample;
}

/* The second argument is one for the whole group. */
static void sample_set(sqlite3_context *context, struct sample *sample, double number)
{
	if (sample->begun && sample->percent != number)
		sqlite3_result_error(context, "the second argument must not change in a group", -1);
	sample->percent = number;
	sample->begun = true;
}

#define SIGN_BIT (UINT64_C(1) << 63)

/* Values as unsigned numbers in the same order, and back. */
static uint64_t key_of(const struct sample *sample, size_t i)
{
	uint64_t bits = (uint64_t)sample->value.integer[i];

	if (!sample->real)
		return bits ^ SIGN_BIT;
	return bits & SIGN_BIT ? ~bits : bits | SIGN_BIT;
}

static int64_t integer_of(uint64_t key)
{
	return (int64_t)(key ^ SIGN_BIT);
}

static double real_of(uint64_t key)
{
	uint64_t bits = key & SIGN_BIT ? key ^ SIGN_BIT : ~key;
	double real;

	memcpy(&real, &bits, sizeof(real));
	return real;
}

/*
 * The @at'th smallest of the @nr keys, counted from 0, one byte of it after the other from the
 * highest: those keys are left whose bytes so far are the wanted ones. Scrambles @key.
 */
static uint64_t key_at(uint64_t *key, size_t nr, size_t at)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < nr; i++)
		differ |= key[i] ^ key[0];
	for (int shift = 56; shift >= 0 && nr > 1; shift -= 8) {
		size_t count[256] = { 0 };
		size_t left = 0;
		unsigned int byte = 0;

		if (!(differ >> shift & 0xff))
			continue;
		for (size_t i = 0; i < nr; i++)
			count[key[i] >> shift & 0xff]++;
		for (; at >= count[byte]; byte++)
			at -= count[byte];
		for (size_t i = 0; i < nr; i++)
			if ((key[i] >> shift & 0xff) == byte)
				key[left++] = key[i];
		nr = left;
	}
	return key[0];
}

static int compare_integers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int compare_reals(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sample_sort(struct sample *sample)
{
	if (sample->nr)
		qsort(sample->value.integer, sample->nr, sizeof(int64_t),
		      sample->real ? compare_reals : compare_integers);
}

static double sample_at(const struct sample *sample, size_t i)
{
	return sample->real ? sample->value.real[i] : (double)sample->value.integer[i];
}

/* The key in the place behind that of @key, which is in place @at and may be in more. */
static uint64_t key_behind(const struct sample *sample, uint64_t key, size_t at)
{
	uint64_t next = UINT64_MAX;
	size_t upto = 0;

	for (size_t i = 0; i < sample->nr; i++) {
		uint64_t k = key_of(sample, i);

		upto += k <= key;
		if (k > key && k < next)
			next = k;
	}
	return upto > at + 1 ? key : next;
}

static void result_key(sqlite3_context *context, const struct sample *sample, uint64_t key)
{
	if (sample->real)
		sqlite3_result_double(context, real_of(key));
	else
		sqlite3_result_int64(context, integer_of(key));
}

static double number_of(const struct sample *sample, uint64_t key)
{
	return sample->real ? real_of(key) : (double)integer_of(key);
}

static void result_percentile(sqlite3_context *context, const struct sample *sample)
{
	double h = (double)(sample->nr - 1) * sample->percent / 100;
	size_t low = (size_t)h;
	double part = h - (double)low;
	uint64_t *keys = malloc(sample->nr * sizeof(*keys));
	uint64_t key, next;
	double v;

	if (!keys) {
		sqlite3_result_error_nomem(context);
		return;
	}
	for (size_t i = 0; i < sample->nr; i++)
		keys[i] = key_of(sample, i);
	key = key_at(keys, sample->nr, low);
	free(keys);
	next = part == 0 ? key : key_behind(sample, key, low);
	if (next == key) {
		result_key(context, sample, key);
		return;
	}
	v = number_of(sample, key);
	sqlite3_result_double(context, v + part * (number_of(sample, next) - v));
}

static void percentile_final(sqlite3_context *context)
{
	struct sample *sample = sqlite3_aggregate_context(context, 0);

	if (!sample)
		return;
	if (sample->nr)
		result_percentile(context, sample);
	sample_free(sample);
}

static void percentile_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	double percent = sqlite3_value_double(argv[1]);
	struct sample *sample;

	if (sqlite3_value_numeric_type(argv[1]) == SQLITE_NULL || !(percent >= 0) ||
	    percent > 100) {
		sqlite3_result_error(context, "percentile: expected a number from 0 to 100", -1);
		return;
	}
	sample = sample_add(context, argv[0]);
	if (sample)
		sample_set(context, sample, percent);
}

static void median_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct sample *sample = sample_add(context, argv[0]);

	if (sample)
		sample_set(context, sample, 50);
}

static void histogram_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	double width = argc > 1 ? sqlite3_value_double(argv[1]) : 0;
	struct sample *sample;

	if (argc > 1 && !(width > 0 && width < 0x1p62)) {
		sqlite3_result_error(context, "histogram: expected a width above 0", -1);
		return;
	}
	sample = sample_add(context, argv[0]);
	if (sample)
		sample_set(context, sample, width);
}

/* Which bucket the @i'th value lies in: the power of two just above it, or how many widths. */
static double bucket_of(const struct sample *sample, size_t i)
{
	double v = sample_at(sample, i);
	int power = 0;

	if (sample->percent > 0)
		return floor(v / sample->percent);
	if (sample->real) {
		if (fabs(v) >= 1)
			frexp(v, &power);
	} else if (sample->value.integer[i]) {
		/* In 64 bits: as a double the last value of a bucket may become the next one's. */
		uint64_t size = (uint64_t)sample->value.integer[i];

		power = 64 - __builtin_clzll(v < 0 ? 0 - size : size);
	}
	return v < 0 ? -power : power;
}

/* Its borders; negative numbers mirror the positive ones. */
static void bucket_borders(const struct sample *sample, double bucket, double *from, double *to)
{
	if (sample->percent > 0) {
		*from = bucket * sample->percent;
		*to = (bucket + 1) * sample->percent;
	} else if (bucket == 0) {
		*from = 0;
		*to = 1;
	} else {
		*from = bucket > 0 ? exp2(bucket - 1) : -exp2(-bucket);
		*to = bucket > 0 ? exp2(bucket) : -exp2(-bucket - 1);
	}
}

static void append_bucket(sqlite3_str *json, const struct sample *sample, double bucket,
			  size_t count)
{
	double from;
	double to;

	bucket_borders(sample, bucket, &from, &to);
	sqlite3_str_appendf(json, "%s{\"from\":%.15g,\"to\":%.15g,\"count\":%llu}",
			    sqlite3_str_length(json) > 1 ? "," : "", from, to,
			    (unsigned long long)count);
}

static unsigned int append_buckets(sqlite3_str *json, const struct sample *sample)
{
	unsigned int buckets = 0;
	size_t first = 0;

	for (size_t i = 1; i <= sample->nr && buckets < MAX_BUCKETS; i++) {
		double bucket = bucket_of(sample, first);

		if (i < sample->nr && bucket_of(sample, i) == bucket)
			continue;
		append_bucket(json, sample, bucket, i - first);
		first = i;
		buckets++;
	}
	return buckets;
}

static void histogram_final(sqlite3_context *context)
{
	struct sample *sample = sqlite3_aggregate_context(context, 0);
	sqlite3_str *json = sqlite3_str_new(NULL);
	unsigned int buckets = 0;
	char *text;

	sqlite3_str_appendall(json, "[");
	if (sample) {
		sample_sort(sample);
		buckets = append_buckets(json, sample);
		sample_free(sample);
	}
	sqlite3_str_appendall(json, "]");
	text = sqlite3_str_finish(json);
	if (!text)
		sqlite3_result_error_nomem(context);
	else if (buckets == MAX_BUCKETS)
		sqlite3_result_error(context, "histogram: too many buckets, take a larger width",
				     -1);
	else
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
	sqlite3_free(text);
}

const struct sql_function sample_functions[] = {
	{ .name = "percentile",
	  .nr_args = 2,
	  .usage = "percentile(x, p)",
	  .doc = "aggregate: the p-th percentile (0 to 100), linear between neighbours (type 7)",
	  .step = percentile_step,
	  .final = percentile_final },
	{ .name = "median",
	  .nr_args = 1,
	  .usage = "median(x)",
	  .doc = "aggregate: percentile(x, 50)",
	  .step = median_step,
	  .final = percentile_final },
	{ .name = "histogram",
	  .nr_args = 1,
	  .usage = "histogram(x)",
	  .doc = "aggregate: JSON list of {from, to, count}, from <= x < to, by powers of two",
	  .step = histogram_step,
	  .final = histogram_final },
	{ .name = "histogram",
	  .nr_args = 2,
	  .usage = "histogram(x, width)",
	  .doc = "aggregate: the same with buckets of equal width; empty buckets are left out",
	  .step = histogram_step,
	  .final = histogram_final },
	{ .name = NULL },
};
