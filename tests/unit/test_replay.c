/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing replays with other costs, and stopping them; on the shipped recording. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "replay/replay.h"

#define NR 2

static struct recording *open_sample(void)
{
	const char *paths[] = { RL_SAMPLES_DIR "/stream" };
	struct recording *rec = NULL;
	struct rl_msg msg;

	if (recording_open(paths, 1, NULL, &rec, &msg))
		fail_msg("%s", msg.text);
	return rec;
}

/* Two variants whose members stall as often as @stalls says: variant, cost, member. */
static int ranking_of(const uint64_t stalls[2][REPLAY_COSTS][NR])
{
	struct run_result results[2][REPLAY_COSTS][NR] = { 0 };
	struct replay_variant variants[2] = { 0 };
	struct replay replay = {
		.ensemble = NR, .sensitivity = true, .variants = variants, .nr_variants = 2
	};

	for (int v = 0; v < 2; v++)
		for (int c = 0; c < REPLAY_COSTS; c++) {
			variants[v].results[c] = results[v][c];
			for (int i = 0; i < NR; i++)
				results[v][c][i].response.stalls = stalls[v][c][i];
		}
	return replay_ranking(&replay, 0, 1, GRADE_STALLS);
}

static void a_ranking_holds_with_every_cost_or_not_at_all(void **state)
{
	const uint64_t fewer[2][REPLAY_COSTS][NR] = { { { 10, 12 }, { 5, 6 }, { 20, 24 } },
						      { { 13, 15 }, { 7, 8 }, { 25, 30 } } };
	const uint64_t more[2][REPLAY_COSTS][NR] = { { { 13, 15 }, { 7, 8 }, { 25, 30 } },
						     { { 10, 12 }, { 5, 6 }, { 20, 24 } } };
	const uint64_t flips[2][REPLAY_COSTS][NR] = { { { 10, 12 }, { 9, 9 }, { 20, 24 } },
						      { { 13, 15 }, { 7, 8 }, { 25, 30 } } };
	const uint64_t meets[2][REPLAY_COSTS][NR] = { { { 10, 12 }, { 5, 7 }, { 20, 24 } },
						      { { 13, 15 }, { 7, 8 }, { 25, 30 } } };

	assert_int_equal(ranking_of(fewer), 1);
	assert_int_equal(ranking_of(more), -1);
	assert_int_equal(ranking_of(flips), 0);
	assert_int_equal(ranking_of(meets), 0);
}

/* As calibrated the answer is that of a replay without it; other costs give others. */
static void sensitivity_changes_the_costs_alone(void **state)
{
	struct recording *rec = open_sample();
	struct replay *plain = NULL, *replay = NULL;
	struct rl_msg msg;

	assert_int_equal(replay_new(rec, NR, false, NULL, &plain, &msg), 0);
	assert_int_equal(replay_new(rec, NR, true, NULL, &replay, &msg), 0);
	assert_int_equal(replay_run(plain, 2, NULL, &msg), 0);
	assert_int_equal(replay_run(replay, 2, NULL, &msg), 0);
	assert_null(plain->variants[0].results[1]);
	for (int i = 0; i < NR; i++) {
		const struct replay_variant *v = &replay->variants[0];

		for (int c = 0; c < REPLAY_COSTS; c++) {
			assert_int_equal(v->results[c][i].error, 0);
			assert_int_equal(v->results[c][i].records, v->results[0][i].records);
		}
		assert_int_equal(v->results[0][i].hash, plain->variants[0].results[0][i].hash);
		assert_int_not_equal(v->results[1][i].hash, v->results[0][i].hash);
		assert_int_not_equal(v->results[2][i].hash, v->results[0][i].hash);
		assert_int_not_equal(v->results[2][i].hash, v->results[1][i].hash);
	}
	replay_free(replay);
	replay_free(plain);
	recording_free(rec);
}

static int refuse(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	return 1;
}

static void a_replay_stops_when_told(void **state)
{
	const struct rl_progress stop = { .report = refuse };
	struct recording *rec = open_sample();
	struct replay *replay = NULL;
	struct run_result result;
	struct run_job job;
	struct rl_msg msg;
	int now = 1;

	assert_int_equal(replay_new(rec, NR, false, &stop, &replay, &msg), -EINTR);
	assert_null(replay);
	assert_int_equal(replay_new(rec, NR, false, NULL, &replay, &msg), 0);
	assert_int_equal(replay_run(replay, 1, &stop, &msg), -EINTR);
	replay_job(replay, 0, 0, &job);
	job.stop = &now;
	run_one(&job, &result);
	assert_int_equal(result.error, -EINTR);
	assert_int_equal(result.records, 0);
	run_result_clear(&result);
	replay_free(replay);
	recording_free(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ranking_holds_with_every_cost_or_not_at_all),
		cmocka_unit_test(sensitivity_changes_the_costs_alone),
		cmocka_unit_test(a_replay_stops_when_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
