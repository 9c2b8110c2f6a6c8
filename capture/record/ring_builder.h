/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring_builder.h - ring buffer pages made from records
 *
 * The reverse of capture/read/ring.h: records go in by time, pages come out through a callback when
 * they are full. A record whose stamp does not fit the 27 bits of its delta gets a time extend; one
 * that goes back in time, or that has losses before it, begins a page.
 */
#ifndef RECLAIMLAB_RING_BUILDER_H
#define RECLAIMLAB_RING_BUILDER_H

#include "capture/base/message.h"
#include "capture/read/ring.h"

struct ring_builder;

/* Takes a finished page of the layout's size; a negative errno ends the building. */
typedef int (*ring_builder_emit)(void *ctx, const uint8_t *page, struct rl_msg *msg);

/* NULL without memory. @layout is copied. */
struct ring_builder *ring_builder_new(const struct ring_layout *layout, ring_builder_emit emit,
				      void *ctx);

/*
 * Add a record of @size payload bytes (the rest of the last word is filled with zeros) at @stamp in
 * units of the trace clock, with @missed records lost before it (0, n, or RING_MISSED_UNKNOWN).
 * -EMSGSIZE when it fits no page.
 */
int ring_builder_add(struct ring_builder *b, uint64_t stamp, const void *data, uint32_t size,
		     int64_t missed, struct rl_msg *msg);

const struct ring_layout *ring_builder_layout(const struct ring_builder *b);

/* Emit what is left. */
int ring_builder_flush(struct ring_builder *b, struct rl_msg *msg);

/* NULL is fine; what was not flushed is lost. */
void ring_builder_free(struct ring_builder *b);

#endif
