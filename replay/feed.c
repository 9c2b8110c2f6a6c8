/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GFP_BITS 0x7fffffu /* the bits of gfp.h that the engine has, at the same places */

static const uint8_t ops[DEMAND_NR_OPS] = {
	[DEMAND_NOP] = RECLAIM_OP_NOP,
	[DEMAND_ALLOC] = RECLAIM_OP_ALLOC,
	[DEMAND_FREE] = RECLAIM_OP_FREE,
	[DEMAND_CACHE] = RECLAIM_OP_CACHE,
	[DEMAND_ACCESS] = RECLAIM_OP_ACCESS,
	[DEMAND_DIRTY] = RECLAIM_OP_DIRTY,
	[DEMAND_TRUNCATE] = RECLAIM_OP_TRUNCATE,
	[DEMAND_EXIT] = RECLAIM_OP_EXIT,
	[DEMAND_PROACTIVE] = RECLAIM_OP_PROACTIVE,
	[DEMAND_KNOB] = RECLAIM_OP_KNOB,
	[DEMAND_MARK] = RECLAIM_OP_MARK,
	[DEMAND_SYNC] = RECLAIM_OP_SYNC,
};

static const uint8_t uses[DEMAND_NR_USES] = {
	[DEMAND_KERNEL] = RECLAIM_USE_KERNEL,
	[DEMAND_ANON] = RECLAIM_USE_ANON,
	[DEMAND_SHMEM] = RECLAIM_USE_SHMEM,
	[DEMAND_SLAB_RECLAIMABLE] = RECLAIM_USE_SLAB_RECLAIMABLE,
	[DEMAND_MLOCKED] = RECLAIM_USE_MLOCKED,
};

static const uint8_t migratetypes[] = { RECLAIM_MT_UNMOVABLE, RECLAIM_MT_MOVABLE,
					RECLAIM_MT_RECLAIMABLE };

static const struct {
	uint8_t demand, engine;
} flags[] = {
	{ DEMAND_ASYNC, RECLAIM_DEMAND_ASYNC },	  { DEMAND_NO_MARK, RECLAIM_DEMAND_NO_MARK },
	{ DEMAND_MAPPED, RECLAIM_DEMAND_MAPPED }, { DEMAND_WRITE, RECLAIM_DEMAND_WRITE },
	{ DEMAND_FILE, RECLAIM_DEMAND_FILE },	  { DEMAND_FALLBACK, RECLAIM_DEMAND_FALLBACK },
	{ DEMAND_IDLE, RECLAIM_DEMAND_IDLE },	  { DEMAND_EXEC, RECLAIM_DEMAND_EXEC },
};

static const uint8_t knobs[DEMAND_NR_KNOBS] = {
	[DEMAND_KNOB_MIN_FREE_KBYTES] = RECLAIM_KNOB_MIN_FREE_KBYTES,
	[DEMAND_KNOB_WATERMARK_SCALE_FACTOR] = RECLAIM_KNOB_WATERMARK_SCALE_FACTOR,
	[DEMAND_KNOB_WATERMARK_BOOST_FACTOR] = RECLAIM_KNOB_WATERMARK_BOOST_FACTOR,
	[DEMAND_KNOB_SWAPPINESS] = RECLAIM_KNOB_SWAPPINESS,
	[DEMAND_KNOB_DIRTY_RATIO] = RECLAIM_KNOB_DIRTY_RATIO,
	[DEMAND_KNOB_DIRTY_BACKGROUND_RATIO] = RECLAIM_KNOB_DIRTY_BACKGROUND_RATIO,
	[DEMAND_KNOB_MEMCG_MAX] = RECLAIM_KNOB_MEMCG_MAX,
	[DEMAND_KNOB_MEMCG_HIGH] = RECLAIM_KNOB_MEMCG_HIGH,
	[DEMAND_KNOB_MEMCG_LOW] = RECLAIM_KNOB_MEMCG_LOW,
	[DEMAND_KNOB_MEMCG_MIN] = RECLAIM_KNOB_MEMCG_MIN,
	[DEMAND_KNOB_MEMCG_SOFT_LIMIT] = RECLAIM_KNOB_MEMCG_SOFT_LIMIT,
	[DEMAND_KNOB_DROP_CACHES] = RECLAIM_KNOB_DROP_CACHES,
};

static bool object_is_file(const struct demand_record *rec)
{
	switch (rec->op) {
	case DEMAND_CACHE:
	case DEMAND_DIRTY:
	case DEMAND_TRUNCATE:
	case DEMAND_SYNC:
		return true;
	case DEMAND_ACCESS:
		return rec->flags & DEMAND_FILE;
	default:
		return false;
	}
}

static void convert(const struct demand_record *rec, uint32_t wait_ppm, struct reclaim_demand *to)
{
	*to = (struct reclaim_demand){
		.think = (int64_t)rec->think,
		.op = ops[rec->op],
		.order = rec->order,
		.migratetype = migratetypes[rec->migratetype],
		.use = uses[rec->use],
		.ref_class = rec->ref_class,
		.gfp = rec->gfp & GFP_BITS,
		.index = rec->index,
		.start = rec->start,
		.count = rec->count,
		.memcg = rec->memcg,
		.node = rec->node,
	};
	if (rec->op == DEMAND_NOP && rec->object)
		to->think = (int64_t)((unsigned __int128)rec->think * wait_ppm / FEED_WAIT_ALL);
	else if (object_is_file(rec))
		to->file = rec->object;
	else if (rec->op == DEMAND_KNOB)
		to->page = knobs[rec->object];
	else
		to->page = rec->object;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (rec->flags & flags[i].demand)
			to->flags |= flags[i].engine;
}

void feed_pace_add(struct feed_pace *to, const struct feed_pace *pace)
{
	to->sum += pace->sum;
	to->requests += pace->requests;
}

int64_t feed_pace_mean(const struct feed_pace *pace)
{
	return pace->requests ? (int64_t)(pace->sum / pace->requests) : 0;
}

void feed_recorded_paces(const struct demand *demand, struct feed_pace *paces)
{
	for (size_t i = 0; i < demand->nr_records; i++) {
		const struct demand_record *rec = &demand->records[i];
		const struct demand_task *task = &demand->tasks[rec->task];

		if (rec->op == DEMAND_NOP || task->kind != DEMAND_TASK_USER)
			continue;
		paces[rec->task].sum += rec->at - task->first;
		paces[rec->task].requests++;
	}
}

static int64_t mean_pace(const struct feed_pace *paces, uint32_t nr)
{
	struct feed_pace all = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		feed_pace_add(&all, &paces[i]);
	return feed_pace_mean(&all);
}

static int measure_pace(struct feed *feed, const struct demand *demand)
{
	struct feed_pace *paces = calloc((size_t)demand->nr_tasks + 1, sizeof(*paces));

	if (!paces)
		return -ENOMEM;
	feed_recorded_paces(demand, paces);
	feed->pace = mean_pace(paces, demand->nr_tasks);
	free(paces);
	return 0;
}

static void fill(struct feed *feed, const struct demand *demand, const uint32_t *wait_ppm)
{
	uint64_t *at = feed->first + 1; /* shifted by one: ends as the next task's begin */

	for (uint64_t i = 0; i < demand->nr_records; i++)
		feed->first[demand->records[i].task + 1]++;
	for (uint32_t i = 0; i < feed->nr_tasks; i++)
		feed->first[i + 1] += feed->first[i];
	for (uint32_t i = feed->nr_tasks; i; i--)
		at[i - 1] = feed->first[i - 1];
	for (uint64_t i = 0; i < demand->nr_records; i++) {
		uint32_t task = demand->records[i].task;

		convert(&demand->records[i], wait_ppm ? wait_ppm[task] : FEED_WAIT_ALL,
			&feed->records[at[task]++]);
	}
	feed->first[0] = 0;
}

/* The file system of which most is asked; UINT64_MAX: none. @pages by file. */
static uint64_t busiest(const struct demand *demand, const uint64_t *pages)
{
	uint64_t best = UINT64_MAX, most = 0;

	for (uint32_t i = 0; i < demand->nr_files; i++) {
		uint64_t sum = 0;

		for (uint32_t j = 0; pages[i] && j < demand->nr_files; j++)
			if (demand->files[j].dev == demand->files[i].dev)
				sum += pages[j];
		if (sum <= most)
			continue;
		most = sum;
		best = demand->files[i].dev;
	}
	return best;
}

/* Files of the file system that is written most, unless it is the one that is read most. */
static int place_files(struct feed *feed, const struct demand *demand)
{
	uint64_t *pages = calloc(2 * (size_t)demand->nr_files + 2, sizeof(*pages));
	uint64_t read, written, *dirtied;

	feed->file_device = calloc((size_t)demand->nr_files + 1, sizeof(*feed->file_device));
	if (!pages || !feed->file_device) {
		free(pages);
		return -ENOMEM;
	}
	dirtied = pages + demand->nr_files + 1;
	for (size_t i = 0; i < demand->nr_records; i++) {
		const struct demand_record *rec = &demand->records[i];

		if (rec->op == DEMAND_CACHE)
			pages[rec->object] += rec->count;
		else if (rec->op == DEMAND_DIRTY)
			dirtied[rec->object] += rec->count;
	}
	read = busiest(demand, pages);
	written = busiest(demand, dirtied);
	for (uint32_t i = 0; read != UINT64_MAX && i < demand->nr_files; i++)
		if (demand->files[i].dev == written && written != read)
			feed->file_device[i] = FEED_DEVICE_WRITTEN;
	free(pages);
	return 0;
}

int feed_new(const struct demand *demand, const uint32_t *wait_ppm, struct feed **out,
	     struct rl_msg *msg)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return rl_fail_errno(msg, ENOMEM, "demand");
	feed->nr_tasks = demand->nr_tasks;
	feed->nr_files = demand->nr_files;
	feed->nr_pages = demand->nr_pages;
	feed->nr_records = demand->nr_records;
	feed->duration = (int64_t)demand->duration;
	feed->records = calloc(demand->nr_records + 1, sizeof(*feed->records));
	feed->first = calloc((size_t)demand->nr_tasks + 2, sizeof(*feed->first));
	feed->tasks = calloc((size_t)demand->nr_tasks + 1, sizeof(*feed->tasks));
	if (!feed->records || !feed->first || !feed->tasks) {
		feed_free(feed);
		return rl_fail_errno(msg, ENOMEM, "demand of %zu records", demand->nr_records);
	}
	for (uint32_t i = 0; i < demand->nr_tasks; i++)
		feed->tasks[i] = (struct reclaim_task_desc){
			.start = (int64_t)demand->tasks[i].first,
			.kthread = demand->tasks[i].kind == DEMAND_TASK_KTHREAD,
			.cpu = -1,
			.tag = i,
		};
	fill(feed, demand, wait_ppm);
	if (place_files(feed, demand) || measure_pace(feed, demand)) {
		feed_free(feed);
		return rl_fail_errno(msg, ENOMEM, "demand of %u tasks", demand->nr_tasks);
	}
	*out = feed;
	return 0;
}

void feed_free(struct feed *feed)
{
	if (!feed)
		return;
	free(feed->records);
	free(feed->first);
	free(feed->tasks);
	free(feed->file_device);
	free(feed);
}

int feed_cursor_init(struct feed_cursor *cursor, const struct feed *feed)
{
	*cursor = (struct feed_cursor){ .feed = feed };
	cursor->next = calloc((size_t)feed->nr_tasks + 1, sizeof(*cursor->next));
	cursor->paces = calloc((size_t)feed->nr_tasks + 1, sizeof(*cursor->paces));
	if (!cursor->next || !cursor->paces) {
		feed_cursor_clear(cursor);
		return -ENOMEM;
	}
	memcpy(cursor->next, feed->first, feed->nr_tasks * sizeof(*cursor->next));
	return 0;
}

void feed_cursor_clear(struct feed_cursor *cursor)
{
	free(cursor->next);
	free(cursor->paces);
	cursor->next = NULL;
	cursor->paces = NULL;
}

int64_t feed_cursor_pace(const struct feed_cursor *cursor)
{
	return mean_pace(cursor->paces, cursor->feed->nr_tasks);
}

const struct reclaim_demand *feed_next(void *ctx, uint32_t task)
{
	struct feed_cursor *cursor = ctx;
	const struct feed *feed = cursor->feed;
	const struct reclaim_demand *rec;

	if (cursor->next[task] == feed->first[task + 1])
		return NULL;
	rec = &feed->records[cursor->next[task]++];
	if (rec->op != RECLAIM_OP_NOP && !feed->tasks[task].kthread) {
		int64_t since = reclaim_engine_now(cursor->engine) - feed->tasks[task].start;

		cursor->paces[task].sum += since > 0 ? (uint64_t)since : 0;
		cursor->paces[task].requests++;
	}
	return rec;
}
