/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store.h - the database of runs
 *
 * One SQLite file holds many runs, recorded or simulated. Facts live in two kinds of tables that
 * look alike to SQL:
 *
 *	ROWS	ordinary tables: what plain sqlite3 opens; for events at reclaim rate
 *	COLUMNS	blocks of delta- and bit-packed columns in the table column_block, shown as virtual
 *		tables (sql/column.h); for events at page rate
 *
 * What tables there are is data: sql/schema/tables.def (rows made of several events) and the
 * vocabulary (an event's slots are its table's columns). Everything else - run, task, symbol,
 * marker, loss, coverage, counter, sample, snapshot, enum_name, focus - is sql/schema/meta.sql.
 *
 * A store opened with STORE_SCRATCH is private to the process, keeps every fact table in the column
 * store, and spills to a temporary file by itself: this is how a trace is analysed without a
 * database. The views are the same, so a figure has one definition.
 *
 * A store being written is a temporary file beside its target, renamed by store_commit(); a killed
 * import leaves nothing. Appending to an existing database works in one transaction.
 *
 * Numbers are int64; NULL is STORE_NULL. Text goes through store_symbol().
 */
#ifndef RECLAIMLAB_STORE_H
#define RECLAIMLAB_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "capture/base/message.h"
#include "capture/vocabulary/vocabulary.h"

#define STORE_NULL	   INT64_MIN
#define STORE_USER_VERSION 1 /* PRAGMA user_version of what this program writes and reads */
#define STORE_APPLICATION  0x524c6162 /* PRAGMA application_id, "RLab" */

enum store_actor {
	STORE_KSWAPD,
	STORE_DIRECT,
	STORE_MEMCG,
	STORE_SOFTLIMIT,
	STORE_NODE,
	STORE_KHUGEPAGED,
	STORE_KCOMPACTD,
	STORE_PROACTIVE,
	STORE_OTHER,
	STORE_NR_ACTORS,
};

/* "kswapd", "direct", ... as in the table enum_name, domain "actor". */
const char *store_actor_name(enum store_actor actor);

/* The tables of tables.def; behind them one table an event, see store_event_table(). */
enum store_table {
#define TABLE(name, storage, doc) STORE_TABLE_##name,
#define COLUMN(table, name, kind, unit, doc)
#define TABLE_END(name)
#include "sql/schema/tables.def"
#undef TABLE
#undef COLUMN
#undef TABLE_END
	STORE_NR_TABLES,
};

/* Index of a column in the values given to store_put(): <table>_<column>; 0..3 are common. */
enum store_common { STORE_RUN, STORE_TS, STORE_CPU, STORE_TASK, STORE_NR_COMMON };

#define TABLE(name, storage, doc)                                                                  \
	enum store_##name##_column                                                                 \
	{                                                                                          \
		store_##name##_before = STORE_TASK,
#define COLUMN(table, name, kind, unit, doc) store_##table##_##name,
#define TABLE_END(name)                                                                            \
	store_##name##_nr                                                                          \
	}                                                                                          \
	;
#include "sql/schema/tables.def"
#undef TABLE
#undef COLUMN
#undef TABLE_END

struct store_column {
	const char *name;
	const char *kind; /* "INT", "GFP", ..., as in tables.def or the vocabulary */
	const char *unit;
	const char *doc;
};

struct store_table_def {
	const char *name;
	const char *doc;
	bool columns;		 /* in the column store */
	unsigned int nr_columns; /* with the common ones */
	const struct store_column *column;
};

/* Every fact table of this build, @i from 0; NULL behind the last. */
const struct store_table_def *store_table_at(unsigned int i);

/* The table that events of @id land in when they are VOCAB_ROWS or VOCAB_COLUMNS, else -1. */
int store_event_table(enum vocab_id id);

struct store;

enum store_flags {
	STORE_READ = 0,	    /* an existing database, read only */
	STORE_APPEND = 1,   /* an existing database or a new one, to add runs */
	STORE_CREATE = 2,   /* a new database; replaces an existing one at commit */
	STORE_SCRATCH = 4,  /* @path is not used */
	STORE_NO_VIEWS = 8, /* with STORE_SCRATCH: only those of store_view() */
};

/*
 * Errors: -ENOENT, -EISDIR, -EINVAL (not a database of ours: the line says what it is), -EPROTO
 * (written by another version: the line names both), -EACCES, -ENOSPC. SQL functions and virtual
 * tables are registered on the connection.
 */
int store_open(const char *path, unsigned int flags, struct store **out, struct rl_msg *msg);

/* Make what was written permanent (rename or COMMIT). The store stays open for reading. */
int store_commit(struct store *store, struct rl_msg *msg);

/* Close; what was not committed is gone. NULL is fine. */
void store_close(struct store *store);

/*
 * The connection, for queries. Owned by the store. store_commit() may replace it: ask again then,
 * and finalize statements before.
 */
sqlite3 *store_db(struct store *store);

/* Make one of this build's views in a store without views. -EINVAL when there is none such. */
int store_view(struct store *store, const char *view, struct rl_msg *msg);

/*
 * Make this build's views over again as TEMP views, and a TEMP table focus with what the database
 * holds, so that a database that is only read can be looked at through a window and through the
 * views of this program, whichever build wrote it.
 */
int store_temp_views(struct store *store, struct rl_msg *msg);

/* What a run is; strings are copied; "" and 0 where unknown. */
struct store_run {
	const char *kind;   /* "recorded", "replayed", "counters" */
	const char *source; /* path or policy text as the user gave it */
	const char *form;   /* "trace.dat v7 zstd" */
	const char *kernel;
	const char *machine;
	const char *clock;
	bool time_known;
	unsigned int page_size;
	unsigned int cpus;
	const char *policy;
	const char *parameters;
	int64_t parent; /* run that this one replays, or STORE_NULL */
	int64_t seed;	/* or STORE_NULL */
};

/* Begin a run; *@run is its number, counted from 1. One run is written at a time. */
int store_run_begin(struct store *store, const struct store_run *info, int64_t *run,
		    struct rl_msg *msg);

/* End it: flushes the column store, writes start and end (ns) into the run's row. */
int store_run_end(struct store *store, uint64_t start, uint64_t end, struct rl_msg *msg);

/* Of a run that was ended: let all views look from @from (ns) on, where that lies within it. */
int store_run_from(struct store *store, int64_t run, uint64_t from, struct rl_msg *msg);

/*
 * Add a row to @table (an enum store_table or what store_event_table() gave). @value holds every
 * column in order, the common ones first; value[STORE_RUN] is filled in here. Hot: no allocation.
 */
int store_put(struct store *store, unsigned int table, int64_t *value, struct rl_msg *msg);

/*
 * The number of a text in the table symbol, adding it when new. @len bytes, not terminated; invalid
 * UTF-8 is kept as a BLOB would be: bytes are escaped as \xNN. Negative errno on failure.
 */
int64_t store_symbol(struct store *store, const char *text, size_t len);

/*
 * Prepared once and kept: the statement of @sql, reset and with its bindings cleared. NULL on
 * failure with a line in @msg. Owned by the store. For the meta tables, which are written rarely.
 */
sqlite3_stmt *store_statement(struct store *store, const char *sql, struct rl_msg *msg);

#endif
