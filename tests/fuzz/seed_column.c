/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seed_column DIR - packed columns, values and blocks for fuzz_column to start from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sql/column_head.h"
#include "sql/packing.h"

#define NR_COLUMNS 5
#define ROWS	   200
#define SHAPES	   8

static uint8_t block[4 + COLUMN_HEAD_BYTES(NR_COLUMNS) + NR_COLUMNS * PACK_BOUND];

static int64_t value_of(unsigned int shape, int64_t i)
{
	switch (shape) {
	case 0:
		return i * 1000 + i * 7919 % 13;
	case 1:
		return i & 1;
	case 2:
		return i % 7 ? i / 50 : PACK_NULL;
	case 3:
		return i * 7919 % 4096;
	case 4:
		return i % 3 * INT64_C(0x7000000000);
	case 5:
		return i * i * i;
	case 6:
		return 5;
	default:
		return (int64_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
	}
}

static void fill(unsigned int shape, int64_t *value)
{
	for (int i = 0; i < ROWS; i++)
		value[i] = value_of(shape, i);
}

static int write_seed(const char *folder, const char *kind, unsigned int nr, const void *data,
		      size_t size)
{
	char path[4096];
	FILE *f;
	int err;

	snprintf(path, sizeof(path), "%s/%s%u", folder, kind, nr);
	f = fopen(path, "w");
	if (!f)
		return -1;
	err = fwrite(data, 1, size, f) != size;
	return fclose(f) || err ? -1 : 0;
}

static int write_columns(const char *folder, struct packer *packer)
{
	static uint8_t seed[3 + PACK_BOUND];
	int64_t value[ROWS];

	for (unsigned int shape = 0; shape < SHAPES; shape++) {
		struct pack_hint hint = { 0 };
		int used;

		fill(shape, value);
		seed[0] = 1;
		memcpy(seed + 1, value, sizeof(value));
		if (write_seed(folder, "values", shape, seed, 1 + sizeof(value)))
			return -1;
		used = pack_column(packer, value, ROWS, &hint, seed + 3);
		seed[0] = 0;
		seed[1] = ROWS;
		seed[2] = 0;
		if (used < 0 || write_seed(folder, "packed", shape, seed, 3 + (size_t)used))
			return -1;
	}
	return 0;
}

static int write_block(const char *folder, struct packer *packer)
{
	uint8_t *head = block + 3;
	uint8_t *data = head + COLUMN_HEAD_BYTES(NR_COLUMNS);
	int64_t value[ROWS];
	size_t size = 0;

	block[0] = 2;
	block[1] = ROWS;
	for (unsigned int i = 0; i < NR_COLUMNS; i++) {
		struct column_head entry = { .offset = (uint32_t)size, .min = 0, .max = 1000000 };
		struct pack_hint hint = { 0 };
		int used;

		fill(i, value);
		used = pack_column(packer, value, ROWS, &hint, data + size);
		if (used < 0)
			return -1;
		entry.size = (uint32_t)used;
		size += entry.size;
		column_head_put(head + (size_t)i * COLUMN_HEAD_SIZE, &entry);
	}
	return write_seed(folder, "block", 0, block, (size_t)(data + size - block));
}

int main(int argc, char **argv)
{
	struct packer *packer = packer_new();
	int err;

	if (argc != 2 || !packer) {
		fprintf(stderr, "usage: seed_column DIR\n");
		return 2;
	}
	mkdir(argv[1], 0777);
	err = write_columns(argv[1], packer) || write_block(argv[1], packer);
	packer_free(packer);
	return err ? 1 : 0;
}
