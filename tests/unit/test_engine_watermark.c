/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "reclaim/policy.h"
#include "tests/unit/engine_zoneinfo.h"

static const char *const captures[][2] = {
	{ "b_dirty3", "6.1" },	     { "c_swap_zipf", "6.1" },	{ "d_hugepages", "6.1" },
	{ "a_612_classic", "6.12" }, { "c_612_mglru", "6.12" }, { "s_recorded", "6.1" },
	{ "fz612_access", "6.12" },  { "zk61_kprobes", "6.1" }, { "g_text2", "6.1" },
};

/* Every limit of every zone of every shared capture, to the page. */
static void captured_zoneinfo(void **state)
{
	struct reclaim_wmarks got[RECLAIM_MAX_ZONES];
	size_t i, t, seen = 0;
	int z, n;

	for (i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		const struct reclaim_profile *prof =
			reclaim_profile_for_release(captures[i][1], false);
		struct zoneinfo zi;
		char path[512];

		snprintf(path, sizeof(path), "%s/%s/zoneinfo.before", RL_TRACES_DIR,
			 captures[i][0]);
		n = zoneinfo_read(path, &zi);
		if (n < 0) {
			print_message("no %s: skipped\n", path);
			continue;
		}
		seen++;
		assert_int_equal(n, 2);
		assert_int_equal(reclaim_machine_infer_setup(&zi.machine, prof, zi.seen), 0);
		reclaim_watermarks(&zi.machine, prof, NULL, false, got);
		for (z = 0; z < n; z++) {
			assert_int_equal(got[z].min, zi.seen[z].min);
			assert_int_equal(got[z].low, zi.seen[z].low);
			assert_int_equal(got[z].high, zi.seen[z].high);
			for (t = 0; t < RECLAIM_NR_ZONE_TYPES; t++)
				assert_int_equal(got[z].reserve[t], zi.seen[z].reserve[t]);
		}
	}
	if (!seen)
		skip();
}

/*
 * Two nodes, the initial ramdisk in DMA32 and not in the largest zone: zoneinfo of a guest of 6.1
 * whose min_free_kbytes khugepaged had raised to 32764.
 */
static void ramdisk_in_a_small_zone(void **state)
{
	static const struct reclaim_wmarks seen[] = {
		{ .min = 190, .low = 237, .high = 284, .reserve = { 0, 131, 252, 252, 252 } },
		{ .min = 1668, .low = 2085, .high = 2502, .reserve = { 0, 0, 121, 121, 121 } },
		{ .min = 1544, .low = 1930, .high = 2316 },
		{ .min = 4787, .low = 5983, .high = 7179 },
	};
	const struct reclaim_profile *prof = reclaim_profile_find("k61");
	struct reclaim_wmarks got[4];
	struct reclaim_machine m;

	reclaim_machine_init(&m);
	m.nodes = 2;
	m.min_free_kbytes = 32764;
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_DMA, 1, 4095, 3840);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_DMA32, 4096, 1044480, 36915);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 1048576, 32768, 31124);
	reclaim_machine_add_zone(&m, 1, RECLAIM_ZONE_NORMAL, 1081344, 98304, 96461);
	assert_int_equal(reclaim_machine_infer_setup(&m, prof, seen), 0);
	assert_in_range(m.zones[1].managed_at_setup, 33612, 33640);
	reclaim_watermarks(&m, prof, NULL, false, got);
	for (int z = 0; z < 4; z++) {
		assert_int_equal(got[z].min, seen[z].min);
		assert_int_equal(got[z].low, seen[z].low);
		assert_int_equal(got[z].high, seen[z].high);
		assert_memory_equal(got[z].reserve, seen[z].reserve, sizeof(got[z].reserve));
	}
}

/* s_recorded's knobs: min_free_kbytes 2737 by the kernel's rule; at scale factor 120: 662 and 2058.
 */
static void rewritten_scale_factor(void **state)
{
	const struct reclaim_profile *prof = reclaim_profile_find("k61");
	struct reclaim_wmarks w[2];
	struct reclaim_machine m;

	reclaim_machine_init(&m);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_DMA, 1, 4095, 3840);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_DMA32, 4096, 126932, 116411);
	m.zones[1].managed_at_setup = 113250;
	assert_int_equal(reclaim_min_free_kbytes(&m, prof), 2737);
	reclaim_watermarks(&m, prof, NULL, false, w);
	assert_int_equal(w[0].min, 22);
	assert_int_equal(w[1].min, 661);
	assert_int_equal(w[1].low, 826);
	assert_int_equal(w[1].high, 991);
	assert_int_equal(w[0].reserve[RECLAIM_ZONE_NORMAL], 442);
	m.watermark_scale_factor = 120;
	reclaim_watermarks(&m, prof, NULL, true, w);
	assert_int_equal(w[1].min, 662);
	assert_int_equal(w[1].low, 2058);
	assert_int_equal(w[0].reserve[RECLAIM_ZONE_NORMAL], 442);
}

/*
 * The table of the square-root proposal at scale factor 10: nine rows as published, and 16M and
 * 512M as the published code computes them (the published rows leave out the quarter-of-min floor).
 */
static void published_gaps(void **state)
{
	static const struct {
		uint64_t mib, mainline, proposal;
	} rows[] = {
		{ 16, 32, 32 },		  { 512, 181, 181 },	    { 1024, 262, 256 },
		{ 2048, 524, 362 },	  { 4096, 1048, 512 },	    { 8192, 2097, 724 },
		{ 16384, 4194, 1717 },	  { 32768, 8388, 4858 },    { 65536, 16777, 13743 },
		{ 102400, 26214, 26214 }, { 143360, 36700, 36700 },
	};
	const struct reclaim_profile *prof = reclaim_profile_find("k49");
	struct reclaim_policy *linear = reclaim_policy_create("linear:wsf=10", NULL);
	struct reclaim_policy *sqrt_ = reclaim_policy_create("gap-sqrt:wsf=10", NULL);
	struct reclaim_wmarks w;
	struct reclaim_machine m;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		reclaim_machine_init(&m);
		reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 0, 0, rows[i].mib * 256);
		reclaim_watermarks(&m, prof, linear, false, &w);
		assert_int_equal(w.high - w.low, rows[i].mainline);
		reclaim_watermarks(&m, prof, sqrt_, false, &w);
		assert_int_equal(w.high - w.low, rows[i].proposal);
		assert_int_equal(w.low - w.min, rows[i].mainline);
	}
	reclaim_policy_free(linear);
	reclaim_policy_free(sqrt_);
}

/* Measured on User Mode Linux with 256M at scale factor 120: 500/1254/2008 and 500/1254/1379. */
static void user_mode_linux(void **state)
{
	const struct reclaim_profile *prof = reclaim_profile_find("k61");
	struct reclaim_policy *sqrt_ = reclaim_policy_create("gap-sqrt:wsf=120", NULL);
	struct reclaim_machine m;
	struct reclaim_wmarks w;

	reclaim_machine_init(&m);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 0, 65536, 62875);
	m.zones[0].managed_at_setup = 62560;
	m.watermark_scale_factor = 120;
	reclaim_watermarks(&m, prof, NULL, true, &w);
	assert_int_equal(w.min, 500);
	assert_int_equal(w.low, 1254);
	assert_int_equal(w.high, 2008);
	reclaim_watermarks(&m, prof, sqrt_, true, &w);
	assert_int_equal(w.min, 500);
	assert_int_equal(w.low, 1254);
	assert_int_equal(w.high, 1379);
	reclaim_policy_free(sqrt_);
}

static void min_free_rule(void **state)
{
	struct reclaim_machine m;

	/* 16 GiB: 4 x sqrt(16777216) = 16384 kB; capped at 65536 kB to 5.4, at 262144 kB later. */
	reclaim_machine_init(&m);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 0, 0, 4194304);
	assert_int_equal(reclaim_min_free_kbytes(&m, reclaim_profile_find("k61")), 16384);
	m.zones[0].managed = 64ULL * 4194304;
	assert_int_equal(reclaim_min_free_kbytes(&m, reclaim_profile_find("k54")), 65536);
	assert_int_equal(reclaim_min_free_kbytes(&m, reclaim_profile_find("k515")), 131072);
	/* Huge pages: 11 pageblocks of 2 MiB for each of three zones. */
	reclaim_machine_init(&m);
	m.thp = true;
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_DMA, 1, 4095, 3840);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_DMA32, 4096, 0, 700000);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 1048576, 0, 3300000);
	assert_int_equal(reclaim_min_free_kbytes(&m, reclaim_profile_find("k61")), 67584);
}

/* A zone for movable pages only: counted as low memory to 6.1, clamped to managed / 1024 in 32..128
 * later. */
static void movable_zone(void **state)
{
	struct reclaim_wmarks w[2];
	struct reclaim_machine m;

	reclaim_machine_init(&m);
	m.min_free_kbytes = 8192;
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 0, 0, 300000);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_MOVABLE, 300000, 0, 100000);
	reclaim_watermarks(&m, reclaim_profile_find("k61"), NULL, false, w);
	assert_int_equal(w[0].min, 1536);
	assert_int_equal(w[1].min, 512);
	reclaim_watermarks(&m, reclaim_profile_find("k612"), NULL, false, w);
	assert_int_equal(w[0].min, 2048);
	assert_int_equal(w[1].min, 97);
	assert_int_equal(w[0].reserve[RECLAIM_ZONE_MOVABLE], 100000 / 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ramdisk_in_a_small_zone),
		cmocka_unit_test(captured_zoneinfo),
		cmocka_unit_test(rewritten_scale_factor),
		cmocka_unit_test(published_gaps),
		cmocka_unit_test(user_mode_linux),
		cmocka_unit_test(min_free_rule),
		cmocka_unit_test(movable_zone),
	};

	return cmocka_run_group_tests_name("engine watermarks", tests, NULL, NULL);
}
