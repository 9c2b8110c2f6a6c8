/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way to swap and back: which slots pages get, what readahead reads with a page, how writes
 * become requests, and how the kernel holds writers back. Expected are figures that follow from the
 * kernel's rules (mm/swapfile.c, mm/swap_state.c, block/blk-mq.c, block/blk-wbt.c) by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "replay/engine/internal.h"

#define MEMORY 8192u
#define SWAP   65536u
#define PAGES  16000u
#define STRIDE 7919u /* a prime: neighbours in time are none by address */
#define PAGE   4096u
#define MS     1000000LL

struct bench {
	struct reclaim_machine machine;
	struct reclaim_demand demand;
	struct reclaim_engine *engine;
	uint32_t stride, rounds;
	uint64_t step;
	/* What samples saw of class 0 and 1 together. */
	uint32_t depths[8], nr_depths, most_in_flight, last_in_flight, last_waiting;
	uint32_t last_depth;
	bool refilled_early, waited;
	uint64_t vm[RECLAIM_NR_COUNTERS];
};

static const struct reclaim_demand *next(void *ctx, uint32_t task)
{
	struct bench *b = ctx;
	uint64_t i = b->step++;

	if (i >= (uint64_t)b->rounds * PAGES)
		return NULL;
	b->demand = (struct reclaim_demand){
		.op = RECLAIM_OP_ACCESS,
		.page = (uint32_t)(i * b->stride % PAGES),
		.flags = i < PAGES ? RECLAIM_DEMAND_WRITE : 0,
		.think = 2000,
	};
	return &b->demand;
}

static void note_depth(struct bench *b, uint32_t depth)
{
	for (uint32_t i = 0; i < b->nr_depths; i++)
		if (b->depths[i] == depth)
			return;
	assert_true(b->nr_depths < 8);
	b->depths[b->nr_depths++] = depth;
}

static void sample(void *ctx, struct reclaim_engine *e, int64_t at)
{
	const struct rc_wbt *w = &e->devices[e->m.swap_device].wbt;
	struct bench *b = ctx;

	for (uint32_t i = 0; i < RC_WBT_CLASSES; i++)
		assert_true(w->in_flight[i] <= 192);
	note_depth(b, w->max_depth);
	b->most_in_flight = rc_max(b->most_in_flight, w->in_flight[1]);
	b->waited |= w->wait[1].nr > 0;
	/* A limit that grows wakes everybody, whatever is under way. */
	if (b->last_waiting && b->last_in_flight > 1 && w->in_flight[1] > b->last_in_flight &&
	    w->max_depth == b->last_depth)
		b->refilled_early = true;
	b->last_depth = w->max_depth;
	b->last_in_flight = w->in_flight[1];
	b->last_waiting = w->wait[1].nr;
}

static void prepare(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	reclaim_machine_init(&b->machine);
	reclaim_machine_add_zone(&b->machine, 0, RECLAIM_ZONE_NORMAL, 0, MEMORY, MEMORY);
	b->machine.swap_pages = SWAP;
	b->stride = 1;
	b->rounds = 1;
}

static void create(struct bench *b)
{
	static const struct reclaim_task_desc task = { .cpu = -1 };
	struct reclaim_error error = { "" };
	struct reclaim_config config = {
		.machine = &b->machine,
		.profile = reclaim_profile_find("k61"),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = next,
		.next_ctx = b,
		.sample_ns = MS / 20,
		.sample = sample,
		.sample_ctx = b,
	};

	if (reclaim_engine_create(&b->engine, &config, &error))
		fail_msg("%s", error.text);
}

static void run(struct bench *b)
{
	struct reclaim_error error = { "" };

	create(b);
	if (reclaim_engine_run(b->engine, RECLAIM_NO_TIME, &error) != 1)
		fail_msg("%s", error.text);
	if (reclaim_engine_verify(b->engine, &error))
		fail_msg("%s", error.text);
	memcpy(b->vm, reclaim_engine_counters(b->engine), sizeof(b->vm));
	reclaim_engine_free(b->engine);
}

/* 256 slots in a row, then the next empty stretch, although the first 64 are free again. */
static void slots_of_a_rotating_device(void **state)
{
	struct bench b;
	uint32_t i;

	prepare(&b);
	b.machine.devices[0].rotational = true;
	create(&b);
	for (i = 1; i <= 256; i++)
		assert_int_equal(rc_slot_get(b.engine, 1), i);
	rc_slot_put(b.engine, 1, 64);
	assert_int_equal(rc_slot_get(b.engine, 1), 257);
	assert_int_equal(b.engine->slots.lowest, 1);
	/* With the first stretch empty altogether, the search finds it before any later one. */
	rc_slot_put(b.engine, 65, 192);
	for (i = 258; i <= 512; i++)
		assert_int_equal(rc_slot_get(b.engine, 1), i);
	assert_int_equal(rc_slot_get(b.engine, 1), 1);
	reclaim_engine_free(b.engine);
}

/* A CPU fills a cluster of its own; slot 0 is the header's, so the first is never free. */
static void slots_of_a_solid_device(void **state)
{
	struct bench b;
	uint32_t i;

	prepare(&b);
	b.machine.cpus = 2;
	create(&b);
	for (i = 256; i < 320; i++)
		assert_int_equal(rc_slot_get(b.engine, 1), i);
	b.engine->cur_cpu = 1;
	assert_int_equal(rc_slot_get(b.engine, 1), 512);
	b.engine->cur_cpu = 0;
	assert_int_equal(rc_slot_get(b.engine, 1), 320);
	reclaim_engine_free(b.engine);
}

static void every_slot_is_given_once(void **state)
{
	static uint8_t seen[1025];
	struct bench b;
	uint32_t i, slot;

	for (int rotational = 0; rotational < 2; rotational++) {
		prepare(&b);
		b.machine.swap_pages = 1024;
		b.machine.devices[0].rotational = rotational;
		create(&b);
		memset(seen, 0, sizeof(seen));
		for (i = 0; i < 1024; i++) {
			slot = rc_slot_get(b.engine, 1);
			assert_in_range(slot, 1, 1024);
			assert_int_equal(seen[slot]++, 0);
		}
		assert_int_equal(rc_slot_get(b.engine, 1), 0);
		rc_slot_put(b.engine, 700, 1);
		assert_int_equal(rc_slot_get(b.engine, 1), 700);
		reclaim_engine_free(b.engine);
	}
}

/* A huge page takes slots in a row at a multiple of its size. */
static void a_row_of_slots(void **state)
{
	struct bench b;

	prepare(&b);
	create(&b);
	assert_int_equal(rc_slot_get(b.engine, 512), 512);
	assert_int_equal(rc_slot_get(b.engine, 512), 1024);
	reclaim_engine_free(b.engine);
}

/* Pages come back in the order in which they went, which is none of addresses. */
static double read_ahead_share(bool rotational, uint32_t cluster)
{
	struct bench b;

	prepare(&b);
	b.machine.devices[0].rotational = rotational;
	b.machine.page_cluster = cluster;
	b.stride = STRIDE;
	b.rounds = 2;
	run(&b);
	assert_true(b.vm[RECLAIM_VM_PSWPIN] > PAGES / 2);
	return (double)b.vm[RECLAIM_VM_READAHEAD_PAGES] / (double)b.vm[RECLAIM_VM_PSWPIN];
}

/* Windows of 8 slots: 7 of 8 pages are read ahead where slots are neighbours. */
static void readahead_goes_by_slots(void **state)
{
	assert_true(read_ahead_share(true, 3) > 0.8);
	assert_true(read_ahead_share(true, 3) <= 0.875);
	assert_true(read_ahead_share(false, 3) < 0.1);
	assert_true(read_ahead_share(true, 0) == 0);
}

static void slow_disk(struct bench *b)
{
	prepare(b);
	b->machine.devices[0].write_bytes_per_s = 1000 * PAGE; /* a page a ms */
	b->machine.devices[0].write_latency_ns = 0;
	b->machine.devices[0].queue_depth = 256;
	b->machine.devices[0].rotational = true;
}

/* 16 tokens, and with every 100 ms of nothing but writes 1 + (15 << n), up to 3/4 of the queue. */
static void tokens_grow(void **state)
{
	static const uint32_t expected[] = { 16, 31, 61, 121, 192 };
	struct bench b;

	slow_disk(&b);
	run(&b);
	assert_int_equal(b.nr_depths, 5);
	assert_memory_equal(b.depths, expected, sizeof(expected));
}

/* Who waits goes on once all is written, or with no cache as soon as half the tokens are back. */
static void writers_go_on_in_bursts(void **state)
{
	struct bench cached, direct;

	slow_disk(&cached);
	cached.machine.devices[0].merge_pages = 1;
	run(&cached);
	assert_true(cached.waited);
	assert_false(cached.refilled_early);
	slow_disk(&direct);
	direct.machine.devices[0].merge_pages = 1;
	direct.machine.devices[0].write_cache = false;
	run(&direct);
	assert_true(direct.waited);
	assert_true(direct.refilled_early);
}

static void nobody_is_held_back(void **state)
{
	struct bench b;

	slow_disk(&b);
	b.machine.devices[0].throttle_writes = false;
	run(&b);
	assert_int_equal(b.most_in_flight, 0);
	assert_false(b.waited);
	assert_int_equal(b.nr_depths, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_of_a_rotating_device),
		cmocka_unit_test(slots_of_a_solid_device),
		cmocka_unit_test(every_slot_is_given_once),
		cmocka_unit_test(a_row_of_slots),
		cmocka_unit_test(readahead_goes_by_slots),
		cmocka_unit_test(tokens_grow),
		cmocka_unit_test(writers_go_on_in_bursts),
		cmocka_unit_test(nobody_is_held_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
