/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_store DATABASE - what page-rate events cost in a database, and how fast SQL goes through
 * them
 *
 * Prints bytes a row of each table in the column store, and the CPU time of one aggregate over
 * every row of them: three columns, no condition.
 */
#include <stdio.h>
#include <time.h>

#include "sql/store.h"

static const char per_table[] =
	"SELECT tab, sum(rows), sum(length(head) + length(data)) AS bytes FROM column_block "
	"GROUP BY tab ORDER BY bytes DESC";

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int aggregate(sqlite3 *db, const char *table, double *seconds)
{
	char *sql = sqlite3_mprintf("SELECT count(*), max(ts), sum(cpu), count(task) FROM \"%w\"",
				    table);
	double begin = cpu_seconds();
	int rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	*seconds += cpu_seconds() - begin;
	sqlite3_free(sql);
	return rc;
}

static int measure(sqlite3 *db)
{
	double seconds = 0;
	int64_t rows = 0;
	int64_t bytes = 0;
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(db, per_table, -1, &stmt, NULL);

	while (!rc && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *table = (const char *)sqlite3_column_text(stmt, 0);
		int64_t nr = sqlite3_column_int64(stmt, 1);
		int64_t size = sqlite3_column_int64(stmt, 2);

		printf("%-20s %9lld rows %6.2f bytes a row\n", table, (long long)nr,
		       (double)size / (double)nr);
		rows += nr;
		bytes += size;
		rc = aggregate(db, table, &seconds);
	}
	sqlite3_finalize(stmt);
	if (!rc && rows)
		printf("%-20s %9lld rows %6.2f bytes a row, aggregate %.3f s (%.0f ns a row)\n",
		       "all", (long long)rows, (double)bytes / (double)rows, seconds,
		       seconds * 1e9 / (double)rows);
	return rc;
}

int main(int argc, char **argv)
{
	struct store *store;
	struct rl_msg msg;
	int rc;

	if (argc != 2) {
		fprintf(stderr, "usage: bench_store DATABASE\n");
		return 2;
	}
	if (store_open(argv[1], STORE_READ, &store, &msg)) {
		fprintf(stderr, "%s\n", msg.text);
		return 1;
	}
	rc = measure(store_db(store));
	if (rc)
		fprintf(stderr, "%s: %s\n", argv[1], sqlite3_errmsg(store_db(store)));
	store_close(store);
	return rc ? 1 : 0;
}
