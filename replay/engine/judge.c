/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * judge.c - the fate of each isolated page (mm/vmscan.c shrink_folio_list())
 */
#include "internal.h"

enum fate { FATE_FREE, FATE_KEEP, FATE_ACTIVATE };

/* folio_check_references() */
static enum reclaim_verdict profile_verdict(const struct reclaim_engine *e, struct rc_page *p,
					    uint32_t young, bool referenced)
{
	bool anon = p->flags & RC_PG_ANON;

	if (young) {
		if (anon && !e->prof.anon_two_refs)
			return RECLAIM_VERDICT_ACTIVATE;
		p->flags |= RC_PG_REFERENCED;
		if (referenced || young > 1)
			return RECLAIM_VERDICT_ACTIVATE;
		if ((p->flags & RC_PG_EXEC) && (!anon || !e->prof.exec_needs_file))
			return RECLAIM_VERDICT_ACTIVATE;
		return RECLAIM_VERDICT_KEEP;
	}
	return referenced && !anon ? RECLAIM_VERDICT_FREE_CLEAN : RECLAIM_VERDICT_FREE;
}

static enum reclaim_verdict verdict(struct reclaim_engine *e, const struct rc_scan *sc,
				    struct rc_page *p)
{
	uint32_t young = rc_young_references(e, p);
	bool referenced = p->flags & RC_PG_REFERENCED;
	struct reclaim_page_view view;
	enum reclaim_verdict v;

	if (e->future.done)
		return RECLAIM_VERDICT_FREE;
	if (e->discipline)
		return young ? RECLAIM_VERDICT_KEEP : RECLAIM_VERDICT_FREE;
	if (e->mglru) {
		if (!young)
			return RECLAIM_VERDICT_FREE;
		if (e->prof.mglru_version < 3) {
			p->flags |= RC_PG_REFERENCED;
			return referenced ? RECLAIM_VERDICT_ACTIVATE : RECLAIM_VERDICT_KEEP;
		}
		v = p->bits ? RECLAIM_VERDICT_ACTIVATE : RECLAIM_VERDICT_KEEP;
		p->bits = (uint8_t)rc_min(p->bits + 1, 3);
		return v;
	}
	p->flags &= ~RC_PG_REFERENCED;
	v = profile_verdict(e, p, young, referenced);
	if (!e->p_verdict)
		return v;
	view = (struct reclaim_page_view){
		.anon = p->flags & RC_PG_ANON,
		.dirty = p->flags & RC_PG_DIRTY,
		.writeback = p->flags & RC_PG_WRITEBACK,
		.workingset = p->flags & RC_PG_WORKINGSET,
		.mapped = p->flags & RC_PG_MAPPED,
		.exec = p->flags & RC_PG_EXEC,
		.referenced = referenced,
		.young = young,
		.priority = sc->priority,
	};
	return e->p_verdict->ops->verdict(e->p_verdict->state, &view, v);
}

/* A policy that throttles its own way waits as reclaim_throttle() kernels do. */
static bool sane_throttling(const struct rc_scan *sc, const struct reclaim_engine *e)
{
	return !sc->target_memcg || !e->memcgs[sc->memcg].desc.v1;
}

/* true: the page is dealt with, *fate says how. */
static bool judge_writeback(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
			    uint32_t page, struct rc_judged *j, enum fate *fate, bool sync)
{
	struct rc_page *p = &e->pages[page];
	uint32_t nr = 1u << p->order;

	if (!(p->flags & RC_PG_WRITEBACK))
		return false;
	if (sync) {
		while ((p->flags & RC_PG_WRITEBACK) && !e->fatal)
			rc_wait(e, &e->writeback_wait, RC_NSEC / 10);
		return false;
	}
	*fate = e->prof.parks_dirty ? FATE_ACTIVATE : FATE_KEEP;
	if (sc->kswapd && (p->flags & RC_PG_RECLAIM) && n->flag_writeback) {
		j->stat.immediate += nr;
		return true;
	}
	if (sane_throttling(sc, e) || !(p->flags & RC_PG_RECLAIM) || !(sc->gfp & RECLAIM_GFP_FS)) {
		p->flags |= RC_PG_RECLAIM;
		j->stat.writeback += nr;
		return true;
	}
	while ((p->flags & RC_PG_WRITEBACK) && !e->fatal)
		rc_wait(e, &e->writeback_wait, RC_NSEC / 10);
	return false;
}

/* The block around a victim goes whatever its pages' references say, and any reclaimer writes it
 * out. */
static bool lumpy(const struct rc_scan *sc)
{
	return sc->contig.kind == RECLAIM_CONTIG_LUMPY ||
	       sc->contig.kind == RECLAIM_CONTIG_LUMPY_SYNC;
}

static void emit_write(struct reclaim_engine *e, const struct rc_page *p)
{
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_WRITE_FOLIO);

	ev.lru = p->flags & RC_PG_ANON ? RECLAIM_LRU_INACTIVE_ANON : RECLAIM_LRU_INACTIVE_FILE;
	rc_emit(e, &ev);
	rc_count(e, RECLAIM_VM_NR_VMSCAN_WRITE, 1ULL << p->order);
}

/*
 * A page of a file that kswapd writes stays dirty: the file systems allocate its blocks when the
 * flusher comes, not under reclaim (ext4's delayed allocation and XFS redirty it).
 */
static enum fate judge_dirty(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
			     uint32_t page, struct rc_judged *j, enum reclaim_verdict v, bool sync)
{
	struct rc_page *p = &e->pages[page];
	uint32_t nr = 1u << p->order;
	bool anon = p->flags & RC_PG_ANON;

	if (!anon && !lumpy(sc) && !e->prof.lumpy &&
	    (!sc->kswapd || !(p->flags & RC_PG_RECLAIM) || !n->flag_dirty ||
	     !e->prof.kswapd_writes_files)) {
		rc_count(e, RECLAIM_VM_NR_VMSCAN_IMMEDIATE_RECLAIM, nr);
		p->flags |= RC_PG_RECLAIM;
		return e->prof.parks_dirty ? FATE_ACTIVATE : FATE_KEEP;
	}
	if (v == RECLAIM_VERDICT_FREE_CLEAN || !(sc->gfp & RECLAIM_GFP_IO) || !sc->may_writepage)
		return FATE_KEEP;
	emit_write(e, p);
	j->pageout += nr;
	if (!anon && !lumpy(sc) && !e->prof.lumpy) {
		p->flags &= ~RC_PG_RECLAIM;
		return FATE_KEEP;
	}
	p->flags |= RC_PG_RECLAIM;
	rc_write_page(e, page);
	if (sync) {
		while ((p->flags & RC_PG_WRITEBACK) && !e->fatal)
			rc_wait(e, &e->writeback_wait, RC_NSEC / 10);
		return p->flags & RC_PG_DIRTY ? FATE_KEEP : FATE_FREE;
	}
	return FATE_KEEP;
}

static enum fate judge_one(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
			   uint32_t page, struct rc_judged *j, bool sync)
{
	struct rc_page *p = &e->pages[page];
	bool anon = p->flags & RC_PG_ANON;
	uint32_t nr = 1u << p->order;
	enum reclaim_verdict v;
	enum fate fate;

	if (p->flags & (RC_PG_LOCKED | RC_PG_DOOMED))
		return FATE_KEEP;
	if (p->flags & RC_PG_MLOCK) {
		p->flags |= RC_PG_UNEVICTABLE;
		return FATE_KEEP;
	}
	if (!sc->may_unmap && (p->flags & RC_PG_MAPPED))
		return FATE_KEEP;
	if (!anon) {
		bool dirty = p->flags & RC_PG_DIRTY, writeback = p->flags & RC_PG_WRITEBACK;

		if (dirty || writeback)
			j->stat.dirty += nr;
		if (dirty && !writeback)
			j->unqueued_dirty += nr;
		if (writeback && (p->flags & RC_PG_RECLAIM))
			j->stat.congested += nr;
	}
	if (judge_writeback(e, n, sc, page, j, &fate, sync))
		return fate;
	v = lumpy(sc) ? RECLAIM_VERDICT_FREE : verdict(e, sc, p);
	if (v == RECLAIM_VERDICT_ACTIVATE)
		return FATE_ACTIVATE;
	if (v == RECLAIM_VERDICT_KEEP) {
		j->stat.ref_keep += nr;
		return FATE_KEEP;
	}
	if (anon && !(p->flags & RC_PG_SWAPCACHE)) {
		if (!(sc->gfp & RECLAIM_GFP_IO))
			return FATE_KEEP;
		if (!rc_swap_reserve(e, page))
			return FATE_ACTIVATE;
		p->flags |= RC_PG_DIRTY;
	}
	p->flags &= ~RC_PG_MAPPED;
	if (p->flags & RC_PG_DIRTY) {
		fate = judge_dirty(e, n, sc, page, j, v, sync);
		if (fate != FATE_FREE)
			return fate;
	}
	return p->flags & RC_PG_WRITEBACK ? FATE_KEEP : FATE_FREE;
}

/* Take a clean page out of its mapping and leave a shadow. */
static void evict(struct reclaim_engine *e, uint32_t page, uint16_t target)
{
	struct rc_page *p = &e->pages[page];
	bool anon = p->flags & RC_PG_ANON;
	uint64_t *slot = rc_page_slot(e, p);

	if (anon && slot && !rc_swap_evict(e, p))
		rc_fatal(e, ENOMEM, "no memory for the map of swap");
	if (slot)
		*slot = rc_workingset_evict(e, p, anon, target);
	else if (anon)
		e->swap_nameless += 1ULL << p->order;
	p->file = RC_NONE;
}

uint32_t rc_judge_pages(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
			uint32_t *pages, uint32_t nr, uint32_t *left, struct rc_judged *j,
			bool sync)
{
	uint32_t i, kept = 0, freed = 0, gone = RC_NONE;

	for (i = 0; i < nr; i++) {
		struct rc_page *p = &e->pages[pages[i]];
		uint32_t n_pages = 1u << p->order;
		enum fate fate = judge_one(e, n, sc, pages[i], j, sync);

		/* A wait inside may have seen the page freed by its owner: putting it back ends it.
		 */
		if (fate == FATE_FREE && !(p->flags & RC_PG_DOOMED)) {
			p->flags &= ~RC_PG_ISOLATED;
			evict(e, pages[i], sc->target_memcg ? sc->memcg : 0);
			freed += n_pages;
			if (!e->prof.free_reversed) {
				rc_free_pages(e, pages[i]);
				continue;
			}
			p->next = gone;
			gone = pages[i];
			continue;
		}
		if (fate == FATE_ACTIVATE && !(p->flags & RC_PG_DOOMED)) {
			if (!e->discipline)
				p->flags |= RC_PG_ACTIVE;
			if (p->flags & RC_PG_ANON)
				j->stat.activate_anon += n_pages;
			else
				j->stat.activate_file += n_pages;
			if (e->prof.workingset == RC_WS_SPLIT && !e->mglru)
				rc_workingset_age(e, n->id, p->memcg, n_pages);
		}
		pages[kept++] = pages[i];
	}
	*left = kept;
	while (gone != RC_NONE) {
		i = gone;
		gone = e->pages[i].next;
		rc_free_pages(e, i);
	}
	return freed;
}
