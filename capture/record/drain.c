/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/base/clock.h"

#define DRAIN_STACK   (64 * 1024)
#define DRAIN_BLOCK   (256 * 1024)
#define DRAIN_POLL_MS 200
#define DRAIN_NICE    (-20)	  /* of each thread, where it has no real-time priority */
#define DRAIN_HOLD_NS RL_NS_PER_S /* what a killed recorder may lose */

struct drain_thread {
	struct drain *drain;
	pthread_t thread;
	bool started;
	bool once; /* of a flight recorder */
	unsigned int cpu;
	int pipe;
	char *block;
	size_t filled;
	uint64_t written;
	uint64_t lost;	/* events, since the buffer was last empty */
	uint64_t worst; /* the most that this was */
	int error;
	struct rl_msg msg;
};

struct drain {
	struct drain_options options;
	const struct drain_target *target;
	struct rec_instance *inst;
	atomic_bool stop;
	atomic_int error;
	atomic_uint ready;
	struct drain_thread thread[];
};

/* Start write-back of the block now and drop it once the next one is on its way. */
static void drop_written(struct drain_thread *t, uint64_t offset, size_t len)
{
	int fd = t->drain->target->fd;

	sync_file_range(fd, offset, len,
			SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				SYNC_FILE_RANGE_WAIT_AFTER);
	posix_fadvise(fd, offset, len, POSIX_FADV_DONTNEED);
}

static int flush_block(struct drain_thread *t)
{
	const struct drain_target *o = t->drain->target;
	uint64_t offset = o->region[t->cpu] + t->written;
	size_t done = 0;
	int ret = 0;

	if (t->written + t->filled > o->region_size)
		return rl_fail(&t->msg, EFBIG, "the size given for the recording is reached");
	while (done < t->filled) {
		ssize_t n = pwrite(o->fd, t->block + done, t->filled - done, offset + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			ret = rl_fail_errno(&t->msg, n ? errno : ENOSPC,
					    "writing the trace of cpu %u", t->cpu);
			break;
		}
		done += n;
	}
	if (!o->direct)
		drop_written(t, offset, done);
	t->written += done - done % t->drain->options.layout.page_size;
	t->filled = 0;
	__atomic_store_n(&o->size[t->cpu], t->written, __ATOMIC_RELEASE);
	return ret;
}

static void count_lost(struct drain_thread *t, const char *page)
{
	struct ring_cursor cursor;
	int64_t missed;

	if (!ring_open_page(&cursor, &t->drain->options.layout, (const uint8_t *)page, &missed) ||
	    missed <= 0)
		return;
	t->lost += (uint64_t)missed;
	if (t->lost > t->worst)
		t->worst = t->lost;
}

/* What was overwritten before the first page that is kept is no loss. */
static void clear_missed(const struct ring_layout *layout, char *page)
{
	uint64_t commit64;
	uint32_t commit32;

	if (layout->commit_size == sizeof(commit64)) {
		memcpy(&commit64, page + layout->commit_at, sizeof(commit64));
		commit64 &= RING_COMMIT_MASK;
		memcpy(page + layout->commit_at, &commit64, sizeof(commit64));
	} else {
		memcpy(&commit32, page + layout->commit_at, sizeof(commit32));
		commit32 &= RING_COMMIT_MASK;
		memcpy(page + layout->commit_at, &commit32, sizeof(commit32));
	}
}

/* Read sub-buffers until @most were read or none is there. Returns 1 when there may be more. */
static int read_pages(struct drain_thread *t, unsigned int most)
{
	unsigned int page_size = t->drain->options.layout.page_size;
	int ret;

	while (most--) {
		ssize_t n = read(t->pipe, t->block + t->filled, page_size);

		if (n < 0 && errno == EINTR)
			continue;
		/* A CPU that was never online has no buffer yet. */
		if (n == 0 || (n < 0 && (errno == EAGAIN || errno == ENODEV))) {
			t->lost = 0;
			return 0;
		}
		if (n < 0)
			return rl_fail_errno(&t->msg, errno, "reading the trace of cpu %u", t->cpu);
		memset(t->block + t->filled + n, 0, page_size - n);
		if (t->once && !t->written && !t->filled)
			clear_missed(&t->drain->options.layout, t->block);
		count_lost(t, t->block + t->filled);
		t->filled += page_size;
		if (t->filled < DRAIN_BLOCK)
			continue;
		ret = flush_block(t);
		if (ret)
			return ret;
	}
	return 1;
}

static void thread_setup(struct drain_thread *t)
{
	struct drain *d = t->drain;
	cpu_set_t cpus;

	if (d->options.ignored)
		rec_instance_ignore(d->inst, syscall(SYS_gettid), NULL);
	CPU_ZERO(&cpus);
	CPU_SET(t->cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	if (d->options.realtime) {
		struct sched_param param = { .sched_priority = d->options.realtime };

		sched_setscheduler(0, SCHED_FIFO, &param);
	} else {
		setpriority(PRIO_PROCESS, 0, DRAIN_NICE);
	}
	atomic_fetch_add(&d->ready, 1);
}

/* Everything there is, also the page that the kernel is still filling, and out with it. */
static int read_all(struct drain_thread *t)
{
	int ret;

	do {
		ret = read_pages(t, DRAIN_BLOCK / t->drain->options.layout.page_size);
	} while (ret > 0);
	return !ret && t->filled ? flush_block(t) : ret;
}

static void *thread_main(void *arg)
{
	struct drain_thread *t = arg;
	struct drain *d = t->drain;
	struct pollfd pfd = { .fd = t->pipe, .events = POLLIN };
	unsigned int few = DRAIN_BLOCK / d->options.layout.page_size;
	uint64_t hold;
	int ret = 0;

	thread_setup(t);
	hold = rl_now_ns() + DRAIN_HOLD_NS;
	while (!atomic_load(&d->stop) && ret >= 0) {
		if (poll(&pfd, 1, DRAIN_POLL_MS) > 0) {
			if (pfd.revents & POLLIN)
				ret = read_pages(t, few);
			else /* no buffer: the CPU was never online */
				usleep(DRAIN_POLL_MS * 1000);
		}
		if (ret >= 0 && rl_now_ns() >= hold) {
			ret = read_all(t);
			hold = rl_now_ns() + DRAIN_HOLD_NS;
		}
	}
	if (ret >= 0)
		ret = read_all(t);
	if (ret < 0) {
		t->error = ret;
		atomic_store(&d->error, ret);
	}
	return NULL;
}

static int open_thread(struct drain *d, unsigned int cpu, struct rl_msg *msg)
{
	struct drain_thread *t = &d->thread[cpu];

	t->drain = d;
	t->cpu = cpu;
	t->pipe = rec_instance_pipe(d->inst, cpu, msg);
	if (t->pipe < 0)
		return t->pipe;
	t->block = mmap(NULL, DRAIN_BLOCK, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (t->block == MAP_FAILED) {
		t->block = NULL;
		return rl_fail(msg, ENOMEM, "no memory for the trace of cpu %u", cpu);
	}
	return 0;
}

int drain_open(struct rec_instance *inst, const struct drain_options *options, struct drain **out,
	       struct rl_msg *msg)
{
	struct drain *d;
	int ret = 0;

	d = calloc(1, sizeof(*d) + options->cpus * sizeof(d->thread[0]));
	if (!d)
		return rl_fail(msg, ENOMEM, "out of memory");
	d->options = *options;
	d->inst = inst;
	for (unsigned int i = 0; i < options->cpus; i++)
		d->thread[i].pipe = -1;
	for (unsigned int i = 0; i < options->cpus && !ret; i++)
		ret = open_thread(d, i, msg);
	if (ret) {
		drain_free(d);
		return ret;
	}
	*out = d;
	return 0;
}

int drain_start(struct drain *d, const struct drain_target *target, struct rl_msg *msg)
{
	pthread_attr_t attr;
	int err = 0;

	d->target = target;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, DRAIN_STACK);
	for (unsigned int i = 0; i < d->options.cpus && !err; i++) {
		err = pthread_create(&d->thread[i].thread, &attr, thread_main, &d->thread[i]);
		d->thread[i].started = !err;
	}
	pthread_attr_destroy(&attr);
	if (err)
		return rl_fail_errno(msg, err, "a thread for each cpu cannot be started");
	while (atomic_load(&d->ready) < d->options.cpus)
		usleep(1000);
	return 0;
}

int drain_once(struct drain *d, const struct drain_target *target, struct rl_msg *msg)
{
	int ret = 0;

	d->target = target;
	for (unsigned int i = 0; i < d->options.cpus && !ret; i++) {
		struct drain_thread *t = &d->thread[i];

		t->once = true;
		t->written = 0;
		t->filled = 0;
		ret = read_all(t);
		if (ret)
			*msg = t->msg;
	}
	return ret;
}

uint64_t drain_worst_loss(const struct drain *d, unsigned int cpu)
{
	return d->thread[cpu].worst;
}

int drain_error(struct drain *d, struct rl_msg *msg)
{
	int error = atomic_load(&d->error);

	for (unsigned int i = 0; error && i < d->options.cpus; i++) {
		if (d->thread[i].error == error) {
			*msg = d->thread[i].msg;
			break;
		}
	}
	return error;
}

static void join_threads(struct drain *d)
{
	atomic_store(&d->stop, true);
	for (unsigned int i = 0; i < d->options.cpus; i++) {
		if (d->thread[i].started)
			pthread_join(d->thread[i].thread, NULL);
		d->thread[i].started = false;
	}
}

int drain_stop(struct drain *d, struct rl_msg *msg)
{
	join_threads(d);
	return drain_error(d, msg);
}

void drain_free(struct drain *d)
{
	if (!d)
		return;
	join_threads(d);
	for (unsigned int i = 0; i < d->options.cpus; i++) {
		if (d->thread[i].pipe >= 0)
			close(d->thread[i].pipe);
		if (d->thread[i].block)
			munmap(d->thread[i].block, DRAIN_BLOCK);
	}
	free(d);
}
