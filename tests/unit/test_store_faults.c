/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What if memory or the disk fails, at whatever moment? A database is written again and again while
 * the n-th allocation of SQLite, or the n-th write to a file, fails, for growing n. Each time there
 * must be an error with words or a whole database, never half a one, a leftover or a crash.
 */
#include <dirent.h>
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

#include "sql/store.h"

#define ROWS 40000 /* some blocks, more than the page cache of a test holds unwritten */

static char folder[] = "/tmp/reclaimlab-faults-XXXXXX";
static char path[300];

/* Counts down to the failure; 0: nothing fails. */
static struct {
	uint64_t memory;
	uint64_t disk;
	bool fired;
} fault;

static sqlite3_mem_methods real_memory;
static sqlite3_vfs *real_vfs;
static sqlite3_vfs faulty_vfs;

/* SQLite has other methods for the database than for its journals, which need no locks. */
enum { DATABASE, JOURNAL, NR_FILES };
static const sqlite3_io_methods *real_io[NR_FILES];
static sqlite3_io_methods faulty_io[NR_FILES];

static bool fails(uint64_t *count)
{
	if (!*count || --*count)
		return false;
	fault.fired = true;
	return true;
}

static void *faulty_malloc(int size)
{
	return fails(&fault.memory) ? NULL : real_memory.xMalloc(size);
}

static void *faulty_realloc(void *p, int size)
{
	return fails(&fault.memory) ? NULL : real_memory.xRealloc(p, size);
}

static const sqlite3_io_methods *real_io_of(const sqlite3_file *file)
{
	return real_io[file->pMethods - faulty_io];
}

static int faulty_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 at)
{
	return fails(&fault.disk) ? SQLITE_FULL : real_io_of(file)->xWrite(file, data, size, at);
}

static int faulty_sync(sqlite3_file *file, int flags)
{
	return fails(&fault.disk) ? SQLITE_IOERR_FSYNC : real_io_of(file)->xSync(file, flags);
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	return fails(&fault.disk) ? SQLITE_IOERR_TRUNCATE : real_io_of(file)->xTruncate(file, size);
}

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	int kind = flags & SQLITE_OPEN_MAIN_DB ? DATABASE : JOURNAL;
	int rc = real_vfs->xOpen(real_vfs, name, file, flags, out);

	if (rc || !file->pMethods)
		return rc;
	real_io[kind] = file->pMethods;
	faulty_io[kind] = *file->pMethods;
	faulty_io[kind].xWrite = faulty_write;
	faulty_io[kind].xSync = faulty_sync;
	faulty_io[kind].xTruncate = faulty_truncate;
	file->pMethods = &faulty_io[kind];
	return rc;
}

static int set_up(void **state)
{
	sqlite3_mem_methods memory;

	if (!mkdtemp(folder) || sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory))
		return -1;
	memory = real_memory;
	memory.xMalloc = faulty_malloc;
	memory.xRealloc = faulty_realloc;
	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) ||
	    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) || sqlite3_initialize())
		return -1;
	real_vfs = sqlite3_vfs_find(NULL);
	faulty_vfs = *real_vfs;
	faulty_vfs.zName = "faulty";
	faulty_vfs.xOpen = faulty_open;
	snprintf(path, sizeof(path), "%s/run.db", folder);
	return sqlite3_vfs_register(&faulty_vfs, 1);
}

static int tear_down(void **state)
{
	unlink(path);
	return rmdir(folder);
}

/* One run of ROWS page frees and three throttles into @store. */
static int write_run(struct store *store, struct rl_msg *msg)
{
	const struct store_run info = {
		.kind = "recorded", .source = "a.dat", .parent = STORE_NULL, .seed = STORE_NULL
	};
	unsigned int table = (unsigned int)store_event_table(VOCAB_mm_page_free);
	int64_t value[32] = { 0 };
	int64_t run;
	int err = store_run_begin(store, &info, &run, msg);

	for (int i = 0; i < ROWS && !err; i++) {
		value[STORE_TS] = i;
		value[STORE_NR_COMMON + mm_page_free_pfn] = (int64_t)i * i * 7919 % 1000003;
		err = store_put(store, table, value, msg);
	}
	for (int i = 0; i < 3 && !err; i++) {
		value[STORE_TS] = i;
		err = store_put(store, STORE_TABLE_throttle, value, msg);
	}
	if (!err && store_symbol(store, "shrink", 6) < 0)
		err = rl_fail(msg, ENOMEM, "symbol");
	if (!err)
		err = store_run_end(store, 0, ROWS, msg);
	return err;
}

static int write_database(unsigned int flags, struct rl_msg *msg)
{
	struct store *store;
	int err = store_open(path, flags, &store, msg);

	if (err)
		return err;
	err = write_run(store, msg);
	if (!err)
		err = store_commit(store, msg);
	store_close(store);
	return err;
}

static int64_t ask(struct store *store, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t value;

	assert_int_equal(sqlite3_prepare_v2(store_db(store), sql, -1, &stmt, NULL), 0);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

/* The database holds @runs whole runs. */
static void check_database(int64_t runs)
{
	struct store *store;
	struct rl_msg msg;

	if (store_open(path, STORE_READ, &store, &msg))
		fail_msg("%s", msg.text);
	assert_int_equal(ask(store, "SELECT count(*) FROM run WHERE end IS NOT NULL"), runs);
	assert_int_equal(ask(store, "SELECT count(*) FROM run"), runs);
	assert_int_equal(ask(store, "SELECT count(pfn) FROM page_free"), runs * ROWS);
	assert_int_equal(ask(store, "SELECT count(*) FROM throttle"), runs * 3);
	store_close(store);
}

static unsigned int files(void)
{
	unsigned int nr = 0;
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	return nr;
}

static int write_with(uint64_t *count, uint64_t n, unsigned int flags, struct rl_msg *msg)
{
	int err;

	msg->text[0] = '\0';
	fault.fired = false;
	*count = n;
	err = write_database(flags, msg);
	*count = 0;
	return err;
}

/* For growing @n until nothing fails any more; steps of a few per cent. */
static void create_with(uint64_t *count)
{
	unsigned int errors = 0;
	struct rl_msg msg;

	for (uint64_t n = 1;; n += 1 + n / 16) {
		int err = write_with(count, n, STORE_CREATE, &msg);

		if (err) {
			errors++;
			assert_true(msg.text[0]);
			/* What failed behind the rename left a whole database. */
			assert_in_range(files(), 0, 1);
			if (files())
				check_database(1);
		} else {
			assert_int_equal(files(), 1);
			check_database(1);
		}
		unlink(path);
		if (!fault.fired)
			break;
	}
	assert_true(errors > 3);
}

static void append_with(uint64_t *count)
{
	int64_t runs = 1;
	unsigned int errors = 0;
	struct rl_msg msg;

	assert_int_equal(write_database(STORE_CREATE, &msg), 0);
	for (uint64_t n = 1;; n += 1 + n / 16) {
		int err = write_with(count, n, STORE_APPEND, &msg);

		if (err) {
			errors++;
			assert_true(msg.text[0]);
		} else {
			runs++;
		}
		check_database(runs);
		assert_int_equal(files(), 1);
		if (!fault.fired)
			break;
	}
	assert_true(errors > 3);
	unlink(path);
}

static void a_new_database_when_memory_fails(void **state)
{
	create_with(&fault.memory);
}

static void a_new_database_when_the_disk_fails(void **state)
{
	create_with(&fault.disk);
}

static void appending_when_memory_fails(void **state)
{
	append_with(&fault.memory);
}

static void appending_when_the_disk_fails(void **state)
{
	append_with(&fault.disk);
}

static void a_full_disk_is_called_so(void **state)
{
	struct rl_msg msg;

	assert_int_equal(write_with(&fault.disk, 1, STORE_CREATE, &msg), -ENOSPC);
	assert_non_null(strstr(msg.text, "full"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_database_when_memory_fails),
		cmocka_unit_test(a_new_database_when_the_disk_fails),
		cmocka_unit_test(appending_when_memory_fails),
		cmocka_unit_test(appending_when_the_disk_fails),
		cmocka_unit_test(a_full_disk_is_called_so),
	};

	return cmocka_run_group_tests_name("store_faults", tests, set_up, tear_down);
}
