/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The virtual tables over the column store.
 *
 *	CREATE VIRTUAL TABLE page_free USING reclaimlab_columns (run, ts, cpu, task, pfn, "order")
 *
 * The table's name finds its blocks in column_block, the arguments name the columns as the blocks
 * hold them, so a database describes itself to whatever build opens it. A database that no other
 * process will open needs no such statements: there each table is a module of its own, which SQLite
 * makes into a table when it is first named.
 *
 * Comparisons of a column become bounds that the reader answers from the min and max of a block or
 * in a tight loop over one column; they say exactly what the comparison says, so that SQLite need
 * not check them once more. ORDER BY ts is taken over where no block says that it is
 * out of order. A damaged block is SQLITE_CORRUPT_VTAB, which unlike SQLITE_CORRUPT does not bar a
 * transaction of the connection from being committed.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sql/column.h"
#include "sql/module.h"

#define TWO_TO_63 9223372036854775808.0
#define ROW_BITS  14 /* PACK_MAX_ROWS is 1 << ROW_BITS */

_Static_assert(PACK_MAX_ROWS == 1 << ROW_BITS, "rowid holds block and row");

/* What a plan does, beside its bounds; in idxNum. */
enum { PLAN_ORDERED = 1 };

struct table {
	sqlite3_vtab base;
	sqlite3 *db;
	char *schema;
	char *name;
	unsigned int nr;
	struct column_reader *idle; /* of a cursor that was closed, for the next one */
	sqlite3_stmt *count;	    /* of rows, runs, and blocks out of order */
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct column_reader *reader;
	unsigned int at;   /* row of the block's matching rows */
	unsigned int rows; /* how many there are */
	bool eof;
	const int64_t *value[COLUMN_MAX]; /* of the current block, NULL: not asked for yet */
};

struct table_size {
	double rows;
	int64_t runs;
	bool ordered; /* each run by itself */
};

static int fail(sqlite3_vtab *vtab, int rc, const char *what)
{
	sqlite3_free(vtab->zErrMsg);
	vtab->zErrMsg = sqlite3_mprintf("table %s: %s", ((struct table *)vtab)->name, what);
	return rc;
}

static int fail_reading(sqlite3_vtab *vtab, int rc)
{
	return rc == SQLITE_CORRUPT_VTAB ? fail(vtab, rc, "a block is damaged") : rc;
}

/* A name in the declaration: letters, digits and _, perhaps quoted. Copied to @out. */
static bool take_name(const char *arg, char *out, size_t size)
{
	size_t len = 0;

	for (; *arg; arg++) {
		if (isspace((unsigned char)*arg) || *arg == '"')
			continue;
		if ((!isalnum((unsigned char)*arg) && *arg != '_') || len + 1 >= size)
			return false;
		out[len++] = *arg;
	}
	out[len] = '\0';
	return len > 0;
}

/* The CREATE TABLE that sqlite3_declare_vtab() wants, or NULL with a line in *@error. */
static char *declaration(int nr, const char *const *arg, char **error)
{
	static const char *const common[] = { "run", "ts", "cpu", "task" };
	sqlite3_str *sql = sqlite3_str_new(NULL);
	bool good = nr >= 4 && nr <= COLUMN_MAX;
	char name[64];

	sqlite3_str_appendall(sql, "CREATE TABLE x (");
	for (int i = 0; i < nr && good; i++) {
		good = take_name(arg[i], name, sizeof(name)) &&
		       (i >= 4 || !strcmp(name, common[i]));
		sqlite3_str_appendf(sql, "%s\"%w\" INTEGER", i ? ", " : "", name);
	}
	sqlite3_str_appendall(sql, ")");
	if (good)
		return sqlite3_str_finish(sql);
	sqlite3_free(sqlite3_str_finish(sql));
	*error = sqlite3_mprintf("reclaimlab_columns: expected run, ts, cpu, task and up to %d "
				 "other column names",
				 COLUMN_MAX - 4);
	return NULL;
}

static void free_table(struct table *table)
{
	column_reader_free(table->idle);
	sqlite3_finalize(table->count);
	sqlite3_free(table->schema);
	sqlite3_free(table->name);
	free(table);
}

static int connect_columns(sqlite3 *db, const char *const *argv, int nr, const char *const *name,
			   sqlite3_vtab **vtab, char **error)
{
	char *sql = declaration(nr, name, error);
	struct table *table;
	int rc;

	if (!sql)
		return *error ? SQLITE_ERROR : SQLITE_NOMEM;
	rc = sqlite3_declare_vtab(db, sql);
	sqlite3_free(sql);
	if (rc)
		return rc;
	table = calloc(1, sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	table->db = db;
	table->nr = (unsigned int)nr;
	table->schema = sqlite3_mprintf("%s", argv[1]);
	table->name = sqlite3_mprintf("%s", argv[2]);
	if (!table->schema || !table->name) {
		free_table(table);
		return SQLITE_NOMEM;
	}
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	*vtab = &table->base;
	return SQLITE_OK;
}

/* argv: module, schema, table, then what stands in the parentheses. */
static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **vtab, char **error)
{
	return connect_columns(db, argv, argc - 3, argv + 3, vtab, error);
}

/* Apart from connect_table() only so that the module cannot be used without CREATE VIRTUAL TABLE.
 */
static int create_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
			sqlite3_vtab **vtab, char **error)
{
	return connect_table(db, aux, argc, argv, vtab, error);
}

/* The same for a module that is one table, whose columns the program gave. */
static int connect_named(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **vtab, char **error)
{
	const struct column_names *names = aux;

	return connect_columns(db, argv, (int)names->nr, names->name, vtab, error);
}

static int disconnect_table(sqlite3_vtab *vtab)
{
	free_table((struct table *)vtab);
	return SQLITE_OK;
}

static int measure(struct table *table, struct table_size *size)
{
	char *sql;
	int rc = SQLITE_OK;

	if (!table->count) {
		sql = sqlite3_mprintf("SELECT total(rows), count(DISTINCT run), "
				      "coalesce(min(ordered), 1) FROM \"%w\".column_block "
				      "WHERE tab = %Q",
				      table->schema, table->name);
		if (!sql)
			return SQLITE_NOMEM;
		rc = sqlite3_prepare_v3(table->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
					&table->count, NULL);
		sqlite3_free(sql);
		if (rc)
			return rc;
	}
	rc = sqlite3_step(table->count);
	if (rc == SQLITE_ROW) {
		size->rows = sqlite3_column_double(table->count, 0);
		size->runs = sqlite3_column_int64(table->count, 1);
		size->ordered = sqlite3_column_int(table->count, 2);
	}
	sqlite3_reset(table->count);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

static bool usable_op(unsigned char op)
{
	return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_GT ||
	       op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_LT ||
	       op == SQLITE_INDEX_CONSTRAINT_LE;
}

/* How many rows are left of each one after a comparison of @column. */
static double selectivity(const struct table_size *size, int column, unsigned char op)
{
	if (op != SQLITE_INDEX_CONSTRAINT_EQ)
		return 0.3;
	if (column == 0)
		return size->runs > 1 ? 1.0 / (double)size->runs : 1.0;
	return column == 1 ? 0.00001 : 0.01;
}

/* A count of rows from blocks that may say anything. */
static sqlite3_int64 estimate(double rows)
{
	return rows >= 1 && rows < 1e15 ? (sqlite3_int64)rows : 1;
}

/* Is ORDER BY what the blocks give anyway: [run,] ts, ascending? */
static bool order_is_natural(const sqlite3_index_info *info, const struct table_size *size,
			     bool one_run)
{
	int ts = 0;

	if (!size->ordered || !info->nOrderBy || info->nOrderBy > 2)
		return false;
	for (int i = 0; i < info->nOrderBy; i++)
		if (info->aOrderBy[i].desc)
			return false;
	if (info->aOrderBy[0].iColumn == 0) {
		one_run = true;
		ts = 1;
	}
	if (ts == info->nOrderBy)
		return true;
	return one_run && info->nOrderBy == ts + 1 && info->aOrderBy[ts].iColumn == 1;
}

/* idxStr is a text of two bytes a bound: '0' + column, and the comparison. */
static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	struct table *table = (struct table *)vtab;
	char *plan = sqlite3_malloc(2 * info->nConstraint + 1);
	struct table_size size = { 0 };
	bool one_run = false;
	double left = 1.0;
	int used = 0;
	int rc;

	if (!plan)
		return SQLITE_NOMEM;
	rc = measure(table, &size);
	if (rc) {
		sqlite3_free(plan);
		return rc;
	}
	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;
		unsigned char op = info->aConstraint[i].op;

		if (!info->aConstraint[i].usable || column < 0 || !usable_op(op) ||
		    used == COLUMN_MAX)
			continue;
		info->aConstraintUsage[i].argvIndex = used + 1;
		info->aConstraintUsage[i].omit = 1;
		plan[2 * used] = (char)('0' + column);
		plan[2 * used + 1] = (char)op;
		used++;
		left *= selectivity(&size, column, op);
		one_run |= column == 0 && op == SQLITE_INDEX_CONSTRAINT_EQ;
	}
	plan[2 * used] = '\0';
	info->idxStr = plan;
	info->needToFreeIdxStr = 1;
	info->orderByConsumed = order_is_natural(info, &size, one_run);
	info->idxNum = info->orderByConsumed ? PLAN_ORDERED : 0;
	info->estimatedRows = estimate(size.rows * left);
	/* A bound on run or ts skips whole blocks, one on another column still reads that column.
	 */
	info->estimatedCost = 100.0 + (double)info->estimatedRows + size.rows * 0.05;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct table *table = (struct table *)vtab;
	struct cursor *cursor = calloc(1, sizeof(*cursor));
	int rc;

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->reader = table->idle;
	table->idle = NULL;
	rc = cursor->reader ? SQLITE_OK
			    : column_reader_new(table->db, table->schema, table->name, table->nr,
						&cursor->reader);
	if (rc) {
		free(cursor);
		return fail(vtab, rc, sqlite3_errmsg(table->db));
	}
	*out = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;
	struct table *table = (struct table *)base->pVtab;

	column_reader_stop(cursor->reader);
	if (table->idle)
		column_reader_free(cursor->reader);
	else
		table->idle = cursor->reader;
	free(cursor);
	return SQLITE_OK;
}

static int next_block(struct cursor *cursor)
{
	int rc = column_reader_block(cursor->reader);

	cursor->at = 0;
	cursor->eof = rc != SQLITE_ROW;
	memset(cursor->value, 0, sizeof(cursor->value));
	if (rc == SQLITE_ROW)
		cursor->rows = column_reader_rows(cursor->reader);
	if (rc == SQLITE_ROW || rc == SQLITE_DONE)
		return SQLITE_OK;
	return fail_reading(cursor->base.pVtab, rc);
}

/* The largest integer that is not above @real, and whether it is @real; @real is in their range. */
static bool round_down(double real, int64_t *down)
{
	double whole = floor(real);

	*down = (int64_t)whole;
	return whole == real;
}

/* Bounds that no row satisfies. */
static void bound_nothing(struct column_bound *bound)
{
	bound->min = INT64_MAX;
	bound->max = INT64_MIN;
}

/* What an integer may be so that it is above (@low, @high are behind the limit) or below it. */
static void bound_between(struct column_bound *bound, unsigned char op, int64_t down, bool whole)
{
	/* The integers up to @down lie below the value or are it, those from @down + 1 above. */
	bool above =
		op == SQLITE_INDEX_CONSTRAINT_GT || (!whole && op == SQLITE_INDEX_CONSTRAINT_GE);
	bool below = op == SQLITE_INDEX_CONSTRAINT_LT && whole;

	if ((op == SQLITE_INDEX_CONSTRAINT_EQ && !whole) || (above && down == INT64_MAX) ||
	    (below && down == INT64_MIN)) {
		bound_nothing(bound);
		return;
	}
	if (op != SQLITE_INDEX_CONSTRAINT_LT && op != SQLITE_INDEX_CONSTRAINT_LE)
		bound->min = above ? down + 1 : down;
	if (op != SQLITE_INDEX_CONSTRAINT_GT && op != SQLITE_INDEX_CONSTRAINT_GE)
		bound->max = below ? down - 1 : down;
}

/*
 * Set @bound, which allows all integers, to those that satisfy the comparison with @value. As a
 * column of integers has it: text that reads as a number is that number, other text and BLOBs are
 * greater than every number, and nothing compares with NULL.
 */
static void make_bound(struct column_bound *bound, unsigned char op, sqlite3_value *value)
{
	int type = sqlite3_value_numeric_type(value);
	double real;
	int64_t down;
	bool whole;

	if (type == SQLITE_INTEGER) {
		bound_between(bound, op, sqlite3_value_int64(value), true);
		return;
	}
	if (type == SQLITE_NULL) {
		bound_nothing(bound);
		return;
	}
	real = type == SQLITE_FLOAT ? sqlite3_value_double(value) : INFINITY;
	if (real >= -TWO_TO_63 && real < TWO_TO_63) {
		whole = round_down(real, &down);
		bound_between(bound, op, down, whole);
	} else if (op == SQLITE_INDEX_CONSTRAINT_EQ ||
		   (real > 0) !=
			   (op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE)) {
		bound_nothing(bound);
	}
}

static int still_ordered(struct table *table)
{
	struct table_size size = { 0 };
	int rc = measure(table, &size);

	if (!rc && !size.ordered)
		return fail(&table->base, SQLITE_SCHEMA,
			    "has changed since the query was prepared");
	return rc;
}

static int filter(sqlite3_vtab_cursor *base, int plan_flags, const char *plan, int argc,
		  sqlite3_value **argv)
{
	struct cursor *cursor = (struct cursor *)base;
	struct column_bound bound[COLUMN_MAX];
	int rc;

	if ((plan_flags & PLAN_ORDERED) && (rc = still_ordered((struct table *)base->pVtab)))
		return rc;
	for (int i = 0; i < argc; i++) {
		bound[i].column = (unsigned int)(plan[2 * i] - '0');
		bound[i].min = INT64_MIN;
		bound[i].max = INT64_MAX;
		make_bound(&bound[i], (unsigned char)plan[2 * i + 1], argv[i]);
	}
	rc = column_reader_start(cursor->reader, bound, (unsigned int)argc);
	return rc ? rc : next_block(cursor);
}

static int next_row(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	if (++cursor->at < cursor->rows)
		return SQLITE_OK;
	return next_block(cursor);
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->eof;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	struct cursor *cursor = (struct cursor *)base;
	int64_t value;

	if (!cursor->value[at]) {
		int rc = column_reader_values(cursor->reader, (unsigned int)at, &cursor->value[at]);

		if (rc) {
			cursor->value[at] = NULL;
			return fail_reading(base->pVtab, rc);
		}
	}
	value = cursor->value[at][column_reader_row(cursor->reader, cursor->at)];
	if (value != PACK_NULL)
		sqlite3_result_int64(context, value);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	struct cursor *cursor = (struct cursor *)base;
	uint64_t block = (uint64_t)column_reader_number(cursor->reader);

	*out = (sqlite3_int64)(block << ROW_BITS | column_reader_row(cursor->reader, cursor->at));
	return SQLITE_OK;
}

#define METHODS                                                                                    \
	.iVersion = 1, .xBestIndex = best_index, .xDisconnect = disconnect_table,                  \
	.xDestroy = disconnect_table, .xOpen = open_cursor, .xClose = close_cursor,                \
	.xFilter = filter, .xNext = next_row, .xEof = at_end, .xColumn = column, .xRowid = rowid

static const sqlite3_module module = {
	.xCreate = create_table,
	.xConnect = connect_table,
	METHODS,
};

static const sqlite3_module one_table = {
	.xConnect = connect_named,
	METHODS,
};

int column_module_register(sqlite3 *db)
{
	return sqlite3_create_module_v2(db, "reclaimlab_columns", &module, NULL, NULL);
}

int column_table_register(sqlite3 *db, const char *table, struct column_names *names)
{
	return sqlite3_create_module_v2(db, table, &one_table, names, free);
}
