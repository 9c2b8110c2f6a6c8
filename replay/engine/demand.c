/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * demand.c - carrying out one record of a task
 *
 * The same code runs on the scheduler's stack and on a coroutine. On the former nothing can wait: a
 * step that would have to returns RC_AGAIN, and the record is started again on a coroutine. How far
 * it came is in the actor (pos, io_first, io_nr), so nothing is done twice.
 */
#include "internal.h"

static uint32_t gfp_of(const struct reclaim_demand *d)
{
	return d->gfp ? d->gfp : RECLAIM_GFP_HIGHUSER_MOVABLE;
}

bool rc_demand_check(struct reclaim_engine *e, const struct reclaim_demand *d)
{
	const char *what = NULL;

	if (d->op >= RECLAIM_NR_OPS)
		what = "unknown operation";
	else if (d->order > RECLAIM_MAX_ORDER)
		what = "order too large";
	else if (d->migratetype >= RECLAIM_NR_PCP_MT)
		what = "unknown migrate type";
	else if (d->memcg >= e->m.nr_memcgs)
		what = "no such memory cgroup";
	else if (d->node >= e->m.nodes)
		what = "no such node";
	else if (d->op == RECLAIM_OP_KNOB && d->page >= RECLAIM_NR_KNOBS)
		what = "unknown setting";
	else if (d->use > RECLAIM_USE_MLOCKED)
		what = "unknown use";
	else if (d->op != RECLAIM_OP_SYNC && d->file >= 1u << 28)
		what = "file number too large";
	if (!what)
		return true;
	rc_fatal(e, EINVAL, "record %llu of task %u: %s",
		 (unsigned long long)rc_current(e)->records, rc_current(e)->id, what);
	return false;
}

static uint16_t memcg_of(const struct rc_actor *a, const struct reclaim_demand *d)
{
	return d->memcg ? d->memcg : (uint16_t)a->task.memcg;
}

int rc_new_page(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d,
		uint32_t gfp, uint32_t order, uint8_t mt, uint32_t *page)
{
	struct rc_alloc req = { .order = order, .gfp = gfp, .mt = mt, .node = d->node };
	uint16_t memcg = memcg_of(a, d);
	int ret;

	*page = RC_NONE;
	ret = rc_alloc_pages(e, &req);
	if (ret)
		return ret;
	if (memcg) {
		ret = rc_memcg_charge(e, a, memcg, gfp, 1u << order);
		if (ret) {
			rc_free_pages(e, req.page);
			return ret;
		}
		e->pages[req.page].memcg = memcg;
	}
	*page = req.page;
	return 0;
}

void rc_name_page(struct reclaim_engine *e, uint32_t page, uint32_t file, uint32_t index,
		  uint64_t *slot)
{
	struct rc_page *p = &e->pages[page];
	uint64_t old = *slot;

	p->file = file;
	p->index = index;
	*slot = (uint64_t)page << 2 | RC_ENTRY_FRAME;
	if ((old & 3) == RC_ENTRY_SHADOW || (old & 3) == RC_ENTRY_SWAP)
		rc_workingset_refault(e, page, old);
	else if ((p->flags & RC_PG_ANON) && !e->prof.anon_starts_inactive)
		p->flags |= RC_PG_ACTIVE;
	rc_lru_add(e, page);
}

/* The table slot of a page of the demand; -ENOMEM ends the run. */
static uint64_t *slot_of(struct reclaim_engine *e, uint32_t file, uint32_t index)
{
	struct rc_table *t = &e->logical;
	uint64_t *slot = NULL;

	if (file != RECLAIM_FILE_LOGICAL) {
		struct rc_file *f = rc_file_get(e, file);

		t = f ? &f->table : NULL;
	}
	if (t)
		slot = rc_table_slot(t, index);
	if (!slot)
		rc_fatal(e, ENOMEM, "no memory for the page tables of the demand");
	return slot;
}

/* Wait for a page under read. The last thing a record does, so no coroutine is needed. */
void rc_wait_page(struct reclaim_engine *e, struct rc_actor *a, uint32_t page)
{
	const struct rc_page *p = &e->pages[page];
	int64_t now = rc_now(e), done;
	struct reclaim_event ev;

	if (!(p->flags & RC_PG_LOCKED))
		return;
	/* Locked but not submitted yet: its reader is still allocating. */
	done = p->stamp == RC_NONE ? now + RC_NSEC / 1000 : rc_io_when(e, p->stamp);
	if (done <= now)
		return;
	a->io_ns += done - now;
	rc_count(e, RECLAIM_VM_IO_WAIT_NS, (uint64_t)(done - now));
	if (rc_event_wanted(e, RECLAIM_EV_IO_WAIT)) {
		ev = rc_event(e, RECLAIM_EV_IO_WAIT);
		ev.u.sum.delay_ns = done - now;
		rc_emit(e, &ev);
	}
	rc_sleep_until(e, done);
}

static void touch(struct reclaim_engine *e, uint32_t page, const struct reclaim_demand *d)
{
	struct rc_page *p = &e->pages[page];

	if (d->op == RECLAIM_OP_ACCESS || (d->flags & RECLAIM_DEMAND_MAPPED)) {
		p->flags |= RC_PG_YOUNG | RC_PG_MAPPED;
		if (e->mglru && (p->flags & RC_PG_BATCHED))
			p->flags |= RC_PG_ACTIVE;
		if (d->flags & RECLAIM_DEMAND_EXEC)
			p->flags |= RC_PG_EXEC;
		if (d->ref_class)
			p->ref_class = d->ref_class;
		if (e->discipline && !e->future.done)
			rc_mark_accessed(e, page);
		return;
	}
	if (!e->future.done && !(d->flags & RECLAIM_DEMAND_NO_MARK))
		rc_mark_accessed(e, page);
}

/* ---- the page cache ---- */

/* Submit the read of the pages that were added in a row. */
static void submit_run(struct reclaim_engine *e, struct rc_actor *a, uint32_t file)
{
	uint32_t pages[RC_MAX_IO_PAGES], nr = 0, i;

	for (i = 0; i < a->io_nr; i++) {
		uint32_t page =
			rc_entry_frame(rc_table_get(&e->files[file].table, a->io_first + i));

		/* Truncated while the run was being built. */
		if (page == RC_NONE || !(e->pages[page].flags & RC_PG_LOCKED) ||
		    e->pages[page].stamp != RC_NONE)
			continue;
		pages[nr++] = page;
		if (nr == RC_MAX_IO_PAGES) {
			rc_io_submit(e, rc_file_device(e, file), false, pages, nr);
			nr = 0;
		}
	}
	if (nr)
		rc_io_submit(e, rc_file_device(e, file), false, pages, nr);
	a->io_nr = 0;
}

static int add_page(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d,
		    uint32_t gfp, uint32_t index, bool read)
{
	uint64_t *slot = slot_of(e, d->file, index);
	struct rc_page *p;
	uint32_t page;
	int ret;

	if (!slot)
		return -ENOMEM;
	if (rc_entry_frame(*slot) != RC_NONE)
		return 0;
	ret = rc_new_page(e, a, d, gfp, 0, RECLAIM_MT_MOVABLE, &page);
	if (ret)
		return ret;
	/* The allocation may have slept: tables can have moved, another task can have been faster.
	 */
	slot = slot_of(e, d->file, index);
	if (!slot || rc_entry_frame(*slot) != RC_NONE) {
		rc_free_pages(e, page);
		return slot ? 0 : -ENOMEM;
	}
	p = &e->pages[page];
	p->ref_class = d->ref_class;
	if (read) {
		p->flags |= RC_PG_LOCKED;
		p->stamp = RC_NONE;
	}
	rc_name_page(e, page, d->file, index, slot);
	if (read) {
		/* A refault may have used the stamp; what is unread has none. */
		p->stamp = RC_NONE;
		if (a->io_nr && a->io_first + a->io_nr != index)
			submit_run(e, a, d->file);
		if (!a->io_nr)
			a->io_first = index;
		a->io_nr++;
	}
	rc_burn(e, e->m.costs.cache_add);
	return 0;
}

static int read_run(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	uint32_t count = d->count ? d->count : 1, start = d->count ? d->start : d->index;
	int ret;

	for (; a->pos < count && !a->io_stop; a->pos++) {
		if (start + a->pos < start)
			break;
		ret = add_page(e, a, d, gfp_of(d), start + a->pos, true);
		if (ret == RC_AGAIN)
			return ret;
		if (ret)
			a->io_stop = true;
		else if (start + a->pos != d->index)
			rc_count(e, RECLAIM_VM_READAHEAD_PAGES, 1);
	}
	submit_run(e, a, d->file);
	return 0;
}

static int do_cache(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	struct rc_file *f = rc_file_get(e, d->file);
	bool async = d->flags & RECLAIM_DEMAND_ASYNC, first = !a->pos && !a->io_nr && !a->io_stop;
	uint32_t page;
	int ret;

	if (!f) {
		rc_fatal(e, ENOMEM, "no memory for the page tables of the demand");
		return 0;
	}
	page = rc_entry_frame(rc_table_get(&f->table, d->index));
	if (async)
		return read_run(e, a, d);
	if (first && !a->counted) {
		a->counted = true;
		rc_count(e, RECLAIM_VM_CACHE_REQUEST, 1);
		if (page == RC_NONE)
			rc_count(e, RECLAIM_VM_CACHE_MISS, 1);
	}
	if (!first || page == RC_NONE) {
		ret = read_run(e, a, d);
		if (ret)
			return ret;
		page = rc_entry_frame(rc_table_get(&e->files[d->file].table, d->index));
		if (page == RC_NONE) {
			/* The readahead gave up: the page itself is asked for with full effort. */
			ret = add_page(e, a, d, gfp_of(d) & ~RECLAIM_GFP_NORETRY, d->index, true);
			if (ret == RC_AGAIN)
				return ret;
			submit_run(e, a, d->file);
		}
	}
	rc_burn(e, e->m.costs.cache_hit);
	page = rc_entry_frame(rc_table_get(&e->files[d->file].table, d->index));
	if (page == RC_NONE)
		return 0;
	touch(e, page, d);
	rc_wait_page(e, a, page);
	return 0;
}

static int do_dirty(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	uint32_t count = d->count ? d->count : 1, page;
	int ret;

	for (; a->pos < count; a->pos++) {
		uint32_t index = d->index + a->pos;

		if (index < d->index)
			break;
		ret = add_page(e, a, d, gfp_of(d) | RECLAIM_GFP_WRITE, index, false);
		if (ret == RC_AGAIN)
			return ret;
		if (ret || !rc_file_get(e, d->file))
			continue;
		page = rc_entry_frame(rc_table_get(&e->files[d->file].table, index));
		if (page == RC_NONE)
			continue;
		rc_dirty_page(e, page);
		rc_burn(e, e->m.costs.cache_hit);
	}
	if (a->pos < UINT32_MAX) {
		ret = rc_balance_dirty(e, a, count);
		if (ret)
			return ret;
		a->pos = UINT32_MAX;
	}
	return 0;
}

/* Take a page out of its mapping as the workload's own doing. */
static void drop_page(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (p->flags & RC_PG_SLAB)
		rc_list_del(e, &e->slab_list, page);
	rc_clean_page(e, page);
	p->file = RC_NONE;
	if (p->flags & (RC_PG_ISOLATED | RC_PG_WRITEBACK | RC_PG_LOCKED)) {
		p->flags |= RC_PG_DOOMED;
		/* Locked but never submitted: no end of I/O will come. */
		if (!(p->flags & RC_PG_LOCKED) || p->stamp != RC_NONE)
			return;
		p->flags &= ~(RC_PG_LOCKED | RC_PG_DOOMED);
		if (p->flags & RC_PG_ISOLATED) {
			p->flags |= RC_PG_DOOMED;
			return;
		}
	}
	rc_lru_del(e, page);
	rc_swap_release(e, page);
	rc_free_pages(e, page);
}

static void do_truncate(struct reclaim_engine *e, const struct reclaim_demand *d)
{
	uint32_t count = d->count ? d->count : 1, i, page;
	struct rc_file *f = rc_file_get(e, d->file);

	for (i = 0; f && i < count && d->index + i >= d->index; i++) {
		uint64_t entry = rc_table_get(&f->table, d->index + i);

		if (!entry)
			continue;
		*rc_table_slot(&f->table, d->index + i) = 0;
		page = rc_entry_frame(entry);
		if (page == RC_NONE)
			continue;
		drop_page(e, page);
		rc_burn(e, e->m.costs.free_page);
	}
}

/* ---- logical pages ---- */

static void set_use(struct reclaim_engine *e, uint32_t page, const struct reclaim_demand *d)
{
	struct rc_page *p = &e->pages[page];
	struct rc_zone *z = &e->zones[p->zone];
	uint64_t nr = 1ULL << p->order;

	p->ref_class = d->ref_class;
	switch (d->use) {
	case RECLAIM_USE_ANON:
		p->flags |= RC_PG_ANON | RC_PG_MAPPED | RC_PG_YOUNG | RC_PG_DIRTY;
		break;
	case RECLAIM_USE_SHMEM:
		p->flags |= RC_PG_ANON | RC_PG_DIRTY;
		break;
	case RECLAIM_USE_MLOCKED:
		p->flags |=
			RC_PG_ANON | RC_PG_MAPPED | RC_PG_DIRTY | RC_PG_MLOCK | RC_PG_UNEVICTABLE;
		break;
	case RECLAIM_USE_SLAB_RECLAIMABLE:
		p->flags |= RC_PG_SLAB;
		z->slab += nr;
		e->nr_slab += nr;
		break;
	default:
		p->flags |= RC_PG_KERNEL;
		z->kernel += nr;
		break;
	}
}

static bool on_lru(const struct reclaim_demand *d)
{
	return d->use == RECLAIM_USE_ANON || d->use == RECLAIM_USE_SHMEM ||
	       d->use == RECLAIM_USE_MLOCKED;
}

static int alloc_one(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d,
		     uint32_t index, uint32_t order)
{
	uint32_t gfp = d->gfp	   ? d->gfp
		       : on_lru(d) ? RECLAIM_GFP_HIGHUSER_MOVABLE
				   : RECLAIM_GFP_KERNEL;
	uint8_t mt = d->gfp || !on_lru(d) ? d->migratetype : RECLAIM_MT_MOVABLE;
	uint64_t *slot = slot_of(e, RECLAIM_FILE_LOGICAL, index);
	uint32_t page;
	bool taken;
	int ret;

	if (!slot)
		return -ENOMEM;
	if (rc_entry_frame(*slot) != RC_NONE || (*slot & 3) == RC_ENTRY_SWAP)
		return 0;
	ret = rc_new_page(e, a, d, gfp, order, mt, &page);
	if (ret == RC_AGAIN)
		return ret;
	slot = slot_of(e, RECLAIM_FILE_LOGICAL, index);
	if (!slot)
		return -ENOMEM;
	/* Another task may have made or freed the page meanwhile. */
	taken = rc_entry_frame(*slot) != RC_NONE || (*slot & 3) == RC_ENTRY_SWAP;
	if (ret) {
		if (!taken)
			*slot = *slot == RC_ENTRY_EARLY ? 0 : RC_ENTRY_GONE;
		return ret;
	}
	if (*slot == RC_ENTRY_EARLY || taken || a->killed) {
		if (*slot == RC_ENTRY_EARLY)
			*slot = 0;
		rc_free_pages(e, page);
		return 0;
	}
	set_use(e, page, d);
	e->pages[page].owner = a->id;
	e->pages[page].flags |= RC_PG_OWNED;
	a->rss += 1ULL << order;
	if (on_lru(d)) {
		*slot = 0;
		rc_name_page(e, page, RECLAIM_FILE_LOGICAL, index, slot);
		rc_burn(e, e->m.costs.fault);
		rc_count(e, RECLAIM_VM_PGFAULT, 1);
		return 0;
	}
	e->pages[page].file = RECLAIM_FILE_LOGICAL;
	e->pages[page].index = index;
	*slot = (uint64_t)page << 2 | RC_ENTRY_FRAME;
	if (d->use == RECLAIM_USE_SLAB_RECLAIMABLE)
		rc_list_add(e, &e->slab_list, page);
	return 0;
}

static void emit_huge(struct reclaim_engine *e, const struct rc_actor *a,
		      const struct reclaim_demand *d, bool ok)
{
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_HUGE);

	rc_count(e, ok ? RECLAIM_VM_THP_FAULT_ALLOC : RECLAIM_VM_THP_FAULT_FALLBACK, 1);
	ev.order = d->order;
	ev.gfp = d->gfp;
	ev.ok = ok;
	ev.u.sum.delay_ns = rc_now(e) - a->request_at;
	ev.u.sum.mark = d->page;
	rc_emit(e, &ev);
}

/* The base pages of a huge request that failed. */
static int fall_back(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	struct reclaim_demand base = *d;
	int ret;

	base.gfp = RECLAIM_GFP_HIGHUSER_MOVABLE;
	base.migratetype = RECLAIM_MT_MOVABLE;
	for (; a->pos < 1u << d->order; a->pos++) {
		uint64_t *slot = slot_of(e, RECLAIM_FILE_LOGICAL, d->page + a->pos);

		if (slot && *slot == RC_ENTRY_GONE)
			*slot = 0;
		ret = alloc_one(e, a, &base, d->page + a->pos, 0);
		if (ret == RC_AGAIN)
			return ret;
	}
	return 0;
}

static int do_alloc(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	uint32_t count = d->count ? d->count : 1;
	bool huge = d->order >= e->m.pageblock_order;
	int ret;

	if (a->io_stop)
		return fall_back(e, a, d);
	for (; a->pos < count; a->pos++) {
		ret = alloc_one(e, a, d, d->page + a->pos, d->order);
		if (ret == RC_AGAIN)
			return ret;
		if (huge)
			emit_huge(e, a, d, !ret);
		if (ret && (d->flags & RECLAIM_DEMAND_FALLBACK)) {
			a->io_stop = true;
			a->pos = 0;
			return fall_back(e, a, d);
		}
	}
	return 0;
}

static void free_logical(struct reclaim_engine *e, uint32_t index)
{
	uint64_t *slot = slot_of(e, RECLAIM_FILE_LOGICAL, index), entry;
	uint32_t page;

	if (!slot)
		return;
	entry = *slot;
	*slot = 0;
	page = rc_entry_frame(entry);
	if (page != RC_NONE) {
		drop_page(e, page);
		rc_burn(e, e->m.costs.free_page);
	} else if ((entry & 3) == RC_ENTRY_SWAP) {
		rc_swap_drop(e, index, entry);
	} else if (!entry) {
		*slot = RC_ENTRY_EARLY;
	}
}

static void do_free(struct reclaim_engine *e, const struct reclaim_demand *d)
{
	uint32_t count = d->count ? d->count : 1, i, page, k;

	for (i = 0; i < count; i++) {
		uint64_t entry = rc_table_get(&e->logical, d->page + i);

		page = rc_entry_frame(entry);
		if (!d->order || (page != RC_NONE && e->pages[page].order == d->order)) {
			free_logical(e, d->page + i);
			continue;
		}
		/* A huge request that fell back to base pages, or came back from swap in part. */
		free_logical(e, d->page + i);
		for (k = 1; k < 1u << d->order; k++)
			if (rc_table_get(&e->logical, d->page + i + k))
				free_logical(e, d->page + i + k);
	}
}

static int do_access(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	uint64_t *slot;
	uint32_t page;
	int ret;

	if (d->flags & RECLAIM_DEMAND_FILE) {
		ret = do_cache(e, a, d);
		if (ret || !(d->flags & RECLAIM_DEMAND_WRITE))
			return ret;
		page = rc_entry_frame(rc_table_get(&e->files[d->file].table, d->index));
		if (page != RC_NONE)
			rc_dirty_page(e, page);
		return a->state == RC_RUNNING ? rc_balance_dirty(e, a, 1) : 0;
	}
	slot = slot_of(e, RECLAIM_FILE_LOGICAL, d->page);
	if (!slot || *slot == RC_ENTRY_GONE)
		return 0;
	if ((*slot & 3) == RC_ENTRY_SWAP) {
		ret = rc_swap_in(e, a, d);
		if (ret)
			return ret;
	} else if (!*slot) {
		struct reclaim_demand first = *d;

		first.use = RECLAIM_USE_ANON;
		return alloc_one(e, a, &first, d->page, 0);
	}
	slot = slot_of(e, RECLAIM_FILE_LOGICAL, d->page);
	page = slot ? rc_entry_frame(*slot) : RC_NONE;
	if (page == RC_NONE)
		return 0;
	rc_swap_hit(e, a, &e->pages[page]);
	touch(e, page, d);
	/* A write makes the copy in swap worthless; half-full swap frees it anyway. */
	if ((e->pages[page].flags & RC_PG_SWAPCACHE) &&
	    !(e->pages[page].flags & (RC_PG_WRITEBACK | RC_PG_ISOLATED)) &&
	    ((d->flags & RECLAIM_DEMAND_WRITE) || 2 * e->swap_used > e->m.swap_pages)) {
		rc_swap_release(e, page);
		e->pages[page].flags |= RC_PG_DIRTY;
	} else if (d->flags & RECLAIM_DEMAND_WRITE) {
		e->pages[page].flags |= e->pages[page].flags & RC_PG_ANON ? RC_PG_DIRTY : 0;
	}
	rc_wait_page(e, a, page);
	return 0;
}

/* ---- settings and the rest ---- */

static int do_sync(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	if (!e->in_co)
		return RC_AGAIN;
	while (!e->fatal && rc_write_some(e, d->file == UINT32_MAX ? RC_NONE : d->file,
					  RC_MAX_IO_PAGES, RC_WRITE_FIRST))
		rc_burn(e, e->m.costs.io_submit);
	while (!e->fatal && e->nr_writeback)
		rc_wait(e, &e->writeback_wait, RC_NSEC);
	return 0;
}

static void drop_caches(struct reclaim_engine *e)
{
	uint32_t i;

	for (i = 0; i < e->nr_pages; i++) {
		struct rc_page *p = &e->pages[i];
		uint64_t *slot;

		if (!(p->flags & RC_PG_LRU) ||
		    (p->flags &
		     (RC_PG_ANON | RC_PG_DIRTY | RC_PG_WRITEBACK | RC_PG_LOCKED | RC_PG_MAPPED)))
			continue;
		slot = rc_page_slot(e, p);
		if (slot)
			*slot = 0;
		drop_page(e, i);
	}
	rc_count(e, RECLAIM_VM_DROP_PAGECACHE, 1);
}

static int do_knob(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d)
{
	struct reclaim_memcg_desc *m = &e->memcgs[d->memcg].desc;
	uint64_t pages = d->index == UINT32_MAX ? UINT64_MAX : d->index;

	switch ((enum reclaim_knob)d->page) {
	case RECLAIM_KNOB_MIN_FREE_KBYTES:
		e->m.min_free_kbytes = d->index;
		break;
	case RECLAIM_KNOB_WATERMARK_SCALE_FACTOR:
		e->m.watermark_scale_factor = d->index;
		break;
	case RECLAIM_KNOB_WATERMARK_BOOST_FACTOR:
		e->m.watermark_boost_factor = d->index;
		return 0;
	case RECLAIM_KNOB_SWAPPINESS:
		e->m.swappiness = rc_min(d->index, 200);
		return 0;
	case RECLAIM_KNOB_DIRTY_RATIO:
		e->m.dirty_ratio = rc_min(d->index, 100);
		rc_dirty_limits_set(e);
		return 0;
	case RECLAIM_KNOB_DIRTY_BACKGROUND_RATIO:
		e->m.dirty_background_ratio = rc_min(d->index, 100);
		return 0;
	case RECLAIM_KNOB_MEMCG_MAX:
		if (!e->in_co)
			return RC_AGAIN;
		rc_memcg_set_max(e, d->memcg, pages);
		return 0;
	case RECLAIM_KNOB_MEMCG_HIGH:
		m->high = pages;
		return 0;
	case RECLAIM_KNOB_MEMCG_LOW:
		m->low = pages;
		return 0;
	case RECLAIM_KNOB_MEMCG_MIN:
		m->min = pages;
		return 0;
	case RECLAIM_KNOB_MEMCG_SOFT_LIMIT:
		m->soft_limit = pages;
		return 0;
	case RECLAIM_KNOB_DROP_CACHES:
		if (d->index & 1)
			drop_caches(e);
		return 0;
	default:
		return 0;
	}
	e->after_setup = true;
	rc_watermarks_apply(e);
	return 0;
}

static void emit_mark(struct reclaim_engine *e, const struct reclaim_demand *d)
{
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_MARK);

	ev.u.sum.mark = d->page;
	rc_emit(e, &ev);
}

int rc_demand_run(struct reclaim_engine *e, struct rc_actor *a)
{
	const struct reclaim_demand *d = a->demand;

	switch ((enum reclaim_op)d->op) {
	case RECLAIM_OP_ALLOC:
		return do_alloc(e, a, d);
	case RECLAIM_OP_FREE:
		do_free(e, d);
		return 0;
	case RECLAIM_OP_CACHE:
		return do_cache(e, a, d);
	case RECLAIM_OP_ACCESS:
		return do_access(e, a, d);
	case RECLAIM_OP_DIRTY:
		return do_dirty(e, a, d);
	case RECLAIM_OP_TRUNCATE:
		do_truncate(e, d);
		return 0;
	case RECLAIM_OP_PROACTIVE:
		if (!e->in_co)
			return RC_AGAIN;
		rc_proactive(e, d->memcg, d->page);
		return 0;
	case RECLAIM_OP_KNOB:
		return do_knob(e, a, d);
	case RECLAIM_OP_MARK:
		emit_mark(e, d);
		return 0;
	case RECLAIM_OP_SYNC:
		return do_sync(e, a, d);
	case RECLAIM_OP_EXIT:
	case RECLAIM_OP_NOP:
	case RECLAIM_NR_OPS:
		return 0;
	}
	return 0;
}

/* ---- a discipline that knows the future ---- */

static void used(struct reclaim_engine *e, uint32_t file, uint32_t first, uint32_t count)
{
	const struct rc_table *t = &e->logical;
	uint32_t page, i;

	if (file != RECLAIM_FILE_LOGICAL)
		t = file < e->nr_files ? &e->files[file].table : NULL;
	for (i = 0; t && i < rc_max(count, 1) && first + i >= first; i++) {
		page = rc_entry_frame(rc_table_get(t, first + i));
		if (page != RC_NONE)
			rc_mark_accessed(e, page);
	}
}

void rc_demand_used(struct reclaim_engine *e, struct rc_actor *a)
{
	const struct reclaim_demand *d = a->demand;

	if (!e->future.done)
		return;
	e->future.done(e->future.ctx, a->id);
	if (d->op == RECLAIM_OP_CACHE && (d->flags & RECLAIM_DEMAND_ASYNC))
		used(e, d->file, d->count ? d->start : d->index, d->count);
	else if (d->op == RECLAIM_OP_CACHE ||
		 (d->op == RECLAIM_OP_ACCESS && (d->flags & RECLAIM_DEMAND_FILE)))
		used(e, d->file, d->index, 1);
	else if (d->op == RECLAIM_OP_DIRTY)
		used(e, d->file, d->index, d->count);
	else if (d->op == RECLAIM_OP_ALLOC)
		used(e, RECLAIM_FILE_LOGICAL, d->page, d->count);
	else if (d->op == RECLAIM_OP_ACCESS)
		used(e, RECLAIM_FILE_LOGICAL, d->page, 1);
}
