/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_engine [-1] [FILE.demand [POLICY...]] - how fast demand goes through the engine
 *
 * Without a file: demand of its own making, readers that stream through files larger than memory
 * with readahead, at three lengths, to show that time is linear in the length. With a demand file
 * of "reclaimlab replay --export": that one. Prints demand records a CPU second under each policy
 * (two-list unless others are named) and the hash of the run, which a change for speed must leave
 * as it is; the memory that a modelled page takes; and what two threads give over one for as many
 * replays. With -1 one replay of each only, for a profiler.
 */
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "replay/machine.h"
#include "replay/recording.h"
#include "replay/replay.h"
#include "replay/run.h"

#define READERS 2
#define WINDOW	32u /* pages that a reader's readahead brings */
#define RECORDS 750000u
#define LENGTHS 3
#define MEMORY	"512M"
#define REPLAYS 4
#define ROUNDS	3

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* @nr requests: each page of the files in turn, read ahead in windows as the kernel does. */
static struct demand *stream(uint32_t nr)
{
	struct demand *d = demand_new();
	uint32_t at[READERS] = { 0 };

	if (!d)
		return NULL;
	d->tasks = calloc(READERS, sizeof(*d->tasks));
	d->files = calloc(READERS, sizeof(*d->files));
	d->records = calloc(nr, sizeof(*d->records));
	if (!d->tasks || !d->files || !d->records) {
		demand_free(d);
		return NULL;
	}
	d->nr_tasks = READERS;
	d->nr_files = READERS;
	d->nr_records = nr;
	d->page_size = 4096;
	d->cpus = 2;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t task = i % READERS;
		struct demand_record *rec = &d->records[i];

		*rec = (struct demand_record){ .at = i * UINT64_C(4000),
					       .think = 2000,
					       .task = task,
					       .op = DEMAND_CACHE,
					       .object = task,
					       .index = at[task]++,
					       .start = at[task] / WINDOW * WINDOW,
					       .count = WINDOW };
		d->files[task].pages = (at[task] / WINDOW + 2) * WINDOW;
	}
	d->duration = nr * UINT64_C(4000);
	return d;
}

struct bench {
	const struct demand *demand;
	struct feed *feed;
	struct machine *machine;
	bool once;
};

struct taken {
	double cpu, wall; /* seconds */
	uint64_t records;
	uint64_t hash; /* of the first replay */
};

static int run(const struct bench *b, const char *policy, unsigned int nr, unsigned int threads,
	       struct taken *taken)
{
	struct run_job job = {
		.demand = b->demand, .feed = b->feed, .machine = b->machine, .policy = policy
	};
	struct run_job jobs[REPLAYS];
	struct run_result results[REPLAYS];
	int ret = 0;

	run_ensemble(&job, jobs, nr);
	taken->cpu -= seconds(CLOCK_PROCESS_CPUTIME_ID);
	taken->wall -= seconds(CLOCK_MONOTONIC);
	run_all(jobs, results, nr, threads, NULL);
	taken->cpu += seconds(CLOCK_PROCESS_CPUTIME_ID);
	taken->wall += seconds(CLOCK_MONOTONIC);
	taken->hash = results[0].hash;
	for (unsigned int i = 0; i < nr; i++) {
		if (results[i].error) {
			fprintf(stderr, "%s\n", results[i].msg.text);
			ret = 1;
		}
		taken->records += results[i].records;
		run_result_clear(&results[i]);
	}
	return ret;
}

/* What the engine holds for the machine, and for the pages that the demand then has in memory. */
static int memory(const struct bench *b)
{
	struct reclaim_error error = { "" };
	struct feed_cursor cursor;
	size_t before, empty, full;
	struct reclaim_engine *e = NULL;
	struct reclaim_config config = { .machine = &b->machine->machine,
					 .profile = b->machine->profile,
					 .tasks = b->feed->tasks,
					 .nr_tasks = b->feed->nr_tasks,
					 .next = feed_next,
					 .next_ctx = &cursor };
	uint64_t pages = machine_pages(b->machine);

	if (feed_cursor_init(&cursor, b->feed))
		return 1;
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	if (reclaim_engine_create(&e, &config, &error)) {
		fprintf(stderr, "%s\n", error.text);
		feed_cursor_clear(&cursor);
		return 1;
	}
	cursor.engine = e;
	empty = mallinfo2().uordblks + mallinfo2().hblkhd;
	for (uint32_t i = 0; i < b->machine->machine.nr_zones; i++)
		reclaim_engine_populate(e, i, &b->machine->initial[i], &error);
	reclaim_engine_run(e, RECLAIM_NO_TIME, &error);
	full = mallinfo2().uordblks + mallinfo2().hblkhd;
	printf("memory: %llu pages, %.1f bytes a page for the machine, %.1f at the end of the run\n",
	       (unsigned long long)pages, (double)(empty - before) / (double)pages,
	       (double)(full - before) / (double)pages);
	reclaim_engine_free(e);
	feed_cursor_clear(&cursor);
	return 0;
}

/* One thread and two in turn, so that what else the machine does weighs on both alike. */
static int measure_threads(const struct bench *b, const char *policy)
{
	struct taken one = { 0 }, two = { 0 };
	int ret = 0;

	for (int i = 0; i < ROUNDS && !ret; i++) {
		ret = run(b, policy, REPLAYS, 1, &one);
		if (!ret)
			ret = run(b, policy, REPLAYS, 2, &two);
	}
	if (!ret)
		printf("%-24s %d x %d replays: two threads %.2f times as fast, for %.2f of the CPU "
		       "time\n",
		       policy, ROUNDS, REPLAYS, one.wall / two.wall, two.cpu / one.cpu);
	return ret;
}

static int measure(const struct bench *b, const char *policy)
{
	struct taken taken = { 0 };
	int ret = run(b, policy, 1, 1, &taken);

	if (ret)
		return ret;
	printf("%-24s %9llu records %8.3f s of CPU time %6.2f million a second, hash %016llx\n",
	       policy, (unsigned long long)taken.records, taken.cpu,
	       (double)taken.records / taken.cpu / 1e6, (unsigned long long)taken.hash);
	fflush(stdout);
	return b->once ? 0 : measure_threads(b, policy);
}

static int of_own_making(bool once, struct machine *machine, struct rl_msg *msg)
{
	int ret = machine_of_size("6.1", MEMORY, machine, msg);

	for (uint32_t i = 0; i < LENGTHS && !ret; i++) {
		struct bench b = { .machine = machine, .once = once };
		struct demand *demand = stream(RECORDS << i);

		if (!demand)
			return rl_fail_errno(msg, ENOMEM, "demand");
		b.demand = demand;
		ret = feed_new(demand, NULL, &b.feed, msg);
		if (!ret && !i && !once)
			ret = memory(&b);
		if (!ret)
			ret = measure(&b, "two-list");
		feed_free(b.feed);
		demand_free(demand);
	}
	return ret;
}

static int of_a_file(bool once, const char *path, char **policies, int nr, struct machine *machine,
		     struct rl_msg *msg)
{
	struct bench b = { .machine = machine, .once = once };
	struct recording *rec = NULL;
	int ret = recording_open(&path, 1, NULL, &rec, msg);

	if (!ret)
		ret = machine_from_recording(rec, machine, msg);
	if (!ret)
		ret = feed_new(rec->demand, NULL, &b.feed, msg);
	if (!ret)
		b.demand = rec->demand;
	if (!ret && !once)
		ret = memory(&b);
	if (!ret && !nr)
		ret = measure(&b, "two-list");
	for (int i = 0; i < nr && !ret; i++)
		ret = measure(&b, policies[i]);
	feed_free(b.feed);
	recording_free(rec);
	return ret;
}

int main(int argc, char **argv)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	struct rl_msg msg = { "" };
	int ret = machine ? 0 : 1;
	bool once = argc > 1 && !strcmp(argv[1], "-1");

	argv += once;
	argc -= once;
	if (!ret && argc > 1)
		ret = of_a_file(once, argv[1], argv + 2, argc - 2, machine, &msg);
	else if (!ret)
		ret = of_own_making(once, machine, &msg);
	if (ret)
		fprintf(stderr, "bench_engine: %s\n", msg.text);
	free(machine);
	return ret ? 1 : 0;
}
