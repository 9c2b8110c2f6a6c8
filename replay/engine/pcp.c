/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pcp.c - the per-CPU lists in front of the buddy allocator
 *
 * Three generations of rules: fixed batch and high mark (to 5.12); high from the low watermark with
 * a freeing batch that grows (5.14); high that grows and decays by itself between two limits (6.7).
 */
#include "internal.h"

#define SCALE_MAX     5 /* CONFIG_PCP_BATCH_SCALE_MAX */
#define HIGH_FRACTION 8 /* MIN_PERCPU_PAGELIST_HIGH_FRACTION */

bool rc_pcp_order(const struct reclaim_engine *e, uint32_t order)
{
	if (!order)
		return true;
	return e->prof.pcp_high_orders &&
	       (order <= RC_COSTLY_ORDER || order == e->m.pageblock_order);
}

static uint32_t order_index(uint32_t order)
{
	return order <= RC_COSTLY_ORDER ? order : RC_PCP_ORDERS - 1;
}

/* zone_batchsize() */
static int32_t batch_size(const struct reclaim_engine *e, const struct rc_zone *z)
{
	uint64_t cap = (e->prof.pcp == RC_PCP_49 ? 512u << 10 : 1u << 20) / e->m.page_size;
	uint64_t batch = rc_max(rc_min(z->managed >> 10, cap) / 4, 1);

	batch += batch / 2;
	return (int32_t)rc_max((1ULL << (rc_fls64(batch) - 1)) - 1, 1);
}

void rc_pcp_setup(struct reclaim_engine *e, struct rc_zone *z)
{
	int32_t batch = batch_size(e, z), high, max;
	uint32_t c;

	high = (int32_t)(z->marks.low / e->nr_cpus);
	high = rc_max(high, batch << 2);
	max = (int32_t)rc_max(z->managed / HIGH_FRACTION / e->nr_cpus, (uint64_t)batch << 2);
	if (e->prof.pcp == RC_PCP_49) {
		high = 6 * batch;
		max = high;
	} else if (e->prof.pcp == RC_PCP_514) {
		max = high;
	}
	for (c = 0; c < e->nr_cpus; c++) {
		struct rc_pcp *p = &z->pcp[c];

		p->batch = batch;
		p->high_min = high;
		p->high_max = max;
		p->high = (int32_t)rc_clamp((uint64_t)rc_max(p->high, 0), (uint64_t)high,
					    (uint64_t)max);
	}
}

static void pcp_in(struct reclaim_engine *e, struct rc_zone *z, struct rc_pcp *p, uint32_t page,
		   uint32_t order, uint8_t mt, bool tail)
{
	struct rc_list *l = &p->lists[mt][order_index(order)];

	e->pages[page].flags = RC_PG_PCP;
	e->pages[page].order = (uint8_t)order;
	e->pages[page].migratetype = mt;
	if (tail)
		rc_list_add_tail(e, l, page);
	else
		rc_list_add(e, l, page);
	p->count += 1 << order;
	z->nr_pcp += 1ULL << order;
}

static void pcp_out(struct reclaim_engine *e, struct rc_zone *z, struct rc_pcp *p, uint32_t page)
{
	struct rc_page *pg = &e->pages[page];

	rc_list_del(e, &p->lists[pg->migratetype][order_index(pg->order)], page);
	pg->flags &= ~RC_PG_PCP;
	p->count -= 1 << pg->order;
	z->nr_pcp -= 1ULL << pg->order;
}

/* free_pcppages_bulk(): round robin over the lists, from their cold ends. */
static void free_bulk(struct reclaim_engine *e, struct rc_zone *z, struct rc_pcp *p, int32_t nr,
		      uint32_t start)
{
	const uint32_t lists = RECLAIM_NR_PCP_MT * RC_PCP_ORDERS;
	uint32_t at = start ? start - 1 : lists - 1;

	nr = rc_min(nr, p->count);
	while (nr > 0) {
		struct rc_list *l;

		do {
			at = at + 1 == lists ? 0 : at + 1;
			l = &p->lists[at % RECLAIM_NR_PCP_MT][at / RECLAIM_NR_PCP_MT];
		} while (!l->len);
		do {
			uint32_t page = l->tail, order = e->pages[page].order;
			uint8_t mt = e->pages[page].migratetype;

			/*
			 * A page goes to its block's list if that is reserved; since 6.10 always:
			 * what came from another type's block and was not used is there again.
			 */
			if (e->prof.free_to_block ||
			    rc_block_mt(e, z, page) == RECLAIM_MT_HIGHATOMIC)
				mt = rc_block_mt(e, z, page);
			pcp_out(e, z, p, page);
			rc_buddy_free(e, z, page, order, mt);
			nr -= 1 << order;
		} while (nr > 0 && l->len);
	}
}

/* ---- 5.14 rules ---- */

/* Small blocks freed one after the other: keep none, they would fragment what is free. */
static bool free_high_514(const struct reclaim_engine *e, const struct rc_pcp *p, uint32_t order)
{
	return e->prof.pcp_free_high && p->free_factor && order && order <= RC_COSTLY_ORDER;
}

static int32_t high_514(const struct rc_zone *z, const struct rc_pcp *p)
{
	return z->reclaim_active ? rc_min(p->batch << 2, p->high) : p->high;
}

static int32_t nr_free_514(struct rc_pcp *p, int32_t high)
{
	int32_t batch = p->batch, max = high - p->batch;

	if (high < batch)
		return 1;
	batch <<= p->free_factor;
	if (batch < max)
		p->free_factor++;
	return (int32_t)rc_clamp((uint64_t)batch, (uint64_t)p->batch,
				 (uint64_t)rc_max(max, p->batch));
}

/* ---- 6.7 rules ---- */

/* The CPU's share of the caches is taken to hold three batches, as on all but the smallest. */
static bool free_high_67(const struct reclaim_engine *e, struct rc_pcp *p, uint32_t order)
{
	int32_t least = p->batch + (e->prof.pcp_high_late ? p->high_min / 2 : 0);
	bool again = p->prev_high_order;

	p->prev_high_order = order && order <= RC_COSTLY_ORDER;
	return p->prev_high_order && again && p->free_count >= least && p->count >= p->batch;
}

static int32_t high_67(struct rc_zone *z, struct rc_pcp *p, bool free_high)
{
	int32_t high, spare = rc_max(p->free_count, p->batch);

	p->high = rc_max(rc_min(p->high, p->high_max), p->high_min);
	high = p->high;
	if (free_high) {
		p->high = rc_max(high - (p->batch << SCALE_MAX), p->high_min);
		return 0;
	}
	if (z->reclaim_active) {
		p->high = rc_max(high - spare, p->high_min);
		return rc_min(p->batch << 2, p->high);
	}
	if (p->high_min == p->high_max)
		return high;
	if (z->below_high) {
		p->high = rc_max(high - spare, p->high_min);
		high = rc_max(p->count, p->high_min);
	} else if (p->count >= high) {
		int32_t need = p->free_count + p->batch;

		if (p->high < need)
			p->high = rc_max(rc_min(need, p->high_max), p->high_min);
	}
	return high;
}

static int32_t nr_free_67(struct rc_pcp *p, int32_t high, bool free_high)
{
	int32_t max = high - p->batch;

	if (free_high)
		return rc_min(p->count, p->batch << SCALE_MAX);
	if (high < p->batch)
		return 1;
	return rc_max(rc_min(p->free_count, max), p->batch);
}

static int32_t nr_alloc_67(struct rc_zone *z, struct rc_pcp *p, uint32_t order)
{
	int32_t high, batch, max;

	p->high = rc_max(rc_min(p->high, p->high_max), p->high_min);
	high = p->high;
	if (high < p->batch)
		return 1;
	batch = order ? p->batch : p->batch << p->alloc_factor;
	if (p->high_min != p->high_max && !z->below_high) {
		p->high = rc_min(high + batch, p->high_max);
		high = p->high;
	}
	if (!order) {
		max = rc_max(high - p->count - p->batch, p->batch);
		if (batch <= max && p->alloc_factor < SCALE_MAX)
			p->alloc_factor++;
		batch = rc_min(batch, max);
	}
	return batch > 1 ? rc_max(batch >> order, 2) : batch;
}

static int32_t nr_alloc(const struct reclaim_engine *e, struct rc_zone *z, struct rc_pcp *p,
			uint32_t order)
{
	if (e->prof.pcp == RC_PCP_67)
		return nr_alloc_67(z, p, order);
	return order && p->batch > 1 ? rc_max(p->batch >> order, 2) : p->batch;
}

uint32_t rc_pcp_alloc(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
		      uint32_t flags)
{
	struct rc_pcp *p = &z->pcp[e->cur_cpu];
	struct rc_list *l = &p->lists[mt][order_index(order)];
	uint32_t page;

	if (e->prof.pcp == RC_PCP_514)
		p->free_factor >>= 1;
	else
		p->free_count >>= 1;
	if (!l->len) {
		int32_t nr = nr_alloc(e, z, p, order);
		bool single = false;

		while (nr-- > 0) {
			page = rc_buddy_refill(e, z, order, mt, flags, &single);
			if (page == RC_NONE)
				break;
			pcp_in(e, z, p, page, order, mt, true);
		}
		if (!l->len)
			return RC_NONE;
	}
	page = l->head;
	pcp_out(e, z, p, page);
	return page;
}

void rc_pcp_free(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order)
{
	struct rc_pcp *p = &z->pcp[e->cur_cpu];
	uint8_t mt = rc_block_mt(e, z, page);
	bool free_high = false;
	int32_t high, nr;

	if (mt >= RECLAIM_NR_PCP_MT)
		mt = RECLAIM_MT_MOVABLE;
	pcp_in(e, z, p, page, order, mt, false);
	if (e->prof.pcp == RC_PCP_67) {
		p->alloc_factor >>= 1;
		free_high = free_high_67(e, p, order);
		if (p->free_count < p->batch << SCALE_MAX)
			p->free_count += 1 << order;
		high = high_67(z, p, free_high);
		nr = nr_free_67(p, high, free_high);
	} else if (e->prof.pcp == RC_PCP_514) {
		free_high = free_high_514(e, p, order);
		high = free_high ? 0 : high_514(z, p);
		nr = p->count;
		if (!free_high && p->count >= high)
			nr = nr_free_514(p, high);
	} else {
		high = p->high;
		nr = p->batch;
	}
	if (p->count < high)
		return;
	free_bulk(e, z, p, nr, mt + order_index(order) * RECLAIM_NR_PCP_MT);
	if (z->below_high &&
	    rc_wmark_ok(e, z, 0, rc_wmark_high(z), RECLAIM_ZONE_MOVABLE, 0, z->nr_free))
		z->below_high = false;
}

void rc_pcp_drain_all(struct reclaim_engine *e)
{
	uint32_t i, c;

	for (i = 0; i < e->nr_zones; i++)
		for (c = 0; c < e->nr_cpus; c++)
			free_bulk(e, &e->zones[i], &e->zones[i].pcp[c], e->zones[i].pcp[c].count,
				  0);
}

/* decay_pcp_high(), once a second by the counter worker of each CPU. */
void rc_pcp_decay(struct reclaim_engine *e)
{
	uint32_t i, c;

	if (e->prof.pcp != RC_PCP_67)
		return;
	for (i = 0; i < e->nr_zones; i++) {
		for (c = 0; c < e->nr_cpus; c++) {
			struct rc_pcp *p = &e->zones[i].pcp[c];
			int32_t over;

			if (p->high > p->high_min)
				p->high = rc_max(rc_max(p->count - (p->batch << SCALE_MAX),
							p->high - (p->high >> 3)),
						 p->high_min);
			over = p->count - p->high;
			if (over > 0)
				free_bulk(e, &e->zones[i], p, over, 0);
		}
	}
}
