/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scenarios - the experiments of the kernel's lists as demand files that bring their machine
 *
 * Each is a sketch of a published benchmark: as large and as fast as was told, with what it asked
 * of memory and nothing else. What a policy makes of it is for reclaimlab replay to say. The files
 * are the same wherever they are written: all is in integers, and chance is seeded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/workload/demand.h"
#include "replay/workload/demand_file.h"

#define PAGE	       4096u
#define RUN	       32u /* pages that one read brings */
#define US	       1000u
#define MS	       1000000u
#define SECOND	       1000000000u
#define GFP_MOVABLE    (1u << 3)
#define GFP_IO_FS      (1u << 6 | 1u << 7)
#define GFP_DIRECT     (1u << 10)
#define GFP_KSWAPD     (1u << 11)
#define GFP_NOWARN     (1u << 13)
#define GFP_MAYFAIL    (1u << 14)
#define GFP_COMP       (1u << 18)
#define GFP_NOMEMALLOC (1u << 19)
#define GFP_HARDWALL   (1u << 20)
#define GFP_THISNODE   (1u << 21)
#define GFP_USER_MOVABLE                                                                           \
	(1u << 1 | GFP_MOVABLE | GFP_IO_FS | GFP_DIRECT | GFP_KSWAPD | GFP_HARDWALL)
#define GFP_POOL       (GFP_USER_MOVABLE | GFP_COMP | GFP_NOWARN)
#define GFP_HUGE_FAULT ((GFP_POOL | GFP_NOMEMALLOC) & ~GFP_KSWAPD)
#define MT_MOVABLE     1

struct writer {
	struct demand *demand;
	size_t room;
	uint64_t clock;	 /* of the task that is being written */
	uint64_t random; /* its chance */
	uint32_t task;
};

static void die(const char *what)
{
	fprintf(stderr, "scenarios: %s\n", what);
	exit(1);
}

static void note(struct writer *w, const char *key, uint64_t value)
{
	if (demand_note(w->demand, key, "%llu", (unsigned long long)value))
		die("no memory for notes");
}

static void about(struct writer *w, const char *source, const char *profile, unsigned int cpus,
		  unsigned int zones)
{
	if (demand_note(w->demand, "source", "%s", source) ||
	    demand_note(w->demand, "profile", "%s", profile))
		die("no memory for notes");
	note(w, "machine.cpus", cpus);
	note(w, "machine.nr_zones", zones);
	w->demand->cpus = cpus;
}

static void zone(struct writer *w, unsigned int nr, unsigned int type, uint64_t start,
		 uint64_t spanned, uint64_t managed)
{
	const uint64_t values[] = { type, start, spanned, managed, managed };
	static const char *const members[] = { "type", "start_pfn", "spanned", "managed",
					       "managed_at_setup" };
	char key[64];

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		snprintf(key, sizeof(key), "zone.%u.%s", nr, members[i]);
		note(w, key, values[i]);
	}
	snprintf(key, sizeof(key), "initial.%u.free", nr);
	note(w, key, managed);
}

static void device(struct writer *w, uint64_t read_mb, uint64_t write_mb, uint64_t latency_us,
		   unsigned int queues)
{
	note(w, "device.0.read_bytes_per_s", read_mb * 1000000);
	note(w, "device.0.write_bytes_per_s", write_mb * 1000000);
	note(w, "device.0.read_latency_ns", latency_us * US);
	note(w, "device.0.write_latency_ns", latency_us * US);
	note(w, "device.0.queues", queues);
	note(w, "device.0.queue_depth", 256);
}

/* Begins the next task, @start ns from the beginning. */
static void task(struct writer *w, const char *name, uint64_t start)
{
	struct demand *d = w->demand;
	struct demand_task *grown = realloc(d->tasks, (d->nr_tasks + 1) * sizeof(*grown));

	if (!grown)
		die("no memory for a task");
	d->tasks = grown;
	w->task = d->nr_tasks++;
	grown[w->task] = (struct demand_task){ .first = start, .tid = 100 + (int32_t)w->task };
	strncpy(grown[w->task].comm, name, DEMAND_COMM_SIZE - 1);
	w->clock = start;
	w->random = 1000 + w->task;
}

static uint32_t below(struct writer *w, uint32_t n)
{
	w->random = w->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((w->random >> 33) % n);
}

static struct demand_record *add(struct writer *w, enum demand_op op, uint64_t think)
{
	struct demand *d = w->demand;

	if (d->nr_records == w->room) {
		size_t room = w->room ? 2 * w->room : 4096;
		struct demand_record *grown = realloc(d->records, room * sizeof(*grown));

		if (!grown)
			die("no memory for records");
		d->records = grown;
		w->room = room;
	}
	w->clock += think;
	d->records[d->nr_records] = (struct demand_record){
		.at = w->clock, .think = think, .task = w->task, .op = (uint8_t)op
	};
	return &d->records[d->nr_records++];
}

static void uses_file(struct writer *w, uint32_t file, uint32_t pages)
{
	struct demand *d = w->demand;

	if (file >= d->nr_files) {
		struct demand_file *grown = realloc(d->files, (file + 1) * sizeof(*grown));

		if (!grown)
			die("no memory for a file");
		memset(grown + d->nr_files, 0, (file + 1 - d->nr_files) * sizeof(*grown));
		for (uint32_t i = d->nr_files; i <= file; i++) {
			grown[i].dev = 8u << 20;
			grown[i].ino = 10 + i;
		}
		d->files = grown;
		d->nr_files = file + 1;
	}
	if (d->files[file].pages < pages)
		d->files[file].pages = pages;
}

/* Reads the run that begins at page @index. */
static struct demand_record *read_run(struct writer *w, uint32_t file, uint32_t index,
				      uint64_t think)
{
	struct demand_record *r = add(w, DEMAND_CACHE, think);

	uses_file(w, file, index + RUN);
	r->object = file;
	r->index = index;
	r->start = index;
	r->count = RUN;
	return r;
}

static struct demand_record *write_run(struct writer *w, uint32_t file, uint32_t index,
				       uint16_t pages, uint64_t think)
{
	struct demand_record *r = add(w, DEMAND_DIRTY, think);

	uses_file(w, file, index + pages);
	r->object = file;
	r->index = index;
	r->count = pages;
	return r;
}

static struct demand_record *allocate(struct writer *w, uint32_t page, unsigned int order,
				      uint32_t gfp, uint64_t think)
{
	struct demand_record *r = add(w, DEMAND_ALLOC, think);

	if (w->demand->nr_pages < page + (1u << order))
		w->demand->nr_pages = page + (1u << order);
	r->object = page;
	r->count = 1;
	r->order = (uint8_t)order;
	r->migratetype = MT_MOVABLE;
	r->gfp = gfp;
	return r;
}

/* ---- huge pages and the fast bail-out, 2019 ---- */

#define NODE_PAGES  262144u /* 1 GiB */
#define CACHE_PAGES 300032u /* a file larger than that */

static void full_cache(struct writer *w)
{
	zone(w, 0, 2, 0, NODE_PAGES, 250000);
	device(w, 200, 200, 100, 4);
	task(w, "fill", 0);
	for (uint32_t i = 0; i < CACHE_PAGES; i += RUN)
		read_run(w, 0, i, RUN * US);
}

/* vm.nr_hugepages is raised to 256 on a full page cache. */
static void hugetlb_pool(struct writer *w)
{
	about(w, "256 huge pages for the pool of a node full of page cache", "k54", 4, 1);
	full_cache(w);
	for (uint32_t i = 0; i < 256; i++)
		allocate(w, i << 9, 9, GFP_POOL | GFP_THISNODE | GFP_MAYFAIL, 20 * US);
}

/* 500 MiB of madvised memory are touched on a full page cache, a huge page each millisecond. */
static void huge_faults(struct writer *w)
{
	about(w, "500 MiB of transparent huge pages on a full page cache", "k54", 4, 1);
	full_cache(w);
	note(w, "machine.thp", 1);
	for (uint32_t i = 0; i < 250; i++) {
		struct demand_record *r = allocate(w, i << 9, 9, GFP_HUGE_FAULT, MS);

		r->use = DEMAND_ANON;
		r->flags = DEMAND_FALLBACK;
	}
}

/* ---- a margin below a cgroup's limit, 2011 ---- */

#define COPY_PAGES  102400u /* 400 MB */
#define LIMIT_PAGES 51200u  /* 200 MB */

static void cgroup_copy(struct writer *w)
{
	about(w, "copy of a 400 MB file in a cgroup limited to 200 MB", "k515", 2, 1);
	zone(w, 0, 2, 0, 524288, 500000);
	device(w, 400, 400, 100, 4);
	note(w, "machine.nr_memcgs", 2);
	note(w, "memcg.1.max", LIMIT_PAGES);
	task(w, "cp", 0);
	for (uint32_t i = 0; i < COPY_PAGES; i += RUN) {
		read_run(w, 0, i, RUN * 3 * US)->memcg = 1;
		write_run(w, 1, i, RUN, RUN * 3 * US)->memcg = 1;
	}
}

/* ---- synchronous lumpy reclaim, 2007 ---- */

#define BLOCK_ORDER 10
#define BLOCKS	    122u
#define STEPS	    12000u /* of each program that works beside it: some 25 s */
#define HEAP	    95u	   /* pages of its own */

/* A program that reads and writes at random, and takes some memory of its own. */
static void churn(struct writer *w, uint32_t nr)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < STEPS; i++) {
		if (taken < HEAP && i % (STEPS / HEAP) == 0)
			allocate(w, nr * HEAP + taken++, 0, GFP_USER_MOVABLE, 20 * US)->use =
				DEMAND_ANON;
		else if (below(w, 100) < 30)
			write_run(w, nr, below(w, 70000), 8, 300 * US);
		else
			read_run(w, nr, below(w, 2300) * RUN, 100 * US);
	}
}

/* Blocks out of ZONE_MOVABLE, one after the other. */
static void lumpy_blocks(struct writer *w)
{
	const uint64_t begin = 20ull * SECOND;

	about(w, "122 blocks of 4 MiB out of ZONE_MOVABLE beside programs at work", "lumpy2636", 2,
	      2);
	zone(w, 0, 2, 0, 131072, 120000);
	zone(w, 1, 4, 131072, 131072, 131072);
	device(w, 60, 6, 4000, 4);
	note(w, "machine.pageblock_order", BLOCK_ORDER);
	note(w, "machine.dirty_ratio", 40);
	for (uint32_t i = 0; i < 4; i++) {
		task(w, "work", 0);
		churn(w, i);
	}
	task(w, "pool", begin);
	for (uint32_t i = 0; i < BLOCKS; i++)
		allocate(w, 4 * HEAP + (i << BLOCK_ORDER), BLOCK_ORDER, GFP_POOL, 20 * US);
}

/* ---- throttling by events, 2021 ---- */

#define MAP_PAGES 25000u

static void stutter(struct writer *w)
{
	about(w, "16 writers, 4 readers and 4 programs with more memory than there is", "k515", 8,
	      1);
	zone(w, 0, 2, 0, 131072, 120000);
	device(w, 200, 30, 100, 4);
	note(w, "machine.dirty_ratio", 60);
	note(w, "machine.dirty_background_ratio", 30);
	note(w, "machine.swap_pages", 262144);
	for (uint32_t t = 0; t < 16; t++) {
		task(w, "write", t * MS);
		for (uint32_t i = 0; i < 3000; i++)
			write_run(w, t, i * 16 % 60000, 16, 20 * US);
	}
	for (uint32_t t = 16; t < 20; t++) {
		task(w, "read", (t - 16) * MS);
		for (uint32_t i = 0; i < 75008; i += RUN)
			read_run(w, t, i % 60000 / RUN * RUN, RUN * US);
	}
	for (uint32_t t = 0; t < 4; t++) {
		task(w, "map", t * MS);
		for (uint32_t i = 0; i < MAP_PAGES * 3 / 2; i++) {
			struct demand_record *r = add(w, DEMAND_ACCESS, 10 * US);

			r->object = t * MAP_PAGES + (i < MAP_PAGES ? i : below(w, MAP_PAGES));
			r->flags = DEMAND_WRITE;
		}
	}
	w->demand->nr_pages = 4 * MAP_PAGES;
}

/* ---- writing them down ---- */

static const struct {
	const char *name;
	void (*fill)(struct writer *writer);
} scenarios[] = {
	{ "hugetlb-pool", hugetlb_pool }, { "huge-faults", huge_faults },
	{ "cgroup-copy", cgroup_copy },	  { "lumpy-blocks", lumpy_blocks },
	{ "stutter", stutter },
};

static int by_time(const void *a, const void *b)
{
	const struct demand_record *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static void save(size_t nr, const char *folder)
{
	struct writer w = { .demand = demand_new() };
	struct rl_msg msg;
	char path[4096];

	if (!w.demand)
		die("no memory");
	w.demand->page_size = PAGE;
	scenarios[nr].fill(&w);
	qsort(w.demand->records, w.demand->nr_records, sizeof(*w.demand->records), by_time);
	w.demand->duration = w.demand->records[w.demand->nr_records - 1].at;
	snprintf(path, sizeof(path), "%s/%s.demand", folder, scenarios[nr].name);
	if (demand_save(w.demand, path, false, &msg))
		die(msg.text);
	demand_free(w.demand);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: scenarios FOLDER\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		save(i, argv[1]);
	return 0;
}
