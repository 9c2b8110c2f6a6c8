/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packing.h - one column of one block: int64 values to bytes and back
 *
 * A column is packed in three steps, each chosen by what the values are like:
 *
 *	transform	what is stored of a value: nothing (all are equal), its distance from the
 *			smallest, the difference to the one before, the change of that difference,
 *			its place in a dictionary, or runs of equal values
 *	layout		how the transformed numbers lie: as bits of the smallest common width, or as
 *			planes of bytes (all lowest bytes, then all second ones, ...), which lets an
 *			entropy coder see the bytes that carry little
 *	zstd		on each piece where that makes it smaller
 *
 * Trying every combination costs far more than packing with one of them, and the columns of a trace
 * change slowly, so a struct pack_hint keeps what won and tries again when the column has got worse
 * or many blocks have passed.
 *
 * NULL (PACK_NULL) is kept in a bitmap of its own; the other values are packed without it. All
 * arithmetic is modulo 2^64, so every int64 survives, whatever its neighbours.
 *
 * Unpacking takes bytes that may be hostile: every length is checked and nothing is allocated by
 * what the bytes say.
 */
#ifndef RECLAIMLAB_PACKING_H
#define RECLAIMLAB_PACKING_H

#include <stddef.h>
#include <stdint.h>

#define PACK_NULL     INT64_MIN
#define PACK_MAX_ROWS 16384 /* values of a column in one block */

/* Bytes that a packed column of PACK_MAX_ROWS values never exceeds. */
#define PACK_BOUND (PACK_MAX_ROWS * 10 + 4096)

/* What packed a column best so far. All zero to begin with; one a column. */
struct pack_hint {
	uint8_t transform;
	uint8_t layout;
	uint16_t age;	     /* blocks since everything was tried */
	uint32_t milli_byte; /* a row, in the block that it was tried with; 0: never */
	uint32_t last;	     /* a row, in the last block */
};

/* Working memory for packing and unpacking, about 600 KiB. One a thread. */
struct packer;

struct packer *packer_new(void);

void packer_free(struct packer *packer);

/*
 * Pack @nr values (1 to PACK_MAX_ROWS) into @out, which has room for PACK_BOUND bytes. Returns the
 * bytes used or a negative errno (-EIO: zstd failed).
 */
int pack_column(struct packer *packer, const int64_t *value, unsigned int nr,
		struct pack_hint *hint, uint8_t *out);

/*
 * Unpack @size bytes into exactly @nr values (1 to PACK_MAX_ROWS). Returns 0, or -EBADMSG when the
 * bytes are no packed column of that many values.
 */
int unpack_column(struct packer *packer, const uint8_t *in, size_t size, unsigned int nr,
		  int64_t *value);

#endif
