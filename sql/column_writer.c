/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sql/column.h"
#include "sql/column_head.h"
#include "sql/packing_plain.h"

#define FIRST_ROWS 128	/* room that a table begins with; doubled as it fills up to a block */
#define QUICK_ROWS 2048 /* rows of a block when speed counts more than size */
#define STRIDE_PAD 8	/* values between columns, so that rows do not share sets of the cache */

struct table_writer {
	const char *tab;
	unsigned int nr;
	unsigned int rows;
	unsigned int room;
	int64_t *value; /* column by column, see table_column() */
	int64_t last_ts;
	int64_t last_run;
	struct pack_hint hint[COLUMN_MAX];
};

struct column_writer {
	sqlite3 *db;
	sqlite3_stmt *insert;
	struct packer *packer; /* made when first needed */
	unsigned int block_rows;
	bool quick;
	struct table_writer **table;
	unsigned int nr_tables;
	uint8_t *data;
	size_t data_room;
	uint8_t head[COLUMN_HEAD_BYTES(COLUMN_MAX)];
};

static int64_t *column_at(int64_t *value, unsigned int room, unsigned int at)
{
	return value + at * ((size_t)room + STRIDE_PAD);
}

static int64_t *table_column(const struct table_writer *table, unsigned int at)
{
	return column_at(table->value, table->room, at);
}

struct column_writer *column_writer_new(sqlite3 *db)
{
	struct column_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->db = db;
	writer->block_rows = PACK_MAX_ROWS;
	return writer;
}

void column_writer_quick(struct column_writer *writer)
{
	writer->block_rows = QUICK_ROWS;
	writer->quick = true;
}

void column_writer_free(struct column_writer *writer)
{
	if (!writer)
		return;
	for (unsigned int i = 0; i < writer->nr_tables; i++) {
		if (writer->table[i])
			free(writer->table[i]->value);
		free(writer->table[i]);
	}
	sqlite3_finalize(writer->insert);
	packer_free(writer->packer);
	free(writer->table);
	free(writer->data);
	free(writer);
}

static int writer_insert(struct column_writer *writer, const struct table_writer *table,
			 bool ordered, size_t size)
{
	sqlite3_stmt *insert;
	int rc = SQLITE_OK;

	if (!writer->insert)
		rc = sqlite3_prepare_v3(writer->db,
					"INSERT INTO column_block (tab, run, rows, ordered, head, "
					"data) VALUES (?, ?, ?, ?, ?, ?)",
					-1, SQLITE_PREPARE_PERSISTENT, &writer->insert, NULL);
	if (rc)
		return rc;
	insert = writer->insert;
	sqlite3_bind_text(insert, 1, table->tab, -1, SQLITE_STATIC);
	sqlite3_bind_int64(insert, 2, table->value[0]);
	sqlite3_bind_int64(insert, 3, table->rows);
	sqlite3_bind_int64(insert, 4, ordered);
	sqlite3_bind_blob64(insert, 5, writer->head, COLUMN_HEAD_BYTES(table->nr), SQLITE_STATIC);
	sqlite3_bind_blob64(insert, 6, writer->data, size, SQLITE_STATIC);
	rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void measure_column(const int64_t *value, unsigned int rows, struct column_head *head)
{
	int64_t min = INT64_MAX;
	int64_t max = INT64_MIN;
	uint32_t nulls = 0;

	for (unsigned int i = 0; i < rows; i++) {
		int64_t v = value[i] == PACK_NULL ? INT64_MAX : value[i];

		nulls += value[i] == PACK_NULL;
		min = v < min ? v : min;
		max = value[i] > max ? value[i] : max;
	}
	head->nulls = nulls;
	head->min = min;
	head->max = max;
}

/* Is ts (column 1) in order within the block and behind the block before it? */
static bool block_ordered(const struct table_writer *table)
{
	const int64_t *ts = table_column(table, 1);
	int64_t before = table->last_run == table->value[0] ? table->last_ts : INT64_MIN;
	bool ordered = true;

	for (unsigned int i = 0; i < table->rows; i++) {
		ordered &= ts[i] >= before && ts[i] != PACK_NULL;
		before = ts[i];
	}
	return ordered;
}

static int make_room(struct column_writer *writer, unsigned int nr)
{
	size_t need = (size_t)nr * (writer->quick ? PACK_PLAIN_BOUND(QUICK_ROWS) : PACK_BOUND);
	uint8_t *data;

	if (need <= writer->data_room)
		return SQLITE_OK;
	data = realloc(writer->data, need);
	if (!data)
		return SQLITE_NOMEM;
	writer->data = data;
	writer->data_room = need;
	return SQLITE_OK;
}

/* Pack column @at to the end of writer->data, of which *@size bytes are used. */
static int put_column(struct column_writer *writer, struct table_writer *table, unsigned int at,
		      size_t *size)
{
	struct column_head head = { .offset = (uint32_t)*size };
	const int64_t *value = table_column(table, at);
	uint8_t *out = writer->data + *size;
	int used = 0;

	if (!writer->quick && !writer->packer)
		writer->packer = packer_new();
	if (!writer->quick && !writer->packer)
		return SQLITE_NOMEM;
	measure_column(value, table->rows, &head);
	if (at && writer->quick)
		used = (int)pack_plain(value, table->rows, head.min, head.max, out);
	else if (at)
		used = pack_column(writer->packer, value, table->rows, &table->hint[at], out);
	if (used < 0)
		return SQLITE_ERROR;
	head.size = (uint32_t)used;
	head.crc = (uint32_t)crc32(0, out, head.size);
	column_head_put(writer->head + (size_t)at * COLUMN_HEAD_SIZE, &head);
	*size += head.size;
	return SQLITE_OK;
}

static int table_flush(struct column_writer *writer, struct table_writer *table)
{
	size_t size = 0;
	int rc;

	if (!table->rows)
		return SQLITE_OK;
	rc = make_room(writer, table->nr);
	for (unsigned int i = 0; !rc && i < table->nr; i++)
		rc = put_column(writer, table, i, &size);
	if (rc)
		return rc;
	column_head_seal(writer->head, table->nr);
	rc = writer_insert(writer, table, block_ordered(table), size);
	if (rc)
		return rc;
	table->last_run = table->value[0];
	table->last_ts = table_column(table, 1)[table->rows - 1];
	table->rows = 0;
	return SQLITE_OK;
}

static struct table_writer *table_begin(struct column_writer *writer, unsigned int at,
					const char *tab, unsigned int nr)
{
	struct table_writer *table;

	if (at >= writer->nr_tables) {
		struct table_writer **list =
			realloc(writer->table, (at + 1) * sizeof(struct table_writer *));

		if (!list)
			return NULL;
		memset(list + writer->nr_tables, 0,
		       (at + 1 - writer->nr_tables) * sizeof(struct table_writer *));
		writer->table = list;
		writer->nr_tables = at + 1;
	}
	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	table->tab = tab;
	table->nr = nr;
	table->last_ts = INT64_MIN;
	writer->table[at] = table;
	return table;
}

static int table_grow(struct table_writer *table)
{
	unsigned int room = table->room ? table->room * 2 : FIRST_ROWS;
	int64_t *value = malloc(table->nr * ((size_t)room + STRIDE_PAD) * sizeof(*value));

	if (!value)
		return SQLITE_NOMEM;
	for (unsigned int i = 0; i < table->nr && table->rows; i++)
		memcpy(column_at(value, room, i), table_column(table, i),
		       table->rows * sizeof(*value));
	free(table->value);
	table->value = value;
	table->room = room;
	return SQLITE_OK;
}

int column_writer_put(struct column_writer *writer, unsigned int at, const char *tab,
		      unsigned int nr, const int64_t *value)
{
	struct table_writer *table = at < writer->nr_tables ? writer->table[at] : NULL;

	if (!table) {
		table = table_begin(writer, at, tab, nr);
		if (!table)
			return SQLITE_NOMEM;
	}
	if (table->rows == table->room && table_grow(table))
		return SQLITE_NOMEM;
	for (unsigned int i = 0; i < nr; i++)
		table_column(table, i)[table->rows] = value[i];
	if (++table->rows < writer->block_rows)
		return SQLITE_OK;
	return table_flush(writer, table);
}

int column_writer_flush(struct column_writer *writer)
{
	int rc;

	for (unsigned int i = 0; i < writer->nr_tables; i++) {
		if (!writer->table[i])
			continue;
		rc = table_flush(writer, writer->table[i]);
		if (rc)
			return rc;
	}
	return SQLITE_OK;
}
