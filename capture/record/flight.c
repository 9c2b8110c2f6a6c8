/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flight recorder: nothing leaves the kernel's ring buffers until it is asked for. Its memory
 * is those buffers, which the kernel allocates once and nobody can reclaim. The working file is
 * made beforehand, so that no disk has to be found in the middle of the trouble; while pages are
 * read into it tracing is off, and it goes on before they are packed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/base/clock.h"
#include "capture/record/names.h"
#include "capture/record/session.h"

#define BASE_PERIOD_NS (5 * RL_NS_PER_S) /* between complete samples */
#define NUMBER_MAX     1000000

struct flight {
	struct session *s;
	struct record_result *result;
	const struct rl_progress *progress;
	unsigned int number; /* of the last file */
};

/* "trace.dat" and 3: "trace.3.dat". */
static char *numbered(const char *output, unsigned int number)
{
	const char *name = strrchr(output, '/');
	const char *dot = strrchr(name ? name : output, '.');
	char *path;
	int n;

	if (!dot || dot == output || dot[-1] == '/')
		dot = output + strlen(output);
	n = asprintf(&path, "%.*s.%u%s", (int)(dot - output), output, number, dot);
	return n < 0 ? NULL : path;
}

/* Files of an earlier day are kept. */
static char *next_path(struct flight *f)
{
	while (f->number < NUMBER_MAX) {
		char *path = numbered(f->s->output, ++f->number);

		if (!path || access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* What the rings hold goes to the working file; tracing is off when it returns. */
static int collect(struct flight *f, const char *why, struct rl_msg *msg)
{
	struct session *s = f->s;
	struct rec_totals totals;
	int ret;

	sampler_all(s->sampler);
	sampler_note(s->sampler, "DUMP", why);
	ret = rec_instance_on(&s->inst, false, msg);
	if (ret)
		return ret;
	rec_stats_read(&s->stats, &s->inst, true);
	rec_stats_totals(&s->stats, &totals);
	f->result->events += totals.left;
	f->result->dropped += totals.dropped;
	ret = drain_once(s->drain, workfile_target(s->file), msg);
	f->result->bytes += workfile_bytes(s->file);
	return ret;
}

static int go_on(struct session *s, struct rl_msg *msg)
{
	int ret = rec_instance_clear(&s->inst, msg);

	if (!ret)
		ret = rec_instance_on(&s->inst, true, msg);
	if (!ret) {
		session_introduce(s);
		sampler_base(s->sampler);
	}
	return ret;
}

static void tell(struct flight *f, const char *path, const char *why)
{
	struct session *s = f->s;
	struct rec_totals totals;
	uint64_t ns;

	rec_stats_totals(&s->stats, &totals);
	if (rec_stats_complete(&s->stats, &ns))
		session_warn(s, "%s: %s; %llu events, complete for the last %.1f s", path, why,
			     (unsigned long long)totals.left, (double)ns / 1e9);
	else
		session_warn(s, "%s: %s; %llu events", path, why, (unsigned long long)totals.left);
}

/* Pack the working file under @path. */
static int complete(struct flight *f, const char *path, const char *why,
		    const struct meta_text *names, struct rl_msg *msg)
{
	struct session *s = f->s;
	struct rl_msg packing = { "" };
	int ret = workfile_complete(s->file, path, &s->stats, names, false, &packing);

	if (ret < 0) {
		*msg = packing;
		return ret;
	}
	tell(f, path, why);
	if (ret == WORKFILE_UNPACKED)
		session_warn(s, "%s: it stays unpacked, version 6", packing.text);
	if (!workfile_reachable(s->file))
		session_warn(s, "%s: the folder is no longer there; the file is on its disk", path);
	f->result->saved = true;
	return 0;
}

static int dump(struct flight *f, const char *why, struct rl_msg *msg)
{
	char *path = next_path(f);
	struct meta_text names = { 0 };
	int ret, again;

	if (!path)
		return rl_fail(msg, ENOMEM, "%s: no number is free", f->s->output);
	ret = collect(f, why, msg);
	again = go_on(f->s, ret ? NULL : msg);
	if (!ret)
		ret = again;
	if (!ret)
		ret = names_read(&f->s->inst, &names, msg);
	if (!ret)
		ret = complete(f, path, why, &names, msg);
	if (!ret)
		ret = session_open_file(f->s, msg);
	f->result->dumps += !ret;
	free(names.data);
	free(path);
	return ret;
}

static int last_dump(struct flight *f, struct rl_msg *msg)
{
	static const char why[] = "the end";
	struct meta_text names = { 0 };
	int ret = collect(f, why, msg);

	if (!ret)
		ret = names_read(&f->s->inst, &names, msg);
	session_end(f->s, f->result);
	if (!ret)
		ret = complete(f, f->s->output, why, &names, msg);
	free(names.data);
	return ret;
}

/* Has anything asked for a file? */
static bool wanted(struct flight *f, uint64_t now, uint64_t held, struct rl_msg *why)
{
	const struct record_options *o = f->s->options;
	bool holds = conditions_check(f->s->conditions, why) && now >= held;

	if (o->dump_asked && o->dump_asked(o->dump_ctx)) {
		snprintf(why->text, sizeof(why->text), "asked for");
		return true;
	}
	return holds;
}

/* 1: as many files as were wanted are there. */
static int look(struct flight *f, uint64_t now, uint64_t *held, struct rl_msg *msg)
{
	unsigned int most = f->s->options->dumps;
	struct rl_msg why;
	int ret;

	if (!wanted(f, now, *held, &why))
		return 0;
	ret = dump(f, why.text, msg);
	*held = rl_now_ns() + RECORD_HOLD_NS;
	if (ret)
		return ret;
	return most && f->result->dumps == most;
}

static int watch(struct flight *f, struct rl_msg *msg)
{
	struct session *s = f->s;
	const struct record_options *o = s->options;
	uint64_t start = rl_now_ns(), held = 0;
	struct session_timer full = { o->sample_ms * UINT64_C(1000000), start };
	struct session_timer fast = { session_fast_ms(s) * UINT64_C(1000000), start };
	struct session_timer base = { o->sample_ms ? BASE_PERIOD_NS : 0, start + BASE_PERIOD_NS };
	struct session_timer second = { RL_NS_PER_S, start + RL_NS_PER_S };

	for (;;) {
		uint64_t now = rl_now_ns();
		int ret = look(f, now, &held, msg);

		if (ret)
			return ret;
		session_sample(s, &fast, now, sampler_fast);
		session_sample(s, &full, now, sampler_full);
		session_sample(s, &base, now, sampler_base);
		if (session_timer_due(s, &second, now) && !rec_instance_tracing(&s->inst))
			return rl_fail(msg, ECANCELED, "another program switched tracing off");
		if (rec_command_ended(&s->command, &f->result->command_status) ||
		    session_over(s, start, now))
			return 0;
		if (o->when_stall_ns || o->when_throttle || o->when_psi)
			session_wake_by(s, now + CONDITION_PERIOD_NS);
		session_sleep(s);
		if (rl_progress_step(f->progress, "files", f->result->dumps, 0))
			return 0;
	}
}

int flight_run(struct session *s, const struct rl_progress *progress, struct record_result *result,
	       struct rl_msg *msg)
{
	struct flight f = { .s = s, .result = result, .progress = progress };
	int ret = watch(&f, msg);

	result->buffer_kb = s->buffer_kb;
	if (ret > 0) {
		session_end(s, result);
		return 0;
	}
	return ret ? ret : last_dump(&f, msg);
}
