/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* zone.c - watermark checks and the sums over zones and nodes */
#include "internal.h"

int rc_gfp_zone(uint32_t gfp)
{
	if (gfp & RECLAIM_GFP_DMA)
		return RECLAIM_ZONE_DMA;
	if (gfp & RECLAIM_GFP_DMA32)
		return RECLAIM_ZONE_DMA32;
	if (!(gfp & RECLAIM_GFP_HIGHMEM))
		return RECLAIM_ZONE_NORMAL;
	return gfp & RECLAIM_GFP_MOVABLE ? RECLAIM_ZONE_MOVABLE : RECLAIM_ZONE_HIGHMEM;
}

static bool has_block(const struct rc_zone *z, uint32_t order, int mt)
{
	for (; order < RECLAIM_NR_ORDERS; order++)
		if (z->free[mt][order].len)
			return true;
	return false;
}

bool rc_wmark_ok(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t order,
		 uint64_t mark, int highest, uint32_t flags, uint64_t free)
{
	struct reclaim_wmark_check c = {
		.free = free,
		.mark = mark,
		.reserve = z->marks.reserve[highest],
		.nr_highatomic =
			e->prof.free_highatomic ? z->nr_free_highatomic : z->nr_reserved_highatomic,
		.order = order,
		.alloc_high = flags & RC_ALLOC_HIGH,
		.harder = flags & RC_ALLOC_HARDER,
		.oom = flags & RC_ALLOC_OOM,
		.highatomic = flags & RC_ALLOC_HIGHATOMIC,
	};
	int mt;

	if (order) {
		for (mt = 0; mt < RECLAIM_NR_PCP_MT && !c.block_pcp_type; mt++)
			c.block_pcp_type = has_block(z, order, mt);
		c.block_highatomic = has_block(z, order, RECLAIM_MT_HIGHATOMIC);
	}
	return reclaim_zone_watermark_ok(&e->prof, &c);
}

bool rc_wmark_slow(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t order,
		   uint64_t mark, int highest, uint32_t flags, bool min_mark)
{
	uint64_t free = z->nr_free;

	if (rc_wmark_ok(e, z, order, mark, highest, flags, free))
		return true;
	if (!e->prof.fast_unboosted || order || !z->boost || !min_mark)
		return false;
	if (!(flags & (e->prof.reserve_flags ? RC_ALLOC_HIGH : RC_ALLOC_ATOMIC)))
		return false;
	return rc_wmark_ok(e, z, 0, z->marks.min, highest, flags, free);
}

uint64_t rc_zone_reclaimable(const struct reclaim_engine *e, const struct rc_zone *z)
{
	uint64_t nr = z->lru[RECLAIM_LRU_INACTIVE_FILE] + z->lru[RECLAIM_LRU_ACTIVE_FILE];

	if (rc_swap_available(e))
		nr += z->lru[RECLAIM_LRU_INACTIVE_ANON] + z->lru[RECLAIM_LRU_ACTIVE_ANON];
	return nr;
}

uint64_t rc_node_write_pending(const struct reclaim_engine *e, const struct rc_node *n)
{
	return n->nr_dirty + n->nr_writeback;
}

uint64_t rc_node_reclaimable(const struct reclaim_engine *e, const struct rc_node *n)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++)
		nr += rc_zone_reclaimable(e, &e->zones[n->zones[i]]);
	return nr;
}
