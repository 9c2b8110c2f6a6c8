/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"
#include "capture/vocabulary/vocabulary.h"
#include "replay/calibrate.h"
#include "replay/workload/idmap.h"

#define PAUSE_NS       UINT64_C(50000)
#define SWAP_PAUSE_NS  UINT64_C(200000)
#define SWAP_WAIT_NS   UINT64_C(4000000) /* longer gaps of who swaps out are waits for the device */
#define SAMPLES_MIN    50		 /* fewer say nothing */
#define COVERED_MIN_NS UINT64_C(500000000)
#define SAMPLES_MAX    (1u << 20)
#define MAX_CPUS       4096
#define BULK_PAGES     128 /* twice what a CPU's list gives back at once */
#define CLASSIC_BATCH  32  /* SWAP_CLUSTER_MAX: the classic lists ask for no more */
#define FLAG_ANON      1
#define LRU_FILE       2 /* inactive */

enum sample_kind {
	SAMPLE_KEPT,	/* a page of a batch that freed nothing */
	SAMPLE_LOOKED,	/* the same, gaps included, of a batch in which nothing showed */
	SAMPLE_FREED,	/* a page of a batch that freed all */
	SAMPLE_WRITTEN, /* a page of a batch that wrote all */
	SAMPLE_BATCH,	/* between batches */
	SAMPLE_PASS,	/* between batches, slab shrinkers inside */
	SAMPLE_ALLOC,	/* add to alloc */
	SAMPLE_ADD,	/* alloc to add */
	SAMPLE_FREE,	/* free to free */
	SAMPLE_WAKE,	/* wakeup to wake */
	SAMPLE_PAUSE,
	SAMPLE_BULK, /* long gaps while a batch's pages go to the free lists */
	SAMPLE_NR
};

struct samples {
	uint64_t *value;
	uint32_t nr;
	size_t room;
};

struct task {
	uint16_t last_id;
	uint64_t last_ts;
	int64_t last_pfn;
	int32_t cpu;
	uint64_t isolate_ts, shrink_ts;
	uint64_t lost;	/* since the isolate, to pauses and others */
	uint64_t lists; /* time since the last add, up to the last page that went to its list */
	int64_t taken, written;
	bool in_batch, file, slab, lists_paused;
};

struct calibrator {
	uint64_t start, end;
	bool swap_waits; /* writers wait for the swap device */
	struct calibration result;
	struct samples samples[SAMPLE_NR];
	uint64_t look_ns; /* median of SAMPLE_LOOKED so far */
	struct idmap ids;
	struct task *tasks;
	size_t room_tasks;
	int32_t *cpu_pid;      /* who showed last on each CPU */
	uint64_t wake_request; /* ts of the first request since kswapd last woke */
	int32_t wake_cpu;      /* where it was made */
	int32_t kswapd;	       /* its pid, 0 unknown */
	uint64_t big_batches, batches;
	uint64_t freed; /* pages, by batches */
};

struct calibrator *calibrator_new(uint64_t start, uint64_t end, bool swap_waits)
{
	struct calibrator *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->start = start;
	c->end = end;
	c->swap_waits = swap_waits;
	c->cpu_pid = calloc(MAX_CPUS, sizeof(*c->cpu_pid));
	if (!c->cpu_pid) {
		free(c);
		return NULL;
	}
	return c;
}

void calibrator_free(struct calibrator *calibrator)
{
	if (!calibrator)
		return;
	for (int i = 0; i < SAMPLE_NR; i++)
		free(calibrator->samples[i].value);
	idmap_clear(&calibrator->ids);
	free(calibrator->tasks);
	free(calibrator->cpu_pid);
	free(calibrator);
}

static int sample(struct calibrator *c, enum sample_kind kind, uint64_t ns)
{
	struct samples *s = &c->samples[kind];

	if (s->nr == SAMPLES_MAX)
		return 0;
	if (rl_array_room(&s->value, &s->room, s->nr, sizeof(*s->value)))
		return -ENOMEM;
	s->value[s->nr++] = ns;
	return 0;
}

static struct task *task_of(struct calibrator *c, int32_t pid)
{
	uint32_t nr = idmap_get(&c->ids, (uint64_t)pid, 0);

	if (nr == UINT32_MAX)
		return NULL;
	if (rl_array_room(&c->tasks, &c->room_tasks, nr, sizeof(*c->tasks)))
		return NULL;
	return &c->tasks[nr];
}

/* Is the way from the task's last event to @ev known to be CPU time without waiting? */
static bool short_way(const struct task *task, const struct event *ev)
{
	if (task->in_batch)
		return true;
	if (task->last_id == VOCAB_mm_page_free && ev->id == VOCAB_mm_page_free && !task->in_batch)
		return true;
	return task->last_id == VOCAB_mm_page_alloc &&
	       ev->id == VOCAB_mm_filemap_add_to_page_cache &&
	       task->last_pfn == event_value(ev, mm_filemap_add_to_page_cache_pfn, -1);
}

/*
 * From what length on a gap of the task is a pause: unmapping waits for other CPUs now and then,
 * and all pages of a batch may be looked at before something shows.
 */
static uint64_t pause_from(const struct calibrator *c, const struct task *task)
{
	uint64_t least = task->in_batch && !task->file ? SWAP_PAUSE_NS : PAUSE_NS;
	uint64_t looks = task->in_batch ? 2 * c->look_ns * (uint64_t)task->taken : 0;

	return looks > least ? looks : least;
}

/* May the gap before @ev be the CPU's list of free pages that went back to the zone? */
static bool frees_in_bulk(const struct task *task, const struct event *ev)
{
	return task->in_batch &&
	       (task->last_id == VOCAB_mm_page_free ||
		task->last_id == VOCAB_mm_page_free_batched) &&
	       (ev->id == VOCAB_mm_page_free_batched ||
		ev->id == VOCAB_mm_vmscan_lru_shrink_inactive);
}

/* Pauses inside known CPU time. */
static int look_for_pause(struct calibrator *c, struct task *task, const struct event *ev)
{
	uint64_t gap = ev->ts - task->last_ts;

	if (!task->last_ts || task->cpu != ev->cpu || ev->cpu < 0 || ev->cpu >= MAX_CPUS ||
	    c->cpu_pid[ev->cpu] != ev->pid || !short_way(task, ev))
		return 0;
	if (gap < pause_from(c, task)) {
		c->result.covered_ns += gap;
		return 0;
	}
	if (task->in_batch && !task->file && gap >= SWAP_WAIT_NS && c->swap_waits)
		return 0;
	return sample(c, frees_in_bulk(task, ev) ? SAMPLE_BULK : SAMPLE_PAUSE, gap);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* What one in @part of the samples does not exceed. */
static uint32_t quantile(struct samples *s, uint32_t part)
{
	if (s->nr < SAMPLES_MIN)
		return 0;
	qsort(s->value, s->nr, sizeof(*s->value), compare_u64);
	return s->value[s->nr / part] < UINT32_MAX ? (uint32_t)s->value[s->nr / part] : UINT32_MAX;
}

static int looked(struct calibrator *c, uint64_t ns)
{
	struct samples *s = &c->samples[SAMPLE_LOOKED];
	int ret = sample(c, SAMPLE_LOOKED, ns);

	if (!ret && s->nr >= SAMPLES_MIN && !(s->nr & (s->nr - 1)))
		c->look_ns = quantile(s, 2);
	return ret;
}

static int batch_begins(struct calibrator *c, struct task *task, const struct event *ev)
{
	int ret = 0;

	c->batches++;
	c->big_batches +=
		event_value(ev, mm_vmscan_lru_isolate_nr_requested, CLASSIC_BATCH) > CLASSIC_BATCH;
	if (task->shrink_ts && ev->ts - task->shrink_ts < PAUSE_NS && !task->slab &&
	    task->last_id == VOCAB_mm_vmscan_lru_shrink_inactive)
		ret = sample(c, SAMPLE_BATCH, ev->ts - task->shrink_ts);
	else if (task->shrink_ts && task->slab)
		ret = sample(c, SAMPLE_PASS, ev->ts - task->shrink_ts);
	task->isolate_ts = ev->ts;
	task->taken = event_value(ev, mm_vmscan_lru_isolate_nr_taken, 0);
	task->written = 0;
	task->lost = 0;
	task->in_batch = task->taken > 0;
	task->file = event_value(ev, mm_vmscan_lru_isolate_lru, LRU_FILE) == LRU_FILE;
	task->slab = false;
	return ret;
}

static int batch_ends(struct calibrator *c, struct task *task, const struct event *ev)
{
	int64_t freed = event_value(ev, mm_vmscan_lru_shrink_inactive_nr_reclaimed, 0);
	int64_t referenced = event_value(ev, mm_vmscan_lru_shrink_inactive_nr_ref_keep, 0) +
			     event_value(ev, mm_vmscan_lru_shrink_inactive_nr_activate_anon, 0) +
			     event_value(ev, mm_vmscan_lru_shrink_inactive_nr_activate_file, 0) -
			     event_value(ev, mm_vmscan_lru_shrink_inactive_nr_writeback, 0) -
			     event_value(ev, mm_vmscan_lru_shrink_inactive_nr_dirty, 0);
	bool anon = event_value(ev, mm_vmscan_lru_shrink_inactive_flags, 0) & FLAG_ANON;
	uint64_t ns = ev->ts - task->isolate_ts;
	int ret = 0;

	if (!task->in_batch)
		return 0;
	task->in_batch = false;
	task->shrink_ts = ev->ts;
	if (referenced < 0)
		referenced = 0;
	if (freed > 0)
		c->freed += (uint64_t)freed;
	if (anon) {
		c->result.anon_looks += (uint64_t)task->taken;
		c->result.anon_referenced += (uint64_t)referenced;
	} else {
		c->result.file_looks += (uint64_t)task->taken;
		c->result.file_referenced += (uint64_t)referenced;
	}
	if (!task->written && !freed && task->last_id == VOCAB_mm_vmscan_lru_isolate)
		ret = looked(c, ns / (uint64_t)task->taken);
	if (ret)
		return ret;
	ns -= task->lost < ns ? task->lost : ns;
	if (task->written == task->taken)
		ret = sample(c, SAMPLE_WRITTEN, ns / (uint64_t)task->taken);
	else if (task->written)
		return 0;
	else if (freed == task->taken)
		ret = sample(c, SAMPLE_FREED, ns / (uint64_t)task->taken);
	else if (!freed && !task->lost)
		ret = sample(c, SAMPLE_KEPT, ns / (uint64_t)task->taken);
	return ret;
}

static int kswapd_event(struct calibrator *c, const struct task *task, const struct event *ev)
{
	int ret = 0;

	if (ev->id == VOCAB_mm_vmscan_wakeup_kswapd) {
		if (!c->wake_request) {
			c->wake_request = ev->ts;
			c->wake_cpu = ev->cpu;
		}
		return 0;
	}
	c->kswapd = ev->pid;
	if (c->wake_request) {
		ret = sample(c, SAMPLE_WAKE, ev->ts - c->wake_request);
		if (task->last_ts && task->cpu == c->wake_cpu && ev->cpu == c->wake_cpu)
			c->result.wakes_stayed++;
		else if (task->last_ts && task->cpu == c->wake_cpu)
			c->result.wakes_moved++;
	}
	c->wake_request = 0;
	return ret;
}

/* Did another task have kswapd's CPU since its last event, in the midst of its work? */
static void look_for_turn(struct calibrator *c, const struct task *task, const struct event *ev)
{
	if (ev->pid != c->kswapd || ev->id == VOCAB_mm_vmscan_kswapd_wake || task->cpu < 0 ||
	    task->cpu >= MAX_CPUS || ev->ts - task->last_ts < PAUSE_NS ||
	    c->cpu_pid[task->cpu] == ev->pid)
		return;
	if (task->cpu == ev->cpu)
		c->result.turns_stayed++;
	else
		c->result.turns_moved++;
}

static int cost_event(struct calibrator *c, struct task *task, const struct event *ev)
{
	uint64_t gap = ev->ts - task->last_ts;

	switch (ev->id) {
	case VOCAB_mm_vmscan_lru_isolate:
		return batch_begins(c, task, ev);
	case VOCAB_mm_vmscan_lru_shrink_inactive:
		return batch_ends(c, task, ev);
	case VOCAB_mm_vmscan_write_folio:
		task->written++;
		return 0;
	case VOCAB_mm_vmscan_lru_shrink_active:
		task->in_batch = false;
		return 0;
	case VOCAB_mm_shrink_slab_start:
	case VOCAB_mm_shrink_slab_end:
		task->slab = true;
		return 0;
	case VOCAB_mm_vmscan_wakeup_kswapd:
	case VOCAB_mm_vmscan_kswapd_wake:
		task->shrink_ts = 0;
		return kswapd_event(c, task, ev);
	case VOCAB_mm_page_alloc:
		if (task->last_id == VOCAB_mm_filemap_add_to_page_cache && gap < PAUSE_NS &&
		    !task->lists_paused)
			return sample(c, SAMPLE_ALLOC, gap + task->lists);
		return 0;
	case VOCAB_mm_filemap_add_to_page_cache:
		if (task->last_id == VOCAB_mm_page_alloc &&
		    task->last_pfn == event_value(ev, mm_filemap_add_to_page_cache_pfn, -1) &&
		    gap < PAUSE_NS)
			return sample(c, SAMPLE_ADD, gap);
		return 0;
	case VOCAB_mm_page_free:
		if (task->last_id == VOCAB_mm_page_free && !task->in_batch && gap < PAUSE_NS)
			return sample(c, SAMPLE_FREE, gap);
		return 0;
	default:
		return 0;
	}
}

int calibrator_event(struct calibrator *calibrator, const struct event *ev)
{
	struct task *task;
	int ret;

	if (ev->ts < calibrator->start || ev->ts >= calibrator->end)
		return 0;
	task = task_of(calibrator, ev->pid);
	if (!task)
		return -ENOMEM;
	look_for_turn(calibrator, task, ev);
	ret = look_for_pause(calibrator, task, ev);
	if (ev->ts - task->last_ts >= pause_from(calibrator, task))
		task->lost += ev->ts - task->last_ts;
	if (!ret)
		ret = cost_event(calibrator, task, ev);
	/* Pages of earlier adds that go to their list are part of the way to the next alloc. */
	if (ev->id == VOCAB_mm_lru_insertion &&
	    task->last_id == VOCAB_mm_filemap_add_to_page_cache) {
		task->lists += ev->ts - task->last_ts;
		task->lists_paused |= ev->ts - task->last_ts >= PAUSE_NS;
	} else {
		task->last_id = ev->id;
		task->lists = 0;
		task->lists_paused = false;
	}
	task->last_ts = ev->ts;
	task->last_pfn =
		ev->id == VOCAB_mm_page_alloc ? event_value(ev, mm_page_alloc_pfn, -1) : -1;
	task->cpu = ev->cpu;
	if (ev->cpu >= 0 && ev->cpu < MAX_CPUS)
		calibrator->cpu_pid[ev->cpu] = ev->pid;
	return ret;
}

static uint32_t mean(const struct samples *s)
{
	uint64_t sum = 0;

	if (s->nr < SAMPLES_MIN)
		return 0;
	for (uint32_t i = 0; i < s->nr; i++)
		sum += s->value[i];
	return sum / s->nr < UINT32_MAX ? (uint32_t)(sum / s->nr) : UINT32_MAX;
}

static void pause_process(struct calibration *out, struct samples *pauses)
{
	out->pauses = pauses->nr;
	if (pauses->nr < SAMPLES_MIN || out->covered_ns < COVERED_MIN_NS)
		return;
	qsort(pauses->value, pauses->nr, sizeof(*pauses->value), compare_u64);
	out->pause_gap_ns = (int64_t)(out->covered_ns / pauses->nr);
	for (size_t i = 0; i < CALIBRATE_QUANTILES; i++) {
		size_t from = i * pauses->nr / CALIBRATE_QUANTILES,
		       to = (i + 1) * pauses->nr / CALIBRATE_QUANTILES;
		uint64_t sum = 0;

		if (to == from)
			to++;
		for (size_t j = from; j < to; j++)
			sum += pauses->value[j];
		out->pause_quantile[i] = (int64_t)(sum / (to - from));
	}
}

/*
 * Long gaps while pages are freed come with the pages where they are work: each time that a CPU's
 * list is full. Then they are a part of what freeing costs, returned in ns a page. Else, or where
 * one is far longer than the others, it is a pause. Moves the pauses to their samples.
 */
static int sort_bulk(struct calibrator *c, uint32_t *page)
{
	struct samples *s = &c->samples[SAMPLE_BULK];
	uint64_t sum = 0, most = 2 * (uint64_t)quantile(s, 2);

	if ((uint64_t)s->nr * BULK_PAGES < c->freed)
		most = 0;
	for (uint32_t i = 0; i < s->nr; i++) {
		if (s->value[i] <= most)
			sum += s->value[i];
		else if (sample(c, SAMPLE_PAUSE, s->value[i]))
			return -ENOMEM;
	}
	c->result.covered_ns += sum;
	*page = c->freed ? (uint32_t)(sum / c->freed) : 0;
	return 0;
}

int calibrator_result(struct calibrator *calibrator, struct calibration *out)
{
	struct samples *s = calibrator->samples;
	uint32_t freed, written, bulk;
	int ret = sort_bulk(calibrator, &bulk);

	if (ret)
		return ret;
	*out = calibrator->result;
	freed = mean(&s[SAMPLE_FREED]);
	out->scan_page = mean(&s[SAMPLE_KEPT]);
	if (!out->scan_page)
		out->scan_page = freed / 4;
	out->reclaim_page = bulk + (freed > out->scan_page ? freed - out->scan_page : 0);
	written = mean(&s[SAMPLE_WRITTEN]);
	out->pageout = written > out->scan_page ? written - out->scan_page : 0;
	out->batch = mean(&s[SAMPLE_BATCH]);
	out->pass = quantile(&s[SAMPLE_PASS], 2);
	out->alloc = mean(&s[SAMPLE_ALLOC]);
	out->cache_add = mean(&s[SAMPLE_ADD]);
	out->free_page = mean(&s[SAMPLE_FREE]);
	out->wake = quantile(&s[SAMPLE_WAKE], 10);
	out->mglru = calibrator->big_batches * 2 > calibrator->batches;
	pause_process(out, &s[SAMPLE_PAUSE]);
	return 0;
}

uint64_t calibration_delay(const struct calibration *calibration)
{
	uint64_t sum = 0;
	unsigned __int128 squares = 0;

	if (!calibration->pause_gap_ns)
		return 0;
	for (size_t i = 0; i < CALIBRATE_QUANTILES; i++) {
		uint64_t ns = (uint64_t)calibration->pause_quantile[i];

		sum += ns;
		squares += (unsigned __int128)ns * ns;
	}
	/* share * left = mean / (gap + mean) * squares / (2 * sum) */
	return (uint64_t)(squares / 2 /
			  ((uint64_t)calibration->pause_gap_ns * CALIBRATE_QUANTILES + sum));
}
