/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kswapd.c - the background reclaimer of a node (mm/vmscan.c kswapd(), balance_pgdat())
 */
#include "internal.h"

/* Where all zones must be balanced to sleep but any ends a balancing, kswapd goes round at this
 * pace. */
#define SPIN_NS 50000

static struct reclaim_zone_view zone_view(const struct rc_zone *z)
{
	return (struct reclaim_zone_view){
		.node = z->node,
		.type = z->type,
		.managed = z->managed,
		.free = z->nr_free,
		.min = z->marks.min,
		.low = z->marks.low,
		.high = z->marks.high,
		.boost = z->boost,
	};
}

static uint64_t balance_mark(const struct reclaim_engine *e, const struct rc_zone *z)
{
	struct reclaim_zone_view view;

	if (!e->p_balance_mark)
		return rc_wmark_high(z);
	view = zone_view(z);
	return e->p_balance_mark->ops->balance_mark(e->p_balance_mark->state, &view);
}

static bool zone_balanced(const struct reclaim_engine *e, const struct rc_zone *z, int order,
			  int highest)
{
	return rc_wmark_ok(e, z, (uint32_t)order, balance_mark(e, z), highest, 0, z->nr_free);
}

static bool balanced_any(struct reclaim_engine *e, const struct rc_node *n, int order, int highest)
{
	bool managed = false;
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++) {
		const struct rc_zone *z = &e->zones[n->zones[i]];

		if ((int)z->type > highest || !z->managed)
			continue;
		managed = true;
		if (zone_balanced(e, z, order, highest))
			return true;
	}
	return !managed;
}

static bool balanced_all(struct reclaim_engine *e, const struct rc_node *n, int order, int highest)
{
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++) {
		const struct rc_zone *z = &e->zones[n->zones[i]];

		if ((int)z->type <= highest && z->managed && !zone_balanced(e, z, order, highest))
			return false;
	}
	return true;
}

bool rc_balanced(struct reclaim_engine *e, const struct rc_node *n, int order, int highest)
{
	return balanced_any(e, n, order, highest);
}

static bool boosted(const struct reclaim_engine *e, const struct rc_node *n, int highest)
{
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++)
		if ((int)e->zones[n->zones[i]].type <= highest && e->zones[n->zones[i]].boost)
			return true;
	return false;
}

static bool policy_wakes(struct reclaim_engine *e, const struct rc_zone *z, int order)
{
	struct reclaim_zone_view view = zone_view(z);

	return !e->p_wake || e->p_wake->ops->wake_kswapd(e->p_wake->state, &view, (uint32_t)order);
}

void rc_wakeup_kswapd(struct reclaim_engine *e, struct rc_zone *z, uint32_t gfp, int order,
		      int highest)
{
	struct rc_node *n = &e->nodes[z->node];
	struct reclaim_event ev;

	if (!z->managed)
		return;
	n->kswapd_zone = rc_max(n->kswapd_zone, highest);
	n->kswapd_order = rc_max(n->kswapd_order, order);
	if (!n->kswapd_wait.nr)
		return;
	if (n->kswapd_failures >= RC_MAX_RETRIES ||
	    (rc_balanced(e, n, order, highest) && !boosted(e, n, highest))) {
		if (!(gfp & RECLAIM_GFP_DIRECT_RECLAIM))
			rc_kcompactd_wake(e, n, order, highest);
		return;
	}
	if (!policy_wakes(e, z, order))
		return;
	ev = rc_event(e, RECLAIM_EV_WAKEUP_KSWAPD);
	ev.nid = (uint8_t)n->id;
	ev.zid = (uint8_t)highest;
	ev.order = (uint8_t)order;
	ev.gfp = gfp;
	rc_emit(e, &ev);
	rc_wake_all(e, &n->kswapd_wait);
	rc_this_cpu(e)->now += e->m.costs.wake;
}

/* ---- one balancing ---- */

/* kswapd_shrink_node(): true when enough was scanned. */
static bool shrink_once(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	uint64_t scanned = sc->nr_scanned, reclaimed = sc->nr_reclaimed;
	uint32_t i;

	sc->nr_to_reclaim = 0;
	for (i = 0; i < n->nr_zones; i++) {
		const struct rc_zone *z = &e->zones[n->zones[i]];

		if ((int)z->type <= sc->reclaim_idx && z->managed)
			sc->nr_to_reclaim += rc_max(rc_wmark_high(z), RC_BATCH);
	}
	rc_shrink_node(e, n, sc);
	if (sc->order && sc->nr_reclaimed >= 2ULL << sc->order)
		sc->order = 0;
	scanned = sc->nr_scanned - scanned;
	reclaimed = sc->nr_reclaimed - reclaimed;
	if (e->prof.kswapd_count_reclaimed)
		scanned = rc_max(scanned, reclaimed);
	return scanned >= sc->nr_to_reclaim;
}

static void age_anon(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	uint32_t m;

	if (e->mglru) {
		rc_gen_age_node(e, n, sc);
		return;
	}
	if (!rc_can_age_anon(e) || e->discipline)
		return;
	for (m = 0; m < e->m.nr_memcgs; m++) {
		struct rc_lruvec *v = rc_lruvec(e, n->id, m);

		if (rc_inactive_low(e, v, false, sc->reclaim_idx))
			rc_shrink_active(e, v, sc, RECLAIM_LRU_ACTIVE_ANON, RC_BATCH);
	}
}

static void set_active(struct reclaim_engine *e, struct rc_node *n, int highest, bool active)
{
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++)
		if ((int)e->zones[n->zones[i]].type <= highest)
			e->zones[n->zones[i]].reclaim_active = active && e->prof.pcp != RC_PCP_49;
}

struct boosts {
	uint64_t zone[RECLAIM_NR_ZONE_TYPES];
	uint64_t sum;
};

static struct boosts snapshot(const struct reclaim_engine *e, const struct rc_node *n, int highest)
{
	struct boosts b = { .sum = 0 };
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++) {
		const struct rc_zone *z = &e->zones[n->zones[i]];

		if ((int)z->type > highest || !z->managed)
			continue;
		b.zone[i] = z->boost;
		b.sum += z->boost;
	}
	return b;
}

/* The priority ladder. Leaves the boost that was not worked off in @boost->sum. */
static void ladder(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc, int highest,
		   uint64_t nr_boost)
{
	bool raise, is_balanced;
	uint64_t before;

restart:
	sc->priority = RC_DEF_PRIORITY;
	set_active(e, n, highest, true);
	do {
		before = sc->nr_reclaimed;
		raise = true;
		sc->reclaim_idx = highest;
		is_balanced = rc_balanced(e, n, sc->order, highest);
		if (!is_balanced && nr_boost) {
			nr_boost = 0;
			goto restart;
		}
		if (!nr_boost && is_balanced)
			return;
		if (nr_boost && sc->priority == RC_DEF_PRIORITY - 2)
			raise = false;
		sc->may_writepage = !nr_boost;
		sc->may_swap = !nr_boost;
		age_anon(e, n, sc);
		if (sc->priority < RC_DEF_PRIORITY - 2)
			sc->may_writepage = true;
		rc_memcg_soft_limit(e, n, sc);
		if (shrink_once(e, n, sc))
			raise = false;
		if (n->pfmemalloc_wait.nr && rc_allow_direct(e, n))
			rc_wake_all(e, &n->pfmemalloc_wait);
		rc_yield(e);
		if (e->fatal)
			return;
		before = sc->nr_reclaimed - before;
		nr_boost -= rc_min(nr_boost, before);
		if (nr_boost && !before)
			break;
		if (raise || !before)
			sc->priority--;
	} while (sc->priority >= 1);
	if (!sc->nr_reclaimed && e->prof.kswapd_trim_retry && sc->cache_trim_used &&
	    !sc->no_cache_trim) {
		sc->no_cache_trim = true;
		goto restart;
	}
	if (!sc->nr_reclaimed)
		n->kswapd_failures++;
}

static int balance(struct reclaim_engine *e, struct rc_node *n, int order, int highest)
{
	struct rc_scan sc = {
		.order = order,
		.gfp = RECLAIM_GFP_KERNEL,
		.may_unmap = true,
		.kswapd = true,
	};
	struct boosts b = snapshot(e, n, highest);
	uint32_t i;

	rc_count(e, RECLAIM_VM_PAGEOUTRUN, 1);
	ladder(e, n, &sc, highest, b.sum);
	set_active(e, n, highest, false);
	if (b.sum) {
		for (i = 0; i < n->nr_zones; i++) {
			struct rc_zone *z = &e->zones[n->zones[i]];

			z->boost -= rc_min(z->boost, b.zone[i]);
		}
		rc_kcompactd_wake(e, n, (int)e->m.pageblock_order, highest);
	}
	rc_workingset_snapshot(e, n->id, 0);
	return sc.order;
}

/* ---- sleeping ---- */

static bool prepare_sleep(struct reclaim_engine *e, struct rc_node *n, int order, int highest)
{
	bool ok;

	rc_wake_all(e, &n->pfmemalloc_wait);
	if (n->kswapd_failures >= RC_MAX_RETRIES)
		return true;
	ok = e->prof.kswapd_all_zones ? balanced_all(e, n, order, highest)
				      : balanced_any(e, n, order, highest);
	if (ok) {
		n->flag_congested = false;
		n->flag_dirty = false;
		n->flag_writeback = false;
		rc_lruvec(e, n->id, 0)->congested = false;
	}
	return ok;
}

static void emit_sleep(struct reclaim_engine *e, const struct rc_node *n)
{
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_KSWAPD_SLEEP);

	ev.nid = (uint8_t)n->id;
	rc_emit(e, &ev);
}

/* kswapd_try_to_sleep() */
static void try_to_sleep(struct reclaim_engine *e, struct rc_node *n, int alloc_order,
			 int reclaim_order, int highest)
{
	int64_t left = 0;

	if (prepare_sleep(e, n, reclaim_order, highest)) {
		rc_kcompactd_wake(e, n, alloc_order, highest);
		left = rc_wait(e, &n->kswapd_wait, RC_NSEC / 10);
		if (left) {
			n->kswapd_zone = rc_max(n->kswapd_zone, highest);
			n->kswapd_order = rc_max(n->kswapd_order, reclaim_order);
		}
	}
	if (!left && prepare_sleep(e, n, reclaim_order, highest)) {
		emit_sleep(e, n);
		rc_wait(e, &n->kswapd_wait, RECLAIM_NO_TIME);
	} else if (left) {
		rc_count(e, RECLAIM_VM_KSWAPD_LOW_WMARK_HIT_QUICKLY, 1);
	} else {
		rc_count(e, RECLAIM_VM_KSWAPD_HIGH_WMARK_HIT_QUICKLY, 1);
	}
}

static void emit_wake(struct reclaim_engine *e, const struct rc_node *n, int order, int highest)
{
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_KSWAPD_WAKE);

	ev.nid = (uint8_t)n->id;
	ev.zid = (uint8_t)highest;
	ev.order = (uint8_t)order;
	rc_emit(e, &ev);
}

static int top_zone(const struct reclaim_engine *e, const struct rc_node *n)
{
	return n->nr_zones ? (int)e->zones[n->zones[n->nr_zones - 1]].type : 0;
}

void rc_kswapd_main(struct reclaim_engine *e, struct rc_actor *a)
{
	struct rc_node *n = &e->nodes[a->id];
	int alloc_order, reclaim_order = 0, highest = top_zone(e, n);

	while (!e->fatal) {
		alloc_order = reclaim_order = n->kswapd_order;
		highest = n->kswapd_zone >= 0 ? n->kswapd_zone : highest;
again:
		try_to_sleep(e, n, alloc_order, reclaim_order, highest);
		alloc_order = n->kswapd_order;
		highest = n->kswapd_zone >= 0 ? n->kswapd_zone : highest;
		n->kswapd_order = 0;
		n->kswapd_zone = -1;
		emit_wake(e, n, alloc_order, highest);
		reclaim_order = balance(e, n, alloc_order, highest);
		rc_burn(e, e->prof.kswapd_all_zones ? SPIN_NS : e->m.costs.wake);
		if (reclaim_order < alloc_order && !e->fatal)
			goto again;
	}
}
