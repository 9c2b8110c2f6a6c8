/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * device.c - block devices as queues
 *
 * A device serves as many requests at once as it has queues, of each direction unless the bus is
 * shared; each takes its latency, then its turn on the bus. The end of a request is known when it
 * is issued, so waiting for a page is sleeping until its request's time. The pages of a request end
 * together. Writes to swap wait in the writer's plug, where slots in a row become one request,
 * until the pass over the lists is over, the writer goes to sleep, or the plug is full.
 */
#include <stdlib.h>

#include "internal.h"

#define FLUSH_PAGES    32 /* BLK_PLUG_FLUSH_SIZE, 128 KiB */
#define FLUSH_REQUESTS 32 /* BLK_MAX_REQUEST_COUNT */

static int64_t transfer_ns(const struct reclaim_engine *e, const struct rc_device *d, bool write,
			   uint32_t pages)
{
	uint64_t bytes = (uint64_t)pages * e->m.page_size;

	return (int64_t)(bytes * (uint64_t)RC_NSEC /
			 (write ? d->desc.write_bytes_per_s : d->desc.read_bytes_per_s));
}

static int64_t finish_time(struct reclaim_engine *e, struct rc_device *d, bool write,
			   uint32_t pages)
{
	int bus = d->desc.shared_bus ? 0 : write;
	uint32_t i, best = 0;
	int64_t start, ready;

	for (i = 1; i < d->desc.queues; i++)
		if (d->server[bus][i] < d->server[bus][best])
			best = i;
	start = rc_max(rc_now(e), d->server[bus][best]);
	ready = start + (write ? d->desc.write_latency_ns : d->desc.read_latency_ns);
	d->bus[bus] = rc_max(ready, d->bus[bus]) + transfer_ns(e, d, write, pages);
	d->server[bus][best] = d->bus[bus];
	return d->bus[bus];
}

static uint32_t request_get(struct reclaim_engine *e)
{
	struct rc_request *r;
	uint32_t i = e->free_request;

	if (i != RC_NONE) {
		e->free_request = e->requests[i].next_free;
		return i;
	}
	if (e->nr_requests == e->cap_requests) {
		uint32_t cap = e->cap_requests ? e->cap_requests * 2 : 64;

		r = realloc(e->requests, cap * sizeof(*r));
		if (!r) {
			rc_fatal(e, ENOMEM, "no memory for an I/O request");
			return RC_NONE;
		}
		e->requests = r;
		e->cap_requests = cap;
	}
	return e->nr_requests++;
}

static void start_write(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	struct rc_zone *z = &e->zones[p->zone];
	uint64_t nr = 1ULL << p->order;

	p->flags |= RC_PG_WRITEBACK;
	z->writeback += nr;
	e->nodes[z->node].nr_writeback += nr;
	e->nr_writeback += nr;
	if (!(p->flags & RC_PG_ANON))
		e->nr_file_writeback += nr;
}

static uint32_t request_new(struct reclaim_engine *e, uint32_t device, bool write)
{
	uint32_t id = request_get(e);
	struct rc_request *r;

	if (id == RC_NONE)
		return id;
	r = &e->requests[id];
	r->nr = 0;
	r->nr_pages = 0;
	r->device = (uint8_t)device;
	r->write = write;
	r->wbt_class = RC_WBT_UNTRACKED;
	r->done = RECLAIM_NO_TIME;
	e->devices[device].in_flight++;
	return id;
}

static void request_add(struct reclaim_engine *e, uint32_t id, uint32_t page)
{
	struct rc_request *r = &e->requests[id];
	struct rc_page *p = &e->pages[page];

	r->pages[r->nr++] = page;
	r->nr_pages += 1u << p->order;
	rc_count(e, r->write ? RECLAIM_VM_PGPGOUT : RECLAIM_VM_PGPGIN,
		 ((uint64_t)e->m.page_size << p->order) / 1024);
	if (r->write)
		return;
	p->flags |= RC_PG_LOCKED;
	p->stamp = id;
}

static void request_issue(struct reclaim_engine *e, uint32_t id)
{
	struct rc_request *r = &e->requests[id];
	struct rc_device *d = &e->devices[r->device];

	r->issued = rc_now(e);
	r->done = finish_time(e, d, r->write, r->nr_pages);
	rc_wbt_issue(e, d, id);
	rc_timer_add(e, r->done, RC_TIMER_IO, id, 0);
	if (e->cur != RC_NONE)
		rc_this_cpu(e)->now += e->m.costs.io_submit;
}

uint32_t rc_io_submit(struct reclaim_engine *e, uint32_t device, bool write, const uint32_t *pages,
		      uint32_t nr)
{
	uint32_t id = request_new(e, device, write), i;

	if (id == RC_NONE)
		return id;
	for (i = 0; i < nr; i++) {
		if (write)
			start_write(e, pages[i]);
		request_add(e, id, pages[i]);
	}
	request_issue(e, id);
	return id;
}

/* ---- writes of files ---- */

static void wait_queue(struct reclaim_engine *e, struct rc_device *d)
{
	while (e->in_co && d->desc.queue_depth && d->in_flight >= d->desc.queue_depth && !e->fatal)
		rc_wait(e, &d->full, RC_NSEC);
}

void rc_io_write(struct reclaim_engine *e, uint32_t device, enum rc_write_kind kind,
		 const uint32_t *pages, uint32_t nr)
{
	struct rc_device *d = &e->devices[device];
	uint32_t id, i;
	uint8_t class;

	for (i = 0; i < nr; i++)
		start_write(e, pages[i]);
	class = rc_wbt_wait(e, d, false, kind);
	wait_queue(e, d);
	id = request_new(e, device, true);
	if (id == RC_NONE)
		return;
	e->requests[id].wbt_class = class;
	for (i = 0; i < nr; i++)
		request_add(e, id, pages[i]);
	request_issue(e, id);
}

/* ---- writes to swap, which wait in the writer's plug ---- */

void rc_plug_flush(struct reclaim_engine *e, struct rc_actor *a)
{
	uint32_t id = a->plug_head, next;

	a->plug_head = RC_NONE;
	a->plug_tail = RC_NONE;
	a->plug_nr = 0;
	for (; id != RC_NONE; id = next) {
		next = e->requests[id].next_free;
		request_issue(e, id);
	}
}

static void plug_add(struct reclaim_engine *e, struct rc_actor *a, uint32_t id)
{
	if (a->plug_nr >= FLUSH_REQUESTS ||
	    (a->plug_nr && e->requests[a->plug_tail].nr_pages >= FLUSH_PAGES))
		rc_plug_flush(e, a);
	e->requests[id].next_free = RC_NONE;
	if (a->plug_nr++)
		e->requests[a->plug_tail].next_free = id;
	else
		a->plug_head = id;
	a->plug_tail = id;
}

/* Slots in a row grow one request, as far as the device takes it (blk_attempt_plug_merge()). */
static bool joins_plug(struct reclaim_engine *e, const struct rc_actor *a, uint32_t page)
{
	const struct rc_page *p = &e->pages[page];
	struct rc_request *r;

	if (!a->plug_nr)
		return false;
	r = &e->requests[a->plug_tail];
	if (r->device != e->m.swap_device || r->end_slot != p->slot ||
	    r->nr_pages + (1u << p->order) > e->devices[r->device].desc.merge_pages)
		return false;
	r->end_slot += 1u << p->order;
	request_add(e, a->plug_tail, page);
	return true;
}

void rc_io_swap_out(struct reclaim_engine *e, uint32_t page)
{
	struct rc_device *d = &e->devices[e->m.swap_device];
	struct rc_actor *a = rc_current(e);
	uint32_t id;
	uint8_t class;

	start_write(e, page);
	if (joins_plug(e, a, page))
		return;
	class = rc_wbt_wait(e, d, true, RC_WRITE_NORMAL);
	wait_queue(e, d);
	id = request_new(e, e->m.swap_device, true);
	if (id == RC_NONE)
		return;
	e->requests[id].wbt_class = class;
	e->requests[id].end_slot = e->pages[page].slot + (1u << e->pages[page].order);
	request_add(e, id, page);
	if (d->desc.merge_pages > 1)
		plug_add(e, a, id);
	else
		request_issue(e, id);
}

int64_t rc_io_when(const struct reclaim_engine *e, uint32_t request)
{
	return request < e->nr_requests ? e->requests[request].done : 0;
}

/* A page that demand freed while it was under I/O. */
static void bury(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	/* What was dirtied while it was read may be written at the same time. */
	if (p->flags & (RC_PG_ISOLATED | RC_PG_WRITEBACK | RC_PG_LOCKED))
		return;
	rc_lru_del(e, page);
	rc_clean_page(e, page);
	rc_swap_release(e, page);
	rc_free_pages(e, page);
}

static void end_write(struct reclaim_engine *e, uint32_t page)
{
	struct rc_page *p = &e->pages[page];
	struct rc_zone *z = &e->zones[p->zone];
	uint64_t nr = 1ULL << p->order;

	p->flags &= ~RC_PG_WRITEBACK;
	z->writeback -= nr;
	e->nodes[z->node].nr_writeback -= nr;
	e->nr_writeback -= nr;
	if (!(p->flags & RC_PG_ANON)) {
		e->nr_file_writeback -= nr;
		e->files_written += nr;
	}
	rc_count(e, RECLAIM_VM_NR_WRITTEN, nr);
	if (p->flags & RC_PG_RECLAIM) {
		p->flags &= ~RC_PG_RECLAIM;
		rc_lru_rotate(e, page);
	}
	rc_throttle_written(e, &e->nodes[z->node]);
}

void rc_io_done(struct reclaim_engine *e, uint32_t request)
{
	struct rc_request *r = &e->requests[request];
	struct rc_device *d = &e->devices[r->device];
	uint32_t i;

	for (i = 0; i < r->nr; i++) {
		struct rc_page *p = &e->pages[r->pages[i]];

		if (r->write) {
			end_write(e, r->pages[i]);
		} else {
			p->flags &= ~RC_PG_LOCKED;
			p->stamp = (uint32_t)(e->now / 1000000);
		}
		if (p->flags & RC_PG_DOOMED)
			bury(e, r->pages[i]);
	}
	d->in_flight--;
	rc_wake_one(e, &d->full);
	rc_wbt_done(e, d, request);
	if (r->write)
		rc_wake_all(e, &e->writeback_wait);
	r->next_free = e->free_request;
	e->free_request = request;
}

uint32_t rc_file_device(const struct reclaim_engine *e, uint32_t file)
{
	return e->file_device && file < e->nr_file_device ? e->file_device[file] : 0;
}
