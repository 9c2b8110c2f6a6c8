/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of slab shrinkers: a task is in one at a time. */
#include "sql/ingest_private.h"

#include <errno.h>

enum { BEGUN = 1, ENDED = 2 };

static int64_t symbol(struct ingest *ingest, const struct event *ev, unsigned int slot,
		      struct rl_msg *msg)
{
	int64_t id;

	if (!event_has(ev, slot) || !ev->string[slot].len)
		return STORE_NULL;
	id = store_symbol(ingest->store, ev->string[slot].text, ev->string[slot].len);
	if (id < 0)
		rl_fail_errno(msg, (int)-id, "table symbol");
	return id;
}

int ingest_slab_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg)
{
	struct ingest_slab_open *open = &task->work->slab;

	if (!open->present)
		return 0;
	open->present = false;
	return store_put(ingest->store, STORE_TABLE_slab, open->value, msg);
}

int ingest_slab_start(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		      struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	int64_t *row;
	int ret;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "slab shrinkers");
	ret = ingest_slab_close(ingest, task, msg);
	if (ret)
		return ret;
	row = work->slab.value;
	ingest_row(row, store_slab_nr, task, ev);
	row[store_slab_actor] = ingest_actor(task);
	row[store_slab_node] = ingest_value(ev, mm_shrink_slab_start_nid);
	row[store_slab_shrinker] = symbol(ingest, ev, mm_shrink_slab_start_shrinker, msg);
	row[store_slab_objects] = ingest_value(ev, mm_shrink_slab_start_nr_objects_to_shrink);
	row[store_slab_cache_items] = ingest_value(ev, mm_shrink_slab_start_cache_items);
	row[store_slab_delta] = ingest_value(ev, mm_shrink_slab_start_delta);
	row[store_slab_total_scan] = ingest_value(ev, mm_shrink_slab_start_total_scan);
	row[store_slab_priority] = ingest_value(ev, mm_shrink_slab_start_priority);
	row[store_slab_gfp] = ingest_value(ev, mm_shrink_slab_start_gfp);
	row[store_slab_paired] = BEGUN;
	work->slab.present = true;
	return 0;
}

/* Whether @ev ends the call that waits: of the same shrinker where both say which. */
static bool ends(const struct ingest_slab_open *open, const struct event *ev, int64_t shrinker)
{
	int64_t begun = open->value[store_slab_shrinker];

	return open->present && ingest_is_behind(open->value, ev) &&
	       (begun == STORE_NULL || shrinker == STORE_NULL || begun == shrinker);
}

int ingest_slab_end(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		    struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	int64_t shrinker = symbol(ingest, ev, mm_shrink_slab_end_shrinker, msg);
	int64_t *row;
	int ret = 0;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "slab shrinkers");
	row = work->slab.value;
	if (!ends(&work->slab, ev, shrinker)) {
		ret = ingest_slab_close(ingest, task, msg);
		ingest_row(row, store_slab_nr, task, ev);
		row[store_slab_actor] = ingest_actor(task);
		row[store_slab_node] = ingest_value(ev, mm_shrink_slab_end_nid);
		row[store_slab_shrinker] = shrinker;
		row[store_slab_paired] = 0;
	} else {
		row[store_slab_dur] = (int64_t)ev->ts - row[STORE_TS];
		ingest_reclaim_sum(task, store_reclaim_slab_dur, row[store_slab_dur]);
	}
	row[store_slab_freed] = ingest_value(ev, mm_shrink_slab_end_retval);
	row[store_slab_unused_scan] = ingest_value(ev, mm_shrink_slab_end_unused_scan);
	row[store_slab_new_scan] = ingest_value(ev, mm_shrink_slab_end_new_scan);
	row[store_slab_paired] |= ENDED;
	work->slab.present = true;
	return ret ? ret : ingest_slab_close(ingest, task, msg);
}
