/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "capture/base/message.h"

static void fail_returns_negative_errno_and_text(void **state)
{
	struct rl_msg msg;

	assert_int_equal(rl_fail(&msg, EINVAL, "%s: offset %d", "a.dat", 7), -EINVAL);
	assert_string_equal(msg.text, "a.dat: offset 7");
	assert_int_equal(rl_fail(NULL, ENOMEM, "nobody listens"), -ENOMEM);
}

static void control_bytes_are_replaced(void **state)
{
	struct rl_msg msg;

	rl_fail(&msg, EINVAL, "a\nb\033[31m");
	assert_string_equal(msg.text, "a?b?[31m");
}

static void prefix_and_errno_are_joined(void **state)
{
	struct rl_msg msg;

	assert_int_equal(rl_fail_errno(&msg, ENOENT, "open"), -ENOENT);
	rl_msg_prefix(&msg, "%s", "trace.dat");
	assert_string_equal(msg.text, "trace.dat: open: No such file or directory");
}

static void long_text_is_cut(void **state)
{
	struct rl_msg msg;
	char text[2 * RL_MSG_SIZE];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	rl_fail(&msg, EINVAL, "%s", text);
	assert_int_equal(strlen(msg.text), RL_MSG_SIZE - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fail_returns_negative_errno_and_text),
		cmocka_unit_test(control_bytes_are_replaced),
		cmocka_unit_test(prefix_and_errno_are_joined),
		cmocka_unit_test(long_text_is_cut),
	};

	return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
