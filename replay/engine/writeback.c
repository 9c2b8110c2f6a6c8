/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * writeback.c - dirty pages, the flusher, and holding writers to the limits (mm/page-writeback.c)
 */
#include "internal.h"

#define BANDWIDTH_INTERVAL (RC_NSEC / 5)
#define BANDWIDTH_PERIOD   (4 * (uint64_t)RC_NSEC) /* 3 s of ticks, rounded up to a power of two */
#define MAX_PAUSE	   (RC_NSEC / 5)
#define POLL_THRESHOLD	   32	/* pages: pauses for fewer are not worth it */
#define EXCEEDED_PAGES	   8	/* 32 KiB: how often a writer asks once the limit is exceeded */
#define TURN_MIN	   1024 /* pages, MIN_WRITEBACK_PAGES */
#define TURN_SCOPE	   8	/* DIRTY_SCOPE: the share of the limit that a turn may be */
#define STAT_ERROR	   16	/* pages a CPU: what counters of a device may be wrong by */

/* What a writer meets at the limits. */
struct dirty_state {
	uint64_t background, limit, setpoint;
	uint64_t dirty; /* with what is under writeback, to swap as well */
	uint64_t files; /* the same of files only */
	uint64_t pos;	/* position ratio, 10 fractional bits */
};

/* ---- the list of dirty pages ---- */

static struct rc_file *file_of(const struct reclaim_engine *e, const struct rc_page *p)
{
	return p->file < e->nr_files ? &e->files[p->file] : NULL;
}

static void flush_enqueue(struct reclaim_engine *e, uint32_t file)
{
	struct rc_file *f = &e->files[file];

	if (f->flush_queued)
		return;
	f->flush_queued = true;
	f->flush_next = RC_NONE;
	if (e->flush_tail != RC_NONE)
		e->files[e->flush_tail].flush_next = file;
	else
		e->flush_head = file;
	e->flush_tail = file;
}

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
	if (file_of(e, p)) {
		file_of(e, p)->nr_dirty++;
		flush_enqueue(e, p->file);
	}
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
	if (file_of(e, p))
		file_of(e, p)->nr_dirty--;
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

/* pageout() of one page. */
void rc_write_page(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (!(p->flags & RC_PG_DIRTY) || (p->flags & (RC_PG_WRITEBACK | RC_PG_DOOMED)))
		return;
	rc_clean_page(e, page);
	if (!(p->flags & RC_PG_ANON)) {
		rc_io_write(e, rc_file_device(e, p->file), RC_WRITE_NORMAL, &page, 1);
		return;
	}
	rc_count(e, RECLAIM_VM_PSWPOUT, 1ULL << p->order);
	rc_io_swap_out(e, page);
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
uint32_t rc_write_some(struct reclaim_engine *e, uint32_t file, uint32_t max,
		       enum rc_write_kind kind)
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
	rc_io_write(e, rc_file_device(e, first), kind, pages, nr);
	return nr;
}

/* The first page of a file from @from on that is dirty and not being written; RC_NONE: none. */
static uint32_t next_dirty(const struct reclaim_engine *e, const struct rc_file *f, uint32_t from)
{
	const struct rc_table *t = &f->table;
	uint32_t c, i = from & (RC_CHUNK - 1);

	for (c = from >> RC_CHUNK_SHIFT; c < t->nr_chunks; c++, i = 0) {
		for (; t->chunks[c] && i < RC_CHUNK; i++) {
			uint32_t page = rc_entry_frame(t->chunks[c][i]);

			if (page != RC_NONE && (e->pages[page].flags & RC_PG_DIRTY) &&
			    !(e->pages[page].flags & RC_PG_WRITEBACK))
				return c << RC_CHUNK_SHIFT | i;
		}
	}
	return RC_NONE;
}

/* How much of one file is written before the next has its turn (writeback_chunk_size()). */
static uint32_t turn_pages(const struct reclaim_engine *e)
{
	uint64_t background, limit, pages;

	rc_dirty_limits(e, NULL, &background, &limit);
	pages = rc_min(e->avg_write_bw / 2, rc_max(limit, e->dirty_limit) / TURN_SCOPE);
	return (uint32_t)((pages + TURN_MIN) / TURN_MIN * TURN_MIN);
}

static bool begin_turn(struct reclaim_engine *e)
{
	uint32_t file = e->flush_head;

	if (file == RC_NONE)
		return false;
	e->flush_head = e->files[file].flush_next;
	if (e->flush_head == RC_NONE)
		e->flush_tail = RC_NONE;
	e->files[file].flush_queued = false;
	e->flush_file = file;
	e->flush_left = turn_pages(e);
	return true;
}

static void end_turn(struct reclaim_engine *e)
{
	uint32_t file = e->flush_file;

	e->flush_file = RC_NONE;
	if (e->files[file].nr_dirty)
		flush_enqueue(e, file);
}

/* The next dirty pages of the file under way as one request, going round from its last. */
static uint32_t write_on(struct reclaim_engine *e)
{
	struct rc_file *f = &e->files[e->flush_file];
	uint32_t pages[RC_MAX_IO_PAGES], nr = 0, index = RC_NONE, page, file = e->flush_file;

	if (f->nr_dirty) {
		index = next_dirty(e, f, f->flush_index);
		if (index == RC_NONE)
			index = next_dirty(e, f, 0);
	}
	if (index == RC_NONE)
		return 0;
	page = rc_entry_frame(rc_table_get(&f->table, index));
	while (nr < rc_min(e->flush_left, RC_MAX_IO_PAGES) && page != RC_NONE &&
	       (e->pages[page].flags & RC_PG_DIRTY) && !(e->pages[page].flags & RC_PG_WRITEBACK)) {
		rc_clean_page(e, page);
		pages[nr++] = page;
		page = rc_entry_frame(rc_table_get(&f->table, index + nr));
	}
	f->flush_index = index + nr;
	e->flush_left -= nr;
	rc_io_write(e, rc_file_device(e, file), RC_WRITE_BACKGROUND, pages, nr);
	return nr;
}

/* Write a little of what is dirty, file by file in turns (writeback_sb_inodes()). */
static uint32_t flush_some(struct reclaim_engine *e)
{
	uint32_t tries = 64, nr;

	while (tries-- && !e->fatal) {
		if (e->flush_file == RC_NONE && !begin_turn(e))
			return 0;
		nr = write_on(e);
		if (!nr || !e->flush_left)
			end_turn(e);
		if (nr)
			return nr;
	}
	return 0;
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

/* writeback_set_ratelimit() */
void rc_dirty_limits_set(struct reclaim_engine *e)
{
	uint64_t background;

	rc_dirty_limits(e, NULL, &background, &e->dirty_limit);
}

/*
 * Position ratio with 10 fractional bits: 1 + ((setpoint - dirty) / (limit - setpoint))^3
 * (pos_ratio_polynom()).
 */
static uint64_t position_ratio(uint64_t setpoint, uint64_t limit, uint64_t dirty)
{
	int64_t x, pos;

	if (dirty >= limit)
		return 0;
	x = (((int64_t)setpoint - (int64_t)dirty) * 1024) / ((int64_t)(limit - setpoint) | 1);
	pos = x * x / 1024 * x / 1024 + 1024;
	return (uint64_t)rc_max(rc_min(pos, 2048), 0);
}

/* The limit in force goes up with the threshold at once and down slowly, never below what is dirty
 * (update_dirty_limit()). */
static void follow_limit(struct reclaim_engine *e, uint64_t limit, uint64_t dirty)
{
	uint64_t target = rc_max(limit, dirty);

	if (e->dirty_limit < limit)
		e->dirty_limit = limit;
	else if (e->dirty_limit > target)
		e->dirty_limit -= (e->dirty_limit - target) >> 5;
}

/* wb_update_write_bandwidth(): a mean over some seconds, and a second one that ignores spikes. */
static void update_bandwidth(struct reclaim_engine *e, uint64_t written, uint64_t elapsed)
{
	uint64_t rate = written * (uint64_t)RC_NSEC / elapsed, old = e->write_bw, bw;

	bw = elapsed >= BANDWIDTH_PERIOD
		     ? rate
		     : (rate * (elapsed / 1000) + old * ((BANDWIDTH_PERIOD - elapsed) / 1000)) /
			       (BANDWIDTH_PERIOD / 1000);
	if (e->avg_write_bw > old && old >= rate)
		e->avg_write_bw -= (e->avg_write_bw - old) >> 3;
	if (e->avg_write_bw < old && old <= rate)
		e->avg_write_bw += (old - e->avg_write_bw) >> 3;
	e->write_bw = rc_max(bw, 1);
}

/* How far the task rate moves towards what the device takes (wb_update_dirty_ratelimit()). */
static void update_ratelimit(struct reclaim_engine *e, const struct dirty_state *s,
			     uint64_t dirtied, uint64_t elapsed)
{
	uint64_t rate = dirtied * (uint64_t)RC_NSEC / elapsed, limit = e->dirty_ratelimit;
	uint64_t task = (limit * s->pos >> 10) + 1, balanced, x, step = 0, shift;

	balanced = rc_clamp(task * e->avg_write_bw / (rate | 1), 1, rc_max(e->avg_write_bw, 1));
	if (s->dirty < s->setpoint) {
		x = rc_min(rc_min(e->balanced_ratelimit, balanced), task);
		step = rc_sub(x, limit);
	} else {
		x = rc_max(rc_max(e->balanced_ratelimit, balanced), task);
		step = rc_sub(limit, x);
	}
	shift = limit / (2 * step + 1);
	step = shift < 64 ? ((step >> shift) + 7) / 8 : 0;
	e->dirty_ratelimit = limit < balanced ? limit + step : rc_sub(limit, step);
	e->dirty_ratelimit = rc_max(e->dirty_ratelimit, 1);
	e->balanced_ratelimit = balanced;
}

/* __wb_update_bandwidth() */
static void update_estimates(struct reclaim_engine *e, const struct dirty_state *s)
{
	int64_t elapsed = rc_now(e) - e->ratelimit_at;

	if (elapsed < BANDWIDTH_INTERVAL)
		return;
	follow_limit(e, s->limit, s->dirty);
	update_ratelimit(e, s, e->vm[RECLAIM_VM_NR_DIRTIED] - e->ratelimit_dirtied,
			 (uint64_t)elapsed);
	update_bandwidth(e, e->files_written - e->ratelimit_written, (uint64_t)elapsed);
	e->ratelimit_at = rc_now(e);
	e->ratelimit_written = e->files_written;
	e->ratelimit_dirtied = e->vm[RECLAIM_VM_NR_DIRTIED];
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

/* The state of the limits; false: there is no need to hold a writer back. */
static bool dirty_state(const struct reclaim_engine *e, const struct rc_actor *a,
			struct dirty_state *s)
{
	uint64_t freerun, hard;

	rc_dirty_limits(e, a, &s->background, &s->limit);
	s->dirty = e->nr_dirty + e->nr_writeback;
	s->files = e->nr_dirty + e->nr_file_writeback;
	freerun = (s->limit + s->background) / 2;
	if (s->dirty <= freerun)
		return false;
	hard = rc_max(s->limit, e->dirty_limit);
	s->setpoint = (freerun + hard) / 2;
	s->pos = position_ratio(s->setpoint, hard, s->dirty);
	return true;
}

/* wb_max_pause(): no longer than the device needs for what is dirty. */
static int64_t max_pause(const struct reclaim_engine *e, const struct dirty_state *s)
{
	int64_t jiffy = RC_NSEC / e->m.hz;
	uint64_t t = s->files / (1 + e->avg_write_bw / rc_pow2_up(1 + e->m.hz / 8)) + 1;

	return (int64_t)rc_min(t * (uint64_t)jiffy, MAX_PAUSE);
}

/* wb_min_pause(): the pause to aim for, and how many pages until the next one. */
static int64_t min_pause(const struct reclaim_engine *e, int64_t max, uint64_t rate,
			 uint32_t *pages_out)
{
	int64_t jiffy = RC_NSEC / e->m.hz;
	uint64_t limit = e->dirty_ratelimit, unit = rc_pow2_up(e->m.hz), pages, most, t;
	uint32_t hi = rc_fls64(rc_max(e->avg_write_bw, 1)), lo = rc_fls64(limit);

	most = (uint64_t)(max / jiffy);
	t = rc_max(1, e->m.hz / 100);
	if (hi > lo)
		t += (uint64_t)(hi - lo) * 10 * e->m.hz / 1024;
	t = rc_min(t, 1 + most / 2);
	pages = limit * t / unit;
	if (pages < POLL_THRESHOLD) {
		t = most;
		pages = limit * t / unit;
		if (pages > POLL_THRESHOLD) {
			pages = POLL_THRESHOLD;
			t = (uint64_t)e->m.hz * POLL_THRESHOLD / limit;
		}
	}
	if (e->m.hz * pages / (rate + 1) > most) {
		t = most;
		pages = rate * t / unit;
	}
	*pages_out = (uint32_t)rc_clamp(pages, 1, UINT32_MAX);
	return (int64_t)(pages >= POLL_THRESHOLD ? 1 + t / 2 : t) * jiffy;
}

/* How long the task is to stay away, 0 when it is ahead of what it may still dirty. */
static int64_t pause_for(const struct reclaim_engine *e, struct rc_actor *a,
			 const struct dirty_state *s, uint64_t rate)
{
	int64_t jiffy = RC_NSEC / e->m.hz, max = max_pause(e, s), least, period, pause;
	uint32_t pages;

	if (!rate)
		return max;
	least = min_pause(e, max, rate, &pages);
	period = (int64_t)(a->dirtied * (uint64_t)RC_NSEC / rate) / jiffy * jiffy;
	pause = period;
	if (a->dirty_paused_at)
		pause -= (rc_now(e) - a->dirty_paused_at) / jiffy * jiffy;
	if (pause < least) {
		if (pause < -RC_NSEC)
			a->dirty_paused_at = rc_now(e);
		else if (period)
			a->dirty_paused_at += period;
		else if (a->dirty_pause_at <= a->dirtied)
			a->dirty_pause_at += a->dirtied;
		if (pause < -RC_NSEC || period)
			a->dirtied = 0;
		return 0;
	}
	a->dirty_pause_at = pages;
	return rc_min(pause, max);
}

/* balance_dirty_pages() */
int rc_balance_dirty(struct reclaim_engine *e, struct rc_actor *a, uint32_t pages)
{
	struct dirty_state s;
	uint64_t rate;
	int64_t pause;

	a->dirtied += pages;
	if (a->dirtied < rc_max(e->dirty_exceeded ? rc_min(a->dirty_pause_at, EXCEEDED_PAGES)
						  : a->dirty_pause_at,
				1))
		return 0;
	for (;;) {
		bool free = !dirty_state(e, a, &s);

		if (e->nr_dirty > s.background)
			rc_wake_all(e, &e->flusher_wait);
		if (free) {
			e->dirty_exceeded = false;
			a->dirty_pause_at = poll_interval(s.dirty, s.limit);
			a->dirty_paused_at = rc_now(e);
			break;
		}
		if (!e->in_co) {
			a->dirtied -= pages;
			return RC_AGAIN;
		}
		e->dirty_exceeded = s.dirty > s.limit;
		update_estimates(e, &s);
		rate = e->dirty_ratelimit * s.pos >> 10;
		pause = pause_for(e, a, &s, rate);
		if (!pause)
			return 0;
		rc_wbt_paused(e, &e->devices[rc_file_device(e, a->demand->file)]);
		rc_sleep_until(e, rc_now(e) + pause);
		emit_pause(e, a, pause);
		a->dirty_paused_at = rc_now(e);
		if (rate || s.files <= STAT_ERROR * e->nr_cpus || e->fatal || a->killed)
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

	rc_dirty_limits_set(e);
	if (e->m.dirty_limit)
		e->dirty_limit = e->m.dirty_limit;
	while (!e->fatal) {
		bool periodic = !rc_wait(e, &e->flusher_wait, period ? period : RECLAIM_NO_TIME);

		while (!e->fatal &&
		       (e->flush_pages || over_background(e) || (periodic && oldest_expired(e)))) {
			nr = e->flush_pages || over_background(e)
				     ? flush_some(e)
				     : rc_write_some(e, RC_NONE, RC_MAX_IO_PAGES, RC_WRITE_NORMAL);
			e->flush_pages -= rc_min(e->flush_pages, nr);
			if (!nr) {
				e->flush_pages = 0;
				break;
			}
			rc_burn(e, e->m.costs.io_submit);
		}
	}
}
