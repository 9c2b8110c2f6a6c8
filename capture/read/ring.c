/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/ring.h"

#define RING_STAMP_HIGH (0xf8ull << 56) /* bits that an absolute stamp leaves to the page's */

static uint64_t load_long(const struct ring_layout *layout, const uint8_t *p)
{
	if (layout->commit_size == 4)
		return ring_load32(p, layout->big_endian);
	return ring_load64(p, layout->big_endian);
}

static int64_t page_missed(const struct ring_layout *layout, const uint8_t *page, uint64_t commit)
{
	uint64_t count_at = layout->data_at + (commit & RING_COMMIT_MASK);
	uint64_t count;

	if (!(commit & RING_MISSED_EVENTS))
		return 0;
	if (!(commit & RING_MISSED_STORED) || count_at + layout->commit_size > layout->page_size)
		return RING_MISSED_UNKNOWN;
	count = load_long(layout, page + count_at);
	return count && count <= INT64_MAX ? (int64_t)count : RING_MISSED_UNKNOWN;
}

bool ring_open_page(struct ring_cursor *c, const struct ring_layout *layout, const uint8_t *page,
		    int64_t *missed)
{
	uint64_t commit = load_long(layout, page + layout->commit_at);
	uint32_t used = commit & RING_COMMIT_MASK;

	c->big_endian = layout->big_endian;
	c->stamp = ring_load64(page, layout->big_endian);
	c->pos = page + layout->data_at;
	c->end = c->pos;
	*missed = 0;
	if (used > layout->page_size - layout->data_at)
		return false;
	c->end += used;
	*missed = page_missed(layout, page, commit);
	return true;
}

/* The word at @c->pos and the one behind it make a time: 59 bits in all. */
static uint64_t wide_delta(const struct ring_cursor *c, uint32_t delta)
{
	return (uint64_t)ring_load32(c->pos + 4, c->big_endian) << RING_DELTA_BITS | delta;
}

static enum ring_status take_record(struct ring_cursor *c, const uint8_t *data, uint64_t size)
{
	if (size > (uint64_t)(c->end - data))
		return RING_CORRUPT;
	c->data = data;
	c->size = (uint32_t)size;
	c->pos = data + size;
	return RING_RECORD;
}

static enum ring_status take_long_record(struct ring_cursor *c)
{
	uint32_t length = ring_load32(c->pos + 4, c->big_endian);

	if (length < 4)
		return RING_CORRUPT;
	return take_record(c, c->pos + 8, ((uint64_t)length - 4 + 3) & ~3ull);
}

enum ring_status ring_step_slow(struct ring_cursor *c)
{
	while (c->pos < c->end) {
		uint32_t word, type, delta;
		uint64_t skip;

		if (c->end - c->pos < 4)
			return RING_CORRUPT;
		word = ring_load32(c->pos, c->big_endian);
		type = c->big_endian ? word >> RING_DELTA_BITS : word & 31;
		delta = c->big_endian ? word & RING_DELTA_MASK : word >> 5;
		if (type && type <= RING_TYPE_MAX_WORDS) {
			c->stamp += delta;
			return take_record(c, c->pos + 4, type * 4);
		}
		if (type == RING_TYPE_PADDING && !delta)
			return RING_END;
		if (c->end - c->pos < 8)
			return RING_CORRUPT;
		switch (type) {
		case RING_TYPE_LONG:
			c->stamp += delta;
			return take_long_record(c);
		case RING_TYPE_PADDING:
			/* A discarded record still moved the clock. */
			c->stamp += delta;
			skip = 4 + (uint64_t)ring_load32(c->pos + 4, c->big_endian);
			if (skip >= (uint64_t)(c->end - c->pos))
				return RING_END;
			c->pos += skip;
			break;
		case RING_TYPE_TIME_EXTEND:
			c->stamp += wide_delta(c, delta);
			c->pos += 8;
			break;
		default: /* RING_TYPE_TIME_STAMP */
			c->stamp = (c->stamp & RING_STAMP_HIGH) | wide_delta(c, delta);
			c->pos += 8;
			break;
		}
	}
	return RING_END;
}
