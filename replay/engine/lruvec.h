/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lruvec.h - nodes, memory cgroups and their lists of evictable pages
 */
#ifndef RECLAIM_LRUVEC_H
#define RECLAIM_LRUVEC_H

#include "actor.h"

struct rc_gens {
	uint64_t max_seq;
	uint64_t min_seq[2];
	struct rc_list lists[RC_NR_GENS][2];
	/* Refaults, evictions and protections of the current generations by tier, and their
	 * averages. */
	uint64_t avg_refaulted[2][RC_NR_TIERS], avg_total[2][RC_NR_TIERS];
	uint64_t refaulted[2][RC_NR_TIERS], evicted[2][RC_NR_TIERS], prot[2][RC_NR_TIERS];
};

struct rc_lruvec {
	uint32_t node;
	uint16_t memcg;
	struct rc_list lists[RECLAIM_NR_LRUS];
	uint64_t zone_size[RECLAIM_NR_ZONE_TYPES][RECLAIM_NR_LRUS];
	uint64_t size[RECLAIM_NR_LRUS];
	uint64_t anon_cost, file_cost;
	uint64_t recent_scanned[2], recent_rotated[2];
	uint64_t nonresident_age;
	uint64_t activations[2],
		activations_seen[2]; /* workingset activations and their snapshot */
	bool congested;
	struct rc_gens gens;
	void *slot[2];
};

struct rc_memcg {
	struct reclaim_memcg_desc desc;
	uint64_t usage;
	uint64_t emin, elow; /* effective protection, as of the last walk that came by */
	uint64_t max_events, high_events, oom_kills, scanned, stolen;
	uint64_t charge_events;
	bool background; /* the worker has it queued */
	uint64_t scan_limit;
	int64_t again_ns;
	uint64_t goal;
};

struct rc_node {
	uint32_t id;
	uint32_t nr_zones;
	uint32_t zones[RECLAIM_NR_ZONE_TYPES];
	uint32_t nr_zonelist;
	uint32_t zonelist[RECLAIM_MAX_ZONES];
	bool spares_normal; /* has DMA32 beside NORMAL */
	uint64_t isolated[2];
	uint64_t nr_dirty, nr_writeback; /* files; anon writeback counts too */
	bool flag_writeback, flag_dirty, flag_congested;
	uint32_t kswapd; /* actor */
	int kswapd_order;
	int kswapd_zone; /* highest zone wanted, -1 none */
	uint32_t kswapd_failures;
	bool kswapd_asleep;
	struct rc_waitq kswapd_wait;
	struct rc_waitq pfmemalloc_wait;
	struct rc_waitq throttle_wait[RECLAIM_NR_THROTTLES];
	uint64_t written_at_throttle; /* nr_throttled_written when the first sleeper came */
	uint64_t throttled_written;
	uint32_t kcompactd;
	int kcompactd_order, kcompactd_zone;
	struct rc_waitq kcompactd_wait;
	bool has_lru_gen_memcgs;
};

/* ---- lru.c ---- */

static inline int rc_is_file_lru(int lru)
{
	return lru == RECLAIM_LRU_INACTIVE_FILE || lru == RECLAIM_LRU_ACTIVE_FILE;
}
static inline int rc_is_active_lru(int lru)
{
	return lru == RECLAIM_LRU_ACTIVE_ANON || lru == RECLAIM_LRU_ACTIVE_FILE;
}
int rc_page_lru(const struct rc_page *p);
struct rc_lruvec *rc_page_lruvec(struct reclaim_engine *e, const struct rc_page *p);
struct rc_lruvec *rc_lruvec(struct reclaim_engine *e, uint32_t node, uint32_t memcg);
void rc_lru_add(struct reclaim_engine *e, uint32_t page); /* through the batch of this CPU */
void rc_lru_put(struct reclaim_engine *e, uint32_t page, bool tail); /* at once */
void rc_lru_del(struct reclaim_engine *e, uint32_t page);
void rc_lru_account(struct reclaim_engine *e, struct rc_page *p, int lru, int sign);
void rc_lru_drain_cpu(struct reclaim_engine *e, uint32_t cpu);
void rc_lru_unbatch(struct reclaim_engine *e, uint32_t page);
void rc_lru_rotate(struct reclaim_engine *e, uint32_t page);
void rc_mark_accessed(struct reclaim_engine *e, uint32_t page);
void rc_activate(struct reclaim_engine *e, uint32_t page);
uint32_t rc_young_references(struct reclaim_engine *e, struct rc_page *p);

struct reclaim_lists rc_lists(struct reclaim_engine *e, struct rc_lruvec *v, int type);

/* ---- workingset.c ---- */

uint64_t rc_workingset_evict(struct reclaim_engine *e, struct rc_page *p, bool swap,
			     uint16_t target);
void rc_workingset_refault(struct reclaim_engine *e, uint32_t page, uint64_t entry);
void rc_workingset_age(struct reclaim_engine *e, uint32_t node, uint16_t memcg, uint64_t nr);
/* The entry of a page of a file that was evicted longer ago than anything that comes. */
uint64_t rc_workingset_old(const struct reclaim_engine *e);
uint64_t rc_workingset_distance(struct reclaim_engine *e, uint64_t entry);
void rc_workingset_snapshot(struct reclaim_engine *e, uint32_t node, uint16_t memcg);
uint64_t rc_subtree_size(struct reclaim_engine *e, uint32_t node, uint16_t memcg, int lru);
/* A page on no list goes back: freed if demand freed it meanwhile. */
void rc_putback(struct reclaim_engine *e, uint32_t page);
void rc_lru_cost(struct reclaim_engine *e, struct rc_lruvec *v, bool file, uint64_t io,
		 uint64_t rotated);

#endif
