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

int main(void)
{
	struct CMUnitTest tests[sizeof(captures) / sizeof(*captures)];

	for (size_t i = 0; i < sizeof(captures) / sizeof(*captures); i++)
		tests[i] = (struct CMUnitTest){ .name = captures[i].name,
						.test_func = evictions_equal_the_counters,
						.initial_state = (void *)&captures[i] };
	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
