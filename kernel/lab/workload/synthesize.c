/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthesize - a demand file of a known load, without a recording
 *
 *   stream  tasks read one file round and round, each from its own start, in windows of 32 pages
 *   zipf    tasks read single pages of one file by a Zipf law
 *   dirty   as zipf, and one more task for each that writes a file of its own
 *   anon    tasks fill memory of their own and touch it by a Zipf law, half of it writing
 *
 * Seeded and in integers: the same options give the same file everywhere. The demand is asked of
 * the model and of a real kernel when the two are compared, and of the kernel twice when its
 * determinism is tested.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/lab/workload/random.h"
#include "kernel/lab/workload/work.h"
#include "replay/workload/demand.h"
#include "replay/workload/demand_file.h"

#define WINDOW	    32
#define GFP_MOVABLE ((1u << 3) | (1u << 6) | (1u << 7) | (1u << 10) | (1u << 11) | (1u << 20))

enum load_kind { LOAD_STREAM, LOAD_ZIPF, LOAD_DIRTY, LOAD_ANON };

static const char *const kind_names[] = { "stream", "zipf", "dirty", "anon", NULL };

struct load {
	int kind; /* enum load_kind */
	uint64_t tasks;
	uint64_t pages;	   /* of the file, or of each task's memory */
	uint64_t requests; /* of one task */
	uint64_t think_ns; /* before each request */
	uint64_t seed;
};

/* A task of the demand while it is written down. */
struct writer {
	const struct load *load;
	struct demand *demand;
	struct random_source source;
	uint32_t task;
	bool writes;
};

static const char usage[] =
	"usage: synthesize --kind stream|zipf|dirty|anon --pages N --requests N [--tasks N]\n"
	"                  [--think NS] [--seed N] FILE\n";

static struct demand_record *add_record(struct writer *writer, uint64_t nr, uint8_t op)
{
	struct demand *demand = writer->demand;
	struct demand_record *record = &demand->records[demand->nr_records++];

	record->at = (nr + 1) * writer->load->think_ns;
	record->think = writer->load->think_ns;
	record->task = writer->task;
	record->op = op;
	return record;
}

static void add_stream(struct writer *writer, uint64_t nr)
{
	const struct load *load = writer->load;
	struct demand_record *record = add_record(writer, nr, DEMAND_CACHE);
	uint64_t start = load->pages * writer->task / load->tasks;
	uint32_t index = (uint32_t)((start + nr) % load->pages);
	uint64_t left;

	record->index = index;
	record->start = index / WINDOW * WINDOW;
	left = load->pages - record->start;
	record->count = (uint16_t)(left < WINDOW ? left : WINDOW);
}

static void add_writing(struct writer *writer, uint64_t nr)
{
	struct demand_record *record = add_record(writer, nr, DEMAND_DIRTY);

	record->object = (uint32_t)(1 + writer->task - writer->load->tasks);
	record->index = (uint32_t)(nr % writer->load->pages);
	record->count = 1;
}

static void add_zipf(struct writer *writer, const struct zipf *zipf, uint64_t nr)
{
	struct demand_record *record = add_record(writer, nr, DEMAND_CACHE);

	record->index = (uint32_t)zipf_next(zipf, &writer->source);
}

/* The first requests fill the memory, the others touch it. */
static void add_anon(struct writer *writer, const struct zipf *zipf, uint64_t nr)
{
	const struct load *load = writer->load;
	uint32_t base = (uint32_t)(writer->task * load->pages);
	struct demand_record *record;

	if (nr < load->pages) {
		record = add_record(writer, nr, DEMAND_ALLOC);
		record->object = base + (uint32_t)nr;
		record->count = 1;
		record->gfp = GFP_MOVABLE;
		record->migratetype = 1;
		record->use = DEMAND_ANON;
		return;
	}
	record = add_record(writer, nr, DEMAND_ACCESS);
	record->object = base + (uint32_t)zipf_next(zipf, &writer->source);
	record->flags = random_below(&writer->source, 2) ? DEMAND_WRITE : 0;
}

static void add_request(struct writer *writer, const struct zipf *zipf, uint64_t nr)
{
	switch ((enum load_kind)writer->load->kind) {
	case LOAD_STREAM:
		add_stream(writer, nr);
		break;
	case LOAD_ZIPF:
		add_zipf(writer, zipf, nr);
		break;
	case LOAD_DIRTY:
		if (writer->writes)
			add_writing(writer, nr);
		else
			add_zipf(writer, zipf, nr);
		break;
	case LOAD_ANON:
		add_anon(writer, zipf, nr);
		break;
	}
}

static uint32_t load_tasks(const struct load *load)
{
	return (uint32_t)(load->kind == LOAD_DIRTY ? 2 * load->tasks : load->tasks);
}

static uint32_t load_files(const struct load *load)
{
	if (load->kind == LOAD_ANON)
		return 0;
	return load->kind == LOAD_DIRTY ? (uint32_t)(1 + load->tasks) : 1;
}

static struct demand *empty_demand(const struct load *load)
{
	struct demand *demand = demand_new();

	if (!demand)
		return NULL;
	demand->nr_tasks = load_tasks(load);
	demand->nr_files = load_files(load);
	demand->nr_pages = load->kind == LOAD_ANON ? (uint32_t)(load->tasks * load->pages) : 0;
	demand->page_size = WORK_PAGE;
	demand->cpus = 1;
	demand->duration = (load->requests + 1) * load->think_ns;
	demand->tasks = calloc(demand->nr_tasks + 1, sizeof(*demand->tasks));
	demand->files = calloc(demand->nr_files + 1, sizeof(*demand->files));
	demand->records = calloc(load->requests * demand->nr_tasks + 1, sizeof(*demand->records));
	if (!demand->tasks || !demand->files || !demand->records ||
	    demand_note(demand, "source", "synthetic %s, seed %llu", kind_names[load->kind],
			(unsigned long long)load->seed)) {
		demand_free(demand);
		return NULL;
	}
	return demand;
}

static void fill_tables(const struct load *load, struct demand *demand)
{
	for (uint32_t i = 0; i < demand->nr_tasks; i++) {
		char name[32] = "";

		demand->tasks[i].tid = (int32_t)(100 + i);
		snprintf(name, sizeof(name), "%s%u", i < load->tasks ? "task" : "writer", i);
		memcpy(demand->tasks[i].comm, name, DEMAND_COMM_SIZE - 1);
	}
	for (uint32_t i = 0; i < demand->nr_files; i++) {
		demand->files[i].dev = 1;
		demand->files[i].ino = 10 + i;
		demand->files[i].pages = (uint32_t)load->pages;
	}
}

/* Records of all tasks, one of each in turn: equal thinking keeps the times ascending. */
static void fill_records(const struct load *load, struct demand *demand, const struct zipf *zipf)
{
	struct writer *writers = calloc(demand->nr_tasks, sizeof(*writers));

	if (!writers)
		work_die("no memory for %u tasks", demand->nr_tasks);
	for (uint32_t i = 0; i < demand->nr_tasks; i++) {
		writers[i].load = load;
		writers[i].demand = demand;
		writers[i].task = i;
		writers[i].writes = i >= load->tasks;
		random_seed(&writers[i].source, load->seed, i);
	}
	for (uint64_t nr = 0; nr < load->requests; nr++)
		for (uint32_t i = 0; i < demand->nr_tasks; i++)
			add_request(&writers[i], zipf, nr);
	free(writers);
}

static int synthesize(const struct load *load, const char *path)
{
	struct demand *demand = empty_demand(load);
	struct zipf *zipf = zipf_new(load->pages, load->seed);
	struct rl_msg msg;
	int err;

	if (!demand || !zipf)
		work_die("no memory for %llu requests", (unsigned long long)load->requests);
	fill_tables(load, demand);
	fill_records(load, demand, zipf);
	err = demand_save(demand, path, true, &msg);
	if (err)
		work_die("%s", msg.text);
	zipf_free(zipf);
	demand_free(demand);
	return 0;
}

int main(int argc, char **argv)
{
	struct load load = { .tasks = 2, .think_ns = 5000, .seed = 1 };
	const struct work_option options[] = {
		WORK_CHOICE(&load.kind, "kind", kind_names),
		WORK_NUMBER(&load.pages, "pages", WINDOW, 1 << 24),
		WORK_NUMBER(&load.requests, "requests", 1, 1 << 24),
		WORK_NUMBER(&load.tasks, "tasks", 1, 64),
		WORK_NUMBER(&load.think_ns, "think", 0, 1000000000),
		WORK_NUMBER(&load.seed, "seed", 0, UINT64_MAX),
		{ 0 },
	};
	int first = work_options(argc, argv, options, usage);

	if (!load.pages || !load.requests || first + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	return synthesize(&load, argv[first]);
}
