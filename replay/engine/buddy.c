/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * buddy.c - free blocks by order and migrate type
 *
 * Splitting, merging, falling back to another type's blocks and, where that happens, claiming the
 * pageblock and boosting the watermarks. The older kernels move what is free in a block to the
 * requested type and may keep the block; since 6.15's rework (present in late 6.12) a block is
 * either claimed whole or one page is taken from it and the rest stays what it was.
 */
#include "internal.h"

static const uint8_t fallbacks[RECLAIM_NR_PCP_MT][2] = {
	[RECLAIM_MT_UNMOVABLE] = { RECLAIM_MT_RECLAIMABLE, RECLAIM_MT_MOVABLE },
	[RECLAIM_MT_MOVABLE] = { RECLAIM_MT_RECLAIMABLE, RECLAIM_MT_UNMOVABLE },
	[RECLAIM_MT_RECLAIMABLE] = { RECLAIM_MT_UNMOVABLE, RECLAIM_MT_MOVABLE },
};

static uint32_t block_of(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t page)
{
	return (uint32_t)((rc_pfn(z, page) >> e->m.pageblock_order) -
			  (z->start_pfn >> e->m.pageblock_order));
}

uint8_t rc_block_mt(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t page)
{
	return z->block_mt[block_of(e, z, page)];
}

static void set_block_mt(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order,
			 uint8_t mt)
{
	uint32_t first = block_of(e, z, page), nr = 1, i;

	if (order > e->m.pageblock_order)
		nr = 1u << (order - e->m.pageblock_order);
	for (i = first; i < first + nr && i < z->nr_blocks; i++)
		z->block_mt[i] = mt;
}

static void list_in(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order,
		    uint8_t mt, bool tail)
{
	struct rc_page *p = &e->pages[page];

	p->flags = RC_PG_BUDDY;
	p->order = (uint8_t)order;
	p->migratetype = mt;
	if (tail)
		rc_list_add_tail(e, &z->free[mt][order], page);
	else
		rc_list_add(e, &z->free[mt][order], page);
	z->nr_free += 1ULL << order;
	if (mt == RECLAIM_MT_HIGHATOMIC)
		z->nr_free_highatomic += 1ULL << order;
}

static void list_out(struct reclaim_engine *e, struct rc_zone *z, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	rc_list_del(e, &z->free[p->migratetype][p->order], page);
	p->flags &= ~RC_PG_BUDDY;
	z->nr_free -= 1ULL << p->order;
	if (p->migratetype == RECLAIM_MT_HIGHATOMIC)
		z->nr_free_highatomic -= 1ULL << p->order;
}

/* The frame of the buddy of a block, or RC_NONE when it lies outside the zone. */
static uint32_t buddy_of(const struct rc_zone *z, uint32_t page, uint32_t order)
{
	uint64_t pfn = rc_pfn(z, page) ^ (1ULL << order);

	if (pfn < z->start_pfn || pfn + (1ULL << order) > z->start_pfn + z->spanned)
		return RC_NONE;
	return z->base + (uint32_t)(pfn - z->start_pfn);
}

static bool is_free_block(const struct reclaim_engine *e, uint32_t page, uint32_t order)
{
	return page != RC_NONE && (e->pages[page].flags & RC_PG_BUDDY) &&
	       e->pages[page].order == order;
}

void rc_buddy_free(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order,
		   uint8_t mt)
{
	bool tail = false;

	while (order < RECLAIM_MAX_ORDER) {
		uint32_t buddy = buddy_of(z, page, order);

		if (!is_free_block(e, buddy, order))
			break;
		if (order >= e->m.pageblock_order &&
		    (e->pages[buddy].migratetype == RECLAIM_MT_HIGHATOMIC) !=
			    (mt == RECLAIM_MT_HIGHATOMIC))
			break;
		list_out(e, z, buddy);
		if (e->prof.free_to_block && order >= e->m.pageblock_order)
			set_block_mt(e, z, buddy, order, mt);
		page = rc_min(page, buddy);
		order++;
	}
	/* Likely to merge once more soon: keep it back at the tail. */
	if (order + 1 < RECLAIM_MAX_ORDER) {
		uint32_t buddy = buddy_of(z, page, order);

		if (buddy != RC_NONE)
			tail = is_free_block(e, buddy_of(z, rc_min(page, buddy), order + 1),
					     order + 1);
	}
	list_in(e, z, page, order, mt, tail);
}

/* Take a free block and give back what is beyond the wanted order. */
static uint32_t take_expand(struct reclaim_engine *e, struct rc_zone *z, uint32_t page,
			    uint32_t order, uint8_t mt)
{
	uint32_t have = e->pages[page].order;

	list_out(e, z, page);
	while (have > order) {
		have--;
		list_in(e, z, page + (1u << have), have, mt, false);
	}
	e->pages[page].order = (uint8_t)order;
	e->pages[page].migratetype = mt;
	return page;
}

static uint32_t take_smallest(struct reclaim_engine *e, struct rc_zone *z, uint32_t order,
			      uint8_t mt)
{
	uint32_t o;

	for (o = order; o < RECLAIM_NR_ORDERS; o++)
		if (z->free[mt][o].len)
			return take_expand(e, z, z->free[mt][o].head, order, mt);
	return RC_NONE;
}

bool rc_buddy_take(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order)
{
	const uint32_t in_use =
		RC_PG_RESERVED | RC_PG_PCP | RC_PG_LRU | RC_PG_ISOLATED | RC_PG_BATCHED;
	uint64_t pfn = rc_pfn(z, page), head_pfn;
	uint32_t head = RC_NONE, have;
	uint8_t mt;

	if (e->pages[page].flags & in_use)
		return false;

	for (have = order; have < RECLAIM_NR_ORDERS; have++) {
		head_pfn = pfn & ~((1ULL << have) - 1);
		if (head_pfn < z->start_pfn)
			return false;
		head = z->base + (uint32_t)(head_pfn - z->start_pfn);
		if (is_free_block(e, head, have))
			break;
	}
	if (have == RECLAIM_NR_ORDERS)
		return false;
	mt = e->pages[head].migratetype;
	list_out(e, z, head);
	while (have > order) {
		uint32_t half;

		have--;
		half = head + (1u << have);
		if (page >= half) {
			list_in(e, z, head, have, mt, false);
			head = half;
		} else {
			list_in(e, z, half, have, mt, false);
		}
	}
	e->pages[head].order = (uint8_t)order;
	e->pages[head].migratetype = mt;
	return true;
}

/* ---- falling back ---- */

/* boost_watermark() */
static void boost(struct reclaim_engine *e, struct rc_zone *z, uint32_t flags)
{
	uint64_t block = 1ULL << e->m.pageblock_order, max;
	bool boosted = false;

	if (!e->prof.has_boost)
		return;
	if (e->m.watermark_boost_factor && z->marks.high &&
	    (e->prof.boost_small_zones || 4 * block <= z->managed)) {
		max = rc_max(block, z->marks.high * e->m.watermark_boost_factor / 10000);
		z->boost = rc_min(z->boost + block, max);
		boosted = true;
	}
	if ((boosted || e->prof.boost_flag_always) && (flags & RC_ALLOC_KSWAPD))
		z->boosted = true;
}

/* Bounds of the pageblock that holds a page; false when the zone does not hold all of it. */
static bool block_range(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t page,
			uint32_t *from, uint32_t *to)
{
	uint64_t pfn = rc_pfn(z, page) & ~((1ULL << e->m.pageblock_order) - 1);

	if (pfn < z->start_pfn || pfn + (1ULL << e->m.pageblock_order) > z->start_pfn + z->spanned)
		return false;
	*from = z->base + (uint32_t)(pfn - z->start_pfn);
	*to = *from + (1u << e->m.pageblock_order);
	return true;
}

/* PageLRU(): mlocked pages are, isolated ones and those that wait for a batch are not. */
static bool is_movable(const struct rc_page *p)
{
	return p->flags & RC_PG_LRU;
}

/* Count a pageblock's free and movable pages. */
static void block_census(const struct reclaim_engine *e, uint32_t from, uint32_t to, uint32_t *free,
			 uint32_t *movable)
{
	uint32_t i;

	*free = 0;
	*movable = 0;
	for (i = from; i < to;) {
		const struct rc_page *p = &e->pages[i];

		if (p->flags & RC_PG_BUDDY) {
			*free += 1u << p->order;
			i += 1u << p->order;
			continue;
		}
		if (is_movable(p)) {
			*movable += 1u << p->order;
			i += 1u << p->order;
		} else {
			i++;
		}
	}
}

static void block_move(struct reclaim_engine *e, struct rc_zone *z, uint32_t from, uint32_t to,
		       uint8_t mt)
{
	uint32_t i;

	for (i = from; i < to;) {
		struct rc_page *p = &e->pages[i];
		uint32_t order = p->order;

		if (!(p->flags & RC_PG_BUDDY)) {
			i++;
			continue;
		}
		if (p->migratetype != mt) {
			list_out(e, z, i);
			list_in(e, z, i, order, mt, false);
		}
		i += 1u << order;
	}
}

static bool half_alike(const struct reclaim_engine *e, uint32_t free, uint32_t movable,
		       uint8_t want, uint8_t old)
{
	uint32_t block = 1u << e->m.pageblock_order, alike = 0;

	if (want == RECLAIM_MT_MOVABLE)
		alike = movable;
	else if (old == RECLAIM_MT_MOVABLE)
		alike = block - (free + movable);
	return free + alike >= block / 2;
}

static bool may_claim(const struct reclaim_engine *e, uint32_t order, uint8_t mt)
{
	return order >= e->m.pageblock_order / 2 || mt != RECLAIM_MT_MOVABLE;
}

static int fallback_type(const struct rc_zone *z, uint32_t order, uint8_t mt)
{
	int i;

	for (i = 0; i < 2; i++)
		if (z->free[fallbacks[mt][i]][order].len)
			return fallbacks[mt][i];
	return -1;
}

static void emit_extfrag(struct reclaim_engine *e, uint32_t order, uint32_t have, uint8_t want,
			 uint8_t from, bool owns)
{
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_EXTFRAG);

	ev.order = (uint8_t)order;
	ev.u.extfrag.fallback_order = (uint8_t)have;
	ev.u.extfrag.alloc_mt = want;
	ev.u.extfrag.fallback_mt = from;
	ev.u.extfrag.change_ownership = owns;
	rc_emit(e, &ev);
}

/* steal_suitable_fallback(): the block's free pages, or this one, change to the wanted type. */
static void steal(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint8_t want,
		  bool whole, uint32_t flags)
{
	uint32_t order = e->pages[page].order, from, to, free, movable;
	uint8_t old = rc_block_mt(e, z, page);

	if (order >= e->m.pageblock_order) {
		set_block_mt(e, z, page, order, want);
		goto single;
	}
	boost(e, z, flags);
	if (!whole || !block_range(e, z, page, &from, &to))
		goto single;
	block_census(e, from, to, &free, &movable);
	block_move(e, z, from, to, want);
	if (half_alike(e, free, movable, want, old))
		set_block_mt(e, z, page, 0, want);
	return;
single:
	list_out(e, z, page);
	list_in(e, z, page, order, want, false);
}

static bool fallback_steal(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
			   uint32_t flags)
{
	int least = (int)order, o, from = -1;
	uint32_t page;
	bool whole = false;

	if ((flags & RC_ALLOC_NOFRAGMENT) && order < e->m.pageblock_order)
		least = (int)e->m.pageblock_order;
	for (o = RECLAIM_MAX_ORDER; o >= least; o--) {
		from = fallback_type(z, (uint32_t)o, mt);
		if (from >= 0)
			break;
	}
	if (from < 0)
		return false;
	whole = may_claim(e, (uint32_t)o, mt);
	if (!whole && mt == RECLAIM_MT_MOVABLE && o > (int)order) {
		/* One page is wanted: the smallest block does, and @o bounds the search. */
		int top = o;

		for (o = (int)order; o < top && fallback_type(z, (uint32_t)o, mt) < 0; o++)
			;
		from = fallback_type(z, (uint32_t)o, mt);
		whole = may_claim(e, (uint32_t)o, mt);
	}
	page = z->free[from][o].head;
	steal(e, z, page, mt, whole, flags);
	emit_extfrag(e, order, (uint32_t)o, mt, (uint8_t)from, rc_block_mt(e, z, page) == mt);
	return true;
}

/* try_to_claim_block() */
static uint32_t claim(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order,
		      uint8_t want, uint8_t old, uint32_t flags)
{
	uint32_t have = e->pages[page].order, from, to, free, movable;

	if (have >= e->m.pageblock_order) {
		set_block_mt(e, z, page, have, want);
		return take_expand(e, z, page, order, want);
	}
	boost(e, z, flags);
	if (!block_range(e, z, page, &from, &to))
		return RC_NONE;
	block_census(e, from, to, &free, &movable);
	if (!half_alike(e, free, movable, want, old))
		return RC_NONE;
	block_move(e, z, from, to, want);
	set_block_mt(e, z, page, 0, want);
	return take_smallest(e, z, order, want);
}

static uint32_t fallback_claim(struct reclaim_engine *e, struct rc_zone *z, uint32_t order,
			       uint8_t mt, uint32_t flags)
{
	int least = (int)order, o, from;
	uint32_t page;

	if ((flags & RC_ALLOC_NOFRAGMENT) && order < e->m.pageblock_order)
		least = (int)e->m.pageblock_order;
	for (o = RECLAIM_MAX_ORDER; o >= least && may_claim(e, (uint32_t)o, mt); o--) {
		from = fallback_type(z, (uint32_t)o, mt);
		if (from < 0)
			continue;
		page = claim(e, z, z->free[from][o].head, order, mt, (uint8_t)from, flags);
		if (page != RC_NONE) {
			emit_extfrag(e, order, (uint32_t)o, mt, (uint8_t)from, true);
			return page;
		}
	}
	return RC_NONE;
}

static uint32_t fallback_single(struct reclaim_engine *e, struct rc_zone *z, uint32_t order,
				uint8_t mt)
{
	uint32_t o, page;
	int from;

	for (o = order; o < RECLAIM_NR_ORDERS; o++) {
		from = fallback_type(z, o, mt);
		if (from < 0)
			continue;
		page = take_expand(e, z, z->free[from][o].head, order, (uint8_t)from);
		emit_extfrag(e, order, o, mt, (uint8_t)from, false);
		return page;
	}
	return RC_NONE;
}

uint32_t rc_buddy_refill(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
			 uint32_t flags, bool *single)
{
	uint32_t page = *single ? RC_NONE : take_smallest(e, z, order, mt);

	if (page != RC_NONE || mt >= RECLAIM_NR_PCP_MT)
		return page;
	if (!e->prof.boost_on_claim) {
		if (fallback_steal(e, z, order, mt, flags))
			page = take_smallest(e, z, order, mt);
		return page;
	}
	if (!*single)
		page = fallback_claim(e, z, order, mt, flags);
	if (page == RC_NONE && !(flags & RC_ALLOC_NOFRAGMENT)) {
		page = fallback_single(e, z, order, mt);
		*single = page != RC_NONE;
	}
	return page;
}

uint32_t rc_buddy_alloc(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
			uint32_t flags)
{
	bool single = false;

	return rc_buddy_refill(e, z, order, mt, flags, &single);
}

/* ---- blocks kept for atomic requests ---- */

void rc_reserve_highatomic(struct reclaim_engine *e, struct rc_zone *z, uint32_t page)
{
	uint64_t block = 1ULL << e->m.pageblock_order, max = z->managed / 100;
	uint32_t from, to;

	if (e->prof.highatomic_blocks) {
		if (max < block)
			return;
		max = (max + block - 1) & ~(block - 1);
	} else {
		max += block;
	}
	if (z->nr_reserved_highatomic >= max || rc_block_mt(e, z, page) == RECLAIM_MT_HIGHATOMIC ||
	    !block_range(e, z, page, &from, &to))
		return;
	z->nr_reserved_highatomic += block;
	set_block_mt(e, z, page, 0, RECLAIM_MT_HIGHATOMIC);
	block_move(e, z, from, to, RECLAIM_MT_HIGHATOMIC);
}

static bool unreserve(struct reclaim_engine *e, struct rc_zone *z, uint8_t mt)
{
	uint64_t block = 1ULL << e->m.pageblock_order;
	uint32_t o, from, to;

	for (o = 0; o < RECLAIM_NR_ORDERS; o++) {
		uint32_t page = z->free[RECLAIM_MT_HIGHATOMIC][o].head;

		if (page == RC_NONE || !block_range(e, z, page, &from, &to))
			continue;
		z->nr_reserved_highatomic = rc_sub(z->nr_reserved_highatomic, block);
		set_block_mt(e, z, page, 0, mt);
		block_move(e, z, from, to, mt);
		return true;
	}
	return false;
}

bool rc_unreserve_highatomic(struct reclaim_engine *e, uint8_t mt, bool force)
{
	uint64_t block = 1ULL << e->m.pageblock_order;
	uint32_t i;

	for (i = 0; i < e->nr_zones; i++) {
		struct rc_zone *z = &e->zones[i];

		if (!z->nr_reserved_highatomic || (!force && z->nr_reserved_highatomic <= block))
			continue;
		if (unreserve(e, z, mt))
			return true;
	}
	return false;
}
