/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_base.c - arrays that grow, and lengths of time */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "capture/base/array.h"
#include "capture/base/duration.h"

static void arrays_grow(void **state)
{
	uint32_t *array = NULL;
	size_t room = 0;

	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(rl_array_room(&array, &room, i, sizeof(*array)), 0);
		assert_int_equal(array[i], 0);
		array[i] = i;
	}
	/* Far beyond the end in one go: what lies between is zero, what was there stays. */
	assert_int_equal(rl_array_room(&array, &room, 100000, sizeof(*array)), 0);
	assert_true(room > 100000);
	assert_int_equal(array[999], 999);
	for (uint32_t i = 1000; i <= 100000; i++)
		assert_int_equal(array[i], 0);
	free(array);
}

static void sizes_that_overflow_are_refused(void **state)
{
	uint64_t *array = NULL;
	size_t room = 0;

	assert_int_equal(rl_array_room(&array, &room, SIZE_MAX, sizeof(*array)), -ENOMEM);
	assert_int_equal(rl_array_room(&array, &room, SIZE_MAX / 8, sizeof(*array)), -ENOMEM);
	assert_null(array);
	assert_int_equal(room, 0);
}

static void times_have_units(void **state)
{
	int64_t ns = -1;

	assert_true(rl_duration_parse("12.5", &ns));
	assert_int_equal(ns, 12500000000);
	assert_true(rl_duration_parse("1.5s", &ns));
	assert_int_equal(ns, 1500000000);
	assert_true(rl_duration_parse("300ms", &ns));
	assert_int_equal(ns, 300000000);
	assert_true(rl_duration_parse("+20us", &ns));
	assert_int_equal(ns, 20000);
	assert_true(rl_duration_parse("-7ns", &ns));
	assert_int_equal(ns, -7);
}

static void other_times_are_none(void **state)
{
	static const char *const wrong[] = { "",     "s",   "ms",  "5 s", "5m",
					     "1e20", "inf", "nan", "5sx", "9.1e9s" };
	int64_t ns = 42;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(rl_duration_parse(wrong[i], &ns));
	assert_int_equal(ns, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_grow),
		cmocka_unit_test(sizes_that_overflow_are_refused),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(other_times_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
