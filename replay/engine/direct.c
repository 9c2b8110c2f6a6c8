/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * direct.c - reclaim by the task that needs the memory (mm/vmscan.c try_to_free_pages())
 */
#include "internal.h"

/* allow_direct_reclaim(): the reserves for reclaim itself must not be eaten up. */
bool rc_allow_direct(struct reclaim_engine *e, const struct rc_node *n)
{
	uint64_t reserve = 0, free = 0;
	uint32_t i;

	if (n->kswapd_failures >= RC_MAX_RETRIES)
		return true;
	for (i = 0; i < n->nr_zones; i++) {
		const struct rc_zone *z = &e->zones[n->zones[i]];

		if (z->type > RECLAIM_ZONE_NORMAL || !z->managed)
			continue;
		if (!rc_zone_reclaimable(e, z) &&
		    !(e->prof.suitable == RC_SUITABLE_618 && z->nr_free))
			continue;
		reserve += rc_wmark_min(z);
		free += z->nr_free;
	}
	return !reserve || free > reserve / 2;
}

/* throttle_direct_reclaim(): true when the waiter was killed. */
static bool pfmemalloc_throttle(struct reclaim_engine *e, const struct rc_alloc *a)
{
	struct rc_actor *t = rc_current(e);
	struct rc_node *n = &e->nodes[a->node];
	int64_t began = rc_now(e), left;
	struct reclaim_event ev;

	if (t->task.kthread || t->killed || t->kind != RECLAIM_ACTOR_TASK || rc_allow_direct(e, n))
		return false;
	rc_count(e, RECLAIM_VM_PGSCAN_DIRECT_THROTTLE, 1);
	do {
		if (n->kswapd_wait.nr) {
			n->kswapd_zone = rc_min(rc_max(n->kswapd_zone, 0), RECLAIM_ZONE_NORMAL);
			n->kswapd_zone =
				rc_max(n->kswapd_zone, rc_min(a->highest, RECLAIM_ZONE_NORMAL));
			rc_wake_all(e, &n->kswapd_wait);
		}
		left = rc_wait(e, &n->pfmemalloc_wait, RC_NSEC);
		if (!(a->gfp & RECLAIM_GFP_FS) && !left)
			break;
	} while (!rc_allow_direct(e, n) && !t->killed && !e->fatal);
	ev = rc_event(e, RECLAIM_EV_PFMEMALLOC);
	ev.u.sum.delay_ns = rc_now(e) - began;
	rc_emit(e, &ev);
	return t->killed;
}

/* One priority over the zones; the costly orders leave a zone to compaction where that could work.
 */
static void shrink_zones(struct reclaim_engine *e, const struct rc_node *local, struct rc_scan *sc)
{
	uint32_t i, last = RC_NONE;
	struct rc_node *first = NULL;

	for (i = 0; i < local->nr_zonelist; i++) {
		struct rc_zone *z = &e->zones[local->zonelist[i]];
		enum reclaim_compact_result r;

		if ((int)z->type > sc->reclaim_idx || !z->managed)
			continue;
		if ((sc->gfp & RECLAIM_GFP_THISNODE) && z->node != local->id)
			continue;
		if (rc_global(sc) && sc->order > RC_COSTLY_ORDER &&
		    sc->contig.kind == RECLAIM_CONTIG_COMPACTION) {
			r = rc_compact_suitable(e, z, sc->order, sc->reclaim_idx, 0);
			if (r == RECLAIM_COMPACT_SUCCESS ||
			    (r == RECLAIM_COMPACT_CONTINUE &&
			     z->nr_free > rc_wmark_high(z) + (2ULL << sc->order))) {
				sc->compaction_ready = true;
				continue;
			}
		}
		if (!first)
			first = &e->nodes[z->node];
		if (z->node == last)
			continue;
		last = z->node;
		if (rc_global(sc))
			rc_memcg_soft_limit(e, &e->nodes[z->node], sc);
		rc_shrink_node(e, &e->nodes[z->node], sc);
		if (e->fatal)
			return;
	}
	if (first)
		rc_throttle_progress(e, first, sc);
}

static uint64_t one_walk(struct reclaim_engine *e, const struct rc_node *local, struct rc_scan *sc)
{
	struct rc_actor *t = rc_current(e);

	sc->priority = RC_DEF_PRIORITY;
	sc->nr_reclaimed = 0;
	do {
		sc->nr_scanned = 0;
		rc_contig_mode(e, sc);
		shrink_zones(e, local, sc);
		if (sc->nr_reclaimed >= sc->nr_to_reclaim || sc->compaction_ready || e->fatal)
			break;
		if (sc->scan_limit && sc->nr_scanned >= sc->scan_limit)
			break;
		if (sc->priority < RC_DEF_PRIORITY - 2)
			sc->may_writepage = true;
		if (t->killed && sc->target_memcg)
			break;
	} while (--sc->priority >= 0);
	return sc->nr_reclaimed;
}

/* do_try_to_free_pages() */
static uint64_t try_to_free(struct reclaim_engine *e, const struct rc_node *local,
			    struct rc_scan *sc)
{
	uint32_t i;

	for (;;) {
		if (rc_global(sc))
			rc_count(e, RECLAIM_VM_ALLOCSTALL, 1);
		one_walk(e, local, sc);
		for (i = 0; i < e->m.nodes; i++)
			rc_workingset_snapshot(e, i, sc->target_memcg ? sc->memcg : 0);
		if (sc->target_memcg)
			for (i = 0; i < e->m.nodes; i++)
				rc_lruvec(e, i, sc->memcg)->congested = false;
		if (sc->nr_reclaimed || e->fatal)
			return sc->nr_reclaimed;
		if (sc->compaction_ready)
			return 1;
		if (sc->partial_stop && !sc->memcg_full_walk) {
			sc->memcg_full_walk = true;
			continue;
		}
		if (sc->skipped_deactivate && !sc->force_deactivate) {
			sc->force_deactivate = true;
			sc->skipped_deactivate = false;
			continue;
		}
		if (sc->memcg_low_skipped) {
			sc->force_deactivate = false;
			sc->memcg_low_reclaim = true;
			sc->memcg_low_skipped = false;
			continue;
		}
		return 0;
	}
}

static void emit_begin(struct reclaim_engine *e, enum reclaim_event_type type,
		       const struct rc_scan *sc)
{
	struct reclaim_event ev = rc_event(e, type);

	ev.order = (uint8_t)sc->order;
	ev.gfp = sc->gfp;
	ev.memcg = sc->memcg;
	rc_emit(e, &ev);
}

static void emit_end(struct reclaim_engine *e, enum reclaim_event_type type,
		     const struct rc_scan *sc, uint64_t reclaimed)
{
	struct reclaim_event ev = rc_event(e, type);

	ev.memcg = sc->memcg;
	ev.u.sum.reclaimed = reclaimed;
	rc_emit(e, &ev);
}

uint64_t rc_direct_reclaim(struct reclaim_engine *e, struct rc_alloc *a)
{
	struct rc_actor *t = rc_current(e);
	struct rc_scan sc = {
		.nr_to_reclaim = RC_BATCH,
		.order = (int)a->order,
		.reclaim_idx = a->highest,
		.gfp = a->gfp,
		.may_writepage = true,
		.may_unmap = true,
		.may_swap = true,
	};
	uint64_t reclaimed;

	if (pfmemalloc_throttle(e, a))
		return 1;
	emit_begin(e, RECLAIM_EV_DIRECT_BEGIN, &sc);
	t->memalloc = true;
	reclaimed = try_to_free(e, &e->nodes[a->node], &sc);
	t->memalloc = false;
	emit_end(e, RECLAIM_EV_DIRECT_END, &sc, reclaimed);
	return reclaimed;
}

uint64_t rc_memcg_reclaim(struct reclaim_engine *e, uint16_t memcg, uint64_t nr, uint32_t gfp,
			  bool may_swap, bool proactive, uint64_t scan_limit)
{
	struct rc_actor *t = rc_current(e);
	struct rc_scan sc = {
		.nr_to_reclaim = rc_max(nr, RC_BATCH),
		.reclaim_idx = RECLAIM_ZONE_MOVABLE,
		.gfp = gfp | RECLAIM_GFP_HIGHUSER_MOVABLE,
		.may_writepage = true,
		.may_unmap = true,
		.may_swap = may_swap,
		.target_memcg = true,
		.memcg = memcg,
		.proactive = proactive,
		.scan_limit = scan_limit,
	};
	bool memalloc = t->memalloc;
	uint64_t reclaimed;

	emit_begin(e, RECLAIM_EV_MEMCG_BEGIN, &sc);
	t->memalloc = true;
	reclaimed = try_to_free(e, &e->nodes[0], &sc);
	t->memalloc = memalloc;
	emit_end(e, RECLAIM_EV_MEMCG_END, &sc, reclaimed);
	return reclaimed;
}

/*
 * The slab shrinkers as one pool: what the demand calls reclaimable slab, oldest first, priority
 * based (do_shrink_slab() with two seeks), or in proportion to the scan before that rule came. A
 * page is taken to hold SLAB_OBJECTS objects and to be freed when all have been scanned.
 */
#define SLAB_OBJECTS 20

void rc_shrink_slab(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		    uint64_t scanned, uint64_t total)
{
	uint64_t delta = (e->nr_slab >> sc->priority) * 2;

	if (!e->nr_slab || !e->m.slab_freeable)
		return;
	if (e->prof.kswapd_all_zones)
		delta = scanned * 2 * e->nr_slab / (total + 1);
	delta = rc_min(delta, 2 * e->nr_slab);
	rc_count(e, RECLAIM_VM_SLABS_SCANNED, delta * SLAB_OBJECTS);
	for (; delta && e->slab_list.len && e->m.slab_freeable; delta--) {
		uint32_t page = e->slab_list.tail;
		uint64_t *slot = rc_page_slot(e, &e->pages[page]);

		if (slot)
			*slot = RC_ENTRY_GONE;
		rc_list_del(e, &e->slab_list, page);
		rc_free_pages(e, page);
		sc->nr_reclaimed++;
		if (e->m.slab_freeable != UINT64_MAX)
			e->m.slab_freeable--;
	}
}
