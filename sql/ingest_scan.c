/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batches of list scanning. The kernel emits lru_isolate when pages were taken off a list and,
 * where some were, shrink_inactive or shrink_active when it is done with them; no other batch of
 * the same task comes between. An lru_isolate that waits is put as it is when the next one comes:
 * then nothing was taken, or the other event is not recorded.
 */
#include "sql/ingest_private.h"

#include <errno.h>

enum { PART_ISOLATE = 1, PART_INACTIVE = 2, PART_ACTIVE = 4 };
enum { LRU_ACTIVE_ANON = 1, LRU_ACTIVE_FILE = 3 };

static bool lru_is_active(int64_t lru)
{
	return lru == LRU_ACTIVE_ANON || lru == LRU_ACTIVE_FILE;
}

/* The enum lru_list of what is known; NULL when not even the half is. */
static int64_t make_lru(int active, int64_t file)
{
	if (active < 0)
		return STORE_NULL;
	if (file == STORE_NULL)
		return active ? LRU_ACTIVE_ANON : STORE_NULL;
	return 2 * (file != 0) + active;
}

static int put(struct ingest *ingest, struct ingest_task *task, int64_t *row, struct rl_msg *msg)
{
	/* A batch that took nothing does not say its node; that of a kswapd is known all the same.
	 */
	if (row[store_scan_node] == STORE_NULL)
		row[store_scan_node] = ingest_kswapd_node(task);
	if (!lru_is_active(row[store_scan_lru])) {
		ingest_reclaim_sum(task, store_reclaim_scanned, row[store_scan_scanned]);
		ingest_reclaim_sum(task, store_reclaim_stolen, row[store_scan_reclaimed]);
		ingest_reclaim_sum(task, store_reclaim_batches, 1);
	}
	ingest_kswapd_scan(task, row);
	return store_put(ingest->store, STORE_TABLE_scan, row, msg);
}

int ingest_scan_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg)
{
	struct ingest_scan_open *open = &task->work->scan;

	if (!open->present)
		return 0;
	open->present = false;
	if (!lru_is_active(open->value[store_scan_lru]) && open->value[store_scan_taken] > 0)
		ingest->unfinished_seen = true;
	/* Inactive batches that took pages are followed by their event; this one was not. */
	if (open->value[store_scan_lru] == STORE_NULL && ingest->inactive_seen &&
	    open->value[store_scan_taken] > 0)
		open->value[store_scan_lru] = make_lru(1, open->file);
	return put(ingest, task, open->value, msg);
}

/*
 * Whether a batch is of an active list, for kernels before 4.11, which do not name the list:
 * 1, 0, or -1 when the event does not tell. Up to 3.1 isolate_mode is 0 inactive, 1 active, 2 both;
 * 3.2 to 3.4 have bits, 1 inactive and 2 active, and never 0; later ones ask only how to isolate.
 * Only the first two have the counts of lumpy reclaim.
 */
static int isolate_active(struct ingest *ingest, const struct event *ev)
{
	int64_t mode = ingest_value(ev, mm_vmscan_lru_isolate_isolate_mode);

	if (!event_has(ev, mm_vmscan_lru_isolate_nr_lumpy_taken) || mode == STORE_NULL)
		return -1;
	if (!mode)
		ingest->isolate_counts = true;
	return ingest->isolate_counts ? mode == 1 : (mode & 3) == 2;
}

static int64_t isolate_lru(struct ingest *ingest, const struct event *ev)
{
	if (event_has(ev, mm_vmscan_lru_isolate_lru))
		return ev->value[mm_vmscan_lru_isolate_lru];
	return make_lru(isolate_active(ingest, ev), ingest_value(ev, mm_vmscan_lru_isolate_file));
}

/* mm_vmscan_memcg_isolate has the same slots. */
_Static_assert((int)mm_vmscan_memcg_isolate_nr_slots == (int)mm_vmscan_lru_isolate_nr_slots,
	       "the two isolate events differ");
_Static_assert((int)mm_vmscan_memcg_isolate_lru == (int)mm_vmscan_lru_isolate_lru,
	       "the two isolate events differ");

int ingest_scan_isolate(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			struct rl_msg *msg)
{
	struct ingest_work *work = ingest_task_work(task);
	int64_t *row;
	int ret;

	if (!work)
		return rl_fail_errno(msg, ENOMEM, "scan batches");
	ret = ingest_scan_close(ingest, task, msg);
	if (ret)
		return ret;
	ingest->isolate_seen = true;
	row = work->scan.value;
	ingest_row(row, store_scan_nr, task, ev);
	row[store_scan_actor] = ingest_actor(task);
	row[store_scan_lru] = isolate_lru(ingest, ev);
	row[store_scan_zone] = ingest_value(ev, mm_vmscan_lru_isolate_highest_zoneidx);
	row[store_scan_order] = ingest_value(ev, mm_vmscan_lru_isolate_order);
	row[store_scan_requested] = ingest_value(ev, mm_vmscan_lru_isolate_nr_requested);
	row[store_scan_scanned] = ingest_value(ev, mm_vmscan_lru_isolate_nr_scanned);
	row[store_scan_skipped] = ingest_value(ev, mm_vmscan_lru_isolate_nr_skipped);
	row[store_scan_taken] = ingest_value(ev, mm_vmscan_lru_isolate_nr_taken);
	row[store_scan_parts] = PART_ISOLATE;
	work->scan.file = ingest_value(ev, mm_vmscan_lru_isolate_file);
	work->scan.present = true;
	return 0;
}

/* The row that a shrink event completes: the waiting one of its task, or a new one. */
static int64_t *shrink_row(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			   bool active, struct rl_msg *msg)
{
	struct ingest_scan_open *open = &task->work->scan;
	int64_t *row = open->value;
	bool fits =
		open->present && row[store_scan_taken] != 0 &&
		(row[store_scan_lru] == STORE_NULL || lru_is_active(row[store_scan_lru]) == active);

	if (fits) {
		open->present = false;
		return row;
	}
	if (ingest_scan_close(ingest, task, msg))
		return NULL;
	ingest_row(row, store_scan_nr, task, ev);
	row[store_scan_actor] = ingest_actor(task);
	row[store_scan_parts] = 0;
	return row;
}

/* The list by reclaim flags (1 anon, 2 file), where the isolate event did not say it. */
static int64_t lru_from_flags(int64_t flags, bool active)
{
	bool told = flags != STORE_NULL && (flags & 3) != 3 && (flags & 3);

	return make_lru(active, told ? (flags & 2) != 0 : STORE_NULL);
}

static void fill_inactive(int64_t *row, const struct event *ev, bool isolate_seen)
{
	static const struct {
		unsigned int column, slot;
	} map[] = {
		{ store_scan_node, mm_vmscan_lru_shrink_inactive_nid },
		{ store_scan_reclaimed, mm_vmscan_lru_shrink_inactive_nr_reclaimed },
		{ store_scan_dirty, mm_vmscan_lru_shrink_inactive_nr_dirty },
		{ store_scan_writeback, mm_vmscan_lru_shrink_inactive_nr_writeback },
		{ store_scan_congested, mm_vmscan_lru_shrink_inactive_nr_congested },
		{ store_scan_immediate, mm_vmscan_lru_shrink_inactive_nr_immediate },
		{ store_scan_activate_anon, mm_vmscan_lru_shrink_inactive_nr_activate_anon },
		{ store_scan_activate_file, mm_vmscan_lru_shrink_inactive_nr_activate_file },
		{ store_scan_ref_keep, mm_vmscan_lru_shrink_inactive_nr_ref_keep },
		{ store_scan_unmap_fail, mm_vmscan_lru_shrink_inactive_nr_unmap_fail },
		{ store_scan_priority, mm_vmscan_lru_shrink_inactive_priority },
		{ store_scan_flags, mm_vmscan_lru_shrink_inactive_flags },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		row[map[i].column] = ingest_value(ev, map[i].slot);
	if (row[store_scan_lru] == STORE_NULL)
		row[store_scan_lru] = lru_from_flags(row[store_scan_flags], false);
	if (!row[store_scan_parts] && !isolate_seen)
		row[store_scan_scanned] =
			ingest_value(ev, mm_vmscan_lru_shrink_inactive_nr_scanned);
	row[store_scan_parts] |= PART_INACTIVE;
}

static void fill_active(int64_t *row, const struct event *ev)
{
	static const struct {
		unsigned int column, slot;
	} map[] = {
		{ store_scan_node, mm_vmscan_lru_shrink_active_nid },
		{ store_scan_active, mm_vmscan_lru_shrink_active_nr_active },
		{ store_scan_deactivated, mm_vmscan_lru_shrink_active_nr_deactivated },
		{ store_scan_referenced, mm_vmscan_lru_shrink_active_nr_referenced },
		{ store_scan_priority, mm_vmscan_lru_shrink_active_priority },
		{ store_scan_flags, mm_vmscan_lru_shrink_active_flags },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		row[map[i].column] = ingest_value(ev, map[i].slot);
	if (row[store_scan_lru] == STORE_NULL)
		row[store_scan_lru] = lru_from_flags(row[store_scan_flags], true);
	if (!row[store_scan_parts])
		row[store_scan_taken] = ingest_value(ev, mm_vmscan_lru_shrink_active_nr_taken);
	row[store_scan_parts] |= PART_ACTIVE;
}

int ingest_scan_shrink(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		       struct rl_msg *msg)
{
	bool active = ev->id == VOCAB_mm_vmscan_lru_shrink_active;
	int64_t *row;

	if (!ingest_task_work(task))
		return rl_fail_errno(msg, ENOMEM, "scan batches");
	row = shrink_row(ingest, task, ev, active, msg);
	if (!row)
		return -EIO;
	if (active) {
		fill_active(row, ev);
	} else {
		fill_inactive(row, ev, ingest->isolate_seen);
		ingest->inactive_seen = true;
	}
	return put(ingest, task, row, msg);
}
