/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * writeback.c - dirty pages, the flusher, and holding writers to the limits (mm/page-writeback.c)
 */
#include "internal.h"

#define BANDWIDTH_INTERVAL (RC_NSEC / 5)
#define MAX_PAUSE	   (RC_NSEC / 5)

/* ---- the list of dirty pages ---- */

static void dirty_link(struct reclaim_engine *e, uint32_t page)
{
	struct rc_list *l = &e->dirty_list;
	struct rc_page *p = &e->pages[page];

	p->dirty_prev = RC_NONE;
	p->dirty_next = l->head;
	if (l->head != RC_NONE)
		e->pages[l->head].dirty_prev = page;
	else
		l->tail = page;
	l->head = page;
	l->len++;
}

static void dirty_unlink(struct reclaim_engine *e, uint32_t page)
{
	struct rc_list *l = &e->dirty_list;
	struct rc_page *p = &e->pages[page];

	if (p->dirty_prev != RC_NONE)
		e->pages[p->dirty_prev].dirty_next = p->dirty_next;
	else
		l->head = p->dirty_next;
	if (p->dirty_next != RC_NONE)
		e->pages[p->dirty_next].dirty_prev = p->dirty_prev;
	else
		l->tail = p->dirty_prev;
	l->len--;
}

static void account_dirty(struct reclaim_engine *e, const struct rc_page *p, int sign)
{
	struct rc_zone *z = &e->zones[p->zone];
	uint64_t nr = sign < 0 ? -(1ULL << p->order) : 1ULL << p->order;

	z->dirty += nr;
	e->nodes[z->node].nr_dirty += nr;
	e->nr_dirty += nr;
}

void rc_dirty_page(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (p->flags & RC_PG_DIRTY)
		return;
	p->flags |= RC_PG_DIRTY;
	if (p->flags & RC_PG_ANON)
		return;
	/* A page that is dirtied again is not one to rotate when its write ends. */
	p->flags &= ~RC_PG_RECLAIM;
	p->stamp = (uint32_t)(rc_now(e) / 1000000);
	dirty_link(e, page);
	account_dirty(e, p, 1);
	rc_count(e, RECLAIM_VM_NR_DIRTIED, 1ULL << p->order);
}

void rc_clean_page(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (!(p->flags & RC_PG_DIRTY))
		return;
	p->flags &= ~RC_PG_DIRTY;
	if (p->flags & RC_PG_ANON)
		return;
	dirty_unlink(e, page);
	account_dirty(e, p, -1);
}

/* ---- writing ---- */

static void wait_queue(struct reclaim_engine *e, uint32_t device)
{
	struct rc_device *d = &e->devices[device];

	while (e->in_co && d->desc.queue_depth && d->in_flight >= d->desc.queue_depth && !e->fatal)
		rc_wait(e, &d->full, RC_NSEC);
}

/* pageout() of one page. */
void rc_write_page(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	bool anon = p->flags & RC_PG_ANON;
	uint32_t device = anon ? e->m.swap_device : rc_file_device(e, p->file);

	wait_queue(e, device);
	if (!(p->flags & RC_PG_DIRTY) || (p->flags & (RC_PG_WRITEBACK | RC_PG_DOOMED)))
		return;
	rc_clean_page(e, page);
	if (anon)
		rc_count(e, RECLAIM_VM_PSWPOUT, 1ULL << p->order);
	rc_io_submit(e, device, true, &page, 1);
}

static uint32_t oldest_dirty(const struct reclaim_engine *e, uint32_t file)
{
	uint32_t page = e->dirty_list.tail;

	while (page != RC_NONE && ((file != RC_NONE && e->pages[page].file != file) ||
				   (e->pages[page].flags & RC_PG_WRITEBACK)))
		page = e->pages[page].dirty_prev;
	return page;
}

/* The oldest dirty page and what follows it in its file, as one request. */
uint32_t rc_write_some(struct reclaim_engine *e, uint32_t file, uint32_t max)
{
	uint32_t pages[RC_MAX_IO_PAGES], nr = 0, page = oldest_dirty(e, file), index, first;
	const struct rc_table *t;

	if (page == RC_NONE)
		return 0;
	first = e->pages[page].file;
	index = e->pages[page].index;
	t = &e->files[first].table;
	max = rc_min(max, RC_MAX_IO_PAGES);
	while (nr < max && page != RC_NONE && (e->pages[page].flags & RC_PG_DIRTY) &&
	       !(e->pages[page].flags & RC_PG_WRITEBACK)) {
		rc_clean_page(e, page);
		pages[nr++] = page;
		if (index == UINT32_MAX)
			break;
		page = rc_entry_frame(rc_table_get(t, ++index));
	}
	rc_io_submit(e, rc_file_device(e, first), true, pages, nr);
	wait_queue(e, rc_file_device(e, first));
	return nr;
}

/* ---- limits ---- */

static uint64_t dirtyable(const struct reclaim_engine *e)
{
	uint64_t sum = 0, reserve;
	uint32_t i;
	int t;

	for (i = 0; i < e->nr_zones; i++) {
		const struct rc_zone *z = &e->zones[i];

		reserve = 0;
		for (t = 0; t < RECLAIM_NR_ZONE_TYPES; t++)
			reserve = rc_max(reserve, z->marks.reserve[t]);
		reserve = rc_min(z->managed, reserve + z->marks.high);
		sum += rc_sub(z->nr_free + z->nr_pcp, reserve) + z->lru[RECLAIM_LRU_INACTIVE_FILE] +
		       z->lru[RECLAIM_LRU_ACTIVE_FILE];
	}
	return sum + 1;
}

void rc_dirty_limits(const struct reclaim_engine *e, const struct rc_actor *a, uint64_t *background,
		     uint64_t *limit)
{
	uint64_t avail = dirtyable(e);

	*limit = avail * e->m.dirty_ratio / 100;
	*background = avail * e->m.dirty_background_ratio / 100;
	if (*background >= *limit)
		*background = *limit / 2;
	if (a && a->task.realtime) {
		*background += *background / 4;
		*limit += *limit / 4 + *limit / 32;
	}
}

/* Position ratio with 10 fractional bits: 1 + ((setpoint - dirty) / (limit - setpoint))^3. */
static uint64_t position_ratio(uint64_t freerun, uint64_t limit, uint64_t dirty)
{
	int64_t setpoint = (int64_t)((freerun + limit) / 2), x, pos;

	if (dirty >= limit)
		return 0;
	x = ((setpoint - (int64_t)dirty) * 1024) / rc_max((int64_t)limit - setpoint, 1);
	pos = x * x / 1024 * x / 1024 + 1024;
	return (uint64_t)rc_max(rc_min(pos, 2048), 0);
}

/* The task rate that would match what the devices take (wb_update_dirty_ratelimit()). */
static void update_ratelimit(struct reclaim_engine *e, uint64_t pos)
{
	int64_t elapsed = rc_now(e) - e->ratelimit_at;
	uint64_t written = e->vm[RECLAIM_VM_NR_WRITTEN], dirtied = e->vm[RECLAIM_VM_NR_DIRTIED];
	uint64_t bw, rate, balanced, task_rate;

	if (elapsed < BANDWIDTH_INTERVAL)
		return;
	bw = (written - e->ratelimit_written) * (uint64_t)RC_NSEC / (uint64_t)elapsed;
	rate = (dirtied - e->ratelimit_dirtied) * (uint64_t)RC_NSEC / (uint64_t)elapsed;
	e->ratelimit_at = rc_now(e);
	e->ratelimit_written = written;
	e->ratelimit_dirtied = dirtied;
	e->write_bw = (e->write_bw * 7 + rc_max(bw, 1)) / 8;
	task_rate = e->dirty_ratelimit * pos >> 10;
	balanced = rc_clamp(task_rate * e->write_bw / (rate | 1), 1, e->write_bw);
	e->dirty_ratelimit = rc_max((e->dirty_ratelimit * 3 + balanced) / 4, 1);
}

static void emit_pause(struct reclaim_engine *e, struct rc_actor *a, int64_t ns)
{
	struct reclaim_event ev = rc_event(e, RECLAIM_EV_DIRTY_PAUSE);

	a->dirty_ns += ns;
	rc_count(e, RECLAIM_VM_DIRTY_PAUSE_NS, (uint64_t)ns);
	ev.u.sum.delay_ns = ns;
	rc_emit(e, &ev);
}

static uint32_t poll_interval(uint64_t dirty, uint64_t limit)
{
	return limit > dirty ? 1u << (rc_fls64(limit - dirty) - 1) / 2 : 1;
}

int rc_balance_dirty(struct reclaim_engine *e, struct rc_actor *a, uint32_t pages)
{
	uint64_t background, limit, dirty, freerun, pos, rate;
	int64_t pause;

	a->dirtied += pages;
	if (a->dirtied < rc_max(a->dirty_pause_at, 1))
		return 0;
	for (;;) {
		rc_dirty_limits(e, a, &background, &limit);
		dirty = e->nr_dirty + e->nr_writeback;
		freerun = (limit + background) / 2;
		if (e->nr_dirty > background)
			rc_wake_all(e, &e->flusher_wait);
		if (dirty <= freerun) {
			a->dirty_pause_at = poll_interval(dirty, limit);
			break;
		}
		if (!e->in_co) {
			a->dirtied -= pages;
			return RC_AGAIN;
		}
		pos = position_ratio(freerun, limit, dirty);
		update_ratelimit(e, pos);
		rate = e->dirty_ratelimit * pos >> 10;
		pause = rate ? (int64_t)(a->dirtied * (uint64_t)RC_NSEC / rate) : MAX_PAUSE;
		pause = rc_min(pause, MAX_PAUSE);
		a->dirty_pause_at = (uint32_t)rc_clamp(rate / 50, 8, 1024);
		if (pause < RC_NSEC / e->m.hz)
			break;
		rc_sleep_until(e, rc_now(e) + pause);
		emit_pause(e, a, pause);
		if (rate || e->fatal || a->killed)
			break;
	}
	a->dirtied = 0;
	return 0;
}

/* ---- the flusher ---- */

void rc_flusher_wake(struct reclaim_engine *e, uint64_t pages)
{
	e->flush_pages =
		pages ? rc_max(e->flush_pages, pages) : rc_max(e->flush_pages, e->nr_dirty);
	rc_wake_all(e, &e->flusher_wait);
}

static bool over_background(const struct reclaim_engine *e)
{
	uint64_t background, limit;

	rc_dirty_limits(e, NULL, &background, &limit);
	return e->nr_dirty > background;
}

static bool oldest_expired(const struct reclaim_engine *e)
{
	uint32_t page = oldest_dirty(e, RC_NONE), now = (uint32_t)(rc_now(e) / 1000000);

	return page != RC_NONE && now - e->pages[page].stamp >= e->m.dirty_expire_ms;
}

void rc_flusher_main(struct reclaim_engine *e, struct rc_actor *a)
{
	int64_t period = (int64_t)e->m.dirty_writeback_ms * 1000000;
	uint32_t nr;

	while (!e->fatal) {
		bool periodic = !rc_wait(e, &e->flusher_wait, period ? period : RECLAIM_NO_TIME);

		while (!e->fatal &&
		       (e->flush_pages || over_background(e) || (periodic && oldest_expired(e)))) {
			nr = rc_write_some(e, RC_NONE, RC_MAX_IO_PAGES);
			e->flush_pages -= rc_min(e->flush_pages, nr);
			if (!nr) {
				e->flush_pages = 0;
				break;
			}
			rc_burn(e, e->m.costs.io_submit);
		}
	}
}
