/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * anon - a load on anonymous memory
 *
 * Each task maps its own memory, writes every page once (populate), then touches pages: in order,
 * at random, by a Zipf law, or by a Zipf law over memory that asks for huge pages. A touch writes
 * one word of the page in --write percent of the cases and reads it otherwise. Page contents are
 * pseudo-random, so that a compressing swap device finds nothing to gain.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "random.h"
#include "work.h"

enum anon_mode { MODE_SEQ, MODE_RANDOM, MODE_ZIPF, MODE_THP };

static const char *const mode_names[] = { "seq", "random", "zipf", "thp", NULL };

struct anon_load {
	int mode; /* enum anon_mode */
	uint64_t tasks;
	uint64_t pages; /* of one task */
	uint64_t seed;
	uint64_t write_percent;
	struct work_limit limit; /* amount: touches after the populate */
};

static const char usage[] =
	"usage: anon --mode seq|random|zipf|thp --size SIZE [--tasks N] [--seed N] [--write PERCENT]\n"
	"            {--touches N | --seconds N}\n"
	"SIZE is one task's memory (K, M, G); --touches is one task's fixed work.\n";

static char *map_memory(const struct anon_load *load)
{
	size_t size = load->pages * WORK_PAGE;
	char *memory;

	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		work_die("cannot map %zu bytes", size);
	if (load->mode == MODE_THP && madvise(memory, size, MADV_HUGEPAGE))
		work_die("this kernel has no huge pages to advise");
	return memory;
}

static void populate(char *memory, uint64_t pages, struct random_source *source)
{
	for (uint64_t page = 0; page < pages; page++) {
		uint64_t *word = (uint64_t *)(memory + page * WORK_PAGE);
		uint64_t value = random_next(source);

		for (size_t i = 0; i < WORK_PAGE / sizeof(*word); i++)
			word[i] = value = value * 6364136223846793005ULL + 1442695040888963407ULL;
	}
}

static uint64_t next_page(const struct anon_load *load, const struct zipf *zipf,
			  struct random_source *source, uint64_t done)
{
	switch ((enum anon_mode)load->mode) {
	case MODE_SEQ:
		return done % load->pages;
	case MODE_RANDOM:
		return random_below(source, load->pages);
	case MODE_ZIPF:
	case MODE_THP:
		break;
	}
	return zipf_next(zipf, source);
}

static uint64_t touch_pages(const struct anon_load *load, char *memory, const struct zipf *zipf,
			    struct random_source *source)
{
	uint64_t done = 0;
	unsigned int calls = 0;

	while (work_continues(&load->limit, done, &calls)) {
		uint64_t page = next_page(load, zipf, source, done);
		volatile uint64_t *word = (volatile uint64_t *)(memory + page * WORK_PAGE);

		if (random_below(source, 100) < load->write_percent)
			*word += done;
		else
			(void)*word;
		done++;
	}
	return done;
}

static int anon_task(void *context, unsigned int index)
{
	struct anon_load load = *(struct anon_load *)context;
	struct random_source source;
	struct zipf *zipf = NULL;
	double start = work_now();
	double populated;
	uint64_t touches;
	char *memory;

	random_seed(&source, load.seed, index);
	if (load.mode == MODE_ZIPF || load.mode == MODE_THP) {
		zipf = zipf_new(load.pages, load.seed + index);
		if (!zipf)
			work_die("no memory for the Zipf table of %llu pages",
				 (unsigned long long)load.pages);
	}
	memory = map_memory(&load);
	populate(memory, load.pages, &source);
	populated = work_now();
	work_start(&load.limit);
	touches = touch_pages(&load, memory, zipf, &source);
	printf("anon[%u] mode=%s pages=%llu populate=%.2fs touches=%llu in %.2fs\n", index,
	       mode_names[load.mode], (unsigned long long)load.pages, populated - start,
	       (unsigned long long)touches, work_now() - populated);
	zipf_free(zipf);
	return 0;
}

int main(int argc, char **argv)
{
	struct anon_load load = { .mode = MODE_SEQ, .tasks = 1, .seed = 1, .write_percent = 50 };
	uint64_t size = 0;
	const struct work_option options[] = {
		WORK_CHOICE(&load.mode, "mode", mode_names),
		WORK_NUMBER(&size, "size", WORK_PAGE, 1ULL << 40),
		WORK_NUMBER(&load.tasks, "tasks", 1, 1024),
		WORK_NUMBER(&load.seed, "seed", 0, UINT64_MAX),
		WORK_NUMBER(&load.write_percent, "write", 0, 100),
		WORK_NUMBER(&load.limit.amount, "touches", 1, UINT64_MAX),
		WORK_NUMBER(&load.limit.seconds, "seconds", 1, 86400),
		{ 0 },
	};

	work_options(argc, argv, options, usage);
	load.pages = size / WORK_PAGE;
	if (!load.pages || (!load.limit.amount && !load.limit.seconds)) {
		fputs(usage, stderr);
		return 2;
	}
	return work_run((unsigned int)load.tasks, anon_task, &load);
}
