/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mglru.c - the multi-generational LRU (mm/vmscan.c, include/linux/mm_inline.h)
 *
 * Each lruvec has two to four generations of each type, numbered by a sequence that only grows. New
 * pages enter by how they came, aging opens a youngest generation and moves what was referenced
 * through page tables into it, eviction takes the oldest. References through file descriptors raise
 * a page's tier; a controller that compares refault rates decides which tiers to spare and which
 * type to evict.
 *
 * All pages count as inactive here, as the kernel's events label them.
 */
#include "internal.h"

#define MIN_GENS  2
#define LRU_BATCH 64
#define MAX_BATCH 512

static uint32_t slot_of_seq(uint64_t seq)
{
	return (uint32_t)(seq % RC_NR_GENS);
}

void rc_gen_init(struct rc_lruvec *v)
{
	int g, type;

	v->gens.max_seq = MIN_GENS + 1;
	v->gens.min_seq[0] = 0;
	v->gens.min_seq[1] = 0;
	for (g = 0; g < RC_NR_GENS; g++)
		for (type = 0; type < 2; type++)
			v->gens.lists[g][type] = RC_LIST_INIT;
}

static int type_of(const struct rc_page *p)
{
	return p->flags & RC_PG_ANON ? 0 : 1;
}

static int tier_of(const struct rc_page *p)
{
	uint32_t refs = p->bits;

	return refs ? rc_min(rc_fls64(refs), RC_NR_TIERS - 1) : 0;
}

/* ---- placement ---- */

static uint64_t seq_of_new(const struct reclaim_engine *e, const struct rc_lruvec *v,
			   const struct rc_page *p, bool reclaiming)
{
	const struct rc_gens *g = &v->gens;
	int type = type_of(p);
	bool active = p->flags & RC_PG_ACTIVE, workingset = p->flags & RC_PG_WORKINGSET;
	bool held = (!type && !(p->flags & RC_PG_SWAPCACHE)) ||
		    ((p->flags & RC_PG_RECLAIM) && (p->flags & (RC_PG_DIRTY | RC_PG_WRITEBACK)));
	uint64_t min = g->min_seq[type], seq;

	switch (e->prof.mglru_version) {
	case 1:
		seq = active ? g->max_seq : held ? min + 1 : min;
		break;
	case 2:
		if (active)
			seq = g->max_seq;
		else if (held)
			seq = g->max_seq - 1;
		else
			seq = reclaiming || min + MIN_GENS >= g->max_seq ? min : min + 1;
		break;
	default:
		if (active)
			seq = workingset ? g->max_seq : g->max_seq - 1;
		else if (reclaiming)
			seq = g->max_seq - 3;
		else if (held)
			seq = g->max_seq - 1;
		else
			seq = g->max_seq - (workingset ? 2 : 3);
		break;
	}
	/* Unsigned: a sequence below zero is far above the youngest. */
	return seq > g->max_seq ? min : rc_max(seq, min);
}

static void list_in(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page, uint64_t seq,
		    bool tail)
{
	struct rc_page *p = &e->pages[page];
	struct rc_list *l = &v->gens.lists[slot_of_seq(seq)][type_of(p)];

	p->gen = (uint8_t)(slot_of_seq(seq) + 1);
	p->flags &= ~RC_PG_ACTIVE;
	if (tail)
		rc_list_add_tail(e, l, page);
	else
		rc_list_add(e, l, page);
	rc_lru_account(e, p, rc_page_lru(p), 1);
}

void rc_gen_add(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page, bool reclaiming)
{
	list_in(e, v, page, seq_of_new(e, v, &e->pages[page], reclaiming), reclaiming);
}

void rc_gen_del(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	rc_list_del(e, &v->gens.lists[p->gen - 1][type_of(p)], page);
	/* The account was taken when the active flag was off. */
	rc_lru_account(
		e, p, p->flags & RC_PG_ANON ? RECLAIM_LRU_INACTIVE_ANON : RECLAIM_LRU_INACTIVE_FILE,
		-1);
	p->gen = 0;
}

static void move_to(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page, uint64_t seq)
{
	struct rc_page *p = &e->pages[page];
	int type = type_of(p);

	rc_list_del(e, &v->gens.lists[p->gen - 1][type], page);
	p->gen = (uint8_t)(slot_of_seq(seq) + 1);
	rc_list_add(e, &v->gens.lists[p->gen - 1][type], page);
}

/* folio_inc_refs(): accesses beyond the first raise the tier. */
void rc_gen_touch(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (p->flags & RC_PG_UNEVICTABLE)
		return;
	if (!(p->flags & RC_PG_REFERENCED))
		p->flags |= RC_PG_REFERENCED;
	else if (p->bits < 4)
		p->bits++;
}

/* ---- shadows ---- */

uint64_t rc_gen_shadow(struct reclaim_engine *e, struct rc_page *p)
{
	struct rc_lruvec *v = rc_page_lruvec(e, p);
	int type = type_of(p), tier = tier_of(p);

	v->gens.evicted[type][tier] += 1ULL << p->order;
	return v->gens.min_seq[type] << 3 | p->bits;
}

void rc_gen_refault(struct reclaim_engine *e, uint32_t page, uint64_t entry)
{
	struct rc_page *p = &e->pages[page];
	struct rc_lruvec *v = rc_page_lruvec(e, p);
	uint64_t seq = entry >> 27, refs = (entry >> 24) & 7, nr = 1ULL << p->order;
	int type = type_of(p), tier;

	if (v->gens.max_seq - seq >= RC_NR_GENS)
		return;
	p->bits = (uint8_t)refs;
	tier = tier_of(p);
	v->gens.refaulted[type][tier] += nr;
	if (seq != v->gens.min_seq[type] && tier == 0 && e->prof.mglru_version == 1)
		return;
	rc_count(e,
		 type ? RECLAIM_VM_WORKINGSET_ACTIVATE_FILE : RECLAIM_VM_WORKINGSET_ACTIVATE_ANON,
		 nr);
	if (refs >= 3) {
		p->flags |= RC_PG_WORKINGSET;
		rc_count(e,
			 type ? RECLAIM_VM_WORKINGSET_RESTORE_FILE
			      : RECLAIM_VM_WORKINGSET_RESTORE_ANON,
			 nr);
	}
}

/* ---- the controller ---- */

struct position {
	uint64_t refaulted, total;
	uint32_t gain;
};

static struct position position(const struct rc_gens *g, int type, int tier, uint32_t gain)
{
	struct position p = {
		.refaulted = g->avg_refaulted[type][tier] + g->refaulted[type][tier],
		.total = g->avg_total[type][tier] + g->evicted[type][tier] +
			 (tier ? g->prot[type][tier] : 0),
		.gain = gain,
	};

	return p;
}

/* Should what @pv measures be evicted like @sp? */
static bool positive_error(const struct position *sp, const struct position *pv)
{
	return pv->refaulted < LRU_BATCH || pv->refaulted * (sp->total + LRU_BATCH) * sp->gain <=
						    (sp->refaulted + 1) * pv->total * pv->gain;
}

static void carry_over(struct rc_gens *g, int type)
{
	int t;

	for (t = 0; t < RC_NR_TIERS; t++) {
		g->avg_refaulted[type][t] = (g->avg_refaulted[type][t] + g->refaulted[type][t]) / 2;
		g->avg_total[type][t] =
			(g->avg_total[type][t] + g->evicted[type][t] + (t ? g->prot[type][t] : 0)) /
			2;
		g->refaulted[type][t] = 0;
		g->evicted[type][t] = 0;
		g->prot[type][t] = 0;
	}
}

static int tier_limit(const struct reclaim_engine *e, const struct rc_gens *g, int type)
{
	uint32_t first = e->prof.mglru_version == 3 ? 2 : 1,
		 rest = e->prof.mglru_version == 3 ? 3 : 2;
	struct position sp = position(g, type, 0, first), pv;
	int t;

	for (t = 1; t < RC_NR_TIERS; t++) {
		pv = position(g, type, t, rest);
		if (!positive_error(&sp, &pv))
			break;
	}
	return t - 1;
}

static int type_to_evict(struct reclaim_engine *e, const struct rc_lruvec *v,
			 const struct rc_scan *sc)
{
	uint32_t swappiness = e->m.swappiness;
	struct position sp, pv;

	if (!sc->may_swap || !rc_swap_available(e) || !swappiness)
		return 1;
	if (e->prof.mglru_version == 1 && v->gens.min_seq[0] < v->gens.min_seq[1])
		return 0;
	if (swappiness == 1)
		return 1;
	if (swappiness >= 200)
		return 0;
	sp = position(&v->gens, 0, 0, swappiness);
	pv = position(&v->gens, 1, 0, 200 - swappiness);
	return positive_error(&sp, &pv) ? 1 : 0;
}

/* ---- aging ---- */

/* The oldest generation of a type ends; what is left moves up. */
static void inc_min_seq(struct reclaim_engine *e, struct rc_lruvec *v, int type)
{
	struct rc_gens *g = &v->gens;
	struct rc_list *l = &g->lists[slot_of_seq(g->min_seq[type])][type];

	while (l->len) {
		uint32_t page = l->tail;

		rc_list_del(e, l, page);
		e->pages[page].gen = (uint8_t)(slot_of_seq(g->min_seq[type] + 1) + 1);
		rc_list_add(e, &g->lists[slot_of_seq(g->min_seq[type] + 1)][type], page);
	}
	carry_over(g, type);
	g->min_seq[type]++;
}

static void drop_empty(struct reclaim_engine *e, struct rc_lruvec *v)
{
	struct rc_gens *g = &v->gens;
	int type;

	for (type = 0; type < 2; type++) {
		while (g->min_seq[type] + MIN_GENS <= g->max_seq &&
		       !g->lists[slot_of_seq(g->min_seq[type])][type].len) {
			carry_over(g, type);
			g->min_seq[type]++;
		}
	}
}

/* Walk what is mapped and move what was referenced to the youngest generation. */
static uint64_t walk_references(struct reclaim_engine *e, struct rc_lruvec *v)
{
	struct rc_gens *g = &v->gens;
	uint64_t seq, walked = 0;
	uint32_t page, prev;
	int type;

	for (type = 0; type < 2; type++) {
		for (seq = g->min_seq[type]; seq < g->max_seq; seq++) {
			page = g->lists[slot_of_seq(seq)][type].tail;
			for (; page != RC_NONE; page = prev) {
				struct rc_page *p = &e->pages[page];

				prev = p->prev;
				walked++;
				if ((p->flags & RC_PG_MAPPED) && rc_young_references(e, p))
					move_to(e, v, page, g->max_seq);
			}
		}
	}
	return walked;
}

static void inc_max_seq(struct reclaim_engine *e, struct rc_lruvec *v)
{
	struct rc_gens *g = &v->gens;
	uint64_t walked;
	int type;

	walked = walk_references(e, v);
	for (type = 0; type < 2; type++)
		if (g->max_seq - g->min_seq[type] + 1 == RC_NR_GENS)
			inc_min_seq(e, v, type);
	g->max_seq++;
	rc_burn(e, (int64_t)(walked * e->m.costs.compact_page / 8));
}

static uint64_t oldest(const struct reclaim_engine *e, const struct rc_lruvec *v,
		       const struct rc_scan *sc)
{
	bool anon = sc->may_swap && rc_swap_available(e) && e->m.swappiness;

	return anon ? rc_min(v->gens.min_seq[0], v->gens.min_seq[1]) : v->gens.min_seq[1];
}

static bool wants_aging(const struct reclaim_engine *e, const struct rc_lruvec *v,
			const struct rc_scan *sc)
{
	uint64_t min = oldest(e, v, sc);

	if (min + MIN_GENS > v->gens.max_seq)
		return true;
	return min + MIN_GENS == v->gens.max_seq && sc->priority != RC_DEF_PRIORITY;
}

void rc_gen_age_node(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	uint32_t m;

	for (m = 0; m < e->m.nr_memcgs; m++) {
		struct rc_lruvec *v = rc_lruvec(e, n->id, m);

		if (oldest(e, v, sc) + MIN_GENS > v->gens.max_seq)
			inc_max_seq(e, v);
	}
}

/* ---- eviction ---- */

/* sort_folio(): true when the page went elsewhere and is not to be evicted. */
static bool spared(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page, int type,
		   int limit)
{
	struct rc_page *p = &e->pages[page];
	struct rc_gens *g = &v->gens;
	uint64_t next = g->min_seq[type] + 1;
	int tier = tier_of(p);

	if (tier > limit || (e->prof.mglru_version == 3 && p->bits >= 4)) {
		g->prot[type][tier] += 1ULL << p->order;
		move_to(e, v, page, next);
		return true;
	}
	if (type && (p->flags & (RC_PG_DIRTY | RC_PG_WRITEBACK))) {
		p->flags |= RC_PG_RECLAIM;
		move_to(e, v, page, next);
		return true;
	}
	return false;
}

struct eviction {
	uint32_t pages[MAX_BATCH];
	uint32_t nr, nr_pages, scanned, skipped;
};

static void isolate(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc, int type,
		    uint64_t nr, struct eviction *ev)
{
	struct rc_list *l = &v->gens.lists[slot_of_seq(v->gens.min_seq[type])][type];
	int limit = tier_limit(e, &v->gens, type);
	uint64_t looked = 0, max = l->len;

	if (v->gens.min_seq[type] + MIN_GENS > v->gens.max_seq)
		return;
	while (l->len && ev->nr < MAX_BATCH && ev->scanned < nr && looked++ < max) {
		uint32_t page = l->tail;
		struct rc_page *p = &e->pages[page];
		uint32_t pages = 1u << p->order;

		ev->scanned += pages;
		if ((int)e->zones[p->zone].type > sc->reclaim_idx) {
			ev->skipped += pages;
			rc_list_del(e, l, page);
			rc_list_add(e, l, page);
			continue;
		}
		if (spared(e, v, page, type, limit))
			continue;
		if (!type && !(p->flags & RC_PG_SWAPCACHE) && !(sc->gfp & RECLAIM_GFP_IO))
			break;
		rc_lru_del(e, page);
		p->flags |= RC_PG_ISOLATED;
		ev->pages[ev->nr++] = page;
		ev->nr_pages += pages;
	}
}

static void emit_batch(struct reclaim_engine *e, const struct rc_node *n, const struct rc_scan *sc,
		       const struct eviction *ev, const struct rc_judged *j, int lru, uint64_t nr)
{
	struct reclaim_event out;

	if (rc_event_wanted(e, RECLAIM_EV_LRU_ISOLATE)) {
		out = rc_event(e, RECLAIM_EV_LRU_ISOLATE);
		out.zid = (uint8_t)sc->reclaim_idx;
		out.order = (uint8_t)sc->order;
		out.lru = (uint8_t)lru;
		out.u.isolate.requested = (uint32_t)nr;
		out.u.isolate.scanned = ev->scanned;
		out.u.isolate.skipped = ev->skipped;
		out.u.isolate.taken = ev->nr_pages;
		rc_emit(e, &out);
	}
	if (ev->nr && rc_event_wanted(e, RECLAIM_EV_SHRINK_INACTIVE)) {
		out = rc_event(e, RECLAIM_EV_SHRINK_INACTIVE);
		out.nid = (uint8_t)n->id;
		out.priority = sc->priority;
		out.lru = (uint8_t)lru;
		out.u.shrink = j->stat;
		out.u.shrink.scanned = ev->scanned;
		rc_emit(e, &out);
	}
}

/* evict_folios(): pages scanned. */
static uint64_t evict(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc,
		      uint64_t nr)
{
	struct rc_node *n = &e->nodes[v->node];
	struct eviction ev = { .nr = 0 };
	struct rc_judged j;
	int type = type_to_evict(e, v, sc), lru;
	uint32_t left = 0, i;

	memset(&j, 0, sizeof(j));
	rc_lru_drain_cpu(e, e->cur_cpu);
	isolate(e, v, sc, type, nr, &ev);
	if (!ev.scanned && sc->may_swap && rc_swap_available(e) && e->m.swappiness) {
		type = !type;
		isolate(e, v, sc, type, nr, &ev);
	}
	drop_empty(e, v);
	if (!ev.scanned)
		return 0;
	lru = type ? RECLAIM_LRU_INACTIVE_FILE : RECLAIM_LRU_INACTIVE_ANON;
	rc_count_scan(e, sc, v, type, ev.scanned);
	sc->nr_scanned += ev.scanned;
	n->isolated[type] += ev.nr_pages;
	rc_burn(e, (int64_t)ev.scanned * e->m.costs.scan_page);
	if (ev.nr) {
		j.stat.reclaimed = rc_judge_pages(e, n, sc, ev.pages, ev.nr, &left, &j, false);
		rc_burn(e, (int64_t)j.stat.reclaimed * e->m.costs.reclaim_page +
				   e->m.costs.reclaim_batch);
	}
	for (i = 0; i < left; i++)
		rc_putback(e, ev.pages[i]);
	n->isolated[type] -= ev.nr_pages;
	rc_count_steal(e, sc, v, type, j.stat.reclaimed);
	sc->nr_reclaimed += j.stat.reclaimed;
	if (ev.nr && j.unqueued_dirty == ev.nr_pages)
		rc_flusher_wake(e, 0);
	emit_batch(e, n, sc, &ev, &j, lru, nr);
	return ev.scanned;
}

void rc_gen_shrink(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc)
{
	uint64_t scanned = 0, total, want, done, start = sc->nr_reclaimed;

	drop_empty(e, v);
	for (;;) {
		total = v->size[RECLAIM_LRU_INACTIVE_FILE];
		if (sc->may_swap && rc_swap_available(e) && e->m.swappiness)
			total += v->size[RECLAIM_LRU_INACTIVE_ANON];
		want = total >> sc->priority;
		if (!want && total && !sc->priority)
			want = total;
		if (wants_aging(e, v, sc)) {
			if (!total)
				break;
			inc_max_seq(e, v);
			drop_empty(e, v);
		}
		if (scanned >= want)
			break;
		done = evict(e, v, sc, rc_min(want - scanned, MAX_BATCH));
		scanned += done;
		if (!done || e->fatal)
			break;
		if (sc->nr_reclaimed - start >= rc_max(sc->nr_to_reclaim, RC_BATCH))
			break;
		if (sc->scan_limit && sc->nr_scanned >= sc->scan_limit)
			break;
		rc_yield(e);
	}
}
