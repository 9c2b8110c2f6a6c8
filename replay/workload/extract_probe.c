/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What dynamic probes prove: which address a swap fault or a new anonymous page belongs to, and
 * whether reclaim found a page referenced when it looked.
 *
 * A reference that is found at one look happened at an unknown time since the look before (or since
 * the page was mapped). It becomes an access at an even chance of that interval.
 */
#include <errno.h>
#include <stdlib.h>

#include "capture/vocabulary/vocabulary.h"
#include "replay/workload/extract_private.h"

/* The logical page of an address, giving it a number when new. */
static uint32_t logical_of(struct extract *x, uint64_t mm, uint64_t addr)
{
	uint32_t logical = idmap_find(&x->anon_ids, mm, addr >> 12);

	if (logical != UINT32_MAX)
		return logical;
	return idmap_put(&x->anon_ids, mm, addr >> 12, x->nr_logical++);
}

/* The frame @pfn holds @logical from now on. Its allocation's record takes that name, or goes. */
static int frame_holds(struct extract *x, int64_t pfn, uint32_t logical, uint64_t ts, bool is_new)
{
	struct frame *frame = frames_at(x->frames, pfn);
	struct demand_record *rec;

	if (!frame || logical == UINT32_MAX)
		return frame ? -ENOMEM : 0;
	frame->logical = logical;
	if (frame->kind == FRAME_KERNEL)
		frame->kind = FRAME_ANON;
	rec = frame->record ? &x->records[frame->record - 1] : NULL;
	if (rec && is_new) {
		rec->object = logical;
		rec->use = DEMAND_ANON;
	} else if (rec && !(rec->reserved & MARK_DEAD)) {
		rec->reserved |= MARK_DEAD;
		extract_count_swap_in(x, rec->at);
	}
	return extract_looked(x, logical, ts);
}

static int swap_fault(struct extract *x, struct task *task, const struct event *ev)
{
	uint32_t logical = logical_of(x, (uint64_t)event_value(ev, probe_swap_fault_mm, 0),
				      (uint64_t)event_value(ev, probe_swap_fault_addr, 0));
	struct demand_record *rec;

	if (logical == UINT32_MAX)
		return -ENOMEM;
	if (!extract_inside(x, ev->ts) || task->recorder)
		return 0;
	rec = extract_record(x, task, ev->ts, DEMAND_ACCESS);
	if (!rec)
		return -ENOMEM;
	rec->object = logical;
	rec->flags = DEMAND_WRITE;
	x->counts.known_identity++;
	return extract_looked(x, logical, ev->ts);
}

static int reference_found(struct extract *x, const struct frame *frame, uint64_t ts)
{
	struct task *owner = &x->tasks[frame->owner];
	struct demand_record *rec;
	uint64_t since;

	if (frame->logical == DEMAND_NONE || frame->logical >= x->room_looks)
		return 0;
	since = x->looks[frame->logical];
	if (since < x->options.start || since >= ts)
		return 0;
	rec = extract_record(x, owner, since + extract_random(x) % (ts - since), DEMAND_ACCESS);
	if (!rec)
		return -ENOMEM;
	rec->object = frame->logical;
	rec->flags = DEMAND_WRITE;
	x->counts.references_known++;
	return 0;
}

static int look_answered(struct extract *x, struct task *task, const struct event *ev)
{
	struct frame *frame = task->looked_pfn >= 0 ? frames_at(x->frames, task->looked_pfn) : NULL;
	int ret = 0;

	task->looked_pfn = -1;
	if (!frame || frame->kind != FRAME_ANON || frame->logical == DEMAND_NONE ||
	    !extract_inside(x, ev->ts))
		return 0;
	if (event_value(ev, probe_referenced_ret_ret, 0) > 0)
		ret = reference_found(x, frame, ev->ts);
	return ret ? ret : extract_looked(x, frame->logical, ev->ts);
}

int extract_probe(struct extract *x, struct task *task, const struct event *ev)
{
	switch (ev->id) {
	case VOCAB_probe_referenced:
		x->has_probes = true;
		task->looked_pfn = event_value(ev, probe_referenced_pfn, -1);
		return 0;
	case VOCAB_probe_referenced_ret:
		return look_answered(x, task, ev);
	case VOCAB_probe_swap_fault:
		x->has_probes = true;
		return swap_fault(x, task, ev);
	case VOCAB_probe_anon_new:
		return frame_holds(x, event_value(ev, probe_anon_new_pfn, -1),
				   logical_of(x, (uint64_t)event_value(ev, probe_anon_new_mm, 0),
					      (uint64_t)event_value(ev, probe_anon_new_addr, 0)),
				   ev->ts, true);
	default:
		return frame_holds(x, event_value(ev, probe_anon_map_pfn, -1),
				   logical_of(x, (uint64_t)event_value(ev, probe_anon_map_mm, 0),
					      (uint64_t)event_value(ev, probe_anon_map_addr, 0)),
				   ev->ts, false);
	}
}
