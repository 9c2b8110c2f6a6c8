/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits of reclaimers: one event each, emitted when the wait is over. */
#include "sql/ingest_private.h"

enum { KIND_THROTTLED, KIND_CONGESTION_WAIT, KIND_WAIT_IFF_CONGESTED };

#define NS_PER_US 1000

static void fill(int64_t *row, const struct event *ev)
{
	switch (ev->id) {
	case VOCAB_mm_vmscan_throttled:
		row[store_throttle_kind] = KIND_THROTTLED;
		row[store_throttle_node] = ingest_value(ev, mm_vmscan_throttled_nid);
		row[store_throttle_reason] = ingest_value(ev, mm_vmscan_throttled_reason);
		row[store_throttle_timeout] = ingest_value(ev, mm_vmscan_throttled_usec_timeout);
		row[store_throttle_delayed] = ingest_value(ev, mm_vmscan_throttled_usec_delayed);
		break;
	case VOCAB_writeback_congestion_wait:
		row[store_throttle_kind] = KIND_CONGESTION_WAIT;
		row[store_throttle_timeout] =
			ingest_value(ev, writeback_congestion_wait_usec_timeout);
		row[store_throttle_delayed] =
			ingest_value(ev, writeback_congestion_wait_usec_delayed);
		break;
	default:
		row[store_throttle_kind] = KIND_WAIT_IFF_CONGESTED;
		row[store_throttle_timeout] =
			ingest_value(ev, writeback_wait_iff_congested_usec_timeout);
		row[store_throttle_delayed] =
			ingest_value(ev, writeback_wait_iff_congested_usec_delayed);
		break;
	}
}

int ingest_throttle(struct ingest *ingest, struct ingest_task *task, const struct event *ev,
		    struct rl_msg *msg)
{
	int64_t row[store_throttle_nr];

	ingest_row(row, store_throttle_nr, task, ev);
	row[store_throttle_actor] = ingest_actor(task);
	fill(row, ev);
	if (row[store_throttle_delayed] > 0 && row[store_throttle_delayed] < INT64_MAX / NS_PER_US)
		ingest_reclaim_sum(task, store_reclaim_throttle_dur,
				   row[store_throttle_delayed] * NS_PER_US);
	return store_put(ingest->store, STORE_TABLE_throttle, row, msg);
}
