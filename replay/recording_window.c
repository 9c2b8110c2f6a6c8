/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/recording_window.h"

#include <errno.h>
#include <string.h>

#include "capture/read/counter_marker.h"
#include "capture/read/counters.h"
#include "capture/read/source.h"
#include "capture/vocabulary/vocabulary.h"

static bool marker_is(const struct event *ev, const char *text)
{
	const struct event_string *buf = &ev->string[print_buf];
	size_t len = strlen(text);

	return event_has(ev, print_buf) && buf->len >= len && !memcmp(buf->text, text, len) &&
	       (buf->len == len || buf->text[len] == '\n' || buf->text[len] == '\0');
}

/*
 * The counters inside a trace: the first sample is the begin, all that follow bring the end up.
 * What files gave of the same source comes first. A flight recorder's begin is overwritten; its
 * window begins at the first complete sample that is left, known by what never changes. Where that
 * is the one of the dump itself, the machine is as it was then, and nothing grew.
 */
struct inside {
	struct recording *rec;
	bool given[COUNTERS_NR]; /* by files */
	bool first;		 /* between "SNAP before" and "SNAPEND before" */
	bool snapped;		 /* there was a "SNAP before" */
	uint64_t number, ts;	 /* of the sample under way, ts of its begin */
	uint64_t base, base_ts;	 /* of the first complete one of a flight recorder, 0: none yet */
};

/* Until the first complete sample is over, what is read says how the machine was at its time. */
static bool is_begin(const struct inside *in)
{
	return in->first || (!in->snapped && (!in->base || in->number == in->base));
}

static int on_inside_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	struct inside *in = ctx;
	const char *source = counters_source_name(value->source);
	struct recording *rec = in->rec;
	int ret = 0;

	if (!in->snapped && !in->base && value->source == COUNTERS_ZONEINFO &&
	    !strcmp(value->name, "managed")) {
		in->base = in->number;
		in->base_ts = in->ts;
	}

	if (in->given[value->source])
		return 0;
	if (counters_is_setting(value->source))
		ret = counter_set_put(rec->settings, source, value->scope, value->name,
				      value->value);
	else if (is_begin(in))
		ret = counter_set_put(rec->before, source, value->scope, value->name, value->value);
	if (!ret && !counters_is_setting(value->source))
		ret = counter_set_put(rec->after, source, value->scope, value->name, value->value);
	return ret ? rl_fail_errno(msg, ENOMEM, "counters") : 0;
}

static int take_inside(struct inside *in, const struct event *ev, struct rl_msg *msg)
{
	const struct counters_visitor visitor = { NULL, on_inside_value, in };
	const struct event_string *text = &ev->string[print_buf];
	struct counter_marker marker;
	int ret;

	if (!event_has(ev, print_buf) || !counter_marker_parse(text->text, text->len, &marker))
		return 0;
	if (marker.number != in->number)
		in->ts = ev->ts;
	in->number = marker.number;
	ret = counters_lines(marker.file, marker.file_len, marker.scope, marker.scope_len,
			     marker.lines, marker.lines_len, ';', &visitor, msg);
	return ret == -EINVAL ? 0 : ret;
}

int recording_window(struct recording *rec, const char *trace, const struct rl_progress *progress,
		     struct rl_msg *msg)
{
	struct inside inside = { .rec = rec };
	bool before = false, after = false;
	struct event ev;
	struct source *source;
	int ret = source_open_watched(trace, progress, &source, msg);

	if (ret)
		return ret;
	for (unsigned int i = COUNTERS_NONE + 1; i < COUNTERS_NR; i++) {
		const char *name = counters_source_name(i);

		inside.given[i] = counter_set_scope(rec->before, name, 0) ||
				  counter_set_scope(rec->settings, name, 0);
	}
	for (unsigned int id = 0; id < VOCAB_NR; id++)
		source_want(source, id, id == VOCAB_print ? SOURCE_RETURN : SOURCE_COUNT);
	rec->start = 0;
	rec->end = UINT64_MAX >> 1;
	while ((ret = source_next(source, &ev, msg)) > 0) {
		if (marker_is(&ev, "SNAP before") && !before) {
			rec->start = ev.ts;
			before = true;
			inside.first = inside.snapped = true;
		} else if (marker_is(&ev, "SNAPEND before")) {
			inside.first = false;
		} else if (marker_is(&ev, "SNAP after")) {
			rec->end = ev.ts;
			after = true;
		}
		ret = take_inside(&inside, &ev, msg);
		if (ret)
			break;
	}
	source_close(source);
	rec->marked = before && after && rec->start < rec->end;
	rec->sampled = inside.base && inside.base != inside.number;
	rec->begin_unknown = inside.base && inside.base == inside.number;
	if (rec->sampled) {
		rec->start = inside.base_ts;
		rec->end = inside.ts;
	} else if (!rec->marked) {
		rec->start = 0;
		rec->end = UINT64_MAX >> 1;
	}
	return ret;
}

int recording_covered(struct recording *rec, const char *trace, const struct rl_progress *progress,
		      struct rl_msg *msg)
{
	struct source *source;
	struct event ev;
	uint64_t first = 0, last = 0;
	int ret;

	if (rec->marked || rec->sampled)
		return 0;
	ret = source_open_watched(trace, progress, &source, msg);
	if (ret)
		return ret;
	while ((ret = source_next(source, &ev, msg)) > 0) {
		first = first ? first : ev.ts;
		last = ev.ts;
	}
	source_close(source);
	rec->start = first;
	rec->end = last + 1;
	return ret;
}
