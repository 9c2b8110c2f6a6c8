/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "capture/base/nearest.h"

static const char *nearest_to(const char *word)
{
	static const char *const names[] = { "capture", "analyze",   "compare", "cut",
					     "sql",	"watermark", "stall",	"stall_by_task" };
	struct rl_nearest nearest = { .word = word };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		rl_nearest_offer(&nearest, names[i]);
	return nearest.name ? nearest.name : "";
}

static void mistakes_are_seen_through(void **state)
{
	assert_string_equal(nearest_to("analyse"), "analyze"); /* another letter */
	assert_string_equal(nearest_to("captrue"), "capture"); /* swapped */
	assert_string_equal(nearest_to("comare"), "compare");  /* left out */
	assert_string_equal(nearest_to("sqll"), "sql");	       /* put in */
	assert_string_equal(nearest_to("water"), "watermark"); /* goes on */
	assert_string_equal(nearest_to("stalls"), "stall");
}

static void other_words_are_none(void **state)
{
	static const char far[] = "a word that is longer than any name that the program could have";

	assert_string_equal(nearest_to("frobnicate"), "");
	assert_string_equal(nearest_to("x"), "");
	assert_string_equal(nearest_to(""), "");
	assert_string_equal(nearest_to(far), "");
}

static void words_of_the_message(void **state)
{
	struct rl_nearest nearest = { .word = "sq" };
	char buf[RL_NEAREST_SIZE];

	assert_string_equal(rl_nearest_words(&nearest, buf, sizeof(buf)), "");
	rl_nearest_offer(&nearest, "sql");
	assert_string_equal(rl_nearest_words(&nearest, buf, sizeof(buf)), "; did you mean sql?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mistakes_are_seen_through),
		cmocka_unit_test(other_words_are_none),
		cmocka_unit_test(words_of_the_message),
	};

	return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
