/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"
#include "capture/vocabulary/vocabulary.h"
#include "replay/response.h"
#include "replay/workload/idmap.h"

#define NS_PER_S    UINT64_C(1000000000)
#define MAX_SECONDS (1u << 20)
#define FLAG_ANON   1

struct task {
	bool kswapd;
	uint8_t direct, memcg; /* depth */
	uint64_t begin;
	uint64_t cycle_pages;
	bool cycle;
};

struct response_reader {
	struct response *response;
	struct idmap ids;
	struct task *tasks;
	size_t room;
};

struct response_reader *response_reader_new(struct response *response)
{
	struct response_reader *reader = calloc(1, sizeof(*reader));

	if (reader)
		reader->response = response;
	return reader;
}

void response_reader_free(struct response_reader *reader)
{
	if (!reader)
		return;
	idmap_clear(&reader->ids);
	free(reader->tasks);
	free(reader);
}

void response_clear(struct response *response)
{
	free(response->stall_times);
	free(response->wake_pages);
	free(response->seconds);
	response->stall_times = NULL;
	response->wake_pages = NULL;
	response->seconds = NULL;
	response->nr_stall_times = response->room_stall_times = 0;
	response->nr_wake_pages = response->room_wake_pages = 0;
	response->nr_seconds = response->room_seconds = 0;
}

static struct task *task_of(struct response_reader *reader, int32_t pid)
{
	uint32_t nr = idmap_get(&reader->ids, (uint64_t)pid, 0);

	if (nr == UINT32_MAX ||
	    rl_array_room(&reader->tasks, &reader->room, nr, sizeof(*reader->tasks)))
		return NULL;
	return &reader->tasks[nr];
}

/* The second of @ts, or NULL when it is outside the window or memory is short. */
static struct response_second *second_of(struct response *res, uint64_t ts)
{
	size_t at = (ts - res->start) / NS_PER_S;

	if (at >= MAX_SECONDS)
		return NULL;
	if (rl_array_room(&res->seconds, &res->room_seconds, at, sizeof(*res->seconds)))
		return NULL;
	if (at >= res->nr_seconds)
		res->nr_seconds = at + 1;
	return &res->seconds[at];
}

static enum response_actor actor_of(const struct task *task)
{
	if (task->memcg)
		return RESPONSE_MEMCG;
	return task->kswapd ? RESPONSE_KSWAPD : RESPONSE_DIRECT;
}

static int isolated(struct response *res, const struct task *task, const struct event *ev)
{
	int64_t lru = event_value(ev, mm_vmscan_lru_isolate_lru, 2);
	uint64_t scanned = (uint64_t)event_value(ev, mm_vmscan_lru_isolate_nr_scanned, 0);
	struct response_second *second;

	if (lru == 1 || lru == 3) {
		res->refill += scanned;
		return 0;
	}
	if (lru > 3)
		return 0;
	res->scan[actor_of(task)] += scanned;
	if (lru == 0)
		res->scan_anon += scanned;
	else
		res->scan_file += scanned;
	second = second_of(res, ev->ts);
	if (second)
		second->scan[actor_of(task)] += scanned;
	return 0;
}

static void shrunk(struct response *res, struct task *task, const struct event *ev)
{
	uint64_t stolen = (uint64_t)event_value(ev, mm_vmscan_lru_shrink_inactive_nr_reclaimed, 0);
	struct response_second *second = second_of(res, ev->ts);

	res->steal[actor_of(task)] += stolen;
	if (event_value(ev, mm_vmscan_lru_shrink_inactive_flags, 0) & FLAG_ANON) {
		res->steal_anon += stolen;
		if (second)
			second->steal_anon += stolen;
	} else {
		res->steal_file += stolen;
	}
	res->activated +=
		(uint64_t)event_value(ev, mm_vmscan_lru_shrink_inactive_nr_activate_anon, 0) +
		(uint64_t)event_value(ev, mm_vmscan_lru_shrink_inactive_nr_activate_file, 0);
	res->kept += (uint64_t)event_value(ev, mm_vmscan_lru_shrink_inactive_nr_ref_keep, 0);
	if (task->kswapd)
		task->cycle_pages += stolen;
}

static int cycle_ends(struct response *res, struct task *task)
{
	if (!task->cycle)
		return 0;
	task->cycle = false;
	if (rl_array_room(&res->wake_pages, &res->room_wake_pages, res->nr_wake_pages,
			  sizeof(*res->wake_pages)))
		return -ENOMEM;
	res->wake_pages[res->nr_wake_pages++] = task->cycle_pages;
	task->cycle_pages = 0;
	return 0;
}

static int kswapd_wakes(struct response *res, struct task *task, const struct event *ev)
{
	struct response_second *second = second_of(res, ev->ts);
	int ret = cycle_ends(res, task);

	res->wakes++;
	if (second)
		second->wakes++;
	task->cycle = true;
	return ret;
}

static void written(struct response *res, const struct event *ev)
{
	struct response_second *second = second_of(res, ev->ts);

	res->writes++;
	if (second)
		second->writes++;
}

static int stall_ends(struct response *res, const struct task *task, const struct event *ev)
{
	uint64_t begin = task->begin > res->start ? task->begin : res->start;
	struct response_second *second = second_of(res, ev->ts);

	if (rl_array_room(&res->stall_times, &res->room_stall_times, res->nr_stall_times,
			  sizeof(*res->stall_times)))
		return -ENOMEM;
	res->stall_times[res->nr_stall_times++] = ev->ts - begin;
	res->stall_ns += ev->ts - begin;
	res->stalls++;
	if (second)
		second->stalls++;
	return 0;
}

static void throttled(struct response *res, const struct task *task, const struct event *ev)
{
	int64_t mask = event_value(ev, mm_vmscan_throttled_reason, 0);
	int64_t delayed = event_value(ev, mm_vmscan_throttled_usec_delayed, 0);
	int64_t timeout = event_value(ev, mm_vmscan_throttled_usec_timeout, 0);

	for (int i = 0; i < RESPONSE_NR_REASONS; i++) {
		if (!(mask & (1 << i)))
			continue;
		res->throttles[i][!task->kswapd]++;
		res->throttle_us[i][!task->kswapd] += delayed > 0 ? (uint64_t)delayed : 0;
		res->throttle_full[i][!task->kswapd] += timeout > 0 && delayed >= timeout;
		return;
	}
}

/* Begins and ends are followed outside the window too. */
static int context(struct response_reader *reader, struct task *task, const struct event *ev,
		   bool inside)
{
	switch (ev->id) {
	case VOCAB_mm_vmscan_direct_reclaim_begin:
		if (!task->direct++)
			task->begin = ev->ts;
		return 0;
	case VOCAB_mm_vmscan_direct_reclaim_end:
		if (task->direct && !--task->direct && inside)
			return stall_ends(reader->response, task, ev);
		return 0;
	case VOCAB_mm_vmscan_memcg_reclaim_begin:
		task->memcg++;
		return 0;
	case VOCAB_mm_vmscan_memcg_reclaim_end:
		if (task->memcg)
			task->memcg--;
		return 0;
	case VOCAB_mm_vmscan_kswapd_sleep:
		task->kswapd = true;
		if (!inside)
			return 0;
		reader->response->sleeps++;
		return cycle_ends(reader->response, task);
	case VOCAB_mm_vmscan_kswapd_wake:
		task->kswapd = true;
		return inside ? kswapd_wakes(reader->response, task, ev) : 0;
	default:
		return 0;
	}
}

int response_event(struct response_reader *reader, const struct event *ev)
{
	struct response *res = reader->response;
	bool inside = ev->ts >= res->start && ev->ts < res->end;
	struct task *task;

	switch (ev->id) {
	case VOCAB_mm_vmscan_direct_reclaim_begin:
	case VOCAB_mm_vmscan_direct_reclaim_end:
	case VOCAB_mm_vmscan_memcg_reclaim_begin:
	case VOCAB_mm_vmscan_memcg_reclaim_end:
	case VOCAB_mm_vmscan_kswapd_sleep:
	case VOCAB_mm_vmscan_kswapd_wake:
		break;
	case VOCAB_mm_vmscan_lru_isolate:
	case VOCAB_mm_vmscan_lru_shrink_inactive:
	case VOCAB_mm_vmscan_throttled:
	case VOCAB_mm_vmscan_wakeup_kswapd:
	case VOCAB_mm_vmscan_write_folio:
	case VOCAB_mm_page_alloc_extfrag:
		if (inside)
			break;
		return 0;
	default:
		return 0;
	}
	task = task_of(reader, ev->pid);
	if (!task)
		return -ENOMEM;
	switch (ev->id) {
	case VOCAB_mm_vmscan_lru_isolate:
		return isolated(res, task, ev);
	case VOCAB_mm_vmscan_lru_shrink_inactive:
		shrunk(res, task, ev);
		return 0;
	case VOCAB_mm_vmscan_throttled:
		throttled(res, task, ev);
		return 0;
	case VOCAB_mm_vmscan_wakeup_kswapd:
		res->wake_requests++;
		return 0;
	case VOCAB_mm_vmscan_write_folio:
		written(res, ev);
		return 0;
	case VOCAB_mm_page_alloc_extfrag:
		res->fallbacks++;
		return 0;
	default:
		return context(reader, task, ev, inside);
	}
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t response_stall_percentile(const struct response *response, unsigned int percent)
{
	size_t n = response->nr_stall_times, rank;
	uint64_t *sorted, value;

	if (!n)
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return 0;
	memcpy(sorted, response->stall_times, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_u64);
	rank = (n * percent + 99) / 100;
	value = sorted[rank ? rank - 1 : 0];
	free(sorted);
	return value;
}

bool response_correlation(const double *a, const double *b, size_t n, double *r)
{
	double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;

	if (n < 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		ma += a[i] / (double)n;
		mb += b[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		ab += (a[i] - ma) * (b[i] - mb);
		aa += (a[i] - ma) * (a[i] - ma);
		bb += (b[i] - mb) * (b[i] - mb);
	}
	if (aa <= 0 || bb <= 0)
		return false;
	*r = ab / sqrt(aa * bb);
	return true;
}
