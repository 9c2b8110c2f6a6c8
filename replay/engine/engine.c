/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* engine.c - making an engine, and asking it */
#include <stdlib.h>

#include "internal.h"

#define INIT_BANDWIDTH (100u << 20) /* bytes a second, INIT_BW: until writeback was seen */

/* ---- checking what the caller describes ---- */

static int check_zones(const struct reclaim_machine *m, struct reclaim_error *error)
{
	uint64_t total = 0;
	uint32_t i;

	if (!m->nr_zones || m->nr_zones > RECLAIM_MAX_ZONES)
		return rc_fail(error, EINVAL, "machine: %u zones, expected 1..%d", m->nr_zones,
			       RECLAIM_MAX_ZONES);
	for (i = 0; i < m->nr_zones; i++) {
		const struct reclaim_zone_desc *z = &m->zones[i];

		if (z->node >= m->nodes || z->type >= RECLAIM_NR_ZONE_TYPES)
			return rc_fail(error, EINVAL, "zone %u: node %u, type %d", i, z->node,
				       (int)z->type);
		if (i && (z->node < z[-1].node || (z->node == z[-1].node && z->type <= z[-1].type)))
			return rc_fail(error, EINVAL,
				       "zone %u: zones must be in order of node and type", i);
		if (!z->managed || (z->spanned && z->spanned < z->managed) ||
		    z->managed_at_setup > 2 * z->managed || z->start_pfn > 1ULL << 52)
			return rc_fail(error, EINVAL, "zone %u: managed %llu, spanned %llu pages",
				       i, (unsigned long long)z->managed,
				       (unsigned long long)z->spanned);
		total += rc_max(z->spanned, z->managed);
		if (total >= 1u << 29)
			return rc_fail(error, EINVAL, "machine: more than %u pages",
				       (1u << 29) - 1);
	}
	return 0;
}

static int check_devices(const struct reclaim_machine *m, struct reclaim_error *error)
{
	uint32_t i;

	if (!m->nr_devices || m->nr_devices > RECLAIM_MAX_DEVICES ||
	    m->swap_device >= m->nr_devices)
		return rc_fail(error, EINVAL, "machine: %u devices, swap on number %u",
			       m->nr_devices, m->swap_device);
	for (i = 0; i < m->nr_devices; i++) {
		const struct reclaim_device_desc *d = &m->devices[i];

		if (!d->read_bytes_per_s || !d->write_bytes_per_s || d->read_latency_ns < 0 ||
		    d->write_latency_ns < 0 || !d->queues || d->queues > 64 || !d->merge_pages ||
		    d->merge_pages > RC_MAX_IO_PAGES)
			return rc_fail(error, EINVAL,
				       "device %u: bandwidths, latencies, queues or merging", i);
	}
	return 0;
}

static int check_machine(const struct reclaim_machine *m, struct reclaim_error *error)
{
	uint32_t i;
	int ret;

	if (m->page_size < 4096 || m->page_size > 65536 || (m->page_size & (m->page_size - 1)))
		return rc_fail(error, EINVAL, "machine: page size %u", m->page_size);
	if (!m->cpus || m->cpus > RECLAIM_MAX_CPUS || !m->nodes || m->nodes > RECLAIM_MAX_NODES)
		return rc_fail(error, EINVAL, "machine: %u CPUs, %u nodes", m->cpus, m->nodes);
	if (m->hz < 24 || m->hz > 10000 || m->timeslice_ns < 0)
		return rc_fail(error, EINVAL, "machine: hz %u, time slice %lld ns", m->hz,
			       (long long)m->timeslice_ns);
	if (m->pageblock_order < 4 || m->pageblock_order > RECLAIM_MAX_ORDER)
		return rc_fail(error, EINVAL, "machine: pageblock order %u", m->pageblock_order);
	if (m->kswapd_order > RECLAIM_MAX_ORDER)
		return rc_fail(error, EINVAL, "machine: order %u asked of kswapd", m->kswapd_order);
	if (m->swappiness > 200 || m->dirty_ratio > 100 || m->dirty_background_ratio > 100)
		return rc_fail(error, EINVAL, "machine: swappiness %u, dirty ratios %u and %u",
			       m->swappiness, m->dirty_ratio, m->dirty_background_ratio);
	if (!m->nr_memcgs || m->nr_memcgs > RECLAIM_MAX_MEMCGS)
		return rc_fail(error, EINVAL, "machine: %u memory cgroups", m->nr_memcgs);
	for (i = 1; i < m->nr_memcgs; i++)
		if (m->memcgs[i].parent >= i)
			return rc_fail(error, EINVAL, "memory cgroup %u: parent %u comes later", i,
				       m->memcgs[i].parent);
	ret = check_zones(m, error);
	return ret ? ret : check_devices(m, error);
}

/* ---- building ---- */

static void init_frames(struct reclaim_engine *e, struct rc_zone *z)
{
	uint32_t i;

	for (i = z->base; i < z->base + z->spanned; i++) {
		struct rc_page *p = &e->pages[i];

		p->zone = (uint8_t)z->id;
		p->file = RC_NONE;
		p->next = RC_NONE;
		p->prev = RC_NONE;
		p->dirty_next = RC_NONE;
		p->dirty_prev = RC_NONE;
		p->migratetype = RECLAIM_MT_MOVABLE;
	}
	/* What the kernel image and the memory map took lies at the bottom. */
	for (i = z->base; i < z->base + z->spanned - z->managed; i++)
		e->pages[i].flags = RC_PG_RESERVED;
}

/* Give a run of frames to the buddy allocator, in the largest aligned blocks. */
static void free_run(struct reclaim_engine *e, struct rc_zone *z, uint32_t from, uint32_t to)
{
	while (from < to) {
		uint32_t order = RECLAIM_MAX_ORDER;

		while ((rc_pfn(z, from) & ((1ULL << order) - 1)) || from + (1u << order) > to)
			order--;
		rc_buddy_free(e, z, from, order, rc_block_mt(e, z, from));
		from += 1u << order;
	}
}

static int init_zone(struct reclaim_engine *e, uint32_t id, uint32_t base)
{
	const struct reclaim_zone_desc *d = &e->m.zones[id];
	struct rc_zone *z = &e->zones[id];
	uint32_t mt, order, c;

	z->id = id;
	z->node = d->node;
	z->type = d->type;
	z->base = base;
	z->start_pfn = d->start_pfn;
	z->spanned = (uint32_t)rc_max(d->spanned, d->managed);
	z->managed = d->managed;
	z->nr_blocks = (uint32_t)(((z->start_pfn + z->spanned - 1) >> e->m.pageblock_order) -
				  (z->start_pfn >> e->m.pageblock_order) + 1);
	z->free_pos = z->spanned;
	z->defer.failed_order = RECLAIM_NR_ORDERS;
	z->block_mt = malloc(z->nr_blocks);
	z->pcp = calloc(e->m.cpus, sizeof(*z->pcp));
	if (!z->block_mt || !z->pcp)
		return -ENOMEM;
	memset(z->block_mt, RECLAIM_MT_MOVABLE, z->nr_blocks);
	for (mt = 0; mt < RECLAIM_NR_MT; mt++)
		for (order = 0; order < RECLAIM_NR_ORDERS; order++)
			z->free[mt][order] = RC_LIST_INIT;
	for (c = 0; c < e->m.cpus; c++)
		for (mt = 0; mt < RECLAIM_NR_PCP_MT; mt++)
			for (order = 0; order < RC_PCP_ORDERS; order++)
				z->pcp[c].lists[mt][order] = RC_LIST_INIT;
	init_frames(e, z);
	free_run(e, z, z->base + z->spanned - (uint32_t)z->managed, z->base + z->spanned);
	e->total_managed += z->managed;
	return 0;
}

static void add_zones_of(struct reclaim_engine *e, struct rc_node *n, uint32_t node)
{
	int type;
	uint32_t i;

	for (type = RECLAIM_NR_ZONE_TYPES - 1; type >= 0; type--)
		for (i = 0; i < e->nr_zones; i++)
			if (e->zones[i].node == node && (int)e->zones[i].type == type)
				n->zonelist[n->nr_zonelist++] = i;
}

static bool node_has(const struct reclaim_engine *e, const struct rc_node *n,
		     enum reclaim_zone_type type)
{
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++)
		if (e->zones[n->zones[i]].type == type && e->zones[n->zones[i]].managed)
			return true;
	return false;
}

static void init_node(struct reclaim_engine *e, uint32_t id)
{
	struct rc_node *n = &e->nodes[id];
	uint32_t i;

	n->id = id;
	n->kswapd_zone = e->m.kswapd_asked ? RECLAIM_ZONE_MOVABLE : -1;
	n->kswapd_order = e->m.kswapd_asked ? (int)e->m.kswapd_order : 0;
	n->kcompactd_zone = -1;
	for (i = 0; i < e->nr_zones; i++)
		if (e->zones[i].node == id)
			n->zones[n->nr_zones++] = i;
	n->spares_normal =
		node_has(e, n, RECLAIM_ZONE_DMA32) && node_has(e, n, RECLAIM_ZONE_NORMAL);
	for (i = 0; i < e->m.nodes; i++)
		add_zones_of(e, n, (id + i) % e->m.nodes);
}

static int init_lruvecs(struct reclaim_engine *e)
{
	uint32_t m, n;
	int lru;

	e->memcgs = calloc(e->m.nr_memcgs, sizeof(*e->memcgs));
	e->lruvecs = calloc((size_t)e->m.nr_memcgs * e->m.nodes, sizeof(*e->lruvecs));
	if (!e->memcgs || !e->lruvecs)
		return -ENOMEM;
	for (m = 0; m < e->m.nr_memcgs; m++) {
		e->memcgs[m].desc = e->m.memcgs[m];
		for (n = 0; n < e->m.nodes; n++) {
			struct rc_lruvec *v = rc_lruvec(e, n, m);

			v->node = n;
			v->memcg = (uint16_t)m;
			for (lru = 0; lru < RECLAIM_NR_LRUS; lru++)
				v->lists[lru] = RC_LIST_INIT;
			rc_gen_init(v);
		}
	}
	return 0;
}

#define FIND(policy, member) rc_policy_find(policy, offsetof(struct reclaim_policy_ops, member))
#define PART(member)	     FIND(e->policy, member)
#define PART_OR_RULE(member) (PART(member) ? PART(member) : FIND(e->rules, member))

static int init_policy(struct reclaim_engine *e, const struct reclaim_config *config,
		       struct reclaim_error *error)
{
	uint32_t i;

	e->rules = reclaim_policy_create(e->prof.rules, error);
	if (!e->rules)
		return -ENOMEM;

	e->p_watermarks = PART(watermarks);
	e->p_tick = PART(tick);
	e->p_wake = PART(wake_kswapd);
	e->p_balance_mark = PART(balance_mark);
	e->p_scan_balance = PART(scan_balance);
	e->p_verdict = PART(verdict);
	e->p_throttle = PART_OR_RULE(throttle);
	e->p_bailout = PART_OR_RULE(bailout);
	e->p_memcg = PART(memcg_background);
	e->p_contig = PART(contiguous);
	e->mglru = e->prof.mglru;
	for (i = 0; e->policy && i < e->policy->nr; i++) {
		const struct reclaim_policy_ops *ops = e->policy->parts[i].ops;

		if (ops->lru_kind == RECLAIM_LRU_PROFILE)
			continue;
		e->p_lru = &e->policy->parts[i];
		e->mglru = ops->lru_kind == RECLAIM_LRU_MGLRU;
		if (e->mglru && !e->prof.mglru_version)
			e->prof.mglru_version = 1;
		if (ops->lru_kind == RECLAIM_LRU_DISCIPLINE)
			e->discipline = ops->discipline;
		if (e->discipline && ops->future)
			e->future = *config->future;
		break;
	}
	if (e->p_tick && e->p_tick->ops->tick_ns <= 0)
		e->p_tick = NULL;
	return 0;
}

static int init_memory(struct reclaim_engine *e)
{
	uint64_t total = 0;
	uint32_t i, base = 0;
	int ret;

	for (i = 0; i < e->m.nr_zones; i++)
		total += rc_max(e->m.zones[i].spanned, e->m.zones[i].managed);
	e->nr_pages = (uint32_t)total;
	e->nr_zones = e->m.nr_zones;
	e->pages = calloc(e->nr_pages, sizeof(*e->pages));
	e->zones = calloc(e->nr_zones, sizeof(*e->zones));
	if (!e->pages || !e->zones)
		return -ENOMEM;
	for (i = 0; i < e->nr_zones; i++) {
		ret = init_zone(e, i, base);
		if (ret)
			return ret;
		base += e->zones[i].spanned;
	}
	for (i = 0; i < e->m.nodes; i++)
		init_node(e, i);
	return init_lruvecs(e);
}

int reclaim_engine_create(struct reclaim_engine **out, const struct reclaim_config *config,
			  struct reclaim_error *error)
{
	struct reclaim_engine *e;
	uint32_t i;
	int ret;

	*out = NULL;
	if (!config->machine || !config->profile || !config->next ||
	    (config->nr_tasks && !config->tasks))
		return rc_fail(error, EINVAL,
			       "an engine needs a machine, a profile, tasks and their demand");
	if (config->policy && reclaim_policy_needs_future(config->policy) && !config->future)
		return rc_fail(error, EINVAL,
			       "policy %s needs to know the future of the demand (config.future)",
			       reclaim_policy_describe(config->policy));
	ret = check_machine(config->machine, error);
	if (ret)
		return ret;
	for (i = 0; i < config->nr_tasks; i++)
		if (config->tasks[i].memcg >= config->machine->nr_memcgs ||
		    config->tasks[i].cpu >= (int32_t)config->machine->cpus)
			return rc_fail(error, EINVAL, "task %u: memory cgroup %u, CPU %d", i,
				       config->tasks[i].memcg, config->tasks[i].cpu);
	e = calloc(1, sizeof(*e));
	if (!e)
		return rc_fail(error, ENOMEM, "no memory for an engine");
	e->m = *config->machine;
	e->prof = *config->profile;
	e->policy = config->policy;
	e->next = config->next;
	e->next_ctx = config->next_ctx;
	e->event = config->event;
	e->event_ctx = config->event_ctx;
	e->event_mask = config->event_mask ? config->event_mask : UINT64_MAX;
	e->sample_ns = config->sample ? config->sample_ns : 0;
	e->sample = config->sample;
	e->sample_ctx = config->sample_ctx;
	e->stop = config->stop;
	e->file_device = config->file_device;
	e->nr_file_device = config->nr_files;
	e->free_request = RC_NONE;
	e->cur = RC_NONE;
	e->dirty_list = RC_LIST_INIT;
	e->slab_list = RC_LIST_INIT;
	e->write_bw = INIT_BANDWIDTH / e->m.page_size;
	e->avg_write_bw = e->write_bw;
	e->flush_head = e->flush_tail = e->flush_file = RC_NONE;
	e->dirty_ratelimit = e->write_bw;
	e->balanced_ratelimit = e->write_bw;
	e->hash = 0xcbf29ce484222325ULL;
	rc_prng_seed(&e->rng, config->seed);
	for (i = 0; i < e->m.nr_devices; i++) {
		e->devices[i].desc = e->m.devices[i];
		rc_wbt_init(&e->devices[i]);
	}
	rc_swap_setup(e);
	e->nr_cpus = e->m.cpus;
	ret = init_policy(e, config, error);
	if (ret) {
		reclaim_engine_free(e);
		return ret;
	}
	if (init_memory(e) || rc_slots_init(e) || rc_sched_init(e, config)) {
		reclaim_engine_free(e);
		return rc_fail(error, ENOMEM, "no memory for an engine of %llu pages",
			       (unsigned long long)config->machine->zones[0].managed);
	}
	rc_watermarks_apply(e);
	*out = e;
	return 0;
}

void reclaim_engine_free(struct reclaim_engine *e)
{
	uint32_t i;

	if (!e)
		return;
	rc_sched_free(e);
	for (i = 0; e->zones && i < e->nr_zones; i++) {
		free(e->zones[i].block_mt);
		free(e->zones[i].pcp);
	}
	for (i = 0; i < e->nr_files; i++)
		rc_table_free(&e->files[i].table);
	rc_table_free(&e->logical);
	rc_slots_free(e);
	free(e->files);
	free(e->requests);
	free(e->memcgs);
	free(e->lruvecs);
	free(e->zones);
	free(e->pages);
	reclaim_policy_free(e->rules);
	free(e);
}

/* ---- asking ---- */

uint64_t reclaim_engine_counter(const struct reclaim_engine *e, enum reclaim_counter counter)
{
	return (unsigned int)counter < RECLAIM_NR_COUNTERS ? e->vm[counter] : 0;
}

const uint64_t *reclaim_engine_counters(const struct reclaim_engine *e)
{
	return e->vm;
}

int reclaim_engine_zone(const struct reclaim_engine *e, uint32_t zone,
			struct reclaim_zone_state *out)
{
	const struct rc_zone *z;
	int mt, order;

	if (zone >= e->nr_zones)
		return -EINVAL;
	z = &e->zones[zone];
	memset(out, 0, sizeof(*out));
	out->node = z->node;
	out->type = z->type;
	out->managed = z->managed;
	out->free = z->nr_free;
	out->pcp = z->nr_pcp;
	out->min = z->marks.min;
	out->low = z->marks.low;
	out->high = z->marks.high;
	out->promo = z->marks.promo;
	out->boost = z->boost;
	memcpy(out->reserve, z->marks.reserve, sizeof(out->reserve));
	memcpy(out->lru, z->lru, sizeof(out->lru));
	out->kernel = z->kernel;
	out->slab_reclaimable = z->slab;
	out->dirty = z->dirty;
	out->writeback = z->writeback;
	for (mt = 0; mt < RECLAIM_NR_MT; mt++)
		for (order = 0; order < RECLAIM_NR_ORDERS; order++)
			out->free_blocks[mt][order] = z->free[mt][order].len;
	out->nr_highatomic = z->nr_reserved_highatomic;
	out->pcp_batch = (uint32_t)z->pcp[0].batch;
	return 0;
}

int reclaim_engine_memcg(const struct reclaim_engine *e, uint32_t memcg,
			 struct reclaim_memcg_state *out)
{
	const struct rc_memcg *g;
	uint32_t n, lru;

	if (memcg >= e->m.nr_memcgs)
		return -EINVAL;
	g = &e->memcgs[memcg];
	memset(out, 0, sizeof(*out));
	out->usage = g->usage;
	out->max = g->desc.max;
	out->high = g->desc.high;
	out->low = g->desc.low;
	out->min = g->desc.min;
	out->soft_limit = g->desc.soft_limit;
	out->max_events = g->max_events;
	out->high_events = g->high_events;
	out->oom_kills = g->oom_kills;
	out->scanned = g->scanned;
	out->stolen = g->stolen;
	for (n = 0; n < e->m.nodes; n++)
		for (lru = 0; lru < RECLAIM_NR_LRUS; lru++)
			out->lru[lru] += e->lruvecs[memcg * e->m.nodes + n].size[lru];
	return 0;
}

uint64_t reclaim_engine_swap_used(const struct reclaim_engine *e)
{
	return e->swap_used;
}

int reclaim_engine_task(const struct reclaim_engine *e, uint32_t task,
			struct reclaim_task_state *out)
{
	const struct rc_actor *a;

	if (task >= e->nr_tasks)
		return -EINVAL;
	a = &e->actors[task];
	*out = (struct reclaim_task_state){
		.now = a->state == RC_RUNNING ? e->cpus[a->cpu].now : e->now,
		.stall_ns = a->stall_ns,
		.io_ns = a->io_ns,
		.dirty_ns = a->dirty_ns,
		.records = a->records,
		.stalls = a->stalls,
		.ended = a->ended,
		.killed = a->killed,
	};
	return 0;
}

bool reclaim_engine_resident(const struct reclaim_engine *e, uint32_t file, uint32_t index)
{
	return file < e->nr_files &&
	       rc_entry_frame(rc_table_get(&e->files[file].table, index)) != RC_NONE;
}

uint64_t reclaim_engine_hash(const struct reclaim_engine *e)
{
	return e->hash;
}
