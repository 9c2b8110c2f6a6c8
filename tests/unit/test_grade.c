/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "capture/vocabulary/vocabulary.h"
#include "replay/counter_set.h"
#include "replay/grade.h"

#define KSWAPD 49
#define TASK   10
#define SECOND UINT64_C(1000000000)

static void give(struct response_reader *reader, uint64_t ts, int32_t pid, enum vocab_id id,
		 unsigned int slot, int64_t value)
{
	struct event ev = { .ts = ts, .pid = pid, .id = id, .have = 1u << slot };

	ev.value[slot] = value;
	assert_int_equal(response_event(reader, &ev), 0);
}

static void scan(struct response_reader *reader, uint64_t ts, int32_t pid, int64_t lru, int64_t nr)
{
	struct event ev = { .ts = ts, .pid = pid, .id = VOCAB_mm_vmscan_lru_isolate };

	ev.have = 1u << mm_vmscan_lru_isolate_lru | 1u << mm_vmscan_lru_isolate_nr_scanned;
	ev.value[mm_vmscan_lru_isolate_lru] = lru;
	ev.value[mm_vmscan_lru_isolate_nr_scanned] = nr;
	assert_int_equal(response_event(reader, &ev), 0);
}

/* kswapd scans 32 and 32 (active: refill only), a task 16 in a stall of 3 ms, then 8 for a memcg.
 */
static void scans_belong_to_their_actor(void **state)
{
	struct response res = { .start = SECOND, .end = 10 * SECOND };
	struct response_reader *reader = response_reader_new(&res);
	uint64_t t = SECOND;

	give(reader, t, KSWAPD, VOCAB_mm_vmscan_kswapd_wake, mm_vmscan_kswapd_wake_nid, 0);
	scan(reader, t + 1, KSWAPD, 2, 32);
	scan(reader, t + 2, KSWAPD, 3, 32);
	give(reader, t + 3, KSWAPD, VOCAB_mm_vmscan_lru_shrink_inactive,
	     mm_vmscan_lru_shrink_inactive_nr_reclaimed, 30);
	give(reader, t + SECOND, TASK, VOCAB_mm_vmscan_direct_reclaim_begin,
	     mm_vmscan_direct_reclaim_begin_order, 0);
	scan(reader, t + SECOND + 1, TASK, 0, 16);
	give(reader, t + SECOND + 3000000, TASK, VOCAB_mm_vmscan_direct_reclaim_end,
	     mm_vmscan_direct_reclaim_end_nr_reclaimed, 5);
	give(reader, t + SECOND + 3000001, TASK, VOCAB_mm_vmscan_memcg_reclaim_begin,
	     mm_vmscan_memcg_reclaim_begin_order, 0);
	scan(reader, t + SECOND + 3000002, TASK, 2, 8);
	scan(reader, 10 * SECOND, KSWAPD, 2, 1000); /* behind the window */
	assert_int_equal(res.scan[RESPONSE_KSWAPD], 32);
	assert_int_equal(res.scan[RESPONSE_DIRECT], 16);
	assert_int_equal(res.scan[RESPONSE_MEMCG], 8);
	assert_int_equal(res.refill, 32);
	assert_int_equal(res.steal[RESPONSE_KSWAPD], 30);
	assert_int_equal(res.stalls, 1);
	assert_int_equal(res.stall_ns, 3000000);
	assert_int_equal(res.nr_seconds, 2);
	assert_int_equal(res.seconds[0].scan[RESPONSE_KSWAPD], 32);
	assert_int_equal(res.seconds[1].scan[RESPONSE_DIRECT], 16);
	response_reader_free(reader);
	response_clear(&res);
}

static void percentiles_are_by_nearest_rank(void **state)
{
	uint64_t times[20];
	struct response res = { .stall_times = times, .nr_stall_times = 20 };

	for (int i = 0; i < 20; i++)
		times[i] = (uint64_t)(20 - i);
	assert_int_equal(response_stall_percentile(&res, 50), 10);
	assert_int_equal(response_stall_percentile(&res, 95), 19);
	assert_int_equal(response_stall_percentile(&res, 100), 20);
}

/* r of 1 2 3 4 5 and 2 4 5 4 5 is 6 / sqrt(10 x 6): a textbook pair. */
static void correlation_is_pearsons(void **state)
{
	const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 2, 4, 5, 4, 5 }, flat[] = { 3, 3, 3, 3, 3 };
	double r;

	assert_true(response_correlation(a, b, 5, &r));
	assert_true(fabs(r - 0.7745966692) < 1e-9);
	assert_false(response_correlation(a, flat, 5, &r));
}

/* Clean files leave less to chance: the same error of 4 % is too much, with dirty pages it is not.
 */
static void goals_are_those_of_the_kind(void **state)
{
	struct response recorded = { .scan = { [RESPONSE_KSWAPD] = 10000 }, .scan_anon = 99 };
	struct run_result result = { .response = { .scan = { [RESPONSE_KSWAPD] = 10400 } } };
	struct grade grade;

	grade_compute(&recorded, 0, &result, 1, &grade);
	assert_int_equal(grade.row[GRADE_SCAN].goal, 2);
	assert_false(grade.row[GRADE_SCAN].reached);
	recorded.scan_anon = 100;
	grade_compute(&recorded, 0, &result, 1, &grade);
	assert_int_equal(grade.row[GRADE_SCAN].goal, 10);
	assert_true(grade.row[GRADE_SCAN].reached);
	recorded.scan_anon = 0;
	recorded.writes = 1;
	grade_compute(&recorded, 0, &result, 1, &grade);
	assert_int_equal(grade.row[GRADE_SCAN].goal, 10);
}

static void an_ensemble_is_median_and_range(void **state)
{
	const uint64_t wakes[] = { 30, 10, 20, 40, 999 };
	struct run_result results[5] = { 0 };
	struct grade_range range, other = { .known = true, .median = 50, .min = 41, .max = 60 };

	for (int i = 0; i < 5; i++)
		results[i].response.wakes = wakes[i];
	results[4].error = -1;
	grade_ensemble(results, 5, GRADE_WAKES, &range);
	assert_true(range.known);
	assert_true(range.median == 25 && range.min == 10 && range.max == 40);
	assert_true(grade_separates(&range, &other));
	other.min = 40;
	assert_false(grade_separates(&range, &other));
}

static void wakes_fall_into_their_bucket(void **state)
{
	uint64_t pages[] = { 0, 47, 48, 1023, 40000 }, counts[GRADE_WAKE_BUCKETS];
	struct response res = { .wake_pages = pages, .nr_wake_pages = 5 };

	grade_wake_histogram(&res, counts);
	assert_int_equal(counts[0], 1);
	assert_int_equal(counts[1], 1);
	assert_int_equal(counts[2], 1);
	assert_int_equal(counts[5], 1);
	assert_int_equal(counts[GRADE_WAKE_BUCKETS - 1], 1);
}

static void an_ensemble_spreads_memory(void **state)
{
	struct run_job job = { 0 }, jobs[8];

	run_ensemble(&job, jobs, 8);
	assert_int_equal(jobs[0].memory_ppm, 0);
	assert_int_equal(jobs[1].memory_ppm, -10000);
	assert_int_equal(jobs[4].memory_ppm, 0);
	assert_int_equal(jobs[7].memory_ppm, 10000);
	assert_int_equal(jobs[7].seed, 8);
}

static void counters_are_found_by_name(void **state)
{
	struct counter_set *set = counter_set_new();
	char name[16];
	int64_t value = -1;

	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		assert_int_equal(counter_set_put(set, "vmstat", "", name, i), 0);
	}
	assert_int_equal(counter_set_put(set, "zoneinfo", "node 0 zone DMA", "free", 7), 0);
	assert_int_equal(counter_set_put(set, "zoneinfo", "node 0", "nr_dirty", 9), 0);
	assert_int_equal(counter_set_put(set, "zoneinfo", "node 0 zone DMA", "low", 8), 0);
	assert_int_equal(counter_set_vmstat(set, "c1999", -1), 1999);
	assert_false(counter_set_get(set, "vmstat", "", "c2000", &value));
	assert_int_equal(value, -1);
	assert_string_equal(counter_set_scope(set, "zoneinfo", 0), "node 0 zone DMA");
	assert_string_equal(counter_set_scope(set, "zoneinfo", 1), "node 0");
	assert_null(counter_set_scope(set, "zoneinfo", 2));
	counter_set_free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scans_belong_to_their_actor),
		cmocka_unit_test(percentiles_are_by_nearest_rank),
		cmocka_unit_test(correlation_is_pearsons),
		cmocka_unit_test(goals_are_those_of_the_kind),
		cmocka_unit_test(an_ensemble_is_median_and_range),
		cmocka_unit_test(wakes_fall_into_their_bucket),
		cmocka_unit_test(an_ensemble_spreads_memory),
		cmocka_unit_test(counters_are_found_by_name),
	};

	return cmocka_run_group_tests_name("grade", tests, NULL, NULL);
}
