/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h - where unmovable and reclaimable memory was free when a recording began
 *
 * /proc/pagetypeinfo counts free blocks but does not say where they lie, nor of which type the
 * pages on per-CPU lists are. The events do: a frame that is allocated, or taken from another
 * type's free list (mm_page_alloc_extfrag), before it was seen freed was free at the start. Its
 * type is that of its pageblock: the type that the request had, or fell back to, or that the
 * pageblock had before it was claimed. Frames that no request needed in the recording stay unknown.
 */
#ifndef RECLAIMLAB_LAYOUT_H
#define RECLAIMLAB_LAYOUT_H

#include <stdint.h>

#include "capture/vocabulary/event.h"

struct layout;

/* For events in [@start, @end), ns. NULL when memory is short. */
struct layout *layout_new(uint32_t pageblock_order, uint64_t start, uint64_t end);
/* NULL is fine. */
void layout_free(struct layout *layout);

/* Take the next event. Returns 0 or -ENOMEM. */
int layout_event(struct layout *layout, const struct event *ev);

/*
 * The frames of @pfn.. + @nr known to have been free in pageblocks of the two types, the first seen
 * first, as struct reclaim_initial takes them: frame - @pfn, doubled, 1 added for reclaimable.
 * Writes up to @room of them and their number to *@count. Returns 0 or -ENOMEM.
 */
int layout_known(const struct layout *layout, uint64_t pfn, uint64_t nr, uint32_t *known,
		 uint32_t room, uint32_t *count);

#endif
