/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protection of memory cgroups in a hierarchy. The figures are worked out by hand from the rule of
 * the kernel's documentation of cgroup v2: what all children claim and use beyond the parent's
 * share is cut in proportion to their use; what they leave of it goes, with memory_recursiveprot,
 * to each in proportion to what it uses beyond its own claim.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "replay/engine/internal.h"

#define PAGES	131072u /* 512 MiB */
#define MANAGED 126000u
#define LOW	60000u
#define CLAIM	40000u

/* A claims 800 and uses 600, B claims 800 and uses 900, the parent has 1000 for them: 600 : 800. */
static void claims_beyond_the_parent(void **state)
{
	assert_int_equal(rc_effective_protection(600, 1500, 800, 1000, 1400, true), 428);
	assert_int_equal(rc_effective_protection(900, 1500, 800, 1000, 1400, true), 571);
	assert_int_equal(rc_effective_protection(900, 1500, 800, 1000, 1400, false), 571);
}

/* A claims nothing and uses 500, B claims 300 and uses 1500: 700 are left, shared 500 : 1200. */
static void what_is_not_claimed(void **state)
{
	assert_int_equal(rc_effective_protection(500, 2000, 0, 1000, 300, true), 205);
	assert_int_equal(rc_effective_protection(1500, 2000, 300, 1000, 300, true), 794);
	assert_int_equal(rc_effective_protection(500, 2000, 0, 1000, 300, false), 0);
	assert_int_equal(rc_effective_protection(1500, 2000, 300, 1000, 300, false), 300);
}

static void nothing_to_share(void **state)
{
	assert_int_equal(rc_effective_protection(500, 500, 500, 0, 500, true), 0);
	assert_int_equal(rc_effective_protection(500, 2000, 0, 0, 0, true), 0);
	assert_int_equal(rc_effective_protection(200, 2000, 900, 1000, 200, true), 200);
	assert_int_equal(rc_effective_protection(1u << 31, 1ULL << 32, UINT64_MAX, 1u << 31,
						 1ULL << 32, true),
			 1u << 30);
}

/* ---- under pressure ---- */

struct stream {
	uint32_t pages[5]; /* that each group reads, one after the other */
	uint32_t group, next;
	struct reclaim_demand d;
};

static const struct reclaim_demand *stream_next(void *ctx, uint32_t task)
{
	struct stream *s = ctx;

	while (s->group < 5 && s->next >= s->pages[s->group]) {
		s->group++;
		s->next = 0;
	}
	if (s->group == 5)
		return NULL;
	s->d = (struct reclaim_demand){
		.op = RECLAIM_OP_CACHE,
		.think = 1000,
		.file = s->group,
		.index = s->next,
		.start = s->next,
		.count = 32,
		.memcg = (uint16_t)s->group,
	};
	s->next += 32;
	return &s->d;
}

/*
 * Group 1 is protected of LOW; 2 and 3 are below it, 3 with a claim of its own; 4 is beside it and
 * reads more than there is memory.
 */
static void pressure(bool recursive, uint64_t usage[5])
{
	struct stream s = { .pages = { 0, 0, 30016, 50016, 300000 } };
	struct reclaim_task_desc task = { .cpu = -1 };
	struct reclaim_error error = { "" };
	struct reclaim_memcg_state state;
	struct reclaim_machine m;
	struct reclaim_config c = {
		.machine = &m,
		.profile = reclaim_profile_find("k61"),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = stream_next,
		.next_ctx = &s,
	};
	struct reclaim_engine *e;
	uint32_t i;

	reclaim_machine_init(&m);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 0, PAGES, MANAGED);
	m.memory_recursiveprot = recursive;
	m.nr_memcgs = 5;
	m.memcgs[1].low = LOW;
	m.memcgs[2].parent = 1;
	m.memcgs[3].parent = 1;
	m.memcgs[3].low = CLAIM;
	if (reclaim_engine_create(&e, &c, &error))
		fail_msg("%s", error.text);
	if (reclaim_engine_run(e, RECLAIM_NO_TIME, &error) != 1)
		fail_msg("%s", error.text);
	for (i = 1; i < 5; i++) {
		assert_int_equal(reclaim_engine_memcg(e, i, &state), 0);
		usage[i] = state.usage;
	}
	reclaim_engine_free(e);
}

/* All that group 1 is protected of stays there, in whichever child it is. */
static void the_parent_covers_its_children(void **state)
{
	uint64_t usage[5];

	pressure(true, usage);
	print_message("kept: %llu, of it %llu and %llu\n", (unsigned long long)usage[1],
		      (unsigned long long)usage[2], (unsigned long long)usage[3]);
	assert_in_range(usage[1], LOW, LOW + LOW / 10);
	assert_in_range(usage[3], CLAIM, MANAGED);
	assert_true(usage[2] > 10000);
}

/* Without it only the claim of group 3 counts: the other child goes. */
static void only_claims_count(void **state)
{
	uint64_t usage[5];

	pressure(false, usage);
	print_message("kept: %llu, of it %llu and %llu\n", (unsigned long long)usage[1],
		      (unsigned long long)usage[2], (unsigned long long)usage[3]);
	assert_in_range(usage[3], CLAIM, CLAIM + CLAIM / 10);
	assert_true(usage[2] < 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_beyond_the_parent),
		cmocka_unit_test(what_is_not_claimed),
		cmocka_unit_test(nothing_to_share),
		cmocka_unit_test(the_parent_covers_its_children),
		cmocka_unit_test(only_claims_count),
	};

	return cmocka_run_group_tests_name("protection of cgroups", tests, NULL, NULL);
}
