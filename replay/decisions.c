/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/decisions.h"

#include <stdio.h>
#include <string.h>

#include "capture/vocabulary/vocabulary.h"

#define SUITABLE_NEAR_NS UINT64_C(5000000)
#define RETRY_FAILED	 1
#define RETRY_WITHDRAWN	 2

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
	struct decision_count *to = order ? &out->retry_block : &out->retry_single;
	bool block = !order ||
		     block_free(rec, v[reclaim_retry_zone_nid], v[reclaim_retry_zone_zone], order);

	to->events++;
	count(to, v[reclaim_retry_zone_wmark_check],
	      reclaim_should_retry_zone(m->profile, (uint32_t)order,
					(uint64_t)v[reclaim_retry_zone_reclaimable],
					(uint64_t)v[reclaim_retry_zone_available],
					(uint64_t)v[reclaim_retry_zone_min_wmark],
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

/* Is @other a reclaim_retry_zone of the zone that @d is about? */
static bool same_zone(const struct recorded_decision *other, const struct recorded_decision *d)
{
	return other->id == VOCAB_reclaim_retry_zone &&
	       other->value[reclaim_retry_zone_nid] == d->value[mm_compaction_suitable_nid] &&
	       other->value[reclaim_retry_zone_zone] == d->value[mm_compaction_suitable_zone];
}

/* Free pages of the zone of decision @at near it in time, from a reclaim_retry_zone; -1 unknown. */
static int64_t free_near(const struct recording *rec, size_t at)
{
	const struct recorded_decision *d = &rec->decisions[at], *best = NULL;
	uint64_t nearest = SUITABLE_NEAR_NS;

	for (size_t i = at; i-- && d->ts - rec->decisions[i].ts < nearest;)
		if (same_zone(&rec->decisions[i], d)) {
			best = &rec->decisions[i];
			nearest = d->ts - best->ts;
		}
	for (size_t i = at + 1; i < rec->nr_decisions && rec->decisions[i].ts - d->ts < nearest;
	     i++)
		if (same_zone(&rec->decisions[i], d)) {
			best = &rec->decisions[i];
			nearest = best->ts - d->ts;
		}
	return best ? best->value[reclaim_retry_zone_available] -
			       best->value[reclaim_retry_zone_reclaimable]
		    : -1;
}

static void check_suitable(const struct recording *rec, const struct machine *m, size_t at,
			   struct decisions *out)
{
	const int64_t *v = rec->decisions[at].value;
	struct reclaim_compact_check check = { 0 };
	int64_t free = free_near(rec, at);
	uint32_t zone;

	out->suitable.events++;
	if (free < 0 ||
	    !zone_at(m, v[mm_compaction_suitable_nid], v[mm_compaction_suitable_zone], &zone))
		return;
	check.free = (uint64_t)free;
	check.min = m->seen[zone].min;
	check.low = m->seen[zone].low;
	check.reserve = m->seen[zone].reserve[RECLAIM_ZONE_HIGHMEM];
	check.order = (uint32_t)v[mm_compaction_suitable_order];
	count(&out->suitable, v[mm_compaction_suitable_ret] == RECLAIM_COMPACT_SKIPPED,
	      reclaim_compaction_suitable(m->profile, &check) == RECLAIM_COMPACT_SKIPPED);
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
			check_suitable(recording, machine, i, out);
	}
}
