/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sql/column.h"
#include "sql/column_head.h"
#include "sql/packing_plain.h"

struct column_reader {
	sqlite3 *db;
	char *schema;
	unsigned int nr;
	sqlite3_stmt *list; /* block, run, rows, head */
	sqlite3_blob *blob; /* data of the block it stands on */
	int64_t blob_block;
	bool blob_open;
	struct packer *packer; /* made when first needed */
	struct column_bound bound[COLUMN_MAX];
	unsigned int nr_bounds;

	int64_t block;
	int64_t run;
	unsigned int rows;  /* in the block */
	unsigned int match; /* that satisfy the bounds */
	bool all_match;
	struct column_head head[COLUMN_MAX];
	uint64_t unpacked; /* columns that are, a bit each */
	int64_t *value[COLUMN_MAX];
	unsigned int room[COLUMN_MAX]; /* values */
	uint8_t *packed;	       /* one packed column */
	uint32_t packed_room;
	uint16_t row[PACK_MAX_ROWS];
};

static int prepare_list(struct column_reader *reader, const char *tab)
{
	char *sql = sqlite3_mprintf("SELECT block, run, rows, head FROM \"%w\".column_block "
				    "WHERE tab = %Q AND run BETWEEN ?1 AND ?2 ORDER BY run, block",
				    reader->schema, tab);
	int rc;

	if (!sql)
		return SQLITE_NOMEM;
	rc = sqlite3_prepare_v3(reader->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &reader->list,
				NULL);
	sqlite3_free(sql);
	return rc;
}

int column_reader_new(sqlite3 *db, const char *schema, const char *tab, unsigned int nr,
		      struct column_reader **out)
{
	struct column_reader *reader;
	int rc = SQLITE_NOMEM;

	*out = NULL;
	if (!nr || nr > COLUMN_MAX)
		return SQLITE_ERROR;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return SQLITE_NOMEM;
	reader->db = db;
	reader->nr = nr;
	reader->schema = sqlite3_mprintf("%s", schema);
	if (reader->schema)
		rc = prepare_list(reader, tab);
	if (rc) {
		column_reader_free(reader);
		return rc;
	}
	*out = reader;
	return SQLITE_OK;
}

void column_reader_free(struct column_reader *reader)
{
	if (!reader)
		return;
	sqlite3_finalize(reader->list);
	sqlite3_blob_close(reader->blob);
	packer_free(reader->packer);
	for (unsigned int i = 0; i < reader->nr; i++)
		free(reader->value[i]);
	sqlite3_free(reader->schema);
	free(reader->packed);
	free(reader);
}

void column_reader_stop(struct column_reader *reader)
{
	sqlite3_reset(reader->list);
	sqlite3_blob_close(reader->blob);
	reader->blob = NULL;
	reader->blob_open = false;
}

int column_reader_start(struct column_reader *reader, const struct column_bound *bound,
			unsigned int nr)
{
	int64_t first = INT64_MIN;
	int64_t last = INT64_MAX;

	if (nr > COLUMN_MAX)
		return SQLITE_ERROR;
	reader->nr_bounds = 0;
	for (unsigned int i = 0; i < nr; i++) {
		if (bound[i].column) {
			reader->bound[reader->nr_bounds++] = bound[i];
			continue;
		}
		first = bound[i].min > first ? bound[i].min : first;
		last = bound[i].max < last ? bound[i].max : last;
	}
	sqlite3_reset(reader->list);
	sqlite3_bind_int64(reader->list, 1, first);
	sqlite3_bind_int64(reader->list, 2, last);
	reader->match = 0;
	return SQLITE_OK;
}

/* Take the head of the block that reader->list stands on; everything in it is checked. */
static int read_head(struct column_reader *reader)
{
	const uint8_t *head = sqlite3_column_blob(reader->list, 3);
	int size = sqlite3_column_bytes(reader->list, 3);
	int64_t rows = sqlite3_column_int64(reader->list, 2);

	reader->block = sqlite3_column_int64(reader->list, 0);
	reader->run = sqlite3_column_int64(reader->list, 1);
	if (rows < 1 || rows > PACK_MAX_ROWS || !head ||
	    (size_t)size != COLUMN_HEAD_BYTES(reader->nr) || !column_head_intact(head, reader->nr))
		return SQLITE_CORRUPT_VTAB;
	reader->rows = (unsigned int)rows;
	reader->unpacked = 0;
	for (unsigned int i = 0; i < reader->nr; i++) {
		column_head_get(head + (size_t)i * COLUMN_HEAD_SIZE, &reader->head[i]);
		if (reader->head[i].size > PACK_BOUND || reader->head[i].nulls > rows)
			return SQLITE_CORRUPT_VTAB;
	}
	return SQLITE_OK;
}

static bool head_may_satisfy(const struct column_head *head, const struct column_bound *bound)
{
	return head->min <= head->max && head->min <= bound->max && head->max >= bound->min;
}

static bool head_satisfies(const struct column_head *head, const struct column_bound *bound)
{
	return !head->nulls && head->min >= bound->min && head->max <= bound->max;
}

static bool block_may_match(const struct column_reader *reader)
{
	for (unsigned int i = 0; i < reader->nr_bounds; i++)
		if (!head_may_satisfy(&reader->head[reader->bound[i].column], &reader->bound[i]))
			return false;
	return true;
}

static unsigned int keep_rows(struct column_reader *reader, const int64_t *value,
			      const struct column_bound *bound)
{
	unsigned int kept = 0;

	if (reader->all_match) {
		for (unsigned int i = 0; i < reader->rows; i++) {
			reader->row[kept] = (uint16_t)i;
			kept += value[i] >= bound->min && value[i] <= bound->max &&
				value[i] != PACK_NULL;
		}
		return kept;
	}
	for (unsigned int i = 0; i < reader->match; i++) {
		int64_t v = value[reader->row[i]];

		reader->row[kept] = reader->row[i];
		kept += v >= bound->min && v <= bound->max && v != PACK_NULL;
	}
	return kept;
}

static int find_rows(struct column_reader *reader)
{
	reader->all_match = true;
	reader->match = reader->rows;
	for (unsigned int i = 0; i < reader->nr_bounds && reader->match; i++) {
		const struct column_bound *bound = &reader->bound[i];
		const int64_t *value;
		int rc;

		if (head_satisfies(&reader->head[bound->column], bound))
			continue;
		rc = column_reader_values(reader, bound->column, &value);
		if (rc)
			return rc;
		reader->match = keep_rows(reader, value, bound);
		reader->all_match = false;
	}
	return SQLITE_OK;
}

int column_reader_block(struct column_reader *reader)
{
	int rc;

	for (;;) {
		rc = sqlite3_step(reader->list);
		if (rc != SQLITE_ROW) {
			sqlite3_reset(reader->list);
			return rc;
		}
		rc = read_head(reader);
		if (rc)
			return rc;
		if (!block_may_match(reader))
			continue;
		rc = find_rows(reader);
		if (rc)
			return rc;
		if (reader->match)
			return SQLITE_ROW;
	}
}

int64_t column_reader_number(const struct column_reader *reader)
{
	return reader->block;
}

unsigned int column_reader_rows(const struct column_reader *reader)
{
	return reader->match;
}

unsigned int column_reader_row(const struct column_reader *reader, unsigned int i)
{
	return reader->all_match ? i : reader->row[i];
}

/* Let reader->blob stand on the current block. */
static int open_blob(struct column_reader *reader)
{
	int rc;

	if (reader->blob_open && reader->blob_block == reader->block)
		return SQLITE_OK;
	if (reader->blob_open) {
		rc = sqlite3_blob_reopen(reader->blob, reader->block);
	} else {
		sqlite3_blob_close(reader->blob);
		reader->blob = NULL;
		rc = sqlite3_blob_open(reader->db, reader->schema, "column_block", "data",
				       reader->block, 0, &reader->blob);
	}
	reader->blob_open = rc == SQLITE_OK;
	reader->blob_block = reader->block;
	return rc;
}

static int fetch_packed(struct column_reader *reader, const struct column_head *head)
{
	int rc = open_blob(reader);

	if (rc)
		return rc;
	if ((uint64_t)head->offset + head->size > (uint64_t)sqlite3_blob_bytes(reader->blob))
		return SQLITE_CORRUPT_VTAB;
	if (head->size > reader->packed_room) {
		free(reader->packed);
		reader->packed = malloc(head->size);
		reader->packed_room = reader->packed ? head->size : 0;
		if (!reader->packed)
			return SQLITE_NOMEM;
	}
	rc = sqlite3_blob_read(reader->blob, reader->packed, (int)head->size, (int)head->offset);
	if (rc == SQLITE_ABORT)
		reader->blob_open = false;
	return rc;
}

/* Unpack the @size bytes of reader->packed. */
static int unpack(struct column_reader *reader, uint32_t size, int64_t *value)
{
	int err;

	if (size && *reader->packed == PACK_PLAIN) {
		err = unpack_plain(reader->packed + 1, size - 1, reader->rows, value);
		return err ? SQLITE_CORRUPT_VTAB : SQLITE_OK;
	}
	if (!reader->packer)
		reader->packer = packer_new();
	if (!reader->packer)
		return SQLITE_NOMEM;
	err = unpack_column(reader->packer, reader->packed, size, reader->rows, value);
	return err ? SQLITE_CORRUPT_VTAB : SQLITE_OK;
}

static int make_room(struct column_reader *reader, unsigned int column)
{
	if (reader->rows <= reader->room[column])
		return SQLITE_OK;
	free(reader->value[column]);
	reader->value[column] = malloc(reader->rows * sizeof(int64_t));
	reader->room[column] = reader->value[column] ? reader->rows : 0;
	return reader->value[column] ? SQLITE_OK : SQLITE_NOMEM;
}

int column_reader_values(struct column_reader *reader, unsigned int column, const int64_t **value)
{
	const struct column_head *head = &reader->head[column];
	int rc = SQLITE_OK;

	if (!(reader->unpacked & UINT64_C(1) << column))
		rc = make_room(reader, column);
	if (rc)
		return rc;
	*value = reader->value[column];
	if (reader->unpacked & UINT64_C(1) << column)
		return SQLITE_OK;
	if (!column) {
		for (unsigned int i = 0; i < reader->rows; i++)
			reader->value[0][i] = reader->run;
	} else {
		rc = fetch_packed(reader, head);
		if (!rc && crc32(0, reader->packed, head->size) != head->crc)
			rc = SQLITE_CORRUPT_VTAB;
		if (!rc)
			rc = unpack(reader, head->size, reader->value[column]);
		if (rc)
			return rc;
	}
	reader->unpacked |= UINT64_C(1) << column;
	return SQLITE_OK;
}
