/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A replay that is too fast gives its devices back what pauses were made answerable for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "capture/vocabulary/vocabulary.h"
#include "replay/waits.h"

#define US	 1000
#define MS	 (1000 * US)
#define READS	 2000
#define EACH	 (400 * US)
#define PART	 62500 /* a quarter of calibration_delay() of pauses of 1 ms, one every 2 ms */
#define LATENCY	 100000
#define FILE_INO 12

/* One task that reads a page every 0.4 ms, of which 0.3 ms are the device's. */
static struct demand *one_reader(void)
{
	const struct extract_options options = { .start = 0,
						 .end = UINT64_MAX >> 1,
						 .read_wait_ns = 300 * US };
	struct extract *extract = extract_new(&options);
	struct demand *demand = NULL;

	assert_non_null(extract);
	for (int i = 0; i < READS; i++) {
		struct event ev = { .ts = MS + (uint64_t)i * EACH,
				    .pid = 10,
				    .id = VOCAB_mm_filemap_add_to_page_cache,
				    .have = (1u << mm_filemap_add_to_page_cache_nr_slots) - 1 };

		ev.value[mm_filemap_add_to_page_cache_pfn] = 5000 + i;
		ev.value[mm_filemap_add_to_page_cache_ino] = FILE_INO;
		ev.value[mm_filemap_add_to_page_cache_index] = i * 7 % READS;
		assert_int_equal(extract_event(extract, &ev), 0);
	}
	/* Every tenth of a second but the first and the last is full. */
	assert_int_equal(extract_counts(extract)->cache_read, READS);
	assert_int_equal(extract_counts(extract)->read_peak, 100 * MS / EACH);
	assert_int_equal(extract_finish(extract, 4096, 2, &demand, NULL), 0);
	extract_free(extract);
	return demand;
}

/* The read latency after the fit, with pauses of @pause_ns one every @pause_ns. */
static int64_t latency_with(int64_t pause_ns)
{
	static struct machine machine;
	struct recording rec = { .demand = one_reader() };
	struct feed *feed = NULL;
	struct rl_msg msg;
	uint32_t kept = 0;

	rec.calibration.pause_gap_ns = pause_ns;
	for (int i = 0; i < CALIBRATE_QUANTILES; i++)
		rec.calibration.pause_quantile[i] = pause_ns;
	assert_int_equal(machine_of_size("6.12.0", "64M", &machine, &msg), 0);
	assert_int_equal(machine.machine.devices[0].read_latency_ns, LATENCY);
	if (waits_fit(&rec, &machine, NULL, &feed, &kept, &msg))
		fail_msg("%s", msg.text);
	feed_free(feed);
	demand_free(rec.demand);
	return machine.machine.devices[0].read_latency_ns;
}

static void late_ends_are_given_back(void **state)
{
	assert_int_equal(latency_with(0), LATENCY);
	assert_int_equal(latency_with(MS), LATENCY + 3 * PART);
	/* No more than was taken: 25 us. */
	assert_int_equal(latency_with(100 * US), LATENCY + 25 * US);
}

/* ---- tasks that are too fast with all their waits ---- */

#define REQUESTS 2000u
#define PERIOD	 (300 * US) /* from one request to the next, as recorded; a third of it is a wait */

/* The share of its waits that a task of requests @op keeps. */
static uint32_t waits_kept(uint8_t op)
{
	struct recording rec = { .demand = demand_new(), .page_size = 4096, .cpus = 1 };
	struct demand *d = rec.demand;
	struct feed *feed = NULL;
	struct machine machine;
	struct rl_msg msg;
	uint32_t ppm = 0;

	assert_non_null(d);
	d->page_size = 4096;
	d->cpus = 1;
	d->nr_tasks = 1;
	d->nr_files = 1;
	d->duration = (REQUESTS + 1) * PERIOD;
	d->tasks = calloc(1, sizeof(*d->tasks));
	d->files = calloc(1, sizeof(*d->files));
	d->records = calloc(2 * REQUESTS, sizeof(*d->records));
	assert_true(d->tasks && d->files && d->records);
	d->files[0].pages = REQUESTS;
	for (uint32_t i = 0; i < REQUESTS; i++) {
		d->records[d->nr_records++] = (struct demand_record){ .at = (i + 1) * PERIOD,
								      .op = DEMAND_NOP,
								      .object = 1,
								      .think = PERIOD / 3,
								      .flags = DEMAND_IDLE };
		d->records[d->nr_records++] =
			(struct demand_record){ .at = (i + 1) * PERIOD,
						.op = op,
						.index = op == DEMAND_DIRTY ? i : 0,
						.count = 1 };
	}
	assert_int_equal(machine_of_size("6.1.0", "256M", &machine, &msg), 0);
	if (waits_fit(&rec, &machine, NULL, &feed, &ppm, &msg))
		fail_msg("%s", msg.text);
	feed_free(feed);
	demand_free(d);
	return ppm;
}

/* A reader waits longer than was recorded, a writer does not: its pace is the device's. */
static void writers_keep_their_waits(void **state)
{
	assert_in_range(waits_kept(DEMAND_CACHE), 2 * FEED_WAIT_ALL, FEED_WAIT_MOST);
	assert_int_equal(waits_kept(DEMAND_DIRTY), FEED_WAIT_ALL);
}

/*
 * A task that thinks for as long as it was recorded to take, on a machine where reclaimers lose
 * half of their time to pauses of 1 ms: what part of the thinking counts towards pauses.
 */
static uint32_t thought_kept(int64_t pause_ns)
{
	struct recording rec = { .demand = demand_new(), .page_size = 4096, .cpus = 1 };
	struct demand *d = rec.demand;
	struct feed *feed = NULL;
	struct machine machine;
	struct rl_msg msg;
	uint32_t ppm = 0;

	assert_non_null(d);
	d->page_size = 4096;
	d->cpus = 1;
	d->nr_tasks = 1;
	d->duration = (REQUESTS + 1) * PERIOD;
	d->tasks = calloc(1, sizeof(*d->tasks));
	d->records = calloc(REQUESTS, sizeof(*d->records));
	assert_true(d->tasks && d->records);
	for (uint32_t i = 0; i < REQUESTS; i++)
		d->records[d->nr_records++] = (struct demand_record){ .at = (i + 1) * PERIOD,
								      .op = DEMAND_ALLOC,
								      .use = DEMAND_ANON,
								      .object = i,
								      .migratetype = 1,
								      .count = 1,
								      .think = PERIOD };
	d->nr_pages = REQUESTS;
	assert_int_equal(machine_of_size("6.1.0", "256M", &machine, &msg), 0);
	machine.machine.pauses.mean_gap_ns = pause_ns;
	machine.machine.pauses.nr_quantiles = pause_ns ? 1 : 0;
	machine.pause_quantiles[0] = pause_ns;
	machine_fix(&machine);
	if (waits_fit(&rec, &machine, NULL, &feed, &ppm, &msg))
		fail_msg("%s", msg.text);
	feed_free(feed);
	demand_free(d);
	return machine.machine.pauses.think_ppm;
}

/* Work that took as long as its thinking was not held up by pauses. */
static void thought_loses_no_more_than_recorded(void **state)
{
	assert_int_equal(thought_kept(0), 1000000);
	assert_in_range(thought_kept(MS), 0, 40000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_ends_are_given_back),
		cmocka_unit_test(writers_keep_their_waits),
		cmocka_unit_test(thought_loses_no_more_than_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
