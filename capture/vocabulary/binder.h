/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * binder.h - what binder.c compiles and decode.c runs
 *
 * Inside the vocabulary only. A field becomes an accessor: a load (by size, sign and byte order)
 * and, where the recorded number is not the canonical one, a table. Tables are made once a format,
 * so that decoding is loads and array look-ups.
 */
#ifndef RECLAIMLAB_BINDER_H
#define RECLAIMLAB_BINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/vocabulary/symbols.h"
#include "capture/vocabulary/vocabulary.h"

enum vocab_op {
	OP_U8,
	OP_S8,
	OP_U16,
	OP_S16,
	OP_U32,
	OP_S32,
	OP_U64,
	OP_SWAP_U16,
	OP_SWAP_S16,
	OP_SWAP_U32,
	OP_SWAP_S32,
	OP_SWAP_U64,
	OP_CONSTANT,   /* table is a struct vocab_constant */
	OP_FIXED_TEXT, /* length bytes at offset */
	OP_DATA_LOC,
	OP_REL_LOC,
	OP_TAIL_TEXT,
};

enum vocab_translation { TR_NONE, TR_MAP, TR_BITS, TR_GFP, TR_SYMBOL };

struct vocab_constant {
	int64_t value;
};

/* Enumerations: number to canonical value. */
#define MAP_SIZE 64

struct vocab_map {
	int64_t value[MAP_SIZE];
	int64_t other; /* value of numbers without a name, added to the number */
	bool other_is_value;
};

/* Masks: a table a byte, or-ed. Bits above 31 are dropped. */
struct vocab_bits {
	int64_t byte[4][256];
	int64_t implied;	/* added ... */
	int64_t implied_unless; /* ... where none of these is there */
	bool known;
};

struct vocab_name {
	enum vocab_kind kind;
	int64_t number;
	char *name;
};

struct vocab_binder {
	bool big_endian;
	bool swap;
	unsigned int long_size;
	struct symbols *symbols;
	struct vocab_bits
		*gfp; /* one for all events: every recorded table of a kernel is the same */
	uint16_t type_offset;
	uint16_t pid_offset;
	unsigned int nr_bound;
	size_t max_bound;
	struct vocab_bound **bound;
	uint32_t by_type[UINT16_MAX + 1]; /* index into bound + 1 */
	const struct vocab_bound *by_id[VOCAB_NR];
	unsigned int nr_names;
	size_t max_names;
	struct vocab_name *names;
};

/* Set what bit @number (a mask of one bit) of the recording means. */
void vocab_bits_set(struct vocab_bits *bits, uint32_t number, int64_t value);

#endif
