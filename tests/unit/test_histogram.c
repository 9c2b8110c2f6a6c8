/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sql/ingest_histogram.h"

#define WAKE_MARKER "RL1 9 hist wake|{ common_pid:         42, nid:  0, order:  0 } hitcount:  2"

struct bench {
	struct store *store;
	struct ingest *ingest;
	struct rl_msg msg;
};

static void must(struct bench *b, int ret)
{
	if (ret)
		fail_msg("%s", b->msg.text);
}

static int begin(void **state)
{
	static struct bench bench;
	const struct store_run run = { .kind = "recorded",
				       .source = "test",
				       .form = "test",
				       .kernel = "",
				       .machine = "",
				       .clock = "mono",
				       .time_known = true,
				       .parent = STORE_NULL,
				       .seed = STORE_NULL };
	struct bench *b = &bench;
	int64_t number;

	memset(b, 0, sizeof(*b));
	must(b, store_open("", STORE_SCRATCH, &b->store, &b->msg));
	must(b, store_run_begin(b->store, &run, &number, &b->msg));
	must(b, ingest_open(b->store, number, &b->ingest, &b->msg));
	*state = b;
	return 0;
}

static int end(void **state)
{
	struct bench *b = *state;

	ingest_close(b->ingest);
	store_close(b->store);
	return 0;
}

static void take(struct bench *b, const char *text)
{
	const struct event ev = { .id = VOCAB_print, .pid = 7, .cpu = 0, .ts = 5000 };
	struct counter_marker marker;

	assert_true(counter_marker_parse(text, strlen(text), &marker));
	assert_true(ingest_histogram_is(&marker));
	must(b, ingest_histogram(b->ingest, &marker, &ev, &b->msg));
}

static void close_run(struct bench *b)
{
	uint64_t start, stop;

	must(b, ingest_finish(b->ingest, &start, &stop, &b->msg));
	must(b, store_run_end(b->store, 0, 10000, &b->msg));
}

static int64_t query(struct bench *b, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t value;

	assert_int_equal(sqlite3_prepare_v2(store_db(b->store), sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static void stalls_keep_count_and_total(void **state)
{
	struct bench *b = *state;

	take(b, "RL1 9 hist stall-direct|"
		"{ order:          0, lat: ~ 2^19 } hitcount:          6  lat:    1868264;"
		"{ order:          3, lat: ~ 2^7  } hitcount:         26  lat:       3048;");
	close_run(b);
	assert_int_equal(query(b, "SELECT count(*) FROM reclaim WHERE \"order\" = 0"), 6);
	assert_int_equal(query(b, "SELECT sum(dur) FROM reclaim WHERE \"order\" = 0"), 1868264000);
	assert_int_equal(query(b, "SELECT sum(dur) FROM reclaim WHERE \"order\" = 3"), 3048000);
	assert_int_equal(query(b, "SELECT max(dur) - min(dur) FROM reclaim WHERE \"order\" = 0"),
			 1000);
}

static void throttles_keep_every_delay(void **state)
{
	struct bench *b = *state;

	take(b, WAKE_MARKER);
	take(b, "RL1 9 hist throttle|"
		"{ common_pid: 42, reason: 1, usec_delayed: 100000 } hitcount: 13  usec_timeout: "
		"1300000;{ common_pid: 42, reason: 1, usec_delayed: 0 } hitcount: 1  usec_timeout: "
		"100000");
	close_run(b);
	assert_int_equal(query(b, "SELECT sum(delayed) FROM throttle"), 1300000);
	assert_int_equal(query(b, "SELECT count(*) FROM throttle WHERE delayed = timeout"), 13);
	assert_int_equal(query(b, "SELECT min(timeout) FROM throttle"), 100000);
	assert_int_equal(query(b, "SELECT min(actor) FROM throttle"), STORE_KSWAPD);
	assert_int_equal(query(b, "SELECT count(*) FROM kswapd_cycle"), 2);
}

static void scans_keep_their_sums_by_actor(void **state)
{
	struct bench *b = *state;

	take(b, WAKE_MARKER);
	take(b, "RL1 9 hist scan|"
		"{ common_pid: 42, lru: 2 } hitcount: 3  nr_scanned: 95  nr_taken: 90;"
		"{ common_pid: 99, lru: 0 } hitcount: 1  nr_scanned: 32  nr_taken: 32");
	take(b, "RL1 9 hist reclaim|"
		"{ common_pid: 42, reclaim_flags: 10 } hitcount: 2  nr_reclaimed: 61");
	close_run(b);
	assert_int_equal(query(b, "SELECT sum(scanned) FROM scan WHERE actor = 0"), 95);
	assert_int_equal(query(b, "SELECT sum(reclaimed) FROM scan WHERE actor = 0"), 61);
	assert_int_equal(query(b, "SELECT sum(scanned) FROM scan WHERE actor = 1"), 32);
	assert_int_equal(query(b, "SELECT max(lru) FROM scan WHERE reclaimed IS NOT NULL"), 2);
}

static void what_the_kernel_dropped_is_a_loss(void **state)
{
	struct bench *b = *state;

	take(b, "RL1 9 hist scan|Dropped: 17");
	take(b, "RL1 9 hist throttle|Dropped: 0");
	close_run(b);
	assert_int_equal(query(b, "SELECT sum(count) FROM loss WHERE kind = 'dropped'"), 17);
}

static void damaged_lines_are_passed_over(void **state)
{
	struct bench *b = *state;

	take(b, "RL1 9 hist scan|{ common_pid: };{ lru: 2 };;{;} hitcount: 3;{ a: 1 } hitcount: -4;"
		"{ common_pid: 99999999999999999999, lru: 2 } hitcount: 1;"
		"{ lru: 2 } hitcount: 99999999999 nr_scanned: 5");
	take(b, "RL1 9 hist nobody-knows|{ a: 1 } hitcount: 2");
	close_run(b);
	/* The last line counts more hits than are made rows of: one row with the sum. */
	assert_int_equal(query(b, "SELECT count(*) FROM scan"), 1);
	assert_int_equal(query(b, "SELECT sum(scanned) FROM scan"), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stalls_keep_count_and_total, begin, end),
		cmocka_unit_test_setup_teardown(throttles_keep_every_delay, begin, end),
		cmocka_unit_test_setup_teardown(scans_keep_their_sums_by_actor, begin, end),
		cmocka_unit_test_setup_teardown(what_the_kernel_dropped_is_a_loss, begin, end),
		cmocka_unit_test_setup_teardown(damaged_lines_are_passed_over, begin, end),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
