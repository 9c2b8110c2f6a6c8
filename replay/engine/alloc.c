/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * alloc.c - the page allocator: fast path, slow path, freeing, and the out-of-memory killer
 *
 * mm/page_alloc.c: get_page_from_freelist(), __alloc_pages_slowpath() and its helpers, in the
 * order in which the kernel takes the steps; where versions differ, the profile says which is
 * meant.
 */
#include "internal.h"

enum { PRIO_SYNC_FULL, PRIO_SYNC_LIGHT, PRIO_ASYNC };
enum mark { MARK_MIN, MARK_LOW, MARK_HIGH };

static uint64_t mark_of(const struct rc_zone *z, enum mark mark)
{
	return mark == MARK_MIN	  ? rc_wmark_min(z)
	       : mark == MARK_LOW ? rc_wmark_low(z)
				  : rc_wmark_high(z);
}

/* ---- taking a page ---- */

static uint32_t rmqueue(struct reclaim_engine *e, struct rc_zone *z, const struct rc_alloc *a,
			uint32_t flags)
{
	uint32_t page = RC_NONE;
	bool atomic = e->prof.reserve_flags ? flags & RC_ALLOC_HIGHATOMIC
					    : a->order && (flags & RC_ALLOC_HARDER);

	if (rc_pcp_order(e, a->order))
		page = rc_pcp_alloc(e, z, a->order, a->mt, flags);
	if (page == RC_NONE && atomic)
		page = rc_buddy_alloc(e, z, a->order, RECLAIM_MT_HIGHATOMIC, flags);
	if (page == RC_NONE)
		page = rc_buddy_alloc(e, z, a->order, a->mt, flags);
	if (page == RC_NONE && (flags & (RC_ALLOC_OOM | RC_ALLOC_HARDER)))
		page = rc_buddy_alloc(e, z, a->order, RECLAIM_MT_HIGHATOMIC, flags);
	if (page == RC_NONE)
		return page;
	if (z->boosted && (flags & RC_ALLOC_KSWAPD)) {
		z->boosted = false;
		rc_wakeup_kswapd(e, z, 0, 0, (int)z->type);
	}
	if (atomic)
		rc_reserve_highatomic(e, z, page);
	return page;
}

static bool node_dirty_ok(const struct reclaim_engine *e, const struct rc_node *n)
{
	uint64_t dirtyable = 0;
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++) {
		const struct rc_zone *z = &e->zones[n->zones[i]];

		dirtyable += rc_sub(z->nr_free, z->marks.high) + z->lru[RECLAIM_LRU_INACTIVE_FILE] +
			     z->lru[RECLAIM_LRU_ACTIVE_FILE];
	}
	return n->nr_dirty + n->nr_writeback <= dirtyable * e->m.dirty_ratio / 100;
}

/* get_page_from_freelist() */
static uint32_t freelist(struct reclaim_engine *e, const struct rc_alloc *a, enum mark mark,
			 uint32_t flags)
{
	const struct rc_node *n = &e->nodes[a->node];
	uint32_t i, page;

	for (i = 0; i < n->nr_zonelist; i++) {
		struct rc_zone *z = &e->zones[n->zonelist[i]];

		if ((int)z->type > a->highest || !z->managed)
			continue;
		if ((a->gfp & RECLAIM_GFP_THISNODE) && z->node != a->node)
			continue;
		if ((a->gfp & RECLAIM_GFP_WRITE) && mark == MARK_LOW && e->m.nodes > 1 &&
		    !node_dirty_ok(e, &e->nodes[z->node]))
			continue;
		if (e->prof.pcp == RC_PCP_67 && !z->below_high &&
		    !rc_wmark_fast(e, z, a->order, rc_wmark_high(z), a->highest, flags, false))
			z->below_high = true;
		if (!(flags & RC_ALLOC_NO_WATERMARKS) &&
		    !rc_wmark_fast(e, z, a->order, mark_of(z, mark), a->highest, flags,
				   mark == MARK_MIN))
			continue;
		page = rmqueue(e, z, a, flags);
		if (page != RC_NONE)
			return page;
	}
	return RC_NONE;
}

static void page_init(struct reclaim_engine *e, struct rc_alloc *a, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	p->flags = 0;
	p->order = (uint8_t)a->order;
	p->file = RC_NONE;
	p->index = 0;
	p->stamp = 0;
	p->memcg = 0;
	p->gen = 0;
	p->bits = 0;
	p->ref_class = 0;
	p->dirty_next = RC_NONE;
	p->dirty_prev = RC_NONE;
	a->page = page;
	rc_count(e, RECLAIM_VM_PGALLOC, 1ULL << a->order);
}

/* ALLOC_NOFRAGMENT: only where DMA32 could serve instead of NORMAL. */
static uint32_t nofragment(const struct reclaim_engine *e, const struct rc_alloc *a)
{
	if (!e->prof.has_boost || a->highest < RECLAIM_ZONE_NORMAL)
		return 0;
	return e->nodes[a->node].spares_normal ? RC_ALLOC_NOFRAGMENT : 0;
}

/* ---- flags of the slow path ---- */

/* gfp_to_alloc_flags() */
static uint32_t slow_flags(const struct reclaim_engine *e, const struct rc_actor *t, uint32_t gfp,
			   uint32_t order)
{
	uint32_t flags = RC_ALLOC_CPUSET;

	if (gfp & RECLAIM_GFP_HIGH)
		flags |= RC_ALLOC_HIGH;
	if (gfp & RECLAIM_GFP_KSWAPD_RECLAIM)
		flags |= RC_ALLOC_KSWAPD;
	if (!e->prof.reserve_flags) {
		if (gfp & RECLAIM_GFP_ATOMIC) {
			flags |= RC_ALLOC_ATOMIC;
			if (!(gfp & RECLAIM_GFP_NOMEMALLOC))
				flags |= RC_ALLOC_HARDER;
			flags &= ~RC_ALLOC_CPUSET;
		} else if (t->task.realtime) {
			flags |= RC_ALLOC_HARDER;
		}
		return flags;
	}
	if (!(gfp & RECLAIM_GFP_DIRECT_RECLAIM)) {
		if (!(gfp & RECLAIM_GFP_NOMEMALLOC)) {
			flags |= RC_ALLOC_HARDER;
			if (order && (flags & RC_ALLOC_HIGH))
				flags |= RC_ALLOC_HIGHATOMIC;
		}
		if (flags & RC_ALLOC_HIGH)
			flags &= ~RC_ALLOC_CPUSET;
	} else if (t->task.realtime) {
		flags |= RC_ALLOC_HIGH;
	}
	return flags;
}

/* __gfp_pfmemalloc_flags() */
static uint32_t reserve_flags(const struct rc_actor *t, uint32_t gfp)
{
	if (gfp & RECLAIM_GFP_NOMEMALLOC)
		return 0;
	if ((gfp & RECLAIM_GFP_MEMALLOC) || t->memalloc)
		return RC_ALLOC_NO_WATERMARKS;
	return t->oom_reserves ? RC_ALLOC_OOM : 0;
}

static void wake_kswapds(struct reclaim_engine *e, const struct rc_alloc *a, uint32_t flags)
{
	const struct rc_node *n = &e->nodes[a->node];
	uint32_t i, last = RC_NONE;

	if (!(flags & RC_ALLOC_KSWAPD))
		return;
	for (i = 0; i < n->nr_zonelist; i++) {
		struct rc_zone *z = &e->zones[n->zonelist[i]];

		if ((int)z->type > a->highest || z->node == last || !z->managed)
			continue;
		if ((a->gfp & RECLAIM_GFP_THISNODE) && z->node != a->node)
			continue;
		last = z->node;
		rc_wakeup_kswapd(e, z, a->gfp, (int)a->order, a->highest);
	}
}

/* ---- retries ---- */

struct slow {
	struct rc_alloc *a;
	uint32_t flags;
	int prio; /* of compaction */
	int no_progress;
	int compact_retries;
	uint64_t progress;
	enum reclaim_compact_result compact;
	bool stalled;
};

static bool block_available(const struct rc_zone *z, uint32_t order)
{
	int mt;

	for (; order < RECLAIM_NR_ORDERS; order++)
		for (mt = 0; mt < RECLAIM_NR_PCP_MT; mt++)
			if (z->free[mt][order].len)
				return true;
	return false;
}

static bool retry_zone(struct reclaim_engine *e, const struct slow *s, const struct rc_zone *z)
{
	uint64_t reclaimable = rc_zone_reclaimable(e, z), available = reclaimable, loss;
	bool ok;

	if (e->prof.retry_backoff) {
		loss = ((uint64_t)s->no_progress * reclaimable + RC_MAX_RETRIES - 1) /
		       RC_MAX_RETRIES;
		available = rc_sub(available, loss);
	}
	available += z->nr_free;
	ok = rc_wmark_ok(e, z, s->a->order, rc_wmark_min(z), s->a->highest, s->flags, available);
	if (s->a->order && ok)
		ok = block_available(z, s->a->order);
	if (rc_event_wanted(e, RECLAIM_EV_RETRY_ZONE)) {
		struct reclaim_event ev = rc_event(e, RECLAIM_EV_RETRY_ZONE);

		ev.nid = (uint8_t)z->node;
		ev.zid = (uint8_t)z->type;
		ev.order = (uint8_t)s->a->order;
		ev.u.retry.reclaimable = reclaimable;
		ev.u.retry.available = available;
		ev.u.retry.min_wmark = rc_wmark_min(z);
		ev.u.retry.loops = s->no_progress;
		ev.ok = ok;
		rc_emit(e, &ev);
	}
	return ok;
}

/* should_reclaim_retry() */
static bool reclaim_retry(struct reclaim_engine *e, struct slow *s)
{
	const struct rc_node *n = &e->nodes[s->a->node];
	bool ok = false;
	uint32_t i;

	if (s->progress && s->a->order <= RC_COSTLY_ORDER)
		s->no_progress = 0;
	else
		s->no_progress++;
	if (s->no_progress <= RC_MAX_RETRIES) {
		for (i = 0; i < n->nr_zonelist && !ok; i++) {
			const struct rc_zone *z = &e->zones[n->zonelist[i]];

			if ((int)z->type > s->a->highest || !z->managed)
				continue;
			if ((s->a->gfp & RECLAIM_GFP_THISNODE) && z->node != s->a->node)
				continue;
			ok = retry_zone(e, s, z);
		}
		if (ok && !s->progress && e->prof.alloc_congestion) {
			struct rc_scan sc = { .gfp = s->a->gfp };

			rc_throttle(e, &e->nodes[s->a->node], &sc, RECLAIM_POINT_ALLOCATOR);
		}
		if (ok)
			return true;
		if (!e->prof.unreserve_always)
			return false;
	}
	return rc_unreserve_highatomic(e, s->a->mt, true);
}

static bool compact_retry(struct reclaim_engine *e, struct slow *s)
{
	int max = s->a->order > RC_COSTLY_ORDER ? RC_MAX_RETRIES / 4 : RC_MAX_RETRIES;
	int least = s->a->order > RC_COSTLY_ORDER ? PRIO_SYNC_LIGHT : PRIO_SYNC_FULL;
	bool suitable, ret;
	int prio = s->prio;

	if (!s->a->order || rc_current(e)->killed)
		return false;
	if (s->compact == RECLAIM_COMPACT_SUCCESS)
		s->compact_retries++;
	suitable = rc_compact_zonelist_suitable(e, s->a, s->flags);
	ret = reclaim_should_compact_retry(&e->prof, s->a->order, s->prio, s->compact,
					   s->compact_retries, max, suitable);
	if (rc_event_wanted(e, RECLAIM_EV_COMPACT_RETRY)) {
		struct reclaim_event ev = rc_event(e, RECLAIM_EV_COMPACT_RETRY);

		ev.order = (uint8_t)s->a->order;
		ev.u.compact_retry.retries = (uint32_t)s->compact_retries;
		ev.u.compact_retry.max_retries = (uint32_t)max;
		ev.u.compact_retry.result = (uint8_t)s->compact;
		ev.u.compact_retry.compact_priority = (uint8_t)prio;
		ev.ok = ret;
		rc_emit(e, &ev);
	}
	if (ret && s->compact != RECLAIM_COMPACT_SKIPPED &&
	    !(s->compact == RECLAIM_COMPACT_SUCCESS && s->compact_retries <= max) &&
	    s->prio > least) {
		s->prio--;
		s->compact_retries = 0;
	}
	return ret;
}

/* The rule after a failed early compaction; false: give the request up. */
static bool bailout_go_on(struct reclaim_engine *e, struct slow *s)
{
	struct reclaim_alloc_view view = {
		.order = s->a->order,
		.gfp = s->a->gfp,
		.pageblock_order = e->m.pageblock_order,
		.compact = s->compact,
	};
	enum reclaim_bailout b = e->p_bailout->ops->bailout(e->p_bailout->state, &view);

	if (b == RECLAIM_BAILOUT_ASYNC)
		s->prio = PRIO_ASYNC;
	return b != RECLAIM_BAILOUT_FAIL;
}

static uint32_t try_compact(struct reclaim_engine *e, struct slow *s, int prio)
{
	uint32_t page = RC_NONE;

	if (!s->a->order || !rc_compaction_on(e, (int)s->a->order))
		return RC_NONE;
	s->stalled = true;
	s->compact = rc_compact_direct(e, s->a, prio, &page);
	if (s->compact <= RECLAIM_COMPACT_SKIPPED)
		return RC_NONE;
	if (page == RC_NONE)
		page = freelist(e, s->a, MARK_MIN, s->flags);
	if (page != RC_NONE) {
		struct rc_zone *z = &e->zones[e->pages[page].zone];

		rc_count(e, RECLAIM_VM_COMPACT_SUCCESS, 1);
		z->defer.considered = 0;
		z->defer.shift = 0;
		if ((int)s->a->order >= z->defer.failed_order)
			z->defer.failed_order = (int)s->a->order + 1;
		return page;
	}
	rc_count(e, RECLAIM_VM_COMPACT_FAIL, 1);
	return RC_NONE;
}

static uint32_t try_reclaim(struct reclaim_engine *e, struct slow *s)
{
	uint32_t page;

	s->stalled = true;
	s->progress = rc_direct_reclaim(e, s->a);
	if (!s->progress)
		return RC_NONE;
	page = freelist(e, s->a, MARK_MIN, s->flags);
	if (page == RC_NONE) {
		rc_unreserve_highatomic(e, s->a->mt, false);
		rc_pcp_drain_all(e);
		page = freelist(e, s->a, MARK_MIN, s->flags);
	}
	return page;
}

/* __alloc_pages_may_oom(): true when it counts as progress. */
static bool may_oom(struct reclaim_engine *e, struct slow *s, uint32_t *page)
{
	*page = freelist(e, s->a, MARK_HIGH, 0);
	if (*page != RC_NONE)
		return true;
	if (s->a->order > RC_COSTLY_ORDER || s->a->highest < RECLAIM_ZONE_NORMAL ||
	    (s->a->gfp & (RECLAIM_GFP_RETRY_MAYFAIL | RECLAIM_GFP_THISNODE)))
		return false;
	rc_oom(e, s->a->order, s->a->gfp, -1);
	return true;
}

static bool early_compaction(struct reclaim_engine *e, const struct slow *s)
{
	const struct rc_alloc *a = s->a;

	if (!(a->gfp & RECLAIM_GFP_DIRECT_RECLAIM) || !(a->gfp & RECLAIM_GFP_IO))
		return false;
	if (!rc_compaction_on(e, (int)a->order))
		return false;
	return a->order > RC_COSTLY_ORDER ||
	       (e->prof.early_compact_all && a->order && a->mt != RECLAIM_MT_MOVABLE);
}

/* One round of the "retry" label: page, or whether to go round again. */
static uint32_t slow_round(struct reclaim_engine *e, struct slow *s, bool *again)
{
	struct rc_actor *t = rc_current(e);
	struct rc_alloc *a = s->a;
	uint32_t page, reserve;

	*again = false;
	wake_kswapds(e, a, s->flags);
	reserve = reserve_flags(t, a->gfp);
	if (reserve)
		s->flags = (s->flags & RC_ALLOC_KSWAPD) | reserve;
	page = freelist(e, a, MARK_MIN, s->flags);
	if (page != RC_NONE || !(a->gfp & RECLAIM_GFP_DIRECT_RECLAIM) || t->memalloc)
		return page;
	page = try_reclaim(e, s);
	if (page != RC_NONE)
		return page;
	page = try_compact(e, s, s->prio);
	if (page != RC_NONE || (a->gfp & RECLAIM_GFP_NORETRY))
		return page;
	if (a->order > RC_COSTLY_ORDER && !(a->gfp & RECLAIM_GFP_RETRY_MAYFAIL))
		return page;
	if (reclaim_retry(e, s) || (s->progress && compact_retry(e, s))) {
		*again = true;
		return RC_NONE;
	}
	*again = may_oom(e, s, &page);
	if (t->killed)
		*again = false;
	if (*again)
		s->no_progress = 0;
	return page;
}

static void emit_stall(struct reclaim_engine *e, const struct slow *s, int64_t began, bool ok)
{
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_ALLOC_STALL);
	struct rc_actor *t = rc_current(e);
	int64_t delay = rc_now(e) - began;

	t->stalls++;
	t->stall_ns += delay;
	rc_count(e, RECLAIM_VM_STALL_NS, (uint64_t)delay);
	ev.order = (uint8_t)s->a->order;
	ev.gfp = s->a->gfp;
	ev.ok = ok;
	ev.u.sum.delay_ns = delay;
	rc_emit(e, &ev);
}

static uint32_t slow_path(struct reclaim_engine *e, struct rc_alloc *a)
{
	struct slow s = { .a = a, .prio = PRIO_SYNC_LIGHT, .compact = RECLAIM_COMPACT_SKIPPED };
	int64_t began = rc_now(e);
	uint32_t page, nofail = 0;
	bool again;

	rc_burn(e, e->m.costs.alloc_slow);
	s.flags = slow_flags(e, rc_current(e), a->gfp, a->order);
	wake_kswapds(e, a, s.flags);
	page = freelist(e, a, MARK_MIN, s.flags);
	if (page == RC_NONE && early_compaction(e, &s)) {
		page = try_compact(e, &s, PRIO_ASYNC);
		if (page == RC_NONE && !bailout_go_on(e, &s))
			goto out;
	}
	while (page == RC_NONE) {
		page = slow_round(e, &s, &again);
		if (page == RC_NONE && !again && (a->gfp & RECLAIM_GFP_NOFAIL) && nofail++ < 1024) {
			rc_burn(e, e->m.costs.reclaim_pass);
			page = freelist(e, a, MARK_MIN, RC_ALLOC_HIGH);
			continue;
		}
		if (!again || e->fatal)
			break;
	}
out:
	if (s.stalled)
		emit_stall(e, &s, began, page != RC_NONE);
	a->stalled = s.stalled;
	return page;
}

int rc_alloc_pages(struct reclaim_engine *e, struct rc_alloc *a)
{
	uint32_t flags = a->gfp & RECLAIM_GFP_KSWAPD_RECLAIM ? RC_ALLOC_KSWAPD : 0, page, nofrag;

	a->highest = rc_gfp_zone(a->gfp);
	a->page = RC_NONE;
	a->stalled = false;
	nofrag = nofragment(e, a);
	page = freelist(e, a, MARK_LOW, flags | nofrag);
	if (page == RC_NONE && nofrag)
		page = freelist(e, a, MARK_LOW, flags);
	if (page == RC_NONE) {
		if (!e->in_co)
			return RC_AGAIN;
		page = slow_path(e, a);
	}
	if (page == RC_NONE) {
		struct reclaim_event ev = rc_event(e, RECLAIM_EV_ALLOC_FAIL);

		ev.order = (uint8_t)a->order;
		ev.gfp = a->gfp;
		rc_emit(e, &ev);
		rc_count(e, RECLAIM_VM_ALLOC_FAIL, 1);
		return -ENOMEM;
	}
	rc_burn(e, e->m.costs.alloc_fast);
	page_init(e, a, page);
	return 0;
}

void rc_free_pages(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	struct rc_zone *z = &e->zones[p->zone];
	uint32_t order = p->order;
	uint64_t nr = 1ULL << order;

	if (p->flags & RC_PG_KERNEL)
		z->kernel -= nr;
	if (p->flags & RC_PG_SLAB) {
		z->slab -= nr;
		e->nr_slab -= nr;
	}
	if ((p->flags & RC_PG_OWNED) && e->actors[p->owner].rss >= nr)
		e->actors[p->owner].rss -= nr;
	if (p->memcg)
		rc_memcg_uncharge(e, p->memcg, (uint32_t)nr);
	p->file = RC_NONE;
	p->flags &= ~RC_PG_OWNED;
	p->memcg = 0;
	rc_count(e, RECLAIM_VM_PGFREE, nr);
	if (rc_pcp_order(e, order))
		rc_pcp_free(e, z, page, order);
	else
		rc_buddy_free(e, z, page, order, rc_block_mt(e, z, page));
}

/* ---- out of memory ---- */

static struct rc_actor *pick_victim(struct reclaim_engine *e, int memcg)
{
	struct rc_actor *best = NULL;
	uint32_t i;

	for (i = 0; i < e->nr_tasks; i++) {
		struct rc_actor *a = &e->actors[i];

		if (a->ended || a->killed)
			continue;
		if (memcg >= 0 && !rc_memcg_under(e, (uint16_t)a->task.memcg, (uint16_t)memcg))
			continue;
		if (!best || a->rss > best->rss)
			best = a;
	}
	return best;
}

/* What the victim had goes at once: the oom reaper's work. */
static void reap(struct reclaim_engine *e, uint32_t owner)
{
	uint32_t i;

	for (i = 0; i < e->nr_pages; i++) {
		struct rc_page *p = &e->pages[i];
		uint64_t *slot;

		if (!(p->flags & RC_PG_OWNED) || p->owner != owner || !(p->flags & RC_PG_ANON) ||
		    p->file != RECLAIM_FILE_LOGICAL)
			continue;
		slot = rc_page_slot(e, p);
		if (!slot || rc_entry_frame(*slot) != i)
			continue;
		*slot = RC_ENTRY_GONE;
		p->file = RC_NONE;
		/* Its read is still to be submitted, and will not be. */
		if ((p->flags & RC_PG_LOCKED) && p->stamp == RC_NONE)
			p->flags &= ~RC_PG_LOCKED;
		if (p->flags & (RC_PG_ISOLATED | RC_PG_WRITEBACK | RC_PG_LOCKED)) {
			p->flags |= RC_PG_DOOMED;
			continue;
		}
		rc_lru_del(e, i);
		rc_swap_release(e, i);
		rc_free_pages(e, i);
	}
}

void rc_oom(struct reclaim_engine *e, uint32_t order, uint32_t gfp, int memcg)
{
	struct rc_actor *victim = pick_victim(e, memcg);
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_OOM);
	uint32_t i;

	if (!victim) {
		rc_fatal(e, ENOMEM, "out of memory and no task left to kill");
		return;
	}
	ev.order = (uint8_t)order;
	ev.gfp = gfp;
	ev.memcg = (uint16_t)rc_max(memcg, 0);
	ev.u.sum.mark = victim->task.tag;
	ev.u.sum.pages = victim->rss;
	rc_emit(e, &ev);
	rc_count(e, RECLAIM_VM_OOM_KILL, 1);
	victim->killed = true;
	victim->oom_reserves = true;
	reap(e, victim->id);
	/* A victim that waits where a signal ends the wait. */
	for (i = 0; i < e->m.nodes; i++)
		if (victim->waiting == &e->nodes[i].pfmemalloc_wait)
			rc_wake_all(e, &e->nodes[i].pfmemalloc_wait);
}
