/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lru.c - putting pages on their lists, moving them, and the references that move them
 *
 * Insertions and activations go through a batch of each CPU, as the kernel's folio batches do: what
 * waits there is on no list and cannot be reclaimed. Which list a page belongs on is for the two
 * lists, the generations (mglru.c) or a policy's discipline to say.
 */
#include "internal.h"

int rc_page_lru(const struct rc_page *p)
{
	if (p->flags & RC_PG_UNEVICTABLE)
		return RECLAIM_LRU_UNEVICTABLE;
	return (p->flags & RC_PG_ANON ? RECLAIM_LRU_INACTIVE_ANON : RECLAIM_LRU_INACTIVE_FILE) +
	       (p->flags & RC_PG_ACTIVE ? 1 : 0);
}

struct rc_lruvec *rc_lruvec(struct reclaim_engine *e, uint32_t node, uint32_t memcg)
{
	return &e->lruvecs[memcg * e->m.nodes + node];
}

struct rc_lruvec *rc_page_lruvec(struct reclaim_engine *e, const struct rc_page *p)
{
	return rc_lruvec(e, e->zones[p->zone].node, p->memcg);
}

void rc_lru_account(struct reclaim_engine *e, struct rc_page *p, int lru, int sign)
{
	struct rc_zone *z = &e->zones[p->zone];
	struct rc_lruvec *v = rc_lruvec(e, z->node, p->memcg);
	uint64_t nr = 1ULL << p->order;

	if (sign < 0)
		nr = -nr;
	v->size[lru] += nr;
	v->zone_size[z->type][lru] += nr;
	z->lru[lru] += nr;
}

/* ---- a policy's own discipline ---- */

static struct rc_list *impl_list(struct reclaim_lists *l, int list)
{
	struct rc_lruvec *v = l->lruvec;

	return &v->lists[l->type * 2 + (list ? 1 : 0)];
}

static int impl_list_of(struct reclaim_lists *l, uint32_t page)
{
	struct reclaim_engine *e = l->engine;

	return e->pages[page].flags & RC_PG_ACTIVE ? 1 : 0;
}

static void impl_add(struct reclaim_lists *l, int list, uint32_t page, bool head)
{
	struct reclaim_engine *e = l->engine;
	struct rc_page *p = &e->pages[page];

	if (p->flags & RC_PG_LRU)
		return;
	if (list)
		p->flags |= RC_PG_ACTIVE;
	else
		p->flags &= ~RC_PG_ACTIVE;
	p->flags |= RC_PG_LRU;
	if (head)
		rc_list_add(e, impl_list(l, list), page);
	else
		rc_list_add_tail(e, impl_list(l, list), page);
	rc_lru_account(e, p, l->type * 2 + (list ? 1 : 0), 1);
}

static void impl_del(struct reclaim_lists *l, uint32_t page)
{
	struct reclaim_engine *e = l->engine;
	struct rc_page *p = &e->pages[page];
	int list = impl_list_of(l, page);

	if (!(p->flags & RC_PG_LRU))
		return;
	p->flags &= ~RC_PG_LRU;
	rc_list_del(e, impl_list(l, list), page);
	rc_lru_account(e, p, l->type * 2 + list, -1);
}

static uint32_t impl_head(struct reclaim_lists *l, int list)
{
	return impl_list(l, list)->head;
}

static uint32_t impl_tail(struct reclaim_lists *l, int list)
{
	return impl_list(l, list)->tail;
}

static uint32_t impl_newer(struct reclaim_lists *l, uint32_t page)
{
	struct reclaim_engine *e = l->engine;

	return e->pages[page].prev;
}

static uint64_t impl_len(struct reclaim_lists *l, int list)
{
	return impl_list(l, list)->len;
}

static uint8_t impl_bits(struct reclaim_lists *l, uint32_t page)
{
	struct reclaim_engine *e = l->engine;

	return e->pages[page].bits;
}

static void impl_set_bits(struct reclaim_lists *l, uint32_t page, uint8_t bits)
{
	struct reclaim_engine *e = l->engine;

	e->pages[page].bits = bits;
}

static uint64_t impl_next_use(struct reclaim_lists *l, uint32_t page)
{
	struct reclaim_engine *e = l->engine;
	const struct rc_page *p = &e->pages[page];

	if (!e->future.next_use || p->file == RC_NONE)
		return RECLAIM_NEVER;
	return e->future.next_use(e->future.ctx, p->file, p->index);
}

struct reclaim_lists rc_lists(struct reclaim_engine *e, struct rc_lruvec *v, int type)
{
	return (struct reclaim_lists){
		.engine = e,
		.lruvec = v,
		.type = type,
		.slot = &v->slot[type],
		.add = impl_add,
		.del = impl_del,
		.head = impl_head,
		.tail = impl_tail,
		.newer = impl_newer,
		.len = impl_len,
		.list_of = impl_list_of,
		.bits = impl_bits,
		.set_bits = impl_set_bits,
		.next_use = impl_next_use,
	};
}

static void discipline_insert(struct reclaim_engine *e, uint32_t page, uint64_t distance, bool kept)
{
	struct rc_page *p = &e->pages[page];
	struct reclaim_lists l = rc_lists(e, rc_page_lruvec(e, p), p->flags & RC_PG_ANON ? 0 : 1);

	e->discipline->insert(e->p_lru->state, &l, page, distance, kept);
	/* A page that the discipline forgot would be lost. */
	if (!(p->flags & RC_PG_LRU))
		impl_add(&l, 0, page, true);
}

/* ---- on and off ---- */

void rc_lru_put(struct reclaim_engine *e, uint32_t page, bool tail)
{
	struct rc_page *p = &e->pages[page];
	struct rc_lruvec *v;
	int lru = rc_page_lru(p);
	bool kept = p->flags & RC_PG_ISOLATED;

	p->flags &= ~(RC_PG_BATCHED | RC_PG_ISOLATED);
	if (lru != RECLAIM_LRU_UNEVICTABLE) {
		if (e->discipline) {
			bool ghost = p->flags & RC_PG_GHOST;
			uint64_t distance = ghost ? p->stamp : UINT64_MAX;

			p->flags &= ~RC_PG_GHOST;
			discipline_insert(e, page, distance, kept);
			return;
		}
		if (e->mglru) {
			p->flags |= RC_PG_LRU;
			rc_gen_add(e, rc_page_lruvec(e, p), page, tail);
			return;
		}
	}
	v = rc_page_lruvec(e, p);
	p->flags |= RC_PG_LRU;
	if (tail)
		rc_list_add_tail(e, &v->lists[lru], page);
	else
		rc_list_add(e, &v->lists[lru], page);
	rc_lru_account(e, p, lru, 1);
}

void rc_lru_del(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	int lru = rc_page_lru(p);

	if (p->flags & RC_PG_BATCHED) {
		rc_lru_unbatch(e, page);
		return;
	}
	if (!(p->flags & RC_PG_LRU))
		return;
	if (e->discipline && lru != RECLAIM_LRU_UNEVICTABLE) {
		struct reclaim_lists l =
			rc_lists(e, rc_page_lruvec(e, p), p->flags & RC_PG_ANON ? 0 : 1);

		if (e->discipline->remove)
			e->discipline->remove(e->p_lru->state, &l, page);
		impl_del(&l, page);
		return;
	}
	p->flags &= ~RC_PG_LRU;
	if (p->gen) {
		rc_gen_del(e, rc_page_lruvec(e, p), page);
		return;
	}
	rc_list_del(e, &rc_page_lruvec(e, p)->lists[lru], page);
	rc_lru_account(e, p, lru, -1);
}

void rc_putback(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (p->flags & RC_PG_DOOMED && !(p->flags & (RC_PG_WRITEBACK | RC_PG_LOCKED))) {
		p->flags &= ~RC_PG_ISOLATED;
		rc_clean_page(e, page);
		rc_swap_release(e, page);
		rc_free_pages(e, page);
		return;
	}
	rc_lru_put(e, page, false);
}

/* ---- batches ---- */

static void batch_drain(struct reclaim_engine *e, struct rc_lru_batch *b)
{
	uint32_t i, nr = b->nr;

	b->nr = 0;
	for (i = 0; i < nr; i++)
		if (b->pages[i] != RC_NONE)
			rc_lru_put(e, b->pages[i], false);
}

static void activate_now(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	uint64_t nr = 1ULL << p->order;

	if (!(p->flags & RC_PG_ACTIVATING))
		return;
	p->flags &= ~RC_PG_ACTIVATING;
	if (!(p->flags & RC_PG_LRU) || (p->flags & (RC_PG_ACTIVE | RC_PG_UNEVICTABLE)))
		return;
	rc_lru_del(e, page);
	p->flags |= RC_PG_ACTIVE;
	rc_lru_put(e, page, false);
	rc_count(e, RECLAIM_VM_PGACTIVATE, nr);
}

static void activate_drain(struct reclaim_engine *e, struct rc_lru_batch *b)
{
	uint32_t i, nr = b->nr;

	b->nr = 0;
	for (i = 0; i < nr; i++)
		activate_now(e, b->pages[i]);
}

void rc_lru_drain_cpu(struct reclaim_engine *e, uint32_t cpu)
{
	if (e->cpus[cpu].add.nr)
		batch_drain(e, &e->cpus[cpu].add);
	if (e->cpus[cpu].activate.nr)
		activate_drain(e, &e->cpus[cpu].activate);
}

void rc_lru_add(struct reclaim_engine *e, uint32_t page)
{
	struct rc_lru_batch *b = &rc_this_cpu(e)->add;

	e->pages[page].flags |= RC_PG_BATCHED;
	e->pages[page].next = e->cur_cpu;
	b->pages[b->nr++] = page;
	if (b->nr >= e->prof.lru_batch || e->pages[page].order)
		batch_drain(e, b);
}

void rc_lru_unbatch(struct reclaim_engine *e, uint32_t page)
{
	struct rc_lru_batch *b = &e->cpus[e->pages[page].next].add;
	uint32_t i;

	for (i = 0; i < b->nr; i++) {
		if (b->pages[i] == page) {
			b->pages[i] = b->pages[--b->nr];
			break;
		}
	}
	e->pages[page].flags &= ~RC_PG_BATCHED;
}

/* ---- references ---- */

void rc_activate(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	struct rc_lru_batch *b = &rc_this_cpu(e)->activate;

	if (p->flags & RC_PG_BATCHED) {
		p->flags |= RC_PG_ACTIVE;
		return;
	}
	if (p->flags & RC_PG_ACTIVATING)
		return;
	p->flags |= RC_PG_ACTIVATING;
	b->pages[b->nr++] = page;
	if (b->nr >= e->prof.lru_batch)
		activate_drain(e, b);
}

/* folio_mark_accessed() */
void rc_mark_accessed(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (e->discipline) {
		struct reclaim_lists l;

		if (!(p->flags & RC_PG_LRU))
			return;
		l = rc_lists(e, rc_page_lruvec(e, p), p->flags & RC_PG_ANON ? 0 : 1);
		e->discipline->access(e->p_lru->state, &l, page);
		return;
	}
	if (e->mglru) {
		rc_gen_touch(e, page);
		return;
	}
	if (!(p->flags & RC_PG_REFERENCED)) {
		p->flags |= RC_PG_REFERENCED;
	} else if (!(p->flags & (RC_PG_ACTIVE | RC_PG_UNEVICTABLE | RC_PG_ACTIVATING))) {
		rc_activate(e, page);
		p->flags &= ~RC_PG_REFERENCED;
		rc_workingset_age(e, e->zones[p->zone].node, p->memcg, 1ULL << p->order);
	}
}

/* Young page-table references found and cleared: what the demand showed, and the hidden ones by
 * chance. */
uint32_t rc_young_references(struct reclaim_engine *e, struct rc_page *p)
{
	const struct reclaim_ref_class *c = &e->m.ref_classes[p->ref_class];
	uint32_t young = p->flags & RC_PG_YOUNG ? 1 : 0, now_ms;
	uint64_t ppm;

	p->flags &= ~RC_PG_YOUNG;
	if (!(p->flags & RC_PG_MAPPED) || (!c->per_look_ppm && !c->per_second_ppm))
		return young;
	now_ms = (uint32_t)(rc_now(e) / 1000000);
	ppm = c->per_look_ppm
		      ? c->per_look_ppm
		      : rc_hit_ppm((uint64_t)c->per_second_ppm * (now_ms - p->stamp) / 1000);
	p->stamp = now_ms;
	return young || rc_prng_chance(&e->rng, (uint32_t)ppm);
}

/* folio_rotate_reclaimable(): what reclaim waited for goes to the cold end, from where it was
 * parked.
 */
void rc_lru_rotate(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (!(p->flags & RC_PG_LRU) ||
	    (p->flags & (RC_PG_UNEVICTABLE | RC_PG_DIRTY | RC_PG_LOCKED)) ||
	    ((p->flags & RC_PG_ACTIVE) && !e->prof.parks_dirty) || e->discipline)
		return;
	rc_lru_del(e, page);
	p->flags &= ~RC_PG_ACTIVE;
	rc_lru_put(e, page, true);
	rc_count(e, RECLAIM_VM_PGROTATED, 1ULL << p->order);
}
