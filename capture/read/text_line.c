/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/text_line.h"

#include <string.h>

#define PREFIXES_MAX 8

static int32_t number_of(struct event_string text, int32_t absent)
{
	uint64_t n = 0;

	if (!text.text || !text.len || text.len > 10)
		return absent;
	for (uint32_t i = 0; i < text.len; i++) {
		if (text.text[i] < '0' || text.text[i] > '9')
			return absent;
		n = n * 10 + (uint64_t)(text.text[i] - '0');
	}
	return n <= INT32_MAX ? (int32_t)n : absent;
}

static bool is_text(struct event_string text, const char *other)
{
	return text.len == strlen(other) && !memcmp(text.text, other, text.len);
}

static bool record_time(const struct text_match *match, struct text_record *r)
{
	struct event_string ts = text_group(match, "ts"), unit = text_group(match, "unit");
	uint64_t scale;

	r->has_ts = ts.text != NULL;
	r->has_unit = false;
	r->ts = 0;
	if (!r->has_ts)
		return true;
	if (!text_time(ts.text, ts.len, &r->ts, &r->has_unit))
		return false;
	if (!unit.text)
		return true;
	/* Seconds were taken for granted where a point stood. */
	scale = is_text(unit, "us") ? 1000 : 1000000;
	if (r->has_unit)
		r->ts = r->ts / (1000000000 / scale);
	else if (__builtin_mul_overflow(r->ts, scale, &r->ts))
		return false;
	r->has_unit = true;
	return true;
}

static struct event_string or_empty(struct event_string text)
{
	return text.text ? text : (struct event_string){ "", 0 };
}

static bool record_from_match(const struct text_match *match, struct text_record *r)
{
	struct event_string tid = text_group(match, "tid");

	if (!record_time(match, r))
		return false;
	r->form = match->pattern->form;
	r->comm = or_empty(text_group(match, "comm"));
	if (!strncmp(match->pattern->name, "latency", 7))
		r->comm = text_whole_name(r->comm);
	r->system = or_empty(text_group(match, "system"));
	r->event = or_empty(text_group(match, "event"));
	r->args = or_empty(text_group(match, "args"));
	r->pid = number_of(tid.text ? tid : text_group(match, "pid"), -1);
	r->cpu = number_of(text_group(match, "cpu"), -1);
	return r->event.len > 0;
}

static bool scan_type(struct text_patterns *patterns, enum text_pattern_type type, const char *text,
		      size_t len, struct text_record *record)
{
	struct text_match match;

	return text_match(patterns, type, text, len, &match) && record_from_match(&match, record);
}

bool text_scan_patterns(struct text_patterns *patterns, const char *text, size_t len,
			struct text_record *record)
{
	return scan_type(patterns, PATTERN_LAYOUT, text, len, record);
}

/* Can one of the prefixes that are tried first stand here? */
static bool may_have_prefix(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len && (text[i] == ' ' || text[i] == '\t'))
		i++;
	if (i == len)
		return false;
	return text[i] == '>' || text[i] == '[' || (text[i] >= '0' && text[i] <= '9') ||
	       (text[i] == '<' && i + 1 < len && text[i + 1] >= '0' && text[i + 1] <= '9') ||
	       (unsigned char)text[i] == 0xef;
}

/* Take off one prefix; a time in it is kept for lines that have none of their own. */
static bool strip_prefix(struct text_patterns *patterns, enum text_pattern_type type,
			 const char **text, size_t *len, struct text_line *line)
{
	struct text_match match;
	struct event_string ts;

	if (!text_match(patterns, type, *text, *len, &match) || !match.len)
		return false;
	ts = text_group(&match, "ts");
	line->of_a_log |= ts.text || text_group(&match, "log").text;
	if (ts.text)
		line->record.has_ts =
			text_time(ts.text, ts.len, &line->record.ts, &line->record.has_unit);
	*text += match.len;
	*len -= match.len;
	return true;
}

static bool classify_record(struct text_patterns *patterns, const char *text, size_t len,
			    struct text_line *line)
{
	struct text_record record;

	if (!text_scan(text, len, &record))
		return false;
	line->class = TEXT_RECORD;
	line->record = record;
	line->form = record.form;
	return true;
}

static bool classify_slowly(struct text_patterns *patterns, const char *text, size_t len,
			    struct text_line *line)
{
	static const struct {
		enum text_pattern_type type;
		enum text_class class;
	} steps[] = {
		{ PATTERN_LOSS, TEXT_LOSS },
		{ PATTERN_LOG, TEXT_LOG },
		{ PATTERN_DUMP, TEXT_DUMP },
		{ PATTERN_NOISE, TEXT_NOISE },
	};
	struct text_record record;

	if (text_scan_patterns(patterns, text, len, &record)) {
		line->class = TEXT_RECORD;
		line->record = record;
		line->form = record.form;
		return true;
	}
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (text_match(patterns, steps[i].type, text, len, &line->match)) {
			line->class = steps[i].class;
			line->form = line->match.pattern->form;
			return true;
		}
	return false;
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
			return false;
	return true;
}

static void clean_comm(struct text_record *r)
{
	if (is_text(r->comm, "<...>") || (r->comm.len && r->comm.text[0] == ':' && r->pid < 0))
		r->comm.len = 0;
}

void text_classify(struct text_patterns *patterns, const char *text, size_t len,
		   struct text_line *line)
{
	line->class = TEXT_UNKNOWN;
	line->form = TEXT_NONE;
	line->of_a_log = false;
	line->record = (struct text_record){ .pid = -1, .cpu = -1 };
	while (len && (text[len - 1] == '\r' || text[len - 1] == '\n'))
		len--;
	for (int i = 0; i < PREFIXES_MAX && may_have_prefix(text, len); i++)
		if (!strip_prefix(patterns, PATTERN_PREFIX, &text, &len, line))
			break;
	for (int i = 0; i < PREFIXES_MAX && line->class == TEXT_UNKNOWN; i++) {
		if (is_blank(text, len)) {
			line->class = TEXT_NOISE;
			line->match.pattern = NULL;
			break;
		}
		if (classify_record(patterns, text, len, line) ||
		    classify_slowly(patterns, text, len, line) ||
		    !(strip_prefix(patterns, PATTERN_PREFIX_LATE, &text, &len, line) ||
		      strip_prefix(patterns, PATTERN_PREFIX, &text, &len, line)))
			break;
	}
	if (line->class == TEXT_UNKNOWN &&
	    scan_type(patterns, PATTERN_LAYOUT_LAST, text, len, &line->record)) {
		line->class = TEXT_RECORD;
		line->form = line->record.form;
	}
	line->rest = (struct event_string){ text, (uint32_t)len };
	if (line->class == TEXT_RECORD)
		clean_comm(&line->record);
}

static bool is_stamp(const char *text, size_t len)
{
	const char *point = memchr(text, '.', len);
	size_t fraction = point ? len - (size_t)(point - text) - 1 : 0;
	uint64_t ts;
	bool unit;

	return (fraction == 6 || fraction == 9) && text_time(text, len, &ts, &unit);
}

static bool is_event_name(const char *text, size_t len)
{
	return memchr(text, '_', len) && vocab_find(NULL, text, len) != VOCAB_UNKNOWN;
}

bool text_is_torn_record(const char *text, size_t len)
{
	size_t word = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == ':' && i > word &&
		    (is_stamp(text + word, i - word) || is_event_name(text + word, i - word)))
			return true;
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '.')
			word = i + 1;
	}
	return false;
}
