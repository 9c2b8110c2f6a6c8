/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "sql/store.h"

#define EXTENSION RL_BUILD_DIR "/../../reclaimlab"

static char path[] = "/tmp/reclaimlab-extension-XXXXXX";

static int make_database(void **state)
{
	const struct store_run info = {
		.kind = "recorded", .source = "", .parent = STORE_NULL, .seed = STORE_NULL
	};
	int64_t value[STORE_NR_COMMON + mm_page_free_nr_slots] = { 0 };
	struct store *store;
	struct rl_msg msg;
	int64_t run;
	int fd = mkstemp(path);

	if (fd < 0 || close(fd) || store_open(path, STORE_CREATE, &store, &msg) ||
	    store_run_begin(store, &info, &run, &msg))
		return -1;
	for (int i = 1; i <= 1000; i++) {
		value[STORE_TS] = i;
		value[STORE_NR_COMMON + mm_page_free_order] = i % 4;
		if (store_put(store, (unsigned int)store_event_table(VOCAB_mm_page_free), value,
			      &msg))
			return -1;
	}
	if (store_run_end(store, 1, 1000, &msg) || store_commit(store, &msg))
		return -1;
	store_close(store);
	return 0;
}

static int remove_database(void **state)
{
	return unlink(path);
}

/* As any program with SQLite does it: nothing of ours but what the extension brings. */
static void a_stranger_reads_the_database(void **state)
{
	char *error = NULL;
	sqlite3_stmt *stmt;
	sqlite3 *db;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), 0);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT 1 FROM throttle", -1, &stmt, NULL), 0);
	sqlite3_finalize(stmt);
	assert_int_not_equal(sqlite3_prepare_v2(db, "SELECT 1 FROM page_free", -1, &stmt, NULL), 0);
	assert_int_equal(sqlite3_enable_load_extension(db, 1), 0);
	if (sqlite3_load_extension(db, EXTENSION, NULL, &error))
		fail_msg("%s", error);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT sum(1 << \"order\"), median(ts), "
					    "gfp_has(65536, 'NORETRY'), 'a' REGEXP '^a$' FROM "
					    "page_free WHERE ts > 200",
					    -1, &stmt, NULL),
			 0);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	/* 800 rows, the four orders in equal parts: 200 x (1 + 2 + 4 + 8) */
	assert_int_equal(sqlite3_column_int(stmt, 0), 3000);
	assert_true(sqlite3_column_double(stmt, 1) == 600.5);
	assert_int_equal(sqlite3_column_int(stmt, 2), 1);
	assert_int_equal(sqlite3_column_int(stmt, 3), 1);
	sqlite3_finalize(stmt);
	assert_int_equal(sqlite3_close(db), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_stranger_reads_the_database, make_database,
						remove_database),
	};

	return cmocka_run_group_tests_name("extension", tests, NULL, NULL);
}
