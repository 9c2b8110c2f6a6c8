/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch.h - which anonymous pages the tasks touched, where no event says it
 *
 * A plain recording shows when a task took a page back from swap, but neither which one nor what it
 * touched in between. Yet both decide what another policy would have met: a page that it swaps out
 * is asked for again at that page's own pace.
 *
 * So the touches are drawn. Each task's anonymous pages get a popularity that falls with a power of
 * their rank (Zipf), ranks being given out by chance. A list model of what is resident is moved
 * along by the recording: each recorded allocation adds its page, each recorded eviction of an
 * anonymous page takes one, chosen as the kernel does (two lists, a second chance, refault
 * distances). At each recorded swap-in the task touches pages by their popularity until it meets
 * one that is not resident: that is the page it took back. The touches before it were hits.
 *
 * The power itself does not show in a recording: swap-ins, activations and refault distances come
 * out nearly alike for any between 0.3 and 1.1, because the number of touches between two swap-ins
 * adapts. It is 0.9, as popularities commonly are; what a replay on other memory sizes says depends
 * on it more than the grade does.
 */
#ifndef RECLAIMLAB_TOUCH_H
#define RECLAIMLAB_TOUCH_H

#include <stdint.h>

#include "replay/workload/extract_private.h"

struct touches {
	uint32_t *pages; /* logical, in the order of their swap-ins */
	uint32_t nr;
	size_t room;
	uint32_t *first; /* by record: where its touches begin; nr_records + 1 entries, or NULL */
};

/*
 * Draw the touches of the records @order (nr_order, by time) and give their swap-ins the pages that
 * they took back. Nothing is drawn where there are fewer than a few hundred swap-ins. Returns 0 or
 * -ENOMEM.
 */
int touches_draw(struct extract *x, const uint32_t *order, uint32_t nr_order,
		 struct touches *touches);
void touches_clear(struct touches *touches);

#endif
