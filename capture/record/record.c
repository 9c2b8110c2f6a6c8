/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/record.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/base/clock.h"
#include "capture/record/drain.h"
#include "capture/record/instance.h"
#include "capture/record/meta.h"
#include "capture/record/probe.h"
#include "capture/record/sampler.h"
#include "capture/record/summary.h"
#include "capture/record/workfile.h"

#define TICK_NS UINT64_C(10000000)

struct session {
	const struct record_options *options;
	void (*warn)(void *ctx, const char *line);
	void *ctx;
	struct rec_instance inst;
	struct probes *probes;
	struct trace_meta meta;
	struct workfile *file;
	struct sampler *sampler;
	struct summary *summary;
	struct drain *drain;
	unsigned int cpus;
	unsigned int buffer_kb;
	pid_t child;
	int child_go; /* closing it lets the child run */
	struct rusage before;
};

void record_options_init(struct record_options *options)
{
	memset(options, 0, sizeof(*options));
	options->output = "trace.dat";
	options->preset = PRESET_RECLAIM;
	options->clock = "mono";
	options->file_version = 7;
	options->sample_ms = 1000;
	options->fast_ms = 50;
	options->sample_pages = 1;
}

static void warn_line(struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void warn_line(struct session *s, const char *fmt, ...)
{
	struct rl_msg line;
	va_list ap;

	if (!s->warn)
		return;
	va_start(ap, fmt);
	vsnprintf(line.text, sizeof(line.text), fmt, ap);
	va_end(ap);
	s->warn(s->ctx, line.text);
}

/* A ring buffer a CPU that holds some seconds of the preset's events, and at most 1/64 of memory.
 */
static unsigned int default_buffer_kb(enum record_preset preset, unsigned int cpus)
{
	uint64_t memory_kb = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 1024;
	uint64_t most = memory_kb / 64 / cpus;
	uint64_t kb = preset <= PRESET_RECLAIM ? 1024 : 8192;

	if (kb > most)
		kb = most;
	return kb < 256 ? 256 : (unsigned int)kb;
}

/* The filter that keeps one in @sample_pages pages of an access event, or NULL. */
static const char *sample_filter(const struct record_options *o, const struct preset_event *event,
				 char *text, size_t size)
{
	switch (event->id) {
	case VOCAB_mm_filemap_fault:
	case VOCAB_mm_filemap_get_pages:
	case VOCAB_mm_filemap_map_pages:
		break;
	default:
		return event->filter;
	}
	if (o->sample_pages <= 1)
		return event->filter;
	snprintf(text, size, "!(index & %u)", o->sample_pages - 1);
	return text;
}

static int enable_preset(struct session *s, struct rl_msg *msg)
{
	const char *tracing = tracefs_tracing_dir();
	struct preset_names names;
	struct preset_event event;
	char filter[64];
	int ret;

	for (unsigned int i = 0; preset_event_at(tracing, s->options->preset, i, &event, &names);
	     i++) {
		if (event.state >= PRESET_REPLACED) {
			if (event.state == PRESET_ABSENT && s->options->preset != PRESET_ALL)
				warn_line(s, "this kernel has no event %s:%s: lost: %s",
					  event.system, event.name, event.cost);
			continue;
		}
		ret = rec_instance_enable(&s->inst, event.system, event.name,
					  sample_filter(s->options, &event, filter, sizeof(filter)),
					  msg);
		if (ret)
			return ret;
	}
	return 0;
}

static int enable_events(struct session *s, struct rl_msg *msg)
{
	const struct record_options *o = s->options;

	for (unsigned int i = 0; o->events && o->events[i]; i++) {
		const char *filter = o->filters ? o->filters[i] : NULL;
		char system[128];
		const char *colon;
		int ret;

		snprintf(system, sizeof(system), "%s", o->events[i]);
		colon = strchr(o->events[i], ':');
		system[strcspn(system, ":")] = '\0';
		ret = rec_instance_enable(&s->inst, system, colon ? colon + 1 : NULL, filter, msg);
		if (ret)
			return ret;
	}
	return 0;
}

/* Probes stand in where the kernel has no access events. */
static int enable_probes(struct session *s, struct rl_msg *msg)
{
	struct rl_msg why;
	int ret;

	if (s->options->preset < PRESET_ACCESS)
		return 0;
	ret = probes_open(&s->probes, s->warn, s->ctx, &why);
	if (ret) {
		warn_line(s, "%s: references and swap identity are not recorded", why.text);
		return 0;
	}
	for (unsigned int i = 0; probes_name(s->probes, i); i++) {
		ret = rec_instance_enable(&s->inst, PROBE_SYSTEM, probes_name(s->probes, i), NULL,
					  msg);
		if (ret)
			return ret;
	}
	return 0;
}

static int limit_tasks(struct session *s, struct rl_msg *msg)
{
	const pid_t *pids = s->options->pids;
	int ret = 0;

	if (pids && pids[0])
		ret = rec_instance_write(&s->inst, "options/event-fork", "1", msg);
	for (unsigned int i = 0; pids && pids[i] && !ret; i++)
		ret = rec_instance_only(&s->inst, pids[i], msg);
	return ret;
}

static int set_up_instance(struct session *s, struct rl_msg *msg)
{
	const struct record_options *o = s->options;
	int ret = rec_instance_open(&s->inst, msg);

	if (ret)
		return ret;
	ret = rec_instance_clock(&s->inst, o->clock ? o->clock : "mono", msg);
	if (!ret)
		ret = rec_instance_buffer(&s->inst, s->buffer_kb, msg);
	if (ret)
		return ret;
	rec_instance_write(&s->inst, "buffer_percent", "25", NULL);
	if (rec_instance_ignore(&s->inst, syscall(SYS_gettid), NULL))
		warn_line(s, "this kernel cannot keep the recorder's own events out");
	if (o->summary) {
		ret = summary_open(&s->inst, &s->summary, s->warn, s->ctx, msg);
	} else {
		ret = enable_probes(s, msg);
		if (!ret)
			ret = enable_preset(s, msg);
	}
	if (!ret)
		ret = enable_events(s, msg);
	if (!ret)
		ret = limit_tasks(s, msg);
	if (!ret)
		ret = meta_read(&s->inst, s->probes ? PROBE_SYSTEM : NULL, &s->meta, msg);
	return ret;
}

static int set_up_file(struct session *s, struct rl_msg *msg)
{
	const struct workfile_options options = {
		.output = s->options->output,
		.version = s->options->file_version,
		.cpus = s->cpus,
		.max_bytes = s->options->max_bytes,
		.clock = s->options->clock ? s->options->clock : "mono",
	};

	return workfile_open(&s->inst, &s->meta, &options, &s->file, msg);
}

/* Lock what is and will be touched, without populating what never is. */
static void lock_memory(struct session *s)
{
	malloc_trim(0);
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
		warn_line(s, "memory cannot be locked: the recorder itself can be reclaimed from");
}

static int set_up_threads(struct session *s, struct rl_msg *msg)
{
	const struct drain_options options = {
		.fd = workfile_fd(s->file),
		.direct = workfile_direct(s->file),
		.page_size = s->meta.page_size,
		.region = workfile_regions(s->file),
		.region_size = workfile_region_size(s->file),
		.cpus = s->cpus,
		.realtime = s->options->realtime,
		.size = workfile_sizes(s->file),
	};
	int ret = sampler_open(&s->inst, s->options->cgroups, &s->sampler, msg);

	if (ret)
		return ret;
	lock_memory(s);
	return drain_start(&s->inst, &options, &s->drain, msg);
}

static void run_command(struct session *s, int go)
{
	char byte;

	if (read(go, &byte, 1) < 0)
		_exit(127);
	execvp(s->options->command[0], s->options->command);
	dprintf(STDERR_FILENO, "%s: %s\n", s->options->command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* The child waits until the recording has begun. It is forked before memory is locked. */
static int start_command(struct session *s, struct rl_msg *msg)
{
	int go[2];

	if (!s->options->command)
		return 0;
	if (pipe(go))
		return rl_fail_errno(msg, errno, "pipe");
	s->child = fork();
	if (s->child < 0) {
		s->child = 0;
		close(go[0]);
		close(go[1]);
		return rl_fail_errno(msg, errno, "fork");
	}
	if (!s->child) {
		close(go[1]);
		run_command(s, go[0]);
	}
	close(go[0]);
	s->child_go = go[1];
	return 0;
}

static void sleep_until(uint64_t when)
{
	const struct timespec ts = { .tv_sec = when / RL_NS_PER_S, .tv_nsec = when % RL_NS_PER_S };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static uint64_t bytes_written(const struct session *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < s->cpus; i++)
		sum += __atomic_load_n(&workfile_sizes(s->file)[i], __ATOMIC_ACQUIRE);
	return sum;
}

/* True when the command has ended; its status is kept. */
static bool command_ended(struct session *s, struct record_result *result)
{
	if (!s->child || waitpid(s->child, &result->command_status, WNOHANG) != s->child)
		return false;
	s->child = 0;
	return true;
}

struct timer {
	uint64_t period; /* 0: never */
	uint64_t next;
};

static bool timer_due(struct timer *timer, uint64_t now)
{
	if (!timer->period || now < timer->next)
		return false;
	timer->next += timer->period;
	if (timer->next < now)
		timer->next = now + timer->period;
	return true;
}

/* Sample and watch until something ends the recording. A full region is an ordinary end. */
static int watch(struct session *s, const struct rl_progress *progress,
		 struct record_result *result, struct rl_msg *msg)
{
	const struct record_options *o = s->options;
	uint64_t start = rl_now_ns();
	struct timer full = { o->sample_ms * UINT64_C(1000000), start };
	struct timer fast = { o->fast_ms * UINT64_C(1000000), start };
	struct timer second = { RL_NS_PER_S, start };

	for (uint64_t tick = start;; tick += TICK_NS) {
		uint64_t now = rl_now_ns();
		int ret = drain_error(s->drain, msg);

		if (ret)
			return ret == -EFBIG ? 0 : ret;
		if (timer_due(&fast, now))
			sampler_fast(s->sampler);
		if (timer_due(&full, now))
			sampler_full(s->sampler);
		if (timer_due(&second, now)) {
			ret = workfile_update(s->file, msg);
			if (ret)
				return ret;
		}
		if (command_ended(s, result) || (o->duration_ns && now - start >= o->duration_ns))
			return 0;
		if (tick + TICK_NS < now)
			tick = now;
		sleep_until(tick + TICK_NS);
		if (rl_progress_step(progress, "bytes", bytes_written(s), 0))
			return 0;
	}
}

static uint64_t stat_value(const char *stats, const char *key)
{
	const char *p = stats ? strstr(stats, key) : NULL;

	return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

static void read_losses(struct session *s, struct record_result *result)
{
	for (unsigned int i = 0; i < s->cpus; i++) {
		char name[64];
		char *stats;

		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", i);
		stats = tracefs_instance_file_read(s->inst.tracefs, name, NULL);
		result->left += stat_value(stats, "entries: ");
		result->overrun += stat_value(stats, "\noverrun: ");
		result->dropped += stat_value(stats, "dropped events: ");
		result->events += stat_value(stats, "read events: ");
		free(stats);
	}
}

static uint64_t time_ns(const struct timeval *tv)
{
	return tv->tv_sec * RL_NS_PER_S + tv->tv_usec * UINT64_C(1000);
}

static uint64_t locked_bytes(void)
{
	struct meta_text status;
	const char *line;
	uint64_t kb = 0;

	if (meta_read_file("/proc/self/status", 1 << 20, &status, NULL))
		return 0;
	line = strstr(status.data, "VmRSS:");
	if (line)
		kb = strtoull(line + 6, NULL, 10);
	free(status.data);
	return kb * 1024;
}

static void read_cost(struct session *s, struct record_result *result)
{
	const struct rusage *b = &s->before;
	struct rusage after;

	getrusage(RUSAGE_SELF, &after);
	result->minor_faults = after.ru_minflt - b->ru_minflt;
	result->major_faults = after.ru_majflt - b->ru_majflt;
	result->cpu_ns = time_ns(&after.ru_utime) + time_ns(&after.ru_stime) -
			 time_ns(&b->ru_utime) - time_ns(&b->ru_stime);
	result->ring_bytes = (uint64_t)s->buffer_kb * 1024 * s->cpus;
	result->locked_bytes = locked_bytes();
	result->direct = workfile_direct(s->file);
}

/* What is recorded goes into the trace, so that an event without records can be told from one off.
 */
static void write_enabled(struct session *s)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	for (unsigned int i = 0; i < s->meta.nr_formats; i++) {
		const struct meta_format *f = &s->meta.format[i];

		if (rec_instance_is_enabled(&s->inst, f->system, f->name))
			fprintf(out, "%s:%s\n", f->system, f->name);
	}
	if (s->summary)
		summary_events(s->summary, out);
	if (fclose(out) == 0)
		sampler_lines(s->sampler, "events", "-", text, size);
	free(text);
}

static int record(struct session *s, const struct rl_progress *progress,
		  struct record_result *result, struct rl_msg *msg)
{
	int ret = rec_instance_on(&s->inst, true, msg);

	if (ret)
		return ret;
	write_enabled(s);
	getrusage(RUSAGE_SELF, &s->before);
	sampler_snapshot(s->sampler, "before");
	if (s->child) {
		close(s->child_go);
		s->child_go = -1;
	}
	ret = watch(s, progress, result, msg);
	if (s->summary)
		summary_write(s->summary, s->sampler);
	sampler_snapshot(s->sampler, "after");
	read_cost(s, result);
	rec_instance_on(&s->inst, false, NULL);
	if (ret)
		return ret;
	ret = drain_stop(s->drain, msg);
	if (ret && ret != -EFBIG)
		return ret;
	if (ret == -EFBIG)
		warn_line(s, "%s: it ends early", msg->text);
	read_losses(s, result);
	result->bytes = bytes_written(s);
	munlockall();
	return workfile_complete(s->file, &s->inst, msg);
}

static void session_close(struct session *s)
{
	if (s->child_go >= 0)
		close(s->child_go);
	if (s->child) {
		kill(s->child, SIGTERM);
		waitpid(s->child, NULL, 0);
	}
	drain_free(s->drain);
	sampler_close(s->sampler);
	summary_close(s->summary);
	workfile_close(s->file);
	meta_free(&s->meta);
	rec_instance_close(&s->inst);
	probes_close(s->probes);
}

int record_run(const struct record_options *options, const struct rl_progress *progress,
	       void (*warn)(void *ctx, const char *line), void *ctx, struct record_result *result,
	       struct rl_msg *msg)
{
	struct session s = { .options = options, .warn = warn, .ctx = ctx, .child_go = -1 };
	int ret;

	memset(result, 0, sizeof(*result));
	s.cpus = sysconf(_SC_NPROCESSORS_CONF);
	s.buffer_kb = options->buffer_kb ? options->buffer_kb
					 : default_buffer_kb(options->preset, s.cpus);
	ret = start_command(&s, msg);
	if (!ret)
		ret = set_up_instance(&s, msg);
	if (!ret)
		ret = set_up_file(&s, msg);
	if (!ret)
		ret = set_up_threads(&s, msg);
	if (!ret)
		ret = record(&s, progress, result, msg);
	session_close(&s);
	return ret;
}
