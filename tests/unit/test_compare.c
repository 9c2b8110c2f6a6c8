/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison says of two columns. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analyze/compare_private.h"

#define CELL(...)                                                                                  \
	{                                                                                          \
		.value = (double[]){ __VA_ARGS__ },                                                \
		.count = sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)                        \
	}

static void test_median(void **state)
{
	const struct compare_cell odd = CELL(1, 5, 100);
	const struct compare_cell even = CELL(1, 5, 7, 100);

	assert_true(compare_median(&odd) == 5);
	assert_true(compare_median(&even) == 6);
}

/* Against the first, in per cent; nothing where that would divide by 0. */
static void test_change(void **state)
{
	const struct compare_cell base = CELL(500), up = CELL(750), zero = CELL(0);
	const struct compare_cell none = { .count = 0 };
	double percent;

	assert_true(compare_change(&base, &up, &percent));
	assert_true(percent == 50);
	assert_true(compare_change(&base, &zero, &percent));
	assert_true(percent == -100);
	assert_false(compare_change(&zero, &up, &percent));
	assert_false(compare_change(&base, &none, &percent));
	assert_false(compare_change(&none, &base, &percent));
}

/* Ranges that touch do not separate; a single run separates from nothing. */
static void test_verdict(void **state)
{
	const struct compare_cell base = CELL(10, 12, 20), above = CELL(21, 30);
	const struct compare_cell touching = CELL(20, 30), below = CELL(1, 9);
	const struct compare_cell around = CELL(1, 100), single = CELL(1000);

	assert_int_equal(compare_verdict(&base, &above), COMPARE_SEPARATE);
	assert_int_equal(compare_verdict(&base, &below), COMPARE_SEPARATE);
	assert_int_equal(compare_verdict(&base, &touching), COMPARE_OVERLAP);
	assert_int_equal(compare_verdict(&base, &around), COMPARE_OVERLAP);
	assert_int_equal(compare_verdict(&base, &single), COMPARE_SINGLE);
	assert_int_equal(compare_verdict(&single, &above), COMPARE_SINGLE);
}

/* Columns are called by as much of their path as tells them apart. */
static void test_names(void **state)
{
	struct compare *compare = compare_new();

	assert_non_null(compare);
	assert_int_equal(compare_column(compare, "x/a/trace.dat", NULL), 0);
	assert_int_equal(compare_column(compare, "x/b/trace.dat", NULL), 0);
	assert_int_equal(compare_column(compare, "other.dat", NULL), 0);
	assert_int_equal(compare_column(compare, "gap-sqrt", NULL), 0);
	assert_int_equal(compare_column(compare, "gap-sqrt", NULL), 0);
	assert_string_equal(compare_name(compare, 0), "a/trace.dat");
	assert_string_equal(compare_name(compare, 1), "b/trace.dat");
	assert_string_equal(compare_name(compare, 2), "other.dat");
	assert_string_equal(compare_name(compare, 3), "gap-sqrt");
	compare_free(compare);
}

/* A run that recorded throttling and has no row of it was never throttled; another says nothing. */
static void test_none_of_what_was_recorded(void **state)
{
	struct compare *compare = compare_new();
	struct compare_row *row = calloc(1, sizeof(*row));

	assert_non_null(compare);
	assert_non_null(row);
	row->facts = COMPARE_THROTTLES;
	compare->row = row;
	compare->nr_rows = 1;
	compare->nr_columns = 2;
	compare->column[0].recorded[COMPARE_THROTTLES] = 2;
	compare->column[1].recorded[COMPARE_STALLS] = 1;
	row->cell[0].value = calloc(1, sizeof(double));
	row->cell[0].value[0] = 7;
	row->cell[0].count = 1;
	assert_int_equal(compare_complete(compare, NULL), 0);
	assert_int_equal(row->cell[0].count, 2);
	assert_true(row->cell[0].value[0] == 0);
	assert_true(row->cell[0].value[1] == 7);
	assert_int_equal(row->cell[1].count, 0);
	compare_free(compare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median),	cmocka_unit_test(test_change),
		cmocka_unit_test(test_verdict), cmocka_unit_test(test_none_of_what_was_recorded),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
