/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_import FILE: CPU time of reading a trace in the ways that the program does, in one process
 * one after the other, so that the ratios hold whatever the machine is busy with.
 *
 *	walk	records only, not decoded, not merged
 *	count	what analyze does: page-rate events are counted, the others become rows
 *	import	everything becomes rows of a database file
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/read/tracedat.h"
#include "sql/import.h"

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int walk(const char *path, uint64_t *events, struct rl_msg *msg)
{
	const struct tracedat_record *rec;
	struct tracedat *td;
	int ret = tracedat_open(path, &td, msg);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < tracedat_cpu_total(td); i++)
		while (tracedat_cpu_next(tracedat_cpu_at(td, i), &rec) > 0)
			++*events;
	tracedat_close(td);
	return 0;
}

static int import(const char *path, const char *database, uint64_t *events, struct rl_msg *msg)
{
	struct import_options options = { .count_pages = !database, .huge_order = 9 };
	struct import_result result;
	struct store *store;
	int ret = store_open(database, database ? STORE_CREATE : STORE_SCRATCH, &store, msg);

	if (ret)
		return ret;
	ret = import_files(store, &path, 1, &options, &result, msg);
	if (!ret && database)
		ret = store_commit(store, msg);
	*events = result.events;
	store_close(store);
	return ret;
}

int main(int argc, char **argv)
{
	char database[] = "/tmp/bench_import_XXXXXX";
	struct rl_msg msg;
	struct stat trace, made;
	struct rusage usage;
	double at[4];
	uint64_t events[3] = { 0 };
	int fd, ret;

	if (argc != 2) {
		fprintf(stderr, "usage: bench_import trace.dat\n");
		return 2;
	}
	fd = mkstemp(database);
	if (fd < 0 || close(fd))
		return 1;
	at[0] = cpu_seconds();
	ret = walk(argv[1], &events[0], &msg);
	at[1] = cpu_seconds();
	if (!ret)
		ret = import(argv[1], NULL, &events[1], &msg);
	at[2] = cpu_seconds();
	if (!ret)
		ret = import(argv[1], database, &events[2], &msg);
	at[3] = cpu_seconds();
	if (ret || stat(argv[1], &trace) || stat(database, &made)) {
		fprintf(stderr, "bench_import: %s\n", ret ? msg.text : "stat failed");
		unlink(database);
		return 1;
	}
	getrusage(RUSAGE_SELF, &usage);
	for (int i = 0; i < 3; i++)
		printf("%-6s %9llu events %6.3f s %6.2f million events a CPU second\n",
		       (const char *[]){ "walk", "count", "import" }[i],
		       (unsigned long long)events[i], at[i + 1] - at[i],
		       (double)events[i] / (at[i + 1] - at[i]) / 1e6);
	printf("database %.3f of the trace, %.1f bytes an event; peak memory %ld MB\n",
	       (double)made.st_size / (double)trace.st_size,
	       (double)made.st_size / (double)events[2], usage.ru_maxrss / 1024);
	unlink(database);
	return 0;
}
