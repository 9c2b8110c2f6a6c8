/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/condition.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/base/clock.h"
#include "capture/read/ring.h"
#include "capture/record/instance.h"
#include "capture/vocabulary/vocabulary.h"

#define WATCH_KB    64	 /* ring buffer a CPU */
#define EVENTS_MAX  8192 /* that wait for their turn */
#define STALLS_MAX  4096 /* that go on at a time */
#define US_PER_S    1000000
#define PSI_TEXT    256
#define LONG_STALLS 4 /* a stall of so many times the threshold, and a second, need not end */

enum stall_kind { STALL_DIRECT, STALL_MEMCG };

struct watched_event {
	enum vocab_id id;
	bool stall;
};

static const struct watched_event watched[] = {
	{ VOCAB_mm_vmscan_direct_reclaim_begin, true },
	{ VOCAB_mm_vmscan_direct_reclaim_end, true },
	{ VOCAB_mm_vmscan_memcg_reclaim_begin, true },
	{ VOCAB_mm_vmscan_memcg_reclaim_end, true },
	{ VOCAB_mm_vmscan_throttled, false },
};

#define NR_WATCHED (sizeof(watched) / sizeof(watched[0]))

/* What is kept of an event until its turn. */
struct happening {
	uint64_t ts;
	int32_t pid;
	uint16_t id;
	int64_t delayed, timeout; /* us, of a throttle */
};

struct stall {
	uint64_t begin;
	int32_t pid;
	enum stall_kind kind;
};

struct conditions {
	struct condition_options options;
	struct ring_layout layout;
	struct rec_instance inst;
	struct vocab_binder *binder;
	int *pipe; /* one a CPU */
	uint8_t *page;
	unsigned int nr_events;
	struct happening event[EVENTS_MAX];
	unsigned int nr_stalls;
	struct stall stall[STALLS_MAX];
	uint64_t horizon; /* events up to here are there from all CPUs */
	uint64_t newest;
	bool holds;
	struct rl_msg why;
	int psi;
	uint64_t psi_at, psi_total; /* ns, us */
};

static bool wants(const struct conditions *c, const struct watched_event *event)
{
	return event->stall ? c->options.stall_ns > 0 : c->options.throttle;
}

static const struct meta_format *find_format(const struct trace_meta *meta,
					     const struct vocab_entry *entry)
{
	for (unsigned int i = 0; i < meta->nr_formats; i++)
		if (!strcmp(meta->format[i].system, entry->system) &&
		    !strcmp(meta->format[i].name, entry->name))
			return &meta->format[i];
	return NULL;
}

static int watch_event(struct conditions *c, const struct trace_meta *meta, enum vocab_id id,
		       struct rl_msg *msg)
{
	const struct vocab_entry *entry = vocab_entry(id);
	const struct meta_format *format = find_format(meta, entry);
	int ret;

	if (!format)
		return rl_fail(msg, ENOENT,
			       "this kernel has no event %s:%s, which the condition needs",
			       entry->system, entry->name);
	ret = vocab_binder_add(c->binder, format->system, format->text.data, format->text.size,
			       msg);
	return ret ? ret : rec_instance_enable(&c->inst, entry->system, entry->name, NULL, msg);
}

static int open_pipes(struct conditions *c, struct rl_msg *msg)
{
	for (unsigned int i = 0; i < c->options.cpus; i++) {
		c->pipe[i] = rec_instance_pipe(&c->inst, i, msg);
		if (c->pipe[i] < 0)
			return c->pipe[i];
	}
	return 0;
}

static int open_instance(struct conditions *c, const struct trace_meta *meta, struct rl_msg *msg)
{
	int ret = rec_instance_open(&c->inst, "-watch", msg);

	if (!ret)
		ret = rec_instance_clock(&c->inst, c->options.clock, msg);
	if (!ret)
		ret = rec_instance_buffer(&c->inst, WATCH_KB, msg);
	if (!ret)
		rec_instance_ignore(&c->inst, (pid_t)syscall(SYS_gettid), NULL);
	for (size_t i = 0; i < NR_WATCHED && !ret; i++)
		if (wants(c, &watched[i]))
			ret = watch_event(c, meta, watched[i].id, msg);
	if (!ret)
		ret = open_pipes(c, msg);
	return ret ? ret : rec_instance_on(&c->inst, true, msg);
}

/* Microseconds in which all tasks stalled; false where the file does not say. */
static bool read_psi(int fd, uint64_t *total)
{
	char text[PSI_TEXT];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	const char *full, *value;

	if (n <= 0)
		return false;
	text[n] = '\0';
	full = strstr(text, "full ");
	value = full ? strstr(full, "total=") : NULL;
	if (!value)
		return false;
	*total = strtoull(value + 6, NULL, 10);
	return true;
}

static int open_psi(struct conditions *c, struct rl_msg *msg)
{
	c->psi = open("/proc/pressure/memory", O_RDONLY | O_CLOEXEC);
	if (c->psi < 0 || !read_psi(c->psi, &c->psi_total))
		return rl_fail(msg, ENOENT,
			       "/proc/pressure/memory: this kernel has no PSI (CONFIG_PSI, psi=1)");
	c->psi_at = rl_now_ns();
	return 0;
}

int conditions_open(const struct condition_options *options, const struct trace_meta *meta,
		    struct conditions **out, struct rl_msg *msg)
{
	struct conditions *c = calloc(1, sizeof(*c));
	int ret = 0;

	if (!c)
		return rl_fail(msg, ENOMEM, "out of memory");
	c->options = *options;
	c->inst.lock = -1;
	c->psi = -1;
	c->binder = vocab_binder_new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long));
	c->pipe = malloc(options->cpus * sizeof(*c->pipe));
	c->page = aligned_alloc(4096, options->page_size);
	if (!c->binder || !c->pipe || !c->page)
		ret = rl_fail(msg, ENOMEM, "out of memory");
	for (unsigned int i = 0; c->pipe && i < options->cpus; i++)
		c->pipe[i] = -1;
	if (!ret)
		ret = ring_layout_parse(&c->layout, meta->header_page.data, meta->header_page.size,
					__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, msg);
	c->layout.page_size = options->page_size;
	if (!ret && (options->stall_ns || options->throttle))
		ret = open_instance(c, meta, msg);
	if (!ret && options->psi)
		ret = open_psi(c, msg);
	if (ret) {
		conditions_close(c);
		return ret;
	}
	*out = c;
	return 0;
}

const char *conditions_instance(const struct conditions *c)
{
	return c->inst.tracefs ? c->inst.name : NULL;
}

static void task_name(int32_t pid, char *name, size_t size)
{
	struct meta_text text;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (meta_read_file(path, 64, &text, NULL)) {
		snprintf(name, size, "task %d", pid);
		return;
	}
	snprintf(name, size, "%.*s (%d)", (int)strcspn(text.data, "\n"), text.data, pid);
	free(text.data);
}

/* The first condition of a round is the one that is told. */
static void hold(struct conditions *c, int32_t pid, const char *fmt, uint64_t ns, bool memcg)
{
	char name[64];

	if (c->holds)
		return;
	c->holds = true;
	task_name(pid, name, sizeof(name));
	snprintf(c->why.text, sizeof(c->why.text), fmt, name, (double)ns / 1e6,
		 memcg ? " at the limit of its cgroup" : "");
}

static struct stall *find_stall(struct conditions *c, int32_t pid, enum stall_kind kind)
{
	for (unsigned int i = 0; i < c->nr_stalls; i++)
		if (c->stall[i].pid == pid && c->stall[i].kind == kind)
			return &c->stall[i];
	return NULL;
}

static void end_stall(struct conditions *c, struct stall *stall)
{
	*stall = c->stall[--c->nr_stalls];
}

static void begin(struct conditions *c, const struct happening *h, enum stall_kind kind)
{
	struct stall *stall = find_stall(c, h->pid, kind);

	if (!stall && c->nr_stalls < STALLS_MAX)
		stall = &c->stall[c->nr_stalls++];
	if (stall)
		*stall = (struct stall){ .begin = h->ts, .pid = h->pid, .kind = kind };
}

static void end(struct conditions *c, const struct happening *h, enum stall_kind kind)
{
	struct stall *stall = find_stall(c, h->pid, kind);

	if (!stall)
		return;
	if (h->ts - stall->begin >= c->options.stall_ns)
		hold(c, h->pid, "%s stalled for %.1f ms in direct reclaim%s", h->ts - stall->begin,
		     kind == STALL_MEMCG);
	end_stall(c, stall);
}

static void look(struct conditions *c, const struct happening *h)
{
	switch (h->id) {
	case VOCAB_mm_vmscan_direct_reclaim_begin:
		begin(c, h, STALL_DIRECT);
		break;
	case VOCAB_mm_vmscan_direct_reclaim_end:
		end(c, h, STALL_DIRECT);
		break;
	case VOCAB_mm_vmscan_memcg_reclaim_begin:
		begin(c, h, STALL_MEMCG);
		break;
	case VOCAB_mm_vmscan_memcg_reclaim_end:
		end(c, h, STALL_MEMCG);
		break;
	default:
		if (h->timeout > 0 && h->delayed >= h->timeout)
			hold(c, h->pid, "%s was throttled for the full time, %.1f ms%s",
			     (uint64_t)h->delayed * 1000, false);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;

	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

/* Look at the events up to @until and keep the others. */
static void take_until(struct conditions *c, uint64_t until)
{
	unsigned int n = 0;

	qsort(c->event, c->nr_events, sizeof(c->event[0]), by_time);
	while (n < c->nr_events && c->event[n].ts <= until)
		look(c, &c->event[n++]);
	memmove(c->event, c->event + n, (c->nr_events - n) * sizeof(c->event[0]));
	c->nr_events -= n;
}

static void keep(struct conditions *c, const struct event *ev, uint64_t ts)
{
	struct happening *h;

	if (c->nr_events == EVENTS_MAX)
		take_until(c, UINT64_MAX);
	h = &c->event[c->nr_events++];
	*h = (struct happening){ .ts = ts, .pid = ev->pid, .id = ev->id };
	if (ev->id == VOCAB_mm_vmscan_throttled) {
		h->delayed = event_value(ev, mm_vmscan_throttled_usec_delayed, 0);
		h->timeout = event_value(ev, mm_vmscan_throttled_usec_timeout, 0);
	}
	if (ts > c->newest)
		c->newest = ts;
}

static void take_page(struct conditions *c, size_t size)
{
	struct ring_cursor cursor;
	int64_t missed;

	memset(c->page + size, 0, c->options.page_size - size);
	if (!ring_open_page(&cursor, &c->layout, c->page, &missed))
		return;
	while (ring_step(&cursor) == RING_RECORD) {
		int type = vocab_record_type(c->binder, cursor.data, cursor.size);
		const struct vocab_bound *bound =
			type < 0 ? NULL : vocab_bound_by_type(c->binder, (uint16_t)type);
		struct event ev;

		if (bound && !vocab_decode(c->binder, bound, cursor.data, cursor.size, &ev))
			keep(c, &ev, cursor.stamp);
	}
}

static bool read_cpus(struct conditions *c)
{
	bool any = false;

	for (unsigned int i = 0; i < c->options.cpus; i++) {
		ssize_t n;

		while ((n = read(c->pipe[i], c->page, c->options.page_size)) > 0) {
			take_page(c, (size_t)n);
			any = true;
		}
	}
	return any;
}

/* One that does not end must not keep the others from being told. */
static void look_at_long_stalls(struct conditions *c)
{
	uint64_t most = LONG_STALLS * c->options.stall_ns + RL_NS_PER_S;
	uint64_t now = rl_now_ns();

	for (unsigned int i = 0; i < c->nr_stalls; i++) {
		struct stall *stall = &c->stall[i];

		if (now <= stall->begin || now - stall->begin < most)
			continue;
		hold(c, stall->pid, "%s has stalled for %.1f ms in direct reclaim%s by now",
		     now - stall->begin, stall->kind == STALL_MEMCG);
		end_stall(c, stall);
		return;
	}
}

static void look_at_psi(struct conditions *c)
{
	uint64_t now = rl_now_ns(), total, percent;

	if (now - c->psi_at < RL_NS_PER_S || !read_psi(c->psi, &total))
		return;
	percent = (total - c->psi_total) * 1000 * 100 / (now - c->psi_at);
	c->psi_at = now;
	c->psi_total = total;
	if (percent < c->options.psi || c->holds)
		return;
	c->holds = true;
	snprintf(c->why.text, sizeof(c->why.text),
		 "all tasks waited for memory in %u %% of the last second", (unsigned int)percent);
}

bool conditions_check(struct conditions *c, struct rl_msg *why)
{
	c->holds = false;
	if (c->inst.tracefs) {
		bool any = read_cpus(c);

		take_until(c, any ? c->horizon : UINT64_MAX);
		c->horizon = c->newest;
		if (c->options.stall_ns && !strcmp(c->options.clock, "mono"))
			look_at_long_stalls(c);
	}
	if (c->psi >= 0)
		look_at_psi(c);
	if (c->holds)
		*why = c->why;
	return c->holds;
}

void conditions_close(struct conditions *c)
{
	if (!c)
		return;
	for (unsigned int i = 0; c->pipe && i < c->options.cpus; i++)
		if (c->pipe[i] >= 0)
			close(c->pipe[i]);
	rec_instance_close(&c->inst);
	if (c->psi >= 0)
		close(c->psi);
	vocab_binder_free(c->binder);
	free(c->pipe);
	free(c->page);
	free(c);
}
