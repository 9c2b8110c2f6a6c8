/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/base/clock.h"
#include "capture/record/cleanup.h"
#include "capture/record/names.h"
#include "capture/record/session.h"

void record_options_init(struct record_options *options)
{
	memset(options, 0, sizeof(*options));
	options->output = "trace.dat";
	options->preset = PRESET_RECLAIM;
	options->clock = "mono";
	options->file_version = 7;
	options->sample_ms = 1000;
	options->fast_ms = RECORD_FAST_BY_PRESET;
	options->sample_pages = 1;
}

static bool disk_error(int ret)
{
	return ret == -ENOSPC || ret == -EDQUOT || ret == -EIO || ret == -EROFS;
}

/* Sample and watch until something ends the recording. A full region is an ordinary end. */
static int watch(struct session *s, const struct rl_progress *progress,
		 struct record_result *result, struct rl_msg *msg)
{
	const struct record_options *o = s->options;
	uint64_t start = rl_now_ns();
	struct session_timer full = { o->sample_ms * UINT64_C(1000000), start };
	struct session_timer fast = { session_fast_ms(s) * UINT64_C(1000000), start };
	struct session_timer second = { RL_NS_PER_S, start + RL_NS_PER_S };

	for (;;) {
		uint64_t now = rl_now_ns();
		int ret = drain_error(s->drain, msg);

		if (ret)
			return ret == -EFBIG ? 0 : ret;
		session_sample(s, &fast, now, sampler_fast);
		session_sample(s, &full, now, sampler_full);
		if (session_timer_due(s, &second, now)) {
			ret = workfile_update(s->file, msg);
			if (ret)
				return ret;
			if (!rec_instance_tracing(&s->inst))
				return rl_fail(msg, ECANCELED,
					       "another program switched tracing off");
		}
		if (rec_command_ended(&s->command, &result->command_status) ||
		    session_over(s, start, now))
			return 0;
		session_sleep(s);
		if (rl_progress_step(progress, "bytes", workfile_bytes(s->file), 0))
			return 0;
	}
}

/* The ring buffer that would have kept what was lost, with a quarter to spare. */
static unsigned int enough_kb(struct session *s)
{
	unsigned int most = 0;

	for (unsigned int i = 0; i < s->cpus; i++) {
		uint64_t lost = drain_worst_loss(s->drain, i);
		uint64_t events = rec_stats_value(&s->stats, i, "read events");
		uint64_t bytes =
			__atomic_load_n(&workfile_target(s->file)->size[i], __ATOMIC_ACQUIRE);
		uint64_t kb;

		if (!lost)
			lost = rec_stats_value(&s->stats, i, "overrun");
		if (!lost || !events)
			continue;
		kb = s->buffer_kb +
		     (uint64_t)((double)bytes / (double)events * (double)lost / 1024);
		kb = (kb + kb / 4 + 1023) / 1024 * 1024;
		if (kb > most)
			most = kb < RECORD_BUFFER_MAX ? (unsigned int)kb : RECORD_BUFFER_MAX;
	}
	return most;
}

static void take_totals(struct session *s, struct record_result *result)
{
	struct rec_totals totals;

	rec_stats_read(&s->stats, &s->inst, false);
	rec_stats_totals(&s->stats, &totals);
	result->left = totals.left;
	result->events = totals.read;
	result->overrun = totals.overrun;
	result->dropped = totals.dropped;
	result->bytes = workfile_bytes(s->file);
	result->buffer_kb = s->buffer_kb;
	if (totals.overrun)
		result->enough_kb = enough_kb(s);
}

/* What came before the error is not lost. */
static void add_saved(struct rl_msg *msg, const char *output)
{
	size_t len = strlen(msg->text);

	snprintf(msg->text + len, sizeof(msg->text) - len,
		 "; what was recorded before that is in %s", output);
}

/* @error ended it, 0: nothing did. What reached the disk becomes a file whatever it was. */
static int keep(struct session *s, struct record_result *result, int error, struct rl_msg *msg)
{
	struct meta_text names;
	struct rl_msg why;
	int ret = names_read(&s->inst, &names, &why);

	session_end(s, result);
	if (!ret)
		ret = workfile_complete(s->file, s->output, &s->stats, &names, disk_error(error),
					&why);
	free(names.data);
	if (ret < 0) {
		result->saved = false;
		if (!error)
			*msg = why;
		return error ? error : ret;
	}
	if (error)
		add_saved(msg, s->output);
	if (!workfile_reachable(s->file))
		session_warn(s, "%s: the folder is no longer there; the file is on its disk",
			     s->output);
	if (!error && ret == WORKFILE_UNPACKED)
		session_warn(s, "%s: it stays unpacked, version 6", why.text);
	return error;
}

static int record(struct session *s, const struct rl_progress *progress,
		  struct record_result *result, struct rl_msg *msg)
{
	struct rl_msg late;
	int ret, drained;

	ret = watch(s, progress, result, msg);
	if (s->summary)
		summary_write(s->summary, s->sampler);
	sampler_snapshot(s->sampler, "after");
	rec_instance_on(&s->inst, false, NULL);
	drained = drain_stop(s->drain, &late);
	if (drained == -EFBIG)
		session_warn(s, "%s: it ends early", late.text);
	else if (drained && !ret)
		*msg = late;
	if (!ret && drained != -EFBIG)
		ret = drained;
	take_totals(s, result);
	result->saved = true;
	return keep(s, result, ret, msg);
}

int record_run(const struct record_options *options, const struct rl_progress *progress,
	       void (*warn)(void *ctx, const char *line), void *ctx, struct record_result *result,
	       struct rl_msg *msg)
{
	struct session s = { .options = options,
			     .warn = warn,
			     .ctx = ctx,
			     .inst.lock = -1,
			     .command = REC_COMMAND_NONE };
	int ret;

	memset(result, 0, sizeof(*result));
	ret = session_open(&s, msg);
	if (!ret && !options->ring)
		ret = drain_start(s.drain, workfile_target(s.file), msg);
	if (!ret)
		ret = session_begin(&s, msg);
	if (!ret)
		ret = options->ring ? flight_run(&s, progress, result, msg)
				    : record(&s, progress, result, msg);
	session_close(&s);
	return ret;
}

int record_cleanup(struct rec_cleanup *done, struct rl_msg *msg)
{
	int lock = rec_tracing_lock(msg);
	int ret;

	if (lock < 0)
		return lock;
	ret = rec_cleanup(done, msg);
	close(lock);
	return ret;
}
