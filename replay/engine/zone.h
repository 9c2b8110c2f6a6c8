/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * zone.h - zones: watermarks, free lists of the buddy allocator and of the CPUs, allocation
 */
#ifndef RECLAIM_ZONE_H
#define RECLAIM_ZONE_H

#include "page.h"
#include "profile.h"

struct rc_pcp {
	struct rc_list lists[RECLAIM_NR_PCP_MT][RC_PCP_ORDERS];
	int32_t count;
	int32_t high, high_min, high_max, batch;
	int32_t free_factor, alloc_factor, free_count;
	bool prev_high_order;
};

struct rc_defer {
	uint32_t considered, shift;
	int failed_order;
};

struct rc_zone {
	uint32_t id;
	uint32_t node;
	enum reclaim_zone_type type;
	uint32_t base; /* first frame */
	uint64_t start_pfn;
	uint32_t spanned;
	uint64_t managed;
	struct reclaim_wmarks marks;
	uint64_t boost;
	uint64_t nr_free;
	uint64_t nr_free_highatomic;
	uint64_t nr_reserved_highatomic;
	uint64_t nr_pcp;
	struct rc_list free[RECLAIM_NR_MT][RECLAIM_NR_ORDERS];
	uint8_t *block_mt;
	uint32_t nr_blocks;
	uint64_t lru[RECLAIM_NR_LRUS];
	uint64_t kernel, slab;
	uint64_t dirty, writeback;
	bool reclaim_active;
	bool below_high;
	bool boosted;	    /* ZONE_BOOSTED_WATERMARK */
	struct rc_pcp *pcp; /* one a CPU */
	struct rc_defer defer;
	uint32_t migrate_pos, free_pos; /* compaction scanners, frame offsets */
};

struct rc_policy_part {
	const struct reclaim_policy_ops *ops;
	void *state;
	void *handle;
};

struct reclaim_policy {
	struct rc_policy_part parts[RECLAIM_POLICY_MAX_PARTS];
	uint32_t nr;
	char *text;
};

/* ---- profile.c, policy.c, watermark.c ---- */

const struct rc_policy_part *rc_policy_find(const struct reclaim_policy *policy, size_t member);
void rc_watermarks_apply(struct reclaim_engine *e);
void rc_watermarks_of(const struct reclaim_machine *m, const struct reclaim_profile *prof,
		      const struct rc_policy_part *part, bool after_setup,
		      struct reclaim_wmarks *out);

static inline uint64_t rc_wmark_min(const struct rc_zone *z)
{
	return z->marks.min + z->boost;
}
static inline uint64_t rc_wmark_low(const struct rc_zone *z)
{
	return z->marks.low + z->boost;
}
static inline uint64_t rc_wmark_high(const struct rc_zone *z)
{
	return z->marks.high + z->boost;
}

/* ---- buddy.c ---- */

enum {
	RC_ALLOC_HIGH = 1u << 0,   /* ALLOC_HIGH, ALLOC_MIN_RESERVE */
	RC_ALLOC_HARDER = 1u << 1, /* ALLOC_HARDER, ALLOC_NON_BLOCK */
	RC_ALLOC_OOM = 1u << 2,
	RC_ALLOC_HIGHATOMIC = 1u << 3,
	RC_ALLOC_NO_WATERMARKS = 1u << 4,
	RC_ALLOC_KSWAPD = 1u << 5,
	RC_ALLOC_NOFRAGMENT = 1u << 6,
	RC_ALLOC_CPUSET = 1u << 7,
	RC_ALLOC_ATOMIC = 1u << 8, /* __GFP_ATOMIC, for the unboosted second look */
};

void rc_buddy_free(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order,
		   uint8_t mt);
uint32_t rc_buddy_alloc(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
			uint32_t flags);
/*
 * One block of several taken under one hold of the zone's lock (rmqueue_bulk()). *@single, false
 * for the first, becomes true once a block had to be taken from another type without claiming its
 * pageblock; the rest of the refill then goes on that way and looks for no claim again.
 */
uint32_t rc_buddy_refill(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
			 uint32_t flags, bool *single);
/* Take exactly this free page (it may be inside a larger free block) as a block of @order. */
bool rc_buddy_take(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order);
uint8_t rc_block_mt(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t page);
void rc_reserve_highatomic(struct reclaim_engine *e, struct rc_zone *z, uint32_t page);
/* A block kept for atomic requests goes to type @mt. */
bool rc_unreserve_highatomic(struct reclaim_engine *e, uint8_t mt, bool force);
static inline uint64_t rc_pfn(const struct rc_zone *z, uint32_t page)
{
	return z->start_pfn + (page - z->base);
}

/* ---- pcp.c ---- */

void rc_pcp_setup(struct reclaim_engine *e, struct rc_zone *z);
uint32_t rc_pcp_alloc(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
		      uint32_t flags);
void rc_pcp_free(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order);
void rc_pcp_drain_all(struct reclaim_engine *e);
void rc_pcp_decay(struct reclaim_engine *e);
bool rc_pcp_order(const struct reclaim_engine *e, uint32_t order);

/* ---- zone.c ---- */

bool rc_wmark_ok(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t order,
		 uint64_t mark, int highest, uint32_t flags, uint64_t free);
/* zone_watermark_fast(), and what it does where the quick sum is not enough. */
bool rc_wmark_slow(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t order,
		   uint64_t mark, int highest, uint32_t flags, bool min_mark);
uint64_t rc_zone_reclaimable(const struct reclaim_engine *e, const struct rc_zone *z);
int rc_gfp_zone(uint32_t gfp);

/* ---- alloc.c ---- */

/* What a function that may have to wait says when it is not on a coroutine. */
#define RC_AGAIN (-2)

struct rc_alloc {
	uint32_t order;
	uint32_t gfp;
	uint8_t mt;
	uint8_t node;
	int highest;
	uint32_t page; /* result */
	bool stalled;
};

/* 0 and a->page; -ENOMEM; RC_AGAIN. */
int rc_alloc_pages(struct reclaim_engine *e, struct rc_alloc *a);
void rc_free_pages(struct reclaim_engine *e, uint32_t page);

#endif
