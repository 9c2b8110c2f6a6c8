/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture/read/counters.h"

#define MAX 256

/* What a visitor was told. */
struct heard {
	unsigned int snapshots;
	struct {
		char label[32];
		bool has_time;
		int64_t time;
	} snapshot[16];
	unsigned int values;
	struct {
		unsigned int snapshot; /* counted from 1 */
		enum counters_source source;
		char scope[64], name[64], unit[16];
		bool cumulative;
		int64_t value;
	} value[MAX];
};

static int hear_snapshot(void *ctx, const struct counters_snapshot *s, struct rl_msg *msg)
{
	struct heard *h = ctx;

	assert_true(h->snapshots < 16);
	snprintf(h->snapshot[h->snapshots].label, 32, "%s", s->label);
	h->snapshot[h->snapshots].has_time = s->has_time;
	h->snapshot[h->snapshots++].time = s->time;
	return 0;
}

static int hear_value(void *ctx, const struct counters_value *v, struct rl_msg *msg)
{
	struct heard *h = ctx;

	assert_true(h->values < MAX);
	h->value[h->values].snapshot = h->snapshots;
	h->value[h->values].source = v->source;
	snprintf(h->value[h->values].scope, 64, "%s", v->scope);
	snprintf(h->value[h->values].name, 64, "%s", v->name);
	snprintf(h->value[h->values].unit, 16, "%s", v->unit);
	h->value[h->values].cumulative = v->cumulative;
	h->value[h->values++].value = v->value;
	return 0;
}

/* Read @text as a file called @name; returns what counters_read() said. */
static int read_text(struct heard *h, const char *name, const char *text)
{
	struct counters_visitor visitor = { hear_snapshot, hear_value, h };
	char path[512];
	struct rl_msg msg;
	FILE *f;
	int ret;

	memset(h, 0, sizeof(*h));
	snprintf(path, sizeof(path), "%s/%s", RL_BUILD_DIR, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	ret = counters_read(path, &visitor, &msg);
	unlink(path);
	return ret;
}

/* The value of @name in @scope of snapshot @n, counted from 1. */
static int64_t value_of(const struct heard *h, unsigned int n, const char *scope, const char *name)
{
	for (unsigned int i = 0; i < h->values; i++)
		if (h->value[i].snapshot == n && !strcmp(h->value[i].scope, scope) &&
		    !strcmp(h->value[i].name, name))
			return h->value[i].value;
	fail_msg("no %s in \"%s\" of snapshot %u", name, scope, n);
	return 0;
}

/* The same two counters in every shape that people send them in. */
static void vmstat_is_read_in_every_shape(void **state)
{
	static const char *const shapes[] = {
		"pgscan_kswapd 518756\npgscan_direct_throttle 3\nnr_free_pages 17\n",
		"nr_free_pages 17\npgscan_direct_throttle 3\npgscan_kswapd 518756\n",
		"\tnr_free_pages\t17\n\tpgscan_direct_throttle\t3\n\tpgscan_kswapd\t518756\n",
		"nr_free_pages=17\npgscan_direct_throttle=3\npgscan_kswapd=518756\n",
		"nr_free_pages: 17\r\npgscan_direct_throttle: 3\r\npgscan_kswapd: 518756\r\n",
		"> nr_free_pages 17\n> pgscan_direct_throttle 3\n> > pgscan_kswapd 518756",
		"proc/vmstat:nr_free_pages 17\nproc/vmstat:pgscan_direct_throttle 3\n"
		"/proc/vmstat:pgscan_kswapd 518756\n",
		"Before the test:\n\nnr_free_pages 17\npgscan_direct_throttle 3\n"
		"pgscan_kswapd 518756\n",
		"file start :: /proc/vmstat\nnr_free_pages 17\npgscan_direct_throttle 3\n"
		"pgscan_kswapd 518756\nfile end :: /proc/vmstat\n",
	};
	struct heard h;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		assert_int_equal(read_text(&h, "shape.txt", shapes[i]), 0);
		assert_int_equal(h.snapshots, 1);
		assert_int_equal(value_of(&h, 1, "", "pgscan_kswapd"), 518756);
		assert_int_equal(value_of(&h, 1, "", "pgscan_direct_throttle"), 3);
		assert_int_equal(value_of(&h, 1, "", "nr_free_pages"), 17);
		for (unsigned int k = 0; k < h.values; k++)
			assert_int_equal(h.value[k].source, COUNTERS_VMSTAT);
	}
}

static void two_numbers_are_two_snapshots(void **state)
{
	static const char *const shapes[] = {
		"allocstall_movable 29 65\npgsteal_kswapd 206760 298688\n",
		"allocstall_movable 29 -> 65\npgsteal_kswapd 206760 -> 298688\n",
	};
	struct heard h;

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(read_text(&h, "columns.txt", shapes[i]), 0);
		assert_int_equal(h.snapshots, 2);
		assert_string_equal(h.snapshot[0].label, "before");
		assert_string_equal(h.snapshot[1].label, "after");
		assert_int_equal(value_of(&h, 1, "", "allocstall_movable"), 29);
		assert_int_equal(value_of(&h, 2, "", "allocstall_movable"), 65);
		assert_int_equal(value_of(&h, 2, "", "pgsteal_kswapd") -
					 value_of(&h, 1, "", "pgsteal_kswapd"),
				 91928);
	}
	assert_int_equal(read_text(&h, "delta.txt", "allocstall +37\npgfree +100\n"), 0);
	assert_int_equal(value_of(&h, 1, "", "allocstall"), 0);
	assert_int_equal(value_of(&h, 2, "", "allocstall"), 37);
}

static void series_are_blocks_with_a_stamp(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "vmstat.samples",
				   "T 8.20\nnr_free_pages 102030\npageoutrun 0\n"
				   "T 9.31\nnr_free_pages 90000\npageoutrun 4\n"),
			 0);
	assert_int_equal(h.snapshots, 2);
	assert_true(h.snapshot[0].has_time);
	assert_true(h.snapshot[0].time == 8200000000);
	assert_true(h.snapshot[1].time == 9310000000);
	assert_string_equal(h.snapshot[0].label, "");
	assert_int_equal(value_of(&h, 2, "", "pageoutrun"), 4);
}

static void only_what_grows_is_cumulative(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "vmstat",
				   "nr_free_pages 1\nnr_vmscan_write 2\npgfree 3\n"
				   "workingset_nodes 4\nnr_dirtied 5\n"
				   "nr_dirty 6\nallocstall_dma32 7\n"),
			 0);
	for (unsigned int i = 0; i < 7; i++) {
		static const bool cumulative[] = { false, true, true, false, true, false, true };

		assert_int_equal(h.value[i].cumulative, cumulative[i]);
	}
	assert_string_equal(h.value[0].unit, "pages");
	assert_string_equal(h.value[6].unit, "");
}

static void zoneinfo_tells_node_zone_and_cpu_apart(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "zoneinfo.before",
				   "Node 0, zone      DMA\n"
				   "  per-node stats\n"
				   "      nr_inactive_anon 787\n"
				   "      nr_vmscan_write 5\n"
				   "  pages free     3808\n"
				   "        boost    0\n"
				   "        min      22\n"
				   "        protection: (0, 442, 442)\n"
				   "      nr_free_pages 3808\n"
				   "  pagesets\n"
				   "    cpu: 0\n"
				   "              count: 63\n"
				   "              high:  378\n"
				   "  vm stats threshold: 4\n"
				   "    cpu: 1\n"
				   "              count:    7\n"
				   "  node_unreclaimable:  0\n"
				   "  start_pfn:           1\n"
				   "Node 1, zone   Normal\n"
				   "  pages free     99\n"),
			 0);
	assert_string_equal(h.snapshot[0].label, "before");
	assert_int_equal(value_of(&h, 1, "node 0", "nr_inactive_anon"), 787);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "free"), 3808);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "min"), 22);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "protection 1"), 442);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA cpu 0", "count"), 63);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA cpu 0", "high"), 378);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA cpu 1", "count"), 7);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "start_pfn"), 1);
	assert_int_equal(value_of(&h, 1, "node 1 zone Normal", "free"), 99);
}

static void buddyinfo_has_as_many_orders_as_it_has(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "buddyinfo",
				   "Node 0, zone   Normal      1      2      3      4      5      6"
				   "      7      8\nNode 0, zone    DMA32 8307\n"),
			 0);
	assert_int_equal(h.values, 9);
	assert_int_equal(value_of(&h, 1, "node 0 zone Normal", "order 7"), 8);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA32", "order 0"), 8307);
}

static void pagetypeinfo_says_where_it_was_capped(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "pagetypeinfo",
				   "Page block order: 9\nPages per block:  512\n\n"
				   "Free pages count per migrate type at order       0      1 \n"
				   "Node    0, zone      DMA, type    Unmovable      4      1 \n"
				   "Node    0, zone      DMA, type      Movable >100000      2 \n\n"
				   "Number of blocks type     Unmovable      Movable \n"
				   "Node 0, zone      DMA            1            7 \n"),
			 0);
	assert_int_equal(value_of(&h, 1, "", "page block order"), 9);
	assert_int_equal(value_of(&h, 1, "", "pages per block"), 512);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "Unmovable order 1"), 1);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "Movable order 0"), 100000);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "Movable order 0 capped"), 1);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "Movable order 1"), 2);
	assert_int_equal(value_of(&h, 1, "node 0 zone DMA", "Movable blocks"), 7);
}

static void pressure_is_in_microseconds(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "psi_memory.after",
				   "some avg10=32.33 avg60=18.75 avg300=4.99 total=16187902\n"
				   "full avg10=17.37 avg60=10.18 avg300=2.72 total=8859439\n"),
			 0);
	assert_int_equal(value_of(&h, 1, "memory", "some_total"), 16187902);
	assert_int_equal(value_of(&h, 1, "memory", "full_avg10"), 1737);
	assert_string_equal(h.snapshot[0].label, "after");
}

static void disks_and_uptime_are_known_by_shape(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "diskstats",
				   " 254  16 vdb 22 0 170 128 137 53 1720 1346 0 472 1475\n"),
			 0);
	assert_int_equal(value_of(&h, 1, "vdb", "writes"), 137);
	assert_int_equal(value_of(&h, 1, "vdb", "io_time"), 472);
	assert_int_equal(read_text(&h, "uptime.after", "49.24 6.95\n"), 0);
	assert_true(value_of(&h, 1, "", "uptime") == 49240000000);
}

/* As /sys/block/DISK/queue has them; a scheduler that stands alone is the one in use. */
static void settings_of_queues_are_numbers(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "queues",
				   "vda rotational 1\nvda wbt_lat_usec 75000\n"
				   "vda write_cache write back\nvda nr_requests 256\n"
				   "vda scheduler none [mq-deadline] kyber\nvda hw_queues 2\n"
				   "vdb wbt_lat_usec \nvdb write_cache write through\n"
				   "vdb write_cache write sideways\nvdb scheduler none\n"
				   "vdb rotational x\n"),
			 0);
	assert_int_equal(h.values, 8);
	assert_int_equal(h.value[0].source, COUNTERS_QUEUE);
	assert_true(counters_is_setting(COUNTERS_QUEUE));
	assert_int_equal(value_of(&h, 1, "vda", "rotational"), 1);
	assert_int_equal(value_of(&h, 1, "vda", "wbt_lat_usec"), 75000);
	assert_int_equal(value_of(&h, 1, "vda", "write_cache"), 1);
	assert_int_equal(value_of(&h, 1, "vda", "nr_requests"), 256);
	assert_int_equal(value_of(&h, 1, "vda", "scheduler.mq-deadline"), 1);
	assert_int_equal(value_of(&h, 1, "vda", "hw_queues"), 2);
	assert_int_equal(value_of(&h, 1, "vdb", "write_cache"), 0);
	assert_int_equal(value_of(&h, 1, "vdb", "scheduler.none"), 1);
}

static void memory_stat_is_not_vmstat(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "memory.stat",
				   "anon 1048576\nfile 4096\npgscan 100\n"
				   "pgsteal 90\npgscan_direct 100\n"),
			 0);
	assert_int_equal(h.value[0].source, COUNTERS_MEMCG);
	assert_string_equal(h.value[0].unit, "bytes");
	assert_string_equal(h.value[2].unit, "pages");
	assert_true(h.value[2].cumulative);
	assert_int_equal(read_text(&h, "memory.stat", "cache 1\nrss 2\ntotal_cache 3\n"), 0);
	assert_int_equal(h.value[2].source, COUNTERS_MEMCG);
}

static void other_text_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"hello world\n",
		"filerw[0] mode=w bytes=138674176 secs=40.04\n",
		"== /sys/kernel/tracing/per_cpu/cpu0\nentries: 47\noverrun: 0\n",
		"Linux (none) 6.1.0 #1 SMP x86_64 GNU/Linux\n",
		"#           TASK-PID   CPU#\n  kswapd0-42 [000] 1.0: mm_vmscan_kswapd_wake: nid=0\n",
	};
	struct heard h;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(read_text(&h, "other", texts[i]), -EINVAL);
}

static void numbers_beyond_64_bits_are_left_out(void **state)
{
	struct heard h;

	assert_int_equal(read_text(&h, "vmstat",
				   "pgfree 99999999999999999999999\npgfault x\n"
				   "pgscan_kswapd 18446744073709551615\n"
				   "pageoutrun -3\n"),
			 0);
	assert_int_equal(h.values, 2);
	assert_int_equal(value_of(&h, 1, "", "pgscan_kswapd"), -1);
	assert_int_equal(value_of(&h, 1, "", "pageoutrun"), -3);
}

static void labels_come_from_names(void **state)
{
	static const char *const names[][2] = {
		{ "/a/vmstat.before", "before" },
		{ "before-vmstat.txt.gz", "before" },
		{ "psi_memory.filled", "filled" },
		{ "vmstat.samples.gz", "" },
		{ "vmstat", "" },
		{ "zoneinfo-run2-after.xz", "run2-after" },
	};
	char label[64];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		counters_label(names[i][0], label, sizeof(label));
		assert_string_equal(label, names[i][1]);
	}
}

static void marker_lines_are_read_without_headings(void **state)
{
	static const char lines[] = "Node 0, zone DMA32;nr_active_file 12;pages free 5000;"
				    "nr_zone_active_file 9;cpu: 1;count: 3";
	struct heard h = { 0 };
	struct counters_visitor visitor = { hear_snapshot, hear_value, &h };
	struct rl_msg msg;

	assert_int_equal(
		counters_lines("zoneinfo", 8, "-", 1, lines, strlen(lines), ';', &visitor, &msg),
		0);
	assert_int_equal(value_of(&h, 0, "node 0", "nr_active_file"), 12);
	assert_int_equal(value_of(&h, 0, "node 0 zone DMA32", "free"), 5000);
	assert_int_equal(value_of(&h, 0, "node 0 zone DMA32", "nr_zone_active_file"), 9);
	assert_int_equal(value_of(&h, 0, "node 0 zone DMA32 cpu 1", "count"), 3);
	assert_int_equal(
		counters_lines("memory.current", 14, "/a", 2, "4096", 4, ';', &visitor, &msg), 0);
	assert_int_equal(value_of(&h, 0, "/a", "memory.current"), 4096);
	assert_int_equal(counters_lines("novel", 5, "-", 1, "a 1", 3, ';', &visitor, &msg),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vmstat_is_read_in_every_shape),
		cmocka_unit_test(two_numbers_are_two_snapshots),
		cmocka_unit_test(series_are_blocks_with_a_stamp),
		cmocka_unit_test(only_what_grows_is_cumulative),
		cmocka_unit_test(zoneinfo_tells_node_zone_and_cpu_apart),
		cmocka_unit_test(buddyinfo_has_as_many_orders_as_it_has),
		cmocka_unit_test(pagetypeinfo_says_where_it_was_capped),
		cmocka_unit_test(pressure_is_in_microseconds),
		cmocka_unit_test(disks_and_uptime_are_known_by_shape),
		cmocka_unit_test(settings_of_queues_are_numbers),
		cmocka_unit_test(memory_stat_is_not_vmstat),
		cmocka_unit_test(other_text_is_refused),
		cmocka_unit_test(numbers_beyond_64_bits_are_left_out),
		cmocka_unit_test(labels_come_from_names),
		cmocka_unit_test(marker_lines_are_read_without_headings),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
