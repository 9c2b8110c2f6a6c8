/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The split into demand and response, on real captures: evictions found in the events equal what
 * /proc/vmstat counted in the same window. Skipped where the captures are not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "replay/recording.h"

struct capture {
	const char *name;
	uint64_t file, anon; /* pgsteal_file, pgsteal_anon: vmstat.after less vmstat.before */
	uint64_t stalls;     /* allocstall, all zones */
};

static const struct capture captures[] = {
	{ "a_612_classic", 421238, 0, 1433 },
	{ "b_dirty3", 359618, 14103, 1699 },
	{ "c_swap_zipf", 102, 152146, 309 },
	{ "fz612_access", 73003, 0, 316 },
};

static void evictions_equal_the_counters(void **state)
{
	const struct capture *capture = *state;
	struct recording *rec = NULL;
	struct rl_msg msg;
	char path[512];
	const char *paths[] = { path };
	int64_t counted;

	snprintf(path, sizeof(path), RL_TRACES_DIR "/%s", capture->name);
	if (access(path, R_OK))
		skip();
	if (recording_open(paths, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	assert_true(rec->marked);
	assert_int_equal(rec->lost, 0);
	assert_int_equal(rec->counts.evicted_file, capture->file);
	assert_int_equal(rec->counts.evicted_anon, capture->anon);
	assert_int_equal(rec->response.stalls, capture->stalls);
	assert_true(recording_delta(rec, "pgsteal_kswapd", &counted));
	assert_int_equal(rec->response.steal[RESPONSE_KSWAPD], counted);
	assert_true(recording_delta(rec, "pgsteal_direct", &counted));
	assert_int_equal(rec->response.steal[RESPONSE_DIRECT], counted);
	assert_true(recording_delta(rec, "pgscan_kswapd", &counted));
	assert_int_equal(rec->response.scan[RESPONSE_KSWAPD], counted);
	assert_true(recording_delta(rec, "pgscan_direct", &counted));
	assert_int_equal(rec->response.scan[RESPONSE_DIRECT], counted);
	assert_true(recording_delta(rec, "pageoutrun", &counted));
	assert_int_equal(rec->response.wakes, counted);
	recording_free(rec);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	fclose(file);
}

/* Counters that a recorder wrote into the trace: the first sample whole, then what changed. */
static void counters_inside(void **state)
{
	static const char text[] =
		" cat-7 [000] .... 10.000000: tracing_mark_write: SNAP before\n"
		" cat-7 [000] .... 10.000100: tracing_mark_write: RL1 1 vmstat -|"
		"nr_free_pages 900;pgsteal_kswapd 5;pswpin 2\n"
		" cat-7 [000] .... 10.000200: tracing_mark_write: SNAPEND before\n"
		" cat-7 [000] .... 11.000000: tracing_mark_write: RL1 2 vmstat -|pgsteal_kswapd 40\n"
		" cat-7 [000] .... 12.000000: tracing_mark_write: SNAP after\n"
		" cat-7 [000] .... 12.000100: tracing_mark_write: RL1 3 vmstat -|"
		"nr_free_pages 800;pgsteal_kswapd 105;pswpin 2\n"
		" cat-7 [000] .... 12.000200: tracing_mark_write: SNAPEND after\n";
	const char *path = RL_BUILD_DIR "/test_recording_inside.txt";
	struct recording *rec = NULL;
	struct rl_msg msg;
	int64_t delta;

	write_file(path, text);
	if (recording_open(&path, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	assert_true(rec->marked);
	assert_int_equal(rec->end - rec->start, 2000000000);
	assert_int_equal(counter_set_vmstat(rec->before, "nr_free_pages", 0), 900);
	assert_true(recording_delta(rec, "pgsteal_kswapd", &delta));
	assert_int_equal(delta, 100);
	assert_true(recording_delta(rec, "pswpin", &delta));
	assert_int_equal(delta, 0);
	recording_free(rec);
	unlink(path);
}

/* Files beside the trace go before what it holds of the same kind; the other kinds count. */
static void counters_beside_and_inside(void **state)
{
	static const char text[] =
		" cat-7 [000] .... 10.000000: tracing_mark_write: SNAP before\n"
		" cat-7 [000] .... 10.000100: tracing_mark_write: RL1 1 vmstat -|"
		"nr_free_pages 900;pgsteal_kswapd 5\n"
		" cat-7 [000] .... 10.000110: tracing_mark_write: RL1 1 meminfo -|MemFree: 3600 kB\n"
		" cat-7 [000] .... 10.000200: tracing_mark_write: SNAPEND before\n"
		" cat-7 [000] .... 12.000000: tracing_mark_write: SNAP after\n"
		" cat-7 [000] .... 12.000200: tracing_mark_write: SNAPEND after\n";
	const char *dir = RL_BUILD_DIR "/test_recording_folder";
	const char *trace = RL_BUILD_DIR "/test_recording_folder/trace.txt";
	const char *vmstat = RL_BUILD_DIR "/test_recording_folder/vmstat.before";
	const char *after = RL_BUILD_DIR "/test_recording_folder/vmstat.after";
	struct recording *rec = NULL;
	struct rl_msg msg;
	int64_t delta;

	mkdir(dir, 0700);
	write_file(trace, text);
	write_file(vmstat, "nr_free_pages 901\nnr_zone_inactive_anon 7\npgsteal_kswapd 6\n");
	write_file(after, "nr_free_pages 900\nnr_zone_inactive_anon 7\npgsteal_kswapd 16\n");
	if (recording_open(&dir, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	assert_int_equal(counter_set_vmstat(rec->before, "nr_free_pages", 0), 901);
	assert_true(recording_delta(rec, "pgsteal_kswapd", &delta));
	assert_int_equal(delta, 10);
	assert_non_null(counter_set_scope(rec->before, "meminfo", 0));
	recording_free(rec);
	/* Files alone tell begin and end, markers or not. */
	write_file(trace, " cat-7 [000] .... 10.500000: tracing_mark_write: hello\n");
	if (recording_open(&dir, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	assert_false(rec->begin_unknown);
	assert_true(recording_delta(rec, "pgsteal_kswapd", &delta));
	recording_free(rec);
	unlink(trace);
	unlink(vmstat);
	unlink(after);
	rmdir(dir);
}

/*
 * The end of a flight recorder's file: changes, a complete sample at 11 s, changes, and the
 * complete one of the dump.
 */
#define CHANGES                                                                                    \
	" cat-7 [000] .... 10.500000: tracing_mark_write: RL1 5 vmstat -|nr_free_pages 700\n"
#define BASE                                                                                       \
	" cat-7 [000] .... 11.000000: tracing_mark_write: RL1 6 vmstat -|"                         \
	"nr_free_pages 690;pgsteal_kswapd 5\n"                                                     \
	" cat-7 [000] .... 11.000100: tracing_mark_write: RL1 6 zoneinfo -|"                       \
	"Node 0, zone    DMA32;pages free     690;managed  1000\n"                                 \
	" cat-7 [000] .... 12.000000: tracing_mark_write: RL1 7 vmstat -|pgsteal_kswapd 40\n"
#define DUMP                                                                                       \
	" cat-7 [000] .... 13.000000: tracing_mark_write: RL1 8 vmstat -|"                         \
	"nr_free_pages 650;pgsteal_kswapd 45\n"                                                    \
	" cat-7 [000] .... 13.000100: tracing_mark_write: RL1 8 zoneinfo -|"                       \
	"Node 0, zone    DMA32;pages free     650;managed  1000\n"                                 \
	" cat-7 [000] .... 13.000200: tracing_mark_write: DUMP the end\n"

static struct recording *recording_of(const char *text)
{
	const char *path = RL_BUILD_DIR "/test_recording_dump.txt";
	struct recording *rec = NULL;
	struct rl_msg msg;

	write_file(path, text);
	if (recording_open(&path, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	unlink(path);
	return rec;
}

static void a_dump_begins_with_its_first_complete_sample(void **state)
{
	struct recording *rec = recording_of(CHANGES BASE DUMP);
	int64_t delta;

	assert_true(rec->sampled);
	assert_int_equal(rec->start, 11000000000);
	assert_int_equal(rec->end, 13000000000);
	assert_int_equal(counter_set_vmstat(rec->before, "nr_free_pages", 0), 690);
	assert_true(recording_delta(rec, "pgsteal_kswapd", &delta));
	assert_int_equal(delta, 40);
	recording_free(rec);
}

/* Nothing is known to have grown where only the dump's own sample is left. */
static void a_dump_without_a_begin_has_its_end(void **state)
{
	struct recording *rec = recording_of(CHANGES DUMP);
	int64_t delta;

	assert_false(rec->sampled);
	assert_true(rec->begin_unknown);
	assert_int_equal(counter_set_vmstat(rec->before, "nr_free_pages", 0), 650);
	assert_false(recording_delta(rec, "pgsteal_kswapd", &delta));
	recording_free(rec);
}

/*
 * kswapd of the sample first wakes for one page of zone 0, at 4.410 s, and then looks for two pages
 * of any zone (kswapd_wake at 4.412 s: order 1, zid 3): that was asked before.
 */
static void an_older_request_of_kswapd(void **state)
{
	const char *path = RL_SAMPLES_DIR "/stream";
	struct recording *rec = NULL;
	struct rl_msg msg;

	if (recording_open(&path, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	assert_true(rec->kswapd_asked);
	assert_int_equal(rec->kswapd_order, 1);
	recording_free(rec);
}

int main(void)
{
	enum { CAPTURES = sizeof(captures) / sizeof(*captures) };
	struct CMUnitTest tests[CAPTURES + 5];

	tests[CAPTURES] = (struct CMUnitTest)cmocka_unit_test(counters_inside);
	tests[CAPTURES + 1] = (struct CMUnitTest)cmocka_unit_test(an_older_request_of_kswapd);
	tests[CAPTURES + 2] = (struct CMUnitTest)cmocka_unit_test(counters_beside_and_inside);
	tests[CAPTURES + 3] =
		(struct CMUnitTest)cmocka_unit_test(a_dump_begins_with_its_first_complete_sample);
	tests[CAPTURES + 4] =
		(struct CMUnitTest)cmocka_unit_test(a_dump_without_a_begin_has_its_end);
	for (size_t i = 0; i < CAPTURES; i++)
		tests[i] = (struct CMUnitTest){ .name = captures[i].name,
						.test_func = evictions_equal_the_counters,
						.initial_state = (void *)&captures[i] };
	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
