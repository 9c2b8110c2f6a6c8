/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who gets how much of the CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "reclaim/engine.h"

#define PAGES	 8192
#define NR_TASKS 3
#define STEP	 INT64_C(100000)
#define SECOND	 INT64_C(1000000000)

/* Every task computes in steps for ever. */
static const struct reclaim_demand *next(void *ctx, uint32_t task)
{
	static const struct reclaim_demand step = { .op = RECLAIM_OP_NOP, .think = STEP };
	uint64_t *steps = ctx;

	steps[task]++;
	return &step;
}

static void run(const char *profile, uint64_t *steps)
{
	static struct reclaim_machine machine;
	const struct reclaim_task_desc tasks[NR_TASKS] = { { .cpu = -1 },
							   { .cpu = -1, .tag = 1 },
							   { .cpu = -1, .tag = 2 } };
	const struct reclaim_config config = {
		.machine = &machine,
		.profile = reclaim_profile_find(profile),
		.seed = 1,
		.tasks = tasks,
		.nr_tasks = NR_TASKS,
		.next = next,
		.next_ctx = steps,
	};
	struct reclaim_engine *engine = NULL;
	struct reclaim_error error;

	reclaim_machine_init(&machine);
	machine.cpus = 2;
	assert_int_equal(
		reclaim_machine_add_zone(&machine, 0, RECLAIM_ZONE_NORMAL, 0, PAGES, PAGES), 0);
	if (reclaim_engine_create(&engine, &config, &error))
		fail_msg("%s", error.text);
	assert_int_equal(reclaim_engine_run(engine, 10 * SECOND, &error), 0);
	reclaim_engine_free(engine);
}

/* Three on two CPUs: two thirds of 10 s each, within a tenth. */
static void three_share_two_cpus(void **state)
{
	static const char *const profiles[] = { "k61", "k612" };

	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		uint64_t steps[NR_TASKS] = { 0 };

		run(profiles[i], steps);
		for (int t = 0; t < NR_TASKS; t++)
			assert_in_range(steps[t], 60000, 73300);
	}
}

/* Of one task alone that thinks for 10 s, in which a pause of 1 ms comes every 1 ms. */
static uint64_t thought(uint32_t think_ppm)
{
	static struct reclaim_machine machine;
	static const int64_t pause = 1000000;
	const struct reclaim_task_desc task = { .cpu = -1 };
	uint64_t steps = 0;
	const struct reclaim_config config = {
		.machine = &machine,
		.profile = reclaim_profile_find("k61"),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = next,
		.next_ctx = &steps,
	};
	struct reclaim_engine *engine = NULL;
	struct reclaim_error error;

	reclaim_machine_init(&machine);
	machine.pauses.mean_gap_ns = pause;
	machine.pauses.quantiles = &pause;
	machine.pauses.nr_quantiles = 1;
	machine.pauses.think_ppm = think_ppm;
	assert_int_equal(
		reclaim_machine_add_zone(&machine, 0, RECLAIM_ZONE_NORMAL, 0, PAGES, PAGES), 0);
	if (reclaim_engine_create(&engine, &config, &error))
		fail_msg("%s", error.text);
	assert_int_equal(reclaim_engine_run(engine, 10 * SECOND, &error), 0);
	reclaim_engine_free(engine);
	return steps;
}

static void thought_is_spared_pauses(void **state)
{
	/* Half of the time is pauses; a third, when half of the thinking counts; none. */
	assert_in_range(thought(1000000), 48000, 52000);
	assert_in_range(thought(500000), 64000, 69000);
	assert_in_range(thought(0), 99990, 100001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_share_two_cpus),
		cmocka_unit_test(thought_is_spared_pauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
