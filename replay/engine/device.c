/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * device.c - block devices as queues
 *
 * A device serves as many requests at once as it has queues, of each direction unless the bus is
 * shared; each takes its latency, then its turn on the bus. The end of a request is known when it
 * is submitted, so waiting for a page is sleeping until its request's time.
 */
#include <stdlib.h>

#include "internal.h"

#define PLUG_PAGES 32 /* 128 KiB */

static int64_t transfer_ns(const struct reclaim_engine *e, const struct rc_device *d, bool write,
			   uint32_t pages)
{
	uint64_t bytes = (uint64_t)pages * e->m.page_size;

	return (int64_t)(bytes * (uint64_t)RC_NSEC /
			 (write ? d->desc.write_bytes_per_s : d->desc.read_bytes_per_s));
}

static int64_t finish_time(struct reclaim_engine *e, struct rc_device *d, bool write,
			   uint32_t pages, bool merged)
{
	int bus = d->desc.shared_bus ? 0 : write;
	uint32_t i, best = 0;
	int64_t start, ready;

	if (merged) {
		d->bus[bus] += transfer_ns(e, d, write, pages);
		return d->bus[bus];
	}
	for (i = 1; i < d->desc.queues; i++)
		if (d->server[bus][i] < d->server[bus][best])
			best = i;
	start = rc_max(rc_now(e), d->server[bus][best]);
	ready = start + (write ? d->desc.write_latency_ns : d->desc.read_latency_ns);
	d->bus[bus] = rc_max(ready, d->bus[bus]) + transfer_ns(e, d, write, pages);
	d->server[bus][best] = d->bus[bus];
	return d->bus[bus];
}

/*
 * Swap slots are handed out in a row, so what a reclaimer swaps out in one go makes one request, up
 * to the size at which a plug is flushed (BLK_PLUG_FLUSH_SIZE).
 */
static bool joins_plug(struct reclaim_engine *e, struct rc_device *d, uint32_t page, uint32_t pages)
{
	uint32_t batch = rc_current(e)->batches;
	bool same = d->plug_actor == e->cur && d->plug_batch == batch;

	if (!(e->pages[page].flags & RC_PG_ANON)) {
		d->plug_pages = 0;
		return false;
	}
	if (same && d->plug_pages && d->plug_pages + pages <= PLUG_PAGES) {
		d->plug_pages += pages;
		return true;
	}
	d->plug_pages = pages;
	d->plug_actor = e->cur;
	d->plug_batch = batch;
	return false;
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

static void start_page(struct reclaim_engine *e, uint32_t page, bool write, uint32_t request)
{
	struct rc_page *p = &e->pages[page];
	struct rc_zone *z = &e->zones[p->zone];
	uint64_t nr = 1ULL << p->order;

	if (!write) {
		p->flags |= RC_PG_LOCKED;
		p->stamp = request;
		return;
	}
	p->flags |= RC_PG_WRITEBACK;
	z->writeback += nr;
	e->nodes[z->node].nr_writeback += nr;
	e->nr_writeback += nr;
	if (!(p->flags & RC_PG_ANON))
		e->nr_file_writeback += nr;
}

uint32_t rc_io_submit(struct reclaim_engine *e, uint32_t device, bool write, const uint32_t *pages,
		      uint32_t nr)
{
	struct rc_device *d = &e->devices[device];
	uint32_t id = request_get(e), total = 0, i;
	struct rc_request *r;

	if (id == RC_NONE)
		return id;
	r = &e->requests[id];
	r->nr = nr;
	r->device = (uint8_t)device;
	r->write = write;
	for (i = 0; i < nr; i++) {
		r->pages[i] = pages[i];
		total += 1u << e->pages[pages[i]].order;
		start_page(e, pages[i], write, id);
	}
	rc_count(e, write ? RECLAIM_VM_PGPGOUT : RECLAIM_VM_PGPGIN,
		 (uint64_t)total * e->m.page_size / 1024);
	r->merged = write && joins_plug(e, d, pages[0], total);
	r->done = finish_time(e, d, write, total, r->merged);
	d->in_flight += !r->merged;
	rc_timer_add(e, r->done, RC_TIMER_IO, id, 0);
	if (!r->merged)
		rc_this_cpu(e)->now += e->m.costs.io_submit;
	return id;
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
	if (!r->merged) {
		d->in_flight--;
		rc_wake_one(e, &d->full);
	}
	if (r->write)
		rc_wake_all(e, &e->writeback_wait);
	r->next_free = e->free_request;
	e->free_request = request;
}

uint32_t rc_file_device(const struct reclaim_engine *e, uint32_t file)
{
	return e->file_device && file < e->nr_file_device ? e->file_device[file] : 0;
}
