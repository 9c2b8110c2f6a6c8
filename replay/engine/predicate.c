/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * predicate.c - the kernel's yes-or-no rules as pure functions
 *
 * The engine asks them while it runs; a grader can feed them with recorded events and compare bit
 * by bit.
 */
#include "internal.h"

/* mm/page_alloc.c __zone_watermark_ok() */
bool reclaim_zone_watermark_ok(const struct reclaim_profile *profile,
			       const struct reclaim_wmark_check *c)
{
	int64_t free = (int64_t)c->free - ((1LL << c->order) - 1), min = (int64_t)c->mark;
	bool reserves, highatomic;

	if (profile->reserve_flags) {
		reserves = c->alloc_high || c->harder || c->oom || c->highatomic;
		highatomic = c->highatomic || c->oom;
		if (c->alloc_high) {
			min -= min / 2;
			if (c->harder)
				min -= min / 4;
		}
		if (c->oom)
			min -= min / 2;
	} else {
		reserves = c->harder || c->oom;
		highatomic = reserves;
		if (c->alloc_high)
			min -= min / 2;
		if (c->oom)
			min -= min / 2;
		else if (c->harder)
			min -= min / 4;
	}
	if (!reserves)
		free -= (int64_t)c->nr_highatomic;
	if (free <= min + (int64_t)c->reserve)
		return false;
	return !c->order || c->block_pcp_type || (highatomic && c->block_highatomic);
}

/* should_reclaim_retry()'s test of one zone: order-0 arithmetic on what could become free. */
bool reclaim_should_retry_zone(const struct reclaim_profile *profile, uint32_t order,
			       uint64_t reclaimable, uint64_t available, uint64_t min_wmark,
			       uint64_t reserve, int32_t no_progress_loops, bool block_available)
{
	struct reclaim_wmark_check c = {
		.free = available,
		.mark = min_wmark,
		.reserve = reserve,
		.order = order,
		.block_pcp_type = block_available,
	};

	if (no_progress_loops > RC_MAX_RETRIES)
		return false;
	if (profile->retry_backoff && no_progress_loops > 0)
		c.free -= rc_min(c.free,
				 ((uint64_t)no_progress_loops * reclaimable + RC_MAX_RETRIES - 1) /
					 RC_MAX_RETRIES);
	return reclaim_zone_watermark_ok(profile, &c);
}

enum { PRIO_SYNC_FULL, PRIO_SYNC_LIGHT, PRIO_ASYNC };

/* should_compact_retry() */
bool reclaim_should_compact_retry(const struct reclaim_profile *profile, uint32_t order,
				  int32_t compact_priority, enum reclaim_compact_result result,
				  int32_t retries, int32_t max_retries, bool zonelist_suitable)
{
	bool costly = order > RC_COSTLY_ORDER;
	int least = costly ? PRIO_SYNC_LIGHT : PRIO_SYNC_FULL;
	bool failed, withdrawn;

	if (!order)
		return false;
	if (result == RECLAIM_COMPACT_SKIPPED)
		return zonelist_suitable;
	if (profile->compact_retry_simple) {
		if (result == RECLAIM_COMPACT_SUCCESS && retries <= max_retries)
			return true;
		return compact_priority > least;
	}
	failed = result == RECLAIM_COMPACT_COMPLETE;
	withdrawn = result == RECLAIM_COMPACT_DEFERRED || result == RECLAIM_COMPACT_CONTENDED ||
		    result == RECLAIM_COMPACT_PARTIAL_SKIPPED;
	if (!failed && !withdrawn && retries <= max_retries)
		return true;
	return compact_priority > least;
}

/* __fragmentation_index() */
int reclaim_fragmentation_index(uint32_t order, uint64_t free, uint64_t free_blocks,
				uint64_t suitable_blocks)
{
	if (!free_blocks)
		return 0;
	if (suitable_blocks)
		return -1000;
	return 1000 - (int)((1000 + free * 1000 / (1ULL << order)) / free_blocks);
}

enum reclaim_compact_result reclaim_compaction_suitable(const struct reclaim_profile *profile,
							const struct reclaim_compact_check *c)
{
	bool costly = c->order > RC_COSTLY_ORDER;
	uint64_t gap = 2ULL << c->order, mark;
	int index;

	if (profile->suitable != RC_SUITABLE_612 && profile->suitable != RC_SUITABLE_618 &&
	    c->order_ok)
		return RECLAIM_COMPACT_SUCCESS;
	if (profile->suitable == RC_SUITABLE_49)
		mark = c->low;
	else
		mark = costly ? c->low : c->min;
	if (c->free <= mark + gap + c->reserve)
		return RECLAIM_COMPACT_SKIPPED;
	if (costly) {
		index = reclaim_fragmentation_index(c->order, c->free, c->free_blocks,
						    c->suitable_blocks);
		if (index >= 0 && index <= 500)
			return RECLAIM_COMPACT_NOT_SUITABLE_ZONE;
	}
	return RECLAIM_COMPACT_CONTINUE;
}
