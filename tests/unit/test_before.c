/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_before.c - pages that were evicted before the recording began */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "replay/before.h"

#define FRAMES	  8192
#define NR_READS  10
#define READAHEAD 6 /* pages that the first record brings in */

/* Pages 0 to 5 by readahead, then 0 to 9 one by one; page 9 was written before it is read. */
static struct demand *demand_of(uint64_t before)
{
	struct demand *demand = demand_new();
	static struct demand_record records[NR_READS + 2];

	assert_non_null(demand);
	records[0] = (struct demand_record){ .op = DEMAND_CACHE,
					     .flags = DEMAND_ASYNC,
					     .count = READAHEAD };
	records[1] = (struct demand_record){ .op = DEMAND_DIRTY, .index = 9, .count = 1 };
	for (uint32_t i = 0; i < NR_READS; i++)
		records[2 + i] = (struct demand_record){ .op = DEMAND_CACHE, .index = i };
	demand->records = records;
	demand->nr_records = NR_READS + 2;
	if (before)
		assert_int_equal(demand_note(demand, BEFORE_NOTE, "%d", (int)before), 0);
	return demand;
}

static void forget(struct demand *demand)
{
	demand->records = NULL;
	demand_free(demand);
}

static uint64_t marked(uint64_t wanted)
{
	struct demand *demand = demand_of(wanted);
	struct before *before;
	uint64_t pages;

	assert_int_equal(before_new(demand, &before, NULL), 0);
	pages = before_pages(before);
	before_free(before);
	forget(demand);
	return pages;
}

/* Nine pages are read first; no more than these can have been away. */
static void as_many_as_the_counter_says(void **state)
{
	assert_int_equal(marked(0), 0);
	assert_int_equal(marked(1), 1);
	assert_int_equal(marked(4), 4);
	assert_int_equal(marked(9), 9);
	assert_int_equal(marked(1000), 9);
}

static const struct reclaim_demand *next(void *ctx, uint32_t task)
{
	static struct reclaim_demand read;
	uint32_t *at = ctx;

	read = (struct reclaim_demand){ .op = RECLAIM_OP_CACHE, .index = *at };
	return (*at)++ < NR_READS ? &read : NULL;
}

static void they_come_back_as_refaults(const char *profile)
{
	static struct reclaim_machine machine;
	const struct reclaim_task_desc task = { .cpu = -1 };
	uint32_t at = 0;
	const struct reclaim_config config = { .machine = &machine,
					       .profile = reclaim_profile_find(profile),
					       .seed = 1,
					       .tasks = &task,
					       .nr_tasks = 1,
					       .next = next,
					       .next_ctx = &at };
	struct demand *demand = demand_of(4);
	struct reclaim_engine *engine;
	struct reclaim_error error;
	struct before *before;

	reclaim_machine_init(&machine);
	assert_int_equal(
		reclaim_machine_add_zone(&machine, 0, RECLAIM_ZONE_NORMAL, 0, FRAMES, FRAMES), 0);
	if (reclaim_engine_create(&engine, &config, &error))
		fail_msg("%s", error.text);
	assert_int_equal(before_new(demand, &before, NULL), 0);
	assert_int_equal(before_tell(before, engine), 0);
	assert_int_equal(reclaim_engine_run(engine, RECLAIM_NO_TIME, &error), 1);
	assert_int_equal(reclaim_engine_counter(engine, RECLAIM_VM_WORKINGSET_REFAULT_FILE), 4);
	assert_int_equal(reclaim_engine_counter(engine, RECLAIM_VM_WORKINGSET_ACTIVATE_FILE), 0);
	reclaim_engine_free(engine);
	before_free(before);
	forget(demand);
}

static void two_lists_do_not_activate_them(void **state)
{
	they_come_back_as_refaults("k61");
}

static void generations_do_not_activate_them(void **state)
{
	they_come_back_as_refaults("k612-mglru");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_many_as_the_counter_says),
		cmocka_unit_test(two_lists_do_not_activate_them),
		cmocka_unit_test(generations_do_not_activate_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
