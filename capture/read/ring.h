/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ring.h - the kernel's ring buffer pages, decoded in place
 *
 * A sub-buffer ("page" here, whatever its size) begins with a 64-bit stamp and a word of the
 * kernel's long size: the bytes used ("commit") and two flags about records that were lost before
 * it. Records follow, each behind a 32-bit word of a 5-bit type_len and a 27-bit time delta.
 * Everything that varies between traced machines (byte order, long size, page size) is in struct
 * ring_layout; a struct ring_cursor walks the records of one page.
 *
 * ring_step() is inline because it runs once a record: the common record (type_len 1 to 28, inside
 * the page) costs one load and a few compares, everything else goes to ring_step_slow(). It never
 * reads outside [page, page + page_size), whatever the bytes say, and never allocates.
 *
 * Sources: kernel/trace/ring_buffer.c (enum ring_buffer_type, struct buffer_data_page,
 * RB_MISSED_EVENTS, RB_MISSED_STORED) and header_page, header_event of tracefs.
 */
#ifndef RECLAIMLAB_RING_H
#define RECLAIMLAB_RING_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "capture/base/message.h"

#define RING_PAGE_MIN 512u
#define RING_PAGE_MAX (128u << 20) /* the commit field has 27 bits for the size */

/* type_len: 1 to 28 are words of payload, the others are these. */
#define RING_TYPE_LONG	      0 /* the length stands in the next word */
#define RING_TYPE_MAX_WORDS   28
#define RING_TYPE_PADDING     29
#define RING_TYPE_TIME_EXTEND 30
#define RING_TYPE_TIME_STAMP  31

#define RING_DELTA_BITS 27
#define RING_DELTA_MASK ((1u << RING_DELTA_BITS) - 1)

#define RING_COMMIT_MASK   ((1u << 27) - 1)
#define RING_MISSED_EVENTS (1u << 31)
#define RING_MISSED_STORED (1u << 30)

/* Records were lost, nobody knows how many. */
#define RING_MISSED_UNKNOWN (-1)

/* How the traced kernel lays out its pages. */
struct ring_layout {
	uint32_t page_size;   /* bytes, RING_PAGE_MIN to RING_PAGE_MAX */
	uint32_t commit_at;   /* offset of the commit word */
	uint32_t commit_size; /* 4 or 8: the kernel's long */
	uint32_t data_at;     /* offset of the first record */
	bool big_endian;
};

/*
 * The layout that the text of tracefs' events/header_page describes. -EBADMSG when it describes
 * none, -EPROTONOSUPPORT when it is one that ring_open_page() cannot read.
 */
int ring_layout_parse(struct ring_layout *layout, const char *header_page, size_t size,
		      bool big_endian, struct rl_msg *msg);

/*
 * Find "field: TYPE NAME; offset:N; size:N;" in the first 4 KiB of a text of header_page's or a
 * format's kind.
 */
bool ring_find_field(const char *text, size_t text_size, const char *name, uint32_t *offset,
		     uint32_t *size);

enum ring_status {
	RING_RECORD,  /* @data, @size and @stamp are those of a record */
	RING_END,     /* no record is left on the page */
	RING_CORRUPT, /* the record at @pos does not fit its page: the rest of it is lost */
};

struct ring_cursor {
	const uint8_t *pos;  /* the next record word */
	const uint8_t *end;  /* first byte behind the used part */
	const uint8_t *data; /* payload of the current record */
	uint64_t stamp;	     /* of the current record, in units of the trace clock */
	uint32_t size;	     /* payload bytes of the current record */
	bool big_endian;
};

static inline uint16_t ring_load16(const uint8_t *p, bool big_endian)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian ? be16toh(v) : le16toh(v);
}

static inline uint32_t ring_load32(const uint8_t *p, bool big_endian)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian ? be32toh(v) : le32toh(v);
}

static inline uint64_t ring_load64(const uint8_t *p, bool big_endian)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian ? be64toh(v) : le64toh(v);
}

/*
 * Stand before the first record of @page, which has @layout->page_size readable bytes.
 * @missed becomes the number of records lost before the page, 0, or RING_MISSED_UNKNOWN.
 * Returns false when the page claims more bytes than it has: it holds nothing to trust.
 */
bool ring_open_page(struct ring_cursor *c, const struct ring_layout *layout, const uint8_t *page,
		    int64_t *missed);

/* ring_step() for all but the common record. */
enum ring_status ring_step_slow(struct ring_cursor *c);

/* Go to the next record of the page. After RING_END or RING_CORRUPT only ring_open_page() helps. */
static inline enum ring_status ring_step(struct ring_cursor *c)
{
	if (__builtin_expect(c->end - c->pos >= 4, 1)) {
		uint32_t word = ring_load32(c->pos, c->big_endian);
		uint32_t type = c->big_endian ? word >> RING_DELTA_BITS : word & 31;
		uint32_t delta = c->big_endian ? word & RING_DELTA_MASK : word >> 5;
		uint32_t size = type * 4;

		if (__builtin_expect(type - 1 < RING_TYPE_MAX_WORDS, 1) &&
		    __builtin_expect(c->end - c->pos >= (ptrdiff_t)size + 4, 1)) {
			c->stamp += delta;
			c->data = c->pos + 4;
			c->size = size;
			c->pos = c->data + size;
			return RING_RECORD;
		}
	}
	return ring_step_slow(c);
}

#endif
