/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as people read them. Times are ns. NULL in, NULL out.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sql/functions.h"

static int any_null(int argc, sqlite3_value **argv)
{
	for (int i = 0; i < argc; i++)
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			return 1;
	return 0;
}

/* The entry's data is what the quotient is multiplied by. */
static void ratio(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	double divisor = sqlite3_value_double(argv[1]);

	if (any_null(argc, argv) || divisor == 0)
		return;
	sqlite3_result_double(context,
			      sqlite3_value_double(argv[0]) * function_of(context)->data / divisor);
}

/* The entry's data is how many ns the unit has. */
static void in_unit(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	if (!any_null(argc, argv))
		sqlite3_result_double(context,
				      sqlite3_value_double(argv[0]) / function_of(context)->data);
}

static void elapsed(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int64_t span;

	if (any_null(argc, argv))
		return;
	if (__builtin_sub_overflow(sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1]),
				   &span))
		sqlite3_result_error(context, "elapsed: the times are too far apart", -1);
	else
		sqlite3_result_double(context, (double)span / 1e9);
}

static void clock_text(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int64_t ns = sqlite3_value_int64(argv[0]);
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char text[48];

	if (any_null(argc, argv))
		return;
	snprintf(text, sizeof(text), "%s%llu.%09llu", ns < 0 ? "-" : "",
		 (unsigned long long)(size / 1000000000), (unsigned long long)(size % 1000000000));
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void duration_text(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	double ns = sqlite3_value_double(argv[0]);
	char text[64];

	if (any_null(argc, argv))
		return;
	snprintf(text, sizeof(text), "%.0f ns", ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (fabs(ns) < units[i].ns)
			continue;
		snprintf(text, sizeof(text), "%.3f %s", ns / units[i].ns, units[i].unit);
		break;
	}
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* clang-format off */
const struct sql_function number_functions[] = {
	{ "ratio", 2, "ratio(a, b)", "a / b as a real number; NULL where b is 0",
	  ratio, NULL, NULL, 1 },
	{ "percent", 2, "percent(a, b)", "a x 100 / b as a real number; NULL where b is 0",
	  ratio, NULL, NULL, 100 },
	{ "seconds", 1, "seconds(ns)", "a time in seconds", in_unit, NULL, NULL, 1000000000 },
	{ "ms", 1, "ms(ns)", "a time in milliseconds", in_unit, NULL, NULL, 1000000 },
	{ "us", 1, "us(ns)", "a time in microseconds", in_unit, NULL, NULL, 1000 },
	{ "elapsed", 2, "elapsed(ts, start)", "seconds from start (say, run.start) to ts",
	  elapsed, NULL, NULL, 0 },
	{ "clock_text", 1, "clock_text(ns)", "a time as traces print it: seconds.nanoseconds, exact",
	  clock_text, NULL, NULL, 0 },
	{ "duration_text", 1, "duration_text(ns)", "a duration in the unit that suits it, 3 decimals",
	  duration_text, NULL, NULL, 0 },
	{ .name = NULL },
};
