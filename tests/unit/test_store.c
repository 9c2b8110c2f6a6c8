/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
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

#include "sql/store.h"

#define TABLE_OF(event) ((unsigned int)store_event_table(VOCAB_##event))

static char folder[] = "/tmp/reclaimlab-store-XXXXXX";

static const char *in_folder(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const void *data, size_t size)
{
	FILE *f = fopen(in_folder(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static unsigned int files_in_folder(void)
{
	unsigned int nr = 0;
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !remove(in_folder(entry->d_name)))
			nr++;
	closedir(dir);
	return nr;
}

static int set_up(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int clean(void **state)
{
	files_in_folder();
	return 0;
}

static int tear_down(void **state)
{
	return rmdir(folder);
}

static int64_t ask(struct store *store, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t value;

	if (sqlite3_prepare_v2(store_db(store), sql, -1, &stmt, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(store_db(store)));
	if (sqlite3_step(stmt) != SQLITE_ROW)
		fail_msg("%s: %s", sql, sqlite3_errmsg(store_db(store)));
	value = sqlite3_column_type(stmt, 0) == SQLITE_NULL ? STORE_NULL
							    : sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static struct store *open_store(const char *name, unsigned int flags)
{
	struct rl_msg msg;
	struct store *store;

	if (store_open(name ? in_folder(name) : NULL, flags, &store, &msg))
		fail_msg("%s", msg.text);
	return store;
}

/* A run of @nr page frees, 10 ns apart from @start, and two throttles. */
static void put_run(struct store *store, unsigned int nr, uint64_t start)
{
	const struct store_run info = { .kind = "recorded",
					.source = "a.dat",
					.clock = "mono",
					.time_known = true,
					.parent = STORE_NULL,
					.seed = STORE_NULL };
	int64_t value[32];
	int64_t run;
	struct rl_msg msg;

	assert_int_equal(store_run_begin(store, &info, &run, &msg), 0);
	for (unsigned int i = 0; i < nr; i++) {
		value[STORE_TS] = (int64_t)start + 10 * i;
		value[STORE_CPU] = i % 2;
		value[STORE_TASK] = i % 3 ? (int64_t)(i % 3) : STORE_NULL;
		value[STORE_NR_COMMON + mm_page_free_pfn] = 1000 + i;
		value[STORE_NR_COMMON + mm_page_free_order] = i % 7 ? 0 : 9;
		assert_int_equal(store_put(store, TABLE_OF(mm_page_free), value, &msg), 0);
	}
	for (unsigned int i = 0; i < 2; i++) {
		for (unsigned int c = 0; c < store_throttle_nr; c++)
			value[c] = STORE_NULL;
		value[STORE_TS] = (int64_t)start + i;
		value[store_throttle_delayed] = 4000 * (i + 1);
		value[store_throttle_reason] = 1;
		assert_int_equal(store_put(store, STORE_TABLE_throttle, value, &msg), 0);
	}
	assert_int_equal(store_run_end(store, start, start + 10 * (uint64_t)nr, &msg), 0);
}

static void check_run(struct store *store, int64_t run, unsigned int nr)
{
	char sql[256];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM page_free WHERE run = %d", (int)run);
	assert_int_equal(ask(store, sql), nr);
	snprintf(sql, sizeof(sql), "SELECT sum(pfn) FROM page_free WHERE run = %d", (int)run);
	assert_int_equal(ask(store, sql), 1000 * (int64_t)nr + (int64_t)nr * (nr - 1) / 2);
	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM page_free WHERE run = %d AND \"order\" = 9", (int)run);
	assert_int_equal(ask(store, sql), (nr + 6) / 7);
	snprintf(sql, sizeof(sql), "SELECT count(*) FROM page_free WHERE run = %d AND task IS NULL",
		 (int)run);
	assert_int_equal(ask(store, sql), (nr + 2) / 3);
	snprintf(sql, sizeof(sql), "SELECT sum(delayed) FROM throttle WHERE run = %d", (int)run);
	assert_int_equal(ask(store, sql), 12000);
}

static void a_created_database_holds_its_rows(void **state)
{
	struct store *store = open_store("a.db", STORE_CREATE);
	struct rl_msg msg;

	put_run(store, 40000, 1000);
	assert_int_not_equal(access(in_folder("a.db"), F_OK), 0);
	assert_int_equal(store_commit(store, &msg), 0);
	check_run(store, 1, 40000);
	store_close(store);
	store = open_store("a.db", STORE_READ);
	check_run(store, 1, 40000);
	assert_int_equal(ask(store, "SELECT start FROM run"), 1000);
	assert_int_equal(ask(store, "SELECT end FROM focus"), 401001);
	assert_int_equal(ask(store, "PRAGMA user_version"), STORE_USER_VERSION);
	assert_int_equal(ask(store, "PRAGMA application_id"), STORE_APPLICATION);
	store_close(store);
	assert_int_equal(files_in_folder(), 1);
}

static void what_is_not_committed_is_gone(void **state)
{
	struct store *store = open_store("a.db", STORE_CREATE);

	put_run(store, 100, 0);
	store_close(store);
	assert_int_equal(files_in_folder(), 0);
}

static void append_adds_runs_or_nothing(void **state)
{
	struct store *store = open_store("a.db", STORE_APPEND);
	struct rl_msg msg;

	put_run(store, 20000, 0);
	assert_int_equal(store_commit(store, &msg), 0);
	store_close(store);

	store = open_store("a.db", STORE_APPEND);
	put_run(store, 50000, 7);
	store_close(store);

	store = open_store("a.db", STORE_APPEND);
	put_run(store, 30000, 7);
	put_run(store, 10, 7);
	assert_int_equal(store_commit(store, &msg), 0);
	store_close(store);

	store = open_store("a.db", STORE_READ);
	assert_int_equal(ask(store, "SELECT count(*) FROM run"), 3);
	check_run(store, 1, 20000);
	check_run(store, 2, 30000);
	check_run(store, 3, 10);
	store_close(store);
	assert_int_equal(files_in_folder(), 1);
}

static void append_and_die(void)
{
	struct store *store = open_store("a.db", STORE_APPEND);

	/* With so little memory the file itself has changed long before the end. */
	sqlite3_exec(store_db(store), "PRAGMA cache_size = 10", NULL, NULL, NULL);
	put_run(store, 200000, 7);
	kill(getpid(), SIGKILL);
}

static void a_killed_append_leaves_what_was_there(void **state)
{
	struct store *store = open_store("a.db", STORE_CREATE);
	struct rl_msg msg;
	pid_t child;

	put_run(store, 20000, 0);
	assert_int_equal(store_commit(store, &msg), 0);
	store_close(store);
	child = fork();
	if (!child)
		append_and_die();
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(access(in_folder("a.db-journal"), F_OK), 0);
	store = open_store("a.db", STORE_READ);
	assert_int_equal(ask(store, "SELECT count(*) FROM run"), 1);
	check_run(store, 1, 20000);
	store_close(store);
}

static void scratch_keeps_every_table_in_columns(void **state)
{
	struct store *store = open_store(NULL, STORE_SCRATCH);

	put_run(store, 20000, 5);
	check_run(store, 1, 20000);
	assert_int_equal(ask(store, "SELECT count(*) FROM column_block WHERE tab = 'throttle'"), 1);
	store_close(store);
}

static void a_window_is_put_over_a_database_that_is_only_read(void **state)
{
	struct store *store = open_store("a.db", STORE_CREATE);
	struct rl_msg msg;

	put_run(store, 10, 5);
	assert_int_equal(store_commit(store, &msg), 0);
	assert_int_equal(store_temp_views(store, &msg), 0);
	assert_int_equal(sqlite3_exec(store_db(store), "UPDATE temp.focus SET end = 6", 0, 0, 0),
			 0);
	assert_int_equal(ask(store, "SELECT end FROM focus"), 6);
	assert_int_equal(ask(store, "SELECT end FROM main.focus"), 106);
	assert_int_equal(sqlite3_exec(store_db(store), "DELETE FROM run", 0, 0, 0),
			 SQLITE_READONLY);
	store_close(store);
}

static void symbols_are_kept_once_and_escaped(void **state)
{
	struct store *store = open_store(NULL, STORE_SCRATCH);
	int64_t one = store_symbol(store, "shrink_slab", 11);

	assert_true(one > 0);
	assert_int_equal(store_symbol(store, "shrink_slabXX", 11), one);
	assert_int_not_equal(store_symbol(store, "shrink_slabXX", 12), one);
	assert_true(store_symbol(store, "a\xff\xc3\xa4\0z", 6) > 0);
	assert_int_equal(
		ask(store, "SELECT count(*) FROM symbol WHERE text = 'a\\xff\u00e4\\x00z'"), 1);
	store_close(store);
}

static void refused(const char *name, unsigned int flags, int err, const char *part)
{
	struct store *store = (struct store *)1;
	struct rl_msg msg = { "" };

	assert_int_equal(store_open(in_folder(name), flags, &store, &msg), -err);
	assert_null(store);
	if (!strstr(msg.text, part) || !strstr(msg.text, name))
		fail_msg("'%s' does not say '%s'", msg.text, part);
}

static void change_header(const char *name, long at, unsigned char byte)
{
	FILE *f = fopen(in_folder(name), "r+");

	assert_non_null(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	assert_int_equal(fputc(byte, f), byte);
	assert_int_equal(fclose(f), 0);
}

static void other_files_are_refused_in_words(void **state)
{
	struct rl_msg msg;
	struct store *store;
	sqlite3 *db;

	refused("none.db", STORE_READ, ENOENT, "No such file");
	write_file("empty.db", "", 0);
	refused("empty.db", STORE_READ, EINVAL, "is empty");
	write_file("text.db", "# tracer: nop\n", 14);
	refused("text.db", STORE_READ, EINVAL, "text");
	refused("text.db", STORE_CREATE, EINVAL, "will not be replaced");
	write_file("trace.dat", "\x17\x08\x44tracing6\0", 12);
	refused("trace.dat", STORE_READ, EINVAL, "import it first");
	refused("trace.dat", STORE_APPEND, EINVAL, "import it first");
	refused("trace.dat", STORE_CREATE, EINVAL, "is a trace.dat and will not be replaced");
	assert_int_equal(mkdir(in_folder("dir.db"), 0700), 0);
	refused("dir.db", STORE_READ, EISDIR, "directory");
	refused("dir.db", STORE_CREATE, EISDIR, "directory");
	refused("no/where.db", STORE_CREATE, ENOENT, "No such file");
	assert_int_equal(sqlite3_open(in_folder("other.db"), &db), 0);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE run (run)", 0, 0, 0), 0);
	sqlite3_close(db);
	refused("other.db", STORE_READ, EINVAL, "another program");

	store = open_store("a.db", STORE_CREATE);
	assert_int_equal(store_commit(store, &msg), 0);
	store_close(store);
	change_header("a.db", 63, STORE_USER_VERSION + 1);
	refused("a.db", STORE_READ, EPROTO, "use a newer reclaimlab");
	refused("a.db", STORE_APPEND, EPROTO, "version 2, this program reads version 1");
	change_header("a.db", 63, 0);
	refused("a.db", STORE_READ, EPROTO, "import its recordings again");
	/* A new database may replace one of another version. */
	store_close(open_store("a.db", STORE_CREATE));
}

static void leftovers_of_a_killed_import_are_removed(void **state)
{
	struct store *living = open_store("a.db", STORE_CREATE);
	struct store *store;
	struct rl_msg msg;

	write_file("a.db.partial-ABCDEF", "x", 1);
	store = open_store("a.db", STORE_CREATE);
	assert_int_not_equal(access(in_folder("a.db.partial-ABCDEF"), F_OK), 0);
	assert_int_equal(store_commit(living, &msg), 0);
	store_close(store);
	store_close(living);
	assert_int_equal(files_in_folder(), 1);
}

static void a_link_stays_a_link(void **state)
{
	struct stat st;
	struct store *store;
	struct rl_msg msg;
	char target[512];

	store = open_store("real.db", STORE_CREATE);
	assert_int_equal(store_commit(store, &msg), 0);
	store_close(store);
	snprintf(target, sizeof(target), "%s", in_folder("real.db"));
	assert_int_equal(symlink(target, in_folder("link.db")), 0);
	store = open_store("link.db", STORE_CREATE);
	put_run(store, 10, 0);
	assert_int_equal(store_commit(store, &msg), 0);
	store_close(store);
	assert_int_equal(lstat(in_folder("link.db"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	store = open_store("real.db", STORE_READ);
	check_run(store, 1, 10);
	store_close(store);
}

/* Every table has a name of its own, the common columns, and no column twice. */
static void definitions_are_sound(void **state)
{
	const struct store_table_def *def;

	for (unsigned int t = 0; (def = store_table_at(t)); t++) {
		assert_true(def->nr_columns > STORE_NR_COMMON && def->nr_columns <= 64);
		assert_string_equal(def->column[STORE_TASK].name, "task");
		for (unsigned int u = 0; u < t; u++)
			assert_string_not_equal(def->name, store_table_at(u)->name);
		for (unsigned int i = 0; i < def->nr_columns; i++) {
			assert_true(*def->column[i].doc);
			for (unsigned int j = 0; j < i; j++)
				assert_string_not_equal(def->column[i].name, def->column[j].name);
		}
	}
	assert_string_equal(store_table_at(STORE_TABLE_scan)->name, "scan");
	assert_int_equal(store_scan_nr, store_table_at(STORE_TABLE_scan)->nr_columns);
	assert_string_equal(store_table_at(TABLE_OF(mm_page_free))->name, "page_free");
	assert_true(store_table_at(TABLE_OF(mm_page_free))->columns);
	assert_int_equal(store_event_table(VOCAB_mm_vmscan_kswapd_wake), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_created_database_holds_its_rows, clean),
		cmocka_unit_test_teardown(what_is_not_committed_is_gone, clean),
		cmocka_unit_test_teardown(append_adds_runs_or_nothing, clean),
		cmocka_unit_test_teardown(a_killed_append_leaves_what_was_there, clean),
		cmocka_unit_test_teardown(scratch_keeps_every_table_in_columns, clean),
		cmocka_unit_test_teardown(a_window_is_put_over_a_database_that_is_only_read, clean),
		cmocka_unit_test_teardown(symbols_are_kept_once_and_escaped, clean),
		cmocka_unit_test_teardown(other_files_are_refused_in_words, clean),
		cmocka_unit_test_teardown(leftovers_of_a_killed_import_are_removed, clean),
		cmocka_unit_test_teardown(a_link_stays_a_link, clean),
		cmocka_unit_test(definitions_are_sound),
	};

	return cmocka_run_group_tests_name("store", tests, set_up, tear_down);
}
