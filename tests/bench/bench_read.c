/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_read FILE [ROUNDS] - how fast records come out of a trace.dat (uncompressed, little-endian)
 *
 * In one process, alternating: kbuffer over the pages mapped once and for all, CPU by CPU, taking
 * each record's stamp; the same over a mapping made anew, as who reads a file once must; our walk
 * merged by time; the same with all ids but one unwanted; and libtracecmd's iteration where it is
 * built in. Million records a CPU second, the best of the rounds, and ratios to the bare walk.
 * Machines differ, ratios less.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <traceevent/kbuffer.h>
#ifdef HAVE_TRACECMD
#include <trace-cmd/trace-cmd.h>
#endif

#include "capture/base/map.h"
#include "capture/read/tracedat.h"

struct bench {
	const char *path;
	struct tracedat *td;
	struct rl_map map;
	uint64_t sum; /* keeps the loops alive */
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t walk_kbuffer(struct bench *b)
{
	struct kbuffer *kbuf =
		kbuffer_alloc(tracedat_long_size(b->td) == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
			      KBUFFER_ENDIAN_LITTLE);
	uint32_t page_size = tracedat_buffer(b->td, 0)->page_size;
	uint64_t records = 0;

	for (unsigned int i = 0; i < tracedat_cpu_total(b->td); i++) {
		struct tracedat_extent extent;
		unsigned long long stamp;

		tracedat_cpu_extent(tracedat_cpu_at(b->td, i), &extent);
		for (uint64_t at = 0; at < extent.size; at += page_size) {
			kbuffer_load_subbuffer(kbuf, (void *)(b->map.data + extent.offset + at));
			for (void *data = kbuffer_read_event(kbuf, &stamp); data;
			     data = kbuffer_next_event(kbuf, &stamp)) {
				b->sum += stamp;
				records++;
			}
		}
	}
	kbuffer_free(kbuf);
	return records;
}

static uint64_t walk_kbuffer_anew(struct bench *b)
{
	struct rl_map keep = b->map;
	uint64_t records = 0;

	if (rl_map_open(b->path, &b->map, NULL) == 0) {
		records = walk_kbuffer(b);
		rl_map_close(&b->map);
	}
	b->map = keep;
	return records;
}

static uint64_t walk_merged(struct bench *b)
{
	const struct tracedat_record *rec;
	uint64_t records = 0;

	tracedat_rewind(b->td);
	while (tracedat_next(b->td, &rec) > 0) {
		b->sum += rec->ts + rec->id;
		records++;
	}
	return records;
}

static uint64_t walk_counting(struct bench *b)
{
	static const uint64_t nothing[TRACEDAT_IDS / 64];
	const struct tracedat_record *rec;

	tracedat_rewind(b->td);
	tracedat_set_wanted(b->td, nothing);
	while (tracedat_next(b->td, &rec) > 0)
		b->sum += rec->ts;
	tracedat_set_wanted(b->td, NULL);
	return tracedat_records(b->td);
}

#ifdef HAVE_TRACECMD
static int take(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
	uint64_t *records = data;

	++*records;
	return 0;
}

static uint64_t walk_tracecmd(struct bench *b)
{
	struct tracecmd_input *handle = tracecmd_open(b->path, TRACECMD_FL_LOAD_NO_PLUGINS);
	uint64_t records = 0;

	if (!handle)
		return 0;
	tracecmd_iterate_events(handle, NULL, 0, take, &records);
	tracecmd_close(handle);
	return records;
}
#endif

static const struct {
	const char *name;
	uint64_t (*walk)(struct bench *b);
} walks[] = {
	{ "bare kbuffer walk", walk_kbuffer }, { "the same, map anew", walk_kbuffer_anew },
	{ "merged walk", walk_merged },	       { "counting walk", walk_counting },
#ifdef HAVE_TRACECMD
	{ "libtracecmd", walk_tracecmd },
#endif
};

#define WALKS (sizeof(walks) / sizeof(walks[0]))

int main(int argc, char **argv)
{
	struct bench b = { .path = argc > 1 ? argv[1] : NULL };
	int rounds = argc > 2 ? atoi(argv[2]) : 5;
	double best[WALKS] = { 0 };
	struct rl_msg msg;

	if (!b.path || rounds < 1) {
		fprintf(stderr, "usage: bench_read FILE [ROUNDS]\n");
		return 2;
	}
	if (tracedat_open(b.path, &b.td, &msg) || rl_map_open(b.path, &b.map, &msg)) {
		fprintf(stderr, "%s\n", msg.text);
		return 1;
	}
	for (int round = 0; round < rounds; round++) {
		for (size_t i = 0; i < WALKS; i++) {
			double start = cpu_seconds();
			double rate = (double)walks[i].walk(&b) / (cpu_seconds() - start) / 1e6;

			if (rate > best[i])
				best[i] = rate;
		}
	}
	for (size_t i = 0; i < WALKS; i++)
		printf("%-20s %7.1f million records a CPU second, %5.2f of the bare walk\n",
		       walks[i].name, best[i], best[i] / best[0]);
	rl_map_close(&b.map);
	tracedat_close(b.td);
	return b.sum == 0;
}
