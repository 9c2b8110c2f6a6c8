/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which gaps of a reclaimer that swaps out are pauses of the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "capture/vocabulary/vocabulary.h"
#include "replay/calibrate.h"

#define MS 1000000ull
enum { KSWAPD = 30 };

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

static void isolate(struct bench *b)
{
	int64_t v[mm_vmscan_lru_isolate_nr_slots] = { 0 };

	v[mm_vmscan_lru_isolate_nr_requested] = 32;
	v[mm_vmscan_lru_isolate_nr_scanned] = 32;
	v[mm_vmscan_lru_isolate_nr_taken] = 32;
	v[mm_vmscan_lru_isolate_lru] = 0;
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
		isolate(&b);
		b.now += 1000;
		write_page(&b);
		b.now += 10 * MS;
		write_page(&b);
		end_batch(&b);
		b.now += 200 * MS;
	}
	calibrator_result(b.calibrator, &out);
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
		isolate(&b);
		b.now += i % 20 ? 320000 : 2 * MS;
		end_batch(&b);
		b.now += MS;
	}
	calibrator_result(b.calibrator, &out);
	calibrator_free(b.calibrator);
	/* 100 pauses, and the looks before there were enough of them to know what they cost. */
	assert_in_range(out.pauses, 100, 170);
	assert_int_equal(out.scan_page, 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(gaps_of_who_swaps_out),
					    cmocka_unit_test(long_looks) };

	return cmocka_run_group_tests_name("calibrate", tests, NULL, NULL);
}
