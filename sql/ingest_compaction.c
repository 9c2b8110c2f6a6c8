/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compaction of zones, with what the scanners and the migration did inside. */
#include "sql/ingest_private.h"

#include <errno.h>

enum { BEGUN = 1, ENDED = 2 };

/* begin and end have the same slots up to status. */
_Static_assert((int)mm_compaction_begin_zone_start == (int)mm_compaction_end_zone_start &&
		       (int)mm_compaction_begin_sync == (int)mm_compaction_end_sync,
	       "compaction begin and end differ");

static enum store_actor compaction_actor(const struct ingest_task *task)
{
	switch (task->kind) {
	case INGEST_KCOMPACTD:
		return STORE_KCOMPACTD;
	case INGEST_KSWAPD:
		return STORE_KSWAPD;
	case INGEST_KHUGEPAGED:
		return STORE_KHUGEPAGED;
	default:
		return STORE_DIRECT;
	}
}

int ingest_compaction_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg)
{
	struct ingest_compaction_open *open = &task->work->compaction;

	if (!open->present)
		return 0;
	open->present = false;
	return store_put(ingest->store, STORE_TABLE_compaction, open->value, msg);
}

static void open_row(struct ingest_compaction_open *open, const struct ingest_task *task,
		     const struct event *ev)
{
	int64_t *row = open->value;

	ingest_row(row, store_compaction_nr, task, ev);
	row[store_compaction_actor] = compaction_actor(task);
	row[store_compaction_zone_start] = ingest_value(ev, mm_compaction_begin_zone_start);
	row[store_compaction_migrate_pfn] = ingest_value(ev, mm_compaction_begin_migrate_pfn);
	row[store_compaction_free_pfn] = ingest_value(ev, mm_compaction_begin_free_pfn);
	row[store_compaction_zone_end] = ingest_value(ev, mm_compaction_begin_zone_end);
	row[store_compaction_sync] = ingest_value(ev, mm_compaction_begin_sync);
	row[store_compaction_paired] = 0;
	open->present = true;
}

int ingest_compaction_begin(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			    struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	int ret;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "compaction");
	ret = ingest_compaction_close(ingest, task, msg);
	if (ret)
		return ret;
	open_row(&work->compaction, task, ev);
	for (unsigned int i = store_compaction_migrate_scanned; i <= store_compaction_failed; i++)
		work->compaction.value[i] = 0;
	work->compaction.value[store_compaction_paired] = BEGUN;
	return 0;
}

int ingest_compaction_end(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			  struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	int64_t *row;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "compaction");
	row = work->compaction.value;
	if (work->compaction.present && !ingest_is_behind(row, ev)) {
		int ret = ingest_compaction_close(ingest, task, msg);

		if (ret)
			return ret;
	}
	if (!work->compaction.present) {
		open_row(&work->compaction, task, ev);
	} else {
		row[store_compaction_dur] = (int64_t)ev->ts - row[STORE_TS];
		ingest_reclaim_sum(task, store_reclaim_compact_dur, row[store_compaction_dur]);
	}
	row[store_compaction_status] = ingest_value(ev, mm_compaction_end_status);
	row[store_compaction_paired] |= ENDED;
	return ingest_compaction_close(ingest, task, msg);
}

static const struct {
	enum vocab_id id;
	int slot[2], column[2];
} parts[] = {
	{ VOCAB_mm_compaction_isolate_migratepages,
	  { mm_compaction_isolate_migratepages_nr_scanned,
	    mm_compaction_isolate_migratepages_nr_taken },
	  { store_compaction_migrate_scanned, store_compaction_isolated } },
	{ VOCAB_mm_compaction_isolate_freepages,
	  { mm_compaction_isolate_freepages_nr_scanned, mm_compaction_isolate_freepages_nr_taken },
	  { store_compaction_free_scanned, store_compaction_isolated } },
	{ VOCAB_mm_compaction_fast_isolate_freepages,
	  { mm_compaction_fast_isolate_freepages_nr_scanned,
	    mm_compaction_fast_isolate_freepages_nr_taken },
	  { store_compaction_free_scanned, store_compaction_isolated } },
	{ VOCAB_mm_compaction_migratepages,
	  { mm_compaction_migratepages_nr_migrated, mm_compaction_migratepages_nr_failed },
	  { store_compaction_migrated, store_compaction_failed } },
};

/* Outside a compaction these belong to someone else (contiguous ranges), or the begin is lost. */
int ingest_compaction_part(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			   struct rl_msg *msg)
{
	unsigned int i = 0;

	if (!task->work || !task->work->compaction.present)
		return 0;
	while (parts[i].id != ev->id)
		i++;
	for (unsigned int k = 0; k < 2; k++)
		ingest_add(&task->work->compaction.value[parts[i].column[k]],
			   ingest_value(ev, (unsigned int)parts[i].slot[k]));
	return 0;
}
