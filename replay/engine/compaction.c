/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * compaction.c - moving pages together so that a free block comes out (mm/compaction.c)
 *
 * A migrate scanner goes up from the start of the zone and takes pages off the lists, a free
 * scanner comes down from its end and takes free pages to move them to; when they meet, the zone is
 * done.
 */
#include "internal.h"

#define CLUSTER	   32 /* COMPACT_CLUSTER_MAX */
#define FREE_BATCH 64

enum { PRIO_SYNC_FULL, PRIO_SYNC_LIGHT, PRIO_ASYNC };

struct compact {
	struct rc_zone *z;
	int order;
	int highest;
	uint32_t flags;
	bool sync;
	bool whole; /* no order wanted: until the scanners meet */
	uint8_t mt;
	uint32_t free[FREE_BATCH];
	uint32_t nr_free;
	uint64_t migrated;
};

static uint64_t free_blocks(const struct rc_zone *z, uint32_t least)
{
	uint64_t nr = 0;
	uint32_t o;
	int mt;

	for (mt = 0; mt < RECLAIM_NR_PCP_MT; mt++)
		for (o = least; o < RECLAIM_NR_ORDERS; o++)
			nr += z->free[mt][o].len << (least && o > least ? o - least : 0);
	return nr;
}

static enum reclaim_compact_result suitable(struct reclaim_engine *e, const struct rc_zone *z,
					    int order, int highest, uint64_t free, uint32_t flags)
{
	struct reclaim_compact_check c = {
		.free = free,
		.min = rc_wmark_min(z),
		.low = rc_wmark_low(z),
		.reserve = z->marks.reserve[highest],
		.order = (uint32_t)order,
		.free_blocks = free_blocks(z, 0),
		.suitable_blocks = free_blocks(z, (uint32_t)order),
	};

	c.order_ok =
		rc_wmark_ok(e, z, (uint32_t)order, rc_wmark_min(z), highest, flags, z->nr_free);
	return reclaim_compaction_suitable(&e->prof, &c);
}

enum reclaim_compact_result rc_compact_suitable(struct reclaim_engine *e, struct rc_zone *z,
						int order, int highest, uint32_t flags)
{
	enum reclaim_compact_result r = suitable(e, z, order, highest, z->nr_free, flags);

	if (rc_event_wanted(e, RECLAIM_EV_COMPACT_SUITABLE)) {
		struct reclaim_event ev = rc_event(e, RECLAIM_EV_COMPACT_SUITABLE);

		ev.nid = (uint8_t)z->node;
		ev.zid = (uint8_t)z->type;
		ev.order = (uint8_t)order;
		ev.reason = (uint8_t)r;
		rc_emit(e, &ev);
	}
	return r == RECLAIM_COMPACT_NOT_SUITABLE_ZONE ? RECLAIM_COMPACT_SKIPPED : r;
}

/* compaction_zonelist_suitable() */
bool rc_compact_zonelist_suitable(struct reclaim_engine *e, const struct rc_alloc *a,
				  uint32_t flags)
{
	const struct rc_node *n = &e->nodes[a->node];
	uint32_t i;

	for (i = 0; i < n->nr_zonelist; i++) {
		const struct rc_zone *z = &e->zones[n->zonelist[i]];
		uint64_t available;

		if ((int)z->type > a->highest || !z->managed)
			continue;
		available = rc_zone_reclaimable(e, z) / rc_max(a->order, 1) + z->nr_free;
		if (suitable(e, z, (int)a->order, a->highest, available, flags) >
		    RECLAIM_COMPACT_SKIPPED)
			return true;
	}
	return false;
}

/* ---- moving one page ---- */

/* The frame @to takes over everything that @from stood for. */
static void move_page(struct reclaim_engine *e, uint32_t from, uint32_t to)
{
	struct rc_page *f = &e->pages[from], *t = &e->pages[to];
	uint64_t *slot = rc_page_slot(e, f);
	bool dirty = (f->flags & RC_PG_DIRTY) && !(f->flags & RC_PG_ANON);
	uint32_t stamp = f->stamp;

	if (dirty)
		rc_clean_page(e, from);
	t->flags = f->flags & ~(RC_PG_BUDDY | RC_PG_PCP);
	t->file = f->file;
	t->index = f->index;
	t->memcg = f->memcg;
	t->bits = f->bits;
	t->ref_class = f->ref_class;
	t->stamp = stamp;
	t->gen = 0;
	t->order = 0;
	t->dirty_next = RC_NONE;
	t->dirty_prev = RC_NONE;
	if (f->flags & RC_PG_OWNED)
		t->owner = f->owner;
	if (f->flags & RC_PG_SWAPCACHE)
		t->slot = f->slot;
	if (slot)
		*slot = (uint64_t)to << 2 | RC_ENTRY_FRAME;
	f->file = RC_NONE;
	f->memcg = 0;
	f->flags = 0;
	if (dirty) {
		/* Not new dirt: only the frame has changed. */
		uint64_t dirtied = e->vm[RECLAIM_VM_NR_DIRTIED];

		rc_dirty_page(e, to);
		e->vm[RECLAIM_VM_NR_DIRTIED] = dirtied;
		t->stamp = stamp;
	}
}

static bool movable_now(const struct rc_page *p)
{
	return (p->flags & RC_PG_LRU) && !p->order &&
	       !(p->flags & (RC_PG_WRITEBACK | RC_PG_LOCKED | RC_PG_UNEVICTABLE | RC_PG_DOOMED));
}

/* ---- the free scanner ---- */

static bool block_may_give(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t page)
{
	return rc_block_mt(e, z, page) == RECLAIM_MT_MOVABLE;
}

static void isolate_free(struct reclaim_engine *e, struct compact *c)
{
	struct rc_zone *z = c->z;
	uint32_t scanned = 0;

	while (c->nr_free < CLUSTER && z->free_pos > z->migrate_pos + 1) {
		uint32_t page = z->base + --z->free_pos;

		scanned++;
		if ((e->pages[page].flags & RC_PG_BUDDY) == 0 && !(z->free_pos & 511) &&
		    scanned > 4096)
			break;
		if (!block_may_give(e, z, page))
			continue;
		if (rc_buddy_take(e, z, page, 0)) {
			e->pages[page].flags = 0;
			c->free[c->nr_free++] = page;
		}
	}
	rc_count(e, RECLAIM_VM_COMPACT_FREE_SCANNED, scanned);
	rc_count(e, RECLAIM_VM_COMPACT_ISOLATED, c->nr_free);
	rc_burn(e, (int64_t)scanned * e->m.costs.compact_page);
}

static void release_free(struct reclaim_engine *e, struct compact *c)
{
	while (c->nr_free) {
		uint32_t page = c->free[--c->nr_free];

		rc_buddy_free(e, c->z, page, 0, rc_block_mt(e, c->z, page));
	}
}

/* ---- the migrate scanner ---- */

static uint32_t migrate_some(struct reclaim_engine *e, struct compact *c)
{
	struct rc_zone *z = c->z;
	uint32_t scanned = 0, moved = 0, failed = 0;

	while (moved < CLUSTER && scanned < (1u << e->m.pageblock_order) &&
	       z->migrate_pos < z->free_pos) {
		uint32_t page = z->base + z->migrate_pos, to;
		struct rc_page *p = &e->pages[page];

		if (p->flags & RC_PG_BUDDY) {
			z->migrate_pos += 1u << p->order;
			scanned++;
			continue;
		}
		z->migrate_pos++;
		scanned++;
		if (!c->sync && rc_block_mt(e, z, page) != c->mt)
			continue;
		if (!movable_now(p))
			continue;
		if (!c->nr_free)
			isolate_free(e, c);
		if (!c->nr_free)
			break;
		/* Time has passed in the free scanner. */
		if (!movable_now(p)) {
			failed++;
			continue;
		}
		to = c->free[--c->nr_free];
		rc_lru_del(e, page);
		move_page(e, page, to);
		rc_lru_put(e, to, false);
		rc_buddy_free(e, z, page, 0, rc_block_mt(e, z, page));
		moved++;
	}
	rc_count(e, RECLAIM_VM_COMPACT_MIGRATE_SCANNED, scanned);
	rc_count(e, RECLAIM_VM_PGMIGRATE_SUCCESS, moved);
	rc_count(e, RECLAIM_VM_PGMIGRATE_FAIL, failed);
	c->migrated += moved;
	rc_burn(e, (int64_t)scanned * e->m.costs.compact_page +
			   (int64_t)moved * e->m.costs.migrate_page);
	return scanned;
}

/* compact_finished(): a block of the order on a list that the request may take from. */
static bool finished(const struct reclaim_engine *e, const struct compact *c)
{
	uint32_t o;

	if (c->whole)
		return false;
	for (o = (uint32_t)c->order; o < RECLAIM_NR_ORDERS; o++) {
		if (c->z->free[c->mt][o].len)
			return true;
		/* A pageblock of another type can be taken over whole. */
		if (o >= e->m.pageblock_order && free_blocks(c->z, o))
			return true;
	}
	return false;
}

static enum reclaim_compact_result compact_zone(struct reclaim_engine *e, struct compact *c)
{
	struct rc_zone *z = c->z;
	enum reclaim_compact_result r = RECLAIM_COMPACT_COMPLETE;
	uint32_t scanned;

	if (z->free_pos <= z->migrate_pos || z->free_pos > z->spanned) {
		z->migrate_pos = 0;
		z->free_pos = z->spanned;
	}
	while (z->migrate_pos < z->free_pos && !e->fatal) {
		scanned = migrate_some(e, c);
		if (finished(e, c)) {
			r = RECLAIM_COMPACT_SUCCESS;
			break;
		}
		if (!scanned)
			break;
		rc_yield(e);
	}
	release_free(e, c);
	if (r == RECLAIM_COMPACT_COMPLETE) {
		z->migrate_pos = 0;
		z->free_pos = z->spanned;
	} else if (z->migrate_pos >= (1u << e->m.pageblock_order)) {
		/* The next run begins in the block that this one left. */
		z->migrate_pos &= ~((1u << e->m.pageblock_order) - 1);
	}
	return r;
}

static bool deferred(struct rc_zone *z, int order)
{
	if (order < z->defer.failed_order)
		return false;
	if (++z->defer.considered >= 1u << z->defer.shift) {
		z->defer.considered = 1u << z->defer.shift;
		return false;
	}
	return true;
}

static void defer(struct rc_zone *z, int order)
{
	z->defer.considered = 0;
	z->defer.shift = rc_min(z->defer.shift + 1, 6);
	if (order < z->defer.failed_order)
		z->defer.failed_order = order;
}

static enum reclaim_compact_result run_zone(struct reclaim_engine *e, struct compact *c)
{
	enum reclaim_compact_result r =
		rc_compact_suitable(e, c->z, c->order, c->highest, c->flags);
	struct reclaim_event ev;

	if (r != RECLAIM_COMPACT_CONTINUE)
		return r;
	if (e->prof.suitable >= RC_SUITABLE_612 &&
	    rc_wmark_ok(e, c->z, (uint32_t)c->order, rc_wmark_min(c->z), c->highest, c->flags,
			c->z->nr_free))
		return RECLAIM_COMPACT_SUCCESS;
	ev = rc_event(e, RECLAIM_EV_COMPACT_BEGIN);
	ev.zid = (uint8_t)c->z->type;
	ev.ok = c->sync;
	rc_emit(e, &ev);
	r = compact_zone(e, c);
	ev = rc_event(e, RECLAIM_EV_COMPACT_END);
	ev.zid = (uint8_t)c->z->type;
	ev.reason = (uint8_t)r;
	ev.u.sum.pages = c->migrated;
	rc_emit(e, &ev);
	return r;
}

/* try_to_compact_pages() */
enum reclaim_compact_result rc_compact_direct(struct reclaim_engine *e, struct rc_alloc *a,
					      int priority, uint32_t *page)
{
	const struct rc_node *n = &e->nodes[a->node];
	enum reclaim_compact_result best = RECLAIM_COMPACT_SKIPPED, r;
	struct rc_actor *t = rc_current(e);
	bool memalloc = t->memalloc;
	uint32_t i;

	*page = RC_NONE;
	if (!(a->gfp & RECLAIM_GFP_IO))
		return best;
	t->memalloc = true;
	for (i = 0; i < n->nr_zonelist && !e->fatal; i++) {
		struct rc_zone *z = &e->zones[n->zonelist[i]];
		struct compact c = {
			.z = z,
			.order = (int)a->order,
			.highest = a->highest,
			.sync = priority != PRIO_ASYNC,
			.mt = a->mt,
		};

		if ((int)z->type > a->highest || !z->managed)
			continue;
		if ((a->gfp & RECLAIM_GFP_THISNODE) && z->node != a->node)
			continue;
		if (priority > PRIO_SYNC_FULL && deferred(z, (int)a->order)) {
			best = rc_max(best, RECLAIM_COMPACT_DEFERRED);
			continue;
		}
		r = run_zone(e, &c);
		best = rc_max(best, r);
		if (r == RECLAIM_COMPACT_SUCCESS) {
			if ((int)a->order >= z->defer.failed_order)
				z->defer.failed_order = (int)a->order + 1;
			break;
		}
		if (c.sync &&
		    (r == RECLAIM_COMPACT_COMPLETE || r == RECLAIM_COMPACT_PARTIAL_SKIPPED))
			defer(z, (int)a->order);
	}
	t->memalloc = memalloc;
	if (best > RECLAIM_COMPACT_SKIPPED)
		rc_count(e, RECLAIM_VM_COMPACT_STALL, 1);
	return best;
}

/* ---- kcompactd ---- */

void rc_kcompactd_wake(struct reclaim_engine *e, struct rc_node *n, int order, int highest)
{
	uint32_t i;

	if (!order || !rc_compaction_on(e, order))
		return;
	n->kcompactd_order = rc_max(n->kcompactd_order, order);
	n->kcompactd_zone = rc_max(n->kcompactd_zone, highest);
	if (!n->kcompactd_wait.nr)
		return;
	for (i = 0; i < n->nr_zones; i++) {
		struct rc_zone *z = &e->zones[n->zones[i]];

		if ((int)z->type <= highest && z->managed &&
		    suitable(e, z, order, highest, z->nr_free, 0) == RECLAIM_COMPACT_CONTINUE) {
			rc_wake_all(e, &n->kcompactd_wait);
			return;
		}
	}
}

static void daemon_run(struct reclaim_engine *e, struct rc_node *n, int order, int highest)
{
	uint32_t i;

	rc_count(e, RECLAIM_VM_COMPACT_DAEMON_WAKE, 1);
	for (i = 0; i < n->nr_zones && !e->fatal; i++) {
		struct rc_zone *z = &e->zones[n->zones[i]];
		struct compact c = {
			.z = z,
			.order = order,
			.highest = highest,
			.sync = true,
			.mt = RECLAIM_MT_MOVABLE,
		};
		enum reclaim_compact_result r;

		if ((int)z->type > highest || !z->managed || deferred(z, order))
			continue;
		r = run_zone(e, &c);
		if (r == RECLAIM_COMPACT_SUCCESS) {
			if (order >= z->defer.failed_order)
				z->defer.failed_order = order + 1;
		} else if (r == RECLAIM_COMPACT_COMPLETE) {
			rc_pcp_drain_all(e);
			defer(z, order);
		}
	}
}

void rc_kcompactd_main(struct reclaim_engine *e, struct rc_actor *a)
{
	struct rc_node *n = &e->nodes[a->id];
	int order, highest;

	while (!e->fatal) {
		rc_wait(e, &n->kcompactd_wait, RECLAIM_NO_TIME);
		order = n->kcompactd_order;
		highest = rc_max(n->kcompactd_zone, 0);
		n->kcompactd_order = 0;
		n->kcompactd_zone = -1;
		if (order)
			daemon_run(e, n, order, highest);
	}
}
