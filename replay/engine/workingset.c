/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * workingset.c - shadows of evicted pages and what a refault says (mm/workingset.c)
 *
 * A shadow keeps the eviction counter of its lruvec. When the page comes back, the counter has
 * moved on by the refault distance; if that is no more than the other lists hold, the page would
 * have stayed had they given way, so it is activated.
 */
#include "internal.h"

#define AGE_BITS 40
#define AGE_MASK ((1ULL << AGE_BITS) - 1)

static uint64_t shadow_pack(uint64_t age, uint32_t node, uint16_t memcg, const struct rc_page *p,
			    uint64_t kind)
{
	return (age & AGE_MASK) << 24 | (uint64_t)node << 20 | (uint64_t)p->order << 12 |
	       (uint64_t)memcg << 4 | (p->flags & RC_PG_WORKINGSET ? 8 : 0) | kind;
}

static uint16_t shadow_memcg(uint64_t entry)
{
	return (entry >> 4) & 0xff;
}

static uint32_t shadow_node(uint64_t entry)
{
	return (entry >> 20) & 0xf;
}

/* Ages a lruvec; since 5.15's rules every ancestor as well. */
void rc_workingset_age(struct reclaim_engine *e, uint32_t node, uint16_t memcg, uint64_t nr)
{
	uint32_t m = memcg;

	for (;;) {
		rc_lruvec(e, node, m)->nonresident_age += nr;
		if (!m || e->prof.workingset == RC_WS_FILE_ONLY)
			break;
		m = e->memcgs[m].desc.parent;
	}
}

uint64_t rc_workingset_evict(struct reclaim_engine *e, struct rc_page *p, bool swap,
			     uint16_t target)
{
	uint32_t node = e->zones[p->zone].node;
	uint16_t memcg = e->prof.workingset == RC_WS_FILE_ONLY ? p->memcg : target;
	uint64_t kind = swap ? RC_ENTRY_SWAP : RC_ENTRY_SHADOW, age;
	struct rc_lruvec *v = rc_lruvec(e, node, memcg);

	if (e->mglru)
		return shadow_pack(rc_gen_shadow(e, p), node, p->memcg, p, kind);
	age = v->nonresident_age;
	rc_workingset_age(e, node, memcg, 1ULL << p->order);
	if (e->prof.workingset == RC_WS_FILE_ONLY)
		age = v->nonresident_age;
	return shadow_pack(age, node, memcg, p, kind);
}

uint64_t rc_workingset_old(const struct reclaim_engine *e)
{
	const struct rc_page page = { 0 };

	/* Ages wrap; no generation of today is as old as all bits say. */
	return shadow_pack(e->mglru ? AGE_MASK : (uint64_t)0 - e->nr_pages, 0, 0, &page,
			   RC_ENTRY_SHADOW);
}

uint64_t rc_workingset_distance(struct reclaim_engine *e, uint64_t entry)
{
	const struct rc_lruvec *v = rc_lruvec(e, shadow_node(entry), shadow_memcg(entry));

	return (v->nonresident_age - (entry >> 24)) & AGE_MASK;
}

uint64_t rc_subtree_size(struct reclaim_engine *e, uint32_t node, uint16_t memcg, int lru)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = memcg; i < e->m.nr_memcgs; i++)
		if (rc_memcg_under(e, (uint16_t)i, memcg))
			sum += rc_lruvec(e, node, i)->size[lru];
	return sum;
}

static uint64_t workingset_size(struct reclaim_engine *e, uint64_t entry, bool file)
{
	uint32_t node = shadow_node(entry);
	uint16_t memcg = shadow_memcg(entry);
	uint64_t size = rc_subtree_size(e, node, memcg, RECLAIM_LRU_ACTIVE_FILE);

	if (e->prof.workingset == RC_WS_FILE_ONLY)
		return size;
	if (!file)
		size += rc_subtree_size(e, node, memcg, RECLAIM_LRU_INACTIVE_FILE);
	if (rc_swap_available(e)) {
		size += rc_subtree_size(e, node, memcg, RECLAIM_LRU_ACTIVE_ANON);
		if (file)
			size += rc_subtree_size(e, node, memcg, RECLAIM_LRU_INACTIVE_ANON);
	}
	return size;
}

static void count_activation(struct reclaim_engine *e, uint32_t node, uint16_t memcg, bool file,
			     uint64_t nr)
{
	uint32_t m = memcg;

	for (;; m = e->memcgs[m].desc.parent) {
		rc_lruvec(e, node, m)->activations[file] += nr;
		if (!m)
			break;
	}
}

void rc_workingset_refault(struct reclaim_engine *e, uint32_t page, uint64_t entry)
{
	struct rc_page *p = &e->pages[page];
	bool file = !(p->flags & RC_PG_ANON), activate, restore;
	uint32_t node = e->zones[p->zone].node;
	uint64_t distance = rc_workingset_distance(e, entry), nr = 1ULL << p->order;

	if (!file && e->prof.workingset == RC_WS_FILE_ONLY)
		return;
	if (e->discipline) {
		p->flags |= RC_PG_GHOST;
		p->stamp = (uint32_t)rc_min(distance, UINT32_MAX);
	}
	rc_count(e, file ? RECLAIM_VM_WORKINGSET_REFAULT_FILE : RECLAIM_VM_WORKINGSET_REFAULT_ANON,
		 nr);
	if (e->mglru) {
		rc_gen_refault(e, page, entry);
		return;
	}
	activate = distance <= workingset_size(e, entry, file);
	restore = activate && (entry & 8);
	if (activate) {
		p->flags |= RC_PG_ACTIVE;
		rc_workingset_age(e, node, p->memcg, nr);
		rc_count(e,
			 file ? RECLAIM_VM_WORKINGSET_ACTIVATE_FILE
			      : RECLAIM_VM_WORKINGSET_ACTIVATE_ANON,
			 nr);
		count_activation(e, node, p->memcg, file, nr);
	}
	if (restore) {
		p->flags |= RC_PG_WORKINGSET;
		rc_count(e,
			 file ? RECLAIM_VM_WORKINGSET_RESTORE_FILE
			      : RECLAIM_VM_WORKINGSET_RESTORE_ANON,
			 nr);
		rc_lru_cost(e, rc_page_lruvec(e, p), file, nr, 0);
	}
	if (rc_event_wanted(e, RECLAIM_EV_REFAULT)) {
		struct reclaim_event ev = rc_event(e, RECLAIM_EV_REFAULT);

		ev.lru = file ? RECLAIM_LRU_INACTIVE_FILE : RECLAIM_LRU_INACTIVE_ANON;
		ev.memcg = p->memcg;
		ev.u.refault.distance = distance;
		ev.u.refault.activated = activate;
		ev.u.refault.restored = restore;
		rc_emit(e, &ev);
	}
}

void rc_workingset_snapshot(struct reclaim_engine *e, uint32_t node, uint16_t memcg)
{
	struct rc_lruvec *v = rc_lruvec(e, node, memcg);

	v->activations_seen[0] = v->activations[0];
	v->activations_seen[1] = v->activations[1];
}

/* lru_note_cost(): reclaim's price of a type, decaying with the lists' size. */
void rc_lru_cost(struct reclaim_engine *e, struct rc_lruvec *v, bool file, uint64_t io,
		 uint64_t rotated)
{
	uint64_t cost = e->prof.cost == RC_COST_612 ? io * RC_BATCH + rotated : io, total;
	uint32_t m = v->memcg;
	int i;

	if (e->prof.cost == RC_COST_ROTATED || !cost)
		return;
	for (;; m = e->memcgs[m].desc.parent) {
		struct rc_lruvec *up = rc_lruvec(e, v->node, m);

		if (file)
			up->file_cost += cost;
		else
			up->anon_cost += cost;
		total = 0;
		for (i = RECLAIM_LRU_INACTIVE_ANON; i <= RECLAIM_LRU_ACTIVE_FILE; i++)
			total += e->m.nr_memcgs > 1 ? rc_subtree_size(e, v->node, (uint16_t)m, i)
						    : up->size[i];
		if (up->anon_cost + up->file_cost > total / 4) {
			up->file_cost /= 2;
			up->anon_cost /= 2;
		}
		if (!m)
			break;
	}
}
