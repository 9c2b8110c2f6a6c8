/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast text is read and records are decoded, in CPU seconds of this process.
 *
 *	bench_text FILE		reads a text trace once and prints MB and lines a second
 *	bench_text		decodes records of lru_isolate, page_alloc and cache_add and prints
 *ns each
 *
 * The yardstick for text is bench_text.pl on the same file: a loop over the same layout in the
 *manner of the kernel tree's scripts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "capture/read/source.h"
#include "tests/unit/vocabulary_format.h"

#define ROUNDS 20000000

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int read_text(const char *path)
{
	struct source_count count;
	uint64_t events = 0, lines = 0;
	struct source *source;
	struct rl_msg msg;
	struct event ev;
	struct stat st;
	double seconds;
	int ret;

	if (stat(path, &st) || source_open(path, &source, &msg)) {
		fprintf(stderr, "%s\n", msg.text);
		return 1;
	}
	seconds = cpu_seconds();
	while ((ret = source_next(source, &ev, &msg)) > 0)
		events++;
	seconds = cpu_seconds() - seconds;
	for (unsigned int i = 0; source_count_at(source, i, &count); i++)
		lines += count.records;
	printf("%.1f MB, %llu records, %llu returned, %.3f s: %.1f MB/s, %.2f M records/s\n",
	       (double)st.st_size / 1e6, (unsigned long long)lines, (unsigned long long)events,
	       seconds, (double)st.st_size / 1e6 / seconds, (double)lines / 1e6 / seconds);
	source_close(source);
	return ret < 0;
}

/* The newest shape of @name in vocabulary_shapes.def. */
static const struct shape *newest(const char *name)
{
	const struct shape *found = NULL;

	for (size_t i = 0; i < NR_SHAPES; i++)
		if (!strcmp(shapes[i].event, name))
			found = &shapes[i];
	return found;
}

static void decode(const char *name)
{
	const struct shape *shape = newest(name);
	struct vocab_binder *binder = vocab_binder_new(false, 8);
	const struct vocab_bound *bound;
	static uint8_t data[256];
	static struct event ev;
	struct shape_layout layout;
	struct rl_msg msg;
	char text[8192];
	int64_t sum = 0;
	double seconds;

	shape_layout(&layout, shape, 8);
	shape_format_text(text, sizeof(text), shape, &layout, 1);
	if (vocab_binder_add(binder, shape->system, text, strlen(text), &msg))
		exit(1);
	bound = vocab_bound_at(binder, 0);
	seconds = cpu_seconds();
	for (unsigned int i = 0; i < ROUNDS; i++) {
		data[16] = (uint8_t)i;
		vocab_decode(binder, bound, data, sizeof(data), &ev);
		sum += ev.value[0] + ev.value[1];
	}
	seconds = cpu_seconds() - seconds;
	printf("%-32s %2u fields: %5.1f ns (%lld)\n", name, bound->nr_accessors,
	       seconds * 1e9 / ROUNDS, (long long)sum);
	vocab_binder_free(binder);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return read_text(argv[1]);
	decode("mm_page_free");
	decode("mm_page_alloc");
	decode("mm_filemap_add_to_page_cache");
	decode("mm_vmscan_lru_isolate");
	return 0;
}
