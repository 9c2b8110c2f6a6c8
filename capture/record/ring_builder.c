/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/ring_builder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define WIDE_DELTA_BITS 59

struct ring_builder {
	struct ring_layout layout;
	ring_builder_emit emit;
	void *ctx;
	bool open; /* the page has begun */
	uint32_t used;
	uint64_t stamp; /* of the last record on the page */
	uint64_t missed;
	bool missed_unknown;
	uint8_t page[];
};

static void store32(const struct ring_builder *b, uint8_t *p, uint32_t v)
{
	v = b->layout.big_endian ? htobe32(v) : htole32(v);
	memcpy(p, &v, sizeof(v));
}

static void store64(const struct ring_builder *b, uint8_t *p, uint64_t v)
{
	v = b->layout.big_endian ? htobe64(v) : htole64(v);
	memcpy(p, &v, sizeof(v));
}

static void store_long(const struct ring_builder *b, uint8_t *p, uint64_t v)
{
	if (b->layout.commit_size == 4)
		store32(b, p, v > UINT32_MAX ? UINT32_MAX : (uint32_t)v);
	else
		store64(b, p, v);
}

struct ring_builder *ring_builder_new(const struct ring_layout *layout, ring_builder_emit emit,
				      void *ctx)
{
	struct ring_builder *b = calloc(1, sizeof(*b) + layout->page_size);

	if (!b)
		return NULL;
	b->layout = *layout;
	b->emit = emit;
	b->ctx = ctx;
	return b;
}

const struct ring_layout *ring_builder_layout(const struct ring_builder *b)
{
	return &b->layout;
}

static uint8_t *page_end(struct ring_builder *b)
{
	return b->page + b->layout.data_at + b->used;
}

static uint32_t page_room(const struct ring_builder *b)
{
	return b->layout.page_size - b->layout.data_at - b->used;
}

static void begin_page(struct ring_builder *b, uint64_t stamp, int64_t missed)
{
	memset(b->page, 0, b->layout.page_size);
	store64(b, b->page, stamp);
	b->open = true;
	b->used = 0;
	b->stamp = stamp;
	b->missed_unknown = missed == RING_MISSED_UNKNOWN;
	b->missed = missed > 0 ? (uint64_t)missed : 0;
}

int ring_builder_flush(struct ring_builder *b, struct rl_msg *msg)
{
	uint64_t commit = b->used;

	if (!b->open)
		return 0;
	b->open = false;
	if (b->missed || b->missed_unknown)
		commit |= RING_MISSED_EVENTS;
	if (b->missed && page_room(b) >= b->layout.commit_size) {
		commit |= RING_MISSED_STORED;
		store_long(b, page_end(b), b->missed);
	}
	store_long(b, b->page + b->layout.commit_at, commit);
	return b->emit(b->ctx, b->page, msg);
}

static void put_word(struct ring_builder *b, uint32_t type, uint32_t delta)
{
	uint32_t word = b->layout.big_endian ? type << RING_DELTA_BITS | delta : delta << 5 | type;

	store32(b, page_end(b), word);
	b->used += 4;
}

static void put_u32(struct ring_builder *b, uint32_t v)
{
	store32(b, page_end(b), v);
	b->used += 4;
}

/* Bytes in front of the payload: the word, and the length where the word has no room for it. */
static uint32_t head_size(uint32_t padded)
{
	return padded && padded <= RING_TYPE_MAX_WORDS * 4 ? 4 : 8;
}

static void put_record(struct ring_builder *b, uint64_t delta, const void *data, uint32_t size,
		       uint32_t padded)
{
	if (delta > RING_DELTA_MASK) {
		put_word(b, RING_TYPE_TIME_EXTEND, (uint32_t)(delta & RING_DELTA_MASK));
		put_u32(b, (uint32_t)(delta >> RING_DELTA_BITS));
		delta = 0;
	}
	if (head_size(padded) == 4) {
		put_word(b, padded / 4, (uint32_t)delta);
	} else {
		put_word(b, RING_TYPE_LONG, (uint32_t)delta);
		put_u32(b, padded + 4);
	}
	if (size)
		memcpy(page_end(b), data, size);
	b->used += padded;
}

int ring_builder_add(struct ring_builder *b, uint64_t stamp, const void *data, uint32_t size,
		     int64_t missed, struct rl_msg *msg)
{
	uint32_t most = b->layout.page_size - b->layout.data_at - 8;
	uint32_t padded = (size + 3) & ~3u;
	uint64_t delta, need;
	int ret;

	if (size > most || padded > most)
		return rl_fail(msg, EMSGSIZE,
			       "a record of %u bytes fits no page, which has room for %u", size,
			       most);
	delta = stamp - b->stamp;
	need = head_size(padded) + (uint64_t)padded + (delta > RING_DELTA_MASK ? 8 : 0);
	if (!b->open || missed || stamp < b->stamp || delta >> WIDE_DELTA_BITS ||
	    need > page_room(b)) {
		ret = ring_builder_flush(b, msg);
		if (ret)
			return ret;
		begin_page(b, stamp, missed);
		delta = 0;
	}
	put_record(b, delta, data, size, padded);
	b->stamp = stamp;
	return 0;
}

void ring_builder_free(struct ring_builder *b)
{
	free(b);
}
