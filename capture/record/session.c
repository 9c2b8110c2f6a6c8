/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/session.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/base/clock.h"
#include "capture/base/output.h"
#include "capture/record/cleanup.h"

#define FAST_MS	       250
#define FAST_MS_REPLAY 50

void session_warn(struct session *s, const char *fmt, ...)
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
static unsigned int default_buffer_kb(const struct record_options *o, unsigned int cpus)
{
	uint64_t memory_kb = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 1024;
	uint64_t most = memory_kb / 64 / cpus;
	uint64_t kb = o->preset <= PRESET_RECLAIM && !o->ring ? 1024 : 8192;

	if (kb > most)
		kb = most;
	return kb < 256 ? 256 : (unsigned int)kb;
}

/*
 * The filter that keeps one in @sample_pages pages of an access event, or NULL: a fault on such a
 * page, and a range of pages that has one in it. The kernel's filter cannot calculate, but a range
 * of at most n pages that begins on no multiple of n has one in it when bit n of its first and of
 * its last page differ. Longer ones may be missed.
 */
static const char *sample_filter(const struct record_options *o, const struct preset_event *event,
				 char *text, size_t size)
{
	unsigned int n = o->sample_pages;

	if (n <= 1)
		return event->filter;
	switch (event->id) {
	case VOCAB_mm_filemap_fault:
		snprintf(text, size, "!(index & %u)", n - 1);
		return text;
	case VOCAB_mm_filemap_get_pages:
	case VOCAB_mm_filemap_map_pages:
		snprintf(text, size,
			 "!(index & %u) || (index & %u && !(last_index & %u)) || "
			 "(!(index & %u) && last_index & %u)",
			 n - 1, n, n, n, n);
		return text;
	default:
		return event->filter;
	}
}

static int enable_preset(struct session *s, struct rl_msg *msg)
{
	const char *tracing = tracefs_tracing_dir();
	struct preset_names names;
	struct preset_event event;
	char filter[256];
	int ret;

	for (unsigned int i = 0; preset_event_at(tracing, s->options->preset, i, &event, &names);
	     i++) {
		if (event.state >= PRESET_REPLACED) {
			if (event.state == PRESET_ABSENT && s->options->preset != PRESET_ALL)
				session_warn(s, "this kernel has no event %s:%s: lost: %s",
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
		int (*enable)(struct rec_instance * inst, const char *system, const char *name,
			      const char *filter, struct rl_msg *msg) = rec_instance_enable;
		const char *colon;
		int ret;

		snprintf(system, sizeof(system), "%s", o->events[i]);
		colon = strchr(o->events[i], ':');
		system[strcspn(system, ":")] = '\0';
		if (strpbrk(o->events[i], "*?["))
			enable = rec_instance_enable_matching;
		ret = enable(&s->inst, system, colon ? colon + 1 : NULL, filter, msg);
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
		session_warn(s, "%s: references and swap identity are not recorded", why.text);
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

	for (unsigned int i = 0; pids && pids[i]; i++)
		if (kill(pids[i], 0) && errno == ESRCH)
			return rl_fail(msg, ESRCH, "-P %d: there is no such task", (int)pids[i]);
	if (pids && pids[0])
		ret = rec_instance_write(&s->inst, "options/event-fork", "1", msg);
	for (unsigned int i = 0; pids && pids[i] && !ret; i++)
		ret = rec_instance_only(&s->inst, pids[i], msg);
	return ret;
}

static int choose_events(struct session *s, struct rl_msg *msg)
{
	int ret;

	if (s->options->summary) {
		ret = summary_open(&s->inst, &s->summary, s->warn, s->ctx, msg);
	} else {
		ret = enable_probes(s, msg);
		if (!ret)
			ret = enable_preset(s, msg);
	}
	if (!ret)
		ret = enable_events(s, msg);
	return ret ? ret : limit_tasks(s, msg);
}

/*
 * The counters of the kernel know no recorder: where they are compared with the events of a preset,
 * its own must be among them. They are few, and the reader knows them by their task.
 */
static bool session_ignores_itself(const struct session *s)
{
	return s->options->preset == PRESET_NONE || s->options->summary;
}

static int open_instance(struct session *s, struct rl_msg *msg)
{
	int ret = rec_instance_open(&s->inst, "", msg);

	if (!ret)
		ret = rec_instance_clock(&s->inst, s->clock, msg);
	if (!ret)
		ret = rec_instance_buffer(&s->inst, s->buffer_kb, msg);
	if (ret)
		return ret;
	rec_instance_write(&s->inst, "buffer_percent", "25", NULL);
	if (session_ignores_itself(s) && rec_instance_ignore(&s->inst, syscall(SYS_gettid), NULL))
		session_warn(s, "this kernel cannot keep the recorder's own events out");
	return choose_events(s, msg);
}

static int read_meta(struct session *s, struct rl_msg *msg)
{
	int ret = meta_read(&s->inst, &s->meta, msg);

	if (!ret)
		ret = ring_layout_parse(&s->layout, s->meta.header_page.data,
					s->meta.header_page.size,
					__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, msg);
	s->layout.page_size = s->meta.page_size;
	return ret;
}

static int open_conditions(struct session *s, struct rl_msg *msg)
{
	const struct condition_options options = {
		.stall_ns = s->options->when_stall_ns,
		.throttle = s->options->when_throttle,
		.psi = s->options->when_psi,
		.clock = s->clock,
		.cpus = s->cpus,
		.page_size = s->meta.page_size,
	};

	return conditions_open(&options, &s->meta, &s->conditions, msg);
}

/* One recording is set up at a time: what another has begun to make is not taken for a leftover. */
static int set_up_tracing(struct session *s, struct rl_msg *msg)
{
	int lock = rec_tracing_lock(msg);
	struct rec_cleanup cleanup;
	int ret;

	if (lock < 0)
		return lock;
	ret = rec_cleanup(&cleanup, msg);
	if (cleanup.instances)
		session_warn(s, "%u instances of recorders that were killed have been removed",
			     cleanup.instances);
	if (!ret)
		ret = open_instance(s, msg);
	if (!ret)
		ret = read_meta(s, msg);
	if (!ret)
		ret = open_conditions(s, msg);
	close(lock);
	return ret;
}

int session_open_file(struct session *s, struct rl_msg *msg)
{
	const struct workfile_options options = {
		.output = s->output,
		.version = s->options->file_version,
		.cpus = s->cpus,
		.max_bytes = s->options->max_bytes,
		.clock = s->clock,
	};

	workfile_close(s->file);
	s->file = NULL;
	return workfile_open(&s->meta, &options, &s->file, msg);
}

/* Lock what is and will be touched, without populating what never is. */
static void lock_memory(struct session *s)
{
	malloc_trim(0);
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
		session_warn(s,
			     "memory cannot be locked: the recorder itself can be reclaimed from");
}

/* What is recorded goes into the trace, so that an event without records can be told from one off.
 */
static int list_enabled(struct session *s, char **text, size_t *len, struct rl_msg *msg)
{
	FILE *out = open_memstream(text, len);

	if (!out)
		return rl_fail(msg, ENOMEM, "out of memory");
	for (unsigned int i = 0; i < s->meta.nr_formats; i++) {
		const struct meta_format *f = &s->meta.format[i];

		if (rec_instance_is_enabled(&s->inst, f->system, f->name))
			fprintf(out, "%s:%s\n", f->system, f->name);
	}
	if (s->summary)
		summary_events(s->summary, out);
	/* A list of nothing is one, too. */
	if (!ftell(out))
		fputs("none\n", out);
	return fclose(out) ? rl_fail(msg, ENOMEM, "out of memory") : 0;
}

/* Nothing exists yet that would have to be given back. */
static int look_first(struct session *s, struct rl_msg *msg)
{
	int ret = rl_output_resolve(s->options->output, &s->output, msg);

	if (!ret)
		ret = rl_output_check(s->output, msg);
	if (!ret && s->options->command)
		ret = rec_command_check(s->options->command, msg);
	return ret || rec_tracing_dir(msg) ? ret : -EACCES;
}

/* Before memory is locked and before anything is in the way of a fork. */
static int start_command(struct session *s, struct rl_msg *msg)
{
	char marker[512];

	if (!s->options->command)
		return 0;
	snprintf(marker, sizeof(marker), "%s/instances/" REC_INSTANCE_PREFIX "%d/trace_marker",
		 tracefs_tracing_dir(), getpid());
	return rec_command_start(&s->command, s->options->command, marker, msg);
}

static int open_drain(struct session *s, struct rl_msg *msg)
{
	const struct drain_options options = {
		.layout = s->layout,
		.cpus = s->cpus,
		.realtime = s->options->realtime,
		.ignored = session_ignores_itself(s),
	};

	return drain_open(&s->inst, &options, &s->drain, msg);
}

int session_open(struct session *s, struct rl_msg *msg)
{
	const struct record_options *o = s->options;
	int ret;

	s->cpus = sysconf(_SC_NPROCESSORS_CONF);
	s->clock = o->clock ? o->clock : "mono";
	s->buffer_kb = o->buffer_kb ? o->buffer_kb : default_buffer_kb(o, s->cpus);
	ret = look_first(s, msg);
	if (!ret)
		ret = rec_stats_open(&s->stats, s->cpus, msg);
	if (!ret)
		ret = start_command(s, msg);
	if (!ret)
		ret = set_up_tracing(s, msg);
	if (!ret)
		ret = list_enabled(s, &s->enabled, &s->enabled_len, msg);
	if (!ret)
		ret = rec_settings_read("", &s->settings, msg);
	if (!ret)
		ret = session_open_file(s, msg);
	if (!ret)
		ret = sampler_open(&s->inst, o->cgroups, &s->sampler, msg);
	if (!ret)
		ret = open_drain(s, msg);
	if (!ret)
		lock_memory(s);
	return ret;
}

void session_introduce(struct session *s)
{
	const struct rec_settings *settings = &s->settings;

	sampler_lines(s->sampler, "events", "-", s->enabled, s->enabled_len);
	sampler_lines(s->sampler, "sysctl", "-", settings->sysctl.data, settings->sysctl.size);
	sampler_lines(s->sampler, "queue", "-", settings->queue.data, settings->queue.size);
}

int session_begin(struct session *s, struct rl_msg *msg)
{
	int ret = rec_instance_on(&s->inst, true, msg);

	if (ret)
		return ret;
	session_introduce(s);
	getrusage(RUSAGE_SELF, &s->before);
	if (s->options->ring)
		sampler_all(s->sampler);
	else
		sampler_snapshot(s->sampler, "before");
	return rec_command_go(&s->command, s->options->command, msg);
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
	result->direct = s->file && workfile_target(s->file)->direct;
}

/* Somebody may have switched events off (trace-cmd reset does): their absence says nothing then. */
static void compare_enabled(struct session *s)
{
	char *text = NULL;
	size_t len = 0;

	if (!s->enabled || list_enabled(s, &text, &len, NULL) ||
	    (len == s->enabled_len && !memcmp(text, s->enabled, len)))
		goto out;
	for (const char *line = s->enabled; *line;) {
		size_t n = strcspn(line, "\n");

		if (!memmem(text, len, line, n + 1)) {
			session_warn(s, "%.*s was switched off by another program%s", (int)n, line,
				     len + n + 1 < s->enabled_len ? ", like others" : "");
			break;
		}
		line += n + 1;
	}
out:
	free(text);
}

static void close_tracing(struct session *s)
{
	int lock = rec_tracing_lock(NULL);

	drain_free(s->drain);
	s->drain = NULL;
	summary_close(s->summary);
	s->summary = NULL;
	sampler_close(s->sampler);
	s->sampler = NULL;
	conditions_close(s->conditions);
	s->conditions = NULL;
	rec_instance_close(&s->inst);
	probes_close(s->probes);
	s->probes = NULL;
	if (lock >= 0)
		close(lock);
}

void session_end(struct session *s, struct record_result *result)
{
	compare_enabled(s);
	read_cost(s, result);
	munlockall();
	close_tracing(s);
}

void session_close(struct session *s)
{
	rec_command_close(&s->command);
	close_tracing(s);
	workfile_close(s->file);
	meta_free(&s->meta);
	rec_stats_close(&s->stats);
	rec_settings_free(&s->settings);
	free(s->enabled);
	free(s->output);
}

unsigned int session_fast_ms(const struct session *s)
{
	if (s->options->fast_ms != RECORD_FAST_BY_PRESET)
		return s->options->fast_ms;
	return s->options->preset >= PRESET_PAGES ? FAST_MS_REPLAY : FAST_MS;
}

void session_wake_by(struct session *s, uint64_t when)
{
	if (when < s->wake)
		s->wake = when;
}

bool session_timer_due(struct session *s, struct session_timer *timer, uint64_t now)
{
	bool due = timer->period && now >= timer->next;

	if (due) {
		timer->next += timer->period;
		if (timer->next < now)
			timer->next = now + timer->period;
	}
	if (timer->period)
		session_wake_by(s, timer->next);
	return due;
}

void session_sample(struct session *s, struct session_timer *timer, uint64_t now,
		    void (*take)(struct sampler *sampler))
{
	uint64_t begin, took;

	if (!session_timer_due(s, timer, now))
		return;
	begin = rl_now_ns();
	take(s->sampler);
	took = rl_now_ns() - begin;
	if (timer->next < begin + SESSION_SAMPLE_SHARE * took)
		timer->next = begin + SESSION_SAMPLE_SHARE * took;
}

bool session_over(struct session *s, uint64_t start, uint64_t now)
{
	uint64_t duration = s->options->duration_ns;

	if (!duration)
		return false;
	session_wake_by(s, start + duration);
	return now - start >= duration;
}

void session_sleep(struct session *s)
{
	uint64_t now = rl_now_ns();
	uint64_t ns = s->wake > now ? s->wake - now : 0;

	s->wake = UINT64_MAX;
	rec_command_wait(&s->command, ns < SESSION_NAP_NS ? ns : SESSION_NAP_NS);
}
