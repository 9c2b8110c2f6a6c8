/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine and a policy as options of the lab's User Mode Linux. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "replay/uml_settings.h"

/* Is "--knob @knob" there? */
static bool has_knob(const struct uml_settings *s, const char *knob)
{
	for (unsigned int i = 0; i + 1 < s->nr; i++)
		if (!strcmp(s->word[i], "--knob") && !strcmp(s->word[i + 1], knob))
			return true;
	return false;
}

static const char *value_of(const struct uml_settings *s, const char *option)
{
	for (unsigned int i = 0; i + 1 < s->nr; i++)
		if (!strcmp(s->word[i], option))
			return s->word[i + 1];
	return NULL;
}

static void test_policy_becomes_switches(void **state)
{
	struct uml_settings s = { .nr = 0 };
	struct rl_msg msg;

	assert_int_equal(uml_settings_policy(&s, "gap-split:wsf=120,high=10", &msg), 0);
	assert_true(has_knob(&s, "reclaimlab.gap=split"));
	assert_true(has_knob(&s, "watermark_scale_factor=120"));
	assert_true(has_knob(&s, "reclaimlab.gap_split_factor=10"));
	assert_int_equal(s.nr, 6);
}

/* What is not said has the model's value; 0 of wsf leaves the machine's. */
static void test_defaults_are_the_models(void **state)
{
	struct uml_settings s = { .nr = 0 };
	struct rl_msg msg;

	assert_int_equal(uml_settings_policy(&s, "hit-quickly+bailout-54:exempt=0", &msg), 0);
	assert_true(has_knob(&s, "reclaimlab.feedback=1"));
	assert_true(has_knob(&s, "reclaimlab.feedback_max=800"));
	assert_true(has_knob(&s, "reclaimlab.feedback_step=25"));
	assert_true(has_knob(&s, "reclaimlab.feedback_threshold=3"));
	assert_true(has_knob(&s, "reclaimlab.costly_bailout=early-all"));
	assert_int_equal(s.nr, 10);
}

static void test_recorded_policy_needs_nothing(void **state)
{
	struct uml_settings s = { .nr = 0 };
	struct rl_msg msg;

	assert_int_equal(uml_settings_policy(&s, "", &msg), 0);
	assert_int_equal(uml_settings_policy(&s, NULL, &msg), 0);
	assert_int_equal(s.nr, 0);
}

static void test_policy_without_switch_is_refused(void **state)
{
	struct uml_settings s = { .nr = 0 };
	struct rl_msg msg;

	assert_int_equal(uml_settings_policy(&s, "lumpy", &msg), -EOPNOTSUPP);
	assert_non_null(strstr(msg.text, "no policy lumpy"));
	assert_non_null(strstr(msg.text, "gap-sqrt"));
	assert_int_equal(uml_settings_policy(&s, "linear+belady", &msg), -EOPNOTSUPP);
	assert_int_equal(uml_settings_policy(&s, "no-such-policy", &msg), -EINVAL);
}

static void test_machine(void **state)
{
	static struct machine machine;
	struct uml_settings s = { .nr = 0 };
	struct rl_msg msg;

	assert_int_equal(machine_of_size("6.1", "256M", &machine, &msg), 0);
	machine.machine.swap_pages = 1025;
	machine.machine.swappiness = 10;
	machine.machine.min_free_kbytes = 2005;
	machine.machine.devices[0].read_latency_ns = 50000;
	machine.machine.devices[0].read_bytes_per_s = 40960000;
	machine.machine.costs.scan_page = 1100;
	machine.machine.costs.reclaim_page = 3300;
	assert_int_equal(uml_settings_machine(&s, &machine, &msg), 0);
	/* 65536 pages managed, a sixtieth and 16 MiB more to boot with. */
	assert_string_equal(value_of(&s, "--memory"), "282896K");
	assert_string_equal(value_of(&s, "--swap"), "5");
	assert_true(has_knob(&s, "replay.managed=65536"));
	assert_true(has_knob(&s, "min_free_kbytes=2005"));
	assert_true(has_knob(&s, "swappiness=10"));
	assert_true(has_knob(&s, "replay.file_read_ns=50000"));
	assert_true(has_knob(&s, "replay.file_read_page_ns=100000"));
	assert_true(has_knob(&s, "reclaimlab.scan_cost_ns=4400"));
}

/* All tasks of a replay under User Mode Linux live in the root's group. */
static void test_memory_cgroups_are_refused(void **state)
{
	static struct machine machine;
	struct uml_settings s = { .nr = 0 };
	struct rl_msg msg;

	assert_int_equal(machine_of_size("6.1", "256M", &machine, &msg), 0);
	machine.machine.nr_memcgs = 3;
	assert_int_equal(uml_settings_machine(&s, &machine, &msg), -EOPNOTSUPP);
	assert_non_null(strstr(msg.text, "2 memory cgroups"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policy_becomes_switches),
		cmocka_unit_test(test_defaults_are_the_models),
		cmocka_unit_test(test_recorded_policy_needs_nothing),
		cmocka_unit_test(test_policy_without_switch_is_refused),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_memory_cgroups_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
