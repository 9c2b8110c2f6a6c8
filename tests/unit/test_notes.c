/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A demand file replays as its recording does, to the last bit; and what its notes may not say. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "replay/notes.h"
#include "replay/replay.h"
#include "replay/workload/demand_file.h"

#define PATH RL_BUILD_DIR "/test_notes.demand"

static struct recording *open_path(const char *path)
{
	struct recording *rec = NULL;
	struct rl_msg msg;

	if (recording_open(&path, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	return rec;
}

static void export(struct recording *rec, bool plain)
{
	struct machine *machine = malloc(sizeof(*machine));
	struct rl_msg msg;

	assert_non_null(machine);
	assert_int_equal(machine_from_recording(rec, machine, &msg), 0);
	assert_int_equal(notes_write(rec, machine, &msg), 0);
	assert_int_equal(demand_save(rec->demand, PATH, plain, &msg), 0);
	free(machine);
}

static struct replay *replay(const struct recording *rec)
{
	struct replay *replay = NULL;
	struct rl_msg msg;

	if (replay_new(rec, 2, false, NULL, &replay, &msg) ||
	    replay_add(replay, "linear:wsf=120", "memory=1.1x", &msg) ||
	    replay_run(replay, 1, NULL, &msg))
		fail_msg("%s", msg.text);
	return replay;
}

static void same_results(const struct run_result *a, const struct run_result *b)
{
	assert_int_equal(a->error, 0);
	assert_int_equal(b->error, 0);
	assert_true(a->records > 100000);
	assert_true(a->hash == b->hash);
	assert_true(a->ended == b->ended);
	assert_memory_equal(a->counters, b->counters, sizeof(a->counters));
}

static void to_the_last_bit(void **state)
{
	struct recording *rec = open_path(RL_SAMPLES_DIR "/stream"), *file;
	struct replay *a = replay(rec), *b;

	export(rec, false);
	file = open_path(PATH);
	assert_true(file->is_demand);
	assert_true(file->answered);
	b = replay(file);
	assert_int_equal(a->wait_ppm, b->wait_ppm);
	for (int v = 0; v < 2; v++)
		for (int i = 0; i < 2; i++)
			same_results(&a->variants[v].results[0][i], &b->variants[v].results[0][i]);
	/* The recorded kernel's answer came along: the grade is the same. */
	assert_true(rec->response.nr_stall_times > 0);
	assert_int_equal(rec->response.nr_stall_times, file->response.nr_stall_times);
	assert_memory_equal(rec->response.stall_times, file->response.stall_times,
			    rec->response.nr_stall_times * sizeof(uint64_t));
	assert_int_equal(rec->response.nr_seconds, file->response.nr_seconds);
	assert_memory_equal(rec->response.seconds, file->response.seconds,
			    rec->response.nr_seconds * sizeof(*rec->response.seconds));
	assert_memory_equal(&a->grade, &b->grade, sizeof(a->grade));
	replay_free(a);
	replay_free(b);
	recording_free(rec);
	recording_free(file);
	unlink(PATH);
}

/* A demand without notes needs a machine from elsewhere. */
static void without_a_machine(void **state)
{
	struct recording *rec = open_path(RL_SAMPLES_DIR "/stream"), *file = NULL;
	const char *with_counters[] = { PATH, RL_SAMPLES_DIR "/stream/zoneinfo.before" };
	struct machine *machine = malloc(sizeof(*machine));
	struct rl_msg msg;

	assert_non_null(machine);
	assert_int_equal(demand_save(rec->demand, PATH, true, &msg), 0);
	file = open_path(PATH);
	assert_true(recording_lacks_machine(file));
	assert_false(file->answered);
	assert_int_equal(machine_from_recording(file, machine, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "--memory"));
	recording_free(file);
	assert_int_equal(recording_open(with_counters, 2, NULL, &file, &msg), 0);
	assert_false(recording_lacks_machine(file));
	assert_int_equal(machine_from_recording(file, machine, &msg), 0);
	assert_int_equal(machine_pages(machine), 120257);
	assert_int_equal(machine_of_size("6.1.0", "256M", machine, &msg), 0);
	assert_int_equal(machine_pages(machine), 65536);
	assert_string_equal(reclaim_profile_name(machine->profile), "k61");
	assert_int_equal(machine_of_size("6.1.0", "a lot", machine, &msg), -EINVAL);
	recording_free(file);
	recording_free(rec);
	free(machine);
	unlink(PATH);
}

static void refused(const char *key, const char *value, const char *words)
{
	struct recording rec = { .demand = demand_new() };
	struct machine *machine = malloc(sizeof(*machine));
	struct rl_msg msg;

	assert_non_null(rec.demand);
	assert_non_null(machine);
	assert_int_equal(demand_note(rec.demand, "profile", "k61"), 0);
	assert_int_equal(demand_note(rec.demand, key, "%s", value), 0);
	if (words) {
		assert_int_equal(notes_read(&rec, machine, &msg), -EBADMSG);
		if (!strstr(msg.text, words))
			fail_msg("%s", msg.text);
	} else {
		assert_int_equal(notes_read(&rec, machine, &msg), 1);
	}
	response_clear(&rec.response);
	demand_free(rec.demand);
	free(machine);
}

static void what_notes_may_not_say(void **state)
{
	refused("machine.cpus", "2", NULL);
	refused("machine.cpus", "two", "note machine.cpus: expected up to 1 numbers");
	refused("machine.cpus", "-1", "machine.cpus");
	refused("machine.cpus", "4294967296", "machine.cpus");
	refused("machine.cpus", "2 2", "machine.cpus");
	refused("machine.thp", "2", "machine.thp");
	refused("machine.min_free_kbytes", "-1", NULL);
	refused("machine.nr_zones", "33", "33 zones");
	refused("machine.pause_quantiles", "1 2 3", NULL);
	refused("machine.pause_quantiles", "-1 2 3", "ascending");
	refused("machine.pause_quantiles", "3 2", "ascending");
	refused("machine.wake_latency_ns", "-1", "above 0");
	refused("response.stall_times", "3", "response.stall_times.0: expected 3 numbers");
	refused("response.stall_times", "99999999999", "at most");
	refused("response.scan", "1 2 3", NULL);
	refused("response.scan", "1 2 3 4", "response.scan: expected up to 3 numbers");
}

/* A file of an older version does not tell what is newer than it. */
static void what_is_left_out_keeps_its_default(void **state)
{
	struct recording rec = { .demand = demand_new() };
	struct machine *machine = malloc(sizeof(*machine));
	struct rl_msg msg;

	assert_non_null(rec.demand);
	assert_non_null(machine);
	assert_int_equal(demand_note(rec.demand, "profile", "k61"), 0);
	assert_int_equal(demand_note(rec.demand, "machine.nr_devices", "3"), 0);
	assert_int_equal(demand_note(rec.demand, "device.2.read_bytes_per_s", "1000"), 0);
	assert_int_equal(notes_read(&rec, machine, &msg), 1);
	assert_int_equal(machine->machine.devices[2].read_bytes_per_s, 1000);
	assert_int_equal(machine->machine.devices[2].queues, 1);
	assert_int_equal(machine->machine.devices[2].merge_pages,
			 machine->machine.devices[0].merge_pages);
	response_clear(&rec.response);
	demand_free(rec.demand);
	free(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(to_the_last_bit),
		cmocka_unit_test(without_a_machine),
		cmocka_unit_test(what_notes_may_not_say),
		cmocka_unit_test(what_is_left_out_keeps_its_default),
	};

	return cmocka_run_group_tests_name("notes of demand files", tests, NULL, NULL);
}
