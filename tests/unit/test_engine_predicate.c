/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "reclaim/engine.h"

enum { HIGH = 1, HARDER = 2, OOM = 4, ATOMIC = 8 };

/* The most free pages with which the check still fails, so the boundary itself is tested. */
static void boundary(const char *profile, uint64_t mark, uint64_t reserve, uint64_t highatomic,
		     int flags, uint64_t fails_at)
{
	const struct reclaim_profile *prof = reclaim_profile_find(profile);
	struct reclaim_wmark_check c = {
		.mark = mark,
		.reserve = reserve,
		.nr_highatomic = highatomic,
		.alloc_high = flags & HIGH,
		.harder = flags & HARDER,
		.oom = flags & OOM,
		.highatomic = flags & ATOMIC,
	};

	assert_non_null(prof);
	c.free = fails_at;
	assert_false(reclaim_zone_watermark_ok(prof, &c));
	c.free = fails_at + 1;
	assert_true(reclaim_zone_watermark_ok(prof, &c));
}

/* min 1000, reserve 100, 50 pages of highatomic blocks; the table of __zone_watermark_ok(). */
static void order_zero(void **state)
{
	static const char *const old[] = { "k49", "k54", "k515", "k516" };
	static const char *const new[] = { "k61", "k612", "k618" };
	size_t i;

	for (i = 0; i < 4; i++) {
		boundary(old[i], 1000, 100, 50, 0, 1150);
		boundary(old[i], 1000, 100, 50, HIGH, 650);
		boundary(old[i], 1000, 100, 50, HARDER, 850);
		boundary(old[i], 1000, 100, 50, HIGH | HARDER, 475);
		boundary(old[i], 1000, 100, 50, OOM, 600);
	}
	for (i = 0; i < 3; i++) {
		boundary(new[i], 1000, 100, 50, 0, 1150);
		boundary(new[i], 1000, 100, 50, HIGH, 600);
		boundary(new[i], 1000, 100, 50, HARDER, 1100);
		boundary(new[i], 1000, 100, 50, HIGH | HARDER, 475);
		boundary(new[i], 1000, 100, 50, OOM, 600);
		boundary(new[i], 1000, 100, 50, ATOMIC, 1100);
	}
}

static void high_orders(void **state)
{
	const struct reclaim_profile *k61 = reclaim_profile_find("k61"),
				     *k54 = reclaim_profile_find("k54");
	struct reclaim_wmark_check c = {
		.free = 1007, .mark = 1000, .order = 3, .block_pcp_type = true
	};

	/* 2^order - 1 pages do not count: 1007 - 7 = 1000, not above 1000. */
	assert_false(reclaim_zone_watermark_ok(k61, &c));
	c.free = 1008;
	assert_true(reclaim_zone_watermark_ok(k61, &c));
	c.block_pcp_type = false;
	assert_false(reclaim_zone_watermark_ok(k61, &c));
	/* A highatomic block serves those entitled to it: NON_BLOCK alone is not since 6.1.y. */
	c.block_highatomic = true;
	c.harder = true;
	assert_true(reclaim_zone_watermark_ok(k54, &c));
	assert_false(reclaim_zone_watermark_ok(k61, &c));
	c.highatomic = true;
	assert_true(reclaim_zone_watermark_ok(k61, &c));
}

static void retry_zone(void **state)
{
	const struct reclaim_profile *k61 = reclaim_profile_find("k61"),
				     *k49 = reclaim_profile_find("k49");

	assert_true(reclaim_should_retry_zone(k61, 0, 5000, 5600, 661, 0, 0, true));
	assert_false(reclaim_should_retry_zone(k61, 0, 0, 661, 661, 0, 0, true));
	assert_true(reclaim_should_retry_zone(k61, 0, 5000, 5600, 661, 0, 16, true));
	assert_false(reclaim_should_retry_zone(k61, 0, 5000, 5600, 661, 0, 17, true));
	/* Zone DMA of a machine with 441 pages held back from others: 463 pages are not above 463.
	 */
	assert_false(reclaim_should_retry_zone(k61, 0, 1, 463, 22, 441, 0, true));
	assert_true(reclaim_should_retry_zone(k61, 0, 1, 463, 22, 0, 0, true));
	/* 4.9 discounts what is reclaimable by a sixteenth a round: at 16 nothing of it is left. */
	assert_false(reclaim_should_retry_zone(k49, 0, 5000, 5600, 661, 0, 16, true));
	assert_true(reclaim_should_retry_zone(k49, 0, 5000, 5600, 661, 0, 15, true));
}

enum { SYNC_FULL, SYNC_LIGHT, ASYNC };

static void compact_retry(void **state)
{
	const struct reclaim_profile *k61 = reclaim_profile_find("k61"),
				     *k612 = reclaim_profile_find("k612");

	assert_false(
		reclaim_should_compact_retry(k61, 0, ASYNC, RECLAIM_COMPACT_SUCCESS, 0, 16, true));
	assert_true(
		reclaim_should_compact_retry(k61, 9, ASYNC, RECLAIM_COMPACT_SKIPPED, 0, 4, true));
	assert_false(
		reclaim_should_compact_retry(k61, 9, ASYNC, RECLAIM_COMPACT_SKIPPED, 0, 4, false));
	/* Failed: more effort, costly orders stop at SYNC_LIGHT. */
	assert_true(
		reclaim_should_compact_retry(k61, 9, ASYNC, RECLAIM_COMPACT_COMPLETE, 0, 4, true));
	assert_false(reclaim_should_compact_retry(k61, 9, SYNC_LIGHT, RECLAIM_COMPACT_COMPLETE, 0,
						  4, true));
	assert_true(reclaim_should_compact_retry(k61, 2, SYNC_LIGHT, RECLAIM_COMPACT_COMPLETE, 0,
						 16, true));
	assert_false(reclaim_should_compact_retry(k61, 2, SYNC_FULL, RECLAIM_COMPACT_COMPLETE, 0,
						  16, true));
	assert_true(reclaim_should_compact_retry(k61, 9, SYNC_LIGHT, RECLAIM_COMPACT_SUCCESS, 4, 4,
						 true));
	assert_false(reclaim_should_compact_retry(k61, 9, SYNC_LIGHT, RECLAIM_COMPACT_SUCCESS, 5, 4,
						  true));
	/* "Partly skipped" is another round of the older rule's budget, more effort in the newer
	 * one. */
	assert_false(reclaim_should_compact_retry(k612, 9, SYNC_LIGHT,
						  RECLAIM_COMPACT_NO_SUITABLE_PAGE, 0, 4, true));
	assert_true(reclaim_should_compact_retry(k61, 9, SYNC_LIGHT,
						 RECLAIM_COMPACT_NO_SUITABLE_PAGE, 0, 4, true));
}

static void compaction_suitable(void **state)
{
	struct reclaim_compact_check c = {
		.min = 661,
		.low = 826,
		.order = 9,
		.free = 826 + 1024,
		.free_blocks = 200,
	};

	/* gap = 2 x 2^9, above low for a costly order. */
	assert_int_equal(reclaim_compaction_suitable(reclaim_profile_find("k61"), &c),
			 RECLAIM_COMPACT_SKIPPED);
	c.free++;
	/* index = 1000 - (1000 + 1851 x 1000 / 512) / 200 = 977: fragmentation, so compact. */
	assert_int_equal(reclaim_compaction_suitable(reclaim_profile_find("k61"), &c),
			 RECLAIM_COMPACT_CONTINUE);
	c.free_blocks = 5;
	/* 1000 - 4615 / 5 = 77: lack of memory. */
	assert_int_equal(reclaim_compaction_suitable(reclaim_profile_find("k61"), &c),
			 RECLAIM_COMPACT_NOT_SUITABLE_ZONE);
	c.order_ok = true;
	assert_int_equal(reclaim_compaction_suitable(reclaim_profile_find("k61"), &c),
			 RECLAIM_COMPACT_SUCCESS);
	c.order = 2;
	c.order_ok = false;
	c.free = 661 + 8;
	assert_int_equal(reclaim_compaction_suitable(reclaim_profile_find("k61"), &c),
			 RECLAIM_COMPACT_SKIPPED);
	c.free++;
	assert_int_equal(reclaim_compaction_suitable(reclaim_profile_find("k61"), &c),
			 RECLAIM_COMPACT_CONTINUE);
}

static void fragmentation_index(void **state)
{
	assert_int_equal(reclaim_fragmentation_index(9, 1851, 200, 0), 977);
	assert_int_equal(reclaim_fragmentation_index(9, 1851, 200, 1), -1000);
	assert_int_equal(reclaim_fragmentation_index(9, 0, 0, 0), 0);
}

static void profiles(void **state)
{
	assert_string_equal(reclaim_profile_name(reclaim_profile_for_release("4.9.115", false)),
			    "k49");
	assert_string_equal(reclaim_profile_name(reclaim_profile_for_release("5.4.0", false)),
			    "k54");
	assert_string_equal(reclaim_profile_name(reclaim_profile_for_release("5.15.16", false)),
			    "k515");
	assert_string_equal(reclaim_profile_name(reclaim_profile_for_release("5.17.0", false)),
			    "k516");
	assert_string_equal(
		reclaim_profile_name(reclaim_profile_for_release("6.1.0-57-cloud-amd64", false)),
		"k61");
	assert_string_equal(reclaim_profile_name(reclaim_profile_for_release(
				    "6.12.117+deb12-cloud-amd64", true)),
			    "k612-mglru");
	assert_string_equal(reclaim_profile_name(reclaim_profile_for_release("6.18.2", false)),
			    "k618");
	assert_string_equal(reclaim_profile_name(reclaim_profile_for_release("2.6.36", false)),
			    "lumpy2636");
	assert_null(reclaim_profile_for_release("linux", false));
	assert_null(reclaim_profile_find("k7"));
}

/* Worked by hand, and against an exhaustive search over what to evict. */
static int64_t best_misses(const uint64_t *keys, size_t nr, size_t at, uint64_t resident,
			   size_t capacity)
{
	int64_t best = INT64_MAX, misses;
	uint64_t bit;

	while (at < nr && (resident >> keys[at] & 1))
		at++;
	if (at == nr)
		return 0;
	bit = 1ULL << keys[at];
	if ((size_t)__builtin_popcountll(resident) < capacity)
		return 1 + best_misses(keys, nr, at + 1, resident | bit, capacity);
	for (uint64_t victims = resident; victims; victims &= victims - 1) {
		misses = 1 + best_misses(keys, nr, at + 1, (resident & ~(victims & -victims)) | bit,
					 capacity);
		best = misses < best ? misses : best;
	}
	return best;
}

static void belady(void **state)
{
	static const uint64_t textbook[] = { 7, 0, 1, 2, 0, 3, 0, 4, 2, 3,
					     0, 3, 2, 1, 2, 0, 1, 7, 0, 1 };
	uint64_t keys[12], x = 12345;
	int round, i;

	/* The reference string of the textbooks: 9 faults with 3 frames. */
	assert_int_equal(reclaim_belady_misses(textbook, 20, 3), 9);
	assert_int_equal(reclaim_belady_misses(textbook, 20, 20), 6);
	assert_int_equal(reclaim_belady_misses(textbook, 0, 3), 0);
	assert_true(reclaim_belady_misses(textbook, 20, 0) < 0);
	for (round = 0; round < 200; round++) {
		for (i = 0; i < 12; i++) {
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
			keys[i] = (x >> 33) % 6;
		}
		assert_int_equal(reclaim_belady_misses(keys, 12, 3),
				 best_misses(keys, 12, 0, 0, 3));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_zero),
		cmocka_unit_test(high_orders),
		cmocka_unit_test(retry_zone),
		cmocka_unit_test(compact_retry),
		cmocka_unit_test(compaction_suitable),
		cmocka_unit_test(fragmentation_index),
		cmocka_unit_test(profiles),
		cmocka_unit_test(belady),
	};

	return cmocka_run_group_tests_name("engine predicates", tests, NULL, NULL);
}
