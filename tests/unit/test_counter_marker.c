/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "capture/read/counter_marker.h"

static bool parse(const char *text, struct counter_marker *marker)
{
	return counter_marker_parse(text, strlen(text), marker);
}

static void a_marker_is_taken_apart(void **state)
{
	struct counter_marker m;

	assert_true(parse("RL1 42 zoneinfo -|Node 0, zone DMA32;pages free 1234;\n", &m));
	assert_int_equal(m.number, 42);
	assert_int_equal(m.file_len, 8);
	assert_memory_equal(m.file, "zoneinfo", 8);
	assert_int_equal(m.scope_len, 1);
	assert_memory_equal(m.lines, "Node 0, zone DMA32;pages free 1234", m.lines_len);
	assert_int_equal(m.lines_len, strlen("Node 0, zone DMA32;pages free 1234"));
}

static void a_scope_may_be_a_path(void **state)
{
	struct counter_marker m;

	assert_true(parse("RL1 1 memory.stat /sys/fs/cgroup/a.slice|anon 1", &m));
	assert_int_equal(m.scope_len, strlen("/sys/fs/cgroup/a.slice"));
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"R",
		"RL1",
		"RL1 ",
		"RL1 x vmstat -|a 1",
		"RL1 1",
		"RL1 1 vmstat",
		"RL1 1 vmstat ",
		"RL1 1  -|a 1",
		"RL1 99999999999999999999999 vmstat -|a 1",
		"SNAP before",
	};
	struct counter_marker m;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(parse(texts[i], &m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_marker_is_taken_apart),
		cmocka_unit_test(a_scope_may_be_a_path),
		cmocka_unit_test(other_texts_are_refused),
	};

	return cmocka_run_group_tests_name("counter_marker", tests, NULL, NULL);
}
