/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/engine_event.h"

#include <stdio.h>
#include <string.h>

#include "capture/vocabulary/vocabulary.h"

#define FLAG_ANON 1
#define FLAG_FILE 2

static void set(struct event *ev, unsigned int slot, int64_t value)
{
	ev->value[slot] = value;
	ev->have |= 1u << slot;
}

static int32_t tid_of(const struct demand *demand, const struct reclaim_event *from)
{
	switch (from->actor) {
	case RECLAIM_ACTOR_KSWAPD:
		return ENGINE_KSWAPD_TID + (int32_t)from->id;
	case RECLAIM_ACTOR_KCOMPACTD:
		return ENGINE_KCOMPACTD_TID + (int32_t)from->id;
	case RECLAIM_ACTOR_FLUSHER:
		return ENGINE_FLUSHER_TID;
	case RECLAIM_ACTOR_MEMCG_WORKER:
		return ENGINE_MEMCG_TID + (int32_t)from->id;
	default:
		return from->id < demand->nr_tasks ? demand->tasks[from->id].tid : -1;
	}
}

static void isolate(struct event *ev, const struct reclaim_event *from)
{
	ev->id = VOCAB_mm_vmscan_lru_isolate;
	set(ev, mm_vmscan_lru_isolate_highest_zoneidx, from->zid);
	set(ev, mm_vmscan_lru_isolate_order, from->order);
	set(ev, mm_vmscan_lru_isolate_nr_requested, from->u.isolate.requested);
	set(ev, mm_vmscan_lru_isolate_nr_scanned, from->u.isolate.scanned);
	set(ev, mm_vmscan_lru_isolate_nr_skipped, from->u.isolate.skipped);
	set(ev, mm_vmscan_lru_isolate_nr_taken, from->u.isolate.taken);
	set(ev, mm_vmscan_lru_isolate_lru, from->lru);
}

static void shrink_inactive(struct event *ev, const struct reclaim_event *from)
{
	const struct reclaim_shrink_stat *s = &from->u.shrink;
	bool anon = from->lru <= RECLAIM_LRU_ACTIVE_ANON;

	ev->id = VOCAB_mm_vmscan_lru_shrink_inactive;
	set(ev, mm_vmscan_lru_shrink_inactive_nid, from->nid);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_scanned, s->scanned);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_reclaimed, s->reclaimed);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_dirty, s->dirty);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_writeback, s->writeback);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_congested, s->congested);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_immediate, s->immediate);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_activate_anon, s->activate_anon);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_activate_file, s->activate_file);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_ref_keep, s->ref_keep);
	set(ev, mm_vmscan_lru_shrink_inactive_nr_unmap_fail, s->unmap_fail);
	set(ev, mm_vmscan_lru_shrink_inactive_priority, from->priority);
	set(ev, mm_vmscan_lru_shrink_inactive_flags, anon ? FLAG_ANON : FLAG_FILE);
}

static void shrink_active(struct event *ev, const struct reclaim_event *from)
{
	bool anon = from->lru <= RECLAIM_LRU_ACTIVE_ANON;

	ev->id = VOCAB_mm_vmscan_lru_shrink_active;
	set(ev, mm_vmscan_lru_shrink_active_nid, from->nid);
	set(ev, mm_vmscan_lru_shrink_active_nr_taken, from->u.active.taken);
	set(ev, mm_vmscan_lru_shrink_active_nr_active, from->u.active.active);
	set(ev, mm_vmscan_lru_shrink_active_nr_deactivated, from->u.active.deactivated);
	set(ev, mm_vmscan_lru_shrink_active_nr_referenced, from->u.active.referenced);
	set(ev, mm_vmscan_lru_shrink_active_priority, from->priority);
	set(ev, mm_vmscan_lru_shrink_active_flags, anon ? FLAG_ANON : FLAG_FILE);
}

static void throttled(struct event *ev, const struct reclaim_event *from)
{
	ev->id = VOCAB_mm_vmscan_throttled;
	set(ev, mm_vmscan_throttled_nid, from->nid);
	set(ev, mm_vmscan_throttled_usec_timeout, from->u.throttle.usec_timeout);
	set(ev, mm_vmscan_throttled_usec_delayed, from->u.throttle.usec_delayed);
	set(ev, mm_vmscan_throttled_reason, 1 << from->reason);
}

static void extfrag(struct event *ev, const struct reclaim_event *from)
{
	ev->id = VOCAB_mm_page_alloc_extfrag;
	set(ev, mm_page_alloc_extfrag_alloc_order, from->order);
	set(ev, mm_page_alloc_extfrag_fallback_order, from->u.extfrag.fallback_order);
	set(ev, mm_page_alloc_extfrag_alloc_migratetype, from->u.extfrag.alloc_mt);
	set(ev, mm_page_alloc_extfrag_fallback_migratetype, from->u.extfrag.fallback_mt);
	set(ev, mm_page_alloc_extfrag_change_ownership, from->u.extfrag.change_ownership);
}

static void retry_zone(struct event *ev, const struct reclaim_event *from)
{
	ev->id = VOCAB_reclaim_retry_zone;
	set(ev, reclaim_retry_zone_nid, from->nid);
	set(ev, reclaim_retry_zone_zone, from->zid);
	set(ev, reclaim_retry_zone_order, from->order);
	set(ev, reclaim_retry_zone_reclaimable, (int64_t)from->u.retry.reclaimable);
	set(ev, reclaim_retry_zone_available, (int64_t)from->u.retry.available);
	set(ev, reclaim_retry_zone_min_wmark, (int64_t)from->u.retry.min_wmark);
	set(ev, reclaim_retry_zone_no_progress_loops, from->u.retry.loops);
	set(ev, reclaim_retry_zone_wmark_check, from->ok);
}

static void compact_retry_event(struct event *ev, const struct reclaim_event *from)
{
	ev->id = VOCAB_compact_retry;
	set(ev, compact_retry_order, from->order);
	set(ev, compact_retry_priority, from->u.compact_retry.compact_priority);
	set(ev, compact_retry_result, from->u.compact_retry.result);
	set(ev, compact_retry_retries, from->u.compact_retry.retries);
	set(ev, compact_retry_max_retries, from->u.compact_retry.max_retries);
	set(ev, compact_retry_should_retry, from->ok);
}

/* Begins of reclaim and of kswapd's work: order, gfp, node. */
static bool begins(struct event *ev, const struct reclaim_event *from)
{
	switch (from->type) {
	case RECLAIM_EV_KSWAPD_WAKE:
		ev->id = VOCAB_mm_vmscan_kswapd_wake;
		set(ev, mm_vmscan_kswapd_wake_nid, from->nid);
		set(ev, mm_vmscan_kswapd_wake_zid, from->zid);
		set(ev, mm_vmscan_kswapd_wake_order, from->order);
		return true;
	case RECLAIM_EV_KSWAPD_SLEEP:
		ev->id = VOCAB_mm_vmscan_kswapd_sleep;
		set(ev, mm_vmscan_kswapd_sleep_nid, from->nid);
		return true;
	case RECLAIM_EV_WAKEUP_KSWAPD:
		ev->id = VOCAB_mm_vmscan_wakeup_kswapd;
		set(ev, mm_vmscan_wakeup_kswapd_nid, from->nid);
		set(ev, mm_vmscan_wakeup_kswapd_zid, from->zid);
		set(ev, mm_vmscan_wakeup_kswapd_order, from->order);
		set(ev, mm_vmscan_wakeup_kswapd_gfp, from->gfp);
		return true;
	case RECLAIM_EV_DIRECT_BEGIN:
		ev->id = VOCAB_mm_vmscan_direct_reclaim_begin;
		set(ev, mm_vmscan_direct_reclaim_begin_order, from->order);
		set(ev, mm_vmscan_direct_reclaim_begin_gfp, from->gfp);
		return true;
	case RECLAIM_EV_DIRECT_END:
		ev->id = VOCAB_mm_vmscan_direct_reclaim_end;
		set(ev, mm_vmscan_direct_reclaim_end_nr_reclaimed, (int64_t)from->u.sum.reclaimed);
		return true;
	case RECLAIM_EV_MEMCG_BEGIN:
		ev->id = VOCAB_mm_vmscan_memcg_reclaim_begin;
		set(ev, mm_vmscan_memcg_reclaim_begin_order, from->order);
		set(ev, mm_vmscan_memcg_reclaim_begin_gfp, from->gfp);
		return true;
	case RECLAIM_EV_MEMCG_END:
		ev->id = VOCAB_mm_vmscan_memcg_reclaim_end;
		set(ev, mm_vmscan_memcg_reclaim_end_nr_reclaimed, (int64_t)from->u.sum.reclaimed);
		return true;
	default:
		return false;
	}
}

bool engine_event_translate(const struct demand *demand, const struct reclaim_event *from,
			    struct event *to)
{
	to->ts = demand->start + (uint64_t)from->at;
	to->cpu = from->cpu;
	to->pid = tid_of(demand, from);
	to->flags = 0;
	to->have = 0;
	to->lost = 0;
	to->comm.len = 0;
	switch (from->type) {
	case RECLAIM_EV_LRU_ISOLATE:
		isolate(to, from);
		return true;
	case RECLAIM_EV_SHRINK_INACTIVE:
		shrink_inactive(to, from);
		return true;
	case RECLAIM_EV_SHRINK_ACTIVE:
		shrink_active(to, from);
		return true;
	case RECLAIM_EV_THROTTLED:
		throttled(to, from);
		return true;
	case RECLAIM_EV_WRITE_FOLIO:
		to->id = VOCAB_mm_vmscan_write_folio;
		return true;
	case RECLAIM_EV_EXTFRAG:
		extfrag(to, from);
		return true;
	case RECLAIM_EV_RETRY_ZONE:
		retry_zone(to, from);
		return true;
	case RECLAIM_EV_COMPACT_RETRY:
		compact_retry_event(to, from);
		return true;
	default:
		return begins(to, from);
	}
}

const char *engine_event_comm(const struct demand *demand, int32_t tid, char *buf, size_t size)
{
	static const struct {
		int32_t first;
		const char *name;
	} actors[] = {
		{ ENGINE_MEMCG_TID, "memcg_worker" },
		{ ENGINE_FLUSHER_TID, "flusher" },
		{ ENGINE_KCOMPACTD_TID, "kcompactd" },
		{ ENGINE_KSWAPD_TID, "kswapd" },
	};

	for (size_t i = 0; i < sizeof(actors) / sizeof(*actors); i++)
		if (tid >= actors[i].first) {
			snprintf(buf, size, "%s%d", actors[i].name, tid - actors[i].first);
			return buf;
		}
	for (uint32_t i = 0; i < demand->nr_tasks; i++)
		if (demand->tasks[i].tid == tid && demand->tasks[i].comm[0])
			return demand->tasks[i].comm;
	return NULL;
}
