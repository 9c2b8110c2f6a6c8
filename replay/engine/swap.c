/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * swap.c - swap slots, swap-out state and swap-in with its readahead
 *
 * Slots are counted, not placed. Readahead is the one by virtual neighbours (swap_vma_readahead()):
 * logical page numbers stand for addresses, and the window follows the hits of the task.
 */
#include "internal.h"

bool rc_swap_available(const struct reclaim_engine *e)
{
	return e->swap_used < e->m.swap_pages;
}

bool rc_swap_reserve(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	uint64_t nr = 1ULL << p->order;

	if (e->swap_used + nr > e->m.swap_pages)
		return false;
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
	e->swap_used -= 1ULL << p->order;
}

void rc_swap_drop(struct reclaim_engine *e, uint64_t entry)
{
	e->swap_used -= 1ULL << ((entry >> 12) & 0xf);
}

/* __swapin_nr_pages() */
static uint32_t window(const struct reclaim_engine *e, struct rc_actor *a, uint32_t index)
{
	uint32_t max = 1u << rc_min(e->m.page_cluster, 6), pages = a->swap_hits + 2,
		 last = a->swap_win / 2;

	if (max <= 1)
		return 1;
	if (pages == 2) {
		if (index != a->swap_prev + 1 && index + 1 != a->swap_prev)
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

static int read_in(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d,
		   uint32_t index, uint32_t *page)
{
	uint64_t *slot = rc_table_slot(&e->logical, index), entry;
	uint32_t gfp = d->gfp ? d->gfp : RECLAIM_GFP_HIGHUSER_MOVABLE;
	struct rc_page *p;
	int ret;

	ret = rc_new_page(e, a, d, gfp, 0, RECLAIM_MT_MOVABLE, page);
	if (ret)
		return ret;
	/* Reclaim inside the allocation cannot bring the page back, but another task can. */
	entry = *slot;
	if ((entry & 3) != RC_ENTRY_SWAP) {
		rc_free_pages(e, *page);
		*page = RC_NONE;
		return 0;
	}
	/* A huge page comes back page by page: only this one keeps its slot. */
	e->swap_used -= (1ULL << ((entry >> 12) & 0xf)) - 1;
	p = &e->pages[*page];
	p->flags |= RC_PG_ANON | RC_PG_SWAPCACHE | RC_PG_LOCKED;
	p->ref_class = d->ref_class;
	rc_name_page(e, *page, RECLAIM_FILE_LOGICAL, index, slot);
	rc_io_submit(e, e->m.swap_device, false, page, 1);
	rc_count(e, RECLAIM_VM_PSWPIN, 1);
	return 0;
}

int rc_swap_in(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	uint32_t index = d->page, win, i, first, page;
	int ret;

	if (!e->in_co)
		return RC_AGAIN;
	/* The page asked for comes first; the readahead around it must not fail it. */
	ret = read_in(e, a, d, index, &page);
	if (ret)
		return ret;
	rc_count(e, RECLAIM_VM_PGMAJFAULT, 1);
	win = window(e, a, index);
	a->swap_hits = 0;
	a->swap_win = win;
	a->swap_prev = index;
	first = index >= win / 2 ? index - win / 2 : 0;
	for (i = first; i < first + win; i++) {
		if (i == index || (rc_table_get(&e->logical, i) & 3) != RC_ENTRY_SWAP)
			continue;
		if (read_in(e, a, d, i, &page))
			break;
		if (page == RC_NONE)
			continue;
		e->pages[page].flags |= RC_PG_READAHEAD;
		rc_count(e, RECLAIM_VM_READAHEAD_PAGES, 1);
	}
	return 0;
}
