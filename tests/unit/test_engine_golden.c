/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The discussions' experiments as synthetic demand: does the published effect come out? Each test
 * says what was published and how near the engine has to come; the demand is a sketch of the
 * benchmark, so directions and rough sizes are tested, not figures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reclaim/policy.h"

#define MAX_TASKS 32

struct scene;

/* One task's script: fills the next record, false at its end. */
typedef bool (*script_fn)(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d);

struct scene {
	struct reclaim_machine machine;
	const char *profile, *policy;
	uint64_t seed;
	uint32_t nr_tasks;
	script_fn script[MAX_TASKS];
	struct reclaim_task_desc task[MAX_TASKS];
	uint64_t step[MAX_TASKS], x[MAX_TASKS];
	struct reclaim_demand d[MAX_TASKS];
	/* What came of it. */
	uint32_t huge_ok, huge_failed, failures_in_a_row, failures_at[8];
	uint64_t task_stalls, task_memcg_stalls;
	uint64_t vm[RECLAIM_NR_COUNTERS];
	bool stop;
};

static uint64_t rnd(struct scene *s, uint32_t task, uint64_t n)
{
	uint64_t *x = &s->x[task];

	*x = *x * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*x >> 33) % n;
}

static const struct reclaim_demand *scene_next(void *ctx, uint32_t task)
{
	struct scene *s = ctx;
	struct reclaim_demand *d = &s->d[task];

	memset(d, 0, sizeof(*d));
	return s->script[task](s, task, s->step[task]++, d) ? d : NULL;
}

static void scene_event(void *ctx, const struct reclaim_event *ev)
{
	struct scene *s = ctx;

	if (ev->type == RECLAIM_EV_HUGE) {
		if (!ev->ok && s->huge_failed < 8)
			s->failures_at[s->huge_failed] = s->huge_ok;
		if (ev->ok)
			s->huge_ok++;
		else
			s->huge_failed++;
	}
	if (ev->actor != RECLAIM_ACTOR_TASK)
		return;
	s->task_stalls += ev->type == RECLAIM_EV_DIRECT_BEGIN;
	s->task_memcg_stalls += ev->type == RECLAIM_EV_MEMCG_BEGIN;
}

static void scene_add(struct scene *s, script_fn script, int64_t start, uint32_t memcg)
{
	uint32_t i = s->nr_tasks++;

	s->script[i] = script;
	s->task[i] =
		(struct reclaim_task_desc){ .start = start, .memcg = memcg, .cpu = -1, .tag = i };
	s->x[i] = s->seed * 1000 + i + 1;
}

static void scene_run(struct scene *s)
{
	struct reclaim_error error = { "" };
	struct reclaim_config c = {
		.machine = &s->machine,
		.profile = reclaim_profile_find(s->profile),
		.policy = s->policy ? reclaim_policy_create(s->policy, &error) : NULL,
		.seed = s->seed,
		.tasks = s->task,
		.nr_tasks = s->nr_tasks,
		.next = scene_next,
		.next_ctx = s,
		.event = scene_event,
		.event_ctx = s,
		.event_mask = 1ULL << RECLAIM_EV_HUGE | 1ULL << RECLAIM_EV_DIRECT_BEGIN |
			      1ULL << RECLAIM_EV_MEMCG_BEGIN,
	};
	struct reclaim_engine *e;

	if (s->policy && !c.policy)
		fail_msg("%s", error.text);
	if (reclaim_engine_create(&e, &c, &error))
		fail_msg("%s", error.text);
	if (reclaim_engine_run(e, RECLAIM_NO_TIME, &error) != 1)
		fail_msg("%s: %s", s->policy, error.text);
	memcpy(s->vm, reclaim_engine_counters(e), sizeof(s->vm));
	reclaim_engine_free(e);
	reclaim_policy_free(c.policy);
}

/* ---- huge pages and the fast bail-out, 2019 ---- */

#define CACHE_PAGES 300000u /* a file larger than the 1 GiB node */

static void read_next(struct reclaim_demand *d, uint32_t index)
{
	d->op = RECLAIM_OP_CACHE;
	d->think = 1000;
	d->index = index;
	d->start = index & ~31u;
	d->count = 32;
}

static bool fill_then_pool(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d)
{
	if (step < CACHE_PAGES) {
		read_next(d, (uint32_t)step);
		return true;
	}
	step -= CACHE_PAGES;
	if (step == 256)
		return false;
	d->op = RECLAIM_OP_ALLOC;
	d->order = 9;
	d->page = (uint32_t)step * 512;
	d->migratetype = RECLAIM_MT_MOVABLE;
	d->gfp = RECLAIM_GFP_HIGHUSER_MOVABLE | RECLAIM_GFP_COMP | RECLAIM_GFP_NOWARN |
		 RECLAIM_GFP_THISNODE | RECLAIM_GFP_RETRY_MAYFAIL;
	d->think = 20000;
	return true;
}

static void one_gib(struct scene *s, const char *profile, const char *policy)
{
	memset(s, 0, sizeof(*s));
	s->profile = profile;
	s->policy = policy;
	s->seed = 1;
	reclaim_machine_init(&s->machine);
	s->machine.cpus = 4;
	reclaim_machine_add_zone(&s->machine, 0, RECLAIM_ZONE_NORMAL, 0, 262144, 250000);
}

/* 256 of 256 before, 11 and 12 with the bail-out, 256 with the exemption of __GFP_RETRY_MAYFAIL. */
static void hugetlb_pool(void **state)
{
	struct scene old, bail, exempt;

	one_gib(&old, "k54", "bailout-none");
	scene_add(&old, fill_then_pool, 0, 0);
	scene_run(&old);
	one_gib(&bail, "k54", "bailout-54:exempt=0");
	scene_add(&bail, fill_then_pool, 0, 0);
	scene_run(&bail);
	one_gib(&exempt, "k54", "bailout-54:exempt=1");
	scene_add(&exempt, fill_then_pool, 0, 0);
	scene_run(&exempt);
	print_message(
		"huge pages of 256: %u without, %u with the bail-out, %u with the exemption\n",
		old.huge_ok, bail.huge_ok, exempt.huge_ok);
	assert_true(old.huge_ok >= 240);
	assert_true(bail.huge_ok <= 40);
	assert_true(exempt.huge_ok >= 240);
}

static bool fill_then_thp(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d)
{
	if (step < CACHE_PAGES) {
		read_next(d, (uint32_t)step);
		return true;
	}
	step -= CACHE_PAGES;
	if (step == 250)
		return false;
	d->op = RECLAIM_OP_ALLOC;
	d->use = RECLAIM_USE_ANON;
	d->order = 9;
	d->page = (uint32_t)step * 512;
	d->migratetype = RECLAIM_MT_MOVABLE;
	d->gfp = RECLAIM_GFP_TRANSHUGE;
	d->flags = RECLAIM_DEMAND_FALLBACK;
	d->think = 200000;
	return true;
}

/*
 * 500 MiB madvised on a full cache: 99.6 % huge before, 93.2 and 90 % with the series. The loss
 * comes out, its size does not: in the experiment kswapd made room meanwhile, here the task never
 * pauses.
 */
static void thp_on_full_cache(void **state)
{
	struct scene old, bail;

	one_gib(&old, "k54", "bailout-none");
	scene_add(&old, fill_then_thp, 0, 0);
	scene_run(&old);
	one_gib(&bail, "k54", "bailout-54:exempt=0");
	scene_add(&bail, fill_then_thp, 0, 0);
	scene_run(&bail);
	print_message("transparent huge pages of 250: %u without, %u with the bail-out\n",
		      old.huge_ok, bail.huge_ok);
	assert_true(old.huge_ok >= 225);
	assert_true(bail.huge_ok < old.huge_ok);
}

/* ---- a margin below a cgroup's limit, 2011 ---- */

#define COPY_PAGES 102400u /* 400 MB */

static bool copy(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d)
{
	if (step == 2ull * COPY_PAGES)
		return false;
	d->think = 3000;
	if (step % 64 < 32) {
		read_next(d, (uint32_t)(step / 64 * 32 + step % 32));
		d->think = 3000;
		return true;
	}
	d->op = RECLAIM_OP_DIRTY;
	d->file = 1;
	d->index = (uint32_t)(step / 64 * 32 + step % 32);
	d->think = 3000;
	return true;
}

static void copy_scene(struct scene *s, const char *policy)
{
	memset(s, 0, sizeof(*s));
	s->profile = "k515";
	s->policy = policy;
	s->seed = 1;
	reclaim_machine_init(&s->machine);
	s->machine.cpus = 2;
	reclaim_machine_add_zone(&s->machine, 0, RECLAIM_ZONE_NORMAL, 0, 524288, 500000);
	s->machine.nr_memcgs = 2;
	s->machine.memcgs[1].max = 51200; /* 200 MB */
	s->machine.devices[0].write_bytes_per_s = 400000000;
	s->machine.devices[0].read_bytes_per_s = 400000000;
	scene_add(s, copy, 0, 1);
	scene_run(s);
}

/* Fewer stalls at the limit: here at most a tenth of them may be left. */
static void memcg_margin(void **state)
{
	struct scene none, async;

	copy_scene(&none, "memcg-none");
	copy_scene(&async, "memcg-async");
	print_message(
		"stalls at the limit: %llu without, %llu with a margin; stolen %llu and %llu\n",
		(unsigned long long)none.task_memcg_stalls,
		(unsigned long long)async.task_memcg_stalls,
		(unsigned long long)none.vm[RECLAIM_VM_PGSTEAL_MEMCG],
		(unsigned long long)async.vm[RECLAIM_VM_PGSTEAL_MEMCG]);
	assert_true(none.task_memcg_stalls >= 1000);
	assert_true(async.task_memcg_stalls * 10 <= none.task_memcg_stalls);
}

/* ---- lumpy reclaim, 2007 ---- */

#define BLOCK_ORDER 10
#define BLOCKS	    122u

static bool churn(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d)
{
	if (s->stop)
		return false;
	d->file = task;
	if (rnd(s, task, 100) < 30) {
		d->op = RECLAIM_OP_DIRTY;
		d->index = (uint32_t)rnd(s, task, 80000);
		d->count = 8;
		d->think = 300000;
		return true;
	}
	read_next(d, (uint32_t)rnd(s, task, 150000));
	d->think = 100000;
	return true;
}

/* Ask for blocks until four requests have failed, half a second after each failure. */
static bool ask_for_blocks(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d)
{
	if (s->huge_failed >= 4 || s->huge_ok >= BLOCKS || step >= BLOCKS + 4) {
		s->stop = true;
		return false;
	}
	d->op = RECLAIM_OP_ALLOC;
	d->order = BLOCK_ORDER;
	d->page = (uint32_t)step << BLOCK_ORDER;
	d->migratetype = RECLAIM_MT_MOVABLE;
	d->gfp = RECLAIM_GFP_HIGHUSER_MOVABLE | RECLAIM_GFP_COMP | RECLAIM_GFP_NOWARN;
	if (s->huge_failed > s->failures_in_a_row) {
		s->failures_in_a_row = s->huge_failed;
		d->flags = RECLAIM_DEMAND_IDLE;
		d->think = 500000000;
	}
	return true;
}

static void lumpy_scene(struct scene *s, const char *policy)
{
	uint32_t i;

	memset(s, 0, sizeof(*s));
	s->profile = "lumpy2636";
	s->policy = policy;
	s->seed = 1;
	reclaim_machine_init(&s->machine);
	s->machine.cpus = 2;
	s->machine.pageblock_order = BLOCK_ORDER;
	s->machine.dirty_ratio = 40;
	reclaim_machine_add_zone(&s->machine, 0, RECLAIM_ZONE_NORMAL, 0, 393216, 380000);
	reclaim_machine_add_zone(&s->machine, 0, RECLAIM_ZONE_MOVABLE, 393216, 131072, 131072);
	s->machine.devices[0].read_bytes_per_s = 60000000;
	s->machine.devices[0].write_bytes_per_s = 60000000;
	s->machine.devices[0].read_latency_ns = 4000000;
	s->machine.devices[0].queues = 4;
	for (i = 0; i < 4; i++)
		scene_add(s, churn, 0, 0);
	scene_add(s, ask_for_blocks, 120000000000LL, 0);
	scene_run(s);
}

/* 12 of 122 blocks before, 50 with the wait for writeback: at least twice as many. */
static void lumpy_blocks(void **state)
{
	struct scene lumpy, one, five;

	lumpy_scene(&lumpy, "lumpy");
	lumpy_scene(&one, "lumpy-sync:passes=1");
	lumpy_scene(&five, "lumpy-sync:passes=5");
	print_message("blocks of 122: lumpy %u, one synchronous pass %u, five %u\n", lumpy.huge_ok,
		      one.huge_ok, five.huge_ok);
	assert_true(lumpy.huge_ok < BLOCKS);
	assert_true(one.huge_ok >= 2 * lumpy.huge_ok);
	assert_true(five.huge_ok >= one.huge_ok);
}

/* ---- throttling by events, 2021 ---- */

static bool stutter_write(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d)
{
	if (step == 6000)
		return false;
	d->op = RECLAIM_OP_DIRTY;
	d->file = task;
	d->index = (uint32_t)(step * 16 % 60000);
	d->count = 16;
	d->think = 20000;
	return true;
}

static bool stutter_read(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d)
{
	if (step == 150000)
		return false;
	read_next(d, (uint32_t)(step % 60000));
	d->file = task;
	return true;
}

static bool stutter_map(struct scene *s, uint32_t task, uint64_t step, struct reclaim_demand *d)
{
	if (step == 60000)
		return false;
	d->op = RECLAIM_OP_ACCESS;
	d->page = task * 100000 + (uint32_t)(step < 25000 ? step : rnd(s, task, 25000));
	d->flags = RECLAIM_DEMAND_WRITE;
	d->think = 10000;
	return true;
}

static void stutter(struct scene *s, const char *policy)
{
	uint32_t i;

	memset(s, 0, sizeof(*s));
	s->profile = "k515";
	s->policy = policy;
	s->seed = 1;
	reclaim_machine_init(&s->machine);
	s->machine.cpus = 8;
	s->machine.dirty_ratio = 60;
	s->machine.dirty_background_ratio = 30;
	s->machine.swap_pages = 262144;
	reclaim_machine_add_zone(&s->machine, 0, RECLAIM_ZONE_NORMAL, 0, 131072, 120000);
	s->machine.devices[0].write_bytes_per_s = 30000000;
	s->machine.devices[0].read_bytes_per_s = 200000000;
	s->machine.devices[0].queues = 4;
	for (i = 0; i < 16; i++)
		scene_add(s, stutter_write, i * 1000000, 0);
	for (i = 0; i < 4; i++)
		scene_add(s, stutter_read, i * 1000000, 0);
	for (i = 0; i < 4; i++)
		scene_add(s, stutter_map, i * 1000000, 0);
	scene_run(s);
}

/*
 * Published: direct scan 518791317 -> 219956338 (-58 %), kswapd scan 128555233 -> 165439373 (+29
 * %). The directions must come out, by at least 5 and 6 %: this demand does not press as hard as
 * the benchmark did.
 */
static void throttled_by_events(void **state)
{
	struct scene old, v2;

	stutter(&old, "congestion-wait");
	stutter(&v2, "reclaim-throttle-v2r5");
	print_message("scanned: direct %llu -> %llu, kswapd %llu -> %llu\n",
		      (unsigned long long)old.vm[RECLAIM_VM_PGSCAN_DIRECT],
		      (unsigned long long)v2.vm[RECLAIM_VM_PGSCAN_DIRECT],
		      (unsigned long long)old.vm[RECLAIM_VM_PGSCAN_KSWAPD],
		      (unsigned long long)v2.vm[RECLAIM_VM_PGSCAN_KSWAPD]);
	assert_true(v2.vm[RECLAIM_VM_PGSCAN_DIRECT] * 100 < old.vm[RECLAIM_VM_PGSCAN_DIRECT] * 95);
	assert_true(v2.vm[RECLAIM_VM_PGSCAN_KSWAPD] * 100 > old.vm[RECLAIM_VM_PGSCAN_KSWAPD] * 106);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hugetlb_pool),	       cmocka_unit_test(thp_on_full_cache),
		cmocka_unit_test(memcg_margin),	       cmocka_unit_test(lumpy_blocks),
		cmocka_unit_test(throttled_by_events),
	};

	return cmocka_run_group_tests_name("published effects", tests, NULL, NULL);
}
