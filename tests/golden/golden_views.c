/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every view documents its question and each of its columns, in order, with a unit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "sql/embedded.h"

static const char *const units[] = { "-",   "s",     "ns",	"us",  "pages",	 "%",
				     "MiB", "bytes", "pages/s", "KiB", "objects" };

static bool is_unit(const char *unit)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i], unit))
			return true;
	return false;
}

/* The line behind @at that begins with @tag, or NULL. */
static const char *next_tag(const char *at, const char *tag)
{
	char begin[32];

	snprintf(begin, sizeof(begin), "\n-- %s ", tag);
	at = strstr(at, begin);
	return at ? at + strlen(begin) : NULL;
}

static void check_columns(sqlite3 *db, const struct embedded_view *view)
{
	const char *at = view->sql;
	sqlite3_stmt *stmt;
	char sql[128];
	int c = 0;

	snprintf(sql, sizeof(sql), "SELECT * FROM %s LIMIT 0", view->name);
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", view->name, sqlite3_errmsg(db));
	while ((at = next_tag(at, "@column"))) {
		char name[64], unit[16], word[64];

		if (sscanf(at, "%63s %15s %63s", name, unit, word) != 3)
			fail_msg("%s: a column without name, unit or text", view->name);
		if (!is_unit(unit))
			fail_msg("%s: column %s has the unit \"%s\"", view->name, name, unit);
		if (c >= sqlite3_column_count(stmt) || strcmp(name, sqlite3_column_name(stmt, c)))
			fail_msg("%s: documents column %s where the view has %s", view->name, name,
				 sqlite3_column_name(stmt, c) ? sqlite3_column_name(stmt, c)
							      : "none");
		c++;
	}
	if (c != sqlite3_column_count(stmt))
		fail_msg("%s: column %s is not documented", view->name,
			 sqlite3_column_name(stmt, c));
	sqlite3_finalize(stmt);
}

static void test_documentation(void **state)
{
	struct golden g;
	int views = 0;

	golden_begin(&g, "documentation", "recorded");
	golden_look(&g, SECOND, NULL);
	for (const struct embedded_view *v = store_views; v->name; v++) {
		const char *title = next_tag(v->sql, "@view");
		size_t len = strlen(v->name);

		if (!title || strncmp(title, v->name, len) || title[len] != ' ')
			fail_msg("%s: no question", v->name);
		if (title[strcspn(title, "\n") - 1] != '?')
			fail_msg("%s: the title is no question", v->name);
		check_columns(lens_db(g.lens), v);
		views++;
	}
	assert_true(views > 30);
	golden_end(&g);
}

static void put_coverage(struct golden *g, const char *event, const char *state)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO coverage VALUES (1, 'vmscan', '%s', '%s', '%s', 0, '', 'scan')",
		 event, event, state);
	golden_sql(g, sql);
}

/* Without the events that tell what was freed there is neither a 0 nor a "no scan". */
static void test_freed_is_not_known(void **state)
{
	struct golden g;

	golden_begin(&g, "not-freed", "recorded");
	put_coverage(&g, "mm_vmscan_lru_isolate", "present");
	put_coverage(&g, "mm_vmscan_lru_shrink_inactive", "off");
	golden_put(&g, STORE_TABLE_scan, 1, store_scan_actor, STORE_DIRECT, store_scan_lru, 2,
		   store_scan_scanned, 64, store_scan_taken, 64, -1);
	golden_look(&g, SECOND, NULL);
	golden_figure(&g, "direct_scanned", "64");
	assert_true(golden_number(&g, "SELECT count(*) FROM figures WHERE run = ?1 AND (key LIKE "
				      "'%reclaimed' OR key LIKE '%efficiency')") == 0);
	assert_true(golden_number(&g, "SELECT count(*) FROM not_recorded WHERE run = ?1 AND "
				      "event = 'mm_vmscan_lru_shrink_inactive'") == 1);
	golden_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_documentation),
		cmocka_unit_test(test_freed_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
