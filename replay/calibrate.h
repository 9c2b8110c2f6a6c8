/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate.h - what things cost on the recorded machine
 *
 * Measured once from the events of a recording and never changed between the policies of one
 * comparison. Costs are means of short stretches of known code, without gaps of PAUSE_NS and
 * more, so that neither a pause of the CPU nor another task's turn colours them:
 *
 *	scan, reclaim	lru_isolate to shrink_inactive, a page taken; batches that freed and wrote
 *			nothing give the scan, batches that freed all give scan and reclaim
 *	pageout		the same of batches that wrote all
 *	batch		shrink_inactive to the next lru_isolate of the task
 *	pass		the same with slab shrinkers between; a median, for it is not short
 *	alloc		add to the next alloc in a run, pages that go to their list included
 *	add		alloc to the add of the same page
 *	free		free to free
 *	wake		wakeup_kswapd to kswapd_wake: a tenth takes no longer, undisturbed
 *
 * CPU time lost: in the same stretches (known to be CPU time of one task) a gap of PAUSE_NS and
 * more, and of twice what the looks at the pages of a batch take, in which no other task shows on
 * that CPU is a pause: the hypervisor or something unrecorded had the CPU. Long gaps of who swaps
 * out are none where they may be waits for the device, which had writers wait; nor are those that
 * come with every hundred pages freed, when a CPU's list of free pages is full. The number of
 *pauses over the CPU time looked at, and their lengths, make a random process. Recorded durations
 *of reclaim are not used as such: they contain the contention already.
 *
 * Where a woken actor runs is seen of kswapd: woken by a task on the CPU that it had itself, it
 * stays there behind that task or goes to an idle CPU; with work left it waits on its CPU for
 * another task's turn to end, or a CPU that ran dry has taken it over.
 *
 * Hidden references: of the pages that reclaim took from an inactive list, the share that it kept
 * or activated because they were referenced, apart for anonymous and file pages.
 */
#ifndef RECLAIMLAB_CALIBRATE_H
#define RECLAIMLAB_CALIBRATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/vocabulary/event.h"

#define CALIBRATE_QUANTILES 64

/* ns; 0 where the recording does not show it. */
struct calibration {
	uint32_t scan_page, reclaim_page; /* reclaim_page is on top of scan_page */
	uint32_t pageout;		  /* a page that reclaim writes, on top of scan_page */
	uint32_t batch, pass;
	uint32_t alloc, cache_add, free_page;
	uint32_t wake;
	uint64_t wakes_stayed, wakes_moved; /* of kswapd, by a task on its own CPU */
	uint64_t turns_stayed, turns_moved; /* of kswapd, that others had while it had work */
	uint64_t covered_ns;		    /* CPU time in which pauses were looked for */
	uint64_t pauses;
	int64_t pause_gap_ns;			     /* mean CPU time between pauses; 0 none */
	int64_t pause_quantile[CALIBRATE_QUANTILES]; /* means of equal parts, ascending */
	uint64_t anon_looks, anon_referenced;
	uint64_t file_looks, file_referenced;
	bool mglru;
};

struct calibrator;

/*
 * @swap_waits: the swap device had so much to write that writers waited for it, so that long gaps
 * of who swaps out are no pauses. NULL when memory is short.
 */
struct calibrator *calibrator_new(uint64_t start, uint64_t end, bool swap_waits);
void calibrator_free(struct calibrator *calibrator);

/* Take the next event. Returns 0 or -ENOMEM. */
int calibrator_event(struct calibrator *calibrator, const struct event *ev);

/* Once, behind all events. Returns 0 or -ENOMEM. */
int calibrator_result(struct calibrator *calibrator, struct calibration *out);

/*
 * How much later, ns on average, the end of a request is noticed because the CPU that should take
 * it is in a pause: the share of time that is pauses, times what is left of one on average.
 */
uint64_t calibration_delay(const struct calibration *calibration);

#endif
