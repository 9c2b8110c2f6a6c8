/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sql/column.h"
#include "sql/column_head.h"

#define FIRST_ROWS 256	/* room that a table begins with; doubled as it fills up to a block */
#define QUICK_ROWS 2048 /* rows of a block when speed counts more than size */

struct table_writer {
	const char *tab;
	unsigned int nr;
	unsigned int rows;
	unsigned int room;
	int64_t *row; /* @rows rows of @nr values */
	int64_t last_ts;
	int64_t last_run;
	struct pack_hint hint[COLUMN_MAX];
};

struct column_writer {
	sqlite3 *db;
	sqlite3_stmt *insert;
	struct packer *packer;
	unsigned int block_rows;
	struct table_writer **table;
	unsigned int nr_tables;
	uint8_t *data;
	size_t data_room;
	int64_t value[PACK_MAX_ROWS];
	uint8_t head[COLUMN_HEAD_BYTES(COLUMN_MAX)];
};

struct column_writer *column_writer_new(sqlite3 *db)
{
	struct column_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->db = db;
	writer->block_rows = PACK_MAX_ROWS;
	writer->packer = packer_new();
	if (!writer->packer) {
		free(writer);
		return NULL;
	}
	return writer;
}

void column_writer_quick(struct column_writer *writer)
{
	writer->block_rows = QUICK_ROWS;
	packer_quick(writer->packer);
}

void column_writer_free(struct column_writer *writer)
{
	if (!writer)
		return;
	for (unsigned int i = 0; i < writer->nr_tables; i++) {
		if (writer->table[i])
			free(writer->table[i]->row);
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
	sqlite3_bind_int64(insert, 2, table->row[0]);
	sqlite3_bind_int64(insert, 3, table->rows);
	sqlite3_bind_int64(insert, 4, ordered);
	sqlite3_bind_blob64(insert, 5, writer->head, COLUMN_HEAD_BYTES(table->nr), SQLITE_STATIC);
	sqlite3_bind_blob64(insert, 6, writer->data, size, SQLITE_STATIC);
	rc = sqlite3_step(insert);
	sqlite3_reset(insert);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* Take column @at out of the rows into writer->value, noting what the head says of it. */
static void take_column(struct column_writer *writer, const struct table_writer *table,
			unsigned int at, struct column_head *head)
{
	const int64_t *in = table->row + at;

	head->nulls = 0;
	head->min = INT64_MAX;
	head->max = INT64_MIN;
	for (unsigned int i = 0; i < table->rows; i++, in += table->nr) {
		int64_t v = *in;

		writer->value[i] = v;
		if (v == PACK_NULL) {
			head->nulls++;
			continue;
		}
		head->min = v < head->min ? v : head->min;
		head->max = v > head->max ? v : head->max;
	}
}

/* Is ts (column 1) in order within the block and behind the block before it? */
static bool block_ordered(const struct table_writer *table)
{
	const int64_t *in = table->row + 1;
	int64_t before = table->last_run == table->row[0] ? table->last_ts : INT64_MIN;
	bool ordered = true;

	for (unsigned int i = 0; i < table->rows; i++, in += table->nr) {
		ordered &= *in >= before && *in != PACK_NULL;
		before = *in;
	}
	return ordered;
}

static int make_room(struct column_writer *writer, unsigned int nr)
{
	size_t need = (size_t)nr * PACK_BOUND;
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

static int table_flush(struct column_writer *writer, struct table_writer *table)
{
	bool ordered;
	size_t size = 0;
	int rc;

	if (!table->rows)
		return SQLITE_OK;
	rc = make_room(writer, table->nr);
	if (rc)
		return rc;
	for (unsigned int i = 0; i < table->nr; i++) {
		struct column_head head = { .offset = (uint32_t)size };

		take_column(writer, table, i, &head);
		if (i) {
			int used = pack_column(writer->packer, writer->value, table->rows,
					       &table->hint[i], writer->data + size);

			if (used < 0)
				return SQLITE_ERROR;
			head.size = (uint32_t)used;
			head.crc = (uint32_t)crc32(0, writer->data + size, head.size);
			size += head.size;
		}
		column_head_put(writer->head + (size_t)i * COLUMN_HEAD_SIZE, &head);
	}
	column_head_seal(writer->head, table->nr);
	ordered = block_ordered(table);
	rc = writer_insert(writer, table, ordered, size);
	if (rc)
		return rc;
	table->last_run = table->row[0];
	table->last_ts = table->row[(size_t)(table->rows - 1) * table->nr + 1];
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
	int64_t *row = realloc(table->row, (size_t)room * table->nr * sizeof(*row));

	if (!row)
		return SQLITE_NOMEM;
	table->row = row;
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
	memcpy(table->row + (size_t)table->rows * nr, value, nr * sizeof(*value));
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
