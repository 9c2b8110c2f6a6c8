/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scan.c - one reclaim pass over a node: how much of which list, and walking the lists
 *
 * mm/vmscan.c: prepare_scan_control(), get_scan_count(), shrink_lruvec(), shrink_inactive_list(),
 * shrink_active_list() and shrink_node(). Isolated pages stay isolated for as long as the scan
 * takes in simulated time, so others can meet too_many_isolated().
 */
#include "internal.h"

#define MAX_SKIP (RC_BATCH * 1024)

uint64_t rc_lruvec_size(const struct rc_lruvec *v, int lru, int idx)
{
	uint64_t sum = 0;
	int t;

	for (t = 0; t <= idx; t++)
		sum += v->zone_size[t][lru];
	return sum;
}

bool rc_can_age_anon(const struct reclaim_engine *e)
{
	return e->m.swap_pages > 0;
}

/* inactive_is_low() */
bool rc_inactive_low(const struct reclaim_engine *e, const struct rc_lruvec *v, bool file, int idx)
{
	int lru = file ? RECLAIM_LRU_INACTIVE_FILE : RECLAIM_LRU_INACTIVE_ANON;
	uint64_t inactive, active, gb, ratio;

	if (e->prof.zone_inactive_low) {
		if (!file && !rc_can_age_anon(e))
			return false;
		inactive = rc_lruvec_size(v, lru, idx);
		active = rc_lruvec_size(v, lru + 1, idx);
		if (file && v->activations[1] != v->activations_seen[1])
			return active > 0;
	} else {
		inactive = v->size[lru];
		active = v->size[lru + 1];
	}
	gb = (inactive + active) / ((1ULL << 30) / e->m.page_size);
	ratio = gb ? rc_isqrt(10 * gb) : 1;
	return inactive * ratio < active;
}

void rc_count_scan(struct reclaim_engine *e, const struct rc_scan *sc, struct rc_lruvec *v,
		   bool file, uint64_t nr)
{
	enum reclaim_counter c = RECLAIM_VM_PGSCAN_DIRECT;

	if (sc->kswapd)
		c = RECLAIM_VM_PGSCAN_KSWAPD;
	else if (sc->proactive)
		c = RECLAIM_VM_PGSCAN_PROACTIVE;
	else if (sc->target_memcg)
		c = RECLAIM_VM_PGSCAN_MEMCG;
	rc_count(e, c, nr);
	rc_count(e, file ? RECLAIM_VM_PGSCAN_FILE : RECLAIM_VM_PGSCAN_ANON, nr);
	e->memcgs[v->memcg].scanned += nr;
}

void rc_count_steal(struct reclaim_engine *e, const struct rc_scan *sc, struct rc_lruvec *v,
		    bool file, uint64_t nr)
{
	enum reclaim_counter c = RECLAIM_VM_PGSTEAL_DIRECT;

	if (sc->kswapd)
		c = RECLAIM_VM_PGSTEAL_KSWAPD;
	else if (sc->proactive)
		c = RECLAIM_VM_PGSTEAL_PROACTIVE;
	else if (sc->target_memcg)
		c = RECLAIM_VM_PGSTEAL_MEMCG;
	rc_count(e, c, nr);
	rc_count(e, file ? RECLAIM_VM_PGSTEAL_FILE : RECLAIM_VM_PGSTEAL_ANON, nr);
	e->memcgs[v->memcg].stolen += nr;
}

/* ---- isolation ---- */

/* Room for a few whole blocks of the largest order, which lumpy reclaim takes at once. */
#define ISOLATE_MAX (2u << RECLAIM_MAX_ORDER)

struct isolated {
	uint32_t nr; /* entries */
	uint32_t nr_pages, scanned, skipped;
	uint32_t pages[ISOLATE_MAX];
};

static void isolated_init(struct isolated *iso)
{
	iso->nr = 0;
	iso->nr_pages = 0;
	iso->scanned = 0;
	iso->skipped = 0;
}

static void emit_isolate(struct reclaim_engine *e, const struct rc_scan *sc,
			 const struct isolated *iso, int lru, uint64_t requested)
{
	struct reclaim_event ev;

	if (!rc_event_wanted(e, RECLAIM_EV_LRU_ISOLATE))
		return;
	ev = rc_event(e, RECLAIM_EV_LRU_ISOLATE);
	ev.zid = (uint8_t)sc->reclaim_idx;
	ev.order = (uint8_t)sc->order;
	ev.lru = (uint8_t)lru;
	ev.u.isolate.requested = (uint32_t)requested;
	ev.u.isolate.scanned = iso->scanned;
	ev.u.isolate.skipped = iso->skipped;
	ev.u.isolate.taken = iso->nr_pages;
	rc_emit(e, &ev);
}

static void take(struct reclaim_engine *e, struct isolated *iso, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	rc_lru_del(e, page);
	p->flags |= RC_PG_ISOLATED;
	iso->pages[iso->nr++] = page;
	iso->nr_pages += 1u << p->order;
}

/* isolate_lru_folios(): up to @nr pages from the tail; pages of zones too high go back to the head.
 */
static void isolate(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc, int lru,
		    uint64_t nr, struct isolated *iso)
{
	struct rc_list skipped = RC_LIST_INIT, *list = &v->lists[lru];
	bool lumpy = sc->contig.kind == RECLAIM_CONTIG_LUMPY ||
		     sc->contig.kind == RECLAIM_CONTIG_LUMPY_SYNC;
	uint64_t scan = 0, skips = 0;
	uint32_t page, before;

	while (scan < nr && skips < MAX_SKIP && list->len) {
		page = list->tail;
		if ((int)e->zones[e->pages[page].zone].type > sc->reclaim_idx) {
			iso->skipped += 1u << e->pages[page].order;
			iso->scanned += 1u << e->pages[page].order;
			skips++;
			rc_lru_account(e, &e->pages[page], lru, -1);
			rc_list_del(e, list, page);
			rc_list_add(e, &skipped, page);
			continue;
		}
		before = iso->scanned;
		iso->scanned += 1u << e->pages[page].order;
		take(e, iso, page);
		if (lumpy && !rc_is_active_lru(lru))
			iso->nr +=
				rc_lumpy_take(e, sc, page, iso->pages + iso->nr,
					      ISOLATE_MAX - iso->nr, &iso->scanned, &iso->nr_pages);
		scan += iso->scanned - before;
		if (iso->nr == ISOLATE_MAX)
			break;
	}
	while (skipped.len) {
		page = skipped.tail;
		rc_list_del(e, &skipped, page);
		rc_list_add(e, list, page);
		rc_lru_account(e, &e->pages[page], lru, 1);
	}
}

/* The same through a policy's discipline. */
static void isolate_discipline(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc,
			       int lru, uint64_t nr, struct isolated *iso)
{
	struct reclaim_lists l = rc_lists(e, v, rc_is_file_lru(lru) ? 1 : 0);
	uint64_t scan = 0;
	uint32_t page;

	while (scan < nr && iso->nr < ISOLATE_MAX) {
		page = e->discipline->victim(e->p_lru->state, &l);
		if (page == RECLAIM_NO_PAGE || !(e->pages[page].flags & RC_PG_LRU))
			break;
		scan += 1ULL << e->pages[page].order;
		iso->scanned += 1u << e->pages[page].order;
		take(e, iso, page);
	}
}

/* too_many_isolated() */
static bool too_many_isolated(const struct reclaim_engine *e, const struct rc_node *n,
			      const struct rc_scan *sc, bool file)
{
	uint64_t inactive = 0;
	uint32_t i;

	if (sc->kswapd || (sc->target_memcg && e->memcgs[sc->memcg].desc.v1))
		return false;
	for (i = 0; i < n->nr_zones; i++)
		inactive +=
			e->zones[n->zones[i]]
				.lru[file ? RECLAIM_LRU_INACTIVE_FILE : RECLAIM_LRU_INACTIVE_ANON];
	if ((sc->gfp & (RECLAIM_GFP_IO | RECLAIM_GFP_FS)) == (RECLAIM_GFP_IO | RECLAIM_GFP_FS))
		inactive >>= 3;
	return n->isolated[file] > inactive;
}

static bool wait_isolated(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
			  bool file)
{
	bool stalled = false;

	while (too_many_isolated(e, n, sc, file)) {
		if (stalled && !e->prof.isolated_waits_on)
			return false;
		stalled = true;
		rc_throttle(e, n, sc, RECLAIM_POINT_ISOLATED);
		if (rc_current(e)->killed)
			return false;
	}
	rc_throttle_isolated_done(e, n);
	return true;
}

/* ---- the inactive list ---- */

static void emit_inactive(struct reclaim_engine *e, const struct rc_node *n,
			  const struct rc_scan *sc, const struct rc_judged *j, uint32_t scanned,
			  int lru)
{
	struct reclaim_event ev;

	if (!rc_event_wanted(e, RECLAIM_EV_SHRINK_INACTIVE))
		return;
	ev = rc_event(e, RECLAIM_EV_SHRINK_INACTIVE);
	ev.nid = (uint8_t)n->id;
	ev.priority = sc->priority;
	ev.lru = (uint8_t)lru;
	ev.u.shrink = j->stat;
	ev.u.shrink.scanned = scanned;
	rc_emit(e, &ev);
}

static void pass_add(struct rc_pass *pass, const struct rc_judged *j, uint32_t taken, bool file)
{
	pass->dirty += j->stat.dirty;
	pass->congested += j->stat.congested;
	pass->unqueued_dirty += j->unqueued_dirty;
	pass->writeback += j->stat.writeback;
	pass->immediate += j->stat.immediate;
	pass->taken += taken;
	if (file)
		pass->file_taken += taken;
}

/* Lumpy reclaim's second look: wait for the writeback of what the first left, then judge again. */
static void lumpy_sync(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		       struct isolated *iso, uint32_t *left, struct rc_judged *j)
{
	uint32_t pass, i, freed;

	for (pass = 0; pass < sc->contig.passes && *left; pass++) {
		rc_sleep_until(e, rc_now(e) + e->m.costs.wake);
		for (i = 0; i < *left; i++)
			e->pages[iso->pages[i]].flags &= ~(RC_PG_ACTIVE | RC_PG_REFERENCED);
		freed = rc_judge_pages(e, n, sc, iso->pages, *left, left, j, true);
		j->stat.reclaimed += freed;
	}
}

static uint64_t shrink_inactive(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc,
				int lru, uint64_t nr)
{
	struct rc_node *n = &e->nodes[v->node];
	bool file = rc_is_file_lru(lru);
	struct isolated iso;
	struct rc_judged j;
	uint32_t left, i;

	isolated_init(&iso);
	memset(&j, 0, sizeof(j));
	if (!wait_isolated(e, n, sc, file))
		return 0;
	rc_lru_drain_cpu(e, e->cur_cpu);
	if (e->discipline)
		isolate_discipline(e, v, sc, lru, nr, &iso);
	else
		isolate(e, v, sc, lru, nr, &iso);
	emit_isolate(e, sc, &iso, lru, nr);
	rc_count_scan(e, sc, v, file, iso.scanned);
	sc->nr_scanned += iso.scanned;
	n->isolated[file] += iso.nr_pages;
	rc_burn(e, (int64_t)iso.nr_pages * e->m.costs.scan_page);
	if (!iso.nr)
		return 0;
	j.stat.reclaimed = rc_judge_pages(e, n, sc, iso.pages, iso.nr, &left, &j, false);
	if (sc->contig.kind == RECLAIM_CONTIG_LUMPY_SYNC && !sc->kswapd && left &&
	    sc->priority <= (sc->order > RC_COSTLY_ORDER ? 12 : 4))
		lumpy_sync(e, n, sc, &iso, &left, &j);
	rc_burn(e, (int64_t)j.stat.reclaimed * e->m.costs.reclaim_page +
			   (int64_t)j.pageout * e->m.costs.pageout_page + e->m.costs.reclaim_batch);
	for (i = 0; i < left; i++)
		rc_putback(e, iso.pages[i]);
	n->isolated[file] -= iso.nr_pages;
	rc_count(e, RECLAIM_VM_PGACTIVATE, j.stat.activate_anon + j.stat.activate_file);
	rc_count_steal(e, sc, v, file, j.stat.reclaimed);
	rc_lru_cost(e, v, file, j.pageout, iso.scanned - rc_min(iso.scanned, j.stat.reclaimed));
	if (e->prof.cost == RC_COST_ROTATED) {
		v->recent_scanned[file] += iso.nr_pages;
		v->recent_rotated[file] += file ? j.stat.activate_file : j.stat.activate_anon;
	}
	if (j.unqueued_dirty == iso.nr_pages) {
		rc_flusher_wake(e, 0);
		if (sc->target_memcg && e->memcgs[sc->memcg].desc.v1 && e->prof.reserve_flags)
			rc_throttle(e, n, sc, RECLAIM_POINT_IMMEDIATE);
	}
	pass_add(&sc->pass, &j, iso.nr_pages, file);
	emit_inactive(e, n, sc, &j, iso.scanned, lru);
	return j.stat.reclaimed;
}

/* ---- the active list ---- */

void rc_shrink_active(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc, int lru,
		      uint64_t nr)
{
	struct isolated iso;
	uint32_t i, rotated = 0, deactivated = 0, referenced = 0;
	bool file = rc_is_file_lru(lru);
	struct rc_node *n = &e->nodes[v->node];

	isolated_init(&iso);
	rc_lru_drain_cpu(e, e->cur_cpu);
	isolate(e, v, sc, lru, nr, &iso);
	n->isolated[file] += iso.nr_pages;
	emit_isolate(e, sc, &iso, lru, nr);
	rc_count(e, RECLAIM_VM_PGREFILL, iso.scanned);
	rc_burn(e, (int64_t)iso.nr_pages * e->m.costs.activate_page);
	for (i = 0; i < iso.nr; i++) {
		struct rc_page *p = &e->pages[iso.pages[i]];
		uint32_t pages = 1u << p->order;

		if (!(p->flags & RC_PG_DOOMED) && rc_young_references(e, p)) {
			referenced += pages;
			if ((p->flags & RC_PG_EXEC) && file) {
				rotated += pages;
				rc_putback(e, iso.pages[i]);
				continue;
			}
		}
		p->flags &= ~RC_PG_ACTIVE;
		p->flags |= RC_PG_WORKINGSET;
		deactivated += pages;
		rc_putback(e, iso.pages[i]);
	}
	n->isolated[file] -= iso.nr_pages;
	rc_count(e, RECLAIM_VM_PGDEACTIVATE, deactivated);
	if (e->prof.cost == RC_COST_612)
		rc_lru_cost(e, v, file, 0, rotated);
	if (e->prof.cost == RC_COST_ROTATED) {
		v->recent_scanned[file] += iso.nr_pages;
		v->recent_rotated[file] += referenced;
	}
	if (rc_event_wanted(e, RECLAIM_EV_SHRINK_ACTIVE)) {
		struct reclaim_event ev = rc_event(e, RECLAIM_EV_SHRINK_ACTIVE);

		ev.nid = (uint8_t)v->node;
		ev.lru = (uint8_t)lru;
		ev.priority = sc->priority;
		ev.u.active.taken = iso.nr_pages;
		ev.u.active.active = rotated;
		ev.u.active.deactivated = deactivated;
		ev.u.active.referenced = referenced;
		rc_emit(e, &ev);
	}
}

uint64_t rc_shrink_list(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc, int lru,
			uint64_t nr)
{
	bool file = rc_is_file_lru(lru), low;

	if (!rc_is_active_lru(lru))
		return shrink_inactive(e, v, sc, lru, nr);
	low = e->prof.zone_inactive_low ? rc_inactive_low(e, v, file, sc->reclaim_idx)
					: sc->may_deactivate[file];
	if (low || sc->force_deactivate)
		rc_shrink_active(e, v, sc, lru, nr);
	else
		sc->skipped_deactivate = true;
	return 0;
}

/* ---- how much of which list ---- */

/* The two weights and their sum, by the profile's cost model. */
static void fraction(struct reclaim_engine *e, struct rc_lruvec *v, const struct rc_scan *sc,
		     uint64_t *anon, uint64_t *file, uint64_t *sum)
{
	uint64_t swappiness = e->m.swappiness, ac, fc, total, size;
	const struct rc_lruvec *root = rc_lruvec(e, v->node, sc->target_memcg ? sc->memcg : 0);

	if (e->prof.cost == RC_COST_ROTATED) {
		size = rc_lruvec_size(v, RECLAIM_LRU_INACTIVE_ANON, RECLAIM_ZONE_MOVABLE) +
		       rc_lruvec_size(v, RECLAIM_LRU_ACTIVE_ANON, RECLAIM_ZONE_MOVABLE);
		if (v->recent_scanned[0] > size / 4) {
			v->recent_scanned[0] /= 2;
			v->recent_rotated[0] /= 2;
		}
		size = rc_lruvec_size(v, RECLAIM_LRU_INACTIVE_FILE, RECLAIM_ZONE_MOVABLE) +
		       rc_lruvec_size(v, RECLAIM_LRU_ACTIVE_FILE, RECLAIM_ZONE_MOVABLE);
		if (v->recent_scanned[1] > size / 4) {
			v->recent_scanned[1] /= 2;
			v->recent_rotated[1] /= 2;
		}
		*anon = swappiness * (v->recent_scanned[0] + 1) / (v->recent_rotated[0] + 1);
		*file = (200 - swappiness) * (v->recent_scanned[1] + 1) /
			(v->recent_rotated[1] + 1);
		*sum = *anon + *file + 1;
		return;
	}
	total = root->anon_cost + root->file_cost;
	ac = total + root->anon_cost;
	fc = total + root->file_cost;
	total = ac + fc;
	*anon = swappiness * (total + 1) / (ac + 1);
	*file = (200 - swappiness) * (total + 1) / (fc + 1);
	*sum = *anon + *file;
}

enum balance { BALANCE_EQUAL, BALANCE_FRACT, BALANCE_ANON, BALANCE_FILE };

static bool tiny_file(const struct reclaim_engine *e, const struct rc_lruvec *v,
		      const struct rc_scan *sc)
{
	const struct rc_node *n = &e->nodes[v->node];
	uint64_t free = 0, high = 0, file = 0;
	uint32_t i;

	for (i = 0; i < n->nr_zones; i++) {
		const struct rc_zone *z = &e->zones[n->zones[i]];

		if (e->prof.zone_inactive_low && (int)z->type > sc->reclaim_idx)
			continue;
		free += z->nr_free;
		high += rc_wmark_high(z);
		file += z->lru[RECLAIM_LRU_INACTIVE_FILE] + z->lru[RECLAIM_LRU_ACTIVE_FILE];
	}
	return file + free <= high;
}

static enum balance choose(struct reclaim_engine *e, struct rc_lruvec *v, const struct rc_scan *sc)
{
	if (!sc->may_swap || !rc_swap_available(e))
		return BALANCE_FILE;
	if (sc->target_memcg && !e->m.swappiness)
		return BALANCE_FILE;
	if (!sc->priority && e->m.swappiness)
		return BALANCE_EQUAL;
	if (e->prof.zone_inactive_low) {
		if (!sc->target_memcg && tiny_file(e, v, sc) &&
		    !rc_inactive_low(e, v, false, sc->reclaim_idx) &&
		    rc_lruvec_size(v, RECLAIM_LRU_INACTIVE_ANON, sc->reclaim_idx) >> sc->priority)
			return BALANCE_ANON;
		if (!rc_inactive_low(e, v, true, sc->reclaim_idx) &&
		    rc_lruvec_size(v, RECLAIM_LRU_INACTIVE_FILE, sc->reclaim_idx) >> sc->priority)
			return BALANCE_FILE;
		return BALANCE_FRACT;
	}
	if (sc->file_is_tiny)
		return BALANCE_ANON;
	return sc->cache_trim ? BALANCE_FILE : BALANCE_FRACT;
}

static bool policy_balance(struct reclaim_engine *e, struct rc_lruvec *v, const struct rc_scan *sc,
			   uint64_t *anon, uint64_t *file, uint64_t *sum)
{
	struct reclaim_balance_input in = {
		.anon_cost = v->anon_cost,
		.file_cost = v->file_cost,
		.swappiness = e->m.swappiness,
		.priority = sc->priority,
		.kswapd = sc->kswapd,
		.memcg = sc->target_memcg,
		.can_swap = sc->may_swap && rc_swap_available(e),
		.slot = v->slot,
	};
	struct reclaim_balance out = { 0, 0 };
	int lru;

	if (!e->p_scan_balance)
		return false;
	for (lru = 0; lru < RECLAIM_NR_LRUS; lru++)
		in.lru[lru] = rc_lruvec_size(v, lru, sc->reclaim_idx);
	e->p_scan_balance->ops->scan_balance(e->p_scan_balance->state, &in, &out);
	if (!out.anon && !out.file)
		return false;
	*anon = in.can_swap ? out.anon : 0;
	*file = out.file;
	*sum = *anon + *file;
	return *sum > 0;
}

/* get_scan_count() */
static void scan_count(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc,
		       uint64_t *nr)
{
	uint64_t anon = 0, file = 0, sum = 1, size, scan, protection = 0, usage;
	enum balance how = choose(e, v, sc);
	int lru;

	if (how == BALANCE_FRACT && !policy_balance(e, v, sc, &anon, &file, &sum))
		fraction(e, v, sc, &anon, &file, &sum);
	if (v->memcg && v->memcg != (sc->target_memcg ? sc->memcg : 0))
		protection = rc_memcg_protection(e, v->memcg, sc);
	for (lru = 0; lru <= RECLAIM_LRU_ACTIVE_FILE; lru++) {
		size = rc_lruvec_size(v, lru, sc->reclaim_idx);
		/* A discipline gives victims of both its lists, and moves pages between them. */
		if (e->discipline && rc_is_active_lru(lru))
			size = 0;
		else if (e->discipline)
			size += rc_lruvec_size(v, lru + 1, sc->reclaim_idx);
		scan = size;
		if (protection) {
			usage = rc_max(e->memcgs[v->memcg].usage, protection);
			scan = size -
			       (uint64_t)((unsigned __int128)size * protection / (usage + 1));
			scan = rc_max(scan, RC_BATCH);
		}
		scan >>= sc->priority;
		if (how == BALANCE_FRACT) {
			unsigned __int128 part =
				(unsigned __int128)scan * (rc_is_file_lru(lru) ? file : anon);

			if (e->prof.cost == RC_COST_ROTATED && e->prof.has_boost)
				part += sum - 1;
			scan = (uint64_t)(part / sum);
		} else if (how == BALANCE_FILE && !rc_is_file_lru(lru)) {
			scan = 0;
		} else if (how == BALANCE_ANON && rc_is_file_lru(lru)) {
			scan = 0;
		}
		nr[lru] = scan;
	}
}

/* ---- one lruvec ---- */

static void adjust(uint64_t *nr, const uint64_t *targets, bool *stop)
{
	uint64_t anon = nr[RECLAIM_LRU_INACTIVE_ANON] + nr[RECLAIM_LRU_ACTIVE_ANON];
	uint64_t file = nr[RECLAIM_LRU_INACTIVE_FILE] + nr[RECLAIM_LRU_ACTIVE_FILE], percent,
		 target, done;
	int small, large, i;

	*stop = !anon || !file;
	if (*stop)
		return;
	small = file > anon ? RECLAIM_LRU_INACTIVE_ANON : RECLAIM_LRU_INACTIVE_FILE;
	large = file > anon ? RECLAIM_LRU_INACTIVE_FILE : RECLAIM_LRU_INACTIVE_ANON;
	target = targets[small] + targets[small + 1] + 1;
	percent = (file > anon ? anon : file) * 100 / target;
	nr[small] = 0;
	nr[small + 1] = 0;
	for (i = large; i <= large + 1; i++) {
		done = targets[i] - nr[i];
		nr[i] = targets[i] * (100 - rc_min(percent, 100)) / 100;
		nr[i] -= rc_min(nr[i], done);
	}
}

void rc_shrink_lruvec(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc)
{
	uint64_t nr[4], targets[4], reclaimed = 0, batch;
	bool proportional =
		rc_global(sc) && !sc->kswapd && !sc->proactive && sc->priority == RC_DEF_PRIORITY;
	bool adjusted = false, stop;
	int lru;

	if (e->mglru) {
		rc_gen_shrink(e, v, sc);
		rc_plug_flush(e, rc_current(e));
		return;
	}
	scan_count(e, v, sc, nr);
	memcpy(targets, nr, sizeof(nr));
	while (nr[RECLAIM_LRU_INACTIVE_ANON] || nr[RECLAIM_LRU_ACTIVE_FILE] ||
	       nr[RECLAIM_LRU_INACTIVE_FILE]) {
		for (lru = 0; lru <= RECLAIM_LRU_ACTIVE_FILE; lru++) {
			if (!nr[lru])
				continue;
			batch = rc_min(nr[lru], RC_BATCH);
			nr[lru] -= batch;
			reclaimed += rc_shrink_list(e, v, sc, lru, batch);
		}
		rc_yield(e);
		if (e->fatal)
			break;
		if (reclaimed < sc->nr_to_reclaim || proportional || adjusted)
			continue;
		if (sc->scan_limit && sc->nr_scanned >= sc->scan_limit)
			break;
		adjust(nr, targets, &stop);
		if (stop)
			break;
		adjusted = e->prof.adjust_once;
	}
	rc_plug_flush(e, rc_current(e));
	sc->nr_reclaimed += reclaimed;
	if (!e->discipline && rc_can_age_anon(e) && rc_inactive_low(e, v, false, sc->reclaim_idx))
		rc_shrink_active(e, v, sc, RECLAIM_LRU_ACTIVE_ANON, RC_BATCH);
}

/* ---- one node ---- */

/* prepare_scan_control() */
static void prepare(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	uint16_t target = sc->target_memcg ? sc->memcg : 0;
	struct rc_lruvec *v = rc_lruvec(e, n->id, target);
	uint64_t inactive_file, inactive_anon;
	int file;

	if (e->prof.zone_inactive_low)
		return;
	for (file = 0; file < 2; file++)
		sc->may_deactivate[file] = sc->force_deactivate ||
					   v->activations[file] != v->activations_seen[file] ||
					   rc_inactive_low(e, v, file, sc->reclaim_idx);
	inactive_file = rc_subtree_size(e, n->id, target, RECLAIM_LRU_INACTIVE_FILE);
	inactive_anon = rc_subtree_size(e, n->id, target, RECLAIM_LRU_INACTIVE_ANON);
	sc->cache_trim =
		inactive_file >> sc->priority && !sc->may_deactivate[1] && !sc->no_cache_trim;
	if (sc->cache_trim)
		sc->cache_trim_used = true;
	sc->file_is_tiny = rc_global(sc) && tiny_file(e, v, sc) && !sc->may_deactivate[0] &&
			   inactive_anon >> sc->priority;
}

static void shrink_memcgs(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	uint16_t root = sc->target_memcg ? sc->memcg : 0;
	bool partial = e->prof.partial_walk && !sc->kswapd && !sc->memcg_full_walk;
	uint32_t m;

	for (m = root; m < e->m.nr_memcgs; m++) {
		struct rc_lruvec *v = rc_lruvec(e, n->id, m);
		uint64_t before = sc->nr_scanned, size = 0;
		int lru;

		if (!rc_memcg_under(e, (uint16_t)m, root))
			continue;
		rc_memcg_calculate_protection(e, (uint16_t)m, root);
		if (rc_memcg_protected(e, (uint16_t)m, root, sc))
			continue;
		for (lru = 0; lru <= RECLAIM_LRU_ACTIVE_FILE; lru++)
			size += v->size[lru];
		rc_shrink_lruvec(e, v, sc);
		if (!m || sc->target_memcg)
			rc_shrink_slab(e, n, sc, sc->nr_scanned - before, size);
		if (e->fatal || (sc->scan_limit && sc->nr_scanned >= sc->scan_limit))
			break;
		if (partial && sc->nr_reclaimed >= sc->nr_to_reclaim && m + 1 < e->m.nr_memcgs) {
			sc->partial_stop = true;
			break;
		}
	}
}

/* What the pass says about the node; see facts of shrink_node(). */
static void end_of_pass(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	const struct rc_pass *p = &sc->pass;
	struct rc_lruvec *target = rc_lruvec(e, n->id, sc->target_memcg ? sc->memcg : 0);
	/* A task that reclaims for the machine does not tell others that it is congested. */
	bool congested = p->dirty && p->dirty == p->congested &&
			 (sc->kswapd || (sc->target_memcg && !e->memcgs[sc->memcg].desc.v1));

	if (sc->kswapd) {
		if (p->writeback && p->writeback == p->taken)
			n->flag_writeback = true;
		if (p->unqueued_dirty == p->file_taken &&
		    (p->unqueued_dirty || !e->prof.dirty_needs_pages))
			n->flag_dirty = true;
		if (p->immediate)
			rc_throttle(e, n, sc, RECLAIM_POINT_IMMEDIATE);
	}
	if (congested) {
		if (sc->target_memcg)
			target->congested = true;
		else
			n->flag_congested = true;
	}
	if (!sc->kswapd && (sc->target_memcg ? target->congested : n->flag_congested))
		rc_throttle(e, n, sc, RECLAIM_POINT_CONGESTED);
}

/* should_continue_reclaim() */
static bool go_on(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		  uint64_t reclaimed)
{
	uint64_t inactive = 0, need = 2ULL << sc->order;
	uint32_t i;

	if (!sc->order || (sc->order <= RC_COSTLY_ORDER && sc->priority >= RC_DEF_PRIORITY - 2))
		return false;
	if (sc->contig.kind != RECLAIM_CONTIG_COMPACTION || !reclaimed)
		return false;
	for (i = 0; i < n->nr_zones; i++) {
		struct rc_zone *z = &e->zones[n->zones[i]];
		enum reclaim_compact_result r;

		if ((int)z->type > sc->reclaim_idx || !z->managed)
			continue;
		if (rc_wmark_ok(e, z, (uint32_t)sc->order, rc_wmark_min(z), sc->reclaim_idx, 0,
				z->nr_free))
			return false;
		r = rc_compact_suitable(e, z, sc->order, sc->reclaim_idx, 0);
		if (r == RECLAIM_COMPACT_SUCCESS || r == RECLAIM_COMPACT_CONTINUE)
			return false;
	}
	inactive = rc_subtree_size(e, n->id, 0, RECLAIM_LRU_INACTIVE_FILE);
	if (rc_swap_available(e))
		inactive += rc_subtree_size(e, n->id, 0, RECLAIM_LRU_INACTIVE_ANON);
	return inactive > need;
}

void rc_shrink_node(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc)
{
	bool reclaimable = false;
	uint64_t reclaimed;

	do {
		reclaimed = sc->nr_reclaimed;
		memset(&sc->pass, 0, sizeof(sc->pass));
		rc_contig_mode(e, sc);
		prepare(e, n, sc);
		rc_burn(e, e->m.costs.reclaim_pass);
		shrink_memcgs(e, n, sc);
		if (!e->mglru)
			end_of_pass(e, n, sc);
		reclaimed = sc->nr_reclaimed - reclaimed;
		reclaimable |= reclaimed > 0;
	} while (!e->fatal && go_on(e, n, sc, reclaimed));
	if (reclaimable)
		n->kswapd_failures = 0;
}
