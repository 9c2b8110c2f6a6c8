/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorded machine in the engine's words, and the kernel's decisions put to the engine's
 * predicates, on real captures. Skipped where they are not there.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "replay/decisions.h"
#include "replay/machine.h"

static struct recording *open_capture(const char *name)
{
	struct recording *rec = NULL;
	struct rl_msg msg;
	char path[512];
	const char *paths[] = { path };

	snprintf(path, sizeof(path), RL_TRACES_DIR "/%s", name);
	if (access(path, R_OK))
		return NULL;
	if (recording_open(paths, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	return rec;
}

/* 253 reclaim_retry_zone events in a_612_classic, 246 of single pages and 7 of blocks. */
static void decisions_agree(void **state)
{
	struct recording *rec = open_capture("a_612_classic");
	static struct machine machine;
	struct decisions d;

	if (!rec)
		skip();
	assert_int_equal(machine_from_recording(rec, &machine, NULL), 0);
	decisions_check(rec, &machine, &d);
	assert_int_equal(d.retry_single.events, 246);
	assert_int_equal(d.retry_single.agreed, 246);
	assert_int_equal(d.retry_block.events, 7);
	assert_int_equal(d.retry_block.agreed, 7);
	recording_free(rec);
}

/* zoneinfo.before of c_swap_zipf and b_dirty3; the latter ran with dirty_ratio 45. */
static void machine_is_the_recorded_one(void **state)
{
	struct recording *rec = open_capture("b_dirty3");
	static struct machine machine;

	if (!rec)
		skip();
	assert_int_equal(machine_from_recording(rec, &machine, NULL), 0);
	assert_int_equal(machine.machine.nr_zones, 2);
	assert_int_equal(machine.machine.cpus, 2);
	assert_true(machine.watermarks_equal);
	assert_int_equal(machine.machine.dirty_ratio, 45);
	assert_int_equal(machine.machine.swap_pages, 262143);
	recording_free(rec);
}

/* A machine of one zone of 1000 pages, 900 free in blocks, to be changed. */
static void one_zone(struct machine *m)
{
	*m = (struct machine){ .profile = reclaim_profile_find("k612") };
	reclaim_machine_init(&m->machine);
	assert_int_equal(
		reclaim_machine_add_zone(&m->machine, 0, RECLAIM_ZONE_NORMAL, 0, 1000, 1000), 0);
	m->initial[0].free = 512 + 256 + 128 + 4;
	m->initial[0].free_blocks[RECLAIM_MT_MOVABLE][9] = 1;
	m->initial[0].free_blocks[RECLAIM_MT_MOVABLE][8] = 1;
	m->initial[0].free_blocks[RECLAIM_MT_MOVABLE][7] = 1;
	m->initial[0].free_blocks[RECLAIM_MT_MOVABLE][2] = 1;
}

static void memory_is_changed_by_its_free_part(void **state)
{
	static struct machine m;
	struct rl_msg msg;

	one_zone(&m);
	assert_int_equal(machine_apply(&m, "memory=2x swappiness=10 swap=off", &msg), 0);
	assert_int_equal(machine_pages(&m), 2000);
	assert_int_equal(m.initial[0].free, 1900);
	assert_int_equal(m.machine.swappiness, 10);
	assert_int_equal(m.machine.swap_pages, 0);
	assert_int_equal(machine_apply(&m, "memory=4M", &msg), 0);
	assert_int_equal(machine_pages(&m), 1024);
	one_zone(&m);
	assert_int_equal(machine_apply(&m, "memory=0.05x", &msg), -EINVAL);
	assert_int_equal(machine_apply(&m, "memory=much", &msg), -EINVAL);
	assert_int_equal(machine_apply(&m, "swappiness=201", &msg), -EINVAL);
	assert_int_equal(machine_apply(&m, "colour=red", &msg), -EINVAL);
	assert_int_equal(machine_apply(&m, "device=12,500", &msg), 0);
	assert_int_equal(m.machine.devices[0].read_bytes_per_s, 12000000);
	assert_int_equal(m.machine.devices[0].read_latency_ns, 500000);
	assert_int_equal(machine_apply(&m, "device=hdd", &msg), 0);
	assert_true(m.machine.devices[0].rotational);
	assert_int_equal(machine_apply(&m, "rotational=off write_throttling=off", &msg), 0);
	assert_false(m.machine.devices[0].rotational);
	assert_false(m.machine.devices[0].throttle_writes);
	assert_int_equal(machine_apply(&m, "write_throttling=on", &msg), 0);
	assert_true(m.machine.devices[0].throttle_writes);
	assert_int_equal(machine_apply(&m, "rotational=2", &msg), -EINVAL);
}

/* Without pagetypeinfo no block is known to be free, of a larger machine neither. */
static void unknown_blocks_stay_unknown(void **state)
{
	static struct machine m;
	struct rl_msg msg;

	one_zone(&m);
	memset(m.initial[0].free_blocks, 0, sizeof(m.initial[0].free_blocks));
	assert_int_equal(machine_apply(&m, "memory=1.01x", &msg), 0);
	assert_int_equal(m.initial[0].free, 910);
	for (int mt = 0; mt < RECLAIM_NR_MT; mt++)
		for (int order = 0; order < RECLAIM_NR_ORDERS; order++)
			assert_int_equal(m.initial[0].free_blocks[mt][order], 0);
}

/*
 * A machine of 256 MiB that is full: what it has less comes from the free memory above the high
 * watermark, then from the page cache, of both lists alike, and from nothing else.
 */
static void a_full_machine_shrinks_by_its_cache(void **state)
{
	static struct machine machine, whole;
	struct reclaim_wmarks marks[RECLAIM_MAX_ZONES];
	struct reclaim_initial *init = &machine.initial[0];
	uint64_t pages;
	struct rl_msg msg;

	assert_int_equal(machine_of_size("6.1", "256M", &machine, &msg), 0);
	pages = machine_pages(&machine);
	*init = (struct reclaim_initial){ .free = 6000,
					  .inactive_file = 20000,
					  .active_file = 10000,
					  .inactive_anon = pages - 36000 };
	whole = machine;
	assert_int_equal(machine_resize(&machine, pages - 1000, &msg), 0);
	assert_int_equal(init->free, 5000);
	assert_int_equal(init->inactive_file, 20000);

	machine = whole;
	assert_int_equal(machine_resize(&machine, pages / 2, &msg), 0);
	assert_int_equal(machine_pages(&machine), pages / 2);
	reclaim_watermarks(&machine.machine, machine.profile, NULL, false, marks);
	assert_int_equal(init->free, marks[0].high);
	assert_int_equal(init->free + init->inactive_file + init->active_file,
			 36000 - (pages - pages / 2));
	assert_in_range(init->inactive_file + 2 - 2 * init->active_file, 0, 4);
	assert_int_equal(init->inactive_anon, whole.initial[0].inactive_anon);

	machine = whole;
	assert_int_equal(machine_resize(&machine, pages - 36001, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "neither free nor page cache"));
	assert_memory_equal(&machine, &whole, sizeof(machine));
	assert_int_equal(machine_resize(&machine, 0, &msg), -EINVAL);

	assert_int_equal(machine_resize(&machine, 2 * pages, &msg), 0);
	assert_int_equal(init->free, 6000 + pages);
}

/* The devices of a recording whose files are on vda1, with these lines of queue settings or none.
 */
static void read_devices(const char *lines, struct machine *m)
{
	const char *path = RL_BUILD_DIR "/test_machine_queues.txt";
	FILE *file = fopen(path, "w");
	struct recording *rec = NULL;
	struct rl_msg msg;

	assert_non_null(file);
	fprintf(file,
		" r-7 [000] .... 9.000000: tracing_mark_write: RL1 0 queue -|%s\n"
		" r-7 [000] .... 10.000000: tracing_mark_write: SNAP before\n"
		" r-7 [000] .... 10.000100: tracing_mark_write: RL1 1 zoneinfo -|"
		"Node 0, zone Normal;pages free 900;min 10;low 12;high 15;spanned 1000;"
		"present 1000;managed 1000\n"
		" r-7 [000] .... 10.000200: tracing_mark_write: RL1 1 diskstats -|"
		"254 1 vda1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		" r-7 [000] .... 10.000300: tracing_mark_write: SNAPEND before\n"
		" r-7 [000] .... 12.000000: tracing_mark_write: SNAP after\n"
		" r-7 [000] .... 12.000200: tracing_mark_write: RL1 2 diskstats -|"
		"254 1 vda1 50 0 800 100 0 0 0 0 0 100 100 0 0 0 0 0 0\n"
		" r-7 [000] .... 12.000300: tracing_mark_write: SNAPEND after\n",
		lines);
	fclose(file);
	if (recording_open(&path, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	snprintf(rec->kernel, sizeof(rec->kernel), "6.1.0");
	if (machine_from_recording(rec, m, &msg))
		fail_msg("%s", msg.text);
	recording_free(rec);
	unlink(path);
}

/* What the kernel says of a disk's queue is taken before any guess; its partitions have it, too. */
static void recorded_queues_are_no_guess(void **state)
{
	static struct machine m;
	const struct reclaim_device_desc *d = &m.machine.devices[0];

	read_devices("", &m);
	assert_true(d->rotational && d->throttle_writes && d->write_cache);
	read_devices("vda rotational 0;vda wbt_lat_usec 2000;vda write_cache write through;"
		     "vda nr_requests 64;vda hw_queues 3",
		     &m);
	assert_false(d->rotational);
	assert_true(d->throttle_writes);
	assert_false(d->write_cache);
	assert_int_equal(d->queue_depth, 192);
	assert_int_equal(d->hw_queues, 3);
	read_devices("vd wbt_lat_usec 2000;vda rotational 1;vda nr_requests 0", &m);
	assert_true(d->rotational);
	assert_false(d->throttle_writes);
	assert_int_equal(d->queue_depth, 256 * m.machine.cpus);
	read_devices("nvme0n1 rotational 0", &m);
	assert_true(d->rotational && d->throttle_writes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_machine_shrinks_by_its_cache),
		cmocka_unit_test(memory_is_changed_by_its_free_part),
		cmocka_unit_test(unknown_blocks_stay_unknown),
		cmocka_unit_test(machine_is_the_recorded_one),
		cmocka_unit_test(decisions_agree),
		cmocka_unit_test(recorded_queues_are_no_guess),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
