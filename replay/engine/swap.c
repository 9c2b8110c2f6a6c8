/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * swap.c - swap-out state, and swap-in with its readahead
 *
 * On a rotating device readahead takes the aligned window of slots around the one asked for, whose
 * size follows the hits of the whole machine (swap_cluster_readahead()); on a solid one it takes
 * the neighbours by address, for which logical page numbers stand, and follows the hits of the task
 * (swap_vma_readahead()). What was read ahead is in memory but not mapped until it is touched.
 */
#include "internal.h"

#define FIRST_HITS 4 /* swapin_readahead_hits as the kernel boots */

bool rc_swap_available(const struct reclaim_engine *e)
{
	return e->swap_used < e->m.swap_pages;
}

void rc_swap_setup(struct reclaim_engine *e)
{
	e->swapin.hits = FIRST_HITS;
}

bool rc_swap_reserve(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	uint32_t nr = 1u << p->order, slot;

	if (e->swap_used + nr > e->m.swap_pages)
		return false;
	slot = rc_slot_get(e, nr);
	if (!slot)
		return false;
	p->slot = slot;
	e->swap_used += nr;
	p->flags |= RC_PG_SWAPCACHE;
	return true;
}

void rc_swap_release(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (!(p->flags & RC_PG_SWAPCACHE))
		return;
	p->flags &= ~RC_PG_SWAPCACHE;
	rc_slot_put(e, p->slot, 1u << p->order);
	e->swap_used -= 1ULL << p->order;
}

bool rc_swap_evict(struct reclaim_engine *e, const struct rc_page *p)
{
	uint64_t *of_page = rc_table_slot(&e->slots.of_page, p->index);
	uint64_t *owner = rc_table_slot(&e->slots.owner, p->slot);

	if (!of_page || !owner)
		return false;
	*of_page = p->slot;
	*owner = p->index;
	return true;
}

static uint32_t slot_of(const struct reclaim_engine *e, uint32_t index)
{
	return (uint32_t)rc_table_get(&e->slots.of_page, index);
}

static uint32_t entry_pages(uint64_t entry)
{
	return 1u << ((entry >> 12) & 0xf);
}

static bool in_swap(const struct reclaim_engine *e, uint32_t index)
{
	return (rc_table_get(&e->logical, index) & 3) == RC_ENTRY_SWAP;
}

void rc_swap_drop(struct reclaim_engine *e, uint32_t index, uint64_t entry)
{
	rc_slot_put(e, slot_of(e, index), entry_pages(entry));
	e->swap_used -= entry_pages(entry);
}

/* __swapin_nr_pages() */
static uint32_t window(const struct reclaim_engine *e, const struct rc_swapin *s, uint32_t at)
{
	uint32_t max = 1u << rc_min(e->m.page_cluster, 6), pages = s->hits + 2, last = s->win / 2;

	if (max <= 1)
		return 1;
	if (pages == 2) {
		if (at != s->prev + 1 && at + 1 != s->prev)
			pages = 1;
	} else {
		uint32_t round = 4;

		while (round < pages)
			round *= 2;
		pages = round;
	}
	pages = rc_min(pages, max);
	return rc_max(pages, last);
}

/* Swap-ins that will be one request: logical pages whose slots lie in a row. */
struct run {
	uint32_t index[1u << 6];
	uint32_t nr, next_slot;
};

static void submit_run(struct reclaim_engine *e, struct run *run)
{
	uint32_t pages[1u << 6], nr = 0, i;

	for (i = 0; i < run->nr; i++) {
		uint32_t page = rc_entry_frame(rc_table_get(&e->logical, run->index[i]));

		/* Freed by its owner while the rest of the run was being made. */
		if (page == RC_NONE || !(e->pages[page].flags & RC_PG_LOCKED) ||
		    e->pages[page].stamp != RC_NONE)
			continue;
		pages[nr++] = page;
	}
	if (nr)
		rc_io_submit(e, e->m.swap_device, false, pages, nr);
	run->nr = 0;
}

static int read_in(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d,
		   uint32_t index, struct run *run, bool ahead)
{
	uint64_t *place = rc_table_slot(&e->logical, index), entry;
	uint32_t gfp = d->gfp ? d->gfp : RECLAIM_GFP_HIGHUSER_MOVABLE, slot, page;
	struct rc_page *p;
	int ret;

	ret = rc_new_page(e, a, d, gfp, 0, RECLAIM_MT_MOVABLE, &page);
	if (ret)
		return ret;
	/* Reclaim inside the allocation cannot bring the page back, but another task can. */
	entry = *place;
	if ((entry & 3) != RC_ENTRY_SWAP) {
		rc_free_pages(e, page);
		return 0;
	}
	/* A huge page comes back page by page: only this one keeps its slot. */
	slot = slot_of(e, index);
	rc_slot_put(e, slot + 1, entry_pages(entry) - 1);
	e->swap_used -= entry_pages(entry) - 1;
	p = &e->pages[page];
	p->flags |= RC_PG_ANON | RC_PG_SWAPCACHE | RC_PG_LOCKED | (ahead ? RC_PG_READAHEAD : 0);
	p->ref_class = d->ref_class;
	p->slot = slot;
	rc_name_page(e, page, RECLAIM_FILE_LOGICAL, index, place);
	p->stamp = RC_NONE;
	if (run->nr && run->next_slot != slot)
		submit_run(e, run);
	run->index[run->nr++] = index;
	run->next_slot = slot + 1;
	rc_count(e, RECLAIM_VM_PSWPIN, 1);
	if (ahead)
		rc_count(e, RECLAIM_VM_READAHEAD_PAGES, 1);
	return 0;
}

static void read_slots(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d,
		       struct run *run)
{
	uint32_t slot = slot_of(e, d->page), pages = window(e, &e->swapin, slot), i, first;
	struct rc_swapin *s = &e->swapin;

	if (!s->hits)
		s->prev = slot;
	s->hits = 0;
	s->win = pages;
	if (pages == 1)
		return;
	first = slot & ~(pages - 1);
	for (i = rc_max(first, 1); i < first + pages && i <= e->slots.nr; i++) {
		uint32_t index = (uint32_t)rc_table_get(&e->slots.owner, i);

		if (!in_swap(e, index) || slot_of(e, index) != i)
			continue;
		if (read_in(e, a, d, index, run, index != d->page))
			return;
	}
}

static void read_neighbours(struct reclaim_engine *e, struct rc_actor *a,
			    const struct reclaim_demand *d, struct run *run)
{
	uint32_t pages = window(e, &a->swapin, d->page), i, first;

	a->swapin = (struct rc_swapin){ .win = pages, .prev = d->page };
	first = d->page >= pages / 2 ? d->page - pages / 2 : 0;
	for (i = first; i < first + pages; i++)
		if (in_swap(e, i) && read_in(e, a, d, i, run, i != d->page))
			return;
}

int rc_swap_in(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	struct run run = { .nr = 0 };
	int ret = 0;

	if (!e->in_co)
		return RC_AGAIN;
	rc_count(e, RECLAIM_VM_PGMAJFAULT, 1);
	if (e->devices[e->m.swap_device].desc.rotational)
		read_slots(e, a, d, &run);
	else
		read_neighbours(e, a, d, &run);
	/* Whatever became of the readahead, the page itself is wanted. */
	if (in_swap(e, d->page))
		ret = read_in(e, a, d, d->page, &run, false);
	submit_run(e, &run);
	return ret;
}

void rc_swap_hit(struct reclaim_engine *e, struct rc_actor *a, struct rc_page *p)
{
	if (!(p->flags & RC_PG_READAHEAD))
		return;
	p->flags &= ~RC_PG_READAHEAD;
	if (e->devices[e->m.swap_device].desc.rotational)
		e->swapin.hits++;
	else
		a->swapin.hits++;
}
