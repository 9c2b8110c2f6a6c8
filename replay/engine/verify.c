/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* verify.c - every account against a full walk, for tests */
#include <inttypes.h>

#include "internal.h"

struct census {
	uint64_t free, pcp, lru[RECLAIM_NR_LRUS], kernel, slab, dirty, writeback, limbo, swap;
};

static int check(struct reclaim_error *error, uint32_t zone, const char *what, uint64_t counted,
		 uint64_t kept)
{
	if (counted == kept)
		return 0;
	return rc_fail(error, EUCLEAN,
		       "zone %u: %s: %" PRIu64 " by walking, %" PRIu64 " in the account", zone,
		       what, counted, kept);
}

static bool in_flight(const struct reclaim_engine *e)
{
	uint32_t i;

	for (i = 0; i < e->nr_actors; i++) {
		const struct rc_actor *a = &e->actors[i];

		if (a->kind == RECLAIM_ACTOR_TASK && a->co)
			return true;
		if (a->kind == RECLAIM_ACTOR_KCOMPACTD && a->state != RC_BLOCKED)
			return true;
	}
	return false;
}

static int walk_zone(const struct reclaim_engine *e, const struct rc_zone *z, struct census *c,
		     struct reclaim_error *error)
{
	const uint32_t homes = RC_PG_BUDDY | RC_PG_PCP | RC_PG_LRU | RC_PG_ISOLATED |
			       RC_PG_BATCHED | RC_PG_KERNEL | RC_PG_SLAB;
	uint32_t i, step;

	for (i = z->base; i < z->base + z->spanned; i += step) {
		const struct rc_page *p = &e->pages[i];
		uint32_t home = p->flags & homes;
		uint64_t nr;

		step = 1;
		if (p->flags & RC_PG_RESERVED)
			continue;
		if (home & (home - 1))
			return rc_fail(error, EUCLEAN, "page %u is in two places: flags %#x", i,
				       p->flags);
		if (!home) {
			if (!(p->flags & RC_PG_DOOMED))
				c->limbo++;
			continue;
		}
		step = 1u << p->order;
		nr = step;
		if (home == RC_PG_BUDDY)
			c->free += nr;
		else if (home == RC_PG_PCP)
			c->pcp += nr;
		else if (home == RC_PG_LRU)
			c->lru[e->mglru && !(p->flags & RC_PG_UNEVICTABLE)
				       ? (p->flags & RC_PG_ANON ? 0 : 2)
				       : rc_page_lru(p)] += nr;
		else if (home == RC_PG_KERNEL)
			c->kernel += nr;
		else if (home == RC_PG_SLAB)
			c->slab += nr;
		if ((p->flags & RC_PG_DIRTY) && !(p->flags & RC_PG_ANON))
			c->dirty += nr;
		if (p->flags & RC_PG_WRITEBACK)
			c->writeback += nr;
		if (p->flags & RC_PG_SWAPCACHE)
			c->swap += nr;
	}
	return 0;
}

static int check_zone(const struct reclaim_engine *e, const struct rc_zone *z, uint64_t *swap,
		      struct reclaim_error *error)
{
	struct census c = { 0 };
	uint64_t listed = 0;
	int ret, lru, mt, order;

	ret = walk_zone(e, z, &c, error);
	if (ret)
		return ret;
	*swap += c.swap;
	for (mt = 0; mt < RECLAIM_NR_MT; mt++)
		for (order = 0; order < RECLAIM_NR_ORDERS; order++)
			listed += z->free[mt][order].len << order;
	if ((ret = check(error, z->id, "free pages", c.free, z->nr_free)) ||
	    (ret = check(error, z->id, "free lists", listed, z->nr_free)) ||
	    (ret = check(error, z->id, "per-CPU pages", c.pcp, z->nr_pcp)) ||
	    (ret = check(error, z->id, "kernel pages", c.kernel, z->kernel)) ||
	    (ret = check(error, z->id, "slab pages", c.slab, z->slab)) ||
	    (ret = check(error, z->id, "dirty pages", c.dirty, z->dirty)) ||
	    (ret = check(error, z->id, "pages under writeback", c.writeback, z->writeback)))
		return ret;
	for (lru = 0; lru < RECLAIM_NR_LRUS; lru++) {
		ret = check(error, z->id, "pages of a list", c.lru[lru], z->lru[lru]);
		if (ret)
			return ret;
	}
	if (c.limbo && !in_flight(e))
		return rc_fail(error, EUCLEAN, "zone %u: %" PRIu64 " pages are nowhere", z->id,
			       c.limbo);
	return 0;
}

static int check_lruvec(const struct reclaim_engine *e, const struct rc_lruvec *v,
			struct reclaim_error *error)
{
	uint64_t sum, nr;
	uint32_t page;
	int lru, t;

	for (lru = 0; lru < RECLAIM_NR_LRUS; lru++) {
		for (t = 0, sum = 0; t < RECLAIM_NR_ZONE_TYPES; t++)
			sum += v->zone_size[t][lru];
		if (sum != v->size[lru])
			return rc_fail(error, EUCLEAN,
				       "lruvec %u/%u: list %d: zones and total differ", v->node,
				       v->memcg, lru);
		if (e->mglru && lru != RECLAIM_LRU_UNEVICTABLE)
			continue;
		nr = 0;
		for (page = v->lists[lru].head; page != RC_NONE; page = e->pages[page].next)
			nr += 1ULL << e->pages[page].order;
		if (nr != v->size[lru])
			return rc_fail(error, EUCLEAN,
				       "lruvec %u/%u: list %d holds %" PRIu64 ", not %" PRIu64,
				       v->node, v->memcg, lru, nr, v->size[lru]);
	}
	return 0;
}

static int check_table(const struct reclaim_engine *e, const struct rc_table *t, uint32_t file,
		       uint64_t *swap, struct reclaim_error *error)
{
	uint32_t c, i, page;

	for (c = 0; c < t->nr_chunks; c++) {
		for (i = 0; t->chunks[c] && i < RC_CHUNK; i++) {
			uint64_t entry = t->chunks[c][i];

			page = rc_entry_frame(entry);
			if ((entry & 3) == RC_ENTRY_SWAP)
				*swap += 1ULL << ((entry >> 12) & 0xf);
			if (page == RC_NONE)
				continue;
			if (page >= e->nr_pages || e->pages[page].file != file ||
			    e->pages[page].index != c * RC_CHUNK + i)
				return rc_fail(error, EUCLEAN,
					       "page %u of file %u: frame %u is not its",
					       c * RC_CHUNK + i, file, page);
		}
	}
	return 0;
}

int reclaim_engine_verify(const struct reclaim_engine *e, struct reclaim_error *error)
{
	uint64_t swap = 0;
	uint32_t i;
	int ret;

	for (i = 0; i < e->nr_zones; i++) {
		ret = check_zone(e, &e->zones[i], &swap, error);
		if (ret)
			return ret;
	}
	for (i = 0; i < e->m.nr_memcgs * e->m.nodes; i++) {
		ret = check_lruvec(e, &e->lruvecs[i], error);
		if (ret)
			return ret;
	}
	ret = check_table(e, &e->logical, RECLAIM_FILE_LOGICAL, &swap, error);
	for (i = 0; !ret && i < e->nr_files; i++)
		ret = check_table(e, &e->files[i].table, i, &swap, error);
	if (ret)
		return ret;
	return check(error, 0, "swap slots", swap + e->swap_nameless, e->swap_used);
}
