/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session.h - one recording: what record.c, flight.c and session.c share
 *
 * session.c sets everything up before the first event and takes it down again; record.c streams
 * what happens into a file; flight.c keeps it in the kernel's ring buffers until there is something
 * to keep.
 */
#ifndef RECLAIMLAB_SESSION_H
#define RECLAIMLAB_SESSION_H

#include <stdarg.h>
#include <sys/resource.h>

#include "capture/record/command.h"
#include "capture/record/condition.h"
#include "capture/record/drain.h"
#include "capture/record/instance.h"
#include "capture/record/meta.h"
#include "capture/record/probe.h"
#include "capture/record/record.h"
#include "capture/record/sampler.h"
#include "capture/record/settings.h"
#include "capture/record/stats.h"
#include "capture/record/summary.h"
#include "capture/record/workfile.h"

#define SESSION_NAP_NS UINT64_C(200000000) /* the longest without a look at all that can happen */

struct session {
	const struct record_options *options;
	void (*warn)(void *ctx, const char *line);
	void *ctx;
	const char *clock;
	char *output; /* what options->output stands for */
	struct rec_instance inst;
	struct probes *probes;
	struct trace_meta meta;
	struct ring_layout layout;
	struct workfile *file;
	struct sampler *sampler;
	struct summary *summary;
	struct drain *drain;
	struct conditions *conditions;
	struct rec_stats stats;
	struct rec_command command;
	char *enabled; /* "system:event" lines */
	size_t enabled_len;
	struct rec_settings settings;
	unsigned int cpus;
	unsigned int buffer_kb;
	uint64_t wake; /* ns: when the earliest of what is awaited is due */
	struct rusage before;
};

/* Everything up to the first event; nothing is traced yet. */
int session_open(struct session *s, struct rl_msg *msg);

/* Let it trace, and the command run. */
int session_begin(struct session *s, struct rl_msg *msg);

/* What the beginning of a trace tells: events that are on, how the machine is set up. */
void session_introduce(struct session *s);

/* The working file of the next (or only) file. */
int session_open_file(struct session *s, struct rl_msg *msg);

/* Tracing is over: what it cost, and give the kernel back what was taken. */
void session_end(struct session *s, struct record_result *result);

void session_close(struct session *s);

/* A line for the user; @s->warn may be NULL. */
void session_warn(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* flight.c: record until told to stop, keeping what the rings hold whenever it is asked for. */
int flight_run(struct session *s, const struct rl_progress *progress, struct record_result *result,
	       struct rl_msg *msg);

/* How often the few values are read. */
unsigned int session_fast_ms(const struct session *s);

/* A clock that ticks every @period ns; 0: never. */
struct session_timer {
	uint64_t period;
	uint64_t next;
};

/* Is it time? Either way the next session_sleep() ends when it is again. */
bool session_timer_due(struct session *s, struct session_timer *timer, uint64_t now);

/*
 * Take a sample when it is due. On a machine that is slow or busy samples become rarer, so that
 * they never take more than one part in SESSION_SAMPLE_SHARE of the time.
 */
#define SESSION_SAMPLE_SHARE 20
void session_sample(struct session *s, struct session_timer *timer, uint64_t now,
		    void (*take)(struct sampler *sampler));

/* Has it lasted as long as it was to? Ends the next session_sleep() when it has. */
bool session_over(struct session *s, uint64_t start, uint64_t now);

/* The next session_sleep() ends at @when at the latest. */
void session_wake_by(struct session *s, uint64_t when);

/* Sleep until a timer looked at since the last sleep is due, the command ends, or a signal comes.
 */
void session_sleep(struct session *s);

#endif
