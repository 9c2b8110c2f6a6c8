/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device.h - a disk that serves one request after another
 *
 * A request of n pages starts when the one before it is done and takes fixed + n x page ns, which
 * differ for reads and writes. Its
 * completion runs in interrupt context at that time. Who writes waits while as many requests as the
 * disk takes at once (depth) are under way: without that, all of memory could be under writeback.
 */
#ifndef RECLAIMLAB_REPLAY_DEVICE_H
#define RECLAIMLAB_REPLAY_DEVICE_H

#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#define IO_FOLIOS 64

struct replay_device {
	spinlock_t lock;
	ktime_t busy_until;
	unsigned int in_flight;
	wait_queue_head_t full;
	unsigned int read_ns, write_ns, read_page_ns, write_page_ns, depth;
};

/* A request in flight; lives in host memory and is used again. */
struct replay_io {
	struct hrtimer timer;
	struct replay_io *free;
	struct replay_device *device;
	void (*done)(struct replay_io *io);
	void *context;
	bool write;
	unsigned int nr;
	struct folio *folios[IO_FOLIOS];
};

/* The disk under the files, and the swap disk. Their times are parameters of the driver. */
extern struct replay_device replay_file_disk;
extern struct replay_device replay_swap_disk;

/* An empty request, or NULL when the host has no memory. */
struct replay_io *replay_io_get(void);

/* Queue @io, which covers @pages; io->done is called and @io is given back when it is finished. */
void replay_io_submit(struct replay_device *device, struct replay_io *io, unsigned int pages);

/* Wait until the disk takes one more request. Process context. */
void replay_device_wait(struct replay_device *device);

int replay_swapdisk_init(void);

#endif
