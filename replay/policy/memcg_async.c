/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * memcg_async.c - background reclaim below a cgroup's limit
 *
 * Proposed in 2011: a worker starts when usage comes within 4 MiB of the limit and stops at 8 MiB
 * below, for limits of 128 MiB and more. A run scans at most 2048 pages and frees at most 1024; one
 * that frees less than half of its goal waits a tenth of a second before the next.
 */
#include <errno.h>
#include <stdio.h>

#include "builtin.h"

#define PAGES(kb) ((uint64_t)(kb) / 4)

struct memcg_async {
	int64_t start_kb, stop_kb, min_limit_kb, events, scan, reclaim, again_ms;
};

static const struct reclaim_policy_param params[] = {
	{ "start_kb", "start within so many KiB of the limit", 4, 1 << 30, 4096 },
	{ "stop_kb", "stop at so many KiB below the limit", 4, 1 << 30, 8192 },
	{ "min_limit_kb", "least limit in KiB that has a worker", 0, 1 << 30, 131072 },
	{ "events", "charges of 64 pages between two looks", 1, 1 << 20, 8 },
	{ "scan", "most pages to scan in a run", 32, 1 << 24, 2048 },
	{ "reclaim", "most pages to free in a run", 32, 1 << 24, 1024 },
	{ "again_ms", "wait after a run that freed less than half its goal, in ms", 0, 100000,
	  100 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	struct memcg_async *s = state;

	if (values[1] < values[0]) {
		snprintf(error->text, sizeof(error->text),
			 "policy memcg-async: stop_kb=%lld is less than start_kb=%lld",
			 (long long)values[1], (long long)values[0]);
		return -EINVAL;
	}
	s->start_kb = values[0];
	s->stop_kb = values[1];
	s->min_limit_kb = values[2];
	s->events = values[3];
	s->scan = values[4];
	s->reclaim = values[5];
	s->again_ms = values[6];
	return 0;
}

static bool background(void *state, const struct reclaim_memcg_view *v,
		       struct reclaim_memcg_plan *out)
{
	const struct memcg_async *s = state;
	uint64_t stop = PAGES(s->stop_kb), target;

	if (v->max == UINT64_MAX || v->max < PAGES(s->min_limit_kb) || v->max <= stop)
		return false;
	if (!v->running &&
	    (v->events < (uint64_t)s->events || v->usage + PAGES(s->start_kb) < v->max))
		return false;
	target = v->max - stop;
	out->reclaim = v->usage > target ? v->usage - target : 0;
	if (out->reclaim > (uint64_t)s->reclaim)
		out->reclaim = (uint64_t)s->reclaim;
	out->scan_limit = (uint64_t)s->scan;
	out->again_ns = s->again_ms * 1000000;
	return true;
}

const struct reclaim_policy_ops reclaim_memcg_async = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "memcg-async",
	.source = "linux-mm, May 2011: memcg async reclaim",
	.summary = "a worker keeps a margin below the limit",
	.params = params,
	.nr_params = 7,
	.state_size = sizeof(struct memcg_async),
	.init = init,
	.memcg_background = background,
};
