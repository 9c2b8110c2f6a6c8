/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * io.h - block devices, swap slots and writeback
 */
#ifndef RECLAIM_IO_H
#define RECLAIM_IO_H

#include "actor.h"

/* The slots of the swap device, 1..nr. */
struct rc_slots {
	uint32_t nr, in_use;
	uint64_t *used;	 /* a bit each */
	uint32_t lowest; /* none below is free */
	uint32_t next, cluster_left;
	bool scarce;
	uint16_t *cluster_used;
	uint32_t *free_clusters, first_free, nr_free_clusters, nr_clusters; /* a ring */
	/* Of pages in swap: the slot of a logical page, and the page of a slot. */
	struct rc_table of_page, owner;
};

struct rc_request {
	uint32_t nr, nr_pages;
	uint32_t next_free; /* while it is plugged: the next of the plug */
	uint8_t device;
	uint8_t wbt_class; /* whose token it holds */
	bool write;
	uint32_t end_slot; /* a write to swap: the slot behind it */
	int64_t issued, done;
	uint32_t pages[RC_MAX_IO_PAGES];
};

#define RC_WBT_CLASSES	 2
#define RC_WBT_UNTRACKED UINT8_MAX

struct rc_wbt {
	int step; /* below 0: more than the default depth */
	bool at_most;
	uint32_t max_depth, normal, background;
	uint32_t in_flight[RC_WBT_CLASSES];
	struct rc_waitq wait[RC_WBT_CLASSES];
	int64_t read_at;   /* when a read was last submitted or done */
	int64_t paused_at; /* when a writer was last paused at the dirty limits */
	uint32_t first_read;
	int64_t first_read_at;
	/* The window that is looked at. */
	bool armed;
	int64_t window_ns, read_min;
	uint32_t reads, writes, unknown;
};

struct rc_device {
	struct reclaim_device_desc desc;
	int64_t bus[2]; /* when the read and the write side are free */
	int64_t server[2][64];
	uint32_t in_flight;
	struct rc_waitq full;
	struct rc_wbt wbt;
};

/* ---- device.c, writeback.c, swap.c ---- */

/* Queue an I/O for pages; returns the request number. Pages of a read are locked until it is done.
 */
uint32_t rc_io_submit(struct reclaim_engine *e, uint32_t device, bool write, const uint32_t *pages,
		      uint32_t nr);
/* Write pages of a file; waits until the kernel lets the writer and the queue has room. */
void rc_io_write(struct reclaim_engine *e, uint32_t device, enum rc_write_kind kind,
		 const uint32_t *pages, uint32_t nr);
/* Write a page to its swap slot; it waits in the actor's plug. */
void rc_io_swap_out(struct reclaim_engine *e, uint32_t page);
/* Issue what waits in the plug of @a. */
void rc_plug_flush(struct reclaim_engine *e, struct rc_actor *a);
void rc_io_done(struct reclaim_engine *e, uint32_t request);
int64_t rc_io_when(const struct reclaim_engine *e, uint32_t request);
uint32_t rc_file_device(const struct reclaim_engine *e, uint32_t file);
void rc_dirty_page(struct reclaim_engine *e, uint32_t page);
void rc_clean_page(struct reclaim_engine *e, uint32_t page);
void rc_write_page(struct reclaim_engine *e, uint32_t page);
void rc_flusher_main(struct reclaim_engine *e, struct rc_actor *a);
void rc_flusher_wake(struct reclaim_engine *e, uint64_t pages);
/* The dirty limits were set: they are in force at once. */
void rc_dirty_limits_set(struct reclaim_engine *e);
void rc_dirty_limits(const struct reclaim_engine *e, const struct rc_actor *a, uint64_t *background,
		     uint64_t *limit);
/* Hold a task that dirties to the limits. RC_AGAIN when it has to wait and cannot. */
int rc_balance_dirty(struct reclaim_engine *e, struct rc_actor *a, uint32_t pages);
bool rc_swap_available(const struct reclaim_engine *e);
bool rc_swap_reserve(struct reclaim_engine *e, uint32_t page);
void rc_swap_release(struct reclaim_engine *e, uint32_t page);
void rc_swap_setup(struct reclaim_engine *e);
/* A page with a name goes to its slot; false without memory. */
bool rc_swap_evict(struct reclaim_engine *e, const struct rc_page *p);
/* Drop the swap entry of a logical page that is not in memory. */
void rc_swap_drop(struct reclaim_engine *e, uint32_t index, uint64_t entry);
/* A page is touched that may have been read ahead. */
void rc_swap_hit(struct reclaim_engine *e, struct rc_actor *a, struct rc_page *p);

/* Fault a swapped-out logical page in and queue its read. 0, -ENOMEM, RC_AGAIN. */
int rc_swap_in(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d);
/* Write up to @max dirty pages of @file (RC_NONE: any), oldest first; 0: nothing dirty. */
uint32_t rc_write_some(struct reclaim_engine *e, uint32_t file, uint32_t max,
		       enum rc_write_kind kind);

/* ---- slots.c ---- */

int rc_slots_init(struct reclaim_engine *e);
void rc_slots_free(struct reclaim_engine *e);
/* The first of @nr slots in a row, nr a power of two; 0: none. */
uint32_t rc_slot_get(struct reclaim_engine *e, uint32_t nr);
void rc_slot_put(struct reclaim_engine *e, uint32_t slot, uint32_t nr);

/* ---- wbt.c ---- */

void rc_wbt_init(struct rc_device *d);
/* Wait for a token; returns the class that has to get it back, or RC_WBT_UNTRACKED. */
uint8_t rc_wbt_wait(struct reclaim_engine *e, struct rc_device *d, bool swap,
		    enum rc_write_kind kind);
/* A writer to this device was paused at the dirty limits. */
void rc_wbt_paused(struct reclaim_engine *e, struct rc_device *d);
void rc_wbt_issue(struct reclaim_engine *e, struct rc_device *d, uint32_t request);
void rc_wbt_done(struct reclaim_engine *e, struct rc_device *d, uint32_t request);
void rc_wbt_timer(struct reclaim_engine *e, uint32_t device);

#endif
