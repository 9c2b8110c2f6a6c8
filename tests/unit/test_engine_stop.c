/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A run ends when it is told to and can go on, and says when it cannot end. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "reclaim/engine.h"

#define PAGES	 8192
#define NR_READS 5000
#define SECOND	 INT64_C(1000000000)

struct script {
	const struct reclaim_demand *records;
	uint64_t nr, at;
	int stop, stop_at; /* stop is set when record stop_at is asked for; 0: never */
};

/* The same records over and over, @nr in all. */
static const struct reclaim_demand *next(void *ctx, uint32_t task)
{
	struct script *script = ctx;

	if (script->stop_at && script->at == (uint64_t)script->stop_at)
		script->stop = 1;
	return script->at < script->nr ? &script->records[script->at++ % 2] : NULL;
}

/* @answer: what the device takes for a write, ns; 0: the machine's own. */
static struct reclaim_engine *engine_of(struct script *script, int64_t answer)
{
	static struct reclaim_machine machine;
	const struct reclaim_task_desc task = { .cpu = -1 };
	const struct reclaim_config config = {
		.machine = &machine,
		.profile = reclaim_profile_find("k612"),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = next,
		.next_ctx = script,
		.stop = &script->stop,
	};
	struct reclaim_engine *engine = NULL;
	struct reclaim_error error;

	reclaim_machine_init(&machine);
	assert_int_equal(
		reclaim_machine_add_zone(&machine, 0, RECLAIM_ZONE_NORMAL, 0, PAGES, PAGES), 0);
	if (answer)
		machine.devices[0].write_latency_ns = answer;
	if (reclaim_engine_create(&engine, &config, &error))
		fail_msg("%s", error.text);
	return engine;
}

/* 10 s of thought before each of 5000 reads: at record 100 it is told to stop. */
static void a_run_is_stopped_and_goes_on(void **state)
{
	const struct reclaim_demand reads[2] = {
		{ .op = RECLAIM_OP_CACHE, .think = 10 * SECOND },
		{ .op = RECLAIM_OP_CACHE, .think = 10 * SECOND, .index = 1 },
	};
	struct script script = { .records = reads, .nr = NR_READS, .stop_at = 100 };
	struct reclaim_engine *engine = engine_of(&script, 0);
	struct reclaim_error error;

	assert_int_equal(reclaim_engine_run(engine, RECLAIM_NO_TIME, &error), -EINTR);
	assert_int_equal(reclaim_engine_counter(engine, RECLAIM_VM_DEMAND_RECORDS), 101);
	assert_in_range(reclaim_engine_now(engine), 1000 * SECOND, 1002 * SECOND);
	script.stop = script.stop_at = 0;
	assert_int_equal(reclaim_engine_run(engine, RECLAIM_NO_TIME, &error), 1);
	assert_int_equal(reclaim_engine_counter(engine, RECLAIM_VM_DEMAND_RECORDS), NR_READS);
	reclaim_engine_free(engine);
}

static int run_of(const struct reclaim_demand *records, uint64_t nr, int64_t answer,
		  struct reclaim_error *error)
{
	struct script script = { .records = records, .nr = nr };
	struct reclaim_engine *engine = engine_of(&script, answer);
	int ret = reclaim_engine_run(engine, RECLAIM_NO_TIME, error);

	reclaim_engine_free(engine);
	return ret;
}

/* A device that takes less than ten minutes is slow, one that takes longer has hung. */
static void a_device_that_never_answers_is_told(void **state)
{
	const struct reclaim_demand written[2] = { { .op = RECLAIM_OP_DIRTY },
						   { .op = RECLAIM_OP_SYNC } };
	struct reclaim_error error;

	assert_int_equal(run_of(written, 2, 500 * SECOND, &error), 1);
	assert_int_equal(run_of(written, 2, 700 * SECOND, &error), -EDEADLK);
	assert_non_null(strstr(error.text, "for 600 s no demand got on"));
}

/* Demand without end that takes no time would never let the clock go on. */
static void demand_that_takes_no_time_is_told(void **state)
{
	const struct reclaim_demand nothing[2] = { { .op = RECLAIM_OP_NOP },
						   { .op = RECLAIM_OP_NOP } };
	struct reclaim_error error;

	assert_int_equal(run_of(nothing, 1000000, 0, &error), 1);
	assert_int_equal(run_of(nothing, UINT64_MAX, 0, &error), -EDEADLK);
	assert_non_null(strstr(error.text, "simulated time stands still"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_stopped_and_goes_on),
		cmocka_unit_test(a_device_that_never_answers_is_told),
		cmocka_unit_test(demand_that_takes_no_time_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
