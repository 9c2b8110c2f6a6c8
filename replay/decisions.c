/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/decisions.h"

#include <stdio.h>
#include <string.h>

#include "capture/vocabulary/vocabulary.h"

#define RETRY_FAILED	1
#define RETRY_WITHDRAWN 2

static const char *const zone_names[] = { "DMA", "DMA32", "Normal", "HighMem", "Movable" };

/* The machine's zone, or NULL. */
static const struct reclaim_zone_desc *zone_at(const struct machine *m, int64_t node, int64_t type,
					       uint32_t *index)
{
	for (*index = 0; *index < m->machine.nr_zones; (*index)++)
		if (m->machine.zones[*index].node == node &&
		    (int64_t)m->machine.zones[*index].type == type)
			return &m->machine.zones[*index];
	return NULL;
}

/* Was a block of at least @order on the zone's lists when the window ended? */
static bool block_free(const struct recording *rec, int64_t node, int64_t type, int64_t order)
{
	char scope[64], name[16];

	if (type < 0 || type >= RECLAIM_NR_ZONE_TYPES)
		return false;
	snprintf(scope, sizeof(scope), "node %d zone %s", (int)node, zone_names[type]);
	for (; order <= RECLAIM_MAX_ORDER; order++) {
		snprintf(name, sizeof(name), "order %d", (int)order);
		if (counter_set_value(rec->after, "buddyinfo", scope, name, 0) > 0)
			return true;
	}
	return false;
}

/* What the zone holds back from a request that may use every zone of the machine. */
static uint64_t reserve_of(const struct machine *m, int64_t node, int64_t type)
{
	enum reclaim_zone_type highest = RECLAIM_ZONE_DMA;
	uint32_t zone;

	for (uint32_t i = 0; i < m->machine.nr_zones; i++)
		if (m->machine.zones[i].type > highest)
			highest = m->machine.zones[i].type;
	return zone_at(m, node, type, &zone) ? m->seen[zone].reserve[highest] : 0;
}

static void count(struct decision_count *to, bool recorded, bool answered)
{
	to->asked++;
	to->agreed += recorded == answered;
}

static void check_retry_zone(const struct recording *rec, const struct machine *m,
			     const struct recorded_decision *d, struct decisions *out)
{
	const int64_t *v = d->value;
	int64_t order = v[reclaim_retry_zone_order];
	uint64_t reserve = reserve_of(m, v[reclaim_retry_zone_nid], v[reclaim_retry_zone_zone]);
	struct decision_count *to = order ? &out->retry_block : &out->retry_single;
	bool block = !order ||
		     block_free(rec, v[reclaim_retry_zone_nid], v[reclaim_retry_zone_zone], order);

	to->events++;
	count(to, v[reclaim_retry_zone_wmark_check],
	      reclaim_should_retry_zone(m->profile, (uint32_t)order,
					(uint64_t)v[reclaim_retry_zone_reclaimable],
					(uint64_t)v[reclaim_retry_zone_available],
					(uint64_t)v[reclaim_retry_zone_min_wmark], reserve,
					(int32_t)v[reclaim_retry_zone_no_progress_loops], block));
}

static void check_compact_retry(const struct machine *m, const struct recorded_decision *d,
				struct decisions *out)
{
	const int64_t *v = d->value;
	enum reclaim_compact_result result = RECLAIM_COMPACT_CONTINUE;

	out->compact.events++;
	if (v[compact_retry_result] == RETRY_FAILED)
		result = RECLAIM_COMPACT_COMPLETE;
	else if (v[compact_retry_result] == RETRY_WITHDRAWN)
		result = RECLAIM_COMPACT_DEFERRED;
	count(&out->compact, v[compact_retry_should_retry],
	      reclaim_should_compact_retry(m->profile, (uint32_t)v[compact_retry_order],
					   (int32_t)v[compact_retry_priority], result,
					   (int32_t)v[compact_retry_retries],
					   (int32_t)v[compact_retry_max_retries], true));
}

/* What may be kept for atomic requests, and is then not free for others (reserve_highatomic). */
static int64_t most_highatomic(const struct machine *m, uint32_t zone)
{
	return (int64_t)(m->machine.zones[zone].managed / 100) +
	       (INT64_C(1) << m->machine.pageblock_order);
}

static bool skipped(const struct machine *m, struct reclaim_compact_check check, int64_t free)
{
	check.free = free < 0 ? 0 : (uint64_t)free;
	return reclaim_compaction_suitable(m->profile, &check) == RECLAIM_COMPACT_SKIPPED;
}

/* Asked where all numbers of free pages that may have been give one answer. */
static void check_suitable(const struct machine *m, const struct recorded_decision *d,
			   struct decisions *out)
{
	const int64_t *v = d->value;
	int64_t node = v[mm_compaction_suitable_nid], type = v[mm_compaction_suitable_zone];
	struct reclaim_compact_check check = { 0 };
	uint32_t zone;
	bool least;

	out->suitable.events++;
	if (d->free < 0 || v[mm_compaction_suitable_order] < 0 ||
	    v[mm_compaction_suitable_ret] == RECLAIM_COMPACT_SUCCESS ||
	    !zone_at(m, node, type, &zone))
		return;
	check.min = m->seen[zone].min;
	check.low = m->seen[zone].low;
	check.reserve = reserve_of(m, node, type);
	check.order = (uint32_t)v[mm_compaction_suitable_order];
	least = skipped(m, check, d->free - d->slack - most_highatomic(m, zone));
	if (least != skipped(m, check, d->free + d->slack))
		return;
	count(&out->suitable, v[mm_compaction_suitable_ret] == RECLAIM_COMPACT_SKIPPED, least);
}

void decisions_check(const struct recording *recording, const struct machine *machine,
		     struct decisions *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < recording->nr_decisions; i++) {
		const struct recorded_decision *d = &recording->decisions[i];

		if (d->id == VOCAB_reclaim_retry_zone)
			check_retry_zone(recording, machine, d, out);
		else if (d->id == VOCAB_compact_retry)
			check_compact_retry(machine, d, out);
		else
			check_suitable(machine, d, out);
	}
}
