/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records on the running kernel: needs root and tracefs, and is skipped without them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include <tracefs.h>

#include "capture/read/counter_marker.h"
#include "capture/read/source.h"
#include "capture/read/tracedat.h"
#include "capture/record/record.h"
#include "sql/import.h"

#define OUTPUT RL_BUILD_DIR "/test_record.dat"

static char *const command[] = { "/bin/sh", "-c", "sleep 0.3; head -c 8000000 /bin/sh >/dev/null",
				 NULL };

static int can_record(void **state)
{
	const char *dir = geteuid() ? NULL : tracefs_tracing_dir();
	char path[256];

	snprintf(path, sizeof(path), "%s/instances", dir ? dir : "");
	*state = dir && access(path, W_OK) == 0 ? OUTPUT : NULL;
	if (!*state)
		print_message("skipped: recording needs root and a tracefs with instances\n");
	return 0;
}

static void remove_outputs(void)
{
	unlink(OUTPUT);
	unlink(OUTPUT ".partial");
	unlink(OUTPUT ".v6.partial");
}

static bool instances_left(void)
{
	char name[64];

	snprintf(name, sizeof(name), "reclaimlab-%d", getpid());
	return tracefs_instance_exists(name);
}

/* Few events, whatever else the machine is doing. */
static const char *const events[] = { "filemap:mm_filemap_add_to_page_cache", NULL };

static void fill(struct record_options *o, unsigned int version)
{
	record_options_init(o);
	o->output = OUTPUT;
	o->events = events;
	o->file_version = version;
	o->sample_ms = 100;
	o->command = command;
}

/* Markers of the first and the last sample, and the counters between them. */
static void check_markers(const char *path)
{
	unsigned int before = 0, after = 0, counters = 0;
	struct counter_marker marker;
	struct source *source;
	struct event ev;
	struct rl_msg msg;

	assert_int_equal(source_open(path, &source, &msg), 0);
	while (source_next(source, &ev, &msg) > 0) {
		const struct event_string *text = &ev.string[print_buf];

		if (ev.id != VOCAB_print)
			continue;
		before += text->len >= 11 && !memcmp(text->text, "SNAP before", 11);
		after += text->len >= 10 && !memcmp(text->text, "SNAP after", 10);
		counters += counter_marker_parse(text->text, text->len, &marker);
	}
	source_close(source);
	assert_int_equal(before, 1);
	assert_int_equal(after, 1);
	assert_true(counters > 10);
}

static void check_file(const char *path, int version, uint64_t events)
{
	const struct tracedat_cpustat *stats;
	const struct tracedat_record *rec;
	struct tracedat *td;
	struct rl_msg msg;
	size_t count;
	uint64_t records = 0;

	assert_int_equal(tracedat_open(path, &td, &msg), 0);
	assert_int_equal(tracedat_version(td), version);
	assert_string_equal(tracedat_clock(td), "mono");
	stats = tracedat_cpustats(td, &count);
	assert_non_null(stats);
	assert_int_equal(count, sysconf(_SC_NPROCESSORS_CONF));
	while (tracedat_next(td, &rec) > 0)
		records++;
	assert_int_equal(records, events);
	tracedat_damages(td, &count);
	assert_int_equal(count, 0);
	tracedat_close(td);
}

static int64_t query(struct store *store, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t value;

	assert_int_equal(sqlite3_prepare_v2(store_db(store), sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

/* The counters that travel in the trace come out again, and so does what was recorded at all. */
static void check_import(const char *path)
{
	const struct import_options options = { 0 };
	struct import_result result;
	struct store *store;
	struct rl_msg msg = { "" };

	assert_int_equal(store_open("", STORE_SCRATCH, &store, &msg), 0);
	if (import_files(store, &path, 1, &options, &result, &msg))
		fail_msg("%s", msg.text);
	assert_int_equal(query(store, "SELECT count(*) FROM snapshot WHERE label = 'before'"), 1);
	assert_int_equal(query(store, "SELECT count(*) FROM snapshot WHERE label = 'after'"), 1);
	assert_int_equal(query(store, "SELECT count(*) FROM marker WHERE text LIKE 'RL1%'"), 0);
	assert_true(query(store, "SELECT count(*) FROM sample JOIN counter USING (counter) "
				 "WHERE source = 'vmstat' AND name = 'pgfault'") >= 2);
	assert_int_equal(query(store, "SELECT count(*) FROM coverage WHERE state = 'off' AND "
				      "event = 'mm_filemap_add_to_page_cache'"),
			 0);
	assert_int_equal(query(store, "SELECT count(*) FROM coverage WHERE state = 'off' AND "
				      "event = 'mm_filemap_fault'"),
			 query(store, "SELECT count(*) FROM coverage WHERE recorded_as <> '' AND "
				      "event = 'mm_filemap_fault'"));
	store_close(store);
}

/* trace-cmd prints a line an event behind the line that counts the CPUs. */
static void check_trace_cmd(const char *path, uint64_t events)
{
	char command_line[512];
	unsigned long long lines = 0;
	FILE *out;

	snprintf(command_line, sizeof(command_line), "trace-cmd report %s 2>/dev/null | grep -c .",
		 path);
	if (system("command -v trace-cmd >/dev/null"))
		return;
	out = popen(command_line, "r");
	assert_non_null(out);
	assert_int_equal(fscanf(out, "%llu", &lines), 1);
	pclose(out);
	assert_int_equal(lines, events + 1);
}

static void record_version(unsigned int version)
{
	struct record_options options;
	struct record_result result;
	struct rl_msg msg = { "" };

	fill(&options, version);
	if (record_run(&options, NULL, NULL, NULL, &result, &msg))
		fail_msg("%s", msg.text);
	assert_int_equal(result.left, 0);
	assert_true(result.events > 0);
	assert_int_equal(result.command_status, 0);
	assert_false(instances_left());
	check_file(OUTPUT, version, result.events);
	check_markers(OUTPUT);
	check_import(OUTPUT);
	check_trace_cmd(OUTPUT, result.events);
	remove_outputs();
}

static void v7_holds_every_event_that_was_read(void **state)
{
	if (!*state)
		skip();
	record_version(7);
}

static void v6_holds_every_event_that_was_read(void **state)
{
	if (!*state)
		skip();
	record_version(6);
}

/* Records of a file that may not be there yet. */
static uint64_t count_records(const char *path)
{
	const struct tracedat_record *rec;
	struct tracedat *td;
	struct rl_msg msg;
	uint64_t records = 0;

	if (tracedat_open(path, &td, &msg))
		return 0;
	while (tracedat_next(td, &rec) > 0)
		records++;
	tracedat_close(td);
	return records;
}

static void a_killed_recorder_leaves_a_readable_file(void **state)
{
	struct record_options options;
	struct record_result result;
	struct rl_msg msg;
	uint64_t records = 0;
	pid_t pid;

	if (!*state)
		skip();
	fill(&options, 7);
	options.command = NULL;
	options.preset = PRESET_PAGES;
	options.buffer_kb = 256;
	pid = fork();
	if (!pid) {
		record_run(&options, NULL, NULL, NULL, &result, &msg);
		_exit(0);
	}
	for (int i = 0; i < 60 && !records; i++) {
		assert_int_equal(system("head -c 4000000 /bin/sh /bin/bash >/dev/null 2>&1"), 0);
		sleep(1);
		records = count_records(OUTPUT ".v6.partial");
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	records = count_records(OUTPUT ".v6.partial");
	assert_true(records > 0);
	remove_outputs();
	/* The next recording removes what the killed one left in tracefs. */
	record_version(7);
	{
		char name[64];

		snprintf(name, sizeof(name), "reclaimlab-%d", pid);
		assert_false(tracefs_instance_exists(name));
	}
}

static void wrong_requests_leave_nothing(void **state)
{
	static const char *const unknown[] = { "vmscan:no_such_event", NULL };
	struct record_options options;
	struct record_result result;
	struct rl_msg msg;

	if (!*state)
		skip();
	fill(&options, 7);
	options.events = unknown;
	assert_int_equal(record_run(&options, NULL, NULL, NULL, &result, &msg), -ENOENT);
	assert_non_null(strstr(msg.text, "vmscan:no_such_event"));
	options.events = NULL;
	options.clock = "sundial";
	assert_int_equal(record_run(&options, NULL, NULL, NULL, &result, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "sundial"));
	assert_false(instances_left());
	assert_int_equal(access(OUTPUT, F_OK), -1);
	assert_int_equal(access(OUTPUT ".v6.partial", F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(v7_holds_every_event_that_was_read, can_record),
		cmocka_unit_test_setup(v6_holds_every_event_that_was_read, can_record),
		cmocka_unit_test_setup(a_killed_recorder_leaves_a_readable_file, can_record),
		cmocka_unit_test_setup(wrong_requests_leave_nothing, can_record),
	};

	return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
