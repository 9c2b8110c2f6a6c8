/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column_head.h - the head of a block as bytes (see column.h)
 *
 * An entry of COLUMN_HEAD_SIZE bytes a column, then the CRC-32 of these.
 */
#ifndef RECLAIMLAB_COLUMN_HEAD_H
#define RECLAIMLAB_COLUMN_HEAD_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <zlib.h>

#define COLUMN_HEAD_SIZE      32
#define COLUMN_HEAD_CRC	      4
#define COLUMN_HEAD_BYTES(nr) ((size_t)(nr)*COLUMN_HEAD_SIZE + COLUMN_HEAD_CRC)

struct column_head {
	uint32_t offset;
	uint32_t size;
	uint32_t nulls;
	uint32_t crc; /* CRC-32 of the packed column */
	int64_t min;  /* above max: every value is NULL */
	int64_t max;
};

static inline void column_head_put(uint8_t *out, const struct column_head *head)
{
	uint32_t small[4] = { htole32(head->offset), htole32(head->size), htole32(head->nulls),
			      htole32(head->crc) };
	uint64_t large[2] = { htole64((uint64_t)head->min), htole64((uint64_t)head->max) };

	memcpy(out, small, sizeof(small));
	memcpy(out + sizeof(small), large, sizeof(large));
}

static inline void column_head_get(const uint8_t *in, struct column_head *head)
{
	uint32_t small[4];
	uint64_t large[2];

	memcpy(small, in, sizeof(small));
	memcpy(large, in + sizeof(small), sizeof(large));
	head->offset = le32toh(small[0]);
	head->size = le32toh(small[1]);
	head->nulls = le32toh(small[2]);
	head->crc = le32toh(small[3]);
	head->min = (int64_t)le64toh(large[0]);
	head->max = (int64_t)le64toh(large[1]);
}

/* The checksum behind the entries of @nr columns. */
static inline uint32_t column_head_crc(const uint8_t *in, unsigned int nr)
{
	return (uint32_t)crc32(0, in, nr * COLUMN_HEAD_SIZE);
}

static inline void column_head_seal(uint8_t *out, unsigned int nr)
{
	uint32_t crc = htole32(column_head_crc(out, nr));

	memcpy(out + (size_t)nr * COLUMN_HEAD_SIZE, &crc, sizeof(crc));
}

static inline bool column_head_intact(const uint8_t *in, unsigned int nr)
{
	uint32_t crc;

	memcpy(&crc, in + (size_t)nr * COLUMN_HEAD_SIZE, sizeof(crc));
	return le32toh(crc) == column_head_crc(in, nr);
}

#endif
