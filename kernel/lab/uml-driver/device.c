// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include "device.h"
#include "host.h"

#define POOL_STEP 64

struct replay_device replay_file_disk = {
	.lock = __SPIN_LOCK_UNLOCKED(replay_file_disk.lock),
	.full = __WAIT_QUEUE_HEAD_INITIALIZER(replay_file_disk.full),
	.read_ns = 50000,
	.depth = 128,
};

struct replay_device replay_swap_disk = {
	.lock = __SPIN_LOCK_UNLOCKED(replay_swap_disk.lock),
	.full = __WAIT_QUEUE_HEAD_INITIALIZER(replay_swap_disk.full),
	.read_page_ns = 100000,
	.write_page_ns = 100000,
	.depth = 128,
};

#define DEVICE_PARAM(name, field)                                                                  \
	module_param_named(name##_##field, replay_##name##_disk.field, uint, 0644)

DEVICE_PARAM(file, read_ns);
DEVICE_PARAM(file, write_ns);
DEVICE_PARAM(file, read_page_ns);
DEVICE_PARAM(file, write_page_ns);
DEVICE_PARAM(file, depth);
DEVICE_PARAM(swap, read_ns);
DEVICE_PARAM(swap, write_ns);
DEVICE_PARAM(swap, read_page_ns);
DEVICE_PARAM(swap, write_page_ns);
DEVICE_PARAM(swap, depth);

static struct replay_io *pool;
static DEFINE_SPINLOCK(pool_lock);

static void pool_put(struct replay_io *io)
{
	unsigned long flags;

	spin_lock_irqsave(&pool_lock, flags);
	io->free = pool;
	pool = io;
	spin_unlock_irqrestore(&pool_lock, flags);
}

static enum hrtimer_restart io_finished(struct hrtimer *timer)
{
	struct replay_io *io = container_of(timer, struct replay_io, timer);
	struct replay_device *device = io->device;
	unsigned long flags;

	io->done(io);
	spin_lock_irqsave(&device->lock, flags);
	device->in_flight--;
	spin_unlock_irqrestore(&device->lock, flags);
	wake_up(&device->full);
	pool_put(io);
	return HRTIMER_NORESTART;
}

static bool pool_grow(void)
{
	struct replay_io *ios = replay_host_alloc(POOL_STEP * sizeof(*ios));
	int i;

	if (!ios)
		return false;
	for (i = 0; i < POOL_STEP; i++) {
		hrtimer_init(&ios[i].timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
		ios[i].timer.function = io_finished;
		pool_put(&ios[i]);
	}
	return true;
}

static struct replay_io *pool_get(void)
{
	struct replay_io *io;
	unsigned long flags;

	spin_lock_irqsave(&pool_lock, flags);
	io = pool;
	if (io)
		pool = io->free;
	spin_unlock_irqrestore(&pool_lock, flags);
	return io;
}

struct replay_io *replay_io_get(void)
{
	struct replay_io *io = pool_get();

	while (!io && pool_grow())
		io = pool_get();
	if (io) {
		io->nr = 0;
		io->write = false;
		io->context = NULL;
	}
	return io;
}

void replay_io_submit(struct replay_device *device, struct replay_io *io, unsigned int pages)
{
	u64 ns = io->write ? device->write_ns + (u64)pages * device->write_page_ns
			   : device->read_ns + (u64)pages * device->read_page_ns;
	unsigned long flags;
	ktime_t now = ktime_get();
	ktime_t finish;

	spin_lock_irqsave(&device->lock, flags);
	finish = ktime_add_ns(max(now, device->busy_until), ns);
	device->busy_until = finish;
	device->in_flight++;
	spin_unlock_irqrestore(&device->lock, flags);
	io->device = device;
	hrtimer_start(&io->timer, finish, HRTIMER_MODE_ABS);
}

void replay_device_wait(struct replay_device *device)
{
	wait_event(device->full, !device->depth || READ_ONCE(device->in_flight) < device->depth);
}
