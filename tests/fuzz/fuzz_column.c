/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libFuzzer target: the column store. The first byte says what the others are:
 *
 *	0	a packed column of as many values as the next two bytes say: unpacked
 *	1	values, eight bytes each: packed and unpacked, which must give them again
 *	else	head and data of a block in a database, behind right checksums: queried
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sql/column.h"
#include "sql/column_head.h"
#include "sql/module.h"

#define NR_COLUMNS 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack(struct packer *packer, const uint8_t *data, size_t size)
{
	static int64_t value[PACK_MAX_ROWS];
	unsigned int nr;

	if (size < 2)
		return;
	nr = data[0] | (unsigned int)data[1] << 8;
	unpack_column(packer, data + 2, size - 2, nr, value);
}

static void round_trip(struct packer *packer, const uint8_t *data, size_t size)
{
	static int64_t value[PACK_MAX_ROWS];
	static int64_t back[PACK_MAX_ROWS];
	static uint8_t packed[PACK_BOUND];
	size_t nr = size / sizeof(*value);
	struct pack_hint hint = { 0 };
	int used;

	if (!nr || nr > PACK_MAX_ROWS)
		return;
	memcpy(value, data, nr * sizeof(*value));
	/* Twice: the second time by the hint that the first one left. */
	for (int i = 0; i < 2; i++) {
		used = pack_column(packer, value, (unsigned int)nr, &hint, packed);
		if (used <= 0 ||
		    unpack_column(packer, packed, (size_t)used, (unsigned int)nr, back) ||
		    memcmp(back, value, nr * sizeof(*value)))
			abort();
	}
}

/* Put right checksums into @head, so that what they protect is reached. */
static void forge(uint8_t *head, const uint8_t *data, size_t size)
{
	struct column_head entry;

	for (unsigned int i = 0; i < NR_COLUMNS; i++) {
		column_head_get(head + (size_t)i * COLUMN_HEAD_SIZE, &entry);
		if (entry.offset <= size && entry.size <= size - entry.offset)
			entry.crc = (uint32_t)crc32(0, data + entry.offset, entry.size);
		column_head_put(head + (size_t)i * COLUMN_HEAD_SIZE, &entry);
	}
	column_head_seal(head, NR_COLUMNS);
}

static sqlite3 *open_database(void)
{
	sqlite3 *db;

	if (sqlite3_open(":memory:", &db) || column_module_register(db) ||
	    sqlite3_exec(
		    db,
		    "CREATE TABLE column_block (block INTEGER PRIMARY KEY, tab, run, rows, "
		    "ordered, head, data);"
		    "CREATE VIRTUAL TABLE t USING reclaimlab_columns (run, ts, cpu, task, pfn)",
		    NULL, NULL, NULL))
		abort();
	return db;
}

static void query(const uint8_t *data, size_t size)
{
	uint8_t head[COLUMN_HEAD_BYTES(NR_COLUMNS)];
	static sqlite3 *db;
	sqlite3_stmt *insert;
	unsigned int rows;

	if (size < sizeof(head) + 2)
		return;
	if (!db)
		db = open_database();
	rows = data[0] | (unsigned int)data[1] << 8;
	memcpy(head, data + 2, sizeof(head));
	data += sizeof(head) + 2;
	size -= sizeof(head) + 2;
	forge(head, data, size);
	sqlite3_exec(db, "DELETE FROM column_block", NULL, NULL, NULL);
	sqlite3_prepare_v2(db, "INSERT INTO column_block VALUES (1, 't', 1, ?, 1, ?, ?)", -1,
			   &insert, NULL);
	sqlite3_bind_int64(insert, 1, rows);
	sqlite3_bind_blob(insert, 2, head, sizeof(head), SQLITE_STATIC);
	sqlite3_bind_blob(insert, 3, data, (int)size, SQLITE_STATIC);
	sqlite3_step(insert);
	sqlite3_finalize(insert);
	sqlite3_exec(db,
		     "SELECT total(ts), total(cpu), total(pfn) FROM t WHERE task > 3;"
		     "SELECT max(pfn) FROM t WHERE run = 1 AND ts < 1000 ORDER BY ts",
		     NULL, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct packer *packer;

	if (!packer)
		packer = packer_new();
	if (!size || !packer)
		return 0;
	if (data[0] == 0)
		unpack(packer, data + 1, size - 1);
	else if (data[0] == 1)
		round_trip(packer, data + 1, size - 1);
	else
		query(data + 1, size - 1);
	return 0;
}
