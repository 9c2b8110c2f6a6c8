/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Touches drawn for swap-ins: what they may name, and that hot pages are named more often. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/workload/touch.h"

#define PAGES	 2000
#define EVICTED	 800
#define SWAP_INS 600
#define MS	 UINT64_C(1000000)

/* One task that fills PAGES pages, loses EVICTED and takes some back, one lost for each. */
static struct extract *scene(uint32_t swap_ins, uint32_t **order)
{
	const struct extract_options options = { .start = 0, .end = UINT64_MAX, .seed = 1 };
	struct extract *x = extract_new(&options);
	struct event ev = { .pid = 7, .ts = 1 };
	struct task *task;

	assert_non_null(x);
	task = extract_task(x, &ev);
	assert_non_null(task);
	for (uint32_t i = 0; i < PAGES; i++) {
		struct demand_record *rec = extract_record(x, task, (i + 1) * MS, DEMAND_ALLOC);

		assert_non_null(rec);
		rec->object = x->nr_logical++;
		rec->count = 1;
		rec->use = DEMAND_ANON;
		rec->ref_class = EXTRACT_CLASS_ANON;
	}
	for (uint32_t i = 0; i < swap_ins; i++) {
		struct demand_record *rec =
			extract_record(x, task, (PAGES + 10 + i) * MS, DEMAND_ACCESS);

		assert_non_null(rec);
		rec->reserved = MARK_SWAP_IN;
	}
	x->evictions = calloc(EVICTED + swap_ins, sizeof(*x->evictions));
	assert_non_null(x->evictions);
	for (uint32_t i = 0; i < EVICTED + swap_ins; i++)
		x->evictions[i] =
			i < EVICTED ? (PAGES + 5) * MS : (PAGES + 10 + i - EVICTED) * MS + 1;
	x->nr_evictions = x->room_evictions = EVICTED + swap_ins;
	*order = calloc(x->nr_records, sizeof(**order));
	assert_non_null(*order);
	for (uint32_t i = 0; i < x->nr_records; i++)
		(*order)[i] = i;
	return x;
}

static void few_swap_ins_say_nothing(void **state)
{
	struct touches touches = { 0 };
	uint32_t *order;
	struct extract *x = scene(10, &order);

	assert_int_equal(touches_draw(x, order, x->nr_records, &touches), 0);
	assert_int_equal(touches.nr, 0);
	/* Chance at each look stays, as nothing better is known. */
	assert_int_equal(x->records[0].ref_class, EXTRACT_CLASS_ANON);
	touches_clear(&touches);
	free(order);
	extract_free(x);
}

static int descending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x > y ? -1 : x < y;
}

static void popular_pages_are_touched_more(void **state)
{
	struct touches touches = { 0 };
	uint32_t counts[PAGES] = { 0 }, *order, top = 0;
	struct extract *x = scene(SWAP_INS, &order);

	assert_int_equal(touches_draw(x, order, x->nr_records, &touches), 0);
	assert_true(touches.nr > SWAP_INS);
	for (uint32_t i = 0; i < touches.nr; i++) {
		assert_true(touches.pages[i] < PAGES);
		counts[touches.pages[i]]++;
	}
	/* With a power of 0.9 the first tenth of 2000 ranks has 63 % of the weight. */
	qsort(counts, PAGES, sizeof(*counts), descending);
	for (uint32_t i = 0; i < PAGES / 10; i++)
		top += counts[i];
	assert_true(top * 100 > touches.nr * 45);
	assert_true(top * 100 < touches.nr * 85);
	assert_int_equal(x->records[0].ref_class, EXTRACT_CLASS_NONE);
	touches_clear(&touches);
	free(order);
	extract_free(x);
}

static void taken_back_once_at_a_time(void **state)
{
	struct touches touches = { 0 };
	uint8_t out[PAGES] = { 0 };
	uint32_t *order, twice = 0;
	struct extract *x = scene(SWAP_INS, &order);

	assert_int_equal(touches_draw(x, order, x->nr_records, &touches), 0);
	for (uint32_t i = PAGES; i < x->nr_records; i++) {
		uint32_t page = x->records[i].object;

		assert_true(page < PAGES);
		/* What was touched as resident before this swap-in is not what it took back. */
		for (uint32_t j = touches.first[i]; j < touches.first[i + 1]; j++)
			assert_true(touches.pages[j] != page);
		twice += out[page];
		out[page] = 1;
	}
	/* 1400 evictions of 2000 pages: some come back twice, most do not. */
	assert_true(twice < SWAP_INS / 2);
	touches_clear(&touches);
	free(order);
	extract_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_swap_ins_say_nothing),
		cmocka_unit_test(popular_pages_are_touched_more),
		cmocka_unit_test(taken_back_once_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
