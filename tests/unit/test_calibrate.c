/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which gaps are pauses of the CPU, and which are costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "capture/vocabulary/vocabulary.h"
#include "replay/calibrate.h"

#define MS 1000000ull
enum { KSWAPD = 30, OTHER = 40 };
enum { ANON = 0, FILES = 2 }; /* inactive lists */

struct bench {
	struct calibrator *calibrator;
	uint64_t now;
};

static void give(struct bench *b, int32_t pid, int32_t cpu, enum vocab_id id, int nr,
		 const int64_t *values)
{
	struct event ev = {
		.ts = b->now, .id = id, .pid = pid, .cpu = cpu, .have = (1u << nr) - 1
	};

	memcpy(ev.value, values, (size_t)nr * sizeof(*values));
	assert_int_equal(calibrator_event(b->calibrator, &ev), 0);
}

static void isolate(struct bench *b, int64_t lru)
{
	int64_t v[mm_vmscan_lru_isolate_nr_slots] = { 0 };

	v[mm_vmscan_lru_isolate_nr_requested] = 32;
	v[mm_vmscan_lru_isolate_nr_scanned] = 32;
	v[mm_vmscan_lru_isolate_nr_taken] = 32;
	v[mm_vmscan_lru_isolate_lru] = lru;
	give(b, KSWAPD, 0, VOCAB_mm_vmscan_lru_isolate, mm_vmscan_lru_isolate_nr_slots, v);
}

static void write_page(struct bench *b)
{
	int64_t v[mm_vmscan_write_folio_nr_slots] = { 0 };

	give(b, KSWAPD, 0, VOCAB_mm_vmscan_write_folio, mm_vmscan_write_folio_nr_slots, v);
}

static void end_batch(struct bench *b)
{
	int64_t v[mm_vmscan_lru_shrink_inactive_nr_slots] = { 0 };

	give(b, KSWAPD, 0, VOCAB_mm_vmscan_lru_shrink_inactive,
	     mm_vmscan_lru_shrink_inactive_nr_slots, v);
}

/* 100 times: a batch with a gap of 10 ms between two writes. Returns the pauses that were found. */
static uint64_t pauses(bool swap_waits)
{
	struct bench b = { .calibrator = calibrator_new(0, 1000000 * MS, swap_waits), .now = MS };
	struct calibration out;

	assert_non_null(b.calibrator);
	for (int i = 0; i < 100; i++) {
		isolate(&b, ANON);
		b.now += 1000;
		write_page(&b);
		b.now += 10 * MS;
		write_page(&b);
		end_batch(&b);
		b.now += 200 * MS;
	}
	assert_int_equal(calibrator_result(b.calibrator, &out), 0);
	calibrator_free(b.calibrator);
	return out.pauses;
}

static void gaps_of_who_swaps_out(void **state)
{
	/* Writers wait for the device, or they do not. */
	assert_int_equal(pauses(true), 0);
	assert_int_equal(pauses(false), 100);
}

/* A slow machine looks at 32 pages for 320 us without an event: that is their cost, no pause. */
static void long_looks(void **state)
{
	struct bench b = { .calibrator = calibrator_new(0, 1000000 * MS, false), .now = MS };
	struct calibration out;

	assert_non_null(b.calibrator);
	for (int i = 0; i < 2000; i++) {
		isolate(&b, ANON);
		b.now += i % 20 ? 320000 : 2 * MS;
		end_batch(&b);
		b.now += MS;
	}
	assert_int_equal(calibrator_result(b.calibrator, &out), 0);
	calibrator_free(b.calibrator);
	/* 100 pauses, and the looks before there were enough of them to know what they cost. */
	assert_in_range(out.pauses, 100, 170);
	assert_int_equal(out.scan_page, 10000);
}

static void free_page(struct bench *b, enum vocab_id id)
{
	int64_t v[EVENT_SLOTS] = { 0 };

	give(b, KSWAPD, 0, id, 1, v);
}

/*
 * 1000 batches of 32 pages, 10 us a page; behind every @every'th freed page 100 us go by. The cost
 * of a page is scan and reclaim.
 */
static struct calibration freeing(int every)
{
	struct bench b = { .calibrator = calibrator_new(0, 1000000 * MS, false), .now = MS };
	int64_t v[mm_vmscan_lru_shrink_inactive_nr_slots] = { 0 };
	struct calibration out;
	int freed = 0;

	assert_non_null(b.calibrator);
	v[mm_vmscan_lru_shrink_inactive_nr_scanned] = 32;
	v[mm_vmscan_lru_shrink_inactive_nr_reclaimed] = 32;
	for (int i = 0; i < 1000; i++) {
		isolate(&b, FILES);
		for (int j = 0; j < 32; j++) {
			b.now += 10000;
			free_page(&b, VOCAB_mm_page_free);
		}
		for (int j = 0; j < 32; j++) {
			free_page(&b, VOCAB_mm_page_free_batched);
			if (++freed % every == 0)
				b.now += 100000;
		}
		give(&b, KSWAPD, 0, VOCAB_mm_vmscan_lru_shrink_inactive,
		     mm_vmscan_lru_shrink_inactive_nr_slots, v);
		b.now += MS;
	}
	assert_int_equal(calibrator_result(b.calibrator, &out), 0);
	calibrator_free(b.calibrator);
	return out;
}

/* A slow machine needs 100 us, every 64 pages, to give a CPU's list back: that is work. */
static void bulk_frees(void **state)
{
	struct calibration out = freeing(64);

	assert_int_equal(out.pauses, 0);
	assert_int_equal(out.scan_page + out.reclaim_page, 10000 + 100000 / 64);
	assert_int_equal(out.covered_ns, 1000 * 32 * 10000 + 500 * 100000);
	/* Far fewer are no such thing. */
	out = freeing(400);
	assert_int_equal(out.pauses, 80);
	assert_int_equal(out.scan_page + out.reclaim_page, 10000);
}

/* Pages of earlier adds that go to their lists belong to the next alloc, however long it takes. */
static void lists_of_a_slow_machine(void **state)
{
	struct bench b = { .calibrator = calibrator_new(0, 1000000 * MS, false), .now = MS };
	int64_t v[EVENT_SLOTS] = { 0 };
	struct calibration out;

	assert_non_null(b.calibrator);
	for (int i = 0; i < 1500; i++) {
		give(&b, OTHER, 0, VOCAB_mm_page_alloc, mm_page_alloc_nr_slots, v);
		b.now += 10000;
		give(&b, OTHER, 0, VOCAB_mm_filemap_add_to_page_cache,
		     mm_filemap_add_to_page_cache_nr_slots, v);
		for (int j = 0; i % 15 == 14 && j < 15; j++) {
			b.now += 8000;
			give(&b, OTHER, 0, VOCAB_mm_lru_insertion, 1, v);
		}
		b.now += 15000;
	}
	assert_int_equal(calibrator_result(b.calibrator, &out), 0);
	calibrator_free(b.calibrator);
	/* There is no alloc behind the last. */
	assert_int_equal(out.alloc, 15000 + 99 * 15 * 8000 / 1499);
	assert_int_equal(out.cache_add, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(gaps_of_who_swaps_out),
					    cmocka_unit_test(long_looks),
					    cmocka_unit_test(bulk_frees),
					    cmocka_unit_test(lists_of_a_slow_machine) };

	return cmocka_run_group_tests_name("calibrate", tests, NULL, NULL);
}
