/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/base/clock.h"
#include "capture/record/names.h"
#include "capture/record/session.h"

#define POLL_MS	  50
#define SETTLE_US 1000 /* an event is stamped a moment before it can be read */
#define GROWTH	  (256u << 10)

/* Pages of one CPU. */
struct part {
	char *data;
	size_t size, room;
};

/* What was read from the end of the look before to its own. */
struct look {
	struct part *part; /* one a CPU */
	size_t bytes;
};

struct watch {
	struct record_options options;
	struct session session;
	struct pollfd *pipe; /* one a CPU */
	struct look look[WATCH_LOOKS];
	unsigned int now; /* the look that is being filled */
	size_t bytes;	  /* of all looks */
	uint64_t begun;
	pthread_t thread;
	bool started;
	pthread_mutex_t lock; /* of the look that is being filled */
	atomic_bool stop;
	char path[PATH_MAX];
};

static bool part_grow(struct part *part, size_t page_size)
{
	char *data;

	if (part->room - part->size >= page_size)
		return true;
	data = realloc(part->data, part->room + GROWTH);
	if (!data)
		return false;
	part->data = data;
	part->room += GROWTH;
	return true;
}

/* All that the CPU's buffer holds. Where no memory is left it stays there, and overruns. */
static void read_cpu(struct watch *w, unsigned int cpu)
{
	size_t page_size = w->session.meta.page_size;
	struct look *look = &w->look[w->now];
	struct part *part = &look->part[cpu];

	while (w->bytes < WATCH_BYTES && part_grow(part, page_size)) {
		ssize_t n = read(w->pipe[cpu].fd, part->data + part->size, page_size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		memset(part->data + part->size + n, 0, page_size - (size_t)n);
		part->size += page_size;
		look->bytes += page_size;
		w->bytes += page_size;
	}
}

static void *thread_main(void *arg)
{
	struct watch *w = arg;

	rec_instance_ignore(&w->session.inst, syscall(SYS_gettid), NULL);
	while (!atomic_load(&w->stop)) {
		bool any = false;

		if (poll(w->pipe, w->session.cpus, POLL_MS) <= 0)
			continue;
		pthread_mutex_lock(&w->lock);
		for (unsigned int i = 0; i < w->session.cpus; i++) {
			if (!(w->pipe[i].revents & POLLIN))
				continue;
			read_cpu(w, i);
			any = true;
		}
		pthread_mutex_unlock(&w->lock);
		if (!any) /* no buffer: a CPU that was never online */
			usleep(POLL_MS * 1000);
	}
	return NULL;
}

static void forget(struct watch *w, struct look *look)
{
	for (unsigned int i = 0; i < w->session.cpus; i++) {
		free(look->part[i].data);
		memset(&look->part[i], 0, sizeof(look->part[i]));
	}
	w->bytes -= look->bytes;
	look->bytes = 0;
}

/* Go on to the next look, in the place of the oldest; more of them go where memory runs out. */
static void rotate(struct watch *w)
{
	w->now = (w->now + 1) % WATCH_LOOKS;
	forget(w, &w->look[w->now]);
	for (unsigned int i = 1; i < WATCH_LOOKS && w->bytes > WATCH_BYTES / 2; i++)
		forget(w, &w->look[(w->now + i) % WATCH_LOOKS]);
}

static int write_all(int fd, const char *data, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t n = pwrite(fd, data, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		data += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* The looks that are kept, oldest first, over what the file held before. */
static int write_looks(struct watch *w, int fd, struct rl_msg *msg)
{
	const struct drain_target *target = workfile_target(w->session.file);
	int ret = 0;

	for (unsigned int cpu = 0; cpu < w->session.cpus && !ret; cpu++) {
		uint64_t size = 0;

		for (unsigned int i = 1; i <= WATCH_LOOKS && !ret; i++) {
			const struct part *part = &w->look[(w->now + i) % WATCH_LOOKS].part[cpu];

			ret = write_all(fd, part->data, part->size, target->region[cpu] + size);
			size += part->size;
		}
		__atomic_store_n(&target->size[cpu], size, __ATOMIC_RELEASE);
	}
	return ret ? rl_fail_errno(msg, -ret, "%s", w->path) : 0;
}

static int write_file(struct watch *w, struct rl_msg *msg)
{
	struct meta_text names = { 0 };
	int fd = open(w->path, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return rl_fail_errno(msg, errno, "%s", w->path);
	ret = write_looks(w, fd, msg);
	close(fd);
	if (!ret)
		ret = names_read(&w->session.inst, &names, msg);
	if (!ret)
		ret = workfile_names(w->session.file, &names, msg);
	if (!ret)
		ret = workfile_update(w->session.file, msg);
	free(names.data);
	return ret;
}

int watch_look(struct watch *w, struct watch_look *look, struct rl_msg *msg)
{
	struct session *s = &w->session;
	int ret;

	if (!rec_instance_tracing(&s->inst))
		return rl_fail(msg, ECANCELED, "another program switched tracing off");
	sampler_lines(s->sampler, "events", "-", s->enabled, s->enabled_len);
	sampler_base(s->sampler);
	look->path = w->path;
	look->begin = w->begun;
	look->end = rl_now_ns();
	w->begun = look->end;
	usleep(SETTLE_US);
	pthread_mutex_lock(&w->lock);
	for (unsigned int i = 0; i < s->cpus; i++)
		read_cpu(w, i);
	pthread_mutex_unlock(&w->lock);
	ret = write_file(w, msg);
	pthread_mutex_lock(&w->lock);
	rotate(w);
	pthread_mutex_unlock(&w->lock);
	return ret;
}

static int open_pipes(struct watch *w, struct rl_msg *msg)
{
	unsigned int cpus = w->session.cpus;

	w->pipe = calloc(cpus, sizeof(*w->pipe));
	if (!w->pipe)
		return rl_fail(msg, ENOMEM, "out of memory");
	for (unsigned int i = 0; i < cpus; i++)
		w->pipe[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	for (unsigned int i = 0; i < cpus; i++) {
		char file[64];

		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", i);
		w->pipe[i].fd = tracefs_instance_file_open(w->session.inst.tracefs, file,
							   O_RDONLY | O_NONBLOCK);
		if (w->pipe[i].fd < 0)
			return rl_fail_errno(msg, errno ? errno : EIO, "%s", file);
	}
	return 0;
}

static int allocate(struct watch *w, struct rl_msg *msg)
{
	for (unsigned int i = 0; i < WATCH_LOOKS; i++) {
		w->look[i].part = calloc(w->session.cpus, sizeof(*w->look[i].part));
		if (!w->look[i].part)
			return rl_fail(msg, ENOMEM, "out of memory");
	}
	return 0;
}

static int start(struct watch *w, struct rl_msg *msg)
{
	const char *output = w->options.output, *slash = strrchr(output, '/');
	int err;

	snprintf(w->path, sizeof(w->path), "%.*s%s", slash ? (int)(slash + 1 - output) : 0, output,
		 workfile_temp_name(w->session.file));
	err = pthread_create(&w->thread, NULL, thread_main, w);
	if (err)
		return rl_fail_errno(msg, err, "a thread cannot be started");
	w->started = true;
	w->begun = rl_now_ns();
	return session_begin(&w->session, msg);
}

int watch_open(const struct record_options *options, struct watch **out, struct rl_msg *msg)
{
	struct watch *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return rl_fail(msg, ENOMEM, "out of memory");
	pthread_mutex_init(&w->lock, NULL);
	w->options = *options;
	w->options.file_version = 6;
	w->options.clock = "mono";
	w->options.command = NULL;
	w->options.max_bytes = (uint64_t)sysconf(_SC_NPROCESSORS_CONF) * 2 * WATCH_BYTES;
	w->session = (struct session){ .options = &w->options,
				       .inst.lock = -1,
				       .command = REC_COMMAND_NONE };
	ret = session_open(&w->session, msg);
	if (!ret)
		ret = allocate(w, msg);
	if (!ret)
		ret = open_pipes(w, msg);
	if (!ret)
		ret = start(w, msg);
	if (ret) {
		watch_close(w);
		return ret;
	}
	*out = w;
	return 0;
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	atomic_store(&w->stop, true);
	if (w->started)
		pthread_join(w->thread, NULL);
	for (unsigned int i = 0; w->pipe && i < w->session.cpus; i++)
		if (w->pipe[i].fd >= 0)
			close(w->pipe[i].fd);
	for (unsigned int i = 0; i < WATCH_LOOKS; i++) {
		if (w->look[i].part)
			forget(w, &w->look[i]);
		free(w->look[i].part);
	}
	free(w->pipe);
	session_close(&w->session);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
