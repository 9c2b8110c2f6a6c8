/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random demand under every profile and every policy: no page is lost, every account agrees with a
 * full walk at all times, free memory never goes negative, and the same seed gives the same events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/unit/engine_random.h"

#define STEP_NS 20000000LL

struct outcome {
	uint64_t hash, steal, records;
};

/* Any order of the pages will do here. */
static uint64_t some_order(void *ctx, uint32_t file, uint32_t index)
{
	return (index * 2654435761u ^ file) & 1 ? RECLAIM_NEVER : index;
}

static void nothing(void *ctx, uint32_t task)
{
}

static struct outcome run(const char *profile, const char *spec, uint64_t seed, uint64_t records,
			  uint32_t nodes, uint32_t memcgs)
{
	struct reclaim_error error = { "" };
	struct reclaim_task_desc tasks[RANDOM_TASKS];
	struct reclaim_machine m;
	struct random_demand r;
	const struct reclaim_future future = { .next_use = some_order, .done = nothing };
	struct reclaim_config c = {
		.machine = &m,
		.profile = reclaim_profile_find(profile),
		.seed = seed,
		.tasks = tasks,
		.nr_tasks = RANDOM_TASKS,
		.next = random_next,
		.next_ctx = &r,
		.future = &future,
	};
	struct reclaim_engine *e;
	struct outcome out;
	int64_t until = 0;
	int ret;

	random_machine(&m, nodes, memcgs);
	random_start(&r, seed, records, memcgs, nodes, tasks);
	if (spec) {
		c.policy = reclaim_policy_create(spec, &error);
		if (!c.policy)
			fail_msg("%s: %s", spec, error.text);
	}
	assert_int_equal(reclaim_engine_create(&e, &c, &error), 0);
	do {
		until += STEP_NS;
		ret = reclaim_engine_run(e, until, &error);
		if (ret < 0)
			fail_msg("%s %s seed %llu: %s", profile, spec ? spec : "-",
				 (unsigned long long)seed, error.text);
		if (reclaim_engine_verify(e, &error))
			fail_msg("%s %s seed %llu at %lld ns: %s", profile, spec ? spec : "-",
				 (unsigned long long)seed, (long long)reclaim_engine_now(e),
				 error.text);
	} while (!ret);
	out.hash = reclaim_engine_hash(e);
	out.steal = reclaim_engine_counter(e, RECLAIM_VM_PGSTEAL_FILE) +
		    reclaim_engine_counter(e, RECLAIM_VM_PGSTEAL_ANON);
	out.records = reclaim_engine_counter(e, RECLAIM_VM_DEMAND_RECORDS);
	reclaim_engine_free(e);
	reclaim_policy_free(c.policy);
	return out;
}

static void every_profile(void **state)
{
	const char *name;
	size_t i;

	for (i = 0; (name = reclaim_profile_list(i)); i++) {
		struct outcome o = run(name, NULL, i + 1, 3000, 1, 1);

		assert_true(o.records > 0);
		assert_true(o.steal > 0);
	}
}

#define PLUGINS RL_BUILD_DIR "/../../samples/policies/"

static void every_policy(void **state)
{
	static const char *const plugins[] = { PLUGINS "fifo.so", PLUGINS "sieve.so",
					       PLUGINS "s3fifo.so" };
	const struct reclaim_policy_ops *ops;
	size_t i;

	for (i = 0; (ops = reclaim_policy_builtin(i)); i++)
		assert_true(run("k61", ops->name, 100 + i, 2000, 1 + i % 2, 4).records > 0);
	for (i = 0; i < sizeof(plugins) / sizeof(*plugins); i++)
		assert_true(run("k612", plugins[i], 200 + i, 2000, 1 + i % 2, 4).records > 0);
}

static void groups_and_nodes(void **state)
{
	assert_true(run("k61", NULL, 7, 3000, 2, 4).steal > 0);
	assert_true(
		run("k612", "memcg-async:min_limit_kb=0,start_kb=400,stop_kb=800", 8, 3000, 2, 4)
			.steal > 0);
	assert_true(run("k618-mglru", NULL, 9, 3000, 2, 4).steal > 0);
	assert_true(run("k515", "memcg-wmark+congestion-wait+lumpy-sync:passes=5", 10, 3000, 1, 4)
			    .steal > 0);
}

static void same_seed_same_events(void **state)
{
	static const char *const profiles[] = { "k49", "k61", "k612", "k618-mglru" };
	size_t i;

	for (i = 0; i < 4; i++) {
		struct outcome a = run(profiles[i], NULL, 5, 1500, 1, 3);
		struct outcome b = run(profiles[i], NULL, 5, 1500, 1, 3);
		struct outcome c = run(profiles[i], NULL, 6, 1500, 1, 3);

		assert_true(a.hash == b.hash);
		assert_true(a.hash != c.hash);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile),
		cmocka_unit_test(every_policy),
		cmocka_unit_test(groups_and_nodes),
		cmocka_unit_test(same_seed_same_events),
	};

	return cmocka_run_group_tests_name("engine properties", tests, NULL, NULL);
}
