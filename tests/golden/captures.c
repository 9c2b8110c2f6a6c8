/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * captures NAME: a shared capture, imported as a folder, against figures that were counted from its
 * /proc/vmstat and by hand. Every counter that the trace can tell exactly must be told exactly.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sql/import.h"

#define SKIPPED 77

/* One figure: a query with one number, and the number. */
struct figure {
	const char *capture; /* NULL: every one */
	const char *sql;
	int64_t expected;
};

#define RECONCILED(what) "SELECT trace FROM reconcile WHERE what = '" what "'"
#define COUNTED(what)	 "SELECT counter FROM reconcile WHERE what = '" what "'"
#define FIGURES(capture, scan_kswapd, steal_kswapd, scan_direct, steal_direct, stalls, wakes,      \
		writes)                                                                            \
	{ capture, RECONCILED("pgscan_kswapd"), scan_kswapd },                                     \
		{ capture, RECONCILED("pgsteal_kswapd"), steal_kswapd },                           \
		{ capture, RECONCILED("pgscan_direct"), scan_direct },                             \
		{ capture, RECONCILED("pgsteal_direct"), steal_direct },                           \
		{ capture, RECONCILED("allocstall"), stalls },                                     \
		{ capture, RECONCILED("pageoutrun"), wakes },                                      \
		{ capture, RECONCILED("nr_vmscan_write"), writes },                                \
		{ capture, COUNTED("pgscan_kswapd"), scan_kswapd },                                \
		{ capture, COUNTED("pgsteal_direct"), steal_direct },                              \
	{                                                                                          \
		capture, COUNTED("allocstall"), stalls                                             \
	}

#define WINDOW                                                                                     \
	"ts >= (SELECT ts FROM marker WHERE text = 'SNAP before')"                                 \
	" AND ts < (SELECT ts FROM marker WHERE text = 'SNAP after')"

static const struct figure figures[] = {
	FIGURES("b_dirty3", 518756, 292152, 316503, 81569, 1699, 493, 14443),
	FIGURES("c_swap_zipf", 442825, 136417, 151223, 15831, 309, 375, 147788),
	FIGURES("d_hugepages", 266029, 266012, 20824, 20822, 416, 473, 0),
	FIGURES("a_612_classic", 340932, 340904, 80344, 80334, 1433, 457, 0),
	/* Throttling of kswapd by WRITEBACK: waits, us in all, waits to the timeout. */
	{ "b_dirty3", "SELECT count(*) FROM throttle WHERE actor = 0 AND reason = 1", 91 },
	{ "b_dirty3", "SELECT count(*) FROM throttle", 91 },
	{ "b_dirty3", "SELECT sum(delayed) FROM throttle", 4956000 },
	{ "b_dirty3", "SELECT count(*) FROM throttle WHERE delayed >= timeout", 28 },
	/* Stamps of the first and the last record, as trace-cmd report -t prints them. */
	{ "b_dirty3", "SELECT start FROM run", 7349096384 },
	{ "b_dirty3", "SELECT end FROM run", 49530172303 },
	/* 256000 reads of each of two tasks; 40 made their page themselves. */
	{ "fz612_access", "SELECT count(*) FROM access_read WHERE " WINDOW, 511960 },
	/* The probes see every scanned page, every refault and every page of swap. */
	{ "zk61_kprobes", "SELECT count(*) FROM probe_referenced WHERE locked AND " WINDOW,
	  361568 },
	{ "zk61_kprobes", "SELECT count(*) FROM probe_referenced WHERE NOT locked AND " WINDOW,
	  5622 },
	{ "zk61_kprobes", "SELECT count(*) FROM probe_refault WHERE " WINDOW, 33665 },
	{ "zk61_kprobes", "SELECT count(*) FROM probe_swap_out WHERE " WINDOW, 94970 },
	/* Generations: what is stolen is exact, what is scanned is not. */
	{ "c_612_mglru", RECONCILED("pgsteal_kswapd"), 42444 },
	{ "c_612_mglru", COUNTED("pgscan_kswapd"), 90216 },
	{ "c_612_mglru", "SELECT exact FROM reconcile WHERE what = 'pgscan_kswapd'", 0 },
	{ "s_recorded", RECONCILED("pgsteal_kswapd"), 618186 },
	{ "s_recorded", RECONCILED("pgsteal_direct"), 49520 },
	/* Whatever is exact must be; nothing was lost, nothing stands alone. */
	{ NULL, "SELECT count(*) FROM reconcile WHERE exact AND difference <> 0", 0 },
	{ NULL, "SELECT count(*) FROM reconcile WHERE difference <> 0 AND why = ''", 0 },
	{ NULL, "SELECT count(*) FROM loss", 0 },
	{ NULL, "SELECT count(*) FROM reclaim WHERE paired <> 3", 0 },
	{ NULL, "SELECT count(*) FROM slab WHERE paired <> 3", 0 },
	{ NULL, "SELECT count(*) FROM compaction WHERE paired <> 3", 0 },
	{ NULL, "SELECT count(*) FROM snapshot WHERE ts IS NULL AND label <> ''", 0 },
	{ NULL, "SELECT count(*) >= 8 FROM reconcile WHERE exact", 1 },
};

struct capture {
	const char *name;
	char database[512];
	struct store *store;
};

static void import(struct capture *c, bool count_pages)
{
	struct import_options options = { .count_pages = count_pages, .huge_order = 9 };
	char folder[512];
	const char *path = folder;
	struct import_result result;
	struct rl_msg msg;
	int ret;

	snprintf(folder, sizeof(folder), "%s/%s", RL_TRACES_DIR, c->name);
	ret = store_open(c->database, count_pages ? STORE_SCRATCH : STORE_CREATE, &c->store, &msg);
	if (!ret)
		ret = import_files(c->store, &path, 1, &options, &result, &msg);
	if (!ret && !count_pages)
		ret = store_commit(c->store, &msg);
	if (ret)
		fail_msg("%s", msg.text);
	assert_int_equal(result.runs, 1);
}

static int64_t number(struct capture *c, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t value;

	if (sqlite3_prepare_v2(store_db(c->store), sql, -1, &stmt, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(store_db(c->store)));
	if (sqlite3_step(stmt) != SQLITE_ROW)
		fail_msg("%s: no row: %s", sql, sqlite3_errmsg(store_db(c->store)));
	value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static void check(struct capture *c, const struct figure *figure)
{
	int64_t value;

	if (figure->capture && strcmp(figure->capture, c->name))
		return;
	value = number(c, figure->sql);
	if (value != figure->expected)
		fail_msg("%s: %s: %lld instead of %lld", c->name, figure->sql, (long long)value,
			 (long long)figure->expected);
}

static void figures_are_those_of_the_kernel(void **state)
{
	struct capture *c = *state;

	import(c, false);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		check(c, &figures[i]);
	store_close(c->store);
	unlink(c->database);
}

/* The summary counts pages and keeps the rest: what it keeps must be the same. */
static void counting_pages_changes_nothing_else(void **state)
{
	struct capture *c = *state;

	import(c, true);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (!figures[i].capture || strstr(figures[i].sql, "reconcile") ||
		    strstr(figures[i].sql, "throttle") || strstr(figures[i].sql, "FROM run"))
			check(c, &figures[i]);
	store_close(c->store);
}

int main(int argc, char **argv)
{
	struct capture capture = { .name = argc > 1 ? argv[1] : "b_dirty3" };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(figures_are_those_of_the_kernel, &capture),
		cmocka_unit_test_prestate(counting_pages_changes_nothing_else, &capture),
	};
	char folder[512];

	snprintf(folder, sizeof(folder), "%s/%s", RL_TRACES_DIR, capture.name);
	snprintf(capture.database, sizeof(capture.database), "%s/%s.db", RL_BUILD_DIR,
		 capture.name);
	if (access(folder, R_OK)) {
		printf("skipped: the capture %s is not there\n", folder);
		return SKIPPED;
	}
	return cmocka_run_group_tests_name(capture.name, tests, NULL, NULL);
}
