/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cycles of kswapd. kswapd_wake is emitted when it really slept or when more is asked of it while
 * it is awake; after its work it dozes for a tenth of a second and emits kswapd_sleep only when
 * nobody woke it meanwhile. So a cycle ends with its last event at reclaim rate, whatever comes
 * then, and time dozed is not time awake.
 */
#include "sql/ingest_private.h"

#include <errno.h>

enum { END_SLEEP, END_WAKE, END_RECORDING, END_NO_BEGIN };

static int put_cycle(struct ingest *ingest, struct ingest_cycle_open *cycle, int end,
		     struct rl_msg *msg)
{
	if (!cycle->present)
		return 0;
	cycle->present = false;
	if (cycle->value[store_kswapd_cycle_end_kind] != END_NO_BEGIN)
		cycle->value[store_kswapd_cycle_end_kind] = end;
	cycle->value[store_kswapd_cycle_awake] = (int64_t)cycle->last - cycle->value[STORE_TS];
	return store_put(ingest->store, STORE_TABLE_kswapd_cycle, cycle->value, msg);
}

static void open_cycle(struct ingest_cycle_open *cycle, const struct ingest_task *task,
		       const struct event *ev)
{
	ingest_row(cycle->value, store_kswapd_cycle_nr, task, ev);
	cycle->value[store_kswapd_cycle_scanned] = 0;
	cycle->value[store_kswapd_cycle_reclaimed] = 0;
	cycle->value[store_kswapd_cycle_rewakes] = 0;
	cycle->last = ev->ts;
	cycle->present = true;
}

static bool node_in_range(int64_t node)
{
	return node >= 0 && node < INGEST_NODES;
}

static void take_waker(struct ingest *ingest, struct ingest_cycle_open *cycle, int64_t node,
		       uint64_t ts)
{
	struct ingest_waker *waker;

	if (!node_in_range(node) || !ingest->waker[node].present)
		return;
	waker = &ingest->waker[node];
	waker->present = false;
	if (ts < waker->ts)
		return;
	cycle->value[store_kswapd_cycle_waker] = waker->task;
	cycle->value[store_kswapd_cycle_wake_delay] = (int64_t)(ts - waker->ts);
}

/* @task, the kswapd of @node, wakes or sleeps: what it had open is over. */
static int meet(struct ingest *ingest, struct ingest_task *task, int64_t node, struct rl_msg *msg)
{
	if (!ingest_task_work(task))
		return rl_fail_errno(msg, ENOMEM, "kswapd cycles");
	ingest_task_is(task, INGEST_KSWAPD);
	if (node_in_range(node))
		ingest->kswapd[node] = task;
	return ingest_scan_close(ingest, task, msg);
}

int ingest_kswapd_wake(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		       struct rl_msg *msg)
{
	int64_t node = ingest_value(ev, mm_vmscan_kswapd_wake_nid);
	int ret = meet(ingest, task, node, msg);
	struct ingest_cycle_open *cycle;

	if (ret)
		return ret;
	cycle = &task->work->cycle;
	/* The request that leads to this wake found kswapd dozing, not awake. */
	if (cycle->value[store_kswapd_cycle_rewakes] > 0 && node_in_range(node) &&
	    ingest->waker[node].present)
		cycle->value[store_kswapd_cycle_rewakes]--;
	ret = put_cycle(ingest, cycle, END_WAKE, msg);
	if (ret)
		return ret;
	open_cycle(cycle, task, ev);
	cycle->value[store_kswapd_cycle_node] = node;
	cycle->value[store_kswapd_cycle_order] = ingest_value(ev, mm_vmscan_kswapd_wake_order);
	cycle->value[store_kswapd_cycle_zone] = ingest_value(ev, mm_vmscan_kswapd_wake_zid);
	take_waker(ingest, cycle, node, ev->ts);
	return 0;
}

int ingest_kswapd_sleep(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			struct rl_msg *msg)
{
	int ret = meet(ingest, task, ingest_value(ev, mm_vmscan_kswapd_sleep_nid), msg);

	return ret ? ret : put_cycle(ingest, &task->work->cycle, END_SLEEP, msg);
}

int ingest_kswapd_wakeup(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
			 struct rl_msg *msg)
{
	int64_t node = ingest_value(ev, mm_vmscan_wakeup_kswapd_nid);
	struct ingest_task *kswapd;

	if (!node_in_range(node))
		return 0;
	ingest->waker[node] =
		(struct ingest_waker){ .present = true, .ts = ev->ts, .task = task->row };
	kswapd = ingest->kswapd[node];
	if (kswapd && kswapd->work && kswapd->work->cycle.present)
		kswapd->work->cycle.value[store_kswapd_cycle_rewakes]++;
	return 0;
}

void ingest_kswapd_active(struct ingest_task *task, const struct event *ev)
{
	if (task->work && task->work->cycle.present && ev->ts > task->work->cycle.last)
		task->work->cycle.last = ev->ts;
}

int64_t ingest_kswapd_node(const struct ingest_task *task)
{
	if (task->kind != INGEST_KSWAPD || !task->work || !task->work->cycle.present)
		return STORE_NULL;
	return task->work->cycle.value[store_kswapd_cycle_node];
}

void ingest_kswapd_scan(struct ingest_task *task, const int64_t *scan)
{
	struct ingest_cycle_open *cycle = &task->work->cycle;
	int64_t *priority = &cycle->value[store_kswapd_cycle_min_priority];

	if (task->kind != INGEST_KSWAPD)
		return;
	if (!cycle->present) {
		ingest_row_like(cycle->value, store_kswapd_cycle_nr, scan);
		cycle->value[store_kswapd_cycle_end_kind] = END_NO_BEGIN;
		cycle->value[store_kswapd_cycle_node] = scan[store_scan_node];
		cycle->value[store_kswapd_cycle_scanned] = 0;
		cycle->value[store_kswapd_cycle_reclaimed] = 0;
		cycle->value[store_kswapd_cycle_rewakes] = 0;
		cycle->last = (uint64_t)scan[STORE_TS];
		cycle->present = true;
	}
	if (cycle->value[store_kswapd_cycle_node] == STORE_NULL)
		cycle->value[store_kswapd_cycle_node] = scan[store_scan_node];
	if (scan[store_scan_lru] != 1 && scan[store_scan_lru] != 3) {
		ingest_add(&cycle->value[store_kswapd_cycle_scanned], scan[store_scan_scanned]);
		ingest_add(&cycle->value[store_kswapd_cycle_reclaimed], scan[store_scan_reclaimed]);
	}
	if (scan[store_scan_priority] != STORE_NULL &&
	    (*priority == STORE_NULL || scan[store_scan_priority] < *priority))
		*priority = scan[store_scan_priority];
}

int ingest_kswapd_close(struct ingest *ingest, struct ingest_task *task, struct rl_msg *msg)
{
	return put_cycle(ingest, &task->work->cycle, END_RECORDING, msg);
}
