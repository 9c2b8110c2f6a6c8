/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace.dat as a source: tracedat.h finds and orders the records, the vocabulary binds their
 * formats and decodes them. This file keeps what lies between: which common_type is which event,
 * what is wanted, names by pid, losses and damage.
 *
 * Records of unwanted events are counted inside the page decoder (tracedat_set_wanted). A lower
 * bound on a value (source_want_from) needs the record itself, so these pass through the merge and
 * are dropped here behind one load.
 */
#include "capture/read/source_ops.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"
#include "capture/read/tracedat.h"

#define PROGRESS_STEP 65536 /* records */
#define FORM_SIZE     48

/* What becomes of the records of one common_type. */
struct route {
	const struct vocab_bound *bound;
	const struct vocab_accessor *filter; /* NULL: every record is returned */
	int64_t min;			     /* of its value */
};

struct tracedat_source {
	struct source source;
	struct tracedat *td;
	struct vocab_binder *binder;
	enum source_want want[VOCAB_NR];
	bool filtered[VOCAB_NR];
	uint8_t filter_slot[VOCAB_NR];
	int64_t filter_min[VOCAB_NR];
	struct route *routes; /* TRACEDAT_IDS of them */
	uint64_t *bitmap;     /* of the wanted ids */
	bool started;
	bool big_endian;
	unsigned int steps;
	const struct tracedat_task **tasks; /* by pid, the last entry of a pid wins */
	size_t nr_tasks;
	struct source_loss *losses;
	size_t nr_losses, room_losses;
	char **damages;
	size_t nr_damages;
	uint64_t short_records; /* shorter than their format */
	char form[FORM_SIZE];
	char kernel[128], machine[64];
};

static struct tracedat_source *self_of(struct source *source)
{
	return (struct tracedat_source *)source;
}

static const struct tracedat_source *const_self_of(const struct source *source)
{
	return (const struct tracedat_source *)source;
}

static bool tracedat_source_match(const uint8_t *head, size_t size)
{
	return tracedat_magic(head, size);
}

static int add_damage(struct tracedat_source *self, const char *text)
{
	char **grown = realloc(self->damages, (self->nr_damages + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	self->damages = grown;
	grown[self->nr_damages] = strdup(text);
	if (!grown[self->nr_damages])
		return -ENOMEM;
	self->nr_damages++;
	return 0;
}

static int add_loss(struct tracedat_source *self, const struct source_loss *loss)
{
	if (rl_array_room(&self->losses, &self->room_losses, self->nr_losses,
			  sizeof(*self->losses)))
		return -ENOMEM;
	self->losses[self->nr_losses++] = *loss;
	return 0;
}

/* Bind every recorded format; those that cannot be parsed are damage, not failure. */
static int bind_formats(struct tracedat_source *self)
{
	struct tracedat_text kallsyms = tracedat_kallsyms(self->td);
	const struct tracedat_event *events;
	struct rl_msg msg;
	size_t count;
	int ret;

	self->binder =
		vocab_binder_new(tracedat_big_endian(self->td), tracedat_long_size(self->td));
	if (!self->binder)
		return -ENOMEM;
	if (kallsyms.size) {
		ret = vocab_binder_kallsyms(self->binder, kallsyms.data, kallsyms.size, &msg);
		if (ret == -ENOMEM || (ret && add_damage(self, msg.text)))
			return -ENOMEM;
	}
	events = tracedat_events(self->td, &count);
	for (size_t i = 0; i < count; i++) {
		ret = vocab_binder_add(self->binder, events[i].system, events[i].format.data,
				       events[i].format.size, &msg);
		if (ret == -ENOMEM || (ret && add_damage(self, msg.text)))
			return -ENOMEM;
	}
	return 0;
}

static int compare_tasks(const void *a, const void *b)
{
	const struct tracedat_task *const *x = a, *const *y = b;

	if ((*x)->pid != (*y)->pid)
		return (*x)->pid < (*y)->pid ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static int index_tasks(struct tracedat_source *self)
{
	const struct tracedat_task *tasks = tracedat_cmdlines(self->td, &self->nr_tasks);

	if (!self->nr_tasks)
		return 0;
	self->tasks = malloc(self->nr_tasks * sizeof(const struct tracedat_task *));
	if (!self->tasks)
		return -ENOMEM;
	for (size_t i = 0; i < self->nr_tasks; i++)
		self->tasks[i] = &tasks[i];
	qsort(self->tasks, self->nr_tasks, sizeof(const struct tracedat_task *), compare_tasks);
	return 0;
}

static const char *tracedat_source_comm(const struct source *source, int32_t pid)
{
	const struct tracedat_source *self = const_self_of(source);
	size_t low = 0, high = self->nr_tasks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (self->tasks[middle]->pid <= pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low && self->tasks[low - 1]->pid == pid ? self->tasks[low - 1]->comm : NULL;
}

/* "Linux host 6.1.0-57-amd64 #1 SMP ... x86_64 GNU/Linux": release and machine. */
static void split_uname(struct tracedat_source *self, const char *uname)
{
	const char *words[3] = { "" };
	size_t lens[3] = { 0 };
	const char *last = "";
	size_t last_len = 0;
	unsigned int n = 0;

	for (const char *p = uname; *p;) {
		size_t len = strcspn(p, " \n");

		if (len && n < 3) {
			words[n] = p;
			lens[n] = len;
		}
		if (len && !(len == 9 && !memcmp(p, "GNU/Linux", 9))) {
			last = p;
			last_len = len;
		}
		n += len > 0;
		p += len + strspn(p + len, " \n");
	}
	if (n < 3)
		return;
	snprintf(self->kernel, sizeof(self->kernel), "%.*s", (int)lens[2], words[2]);
	snprintf(self->machine, sizeof(self->machine), "%.*s", (int)last_len, last);
}

static void fill_info(struct tracedat_source *self)
{
	struct source_info *info = &self->source.info;
	const struct tracedat *td = self->td;

	snprintf(self->form, sizeof(self->form), "trace.dat v%d%s%s", tracedat_version(td),
		 strcmp(tracedat_compression(td), "none") ? " " : "",
		 strcmp(tracedat_compression(td), "none") ? tracedat_compression(td) : "");
	split_uname(self, tracedat_uname(td));
	info->form = SOURCE_TRACEDAT;
	info->form_name = self->form;
	info->kernel = self->kernel;
	info->machine = self->machine;
	info->clock = tracedat_clock(td);
	info->page_size = tracedat_page_size(td);
	for (unsigned int b = 0; b < tracedat_buffer_count(td); b++)
		if (tracedat_buffer(td, b)->cpu_count > info->cpus)
			info->cpus = tracedat_buffer(td, b)->cpu_count;
	info->time_known = tracedat_clock_is_ns(td);
}

static void tracedat_source_close(struct source *source)
{
	struct tracedat_source *self = self_of(source);

	for (size_t i = 0; i < self->nr_damages; i++)
		free(self->damages[i]);
	free(self->damages);
	free(self->losses);
	free(self->tasks);
	free(self->routes);
	free(self->bitmap);
	vocab_binder_free(self->binder);
	tracedat_close(self->td);
	free(self);
}

static int tracedat_source_open(const char *path, const struct rl_progress *progress,
				struct source **out, struct rl_msg *msg)
{
	struct tracedat_source *self = calloc(1, sizeof(*self));
	int ret;

	if (!self)
		return rl_fail_errno(msg, ENOMEM, "%s", path);
	self->source.ops = &source_tracedat_ops;
	for (unsigned int i = 0; i < VOCAB_NR; i++)
		self->want[i] = SOURCE_RETURN;
	ret = tracedat_open_watched(path, progress, &self->td, msg);
	if (ret) {
		free(self);
		return ret;
	}
	self->routes = calloc(TRACEDAT_IDS, sizeof(*self->routes));
	self->bitmap = calloc(TRACEDAT_IDS / 64, sizeof(*self->bitmap));
	ret = self->routes && self->bitmap ? 0 : -ENOMEM;
	if (!ret)
		ret = bind_formats(self);
	if (!ret)
		ret = index_tasks(self);
	if (ret) {
		tracedat_source_close(&self->source);
		return rl_fail_errno(msg, -ret, "%s", path);
	}
	fill_info(self);
	*out = &self->source;
	return 0;
}

static void tracedat_source_want(struct source *source, enum vocab_id id, enum source_want want)
{
	struct tracedat_source *self = self_of(source);

	self->want[id] = want;
	self->filtered[id] = false;
}

static void tracedat_source_want_from(struct source *source, enum vocab_id id, unsigned int slot,
				      int64_t min)
{
	struct tracedat_source *self = self_of(source);

	self->want[id] = SOURCE_RETURN;
	self->filtered[id] = true;
	self->filter_slot[id] = (uint8_t)slot;
	self->filter_min[id] = min;
}

static const struct vocab_accessor *accessor_of(const struct vocab_bound *bound, uint8_t slot)
{
	for (unsigned int i = 0; i < bound->nr_accessors; i++)
		if (bound->accessors[i].slot == slot)
			return &bound->accessors[i];
	return NULL;
}

/* Turn what is wanted into routes by common_type, before the first record. */
static void start(struct tracedat_source *self)
{
	const struct vocab_bound *bound;

	for (unsigned int i = 0; (bound = vocab_bound_at(self->binder, i)); i++) {
		struct route *route = &self->routes[bound->type];

		if (bound->id >= VOCAB_NR || self->want[bound->id] != SOURCE_RETURN)
			continue;
		route->bound = bound;
		if (self->filtered[bound->id]) {
			route->filter = accessor_of(bound, self->filter_slot[bound->id]);
			route->min = self->filter_min[bound->id];
			if (!route->filter)
				continue;
		}
		self->bitmap[bound->type / 64] |= UINT64_C(1) << bound->type % 64;
	}
	tracedat_set_wanted(self->td, self->bitmap);
	self->big_endian = tracedat_big_endian(self->td);
	self->started = true;
}

/* Whether a plain integer of the record is too small; anything else is decided when it is decoded.
 */
static bool filtered_out(const struct tracedat_source *self, const struct route *route,
			 const struct tracedat_record *rec)
{
	const struct vocab_accessor *a = route->filter;

	if (rec->size < (uint32_t)a->offset + a->size)
		return false;
	if (a->size == 4)
		return (int32_t)ring_load32(rec->data + a->offset, self->big_endian) < route->min;
	if (a->size == 8)
		return (int64_t)ring_load64(rec->data + a->offset, self->big_endian) < route->min;
	return false;
}

/* A flight recorder has everything from here on, and nothing is missing that it meant to keep. */
static int note_overwritten(struct tracedat_source *self, const struct tracedat_cpustat *stat)
{
	struct source_loss loss = { .cpu = stat->cpu,
				    .count = stat->overwritten,
				    .kind = "overwritten" };
	struct tracedat_cpu *cpu;
	uint64_t last;

	for (unsigned int i = 0; (cpu = tracedat_cpu(self->td, 0, i)); i++) {
		struct tracedat_extent extent;

		tracedat_cpu_extent(cpu, &extent);
		if (extent.cpu == stat->cpu)
			loss.has_ts = tracedat_cpu_span(cpu, &loss.ts, &last);
	}
	return add_loss(self, &loss);
}

/* Records of @stat's CPU whose loss the stream told of where they are missing. */
static uint64_t told_by_stream(const struct tracedat_source *self,
			       const struct tracedat_cpustat *stat)
{
	uint64_t told = 0;

	for (unsigned int b = 0; b < tracedat_buffer_count(self->td); b++) {
		const struct tracedat_buffer *buffer = tracedat_buffer(self->td, b);

		if (strcmp(buffer->name, stat->buffer) != 0)
			continue;
		for (unsigned int i = 0; i < buffer->cpu_count; i++) {
			const struct tracedat_cpu *cpu = tracedat_cpu(self->td, b, i);
			struct tracedat_extent extent;
			struct tracedat_loss loss;

			tracedat_cpu_extent(cpu, &extent);
			tracedat_cpu_loss(cpu, &loss);
			told += extent.cpu == stat->cpu ? loss.records : 0;
		}
	}
	return told;
}

/*
 * CPUSTAT of the recording: what the ring buffer had to overwrite or drop. Who reads a buffer that
 * was overwritten is told so by the next page, so only the rest of it is news.
 */
static int note_cpustats(struct tracedat_source *self)
{
	const struct tracedat_cpustat *stats;
	size_t count;
	int ret = 0;

	stats = tracedat_cpustats(self->td, &count);
	for (size_t i = 0; i < count && !ret; i++) {
		struct source_loss loss = { .cpu = stats[i].cpu };
		int64_t told = (int64_t)told_by_stream(self, &stats[i]);

		if (stats[i].overrun > told) {
			loss.count = stats[i].overrun - told;
			loss.kind = "overrun";
			ret = add_loss(self, &loss);
		}
		if (!ret && stats[i].dropped > 0) {
			loss.count = stats[i].dropped;
			loss.kind = "dropped";
			ret = add_loss(self, &loss);
		}
		if (!ret && stats[i].overwritten > 0)
			ret = note_overwritten(self, &stats[i]);
	}
	return ret;
}

static int note_damages(struct tracedat_source *self)
{
	const struct tracedat_damage *damages;
	char text[RL_MSG_SIZE];
	size_t count;
	int ret = 0;

	damages = tracedat_damages(self->td, &count);
	for (size_t i = 0; i < count && !ret; i++)
		ret = add_damage(self, damages[i].what);
	if (!ret && tracedat_damages_more(self->td)) {
		snprintf(text, sizeof(text), "%llu more damaged places",
			 (unsigned long long)tracedat_damages_more(self->td));
		ret = add_damage(self, text);
	}
	if (!ret && self->short_records) {
		snprintf(text, sizeof(text), "%llu records are shorter than their format",
			 (unsigned long long)self->short_records);
		ret = add_damage(self, text);
	}
	return ret;
}

#define MAX_CPUS 8192

/* Of a CPU: what its streams lost, and what of that is told already. */
struct tally {
	uint64_t records, unknown, told_records, told_unknown;
};

static int tally_streams(struct tracedat_source *self, struct tally **tally, size_t *room)
{
	for (unsigned int i = 0; i < tracedat_cpu_total(self->td); i++) {
		const struct tracedat_cpu *cpu = tracedat_cpu_at(self->td, i);
		struct tracedat_extent extent;
		struct tracedat_loss loss;

		tracedat_cpu_extent(cpu, &extent);
		tracedat_cpu_loss(cpu, &loss);
		if (extent.cpu < 0 || extent.cpu >= MAX_CPUS)
			continue;
		if (rl_array_room(tally, room, (size_t)extent.cpu, sizeof(**tally)))
			return -ENOMEM;
		(*tally)[extent.cpu].records += loss.records;
		(*tally)[extent.cpu].unknown += loss.unknown;
	}
	for (size_t i = 0; i < self->nr_losses; i++) {
		const struct source_loss *loss = &self->losses[i];

		if (loss->cpu < 0 || (size_t)loss->cpu >= *room)
			continue;
		if (loss->count < 0)
			(*tally)[loss->cpu].told_unknown++;
		else
			(*tally)[loss->cpu].told_records += (uint64_t)loss->count;
	}
	return 0;
}

/*
 * Gaps that no returned record told of: those before counted records, and the known ones that came
 * together with one of unknown length.
 */
static int note_untold(struct tracedat_source *self)
{
	struct tally *tally = NULL;
	size_t room = 0;
	int ret = tally_streams(self, &tally, &room);

	for (size_t cpu = 0; cpu < room && !ret; cpu++) {
		const struct tally *t = &tally[cpu];
		struct source_loss loss = { .cpu = (int32_t)cpu, .kind = "missed" };

		if (t->records > t->told_records) {
			loss.count = (int64_t)(t->records - t->told_records);
			ret = add_loss(self, &loss);
		}
		loss.count = -1;
		for (uint64_t i = t->told_unknown; i < t->unknown && !ret; i++)
			ret = add_loss(self, &loss);
	}
	free(tally);
	return ret;
}

static int finish(struct tracedat_source *self, struct rl_msg *msg)
{
	int ret = note_untold(self);

	if (!ret)
		ret = note_cpustats(self);
	if (!ret)
		ret = note_damages(self);
	return ret ? rl_fail_errno(msg, -ret, "%s", self->source.info.path) : 0;
}

static int note_missed(struct tracedat_source *self, const struct tracedat_record *rec)
{
	struct source_loss loss = { .cpu = rec->cpu,
				    .has_ts = true,
				    .ts = rec->ts,
				    .count = rec->missed,
				    .kind = "missed" };

	return add_loss(self, &loss);
}

static int tracedat_source_next(struct source *source, struct event *ev, struct rl_msg *msg)
{
	struct tracedat_source *self = self_of(source);
	const struct tracedat_record *rec;
	int ret;

	if (!self->started)
		start(self);
	while ((ret = tracedat_next(self->td, &rec)) > 0) {
		const struct route *route = &self->routes[rec->id];

		if (!(++self->steps % PROGRESS_STEP)) {
			ret = rl_progress_step(source->progress, "bytes", tracedat_walked(self->td),
					       tracedat_walk_total(self->td));
			if (ret)
				return rl_fail(msg, EINTR, "%s: interrupted", source->info.path);
		}
		if (rec->missed && note_missed(self, rec))
			return rl_fail_errno(msg, ENOMEM, "%s", source->info.path);
		if (route->filter && filtered_out(self, route, rec))
			continue;
		if (vocab_decode(self->binder, route->bound, rec->data, rec->size, ev)) {
			self->short_records++;
			continue;
		}
		if (route->filter && ev->value[route->filter->slot] < route->min)
			continue;
		ev->ts = rec->ts;
		ev->cpu = rec->cpu;
		ev->flags = source->info.time_known ? 0 : EVENT_NO_TIME_UNIT;
		ev->lost = rec->missed;
		ev->where = rec->offset;
		ev->comm.len = 0;
		return 1;
	}
	if (ret < 0)
		return rl_fail_errno(msg, -ret, "%s", source->info.path);
	return finish(self, msg);
}

static bool tracedat_source_span(const struct source *source, uint64_t *first, uint64_t *last)
{
	const struct tracedat_source *self = const_self_of(source);
	bool any = false;

	for (unsigned int i = 0; i < tracedat_cpu_total(self->td); i++) {
		uint64_t from, to;

		if (!tracedat_cpu_span(tracedat_cpu_at(self->td, i), &from, &to))
			continue;
		*first = any && *first < from ? *first : from;
		*last = any && *last > to ? *last : to;
		any = true;
	}
	return any;
}

static bool tracedat_source_count_at(const struct source *source, unsigned int i,
				     struct source_count *count)
{
	const struct tracedat_source *self = const_self_of(source);
	const struct vocab_bound *bound = vocab_bound_at(self->binder, i);

	if (!bound)
		return false;
	*count = (struct source_count){ .system = bound->system,
					.name = bound->name,
					.id = bound->id,
					.present = true,
					.records = tracedat_count(self->td, bound->type),
					.missing = bound->missing };
	return true;
}

static bool tracedat_source_loss_at(const struct source *source, unsigned int i,
				    struct source_loss *loss)
{
	const struct tracedat_source *self = const_self_of(source);

	if (i >= self->nr_losses)
		return false;
	*loss = self->losses[i];
	return true;
}

static const char *tracedat_source_damage_at(const struct source *source, unsigned int i)
{
	const struct tracedat_source *self = const_self_of(source);

	return i < self->nr_damages ? self->damages[i] : NULL;
}

const struct source_ops source_tracedat_ops = {
	.expects = "a trace.dat (trace-cmd 2.0 or later)",
	.match = tracedat_source_match,
	.open = tracedat_source_open,
	.close = tracedat_source_close,
	.want = tracedat_source_want,
	.want_from = tracedat_source_want_from,
	.next = tracedat_source_next,
	.comm = tracedat_source_comm,
	.span = tracedat_source_span,
	.count_at = tracedat_source_count_at,
	.loss_at = tracedat_source_loss_at,
	.damage_at = tracedat_source_damage_at,
};
