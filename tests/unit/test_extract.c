/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "capture/vocabulary/gfp.h"
#include "capture/vocabulary/vocabulary.h"
#include "replay/workload/extract.h"

#define READER	 10
#define KSWAPD	 49
#define RECORDER 90
#define US	 1000
#define ANON_GFP                                                                                   \
	(RL_GFP(MOVABLE) | RL_GFP(HIGHMEM) | RL_GFP(IO) | RL_GFP(FS) | RL_GFP(DIRECT_RECLAIM))
#define INACTIVE_ANON	0
#define INACTIVE_FILE	2
#define PAGE_ANON	0x2
#define PAGE_SWAP_CACHE 0x8

static const char *comm(void *ctx, int32_t pid)
{
	return pid == KSWAPD ? "kswapd0" : pid == RECORDER ? "trace-cmd" : "work";
}

/* A recording under way: every event comes 1 us behind the one before. */
struct rec {
	struct extract *extract;
	uint64_t ts;
	struct demand *demand;
};

static void begin(struct rec *r)
{
	const struct extract_options options = { .start = 0, .end = UINT64_MAX >> 1, .comm = comm };

	*r = (struct rec){ .extract = extract_new(&options), .ts = 1000 * US };
	assert_non_null(r->extract);
}

static void end(struct rec *r)
{
	assert_int_equal(extract_finish(r->extract, 4096, 2, &r->demand, NULL), 0);
	for (size_t i = 0; i < r->demand->nr_records; i++)
		assert_int_equal(demand_check_record(r->demand, &r->demand->records[i], i, NULL),
				 0);
}

static void done(struct rec *r)
{
	demand_free(r->demand);
	extract_free(r->extract);
}

static void give(struct rec *r, int32_t pid, enum vocab_id id, int nr, const int64_t *values)
{
	struct event ev = { .ts = r->ts, .pid = pid, .id = id, .have = (1u << nr) - 1 };

	memcpy(ev.value, values, nr * sizeof(*values));
	assert_int_equal(extract_event(r->extract, &ev), 0);
	r->ts += US;
}

#define GIVE(r, pid, name, ...)                                                                    \
	do {                                                                                       \
		const int64_t values_[] = { __VA_ARGS__ };                                         \
		give(r, pid, VOCAB_##name, sizeof(values_) / sizeof(*values_), values_);           \
	} while (0)

static void page_alloc(struct rec *r, int32_t pid, int64_t pfn, int64_t order, int64_t gfp)
{
	int64_t v[mm_page_alloc_nr_slots] = { 0 };

	v[mm_page_alloc_pfn] = pfn;
	v[mm_page_alloc_order] = order;
	v[mm_page_alloc_gfp] = gfp;
	v[mm_page_alloc_migratetype] = 1;
	give(r, pid, VOCAB_mm_page_alloc, mm_page_alloc_nr_slots, v);
}

static void page_free(struct rec *r, int32_t pid, int64_t pfn)
{
	int64_t v[mm_page_free_nr_slots] = { 0 };

	v[mm_page_free_pfn] = pfn;
	give(r, pid, VOCAB_mm_page_free, mm_page_free_nr_slots, v);
}

static void cache(struct rec *r, int32_t pid, bool add, int64_t pfn, int64_t index)
{
	int64_t v[mm_filemap_add_to_page_cache_nr_slots] = { 0 };

	v[mm_filemap_add_to_page_cache_pfn] = pfn;
	v[mm_filemap_add_to_page_cache_dev] = 254 << 20;
	v[mm_filemap_add_to_page_cache_ino] = 12;
	v[mm_filemap_add_to_page_cache_index] = index;
	give(r, pid,
	     add ? VOCAB_mm_filemap_add_to_page_cache : VOCAB_mm_filemap_delete_from_page_cache,
	     mm_filemap_add_to_page_cache_nr_slots, v);
}

static void insertion(struct rec *r, int64_t pfn, int64_t lru, int64_t flags)
{
	int64_t v[mm_lru_insertion_nr_slots] = { 0 };

	v[mm_lru_insertion_pfn] = pfn;
	v[mm_lru_insertion_lru] = lru;
	v[mm_lru_insertion_flags] = flags;
	give(r, READER, VOCAB_mm_lru_insertion, mm_lru_insertion_nr_slots, v);
}

static void batch(struct rec *r, int32_t pid, int64_t lru)
{
	int64_t v[mm_vmscan_lru_isolate_nr_slots] = { 0 };

	v[mm_vmscan_lru_isolate_lru] = lru;
	give(r, pid, VOCAB_mm_vmscan_lru_isolate, mm_vmscan_lru_isolate_nr_slots, v);
}

static void read_run(struct rec *r, int32_t pid, int64_t pfn, int64_t index, int nr)
{
	for (int i = 0; i < nr; i++) {
		page_alloc(r, pid, pfn + i, 0, RL_GFP(IO) | RL_GFP(NORETRY));
		cache(r, pid, true, pfn + i, index + i);
	}
}

static size_t count_op(const struct rec *r, enum demand_op op)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->demand->nr_records; i++)
		nr += r->demand->records[i].op == op;
	return nr;
}

static const struct demand_record *find(const struct rec *r, enum demand_op op, size_t nth)
{
	for (size_t i = 0; i < r->demand->nr_records; i++)
		if (r->demand->records[i].op == op && !nth--)
			return &r->demand->records[i];
	fail_msg("no such record");
	return NULL;
}

/* Two windows of 32 pages, one behind the other: a read, then readahead and 32 reads. */
static void a_run_that_continues_is_readahead(void **state)
{
	const struct demand_record *rec;
	struct rec r;

	begin(&r);
	read_run(&r, READER, 100, 0, 32);
	r.ts += 300 * US;
	read_run(&r, READER, 200, 32, 32);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->runs, 2);
	assert_int_equal(extract_counts(r.extract)->runs_async, 1);
	assert_int_equal(count_op(&r, DEMAND_ALLOC), 0);
	assert_int_equal(count_op(&r, DEMAND_CACHE), 1 + 1 + 1 + 31);
	rec = find(&r, DEMAND_CACHE, 0);
	assert_int_equal(rec->index, 0);
	assert_int_equal(rec->count, 32);
	assert_int_equal(rec->flags, 0);
	rec = find(&r, DEMAND_CACHE, 1);
	assert_int_equal(rec->flags, DEMAND_ASYNC);
	assert_int_equal(rec->start, 32);
	assert_int_equal(rec->count, 32);
	assert_int_equal(find(&r, DEMAND_CACHE, 33)->index, 31);
	done(&r);
}

/*
 * The first move to the active list has the read and one hit behind it, the next two hits, made by
 * the page's reader where kswapd drains the batch; an anonymous page's is none of the cache's.
 */
static void an_activation_is_hits(void **state)
{
	struct rec r;

	begin(&r);
	read_run(&r, READER, 100, 7, 1);
	page_alloc(&r, READER, 300, 0, ANON_GFP);
	insertion(&r, 300, INACTIVE_ANON, PAGE_ANON);
	GIVE(&r, READER + 1, mm_lru_activate, 100);
	GIVE(&r, READER + 1, mm_lru_activate, 300);
	GIVE(&r, KSWAPD, mm_vmscan_kswapd_wake, 0);
	GIVE(&r, KSWAPD, mm_lru_activate, 100);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->activations, 2);
	assert_int_equal(count_op(&r, DEMAND_CACHE), 1 + 1 + 2);
	assert_int_equal(find(&r, DEMAND_CACHE, 1)->index, 7);
	assert_int_equal(find(&r, DEMAND_CACHE, 1)->count, 0);
	assert_int_equal(r.demand->tasks[find(&r, DEMAND_CACHE, 1)->task].tid, READER + 1);
	assert_int_equal(r.demand->tasks[find(&r, DEMAND_CACHE, 3)->task].tid, READER);
	done(&r);
}

/* What a task does between reads of single pages in different places is computing, all of it. */
static void a_reader_that_jumps_computes(void **state)
{
	struct rec r;

	begin(&r);
	for (int i = 0; i < 40; i++) {
		read_run(&r, READER, 100 + i, 50 * i, 1);
		r.ts += (uint64_t)(i % 2 ? 300 : 100) * US;
	}
	end(&r);
	assert_int_equal(count_op(&r, DEMAND_CACHE), 40);
	assert_int_equal(count_op(&r, DEMAND_NOP), 0);
	/* The read's own two events take 1 us each. */
	assert_int_equal(find(&r, DEMAND_CACHE, 1)->think, 102 * US);
	assert_int_equal(find(&r, DEMAND_CACHE, 2)->think, 302 * US);
	done(&r);
}

static void eviction_is_left_out_and_counted(void **state)
{
	struct rec r;

	begin(&r);
	read_run(&r, READER, 100, 0, 4);
	GIVE(&r, KSWAPD, mm_vmscan_kswapd_wake, 0);
	batch(&r, KSWAPD, INACTIVE_FILE);
	for (int i = 0; i < 3; i++)
		cache(&r, KSWAPD, false, 100 + i, i);
	for (int i = 0; i < 3; i++)
		page_free(&r, KSWAPD, 100 + i);
	GIVE(&r, KSWAPD, mm_vmscan_lru_shrink_inactive, 0);
	cache(&r, READER, false, 103, 3);
	page_free(&r, READER, 103);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->evicted_file, 3);
	assert_int_equal(extract_counts(r.extract)->truncated, 1);
	assert_int_equal(count_op(&r, DEMAND_FREE), 0);
	assert_int_equal(count_op(&r, DEMAND_TRUNCATE), 1);
	assert_int_equal(find(&r, DEMAND_TRUNCATE, 0)->index, 3);
	done(&r);
}

/*
 * Four pages that reclaim takes and that are read after that: one was read before, too, one was
 * truncated meanwhile, one was in memory at the begin, and one is written anew.
 */
static void pages_that_come_back_are_counted(void **state)
{
	struct rec r;

	begin(&r);
	read_run(&r, READER, 100, 0, 2);
	batch(&r, KSWAPD, INACTIVE_FILE);
	for (int i = 0; i < 4; i++)
		cache(&r, KSWAPD, false, 100 + i, i);
	for (int i = 0; i < 4; i++)
		page_free(&r, KSWAPD, 100 + i);
	GIVE(&r, KSWAPD, mm_vmscan_lru_shrink_inactive, 0);
	page_alloc(&r, READER, 201, 0, RL_GFP(IO) | RL_GFP(WRITE));
	cache(&r, READER, true, 201, 1);
	cache(&r, READER, false, 201, 1);
	page_free(&r, READER, 201);
	page_alloc(&r, READER, 203, 0, RL_GFP(IO) | RL_GFP(WRITE));
	cache(&r, READER, true, 203, 3);
	r.ts += 300 * US;
	read_run(&r, READER, 300, 0, 3);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->evicted_file, 4);
	assert_int_equal(extract_counts(r.extract)->refaulted_file, 2);
	assert_int_equal(extract_counts(r.extract)->refaulted_added, 1);
	done(&r);
}

static void a_swapped_page_comes_back_as_an_access(void **state)
{
	const struct demand_record *rec;
	struct rec r;

	begin(&r);
	page_alloc(&r, READER, 100, 0, ANON_GFP | RL_GFP(ZERO));
	insertion(&r, 100, INACTIVE_ANON, PAGE_ANON);
	batch(&r, KSWAPD, INACTIVE_ANON);
	page_free(&r, KSWAPD, 100);
	page_free(&r, KSWAPD, 500); /* never seen before: it was there at the start */
	GIVE(&r, KSWAPD, mm_vmscan_lru_shrink_inactive, 0);
	r.ts += 100 * US;
	page_alloc(&r, READER, 300, 0, ANON_GFP);
	insertion(&r, 300, INACTIVE_ANON, PAGE_ANON | PAGE_SWAP_CACHE);
	page_free(&r, READER, 300);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->evicted_anon, 2);
	assert_int_equal(extract_counts(r.extract)->swap_in, 1);
	assert_int_equal(r.demand->nr_pages, 1);
	rec = find(&r, DEMAND_ALLOC, 0);
	assert_int_equal(rec->use, DEMAND_ANON);
	assert_int_equal(rec->ref_class, EXTRACT_CLASS_ANON);
	assert_int_equal(find(&r, DEMAND_ACCESS, 0)->object, rec->object);
	assert_int_equal(find(&r, DEMAND_FREE, 0)->object, rec->object);
	done(&r);
}

static void reclaim_and_recorder_allocate_nothing(void **state)
{
	struct rec r;

	begin(&r);
	GIVE(&r, READER, mm_vmscan_direct_reclaim_begin, 0);
	page_alloc(&r, READER, 100, 0, 0);
	page_free(&r, READER, 100);
	GIVE(&r, READER, mm_vmscan_direct_reclaim_end, 0);
	page_alloc(&r, RECORDER, 101, 0, 0);
	page_free(&r, RECORDER, 101);
	page_alloc(&r, READER, -1, 0, RL_GFP(NORETRY));
	page_alloc(&r, READER, -1, 9, RL_GFP(RETRY_MAYFAIL));
	page_free(&r, READER, 999);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->alloc_reclaim, 1);
	assert_int_equal(extract_counts(r.extract)->alloc_recorder, 1);
	assert_int_equal(extract_counts(r.extract)->alloc_failed, 1);
	assert_int_equal(extract_counts(r.extract)->alloc_failed_huge, 1);
	assert_int_equal(extract_counts(r.extract)->free_unseen, 1);
	assert_int_equal(count_op(&r, DEMAND_FREE), 0);
	assert_int_equal(count_op(&r, DEMAND_ALLOC), 1);
	assert_int_equal(find(&r, DEMAND_ALLOC, 0)->order, 9);
	done(&r);
}

/* 40 us of reclaim lie in a gap of 102 us: 62 us are the task's own. */
static void stalls_are_not_thinking_time(void **state)
{
	struct rec r;

	begin(&r);
	page_alloc(&r, READER, 100, 0, 0);
	r.ts += 30 * US;
	GIVE(&r, READER, mm_vmscan_direct_reclaim_begin, 0);
	r.ts += 39 * US;
	GIVE(&r, READER, mm_vmscan_direct_reclaim_end, 0);
	r.ts += 30 * US;
	page_alloc(&r, READER, 101, 0, 0);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->stall_ns, 40 * US);
	assert_int_equal(find(&r, DEMAND_ALLOC, 1)->at - find(&r, DEMAND_ALLOC, 0)->at, 102 * US);
	assert_int_equal(find(&r, DEMAND_ALLOC, 1)->think, 62 * US);
	done(&r);
}

#define OTHER  11
#define RUNS   0
#define SLEEPS 1
#define DEEP   2

static void switches(struct rec *r, int32_t from, int64_t state, int32_t to)
{
	int64_t v[sched_switch_nr_slots] = { 0 };

	v[sched_switch_prev_pid] = from;
	v[sched_switch_prev_state] = state;
	v[sched_switch_next_pid] = to;
	give(r, from, VOCAB_sched_switch, sched_switch_nr_slots, v);
}

static void wakes_reader(struct rec *r)
{
	int64_t v[sched_wakeup_nr_slots] = { 0 };

	v[sched_wakeup_pid] = READER;
	give(r, OTHER, VOCAB_sched_wakeup, sched_wakeup_nr_slots, v);
}

/*
 * 60 ms of computing (more than a gap without scheduler's events may be), 5 ms of waiting for a CPU
 * that a task of no other events has, 3 ms of sleep, 2 ms of waiting for the CPU again, 7 ms of
 * uninterruptible sleep: each is told from the others.
 */
static void the_scheduler_tells_turns(void **state)
{
	const struct demand_record *nap, *wait;
	struct rec r;

	begin(&r);
	page_alloc(&r, READER, 100, 0, RL_GFP(IO));
	r.ts += 60000 * US;
	switches(&r, READER, RUNS, OTHER);
	r.ts += 4999 * US;
	switches(&r, OTHER, RUNS, READER);
	switches(&r, READER, SLEEPS, 0);
	r.ts += 2999 * US;
	wakes_reader(&r);
	r.ts += 1999 * US;
	switches(&r, OTHER, RUNS, READER);
	switches(&r, READER, DEEP, 0);
	r.ts += 6999 * US;
	wakes_reader(&r);
	switches(&r, OTHER, RUNS, READER);
	page_alloc(&r, READER, 101, 0, RL_GFP(IO));
	end(&r);
	assert_int_equal(find(&r, DEMAND_ALLOC, 1)->think, 60004 * US);
	assert_int_equal(count_op(&r, DEMAND_NOP), 2);
	nap = find(&r, DEMAND_NOP, 0);
	assert_int_equal(nap->think, 3000 * US);
	assert_int_equal(nap->object, 0);
	wait = find(&r, DEMAND_NOP, 1);
	assert_int_equal(wait->think, 7000 * US);
	assert_int_equal(wait->object, 1);
	/* The reader, and twice the other task while the reader went from one state to the next. */
	assert_int_equal(extract_counts(r.extract)->queued_ns, (5000 + 2000 + 1 + 1 + 1) * US);
	done(&r);
}

/* A recording of some of the switches only: who is back without one is known by its events. */
static void some_turns_are_not_all(void **state)
{
	struct rec r;

	begin(&r);
	page_alloc(&r, READER, 100, 0, RL_GFP(IO));
	switches(&r, READER, SLEEPS, OTHER);
	r.ts += 1000 * US;
	page_alloc(&r, READER, 101, 0, RL_GFP(IO));
	end(&r);
	assert_int_equal(count_op(&r, DEMAND_NOP), 0);
	assert_int_equal(find(&r, DEMAND_ALLOC, 1)->think, 1002 * US);
	done(&r);
}

/* The event of a read comes behind the adds that it waited for. */
static void recorded_accesses_are_the_requests(void **state)
{
	const int64_t hit[] = { 254 << 20, 12, 7, 7 }, miss[] = { 254 << 20, 12, 101, 101 };
	const struct demand_record *rec;
	struct rec r;

	begin(&r);
	give(&r, READER, VOCAB_mm_filemap_get_pages, 4, hit);
	read_run(&r, READER, 100, 100, 4);
	r.ts += 250 * US;
	give(&r, READER, VOCAB_mm_filemap_get_pages, 4, miss);
	read_run(&r, READER, 200, 300, 8);
	give(&r, READER, VOCAB_mm_filemap_get_pages, 4, hit);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->accesses_known, 3);
	assert_int_equal(count_op(&r, DEMAND_CACHE), 4);
	rec = find(&r, DEMAND_CACHE, 1);
	assert_int_equal(rec->index, 101);
	assert_int_equal(rec->start, 100);
	assert_int_equal(rec->count, 4);
	assert_int_equal(rec->flags, 0);
	rec = find(&r, DEMAND_CACHE, 2);
	assert_int_equal(rec->flags, DEMAND_ASYNC);
	assert_int_equal(rec->start, 300);
	assert_true(rec->think < 10 * US); /* the 250 us of waiting are no thinking */
	done(&r);
}

/* A read of 16 pages looks again where it goes on, at the eighth: 16 requests, not 25. */
static void a_read_that_goes_on_asks_once(void **state)
{
	const int64_t whole[] = { 254 << 20, 12, 32, 47 }, rest[] = { 254 << 20, 12, 39, 47 };
	struct rec r;

	begin(&r);
	give(&r, READER, VOCAB_mm_filemap_get_pages, 4, whole);
	give(&r, READER, VOCAB_mm_filemap_get_pages, 4, rest);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->accesses_known, 16);
	done(&r);
	/* The same read anew is demand again. */
	begin(&r);
	give(&r, READER, VOCAB_mm_filemap_get_pages, 4, whole);
	give(&r, READER, VOCAB_mm_filemap_get_pages, 4, whole);
	end(&r);
	assert_int_equal(extract_counts(r.extract)->accesses_known, 32);
	done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_that_continues_is_readahead),
		cmocka_unit_test(an_activation_is_hits),
		cmocka_unit_test(a_reader_that_jumps_computes),
		cmocka_unit_test(eviction_is_left_out_and_counted),
		cmocka_unit_test(pages_that_come_back_are_counted),
		cmocka_unit_test(a_swapped_page_comes_back_as_an_access),
		cmocka_unit_test(reclaim_and_recorder_allocate_nothing),
		cmocka_unit_test(stalls_are_not_thinking_time),
		cmocka_unit_test(the_scheduler_tells_turns),
		cmocka_unit_test(some_turns_are_not_all),
		cmocka_unit_test(recorded_accesses_are_the_requests),
		cmocka_unit_test(a_read_that_goes_on_asks_once),
	};

	return cmocka_run_group_tests_name("extract", tests, NULL, NULL);
}
