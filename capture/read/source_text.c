/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text as a source: ftrace's trace and trace_pipe, trace-cmd report, perf script, atrace, kernel
 * logs, and copies of them out of mails.
 *
 * Lines come in the order of the file and so do events: a stamp that goes backwards (the clock
 * "local", a pasted text) is left as it is, and told once where it cannot be the clock's doing.
 * Every line is looked at together with the one behind it, because a mailer may have wrapped it: a
 * line that is nothing by itself is joined to the one before where that makes more of both, with a
 * blank or without. What is left over is counted and told with its number, never passed over in
 * silence.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/read/dump.h"
#include "capture/read/source_ops.h"
#include "capture/read/text_args.h"
#include "capture/read/text_clock.h"
#include "capture/read/text_input.h"
#include "capture/read/text_line.h"
#include "capture/read/text_tally.h"

#define PROGRESS_STEP 16384 /* lines */
#define JOINED_MAX    8192  /* bytes of a line that was put together */
#define JOINS_MAX     8
#define EXCERPTS      3
#define PROOF_LINES   20000 /* how far a proof of the gfp bits is looked for */

static const char expected[] =
	"ftrace, trace-cmd report, perf script or atrace text, a kernel log, or a counter file";

struct text_source {
	struct source source;
	struct text_input *in;
	struct text_patterns *patterns;
	struct text_args *args;
	struct text_tally *tally;
	enum source_want want[VOCAB_NR];
	bool filtered[VOCAB_NR];
	uint8_t filter_slot[VOCAB_NR];
	int64_t filter_min[VOCAB_NR];
	struct text_piece piece;     /* the line at hand ... */
	struct text_piece following; /* ... and the one behind it */
	struct text_line kept[2];
	unsigned int at; /* kept[at] is the line at hand, the other the following one */
	bool following_known;
	bool ended;
	bool html, html_data;
	uint64_t steps;
	bool any_record;  /* the trace's clock is the one that counts */
	uint64_t last_ts; /* of a record */
	struct text_clock clock;
	char *path; /* that can be opened again */
	unsigned int joins;
	size_t joined_len;
	char joined[JOINED_MAX];
	char scratch[JOINED_MAX];
	char comm[64];
	struct event trial;
};

static struct text_source *self_of(struct source *source)
{
	return (struct text_source *)source;
}

static const struct text_source *const_self_of(const struct source *source)
{
	return (const struct text_source *)source;
}

static bool is_perf_data(const uint8_t *head, size_t size)
{
	return size >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8));
}

/* What "atrace -z" writes: a deflated trace behind a line of text. */
static bool is_packed_atrace(const uint8_t *head, size_t size)
{
	static const char mark[] = "TRACE:\n";
	const uint8_t *at = memmem(head, size < 128 ? size : 128, mark, sizeof(mark) - 1);

	return at && (size_t)(at - head) + sizeof(mark) < size && at[sizeof(mark) - 1] == 0x78 &&
	       (0x7800 + at[sizeof(mark)]) % 31 == 0;
}

/* Text has no NUL and few control characters. */
static bool text_source_match(const uint8_t *head, size_t size)
{
	size_t control = 0, look = size < 4096 ? size : 4096;

	if (is_perf_data(head, size) || is_packed_atrace(head, size))
		return true;
	for (size_t i = 0; i < look; i++) {
		if (!head[i])
			return false;
		control += head[i] < ' ' && !strchr("\t\n\r\f\033", head[i]);
	}
	return size && control * 32 <= look;
}

static struct text_line *line_at_hand(struct text_source *self)
{
	return &self->kept[self->at];
}

/* Literal "\n\" at the end of lines of old systrace pages. */
static size_t without_script_end(const char *text, size_t len)
{
	while (len && (text[len - 1] == '\r' || text[len - 1] == '\n'))
		len--;
	return len > 3 && !memcmp(text + len - 3, "\\n\\", 3) ? len - 3 : len;
}

static bool piece_has(struct text_piece piece, const char *word)
{
	return memmem(piece.text, piece.len, word, strlen(word)) != NULL;
}

/* Keep track of where in a systrace page we are: only its data blocks hold a trace. */
static void note_html(struct text_source *self, struct text_piece piece)
{
	size_t i = 0;

	while (i < piece.len && (piece.text[i] == ' ' || piece.text[i] == '\t'))
		i++;
	if (i == piece.len || piece.text[i] != '<')
		return;
	if (piece_has(piece, "<!DOCTYPE html") || piece_has(piece, "<html"))
		self->html = true;
	if (piece_has(piece, "</script"))
		self->html_data = false;
	if (piece_has(piece, "class=\"trace-data\""))
		self->html_data = true;
}

static void classify(struct text_source *self, struct text_piece piece, struct text_line *line)
{
	size_t len = without_script_end(piece.text, piece.len);

	text_classify(self->patterns, piece.text, len, line);
	if (line->class == TEXT_UNKNOWN && self->html && !self->html_data)
		line->class = TEXT_NOISE;
}

/* Step to the next line. Returns 1, 0 at the end, or a negative errno. */
static int step(struct text_source *self, struct rl_msg *msg)
{
	const char *known = self->following_known ? self->following.text : NULL;
	int ret = text_input_next(self->in, &self->piece, &self->following, msg);

	if (ret <= 0)
		return ret;
	self->at ^= self->following_known;
	self->following_known = false;
	note_html(self, self->piece);
	/* What is known of the line points into it: not where the input has moved it. */
	if (known != self->piece.text)
		classify(self, self->piece, line_at_hand(self));
	return 1;
}

static const struct text_line *following_line(struct text_source *self)
{
	struct text_line *line = &self->kept[!self->at];

	if (!self->following.number)
		return NULL;
	if (!self->following_known) {
		classify(self, self->following, line);
		self->following_known = true;
	}
	return line;
}

/* The joined text as the line at hand; texts of what is known of it move along. */
static size_t join(struct text_source *self, const char *text, size_t len, const char *glue,
		   const struct text_line *more)
{
	size_t glue_len = strlen(glue);

	if (len + glue_len + more->rest.len >= JOINED_MAX)
		return 0;
	memmove(self->scratch, text, len);
	memcpy(self->scratch + len, glue, glue_len);
	memcpy(self->scratch + len + glue_len, more->rest.text, more->rest.len);
	return len + glue_len + more->rest.len;
}

static void adopt_scratch(struct text_source *self, size_t len)
{
	memcpy(self->joined, self->scratch, len);
	self->joined_len = len;
	self->joins++;
}

static bool score_is_better(struct text_score now, struct text_score before)
{
	if (now.slots > before.slots)
		return now.bad <= before.bad;
	return now.slots == before.slots && now.bad < before.bad;
}

static bool is_one_word(struct event_string text)
{
	return text.len && !memchr(text.text, ' ', text.len);
}

/*
 * Try to continue the arguments of the record at hand with the following line. @score is what they
 * came to so far. True when it was taken.
 */
static bool continue_record(struct text_source *self, enum vocab_id id,
			    struct event_string *arguments, struct text_score *score)
{
	const struct text_line *more = following_line(self);
	struct text_score with_blank, without;
	size_t blank_len, len;

	if (!more || more->class != TEXT_UNKNOWN || self->joins >= JOINS_MAX)
		return false;
	blank_len = join(self, arguments->text, arguments->len, " ", more);
	if (!blank_len)
		return false;
	with_blank = text_args_parse(self->args, id, self->scratch, blank_len, &self->trial);
	len = join(self, arguments->text, arguments->len, "", more);
	without = text_args_parse(self->args, id, self->scratch, len, &self->trial);
	if (score_is_better(without, *score) && !score_is_better(with_blank, without)) {
		*score = without;
	} else if (score_is_better(with_blank, *score)) {
		len = join(self, arguments->text, arguments->len, " ", more);
		*score = with_blank;
	} else if (!without.bad && without.slots == score->slots && with_blank.bad &&
		   is_one_word(more->rest)) {
		*score = without; /* a number or name was cut in two */
	} else {
		return false;
	}
	adopt_scratch(self, len);
	*arguments = (struct event_string){ self->joined, (uint32_t)self->joined_len };
	return true;
}

/* The following line has become part of the one at hand: step over it and keep the latter. */
static int swallow_following(struct text_source *self, struct rl_msg *msg)
{
	int ret = text_input_next(self->in, &self->piece, &self->following, msg);

	self->following_known = false;
	return ret < 0 ? ret : 0;
}

/* A record cut within what stands before its arguments: try with the following lines. */
static int join_fragment(struct text_source *self, bool *joined, struct rl_msg *msg)
{
	static const char *const glues[] = { " ", "" };
	struct text_line *line = line_at_hand(self);
	const struct text_line *more = following_line(self);

	*joined = false;
	if (!more || more->class != TEXT_UNKNOWN || !line->rest.len)
		return 0;
	for (int i = 0; i < 2; i++) {
		size_t len = join(self, line->rest.text, line->rest.len, glues[i], more);
		struct text_line trial;

		if (!len)
			return 0;
		text_classify(self->patterns, self->scratch, len, &trial);
		if (trial.class != TEXT_RECORD && trial.class != TEXT_LOG &&
		    trial.class != TEXT_DUMP)
			continue;
		adopt_scratch(self, len);
		text_classify(self->patterns, self->joined, len, line);
		*joined = true;
		return swallow_following(self, msg);
	}
	return 0;
}

static int note_loss(struct text_source *self, const struct text_match *match)
{
	struct event_string count = text_group(match, "count"), cpu = text_group(match, "cpu");
	struct event_string written = text_group(match, "written");
	int64_t n = -1, all, c = -1;

	if (count.text)
		vocab_parse(VOCAB_INT, count.text, count.len, &n);
	if (cpu.text)
		vocab_parse(VOCAB_INT, cpu.text, cpu.len, &c);
	if (written.text && !vocab_parse(VOCAB_INT, written.text, written.len, &all)) {
		n = all - n;
		if (n <= 0)
			return 0;
	}
	return text_tally_loss(self->tally, match->pattern->argument, (int32_t)c, n);
}

static void fill_event(struct text_source *self, const struct text_record *r, uint64_t number,
		       struct event *ev)
{
	ev->ts = r->ts;
	ev->cpu = r->cpu;
	ev->pid = r->pid;
	ev->flags = r->has_ts && r->has_unit ? 0 : EVENT_NO_TIME_UNIT;
	ev->where = number;
	ev->comm = r->comm;
	ev->lost = text_tally_take_loss(self->tally, r->cpu, r->has_ts, r->ts);
}

static bool is_wanted(const struct text_source *self, enum vocab_id id, const struct event *ev)
{
	if (!self->filtered[id])
		return true;
	return event_has(ev, self->filter_slot[id]) &&
	       ev->value[self->filter_slot[id]] >= self->filter_min[id];
}

/* The name of the task outlives the line that it stood in. */
static void keep_comm(struct text_source *self, struct text_record *r)
{
	if (r->comm.text == self->comm)
		return;
	if (r->comm.len > sizeof(self->comm))
		r->comm.len = sizeof(self->comm);
	memcpy(self->comm, r->comm.text, r->comm.len);
	r->comm.text = self->comm;
}

/*
 * The record at hand. Returns 1 with @ev filled in, 0 when it gave no event to return, or a
 * negative errno.
 */
static int take_record(struct text_source *self, struct event *ev, struct rl_msg *msg)
{
	struct text_record r = line_at_hand(self)->record;
	struct text_count *count = text_tally_event(self->tally, r.system, r.event);
	const struct text_line *more;
	uint64_t number = self->piece.number;
	struct text_score score;
	int ret;

	self->any_record = true;
	if (r.has_ts) {
		self->last_ts = r.ts;
		text_clock_note(&self->clock, number, r.cpu, r.ts, r.has_unit);
	}
	if (text_tally_comm(self->tally, r.pid, r.comm))
		return rl_fail_errno(msg, ENOMEM, "%s", self->source.info.path);
	if (!count || count->id == VOCAB_UNKNOWN) {
		if (count)
			count->records++;
		return 0;
	}
	more = following_line(self);
	if (self->want[count->id] == SOURCE_COUNT && !(more && more->class == TEXT_UNKNOWN)) {
		count->records++;
		return 0;
	}
	score = text_args_parse(self->args, count->id, r.args.text, r.args.len, ev);
	if (more && more->class == TEXT_UNKNOWN)
		keep_comm(self, &r);
	while (continue_record(self, count->id, &r.args, &score)) {
		ret = swallow_following(self, msg);
		if (ret)
			return ret;
	}
	if (self->joins)
		score = text_args_parse(self->args, count->id, r.args.text, r.args.len, ev);
	if (!score.slots) {
		ret = text_tally_unread(self->tally, true, number, "no key of the event",
					count->name, strlen(count->name));
		return ret ? rl_fail_errno(msg, -ret, "%s", self->source.info.path) : 0;
	}
	count->records++;
	count->have |= ev->have;
	if (self->want[count->id] == SOURCE_COUNT || !is_wanted(self, count->id, ev))
		return 0;
	fill_event(self, &r, number, ev);
	return 1;
}

/* The kernel log has a clock of its own: among records its lines are where they stand. */
static void place_log(struct text_source *self, struct text_record *r)
{
	if (!self->any_record) {
		if (r->has_ts)
			text_clock_note(&self->clock, self->piece.number, -1, r->ts, r->has_unit);
		return;
	}
	r->has_ts = r->has_unit = true;
	r->ts = self->last_ts;
}

static int take_log(struct text_source *self, struct event *ev, struct rl_msg *msg)
{
	struct text_line *line = line_at_hand(self);
	const char *name = vocab_entry(line->match.pattern->id)->name;
	struct event_string system = { "log", 3 }, event = { name, (uint32_t)strlen(name) };
	struct text_count *count = text_tally_event(self->tally, system, event);

	if (!count)
		return rl_fail_errno(msg, ENOMEM, "%s", self->source.info.path);
	text_args_log(self->args, &line->match, ev);
	count->records++;
	count->have |= ev->have;
	if (self->want[count->id] == SOURCE_COUNT || !is_wanted(self, count->id, ev))
		return 0;
	place_log(self, &line->record);
	fill_event(self, &line->record, self->piece.number, ev);
	return 1;
}

static int take_line(struct text_source *self, struct event *ev, struct rl_msg *msg)
{
	struct text_line *line = line_at_hand(self);
	uint64_t number = self->piece.number;
	bool joined = false;
	int ret = 0;

	self->joins = 0;
	if (line->class == TEXT_UNKNOWN)
		ret = join_fragment(self, &joined, msg);
	if (ret)
		return ret;
	switch (line->class) {
	case TEXT_RECORD:
		return take_record(self, ev, msg);
	case TEXT_LOG:
		return take_log(self, ev, msg);
	case TEXT_LOSS:
		ret = note_loss(self, &line->match);
		break;
	case TEXT_NOISE:
		break;
	case TEXT_DUMP:
		self->source.info.has_reports = true;
		break;
	case TEXT_UNKNOWN:
		/* A kernel log is full of lines about other things. */
		if (line->of_a_log)
			break;
		ret = text_tally_unread(self->tally,
					text_is_torn_record(line->rest.text, line->rest.len),
					number, "not understood", line->rest.text, line->rest.len);
		break;
	}
	return ret ? rl_fail_errno(msg, -ret, "%s", self->source.info.path) : 0;
}

static int finish(struct text_source *self, struct rl_msg *msg)
{
	if (self->ended)
		return 0;
	self->ended = true;
	if (text_tally_disorder(self->tally, self->clock.back_number, self->clock.back) ||
	    text_tally_finish(self->tally))
		return rl_fail_errno(msg, ENOMEM, "%s", self->source.info.path);
	return 0;
}

static int text_source_next(struct source *source, struct event *ev, struct rl_msg *msg)
{
	struct text_source *self = self_of(source);
	int ret;

	while ((ret = step(self, msg)) > 0) {
		if (!(++self->steps % PROGRESS_STEP)) {
			ret = rl_progress_step(source->progress, "bytes",
					       text_input_consumed(self->in),
					       text_input_size(self->in));
			if (ret)
				return rl_fail(msg, EINTR, "%s: interrupted", source->info.path);
		}
		ret = take_line(self, ev, msg);
		if (ret)
			return ret;
	}
	return ret ? ret : finish(self, msg);
}

/* The first lines that could not be read, for the message when there is nothing else. */
struct excerpts {
	unsigned int nr;
	size_t len;
	char text[320];
};

static void add_excerpt(struct excerpts *e, struct text_piece piece)
{
	int width = piece.len < 64 ? (int)without_script_end(piece.text, piece.len) : 64;

	if (e->nr == EXCERPTS || !piece.len)
		return;
	e->len += (size_t)snprintf(e->text + e->len, sizeof(e->text) - e->len,
				   "%sline %" PRIu64 " '%.*s'", e->nr ? ", " : "", piece.number,
				   width, piece.text);
	if (e->len >= sizeof(e->text))
		e->len = sizeof(e->text) - 1;
	e->nr++;
}

static void learn_form(struct text_source *self, const struct text_line *line)
{
	struct source_info *info = &self->source.info;

	switch (line->form) {
	case TEXT_ATRACE:
		info->form = SOURCE_ATRACE;
		info->form_name = self->html ? "systrace page" : "atrace text";
		break;
	case TEXT_PERF:
		info->form = SOURCE_PERF_SCRIPT;
		info->form_name = "perf script";
		break;
	case TEXT_TRACE_CMD:
		info->form_name = "trace-cmd report";
		break;
	case TEXT_FTRACE:
		if (!*info->form_name)
			info->form_name = "ftrace text";
		break;
	case TEXT_NONE:
		break;
	}
}

/* Does the line at hand show what bare gfp numbers mean? */
static bool is_proof(struct text_source *self)
{
	const struct text_record *r = &line_at_hand(self)->record;
	enum vocab_id id;

	if (line_at_hand(self)->class != TEXT_RECORD)
		return false;
	id = vocab_find(NULL, r->event.text, r->event.len);
	if (id == VOCAB_UNKNOWN)
		return false;
	text_args_parse(self->args, id, r->args.text, r->args.len, &self->trial);
	return text_proves_gfp(&self->trial);
}

/* Numbers of gfp flags can stand long before the line that tells how to read them. */
static int look_for_proof(struct text_source *self, struct rl_msg *msg)
{
	int ret = 1;

	for (unsigned int i = 0; i < PROOF_LINES && ret > 0; i++) {
		if (is_proof(self)) {
			text_args_gfp_known(self->args, true);
			return 0;
		}
		ret = step(self, msg);
	}
	return ret < 0 ? ret : 0;
}

/*
 * Read up to the first line that is an event: what the input is must be known before anything is
 * returned of it.
 */
static int look_ahead(struct text_source *self, const char *path, struct rl_msg *msg)
{
	struct excerpts excerpts = { 0 };
	struct text_match match;
	int ret;

	while ((ret = step(self, msg)) > 0) {
		struct text_line *line = line_at_hand(self);
		bool joined = false;

		self->joins = 0;
		learn_form(self, line);
		if (line->class == TEXT_UNKNOWN)
			ret = join_fragment(self, &joined, msg);
		if (ret < 0)
			return ret;
		if (line->class == TEXT_RECORD || line->class == TEXT_LOG ||
		    line->class == TEXT_DUMP) {
			self->source.info.time_known = line->record.has_ts && line->record.has_unit;
			if (line->class == TEXT_RECORD)
				return look_for_proof(self, msg);
			self->source.info.form_name = "kernel log";
			return 0;
		}
		if (line->class != TEXT_UNKNOWN)
			continue;
		if (text_match(self->patterns, PATTERN_REFUSED, line->rest.text, line->rest.len,
			       &match))
			return rl_fail(msg, ENOTSUP, "%s: line %" PRIu64 ": %s: %s", path,
				       self->piece.number, match.pattern->name,
				       match.pattern->argument);
		add_excerpt(&excerpts, self->piece);
	}
	if (ret < 0)
		return ret;
	if (!excerpts.nr && *self->source.info.form_name)
		return 0; /* a recording in which nothing happened */
	return rl_fail(msg, EINVAL, "%s: nothing understood, expected %s: %s", path, expected,
		       excerpts.nr ? excerpts.text : "only blank lines");
}

/* Binary relatives of what is read here are answered with what to do. */
static int refuse_binary(const char *path, struct rl_msg *msg)
{
	FILE *file = fopen(path, "rb");
	uint8_t head[128];
	size_t size = file ? fread(head, 1, sizeof(head), file) : 0;

	if (file)
		fclose(file);
	if (is_perf_data(head, size))
		return rl_fail(
			msg, ENOTSUP,
			"%s: perf.data; make text of it with: perf script -i %s --ns > %s.txt",
			path, path, path);
	if (is_packed_atrace(head, size))
		return rl_fail(msg, ENOTSUP,
			       "%s: a deflated atrace; record it without -z, or as a systrace page",
			       path);
	return 0;
}

static void text_source_close(struct source *source)
{
	struct text_source *self = self_of(source);

	text_input_close(self->in);
	text_args_free(self->args);
	text_tally_free(self->tally);
	text_patterns_free(self->patterns);
	free(self->path);
	free(self);
}

/* Passes a report on without its time, which is not on the trace's clock. */
struct untimed {
	const struct counters_visitor *to;
};

static int untimed_snapshot(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg)
{
	const struct untimed *untimed = ctx;
	struct counters_snapshot without = *snapshot;

	without.has_time = false;
	return untimed->to->snapshot(untimed->to->ctx, &without, msg);
}

static int untimed_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	const struct untimed *untimed = ctx;

	return untimed->to->value(untimed->to->ctx, value, msg);
}

static int text_source_reports(const struct source *source, const struct counters_visitor *visitor,
			       struct rl_msg *msg)
{
	const struct text_source *self = const_self_of(source);
	struct untimed untimed = { visitor };
	struct counters_visitor through = { untimed_snapshot, untimed_value, &untimed };

	if (!source->info.has_reports)
		return 0;
	return dump_read(self->path, self->any_record ? &through : visitor, msg);
}

static int rewind_input(struct text_source *self, const char *path, struct rl_msg *msg)
{
	text_input_close(self->in);
	self->in = NULL;
	self->following_known = false;
	self->html = self->html_data = false;
	return text_input_open(path, &self->in, msg);
}

static int text_source_open(const char *path, const struct rl_progress *progress,
			    struct source **out, struct rl_msg *msg)
{
	struct text_source *self;
	int ret = refuse_binary(path, msg);

	if (ret)
		return ret;
	self = calloc(1, sizeof(*self));
	if (!self)
		return rl_fail_errno(msg, ENOMEM, "%s", path);
	self->source.ops = &source_text_ops;
	self->source.info = (struct source_info){ .form = SOURCE_FTRACE_TEXT,
						  .path = path,
						  .form_name = "",
						  .kernel = "",
						  .machine = "",
						  .clock = "" };
	for (unsigned int i = 0; i < VOCAB_NR; i++)
		self->want[i] = SOURCE_RETURN;
	self->patterns = text_patterns_new();
	self->tally = text_tally_new();
	self->args = self->patterns ? text_args_new(self->patterns) : NULL;
	self->path = strdup(path);
	if (!self->tally || !self->args || !self->path)
		ret = rl_fail_errno(msg, ENOMEM, "%s", path);
	if (!ret)
		ret = text_input_open(path, &self->in, msg);
	if (!ret)
		ret = look_ahead(self, path, msg);
	if (!ret)
		ret = rewind_input(self, path, msg);
	if (ret) {
		text_source_close(&self->source);
		return ret;
	}
	*out = &self->source;
	return 0;
}

static void text_source_want(struct source *source, enum vocab_id id, enum source_want want)
{
	struct text_source *self = self_of(source);

	self->want[id] = want;
	self->filtered[id] = false;
}

static void text_source_want_from(struct source *source, enum vocab_id id, unsigned int slot,
				  int64_t min)
{
	struct text_source *self = self_of(source);

	self->want[id] = SOURCE_RETURN;
	self->filtered[id] = true;
	self->filter_slot[id] = (uint8_t)slot;
	self->filter_min[id] = min;
}

static const char *text_source_comm(const struct source *source, int32_t pid)
{
	return text_tally_comm_of(const_self_of(source)->tally, pid);
}

static bool text_source_span(const struct source *source, uint64_t *first, uint64_t *last)
{
	const struct text_source *self = const_self_of(source);

	*first = self->clock.first;
	*last = self->clock.last;
	return self->clock.any;
}

static bool text_source_count_at(const struct source *source, unsigned int i,
				 struct source_count *count)
{
	return text_tally_count_at(const_self_of(source)->tally, i, count);
}

static bool text_source_loss_at(const struct source *source, unsigned int i,
				struct source_loss *loss)
{
	return text_tally_loss_at(const_self_of(source)->tally, i, loss);
}

static const char *text_source_damage_at(const struct source *source, unsigned int i)
{
	return text_tally_damage_at(const_self_of(source)->tally, i);
}

const struct source_ops source_text_ops = {
	.expects = expected,
	.match = text_source_match,
	.open = text_source_open,
	.close = text_source_close,
	.want = text_source_want,
	.want_from = text_source_want_from,
	.next = text_source_next,
	.comm = text_source_comm,
	.span = text_source_span,
	.count_at = text_source_count_at,
	.loss_at = text_source_loss_at,
	.damage_at = text_source_damage_at,
	.reports = text_source_reports,
};
