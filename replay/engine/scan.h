/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scan.h - reclaim: what one pass knows, and who starts one
 */
#ifndef RECLAIM_SCAN_H
#define RECLAIM_SCAN_H

#include "lruvec.h"
#include "zone.h"

/* ---- zone.c ---- */

uint64_t rc_node_write_pending(const struct reclaim_engine *e, const struct rc_node *n);
uint64_t rc_node_reclaimable(const struct reclaim_engine *e, const struct rc_node *n);

/* ---- scan.c ---- */

struct rc_pass {
	uint32_t dirty, unqueued_dirty, congested, writeback, immediate, file_taken, taken;
};

struct rc_scan {
	uint64_t nr_to_reclaim;
	int order;
	int8_t priority;
	int reclaim_idx;
	uint32_t gfp;
	bool may_writepage, may_unmap, may_swap;
	bool kswapd, proactive;
	bool target_memcg; /* reclaim for @memcg, not for the machine */
	uint16_t memcg;
	uint64_t nr_scanned, nr_reclaimed;
	struct rc_pass pass;
	bool force_deactivate, skipped_deactivate, may_deactivate[2];
	bool memcg_low_reclaim, memcg_low_skipped;
	bool memcg_full_walk, partial_stop;
	bool compaction_ready;
	bool cache_trim, file_is_tiny, no_cache_trim, cache_trim_used;
	uint64_t scan_limit;
	struct reclaim_contig contig;
};

static inline bool rc_global(const struct rc_scan *sc)
{
	return !sc->target_memcg;
}

void rc_shrink_lruvec(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc);
void rc_shrink_node(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc);
uint64_t rc_shrink_list(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc, int lru,
			uint64_t nr);
void rc_shrink_active(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc, int lru,
		      uint64_t nr);
bool rc_inactive_low(const struct reclaim_engine *e, const struct rc_lruvec *v, bool file, int idx);
uint64_t rc_lruvec_size(const struct rc_lruvec *v, int lru, int idx);
bool rc_can_age_anon(const struct reclaim_engine *e);
void rc_count_scan(struct reclaim_engine *e, const struct rc_scan *sc, struct rc_lruvec *v,
		   bool file, uint64_t nr);
void rc_count_steal(struct reclaim_engine *e, const struct rc_scan *sc, struct rc_lruvec *v,
		    bool file, uint64_t nr);

/* ---- judge.c ---- */

struct rc_judged {
	struct reclaim_shrink_stat stat;
	uint32_t unqueued_dirty, pageout, nr_pages;
};
/*
 * shrink_folio_list(): judge @nr isolated pages; the freed ones leave the array, *@left stay (for
 * the caller to put back). @sync: wait for the writeback of each page (lumpy).
 */
uint32_t rc_judge_pages(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
			uint32_t *pages, uint32_t nr, uint32_t *left, struct rc_judged *out,
			bool sync);

/* ---- kswapd.c, direct.c, throttle.c ---- */

bool rc_balanced(struct reclaim_engine *e, const struct rc_node *n, int order, int highest);
void rc_wakeup_kswapd(struct reclaim_engine *e, struct rc_zone *z, uint32_t gfp, int order,
		      int highest);
void rc_kswapd_main(struct reclaim_engine *e, struct rc_actor *a);
/* try_to_free_pages(): pages reclaimed (or 1 for "progress"). */
uint64_t rc_direct_reclaim(struct reclaim_engine *e, struct rc_alloc *a);
uint64_t rc_memcg_reclaim(struct reclaim_engine *e, uint16_t memcg, uint64_t nr, uint32_t gfp,
			  bool may_swap, bool proactive, uint64_t scan_limit);
bool rc_allow_direct(struct reclaim_engine *e, const struct rc_node *n);
void rc_shrink_slab(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		    uint64_t scanned, uint64_t total);
void rc_throttle(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		 enum reclaim_throttle_point point);
void rc_throttle_progress(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc);
void rc_throttle_isolated_done(struct reclaim_engine *e, struct rc_node *n);
void rc_throttle_written(struct reclaim_engine *e, struct rc_node *n);

/* ---- memcg.c ---- */

int rc_memcg_charge(struct reclaim_engine *e, struct rc_actor *a, uint16_t memcg, uint32_t gfp,
		    uint32_t nr);
void rc_memcg_uncharge(struct reclaim_engine *e, uint16_t memcg, uint32_t nr);
/*
 * What a group of @usage pages with @setting (its low or min) is protected of, when its parent of
 * @parent_usage is of @parent_effective and all children of that claim and use @siblings.
 * @recursive: what they do not claim is shared by what each has beyond its own claim.
 */
uint64_t rc_effective_protection(uint64_t usage, uint64_t parent_usage, uint64_t setting,
				 uint64_t parent_effective, uint64_t siblings, bool recursive);
/* Works out the protection of a group for reclaim that began at @root; its parent comes before. */
void rc_memcg_calculate_protection(struct reclaim_engine *e, uint16_t memcg, uint16_t root);
/* Pages of a memcg that its low or min protects in this pass. Notes memory.low's share in @sc. */
uint64_t rc_memcg_protection(const struct reclaim_engine *e, uint16_t memcg, struct rc_scan *sc);
/* Is the whole memcg to be passed over? Notes memory.low's share in @sc. */
bool rc_memcg_protected(const struct reclaim_engine *e, uint16_t memcg, uint16_t root,
			struct rc_scan *sc);
void rc_memcg_handle_high(struct reclaim_engine *e, struct rc_actor *a);
bool rc_memcg_under(const struct reclaim_engine *e, uint16_t memcg, uint16_t root);
void rc_memcg_soft_limit(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc);
void rc_memcg_worker_main(struct reclaim_engine *e, struct rc_actor *a);
void rc_memcg_set_max(struct reclaim_engine *e, uint16_t memcg, uint64_t max);
uint64_t rc_proactive(struct reclaim_engine *e, uint16_t memcg, uint64_t nr);

/* ---- mglru.c ---- */

void rc_gen_init(struct rc_lruvec *v);
void rc_gen_add(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page, bool reclaiming);
void rc_gen_del(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page);
void rc_gen_shrink(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc);
void rc_gen_touch(struct reclaim_engine *e, uint32_t page);
uint64_t rc_gen_shadow(struct reclaim_engine *e, struct rc_page *p);
void rc_gen_refault(struct reclaim_engine *e, uint32_t page, uint64_t entry);
void rc_gen_age_node(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc);

/* ---- compaction.c, contig.c ---- */

enum reclaim_compact_result rc_compact_direct(struct reclaim_engine *e, struct rc_alloc *a,
					      int priority, uint32_t *page);
enum reclaim_compact_result rc_compact_suitable(struct reclaim_engine *e, struct rc_zone *z,
						int order, int highest, uint32_t flags);
bool rc_compact_zonelist_suitable(struct reclaim_engine *e, const struct rc_alloc *a,
				  uint32_t flags);
void rc_kcompactd_main(struct reclaim_engine *e, struct rc_actor *a);
void rc_kcompactd_wake(struct reclaim_engine *e, struct rc_node *n, int order, int highest);
/* Does the allocator compact, or does a policy do without? */
bool rc_compaction_on(struct reclaim_engine *e, int order);
void rc_contig_mode(struct reclaim_engine *e, struct rc_scan *sc);
uint32_t rc_lumpy_take(struct reclaim_engine *e, struct rc_scan *sc, uint32_t page, uint32_t *pages,
		       uint32_t room, uint32_t *scanned, uint32_t *taken);

#endif
