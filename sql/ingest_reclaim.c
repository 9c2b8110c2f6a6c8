/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Episodes of direct, memcg, soft limit and node reclaim. They nest by task: memcg or soft limit
 * inside direct is normal, two of the same kind inside each other do not happen (PF_MEMALLOC keeps
 * direct reclaim from itself), so a second begin says that an end is missing.
 */
#include "sql/ingest_private.h"

#include <errno.h>
#include <string.h>

enum { BEGUN = 1, ENDED = 2 };

/* What an event of an episode is called and where its values are. */
struct episode_event {
	enum vocab_id id;
	enum store_actor actor;
	int order, gfp, may_writepage, node; /* slots, -1: none */
};

static const struct episode_event begins[] = {
	{ VOCAB_mm_vmscan_direct_reclaim_begin, STORE_DIRECT, mm_vmscan_direct_reclaim_begin_order,
	  mm_vmscan_direct_reclaim_begin_gfp, mm_vmscan_direct_reclaim_begin_may_writepage, -1 },
	{ VOCAB_mm_vmscan_memcg_reclaim_begin, STORE_MEMCG, mm_vmscan_memcg_reclaim_begin_order,
	  mm_vmscan_memcg_reclaim_begin_gfp, mm_vmscan_memcg_reclaim_begin_may_writepage, -1 },
	{ VOCAB_mm_vmscan_memcg_softlimit_reclaim_begin, STORE_SOFTLIMIT,
	  mm_vmscan_memcg_softlimit_reclaim_begin_order,
	  mm_vmscan_memcg_softlimit_reclaim_begin_gfp,
	  mm_vmscan_memcg_softlimit_reclaim_begin_may_writepage, -1 },
	{ VOCAB_mm_vmscan_node_reclaim_begin, STORE_NODE, mm_vmscan_node_reclaim_begin_order,
	  mm_vmscan_node_reclaim_begin_gfp, -1, mm_vmscan_node_reclaim_begin_nid },
};

static const struct {
	enum vocab_id id;
	enum store_actor actor;
	int reclaimed;
} ends[] = {
	{ VOCAB_mm_vmscan_direct_reclaim_end, STORE_DIRECT,
	  mm_vmscan_direct_reclaim_end_nr_reclaimed },
	{ VOCAB_mm_vmscan_memcg_reclaim_end, STORE_MEMCG,
	  mm_vmscan_memcg_reclaim_end_nr_reclaimed },
	{ VOCAB_mm_vmscan_memcg_softlimit_reclaim_end, STORE_SOFTLIMIT,
	  mm_vmscan_memcg_softlimit_reclaim_end_nr_reclaimed },
	{ VOCAB_mm_vmscan_node_reclaim_end, STORE_NODE, mm_vmscan_node_reclaim_end_nr_reclaimed },
};

enum store_actor ingest_actor(const struct ingest_task *task)
{
	if (task->work && task->work->depth) {
		enum store_actor actor =
			task->work->episode[task->work->depth - 1][store_reclaim_actor];

		if (actor != STORE_DIRECT)
			return actor;
	}
	switch (task->kind) {
	case INGEST_KSWAPD:
		return STORE_KSWAPD;
	case INGEST_KCOMPACTD:
		return STORE_KCOMPACTD;
	case INGEST_KHUGEPAGED:
		return STORE_KHUGEPAGED;
	default:
		return STORE_DIRECT;
	}
}

/* Put episodes from the inside out until @depth are left. */
static int pop_to(struct ingest *ingest, struct ingest_work *work, unsigned int depth,
		  struct rl_msg *msg)
{
	int ret = 0;

	while (work->depth > depth && !ret)
		ret = store_put(ingest->store, STORE_TABLE_reclaim, work->episode[--work->depth],
				msg);
	return ret;
}

/* The depth of the innermost episode of @actor, or -1. */
static int find_episode(const struct ingest_work *work, enum store_actor actor)
{
	for (int i = (int)work->depth - 1; i >= 0; i--)
		if (work->episode[i][store_reclaim_actor] == (int64_t)actor)
			return i;
	return -1;
}

static void start_row(int64_t *row, const struct ingest_task *task, const struct event *ev,
		      enum store_actor actor, unsigned int depth)
{
	ingest_row(row, store_reclaim_nr, task, ev);
	row[store_reclaim_actor] = actor;
	row[store_reclaim_depth] = depth;
	row[store_reclaim_scanned] = 0;
	row[store_reclaim_stolen] = 0;
	row[store_reclaim_batches] = 0;
	row[store_reclaim_compact_dur] = 0;
	row[store_reclaim_slab_dur] = 0;
	row[store_reclaim_throttle_dur] = 0;
}

static int64_t slot_value(const struct event *ev, int slot)
{
	return slot < 0 ? STORE_NULL : ingest_value(ev, (unsigned int)slot);
}

int ingest_reclaim_begin(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			 struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	const struct episode_event *begin = begins;
	int64_t *row;
	int same, ret;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "reclaim episodes");
	while (begin->id != ev->id)
		begin++;
	ret = ingest_scan_close(ingest, task, msg);
	same = find_episode(work, begin->actor);
	if (!ret && same >= 0)
		ret = pop_to(ingest, work, (unsigned int)same, msg);
	if (!ret && work->depth == INGEST_DEPTH)
		ret = pop_to(ingest, work, 0, msg);
	if (ret)
		return ret;
	row = work->episode[work->depth];
	start_row(row, task, ev, begin->actor, work->depth);
	row[store_reclaim_order] = slot_value(ev, begin->order);
	row[store_reclaim_gfp] = slot_value(ev, begin->gfp);
	row[store_reclaim_may_writepage] = slot_value(ev, begin->may_writepage);
	row[store_reclaim_node] = slot_value(ev, begin->node);
	row[store_reclaim_paired] = BEGUN;
	work->depth++;
	return 0;
}

int ingest_reclaim_end(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		       struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	unsigned int i = 0;
	int64_t *row;
	int depth, ret;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "reclaim episodes");
	while (ends[i].id != ev->id)
		i++;
	ret = ingest_scan_close(ingest, task, msg);
	depth = find_episode(work, ends[i].actor);
	if (!ret && depth >= 0)
		ret = pop_to(ingest, work, (unsigned int)depth + 1, msg);
	if (!ret && depth >= 0 && !ingest_is_behind(work->episode[depth], ev)) {
		ret = pop_to(ingest, work, (unsigned int)depth, msg);
		depth = -1;
	}
	if (ret)
		return ret;
	if (depth >= 0) {
		row = work->episode[depth];
		row[store_reclaim_dur] = (int64_t)ev->ts - row[STORE_TS];
		row[store_reclaim_paired] = BEGUN | ENDED;
		row[store_reclaim_reclaimed] = slot_value(ev, ends[i].reclaimed);
		return pop_to(ingest, work, (unsigned int)depth, msg);
	}
	/* What was inside is known only in part. */
	row = (int64_t[store_reclaim_nr]){ 0 };
	ingest_row(row, store_reclaim_nr, task, ev);
	row[store_reclaim_actor] = ends[i].actor;
	row[store_reclaim_depth] = work->depth;
	row[store_reclaim_reclaimed] = slot_value(ev, ends[i].reclaimed);
	row[store_reclaim_paired] = ENDED;
	return store_put(ingest->store, STORE_TABLE_reclaim, row, msg);
}

int ingest_reclaim_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg)
{
	return pop_to(ingest, task->work, 0, msg);
}

void ingest_reclaim_sum(struct ingest_task *task, unsigned int column, int64_t add)
{
	if (!task->work)
		return;
	for (unsigned int i = 0; i < task->work->depth; i++)
		ingest_add(&task->work->episode[i][column], add);
}
