/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States of memory in kernel logs become the counters of zoneinfo, buddyinfo and vmstat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture/read/dump.h"

#define VALUES 256

struct seen {
	unsigned int snapshots, values;
	bool has_time;
	int64_t time;
	char label[32];
	struct {
		enum counters_source source;
		char scope[64], name[64];
		int64_t value;
		unsigned int snapshot;
	} value[VALUES];
};

static char path[] = "/tmp/reclaimlab-dump-XXXXXX";

static int on_snapshot(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg)
{
	struct seen *seen = ctx;

	seen->snapshots++;
	seen->has_time = snapshot->has_time;
	seen->time = snapshot->time;
	snprintf(seen->label, sizeof(seen->label), "%s", snapshot->label);
	return 0;
}

static int on_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	struct seen *seen = ctx;

	assert_true(seen->values < VALUES);
	seen->value[seen->values].source = value->source;
	seen->value[seen->values].value = value->value;
	seen->value[seen->values].snapshot = seen->snapshots;
	snprintf(seen->value[seen->values].scope, 64, "%s", value->scope);
	snprintf(seen->value[seen->values].name, 64, "%s", value->name);
	seen->values++;
	return 0;
}

static void read_dump(struct seen *seen, const char *text, int reports)
{
	struct counters_visitor visitor = { on_snapshot, on_value, seen };
	struct rl_msg msg;
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	memset(seen, 0, sizeof(*seen));
	assert_int_equal(dump_read(path, &visitor, &msg), reports);
}

static int64_t value_of(const struct seen *seen, unsigned int snapshot, const char *scope,
			const char *name)
{
	for (unsigned int i = 0; i < seen->values; i++)
		if (seen->value[i].snapshot == snapshot && !strcmp(seen->value[i].scope, scope) &&
		    !strcmp(seen->value[i].name, name))
			return seen->value[i].value;
	fail_msg("no value %s of %s", name, scope);
	return 0;
}

static void a_report_of_6_1_wrapped_and_with_stamps(void **state)
{
	struct seen seen;

	read_dump(&seen,
		  "[  512.123456] dd invoked oom-killer: gfp_mask=0x6200ca(GFP_HIGHUSER_MOVABLE), "
		  "order=0, oom_score_adj=0\n"
		  "[  512.123500] Mem-Info:\n"
		  "[  512.123510] active_anon:1211 inactive_anon:98000 isolated_anon:0\n"
		  "                active_file:11 inactive_file:4 isolated_file:0\n"
		  "                mapped:40 shmem:20 pagetables:300\n"
		  "                free:1173 free_pcp:10 free_cma:200\n"
		  "[  512.123520] Node 0 active_anon:4844kB inactive_anon:392000kB "
		  "all_unreclaimable? no\n"
		  "[  512.123540] Node 0 DMA32 free:3152kB boost:2048kB min:4692kB low:5352kB "
		  "high:6012kB reserved_highatomic:0KB active_anon:4844kB\n"
		  "inactive_anon:392000kB writepending:32kB present:507728kB managed:465644kB\n"
		  "free_pcp:40kB local_pcp:20kB free_cma:800kB\n"
		  "[  512.123560] lowmem_reserve[]: 0 428 429\n"
		  "[  512.123580] Node 0 DMA32: 780*4kB (UME) 4*8kB (U) 0*16kB\n"
		  "0*32kB 0*64kB 0*128kB 0*256kB 0*512kB 0*1024kB 0*2048kB 0*4096kB = 3152kB\n"
		  "[  512.123590] Node 0 hugepages_total=0 hugepages_free=0\n",
		  1);
	assert_true(seen.has_time);
	assert_int_equal(seen.time, 512123500000);
	assert_string_equal(seen.label, "report 1");
	assert_int_equal(value_of(&seen, 1, "", "nr_active_anon"), 1211);
	assert_int_equal(value_of(&seen, 1, "", "nr_page_table_pages"), 300);
	assert_int_equal(value_of(&seen, 1, "", "nr_free_pages"), 1173);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "free"), 788);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "min"), 1173);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "high"), 1503);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "managed"), 116411);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "nr_free_cma"), 200);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "protection 2"), 429);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "order 0"), 780);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "order 1"), 4);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA32", "order 10"), 0);
}

static void a_report_of_2_6_32_without_nodes_quoted(void **state)
{
	struct seen seen;

	read_dump(
		&seen,
		"> Mem-Info:\n"
		"> DMA per-cpu:\n"
		"> CPU    0: hi:    0, btch:   1 usd:   0\n"
		"> active_anon:100 inactive_anon:200 isolated_anon:0\n"
		">  free:300 slab_reclaimable:5 slab_unreclaimable:6\n"
		"> DMA free:3500kB min:64kB low:80kB high:96kB active_anon:0kB "
		"pages_scanned:0 all_unreclaimable? yes\n"
		"> lowmem_reserve[]: 0 865 1000 1000\n"
		"> Normal free:4000kB min:3728kB low:4660kB high:5592kB active_anon:400kB "
		"pages_scanned:32 all_unreclaimable? no\n"
		"> lowmem_reserve[]: 0 0 1000 1000\n"
		"> DMA: 1*4kB 1*8kB 0*16kB 1*32kB 0*64kB 1*128kB 1*256kB 0*512kB 1*1024kB 1*2048kB "
		"0*4096kB = 3500kB\n"
		"> Normal: 1000*4kB 0*8kB 0*16kB 0*32kB 0*64kB 0*128kB 0*256kB 0*512kB 0*1024kB "
		"0*2048kB 0*4096kB = 4000kB\n"
		"> 123 total pagecache pages\n",
		1);
	assert_false(seen.has_time);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA", "free"), 875);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA", "protection 1"), 865);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA", "order 9"), 1);
	assert_int_equal(value_of(&seen, 1, "node 0 zone Normal", "low"), 1165);
	assert_int_equal(value_of(&seen, 1, "node 0 zone Normal", "order 0"), 1000);
}

static void pages_of_64_kib_are_known_by_the_blocks(void **state)
{
	struct seen seen;

	read_dump(&seen,
		  "Mem-Info:\n"
		  "Node 1 Normal free:6400kB min:640kB low:1280kB high:1920kB\n"
		  "lowmem_reserve[]: 0 0\n"
		  "Node 1 Normal: 10*64kB (M) 5*128kB (M) 20*256kB (M) = 6400kB\n",
		  1);
	assert_int_equal(value_of(&seen, 1, "node 1 zone Normal", "free"), 100);
	assert_int_equal(value_of(&seen, 1, "node 1 zone Normal", "high"), 30);
	assert_int_equal(value_of(&seen, 1, "node 1 zone Normal", "order 2"), 20);
}

static void several_reports_are_several_snapshots(void **state)
{
	struct seen seen;

	read_dump(&seen,
		  "[ 1.000000] Mem-Info:\n"
		  "[ 1.000001] Node 0 DMA free:4kB min:8kB low:12kB high:16kB\n"
		  "[ 2.000000] something else: 1*4kB\n"
		  "[ 3.000000] Mem-Info:\n"
		  "[ 3.000001] Node 0 DMA free:40kB min:8kB low:12kB high:16kB\n",
		  2);
	assert_int_equal(value_of(&seen, 1, "node 0 zone DMA", "free"), 1);
	assert_int_equal(value_of(&seen, 2, "node 0 zone DMA", "free"), 10);
	assert_int_equal(seen.time, 3000000000);
	read_dump(&seen, "nothing of that kind\nNode 0 DMA: rubbish\n", 0);
	assert_int_equal(seen.values, 0);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_of_6_1_wrapped_and_with_stamps),
		cmocka_unit_test(a_report_of_2_6_32_without_nodes_quoted),
		cmocka_unit_test(pages_of_64_kib_are_known_by_the_blocks),
		cmocka_unit_test(several_reports_are_several_snapshots),
	};

	return cmocka_run_group_tests_name("dump", tests, setup, teardown);
}
