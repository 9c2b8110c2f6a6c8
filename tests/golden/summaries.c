/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summaries NAME: a shared capture read as analyze reads it, without a database: the figures of its
 * kernel's counters, and exactly the findings that what ran there gives reason for.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "analyze/lens.h"
#include "analyze/query.h"

#define SKIPPED	   77
#define NR_FIGURES 7

static const char *const keys[NR_FIGURES] = {
	"kswapd_scanned", "kswapd_reclaimed", "direct_scanned", "direct_reclaimed",
	"stalls",	  "kswapd_wakes",     "writes",
};

static const struct capture {
	const char *name;
	double figure[NR_FIGURES];
	const char *findings; /* heaviest first */
} captures[] = {
	/* Writers that the disk cannot follow: kswapd waits for writeback, 28 of 91 times in vain.
	 */
	{ "b_dirty3",
	  { 518756, 292152, 316503, 81569, 1699, 493, 14443 },
	  "kswapd_behind throttle_timeout long_stalls dirty_tail inefficient_direct" },
	/* Anonymous memory that does not fit, on a slow swap: stalls of up to 1.6 s. */
	{ "c_swap_zipf",
	  { 442825, 136417, 151223, 15831, 309, 375, 147788 },
	  "kswapd_behind long_stalls inefficient_direct inefficient_kswapd thrashing" },
	/* Huge pages asked of a full page cache. */
	{ "d_hugepages",
	  { 266029, 266012, 20824, 20822, 416, 473, 0 },
	  "woken_late thrashing huge_fail" },
	/* Readers that stream clean pages: nothing is dirty, everything scanned is freed. */
	{ "a_612_classic",
	  { 340932, 340904, 80344, 80334, 1433, 457, 0 },
	  "kswapd_behind woken_late long_stalls thrashing" },
};

static const struct capture *chosen;

static void must(int ret, const struct rl_msg *msg)
{
	if (ret < 0)
		fail_msg("%s", msg->text);
}

static double figure(sqlite3 *db, const char *key)
{
	sqlite3_stmt *stmt;
	struct rl_msg msg;
	double value;

	must(query_prepare(db, "SELECT value FROM figures WHERE key = ?1 AND source = 'trace'",
			   &stmt, &msg),
	     &msg);
	sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
	assert_int_equal(query_step(stmt, &msg), 1);
	value = sqlite3_column_double(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static void check_findings(sqlite3 *db, const char *expected)
{
	sqlite3_stmt *stmt;
	struct rl_msg msg;

	must(query_prepare(db,
			   "SELECT group_concat(key, ' ') FROM "
			   "(SELECT key FROM findings ORDER BY weight DESC, key)",
			   &stmt, &msg),
	     &msg);
	assert_int_equal(query_step(stmt, &msg), 1);
	assert_string_equal(query_text(stmt, 0), expected);
	sqlite3_finalize(stmt);
}

static void test_summary(void **state)
{
	const struct lens_options options = { .markers = "SNAP before,SNAP after", .node = -1 };
	char path[512];
	const char *paths = path;
	struct lens *lens;
	struct rl_msg msg;

	snprintf(path, sizeof(path), "%s/%s", RL_TRACES_DIR, chosen->name);
	must(lens_open(&paths, 1, &options, &lens, &msg), &msg);
	for (size_t i = 0; i < NR_FIGURES; i++)
		assert_true(figure(lens_db(lens), keys[i]) == chosen->figure[i]);
	check_findings(lens_db(lens), chosen->findings);
	lens_close(lens);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_summary) };
	char path[512];

	for (size_t i = 0; argc > 1 && i < sizeof(captures) / sizeof(captures[0]); i++)
		if (!strcmp(captures[i].name, argv[1]))
			chosen = &captures[i];
	if (!chosen) {
		fputs("usage: summaries CAPTURE\n", stderr);
		return 2;
	}
	snprintf(path, sizeof(path), "%s/%s", RL_TRACES_DIR, chosen->name);
	if (access(path, R_OK))
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
