/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dirty pages under reclaim: where they wait, where they go when they are written, who calls the
 * node congested, which limit holds writers, and how much one request takes. The figures are
 * counted from the few records of each script.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "reclaim/policy.h"

#define PAGES	  131072u /* 512 MiB */
#define MANAGED	  126000u
#define SECOND	  1000000000LL
#define IO_PAGES  320u /* 1280 KiB */
#define MAX_STEPS 16

struct script {
	struct reclaim_machine machine;
	struct reclaim_demand step[MAX_STEPS];
	uint32_t nr, next, throttled[RECLAIM_NR_THROTTLES];
	uint64_t vm[RECLAIM_NR_COUNTERS];
};

static const struct reclaim_demand *script_next(void *ctx, uint32_t task)
{
	struct script *s = ctx;

	return s->next < s->nr ? &s->step[s->next++] : NULL;
}

static void script_event(void *ctx, const struct reclaim_event *ev)
{
	struct script *s = ctx;

	s->throttled[ev->reason]++;
}

static void script_init(struct script *s)
{
	memset(s, 0, sizeof(*s));
	reclaim_machine_init(&s->machine);
	s->machine.dirty_ratio = 90;
	s->machine.dirty_background_ratio = 80;
	s->machine.devices[0].write_bytes_per_s = 4000000;
	reclaim_machine_add_zone(&s->machine, 0, RECLAIM_ZONE_NORMAL, 0, PAGES, MANAGED);
	s->machine.nr_memcgs = 2;
}

static struct reclaim_demand *script_add(struct script *s, enum reclaim_op op, int64_t idle)
{
	struct reclaim_demand *d = &s->step[s->nr++];

	d->op = op;
	d->think = idle;
	d->flags = idle ? RECLAIM_DEMAND_IDLE : 0;
	return d;
}

static void script_write(struct script *s, uint32_t file, uint16_t pages, uint16_t memcg)
{
	struct reclaim_demand *d = script_add(s, RECLAIM_OP_DIRTY, 0);

	d->file = file;
	d->count = pages;
	d->memcg = memcg;
}

static void script_reclaim(struct script *s, uint32_t pages, uint16_t memcg, int64_t idle)
{
	struct reclaim_demand *d = script_add(s, RECLAIM_OP_PROACTIVE, idle);

	d->page = pages;
	d->memcg = memcg;
}

static void script_run(struct script *s, const char *profile, uint32_t memcg, int64_t until)
{
	struct reclaim_task_desc task = { .cpu = -1, .memcg = memcg };
	struct reclaim_error error = { "" };
	struct reclaim_config c = {
		.machine = &s->machine,
		.profile = reclaim_profile_find(profile),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = script_next,
		.next_ctx = s,
		.event = script_event,
		.event_ctx = s,
		.event_mask = 1ULL << RECLAIM_EV_THROTTLED,
	};
	struct reclaim_engine *e;

	if (reclaim_engine_create(&e, &c, &error))
		fail_msg("%s", error.text);
	if (reclaim_engine_run(e, until, &error) < 0)
		fail_msg("%s", error.text);
	memcpy(s->vm, reclaim_engine_counters(e), sizeof(s->vm));
	reclaim_engine_free(e);
}

/*
 * Writes 8000 pages, asks for 2000 of them back while they are dirty, and again when all are
 * written, which takes 8.2 s.
 */
static void write_and_reclaim(struct script *s, const char *profile, int64_t until)
{
	script_init(s);
	script_write(s, 0, 8000, 0);
	script_reclaim(s, 2000, 0, SECOND);
	script_add(s, RECLAIM_OP_SYNC, 0)->file = 0;
	script_reclaim(s, 2000, 0, 5 * SECOND);
	script_run(s, profile, 0, until);
}

/*
 * Since 4.11 reclaim puts dirty pages on the active list; when their writeback ends they go to the
 * cold end of the inactive list, from where the next reclaim takes them without looking further.
 */
static void parked_until_written(void **state)
{
	struct script early, late;
	uint64_t taken;

	write_and_reclaim(&early, "k61", 12 * SECOND);
	assert_true(early.vm[RECLAIM_VM_PGACTIVATE] >= 8000);
	assert_int_equal(early.vm[RECLAIM_VM_NR_WRITTEN], 8000);
	assert_int_equal(early.vm[RECLAIM_VM_PGROTATED], 8000);
	write_and_reclaim(&late, "k61", RECLAIM_NO_TIME);
	taken = late.vm[RECLAIM_VM_PGSTEAL_FILE] - early.vm[RECLAIM_VM_PGSTEAL_FILE];
	assert_true(taken >= 2000);
	assert_int_equal(late.vm[RECLAIM_VM_PGSCAN_FILE] - early.vm[RECLAIM_VM_PGSCAN_FILE], taken);
	assert_int_equal(late.vm[RECLAIM_VM_PGREFILL], early.vm[RECLAIM_VM_PGREFILL]);
}

/* Before that they stayed on the inactive list. */
static void kept_in_place(void **state)
{
	struct script s;

	write_and_reclaim(&s, "k49", RECLAIM_NO_TIME);
	assert_int_equal(s.vm[RECLAIM_VM_PGACTIVATE], 0);
	assert_true(s.vm[RECLAIM_VM_PGROTATED] > 0);
	assert_true(s.vm[RECLAIM_VM_PGSTEAL_FILE] >= 2000);
}

/* Reclaim for a cgroup waits when all that it meets is under writeback and tagged already. */
static void group_says_congested(void **state)
{
	struct script s;

	script_init(&s);
	s.machine.dirty_background_ratio = 1;
	script_write(&s, 0, 30000, 1);
	script_reclaim(&s, 1000, 1, SECOND);
	script_reclaim(&s, 1000, 1, SECOND);
	script_run(&s, "k61", 1, 30 * SECOND);
	assert_true(s.throttled[RECLAIM_THROTTLE_CONGESTED] > 0);
}

/* A task that reclaims for the machine does not call it congested: only kswapd does, and these
 * requests do not wake it. */
static void task_does_not(void **state)
{
	struct reclaim_demand *d;
	struct script s;
	uint32_t i;

	script_init(&s);
	s.machine.dirty_background_ratio = 1;
	s.machine.devices[0].write_bytes_per_s = 40000;
	script_write(&s, 0, 50000, 0);
	s.step[0].gfp = RECLAIM_GFP_HIGHUSER_MOVABLE & ~RECLAIM_GFP_KSWAPD_RECLAIM;
	for (i = 0; i < 2; i++) {
		d = script_add(&s, RECLAIM_OP_ALLOC, SECOND);
		d->use = RECLAIM_USE_ANON;
		d->gfp = RECLAIM_GFP_HIGHUSER_MOVABLE & ~RECLAIM_GFP_KSWAPD_RECLAIM;
		d->migratetype = RECLAIM_MT_MOVABLE;
		d->page = i * 37700;
		d->count = 37700;
	}
	script_run(&s, "k61", 0, 30 * SECOND);
	assert_int_equal(s.vm[RECLAIM_VM_PGSCAN_KSWAPD], 0);
	assert_true(s.vm[RECLAIM_VM_ALLOCSTALL] > 0);
	assert_int_equal(s.throttled[RECLAIM_THROTTLE_CONGESTED], 0);
}

/* The limit in force at the start: half of it holds the writer earlier, none means the ratio's. */
static uint64_t paused(uint64_t dirty_limit)
{
	struct script s;
	uint32_t i;

	script_init(&s);
	s.machine.dirty_ratio = 20;
	s.machine.dirty_background_ratio = 10;
	s.machine.dirty_limit = dirty_limit;
	for (i = 0; i < 12; i++)
		script_write(&s, i, 2200, 0);
	script_run(&s, "k61", 0, RECLAIM_NO_TIME);
	return s.vm[RECLAIM_VM_DIRTY_PAUSE_NS];
}

static void limit_in_force(void **state)
{
	assert_true(paused(0) > 0);
	assert_int_equal(paused(1), paused(0));
	assert_true(paused(60000) < paused(0));
}

/* A request of 1280 KiB at 1280 KiB a second. */
static void one_request(void **state)
{
	struct script s;

	script_init(&s);
	s.machine.devices[0].write_bytes_per_s = IO_PAGES * 4096;
	s.machine.devices[0].write_latency_ns = 0;
	script_write(&s, 0, 2 * IO_PAGES, 0);
	script_add(&s, RECLAIM_OP_SYNC, 0)->file = 0;
	script_run(&s, "k61", 0, SECOND * 9 / 10);
	assert_int_equal(s.vm[RECLAIM_VM_NR_WRITTEN], 0);
	s.next = 0;
	script_run(&s, "k61", 0, SECOND * 11 / 10);
	assert_int_equal(s.vm[RECLAIM_VM_NR_WRITTEN], IO_PAGES);
}

/*
 * kswapd that may write files finds that their pages stay dirty: however much it tries, only the
 * flusher's one request is under way to a device which takes one and needs half a minute for it.
 */
static void kswapd_does_not_write_files(void **state)
{
	struct reclaim_demand *d;
	struct script s;
	uint32_t i;

	script_init(&s);
	s.machine.dirty_ratio = 100;
	s.machine.dirty_background_ratio = 99;
	s.machine.devices[0].write_bytes_per_s = 40000;
	s.machine.devices[0].queue_depth = 1;
	for (i = 0; i < 3; i++)
		script_write(&s, i, 36000, 0);
	d = script_add(&s, RECLAIM_OP_ALLOC, 0);
	d->use = RECLAIM_USE_ANON;
	d->count = 17200;
	script_add(&s, RECLAIM_OP_NOP, 60 * SECOND);
	script_run(&s, "k61", 0, 20 * SECOND);
	assert_true(s.vm[RECLAIM_VM_NR_VMSCAN_WRITE] > 10000);
	assert_int_equal(s.vm[RECLAIM_VM_NR_WRITTEN], 0);
	assert_true(s.vm[RECLAIM_VM_PGPGOUT] <= 1280);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parked_until_written),
		cmocka_unit_test(kept_in_place),
		cmocka_unit_test(group_says_congested),
		cmocka_unit_test(task_does_not),
		cmocka_unit_test(limit_in_force),
		cmocka_unit_test(kswapd_does_not_write_files),
		cmocka_unit_test(one_request),
	};

	return cmocka_run_group_tests_name("dirty pages", tests, NULL, NULL);
}
