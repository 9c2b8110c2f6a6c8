/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/recording.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/base/array.h"
#include "capture/base/map.h"
#include "capture/read/counters.h"
#include "capture/read/source.h"
#include "capture/vocabulary/vocabulary.h"
#include "replay/before.h"
#include "replay/machine.h"
#include "replay/notes.h"
#include "replay/origin.h"
#include "replay/recording_window.h"
#include "replay/workload/demand_file.h"

#define PATH_SIZE	ORIGIN_PATH_SIZE
#define PAGEBLOCK_ORDER 9 /* 2 MiB of 4 KiB pages, where nothing tells */
#define DEFAULT_PAGE	4096
#define HELD_BACK_MIN	8
#define WRITTEN_MIN	1000 /* pages: fewer do not tell a device */
#define HEAD_SIZE	65536

/* What a reading needs beside its result. */
struct reading {
	struct recording *rec;
	const struct rl_progress *progress;
	struct source *source;
	struct counter_set *set; /* where the values of a counter file go; NULL: nowhere */
	char trace[PATH_SIZE];
	char uname[128];
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/* ---- counter files ---- */

static int on_snapshot(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg)
{
	struct reading *r = ctx;

	r->set = NULL;
	if (!strcmp(snapshot->label, "before"))
		r->set = r->rec->before;
	else if (!strcmp(snapshot->label, "after"))
		r->set = r->rec->after;
	return 0;
}

static int on_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	struct reading *r = ctx;
	struct counter_set *set = counters_is_setting(value->source) ? r->rec->settings : r->set;

	if (!set)
		return 0;
	if (counter_set_put(set, counters_source_name(value->source), value->scope, value->name,
			    value->value))
		return rl_fail_errno(msg, ENOMEM, "counters");
	return 0;
}

/* A packed trace is not unpacked to find that it is no counter file. */
static bool looks_like_counters(const char *path)
{
	struct rl_input *in;
	char *head = malloc(HEAD_SIZE);
	ssize_t n = 0;
	bool like;

	if (head && !rl_input_open(path, &in, NULL)) {
		n = rl_input_read(in, head, HEAD_SIZE, NULL);
		rl_input_close(in);
	}
	like = n > 0 && counters_match(head, (size_t)n) != COUNTERS_NONE;
	free(head);
	return like;
}

/* Returns 1 when @path was a counter file, 0 when it is none, or a negative errno. */
static int take_counter_file(struct reading *r, const char *path, struct rl_msg *msg)
{
	const struct counters_visitor visitor = { on_snapshot, on_value, r };
	int ret;

	if (!looks_like_counters(path))
		return 0;
	ret = counters_read(path, &visitor, msg);
	if (ret == -EINVAL)
		return 0;
	return ret ? ret : 1;
}

static bool counter_name(const char *name)
{
	return ends_with(name, ".before") || ends_with(name, ".after") || !strcmp(name, "knobs") ||
	       !strcmp(name, "queues");
}

static void take_uname(struct reading *r, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[512], release[128];

	if (!file)
		return;
	if (fgets(line, sizeof(line), file) && sscanf(line, "%*s %*s %127s", release) == 1)
		memcpy(r->uname, release, sizeof(release));
	fclose(file);
}

static bool trace_name(const char *name)
{
	return strstr(name, ".dat") || !strncmp(name, "trace_pipe", 10) ||
	       !strncmp(name, "trace.", 6);
}

/* Counter files of @dir, and its trace unless @r has one. */
static int take_folder(struct reading *r, const char *dir, bool want_trace, struct rl_msg *msg)
{
	DIR *folder = opendir(dir);
	const struct dirent *entry;
	char path[PATH_SIZE];
	int ret = 0;

	if (!folder)
		return rl_fail_errno(msg, errno, "%s", dir);
	while (ret >= 0 && (entry = readdir(folder))) {
		if (snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name) >= PATH_SIZE)
			continue;
		if (!strcmp(entry->d_name, "uname"))
			take_uname(r, path);
		else if (counter_name(entry->d_name))
			ret = take_counter_file(r, path, msg);
		else if (want_trace && !r->trace[0] && trace_name(entry->d_name))
			memcpy(r->trace, path, sizeof(path));
	}
	closedir(folder);
	return ret < 0 ? ret : 0;
}

static int take_path(struct reading *r, const char *path, struct rl_msg *msg)
{
	struct stat st;
	int ret;

	if (stat(path, &st))
		return rl_fail_errno(msg, errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return take_folder(r, path, true, msg);
	ret = take_counter_file(r, path, msg);
	if (ret)
		return ret < 0 ? ret : 0;
	if (r->trace[0])
		return rl_fail(msg, EINVAL, "%s: a second trace; a replay takes one", path);
	if (snprintf(r->trace, sizeof(r->trace), "%s", path) >= PATH_SIZE)
		return rl_fail(msg, ENAMETOOLONG, "%s", path);
	return 0;
}

/* A trace alone: what lies beside it. */
static int take_neighbours(struct reading *r, struct rl_msg *msg)
{
	char dir[PATH_SIZE], *slash;

	memcpy(dir, r->trace, sizeof(dir));
	slash = strrchr(dir, '/');
	if (slash)
		*slash = '\0';
	return take_folder(r, slash ? (*dir ? dir : "/") : ".", false, msg);
}

/* ---- the trace ---- */

static int open_source(struct reading *r, struct rl_msg *msg)
{
	return source_open_watched(r->trace, r->progress, &r->source, msg);
}

/* ---- free pages of a zone, as far as the events tell them ---- */

#define MAX_TRACKED    16
#define MISSED_PERCENT 2 /* changes that no event tells */

/*
 * What reclaim_retry_zone says exactly, carried on by allocations and frees. Pages that come from
 * and go to per-CPU lists are counted as if they came from the zone, so that the figure is off by
 * as much as was moved since, at most by what these lists hold.
 */
struct tracked {
	int64_t node, type, start, end; /* frames */
	int64_t free, lists;
	uint64_t moved;
	bool known;
};

struct tracker {
	struct tracked zone[MAX_TRACKED];
	unsigned int nr;
};

static void tracker_init(struct tracker *tracker, const struct recording *rec)
{
	static const char *const names[] = { "DMA", "DMA32", "Normal", "HighMem", "Movable" };
	char scope[64], cpu_scope[96];

	for (int64_t node = 0; node < 2; node++)
		for (size_t type = 0; type < sizeof(names) / sizeof(*names); type++) {
			struct tracked *z = &tracker->zone[tracker->nr];

			snprintf(scope, sizeof(scope), "node %d zone %s", (int)node, names[type]);
			*z = (struct tracked){ .node = node, .type = (int64_t)type };
			if (!counter_set_get(rec->before, "zoneinfo", scope, "start_pfn",
					     &z->start) ||
			    !counter_set_get(rec->before, "zoneinfo", scope, "spanned", &z->end) ||
			    tracker->nr == MAX_TRACKED)
				continue;
			z->end += z->start;
			for (unsigned int cpu = 0; cpu < rec->cpus; cpu++) {
				snprintf(cpu_scope, sizeof(cpu_scope), "%s cpu %u", scope, cpu);
				z->lists += counter_set_value(rec->before, "zoneinfo", cpu_scope,
							      "high", 0);
			}
			tracker->nr++;
		}
}

static struct tracked *tracked_zone(struct tracker *tracker, int64_t node, int64_t type)
{
	for (unsigned int i = 0; i < tracker->nr; i++)
		if (tracker->zone[i].node == node && tracker->zone[i].type == type)
			return &tracker->zone[i];
	return NULL;
}

static void tracker_move(struct tracker *tracker, int64_t pfn, int64_t pages)
{
	for (unsigned int i = 0; i < tracker->nr; i++) {
		struct tracked *z = &tracker->zone[i];

		if (pfn < z->start || pfn >= z->end)
			continue;
		z->free += pages;
		z->moved += (uint64_t)(pages < 0 ? -pages : pages);
		return;
	}
}

static int64_t pages_of(int64_t order)
{
	return order >= 0 && order <= 20 ? INT64_C(1) << order : 0;
}

static void tracker_event(struct tracker *tracker, const struct event *ev)
{
	struct tracked *z;

	switch (ev->id) {
	case VOCAB_mm_page_alloc:
		tracker_move(tracker, event_value(ev, mm_page_alloc_pfn, -1),
			     -pages_of(event_value(ev, mm_page_alloc_order, 0)));
		return;
	case VOCAB_mm_page_free:
		tracker_move(tracker, event_value(ev, mm_page_free_pfn, -1),
			     pages_of(event_value(ev, mm_page_free_order, 0)));
		return;
	case VOCAB_reclaim_retry_zone:
		z = tracked_zone(tracker, event_value(ev, reclaim_retry_zone_nid, -1),
				 event_value(ev, reclaim_retry_zone_zone, -1));
		if (!z)
			return;
		z->free = event_value(ev, reclaim_retry_zone_available, 0) -
			  event_value(ev, reclaim_retry_zone_reclaimable, 0);
		z->moved = 0;
		z->known = true;
		return;
	case VOCAB_mm_compaction_begin:
		/* What it takes as targets no event tells. */
		for (unsigned int i = 0; i < tracker->nr; i++)
			if (tracker->zone[i].start ==
			    event_value(ev, mm_compaction_begin_zone_start, -1))
				tracker->zone[i].known = false;
		return;
	default:
		return;
	}
}

static void tracker_answer(struct tracker *tracker, struct recorded_decision *d)
{
	const struct tracked *z = tracked_zone(tracker, d->value[mm_compaction_suitable_nid],
					       d->value[mm_compaction_suitable_zone]);

	d->free = -1;
	if (d->id != VOCAB_mm_compaction_suitable || !z || !z->known || z->free < 0)
		return;
	d->free = z->free;
	d->slack = (int64_t)(z->moved * MISSED_PERCENT / 100);
	d->slack += (int64_t)z->moved < z->lists ? (int64_t)z->moved : z->lists;
}

static int note_decision(struct recording *rec, struct tracker *tracker, const struct event *ev)
{
	struct recorded_decision *decision;

	if (rl_array_room(&rec->decisions, &rec->room_decisions, rec->nr_decisions,
			  sizeof(*rec->decisions)))
		return -ENOMEM;
	decision = &rec->decisions[rec->nr_decisions++];
	decision->ts = ev->ts;
	decision->id = ev->id;
	memcpy(decision->value, ev->value, sizeof(decision->value));
	tracker_answer(tracker, decision);
	return 0;
}

struct collectors {
	struct extract *extract;
	struct calibrator *calibrator;
	struct response_reader *response;
	struct tracker tracker;
	uint64_t first, last;
	int64_t asked_zone, asked_order; /* of kswapd in the window before it first woke; -1 */
	bool woke;
};

/* A request that kswapd finds when it first wakes and that nobody made in the window is older. */
static void note_kswapd(struct recording *rec, struct collectors *c, const struct event *ev)
{
	int64_t zone, order;

	if (c->woke || ev->ts < rec->start)
		return;
	if (ev->id == VOCAB_mm_vmscan_wakeup_kswapd &&
	    !event_value(ev, mm_vmscan_wakeup_kswapd_nid, 0)) {
		zone = event_value(ev, mm_vmscan_wakeup_kswapd_zid, -1);
		order = event_value(ev, mm_vmscan_wakeup_kswapd_order, -1);
		c->asked_zone = zone > c->asked_zone ? zone : c->asked_zone;
		c->asked_order = order > c->asked_order ? order : c->asked_order;
	} else if (ev->id == VOCAB_mm_vmscan_kswapd_wake &&
		   !event_value(ev, mm_vmscan_kswapd_wake_nid, 0)) {
		zone = event_value(ev, mm_vmscan_kswapd_wake_zid, -1);
		order = event_value(ev, mm_vmscan_kswapd_wake_order, -1);
		c->woke = true;
		rec->kswapd_asked = c->asked_zone >= 0 && zone > c->asked_zone;
		if (rec->kswapd_asked && order > c->asked_order && order <= RECLAIM_MAX_ORDER)
			rec->kswapd_order = (uint32_t)order;
	}
}

static int collect(struct reading *r, struct collectors *c, const struct event *ev)
{
	int ret = extract_event(c->extract, ev);

	tracker_event(&c->tracker, ev);
	note_kswapd(r->rec, c, ev);
	if (!ret)
		ret = layout_event(r->rec->layout, ev);
	if (!ret)
		ret = calibrator_event(c->calibrator, ev);
	if (!ret)
		ret = response_event(c->response, ev);
	if (!ret && ev->ts >= r->rec->start && ev->ts < r->rec->end &&
	    (ev->id == VOCAB_reclaim_retry_zone || ev->id == VOCAB_compact_retry ||
	     ev->id == VOCAB_mm_compaction_suitable))
		ret = note_decision(r->rec, &c->tracker, ev);
	if (!c->first)
		c->first = ev->ts;
	c->last = ev->ts;
	return ret;
}

static void note_losses(struct recording *rec, const struct source *source)
{
	struct source_loss loss;

	for (unsigned int i = 0; source_loss_at(source, i, &loss); i++) {
		if (!source_loss_is_gap(&loss))
			continue;
		if (loss.count < 0 || rec->lost == UINT64_MAX)
			rec->lost = UINT64_MAX;
		else
			rec->lost += (uint64_t)loss.count;
	}
}

static void note_info(struct reading *r)
{
	const struct source_info *info = source_info(r->source);
	struct recording *rec = r->rec;

	snprintf(rec->kernel, sizeof(rec->kernel), "%s", *info->kernel ? info->kernel : r->uname);
	rec->page_size = info->page_size ? info->page_size : DEFAULT_PAGE;
	rec->cpus = info->cpus ? info->cpus : 1;
}

static const char *comm_of(void *ctx, int32_t pid)
{
	return source_comm(ctx, pid);
}

/* The mean answer of a device in the window, ns; 0 unknown. */
static uint64_t mean_wait(const struct recording *rec, const char *device)
{
	int64_t reads, ms;

	if (!device || !recording_counter_delta(rec, "diskstats", device, "reads", &reads) ||
	    !recording_counter_delta(rec, "diskstats", device, "read_time", &ms) || reads <= 0 ||
	    ms < 0)
		return 0;
	return (uint64_t)ms * 1000000 / (uint64_t)reads;
}

const char *recording_file_device(const struct recording *rec)
{
	const char *best = NULL, *scope;
	int64_t most = 0, sectors;

	for (unsigned int i = 0; (scope = counter_set_scope(rec->after, "diskstats", i)); i++) {
		if (scope == recording_swap_device(rec) ||
		    !recording_counter_delta(rec, "diskstats", scope, "read_sectors", &sectors) ||
		    sectors <= most)
			continue;
		most = sectors;
		best = scope;
	}
	return best;
}

const char *recording_swap_device(const struct recording *rec)
{
	const char *scope;
	int64_t in, out, read, written;

	if (!recording_delta(rec, "pswpin", &in) || !recording_delta(rec, "pswpout", &out) ||
	    in + out <= 0)
		return NULL;
	for (unsigned int i = 0; (scope = counter_set_scope(rec->after, "diskstats", i)); i++) {
		if (!recording_counter_delta(rec, "diskstats", scope, "read_sectors", &read) ||
		    !recording_counter_delta(rec, "diskstats", scope, "write_sectors", &written))
			continue;
		read = read * 512 / rec->page_size;
		written = written * 512 / rec->page_size;
		if (llabs(read - in) * 10 <= in + 64 && llabs(written - out) * 10 <= out + 64)
			return scope;
	}
	return NULL;
}

const char *recording_written_device(const struct recording *rec)
{
	const char *best = recording_file_device(rec), *swap = recording_swap_device(rec), *scope;
	int64_t written, out = 0, least;

	recording_delta(rec, "pswpout", &out);
	if (!recording_delta(rec, "nr_written", &written) || written - out < WRITTEN_MIN)
		return best;
	written -= out;
	least = written / 4;
	for (unsigned int i = 0; (scope = counter_set_scope(rec->after, "diskstats", i)); i++) {
		int64_t sectors, off;

		if (scope == swap ||
		    !recording_counter_delta(rec, "diskstats", scope, "write_sectors", &sectors))
			continue;
		off = llabs(sectors * 512 / rec->page_size - written);
		if (off >= least)
			continue;
		least = off;
		best = scope;
	}
	return best;
}

/*
 * Did writers wait for the device? The kernel holds them back (blk-wbt) with HELD_BACK_MIN requests
 * on their way at least, so there were that many in the mean while the device was busy. Where the
 * recording does not say, they may have.
 */
static bool held_back(const struct recording *rec, const char *device)
{
	int64_t ms, busy;

	if (!device || !recording_counter_delta(rec, "diskstats", device, "write_time", &ms) ||
	    !recording_counter_delta(rec, "diskstats", device, "io_time", &busy))
		return true;
	return ms >= HELD_BACK_MIN * busy;
}

static int open_collectors(struct reading *r, struct collectors *c)
{
	struct recording *rec = r->rec;
	const struct extract_options options = {
		.start = rec->start,
		.end = rec->end,
		.comm = comm_of,
		.ctx = r->source,
		.seed = 1,
		.read_wait_ns = mean_wait(rec, recording_file_device(rec)),
	};

	rec->response.start = rec->start;
	rec->response.end = rec->end;
	c->extract = extract_new(&options);
	rec->layout = layout_new((uint32_t)counter_set_value(rec->before, "pagetypeinfo", "",
							     "page block order", PAGEBLOCK_ORDER),
				 rec->start, rec->end);
	c->calibrator =
		calibrator_new(rec->start, rec->end, held_back(rec, recording_swap_device(rec)));
	c->response = response_reader_new(&rec->response);
	tracker_init(&c->tracker, rec);
	return c->extract && rec->layout && c->calibrator && c->response ? 0 : -ENOMEM;
}

/* Second pass: everything. */
static int read_events(struct reading *r, struct collectors *c, struct rl_msg *msg)
{
	struct event ev;
	int ret;

	while ((ret = source_next(r->source, &ev, msg)) > 0) {
		ret = collect(r, c, &ev);
		if (ret)
			return rl_fail_errno(msg, -ret, "%s", r->trace);
	}
	return ret;
}

static uint64_t delta_or_unknown(const struct recording *rec, const char *name, const char *old)
{
	int64_t delta;

	if (!recording_delta(rec, name, &delta) && !recording_delta(rec, old, &delta))
		return UINT64_MAX;
	return delta < 0 ? UINT64_MAX : (uint64_t)delta;
}

static int finish(struct reading *r, struct collectors *c, struct rl_msg *msg)
{
	struct recording *rec = r->rec;
	int ret = extract_finish(c->extract, rec->page_size, rec->cpus, &rec->demand, msg);

	if (ret)
		return ret;
	rec->counts = *extract_counts(c->extract);
	if (calibrator_result(c->calibrator, &rec->calibration))
		return rl_fail_errno(msg, ENOMEM, "%s", r->trace);
	note_losses(rec, r->source);
	rec->response.refault_anon = delta_or_unknown(rec, "workingset_refault_anon", "-");
	rec->response.refault_file =
		delta_or_unknown(rec, "workingset_refault_file", "workingset_refault");
	rec->response.activate_file =
		delta_or_unknown(rec, "workingset_activate_file", "workingset_activate");
	if (rec->response.refault_file != UINT64_MAX &&
	    rec->response.refault_file > rec->counts.refaulted_added &&
	    demand_note(rec->demand, BEFORE_NOTE, "%" PRIu64,
			rec->response.refault_file - rec->counts.refaulted_added))
		return rl_fail_errno(msg, ENOMEM, "%s", r->trace);
	if (demand_note(rec->demand, "source", "%s", r->trace) ||
	    demand_note(rec->demand, "kernel", "%s", rec->kernel))
		return rl_fail_errno(msg, ENOMEM, "%s", r->trace);
	return 0;
}

static int read_trace(struct reading *r, struct rl_msg *msg)
{
	struct collectors c = { .asked_zone = -1, .asked_order = -1 };
	int ret = recording_window(r->rec, r->trace, r->progress, msg);

	r->rec->answered = true;
	if (!ret && counter_set_empty(r->rec->before))
		ret = take_neighbours(r, msg);
	if (!ret)
		ret = recording_covered(r->rec, r->trace, r->progress, msg);
	if (!ret)
		ret = open_source(r, msg);
	if (ret)
		return ret;
	note_info(r);
	ret = open_collectors(r, &c);
	if (ret)
		ret = rl_fail_errno(msg, -ret, "%s", r->trace);
	if (!ret)
		ret = read_events(r, &c, msg);
	if (!ret)
		ret = finish(r, &c, msg);
	extract_free(c.extract);
	calibrator_free(c.calibrator);
	response_reader_free(c.response);
	source_close(r->source);
	r->source = NULL;
	return ret;
}

/* ---- a demand file instead ---- */

static bool is_demand_file(const char *path)
{
	char magic[sizeof(DEMAND_MAGIC) - 1];
	FILE *file = fopen(path, "re");
	bool is;

	if (!file)
		return false;
	is = fread(magic, sizeof(magic), 1, file) == 1 &&
	     !memcmp(magic, DEMAND_MAGIC, sizeof(magic));
	fclose(file);
	return is;
}

/* Counters that were given with the file say more of the machine than its notes. */
static int take_machine(struct reading *r, struct rl_msg *msg)
{
	struct recording *rec = r->rec;
	struct machine *machine = malloc(sizeof(*machine));
	int ret;

	if (!machine)
		return rl_fail_errno(msg, ENOMEM, "%s", r->trace);
	ret = notes_read(rec, machine, msg);
	if (ret < 0)
		rl_msg_prefix(msg, "%s", r->trace);
	if (ret <= 0 || counter_set_scope(rec->before, "zoneinfo", 0)) {
		free(machine);
		return ret < 0 ? ret : 0;
	}
	rec->machine = machine;
	machine_fix(machine);
	return 0;
}

static int read_demand(struct reading *r, struct rl_msg *msg)
{
	struct recording *rec = r->rec;
	int ret = demand_load(r->trace, &rec->demand, msg);

	if (ret)
		return ret;
	rec->is_demand = true;
	rec->page_size = rec->demand->page_size;
	rec->cpus = rec->demand->cpus;
	rec->start = rec->demand->start;
	rec->end = rec->start + rec->demand->duration;
	demand_note_find(rec->demand, "kernel", rec->kernel, sizeof(rec->kernel));
	rec->response.refault_anon = UINT64_MAX;
	rec->response.refault_file = UINT64_MAX;
	rec->response.activate_file = UINT64_MAX;
	ret = take_machine(r, msg);
	rec->answered = rec->response.end > rec->response.start;
	return ret;
}

/* An empty recording, and the reading that is to fill it. */
static int begin(struct reading *r, const struct rl_progress *progress, struct rl_msg *msg)
{
	struct recording *rec = calloc(1, sizeof(*rec));

	*r = (struct reading){ .rec = rec, .progress = progress };
	if (!rec)
		return rl_fail_errno(msg, ENOMEM, "recording");
	rec->before = counter_set_new();
	rec->after = counter_set_new();
	rec->settings = counter_set_new();
	if (!rec->before || !rec->after || !rec->settings)
		return rl_fail_errno(msg, ENOMEM, "recording");
	return 0;
}

/* Read the trace or demand file that was found. */
static int fill(struct reading *r, struct rl_msg *msg)
{
	bool demand = is_demand_file(r->trace);

	r->rec->path = strdup(r->trace);
	if (!r->rec->path)
		return rl_fail_errno(msg, ENOMEM, "recording");
	return demand ? read_demand(r, msg) : read_trace(r, msg);
}

static int hand_out(struct reading *r, int ret, struct recording **out)
{
	if (ret)
		recording_free(r->rec);
	else
		*out = r->rec;
	return ret;
}

int recording_open(const char *const *paths, unsigned int nr_paths,
		   const struct rl_progress *progress, struct recording **out, struct rl_msg *msg)
{
	struct reading r;
	int ret = begin(&r, progress, msg);

	for (unsigned int i = 0; !ret && i < nr_paths; i++)
		ret = take_path(&r, paths[i], msg);
	if (!ret && !r.trace[0])
		ret = rl_fail(msg, EINVAL, "%s: no trace in it", nr_paths ? paths[0] : "arguments");
	if (!ret)
		ret = fill(&r, msg);
	return hand_out(&r, ret, out);
}

int recording_open_run(const char *database, int64_t run, const struct rl_progress *progress,
		       struct recording **out, struct rl_msg *msg)
{
	struct origin origin = { 0 };
	struct reading r;
	int ret = begin(&r, progress, msg);

	if (!ret)
		ret = origin_read(database, run, &origin, r.rec->before, r.rec->after,
				  r.rec->settings, msg);
	if (!ret) {
		r.rec->run = origin.run;
		memcpy(r.trace, origin.trace, sizeof(r.trace));
		memcpy(r.uname, origin.kernel, sizeof(r.uname));
		ret = fill(&r, msg);
	}
	return hand_out(&r, ret, out);
}

bool recording_lacks_machine(const struct recording *recording)
{
	return recording->is_demand && !recording->machine &&
	       !counter_set_scope(recording->before, "zoneinfo", 0);
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	counter_set_free(recording->before);
	counter_set_free(recording->after);
	counter_set_free(recording->settings);
	demand_free(recording->demand);
	response_clear(&recording->response);
	layout_free(recording->layout);
	free(recording->machine);
	free(recording->decisions);
	free(recording->path);
	free(recording);
}

bool recording_counter_delta(const struct recording *recording, const char *source,
			     const char *scope, const char *name, int64_t *delta)
{
	int64_t before, after;

	if (recording->begin_unknown ||
	    !counter_set_get(recording->before, source, scope, name, &before) ||
	    !counter_set_get(recording->after, source, scope, name, &after))
		return false;
	*delta = after - before;
	return true;
}

bool recording_delta(const struct recording *recording, const char *name, int64_t *delta)
{
	return recording_counter_delta(recording, "vmstat", "", name, delta);
}
