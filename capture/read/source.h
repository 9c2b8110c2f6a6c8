/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - anything that yields events in time order
 *
 * A source hides what an input is: a trace.dat, ftrace or perf text, an atrace. It is opened by
 * content, never by name, and yields struct event until it ends. What it could not give - lost
 * events, lines that no grammar takes, damaged pages - is kept beside the events and asked for at
 * the end, so that a figure can always say what it rests on.
 *
 * A consumer that needs only some events says so before the first one: the others are counted where
 * they lie, which is several times faster than decoding and merging them.
 */
#ifndef RECLAIMLAB_SOURCE_H
#define RECLAIMLAB_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "capture/read/counters.h"
#include "capture/vocabulary/event.h"
#include "capture/vocabulary/vocabulary.h"

struct source;

enum source_form {
	SOURCE_TRACEDAT,
	SOURCE_FTRACE_TEXT, /* trace, trace_pipe, trace-cmd report */
	SOURCE_PERF_SCRIPT,
	SOURCE_ATRACE,
};

/* What is known of a recording. Strings belong to the source; "" where unknown. */
struct source_info {
	enum source_form form;
	const char *path;
	const char *form_name;	/* "trace.dat v7 zstd", "ftrace text", ... */
	const char *kernel;	/* release */
	const char *machine;	/* architecture */
	const char *clock;	/* "mono", "local", ...; "" unknown */
	unsigned int page_size; /* bytes; 0 unknown */
	unsigned int cpus;	/* 0 unknown */
	bool time_known;	/* ts is in ns */
	bool has_reports; /* states of memory (dump.h) stood among its lines; known at the end */
};

/*
 * Open @path ("-": standard input) whatever it is. Returns 0 and *@out, or a negative errno with a
 * line in @msg: -ENOENT, -EISDIR, -EBADMSG (recognised but damaged at the head), -EINVAL (nothing
 * understood; the line says what was expected), -ENOTSUP (a format that is known and refused).
 */
int source_open(const char *path, struct source **out, struct rl_msg *msg);
void source_close(struct source *source);

/*
 * The same with source_progress() from the begin: unpacking a packed input, too, reports to
 * @progress and ends with -EINTR when it says so.
 */
int source_open_watched(const char *path, const struct rl_progress *progress, struct source **out,
			struct rl_msg *msg);

const struct source_info *source_info(const struct source *source);

enum source_want {
	SOURCE_COUNT,  /* counted, not returned */
	SOURCE_RETURN, /* decoded and returned */
};

/* Before the first source_next(): the fate of one event; the default is SOURCE_RETURN. */
void source_want(struct source *source, enum vocab_id id, enum source_want want);

/* Return @id only where the value of @slot is at least @min; others of it are counted. */
void source_want_from(struct source *source, enum vocab_id id, unsigned int slot, int64_t min);

/* Progress and interruption of everything that follows; @progress may be NULL and is not copied. */
void source_progress(struct source *source, const struct rl_progress *progress);

/*
 * The next event in time order (equal stamps in a stable order). Returns 1 and fills @ev, 0 at the
 * end, -EINTR when interrupted, another negative errno for a failure that ends everything. Damage
 * does not end a source: it goes on behind it and reports it through source_damage_at().
 */
int source_next(struct source *source, struct event *ev, struct rl_msg *msg);

/* The name of thread @pid where the recording holds one (cmdlines), or NULL. */
const char *source_comm(const struct source *source, int32_t pid);

/*
 * Stamps of the first and the last event of the recording, counted ones too; complete after
 * source_next() returned 0. False when there was none, or the source knows only what it returned.
 */
bool source_span(const struct source *source, uint64_t *first, uint64_t *last);

/* Counts of one event of the recording, complete after source_next() returned 0. */
struct source_count {
	const char *system; /* as recorded; "" where the input does not say it */
	const char *name;   /* as recorded */
	uint16_t id;	    /* enum vocab_id or VOCAB_UNKNOWN */
	bool present;	    /* the recorded kernel had it (always true with records > 0) */
	uint64_t records;
	const char *missing; /* fields of the vocabulary that it lacks, "a b", or "" */
};

/* @i from 0; returns false behind the last. Text inputs list only what occurred. */
bool source_count_at(const struct source *source, unsigned int i, struct source_count *count);

/* One gap in the recording, or what else makes it less than it seems. */
struct source_loss {
	int32_t cpu; /* -1: not known */
	bool has_ts;
	uint64_t ts;	  /* of the event behind the gap */
	int64_t count;	  /* events; -1: unknown */
	const char *kind; /* "overrun", "missed", "dropped", "unparsed", or one of those below */
	const char *what; /* in words, the source's; NULL: nothing to add */
};

/*
 * Three kinds tell of no lost events. Of a text, "unread" counts the lines that are nothing known
 * and no damaged record either (those are "unparsed"), "disorder" how often time goes back. Of a
 * flight recorder's file, "overwritten" counts the events before the first one of a CPU (ts) that
 * made room for later ones: the recording is complete from the last of these moments on.
 */

/* Does @loss tell of events that are lost? */
bool source_loss_is_gap(const struct source_loss *loss);

bool source_loss_at(const struct source *source, unsigned int i, struct source_loss *loss);

/*
 * The states of memory that a text input holds (info.has_reports), as counters; after
 * source_next() returned 0. Snapshots have a time only where no trace stood in the input, whose
 * clock would be another one. Returns how many there were or a negative errno.
 */
int source_reports(const struct source *source, const struct counters_visitor *visitor,
		   struct rl_msg *msg);

/* One place that could not be read, in words ("cpu 1: offset 4096: page header ..."). */
const char *source_damage_at(const struct source *source, unsigned int i);

#endif
