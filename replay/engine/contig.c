/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * contig.c - how a request for a block of pages is served: lumpy reclaim or compaction
 *
 * Lumpy reclaim (2.6.23 to 3.4) takes, around each victim, the whole naturally aligned block. Since
 * it went, reclaim only makes room and compaction makes the block.
 */
#include "internal.h"

static struct reclaim_contig strategy(struct reclaim_engine *e, int order, int priority)
{
	struct reclaim_contig out = { RECLAIM_CONTIG_NONE, 0 };

	if (!order)
		return out;
	if (e->p_contig) {
		e->p_contig->ops->contiguous(e->p_contig->state, (uint32_t)order, priority, &out);
		return out;
	}
	out.kind = RECLAIM_CONTIG_COMPACTION;
	if (e->prof.lumpy) {
		bool on = order > RC_COSTLY_ORDER || priority < RC_DEF_PRIORITY - 2;

		out.kind = on ? RECLAIM_CONTIG_LUMPY_SYNC : RECLAIM_CONTIG_NONE;
		out.passes = 1;
	}
	return out;
}

void rc_contig_mode(struct reclaim_engine *e, struct rc_scan *sc)
{
	sc->contig = strategy(e, sc->order, sc->priority);
}

bool rc_compaction_on(struct reclaim_engine *e, int order)
{
	return strategy(e, order, 0).kind == RECLAIM_CONTIG_COMPACTION;
}

/* isolate_lru_pages() in lumpy mode: what of the block around @page can be taken is taken. */
uint32_t rc_lumpy_take(struct reclaim_engine *e, struct rc_scan *sc, uint32_t page, uint32_t *pages,
		       uint32_t room, uint32_t *scanned, uint32_t *taken)
{
	const struct rc_zone *z = &e->zones[e->pages[page].zone];
	uint64_t pfn = rc_pfn(z, page), first = pfn & ~((1ULL << sc->order) - 1), i;
	uint32_t nr = 0;

	for (i = first; i < first + (1ULL << sc->order) && nr < room; i++) {
		struct rc_page *p;
		uint32_t other;

		if (i == pfn || i < z->start_pfn || i >= z->start_pfn + z->spanned)
			continue;
		other = z->base + (uint32_t)(i - z->start_pfn);
		p = &e->pages[other];
		if (!(p->flags & RC_PG_LRU) || (p->flags & RC_PG_UNEVICTABLE)) {
			if (!(p->flags & (RC_PG_BUDDY | RC_PG_PCP | RC_PG_ISOLATED)))
				rc_count(e, RECLAIM_VM_LUMPY_FAILED, 1);
			continue;
		}
		if ((p->flags & RC_PG_ANON) && !(p->flags & RC_PG_SWAPCACHE) &&
		    !rc_swap_available(e))
			break;
		rc_lru_del(e, other);
		p->flags |= RC_PG_ISOLATED;
		p->flags &= ~RC_PG_ACTIVE;
		pages[nr++] = other;
		*scanned += 1u << p->order;
		*taken += 1u << p->order;
	}
	rc_count(e, RECLAIM_VM_LUMPY_TAKEN, nr);
	return nr;
}
