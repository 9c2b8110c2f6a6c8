/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare_private.h"
#include "analyze/query.h"

/*
 * What is compared: one row a figure, with its block. Stalls and throttles are pivoted here into
 * figures of their own; their values come from the views.
 */
static const char rows_sql[] =
	"SELECT 0 AS block, position, key, name, value, digits, state, view, 0 FROM figures "
	"WHERE run = ?1 "
	"UNION ALL SELECT 1, 0, actor || '_stalls', actor || ' stalls', count, 0, '', "
	"'stall_by_actor', 1 FROM stall_by_actor WHERE run = ?1 "
	"UNION ALL SELECT 1, 1, actor || '_total', actor || ' total, ms', total / 1e6, 2, '', "
	"'stall_by_actor', 1 FROM stall_by_actor WHERE run = ?1 "
	"UNION ALL SELECT 1, 2, actor || '_p50', actor || ' 50 %, ms', p50 / 1e6, 3, '', "
	"'stall_by_actor', 0 FROM stall_by_actor WHERE run = ?1 "
	"UNION ALL SELECT 1, 3, actor || '_p90', actor || ' 90 %, ms', p90 / 1e6, 3, '', "
	"'stall_by_actor', 0 FROM stall_by_actor WHERE run = ?1 "
	"UNION ALL SELECT 1, 4, actor || '_p95', actor || ' 95 %, ms', p95 / 1e6, 3, '', "
	"'stall_by_actor', 0 FROM stall_by_actor WHERE run = ?1 "
	"UNION ALL SELECT 1, 5, actor || '_p99', actor || ' 99 %, ms', p99 / 1e6, 3, '', "
	"'stall_by_actor', 0 FROM stall_by_actor WHERE run = ?1 "
	"UNION ALL SELECT 1, 6, actor || '_max', actor || ' max, ms', max / 1e6, 3, '', "
	"'stall_by_actor', 0 FROM stall_by_actor WHERE run = ?1 "
	"UNION ALL SELECT 2, 0, actor || '_' || reason, actor || ' ' || reason, count, 0, "
	"'', 'throttle_by_reason', 2 FROM throttle_by_reason WHERE run = ?1 "
	"UNION ALL SELECT 2, 1, actor || '_' || reason || '_full', actor || ' ' || reason || ' at timeout %', full_share, 2, "
	"'', 'throttle_by_reason', 0 FROM throttle_by_reason WHERE run = ?1 "
	"UNION ALL SELECT 2, 2, actor || '_' || reason || '_total', actor || ' ' || reason || ' total, ms', total / 1e3, 2, "
	"'', 'throttle_by_reason', 2 FROM throttle_by_reason WHERE run = ?1 "
	"UNION ALL SELECT 3, 10 + delayed, actor || '_' || reason || '_' || delayed, "
	"actor || ' ' || reason || ' ' || delayed || ' us', sum(count), 0, '', "
	"'throttle_distribution', 2 FROM throttle_distribution WHERE run = ?1 "
	"GROUP BY actor, reason, delayed "
	"UNION ALL SELECT 4, 0, 'lost_events', 'Events lost, at least', count, 0, '', 'loss_total', 0 "
	"FROM loss_total WHERE run = ?1 AND gaps > 0 "
	"UNION ALL SELECT 4, 1, 'lost_gaps', 'Gaps', gaps, 0, '', 'loss_total', 0 "
	"FROM loss_total WHERE run = ?1 AND gaps > 0 "
	"ORDER BY 1, 2, 3";

/* Columns of rows_sql. */
enum {
	ROW_BLOCK,
	ROW_POSITION,
	ROW_KEY,
	ROW_NAME,
	ROW_VALUE,
	ROW_DIGITS,
	ROW_STATE,
	ROW_VIEW,
	ROW_FACTS
};

static const char recorded_sql[] = "SELECT CASE fact WHEN 'stall' THEN 1 ELSE 2 END FROM recorded "
				   "WHERE run = ?1 AND fact IN ('stall', 'throttle')";

struct compare *compare_new(void)
{
	return calloc(1, sizeof(struct compare));
}

static void row_free(struct compare_row *row)
{
	for (size_t i = 0; i < COMPARE_COLUMNS; i++)
		free(row->cell[i].value);
	free(row->key);
	free(row->name);
	free(row->view);
}

void compare_free(struct compare *compare)
{
	if (!compare)
		return;
	for (size_t i = 0; i < compare->nr_rows; i++)
		row_free(&compare->row[i]);
	for (size_t i = 0; i < compare->nr_columns; i++)
		free(compare->column[i].name);
	free(compare->row);
	free(compare);
}

int compare_column(struct compare *compare, const char *name, struct rl_msg *msg)
{
	struct compare_column *column = &compare->column[compare->nr_columns];

	if (compare->nr_columns == COMPARE_COLUMNS)
		return rl_fail(msg, E2BIG, "at most %d columns can be compared", COMPARE_COLUMNS);
	if (name) {
		column->name = strdup(name);
		if (!column->name)
			return rl_fail(msg, ENOMEM, "out of memory");
	}
	compare->nr_columns++;
	return 0;
}

/* Order of the rows: block, position, key. */
static int row_order(const struct compare_row *row, unsigned int block, int64_t position,
		     const char *key)
{
	if (row->block != block)
		return row->block < block ? -1 : 1;
	if (row->position != position)
		return row->position < position ? -1 : 1;
	return strcmp(row->key, key);
}

static struct compare_row *row_insert(struct compare *compare, size_t at, const char *key,
				      const char *name, const char *view)
{
	struct compare_row *row;

	row = reallocarray(compare->row, compare->nr_rows + 1, sizeof(*row));
	if (!row)
		return NULL;
	compare->row = row;
	row += at;
	memmove(row + 1, row, (compare->nr_rows - at) * sizeof(*row));
	memset(row, 0, sizeof(*row));
	compare->nr_rows++;
	row->key = strdup(key);
	row->name = strdup(name);
	row->view = strdup(view);
	return row->key && row->name && row->view ? row : NULL;
}

static struct compare_row *row_get(struct compare *compare, sqlite3_stmt *stmt)
{
	unsigned int block = (unsigned int)sqlite3_column_int(stmt, ROW_BLOCK);
	int64_t position = sqlite3_column_int64(stmt, ROW_POSITION);
	const char *key = query_text(stmt, ROW_KEY);
	size_t at = 0, end = compare->nr_rows;
	struct compare_row *row;

	while (at < end) {
		size_t middle = at + (end - at) / 2;
		int order = row_order(&compare->row[middle], block, position, key);

		if (!order)
			return &compare->row[middle];
		if (order < 0)
			at = middle + 1;
		else
			end = middle;
	}
	row = row_insert(compare, at, key, query_text(stmt, ROW_NAME), query_text(stmt, ROW_VIEW));
	if (!row)
		return NULL;
	row->block = block;
	row->position = position;
	row->facts = (enum compare_facts)sqlite3_column_int(stmt, ROW_FACTS);
	row->digits = sqlite3_column_int(stmt, ROW_DIGITS);
	return row;
}

static int cell_add(struct compare_cell *cell, double value)
{
	double *values = reallocarray(cell->value, cell->count + 1, sizeof(*values));
	size_t at = cell->count;

	if (!values)
		return -ENOMEM;
	cell->value = values;
	while (at && values[at - 1] > value) {
		values[at] = values[at - 1];
		at--;
	}
	values[at] = value;
	cell->count++;
	return 0;
}

static int add_row(struct compare *compare, sqlite3_stmt *stmt, struct rl_msg *msg)
{
	struct compare_row *row = row_get(compare, stmt);
	struct compare_cell *cell;

	if (!row)
		return rl_fail(msg, ENOMEM, "out of memory");
	cell = &row->cell[compare->nr_columns - 1];
	if (sqlite3_column_type(stmt, ROW_VALUE) == SQLITE_NULL) {
		cell->no_scan = true;
		return 0;
	}
	cell->at_least = cell->at_least || *query_text(stmt, ROW_STATE);
	return cell_add(cell, sqlite3_column_double(stmt, ROW_VALUE))
		       ? rl_fail(msg, ENOMEM, "out of memory")
		       : 0;
}

/* The policy of a replay, or the path of a recording. */
static int name_column(struct compare_column *column, const struct lens *lens, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(lens_db(lens),
			    "SELECT coalesce(nullif(policy, ''), source) FROM run WHERE run = ?1",
			    lens_run(lens), &stmt, msg);

	if (ret)
		return ret;
	ret = query_step(stmt, msg);
	if (ret > 0) {
		column->name = strdup(query_text(stmt, 0));
		ret = column->name ? 0 : rl_fail(msg, ENOMEM, "out of memory");
	}
	sqlite3_finalize(stmt);
	return ret;
}

static int note_recorded(struct compare_column *column, const struct lens *lens, struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(lens_db(lens), recorded_sql, lens_run(lens), &stmt, msg);

	if (ret)
		return ret;
	while ((ret = query_step(stmt, msg)) > 0)
		column->recorded[sqlite3_column_int(stmt, 0)]++;
	sqlite3_finalize(stmt);
	return ret;
}

int compare_complete(struct compare *compare, struct rl_msg *msg)
{
	for (size_t i = 0; i < compare->nr_rows; i++) {
		struct compare_row *row = &compare->row[i];

		for (size_t c = 0; c < compare->nr_columns; c++)
			while (row->cell[c].count < compare->column[c].recorded[row->facts])
				if (cell_add(&row->cell[c], 0))
					return rl_fail(msg, ENOMEM, "out of memory");
	}
	return 0;
}

int compare_add(struct compare *compare, const struct lens *lens, struct rl_msg *msg)
{
	struct compare_column *column = &compare->column[compare->nr_columns - 1];
	sqlite3_stmt *stmt;
	int ret = column->name ? 0 : name_column(column, lens, msg);

	column->runs++;
	if (!ret)
		ret = note_recorded(column, lens, msg);
	if (!ret)
		ret = query_run(lens_db(lens), rows_sql, lens_run(lens), &stmt, msg);
	if (ret)
		return ret;
	while ((ret = query_step(stmt, msg)) > 0) {
		ret = add_row(compare, stmt, msg);
		if (ret)
			break;
	}
	sqlite3_finalize(stmt);
	return ret;
}

double compare_median(const struct compare_cell *cell)
{
	size_t n = cell->count;

	return n % 2 ? cell->value[n / 2] : (cell->value[n / 2 - 1] + cell->value[n / 2]) / 2;
}

bool compare_change(const struct compare_cell *base, const struct compare_cell *cell,
		    double *percent)
{
	if (!base->count || !cell->count || compare_median(base) == 0)
		return false;
	*percent = (compare_median(cell) - compare_median(base)) * 100 / compare_median(base);
	return true;
}

enum compare_verdict compare_verdict(const struct compare_cell *base,
				     const struct compare_cell *cell)
{
	if (base->count < 2 || cell->count < 2)
		return COMPARE_SINGLE;
	if (cell->value[0] > base->value[base->count - 1] ||
	    cell->value[cell->count - 1] < base->value[0])
		return COMPARE_SEPARATE;
	return COMPARE_OVERLAP;
}

/* The end of @name from the slash that @parts parts stand behind; all of it when it has fewer. */
static const char *path_tail(const char *name, unsigned int parts)
{
	const char *at = name + strlen(name);

	while (at > name && (at[-1] != '/' || --parts))
		at--;
	return at;
}

static bool name_is_taken(const struct compare *compare, size_t column, const char *name,
			  unsigned int parts)
{
	for (size_t c = 0; c < compare->nr_columns; c++)
		if (c != column && compare->column[c].name &&
		    !strcmp(path_tail(compare->column[c].name, parts), name) &&
		    strcmp(compare->column[c].name, compare->column[column].name) != 0)
			return true;
	return false;
}

const char *compare_name(const struct compare *compare, size_t column)
{
	const char *full = compare->column[column].name;
	unsigned int parts = 1;

	if (!full)
		return "";
	while (path_tail(full, parts) > full &&
	       name_is_taken(compare, column, path_tail(full, parts), parts))
		parts++;
	return path_tail(full, parts);
}

bool compare_row_matters(const struct compare *compare, const struct compare_row *row)
{
	if (row->block || row->position < COMPARE_ALWAYS)
		return true;
	for (size_t c = 0; c < compare->nr_columns; c++)
		if (row->cell[c].count && row->cell[c].value[row->cell[c].count - 1] != 0)
			return true;
	return false;
}
