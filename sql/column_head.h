/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column_head.h - an entry of a block's head, as bytes (see column.h)
 */
#ifndef RECLAIMLAB_COLUMN_HEAD_H
#define RECLAIMLAB_COLUMN_HEAD_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#define COLUMN_HEAD_SIZE 28

struct column_head {
	uint32_t offset;
	uint32_t size;
	uint32_t nulls;
	int64_t min; /* above max: every value is NULL */
	int64_t max;
};

static inline void column_head_put(uint8_t *out, const struct column_head *head)
{
	uint32_t small[3] = { htole32(head->offset), htole32(head->size), htole32(head->nulls) };
	uint64_t large[2] = { htole64((uint64_t)head->min), htole64((uint64_t)head->max) };

	memcpy(out, small, sizeof(small));
	memcpy(out + sizeof(small), large, sizeof(large));
}

static inline void column_head_get(const uint8_t *in, struct column_head *head)
{
	uint32_t small[3];
	uint64_t large[2];

	memcpy(small, in, sizeof(small));
	memcpy(large, in + sizeof(small), sizeof(large));
	head->offset = le32toh(small[0]);
	head->size = le32toh(small[1]);
	head->nulls = le32toh(small[2]);
	head->min = (int64_t)le64toh(large[0]);
	head->max = (int64_t)le64toh(large[1]);
}

#endif
