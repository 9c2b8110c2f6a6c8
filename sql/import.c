/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/import_private.h"
#include "sql/ingest.h"
#include "sql/ingest_histogram.h"

/* One run on its way into the store. */
struct import_run {
	struct store *store;
	const struct import_options *options;
	struct import_result *result;
	struct source *source;
	struct ingest *ingest;
	struct import_counters *counters;
	bool enabled; /* the recording lists its events */
	int64_t run;
};

static const char *comm_of(void *ctx, int32_t pid)
{
	return source_comm(ctx, pid);
}

/* A summary needs no page-rate events and nothing of single flusher works and dirtying writers. */
bool import_counts(enum vocab_id id, const struct import_options *options)
{
	const struct vocab_entry *entry = vocab_entry(id);

	if (entry->storage == VOCAB_COUNTED)
		return true;
	return options->count_pages &&
	       (entry->storage == VOCAB_COLUMNS ||
		(entry->storage == VOCAB_ROWS && !strcmp(entry->system, "writeback")));
}

static void choose_events(struct source *source, const struct import_options *options)
{
	for (unsigned int id = 0; id < VOCAB_NR; id++)
		if (import_counts(id, options))
			source_want(source, id, SOURCE_COUNT);
	if (options->count_pages)
		source_want_from(source, VOCAB_mm_page_alloc, mm_page_alloc_order,
				 options->huge_order);
}

/* A folder's file with the output of uname -a serves where the trace does not say it. */
static int find_uname(const struct import_list *list, int64_t owner, char *kernel,
		      size_t kernel_size, char *machine, size_t machine_size, struct rl_msg *msg)
{
	int ret = 0;

	for (size_t i = 0; i < list->nr && !ret; i++)
		if (list->input[i].type == IMPORT_UNAME && list->input[i].owner == owner)
			ret = import_uname(list->input[i].path, kernel, kernel_size, machine,
					   machine_size, msg);
	return ret;
}

static int begin_run(struct import_run *r, const struct import_list *list, int64_t index,
		     struct rl_msg *msg)
{
	const struct source_info *info = source_info(r->source);
	char kernel[128] = "", machine[64] = "";
	struct store_run run = { .kind = "recorded",
				 .source = list->input[index].name,
				 .form = info->form_name,
				 .kernel = info->kernel,
				 .machine = info->machine,
				 .clock = info->clock,
				 .time_known = info->time_known,
				 .page_size = info->page_size,
				 .cpus = info->cpus,
				 .parent = STORE_NULL,
				 .seed = STORE_NULL };
	int ret = 0;

	if (!*info->kernel) {
		ret = find_uname(list, index, kernel, sizeof(kernel), machine, sizeof(machine),
				 msg);
		run.kernel = kernel;
		run.machine = machine;
	}
	if (!ret)
		ret = store_run_begin(r->store, &run, &r->run, msg);
	if (!ret)
		ret = ingest_open(r->store, r->run, &r->ingest, msg);
	if (!ret)
		ret = import_counters_open(r->store, r->run, &r->counters, msg);
	if (!ret)
		ingest_names(r->ingest, comm_of, r->source);
	return ret;
}

/* A marker that is not for people: counters or histograms. Returns 1 when it was one. */
static int take_marker(struct import_run *r, const struct event *ev, struct rl_msg *msg)
{
	const struct event_string *text = &ev->string[print_buf];
	struct counter_marker marker;
	int ret;

	if (!event_has(ev, print_buf) || !counter_marker_parse(text->text, text->len, &marker))
		return import_counters_marker(r->counters, ev, msg);
	if (import_enabled_is(&marker)) {
		r->enabled = true;
		ret = import_enabled_take(r->store, &marker, msg);
	} else if (ingest_histogram_is(&marker)) {
		ret = ingest_histogram(r->ingest, &marker, ev, msg);
	} else {
		return import_counters_marker(r->counters, ev, msg);
	}
	return ret ? ret : 1;
}

static int take_events(struct import_run *r, struct rl_msg *msg)
{
	struct event ev;
	int ret;

	while ((ret = source_next(r->source, &ev, msg)) > 0) {
		ret = ev.id == VOCAB_print ? take_marker(r, &ev, msg) : 0;
		if (!ret)
			ret = ingest_event(r->ingest, &ev, msg);
		if (ret < 0)
			break;
	}
	return ret;
}

static uint64_t count_events(const struct source *source)
{
	struct source_count count;
	uint64_t sum = 0;

	for (unsigned int i = 0; source_count_at(source, i, &count); i++)
		sum += count.records;
	return sum;
}

/* The counter files that belong to the trace (or, with -1, to none). */
static int take_counters(struct import_run *r, const struct import_list *list, int64_t owner,
			 struct rl_msg *msg)
{
	int ret = 0;

	for (unsigned int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < list->nr && !ret; i++) {
			const struct import_input *input = &list->input[i];

			if (input->type == IMPORT_COUNTERS && input->owner == owner &&
			    input->rank == rank)
				ret = import_counters_file(r->counters, input->path, msg);
		}
	return ret;
}

static int end_run(struct import_run *r, uint64_t start, uint64_t end, uint64_t complete,
		   struct rl_msg *msg)
{
	int ret = import_counters_finish(r->counters, &start, &end, msg);

	if (!ret)
		ret = store_run_end(r->store, start, end, msg);
	if (!ret && complete)
		ret = store_run_from(r->store, r->run, complete, msg);
	r->result->run = r->run;
	r->result->runs++;
	r->result->snapshots += import_counters_snapshots(r->counters);
	return ret;
}

/* Damage of a trace.dat is told with the name of the file, that of a text begins with the line. */
static void note_damage(struct import_run *r, const char *name)
{
	bool named = source_info(r->source)->form == SOURCE_TRACEDAT;
	const char *what;

	for (unsigned int i = 0; (what = source_damage_at(r->source, i)); i++)
		if (!r->result->damages++)
			rl_fail(&r->result->damage, EBADMSG, "%s%s%s", named ? "" : name,
				named ? "" : ": ", what);
}

/* A trace.dat of which the damage left nothing is no run; a text may hold states of memory. */
static int refuse_empty(struct import_run *r, struct rl_msg *msg)
{
	const char *what = source_damage_at(r->source, 0);

	if (!what || source_info(r->source)->form != SOURCE_TRACEDAT || count_events(r->source))
		return 0;
	return rl_fail(msg, EBADMSG, "%s; no event can be read", what);
}

/* Stamps of a run that has none: the end lies before the start. */
static void span_of_run(struct import_run *r, uint64_t *start, uint64_t *end)
{
	if (!source_span(r->source, start, end) && !*end) {
		*start = 1;
		*end = 0;
	}
}

static int import_trace(struct import_run *r, const struct import_list *list, int64_t index,
			struct rl_msg *msg)
{
	uint64_t start = 0, end = 0, complete = 0;
	int ret;

	ret = source_open_watched(list->input[index].path, r->options->progress, &r->source, msg);
	if (ret)
		return ret;
	choose_events(r->source, r->options);
	ret = begin_run(r, list, index, msg);
	if (!ret)
		ret = take_events(r, msg);
	if (!ret)
		ret = ingest_finish(r->ingest, &start, &end, msg);
	span_of_run(r, &start, &end);
	if (!ret)
		ret = refuse_empty(r, msg);
	if (!ret)
		ret = import_coverage(r->store, r->run, r->source, r->options, msg);
	if (!ret && ingest_lacks_shrinks(r->ingest))
		ret = import_coverage_off(r->store, r->run, "mm_vmscan_lru_shrink_inactive", msg);
	if (!ret && r->enabled)
		ret = import_enabled_finish(r->store, r->run, msg);
	if (!ret)
		ret = import_losses(r->store, r->run, r->source, &complete, msg);
	if (!ret && !start && !end)
		start = 1; /* no event: the counters say when it was */
	if (!ret)
		ret = import_counters_reports(r->counters, r->source, msg);
	if (!ret)
		ret = take_counters(r, list, index, msg);
	if (!ret)
		ret = end_run(r, start, end, complete, msg);
	if (!ret)
		r->result->events += count_events(r->source);
	note_damage(r, list->input[index].name);
	return ret;
}

/* The first counter file stands for all of them. */
static const char *counters_path(const struct import_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->input[i].type == IMPORT_COUNTERS)
			return list->input[i].name;
	return "";
}

static int import_counters(struct import_run *r, const struct import_list *list, struct rl_msg *msg)
{
	char kernel[128] = "", machine[64] = "";
	struct store_run run = { .kind = "counters",
				 .source = counters_path(list),
				 .form = "counter files",
				 .kernel = kernel,
				 .machine = machine,
				 .clock = "uptime",
				 .time_known = true,
				 .parent = STORE_NULL,
				 .seed = STORE_NULL };
	int ret;

	ret = find_uname(list, -1, kernel, sizeof(kernel), machine, sizeof(machine), msg);
	if (!ret)
		ret = store_run_begin(r->store, &run, &r->run, msg);
	if (!ret)
		ret = import_counters_open(r->store, r->run, &r->counters, msg);
	if (!ret)
		ret = take_counters(r, list, -1, msg);
	return ret ? ret : end_run(r, 1, 0, 0, msg);
}

static void free_run(struct import_run *r)
{
	ingest_close(r->ingest);
	import_counters_close(r->counters);
	source_close(r->source);
	*r = (struct import_run){ .store = r->store, .options = r->options, .result = r->result };
}

int import_files(struct store *store, const char *const *paths, unsigned int count,
		 const struct import_options *options, struct import_result *result,
		 struct rl_msg *msg)
{
	struct import_run r = { .store = store, .options = options, .result = result };
	struct import_list list = { .spool.fd = -1 };
	bool orphans = false;
	int ret;

	*result = (struct import_result){ 0 };
	ret = import_list_make(&list, paths, count, msg);
	for (size_t i = 0; i < list.nr && !ret; i++) {
		if (list.input[i].type == IMPORT_COUNTERS && list.input[i].owner < 0)
			orphans = true;
		if (list.input[i].type != IMPORT_TRACE)
			continue;
		ret = import_trace(&r, &list, (int64_t)i, msg);
		free_run(&r);
	}
	if (!ret && orphans) {
		ret = import_counters(&r, &list, msg);
		free_run(&r);
	}
	ret = rl_spool_name(&list.spool, ret, msg);
	result->skipped = list.skipped;
	import_list_free(&list);
	return ret;
}
