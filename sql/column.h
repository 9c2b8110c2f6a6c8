/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * column.h - the column store: page-rate facts as packed blocks
 *
 * Events at page rate come by the million. As rows of an ordinary table each would cost some fifty
 * bytes and a microsecond; here a block of up to PACK_MAX_ROWS rows is kept column by column, each
 * packed by itself (sql/packing.h), in one row of the table column_block:
 *
 *	block	number, grows with time within a table and a run
 *	tab	name of the table
 *	run	the run that all rows of the block belong to
 *	rows	how many
 *	ordered	1: ts never goes back in the block, nor from the block before it
 *	head	an entry a column: u32 offset and size in data, u32 NULLs, u32 CRC-32 of the packed
 *		bytes, i64 min, i64 max; then the CRC-32 of all entries; little-endian. The column
 *		run has no data
 *	data	the packed columns
 *
 * A reader goes through the blocks of one table, passes over those whose min and max cannot satisfy
 * a bound, and unpacks a column when it is first asked for, so that a query pays for the columns it
 * names. The bytes of a database are taken as they come: a damaged block is found by its checksums
 * and, should these be forged, by the decoder, and is an error of the query and nothing else.
 */
#ifndef RECLAIMLAB_COLUMN_H
#define RECLAIMLAB_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "sql/sqlite_api.h"

#include "sql/packing.h"

#define COLUMN_MAX 64 /* columns of a table; SQLite tells us of that many whether they are used */

struct column_writer;

/*
 * A writer for the tables of one database. It owns prepared statements of @db and must be freed
 * before it is closed. NULL when memory is short.
 */
struct column_writer *column_writer_new(sqlite3 *db);

/*
 * Write for a database that lives as long as the process: small blocks that stay in the processor's
 * cache while they are filled, packed for speed (sql/packing_plain.h). To be called before the
 * first row.
 */
void column_writer_quick(struct column_writer *writer);
void column_writer_free(struct column_writer *writer);

/*
 * Add a row to the table called @tab, which has @nr columns. @table is a small number that stands
 * for @tab. Returns an SQLite result code. The first rows of a table allocate, later ones do not.
 * value[0] is the run: rows of another run may follow only after column_writer_flush().
 */
int column_writer_put(struct column_writer *writer, unsigned int table, const char *tab,
		      unsigned int nr, const int64_t *value);

/* Write every block that is begun. Returns an SQLite result code. */
int column_writer_flush(struct column_writer *writer);

/* A condition on a column: min <= value <= max. NULL never satisfies one. */
struct column_bound {
	unsigned int column;
	int64_t min;
	int64_t max;
};

struct column_reader;

/*
 * A reader of the table @tab with @nr columns in the schema @schema ("main") of @db. Returns an
 * SQLite result code.
 */
int column_reader_new(sqlite3 *db, const char *schema, const char *tab, unsigned int nr,
		      struct column_reader **out);
void column_reader_free(struct column_reader *reader);

/* Let go of the database until column_reader_start(); what was allocated stays. */
void column_reader_stop(struct column_reader *reader);

/* Start over, with @nr bounds that every row must satisfy; they are copied. */
int column_reader_start(struct column_reader *reader, const struct column_bound *bound,
			unsigned int nr);

/*
 * The next block with a row that satisfies the bounds. Returns SQLITE_ROW, SQLITE_DONE or an error;
 * SQLITE_CORRUPT_VTAB when the block is damaged.
 */
int column_reader_block(struct column_reader *reader);

/* Of the current block: its number, and the rows that satisfy the bounds, in order. */
int64_t column_reader_number(const struct column_reader *reader);
unsigned int column_reader_rows(const struct column_reader *reader);

/* The place in the block of the @i'th row that satisfies the bounds. */
unsigned int column_reader_row(const struct column_reader *reader, unsigned int i);

/*
 * All values of a column of the current block, unpacked now if they were not; the array belongs to
 * the reader and holds until the next block. Returns an SQLite result code.
 */
int column_reader_values(struct column_reader *reader, unsigned int column, const int64_t **value);

#endif
