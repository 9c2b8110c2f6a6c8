/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine_random.h - random demand of every kind, for the engine's property tests */
#ifndef TESTS_ENGINE_RANDOM_H
#define TESTS_ENGINE_RANDOM_H

#include <string.h>

#include "reclaim/policy.h"

#define RANDOM_TASKS 6
#define RANDOM_IDS   24000u
#define RANDOM_FILES 5u

struct random_demand {
	uint64_t x;
	uint32_t nr_memcgs, nodes;
	uint64_t left[RANDOM_TASKS];
	struct reclaim_demand d[RANDOM_TASKS];
	uint32_t next_id;
};

static inline uint32_t random_below(struct random_demand *r, uint32_t n)
{
	r->x ^= r->x << 13;
	r->x ^= r->x >> 7;
	r->x ^= r->x << 17;
	return (uint32_t)((r->x >> 20) % n);
}

static inline void random_alloc(struct random_demand *r, struct reclaim_demand *d)
{
	static const uint32_t gfps[] = { 0, RECLAIM_GFP_KERNEL, RECLAIM_GFP_NOFS,
					 RECLAIM_GFP_ATOMIC_ALLOC,
					 RECLAIM_GFP_KERNEL | RECLAIM_GFP_NORETRY };

	d->op = RECLAIM_OP_ALLOC;
	d->page = random_below(r, RANDOM_IDS);
	switch (random_below(r, 8)) {
	case 0:
		d->use = RECLAIM_USE_KERNEL;
		d->gfp = gfps[random_below(r, 5)];
		d->order = (uint8_t)random_below(r, 4);
		/* Kernel memory must not grow for ever: a few ids. */
		d->page = RANDOM_IDS + random_below(r, 300);
		break;
	case 1:
		d->use = RECLAIM_USE_SLAB_RECLAIMABLE;
		d->migratetype = RECLAIM_MT_RECLAIMABLE;
		d->page = RANDOM_IDS + 300 + random_below(r, 600);
		break;
	case 2:
		d->use = RECLAIM_USE_ANON;
		d->order = 9;
		d->gfp = RECLAIM_GFP_TRANSHUGE | RECLAIM_GFP_NORETRY;
		d->migratetype = RECLAIM_MT_MOVABLE;
		d->page = RANDOM_IDS + 1000 + 512 * random_below(r, 6);
		d->flags = RECLAIM_DEMAND_FALLBACK;
		break;
	case 3:
		d->use = RECLAIM_USE_SHMEM;
		break;
	default:
		d->use = RECLAIM_USE_ANON;
		d->count = (uint16_t)random_below(r, 40);
		d->ref_class = (uint8_t)random_below(r, 3);
		break;
	}
}

static inline void random_free(struct random_demand *r, struct reclaim_demand *d)
{
	d->op = RECLAIM_OP_FREE;
	switch (random_below(r, 4)) {
	case 0:
		d->page = RANDOM_IDS + random_below(r, 300);
		d->order = (uint8_t)random_below(r, 4);
		d->order = 0;
		break;
	case 1:
		d->page = RANDOM_IDS + 300 + random_below(r, 600);
		break;
	case 2:
		d->page = RANDOM_IDS + 1000 + 512 * random_below(r, 6);
		d->order = 9;
		break;
	default:
		d->page = random_below(r, RANDOM_IDS);
		d->count = (uint16_t)random_below(r, 60);
		break;
	}
}

static inline void random_knob(struct random_demand *r, struct reclaim_demand *d)
{
	static const uint32_t values[RECLAIM_NR_KNOBS] = { 2000, 50,   15000, 100, 20,	 10,
							   3000, 2500, 500,   200, 1000, 1 };

	d->op = RECLAIM_OP_KNOB;
	d->page = random_below(r, RECLAIM_NR_KNOBS);
	d->index = values[d->page] / 2 + random_below(r, values[d->page]);
	d->memcg = (uint16_t)(r->nr_memcgs > 1 ? 1 + random_below(r, r->nr_memcgs - 1) : 0);
}

static inline const struct reclaim_demand *random_next(void *ctx, uint32_t task)
{
	struct random_demand *r = ctx;
	struct reclaim_demand *d = &r->d[task];
	uint32_t what = random_below(r, 1000);

	if (!r->left[task])
		return NULL;
	r->left[task]--;
	memset(d, 0, sizeof(*d));
	d->think = random_below(r, 20000);
	d->file = random_below(r, RANDOM_FILES);
	d->index = random_below(r, 12000);
	d->node = (uint8_t)random_below(r, r->nodes);
	if (what < 400) {
		d->op = RECLAIM_OP_CACHE;
		d->start = d->index & ~15u;
		d->count = 16;
		d->flags = (uint8_t)(what < 100	  ? RECLAIM_DEMAND_MAPPED
				     : what < 150 ? RECLAIM_DEMAND_ASYNC
						  : 0);
		d->gfp = what & 1 ? RECLAIM_GFP_HIGHUSER_MOVABLE | RECLAIM_GFP_NORETRY : 0;
	} else if (what < 600) {
		d->op = RECLAIM_OP_ACCESS;
		d->page = random_below(r, RANDOM_IDS);
		d->flags = (uint8_t)(what & 1 ? RECLAIM_DEMAND_WRITE : 0);
		if (what < 420)
			d->flags |= RECLAIM_DEMAND_FILE;
	} else if (what < 720) {
		d->op = RECLAIM_OP_DIRTY;
		d->count = (uint16_t)random_below(r, 32);
	} else if (what < 800) {
		random_alloc(r, d);
	} else if (what < 950) {
		random_free(r, d);
	} else if (what < 980) {
		d->op = RECLAIM_OP_TRUNCATE;
		d->count = (uint16_t)random_below(r, 4000);
	} else if (what < 985) {
		d->op = RECLAIM_OP_PROACTIVE;
		d->page = random_below(r, 400);
		d->memcg = (uint16_t)random_below(r, r->nr_memcgs);
	} else if (what < 988) {
		d->op = RECLAIM_OP_SYNC;
	} else if (what < 990) {
		random_knob(r, d);
	} else {
		d->op = RECLAIM_OP_NOP;
		d->flags = RECLAIM_DEMAND_IDLE;
		d->think = random_below(r, 3000000);
	}
	return d;
}

/* 96 MiB in two zones or on two nodes, a small swap, slow devices, a few groups. */
static inline void random_machine(struct reclaim_machine *m, uint32_t nodes, uint32_t memcgs)
{
	uint32_t i;

	reclaim_machine_init(m);
	m->cpus = 2;
	m->nodes = nodes;
	reclaim_machine_add_zone(m, 0, RECLAIM_ZONE_DMA, 1, 4095, 3000);
	reclaim_machine_add_zone(m, 0, RECLAIM_ZONE_DMA32, 4096, 16384, 15000);
	if (nodes > 1)
		reclaim_machine_add_zone(m, 1, RECLAIM_ZONE_NORMAL, 20480, 8192, 8000);
	m->swap_pages = 12000;
	m->nr_devices = 2;
	m->devices[1] = m->devices[0];
	m->devices[1].write_bytes_per_s = 30000000;
	m->swap_device = 1;
	m->nr_memcgs = memcgs;
	for (i = 1; i < memcgs; i++) {
		m->memcgs[i].parent = i > 2 ? 1 : 0;
		m->memcgs[i].max = i == 1 ? 9000 : 5000;
		m->memcgs[i].high = i == 2 ? 3000 : UINT64_MAX;
		m->memcgs[i].soft_limit = i == 3 ? 1500 : UINT64_MAX;
		m->memcgs[i].low = i == 2 ? 400 : 0;
	}
	m->ref_classes[1].per_look_ppm = 300000;
	m->ref_classes[2].per_second_ppm = 2000000;
}

static inline void random_start(struct random_demand *r, uint64_t seed, uint64_t records,
				uint32_t memcgs, uint32_t nodes, struct reclaim_task_desc *tasks)
{
	uint32_t i;

	memset(r, 0, sizeof(*r));
	r->x = seed * 2654435761u + 88172645463325252ULL;
	r->nr_memcgs = memcgs;
	r->nodes = nodes;
	for (i = 0; i < RANDOM_TASKS; i++) {
		r->left[i] = records;
		tasks[i] = (struct reclaim_task_desc){ .start = (int64_t)i * 100000,
						       .cpu = -1,
						       .tag = i };
		tasks[i].memcg = memcgs > 1 ? i % memcgs : 0;
	}
}

#endif
