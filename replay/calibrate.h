/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calibrate.h - what things cost on the recorded machine
 *
 * Measured once from the events of a recording and never changed between the policies of one
 * comparison. Everything is a median of short stretches of known code, so that neither a pause of
 * the CPU nor another task's turn colours it:
 *
 *	scan, reclaim	lru_isolate to shrink_inactive, a page taken; batches that freed and wrote
 *			nothing give the scan, batches that freed all give scan and reclaim
 *	pageout		the same of batches that wrote all
 *	batch, pass	shrink_inactive to the next lru_isolate of the task, without and with slab
 *			shrinkers between
 *	alloc, add	add to the next alloc, and alloc to the add of the same page, in a run
 *	free		free to free
 *	wake		wakeup_kswapd to kswapd_wake
 *
 * CPU time lost: in the same stretches (known to be CPU time of one task) a gap of more than
 * PAUSE_NS in which no other task shows on that CPU is a pause: the hypervisor or something
 * unrecorded had the CPU. Long gaps of who swaps out are waits for the device instead. Their number
 *over the CPU time looked at, and their lengths, make a random process. Recorded durations of
 *reclaim are not used as such: they contain the contention already.
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
	uint64_t covered_ns; /* CPU time in which pauses were looked for */
	uint64_t pauses;
	int64_t pause_gap_ns;			     /* mean CPU time between pauses; 0 none */
	int64_t pause_quantile[CALIBRATE_QUANTILES]; /* equally likely lengths, ascending */
	uint64_t anon_looks, anon_referenced;
	uint64_t file_looks, file_referenced;
	bool mglru;
};

struct calibrator;

/* NULL when memory is short. */
struct calibrator *calibrator_new(uint64_t start, uint64_t end);
void calibrator_free(struct calibrator *calibrator);

/* Take the next event. Returns 0 or -ENOMEM. */
int calibrator_event(struct calibrator *calibrator, const struct event *ev);

void calibrator_result(struct calibrator *calibrator, struct calibration *out);

#endif
