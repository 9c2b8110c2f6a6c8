/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>

#include "analyze/format.h"
#include "analyze/live.h"
#include "analyze/query.h"
#include "analyze/table.h"

#define COLUMNS 6

static const char line_sql[] =
	"SELECT p.seconds, "
	"(SELECT value FROM figures WHERE run = ?1 AND key = 'kswapd_velocity'), "
	"(SELECT value FROM figures WHERE run = ?1 AND key = 'kswapd_efficiency'), "
	"(SELECT value FROM figures WHERE run = ?1 AND key = 'direct_velocity'), "
	"(SELECT value FROM figures WHERE run = ?1 AND key = 'direct_efficiency'), "
	"(SELECT value FROM figures WHERE run = ?1 AND key = 'stalls'), "
	"?2, "
	"(SELECT coalesce(sum(t.count), 0) FROM recorded AS r LEFT JOIN throttle_by_reason AS t "
	"ON t.run = r.run WHERE r.run = ?1 AND r.fact = 'throttle' GROUP BY r.run), "
	"(SELECT sum(total) FROM throttle_by_reason WHERE run = ?1), "
	"(SELECT min(free - low) FROM zone_state WHERE run = ?1), "
	"(SELECT count + unknown FROM loss_total WHERE run = ?1) "
	"FROM span AS p WHERE p.run = ?1";

/* The longest stall that ends at ?2 or later, wherever it began. */
static const char longest_sql[] = "SELECT max(dur) FROM stall WHERE run = ?1 AND depth = 0 "
				  "AND actor = 'direct' AND ts + dur >= ?2";

struct value {
	const char *name;
	enum format_kind kind;
};

/* The widths fit 80 columns together. */
static const struct {
	struct value value;
	int width;
} values[] = {
	{ { "s", FORMAT_NUMBER }, 5 },	    { { "kswapd/s", FORMAT_COUNT }, 8 },
	{ { "eff %", FORMAT_PERCENT }, 6 }, { { "direct/s", FORMAT_COUNT }, 8 },
	{ { "eff %", FORMAT_PERCENT }, 6 }, { { "stalls", FORMAT_COUNT }, 6 },
	{ { "longest", FORMAT_NS }, 7 },    { { "waits", FORMAT_COUNT }, 5 },
	{ { "for", FORMAT_US }, 7 },	    { { "free-low", FORMAT_COUNT }, 8 },
	{ { "lost", FORMAT_COUNT }, 4 },
};

#define NR_VALUES (sizeof(values) / sizeof(values[0]))

void live_print_names(FILE *out)
{
	for (size_t i = 0; i < NR_VALUES; i++)
		fprintf(out, "%*s%c", values[i].width, values[i].value.name,
			i + 1 < NR_VALUES ? ' ' : '\n');
}

static int find_longest(const struct lens *past, int64_t begin, int64_t *longest, bool *any,
			struct rl_msg *msg)
{
	sqlite3_stmt *stmt;
	int ret = query_run(lens_db(past), longest_sql, lens_run(past), &stmt, msg);

	if (ret)
		return ret;
	sqlite3_bind_int64(stmt, 2, begin);
	ret = query_step(stmt, msg);
	*any = ret > 0 && sqlite3_column_type(stmt, 0) != SQLITE_NULL;
	*longest = *any ? sqlite3_column_int64(stmt, 0) : 0;
	sqlite3_finalize(stmt);
	return ret < 0 ? ret : 0;
}

int live_print_line(const struct lens *look, const struct lens *past, int64_t begin, FILE *out,
		    struct rl_msg *msg)
{
	char buf[FORMAT_SIZE];
	sqlite3_stmt *stmt;
	int64_t longest;
	bool any;
	int ret = find_longest(past, begin, &longest, &any, msg);

	if (!ret)
		ret = query_run(lens_db(look), line_sql, lens_run(look), &stmt, msg);
	if (ret)
		return ret;
	if (any)
		sqlite3_bind_int64(stmt, 2, longest);
	ret = query_step(stmt, msg);
	for (size_t i = 0; ret > 0 && i < NR_VALUES; i++)
		fprintf(out, "%*s%c", values[i].width,
			format_column(stmt, (int)i, values[i].value.kind, buf),
			i + 1 < NR_VALUES ? ' ' : '\n');
	sqlite3_finalize(stmt);
	return ret < 0 ? ret : 0;
}

struct block {
	const char *title;
	const char *sql; /* ?1 is the run */
	struct value column[COLUMNS];
};

static const struct block blocks[] = {
	{ "Throttled",
	  "SELECT reason, actor, count, total, full FROM throttle_by_reason WHERE run = ?1 "
	  "ORDER BY total DESC LIMIT 6",
	  { { "reason", FORMAT_TEXT },
	    { "who", FORMAT_TEXT },
	    { "count", FORMAT_COUNT },
	    { "total", FORMAT_US },
	    { "full", FORMAT_COUNT } } },
	{ "Free pages",
	  "SELECT node || ' ' || zone, free, min, low, high, coalesce(below, '-') FROM zone_state "
	  "WHERE run = ?1 AND snapshot = (SELECT max(snapshot) FROM zone_state WHERE run = ?1) "
	  "ORDER BY node, zone",
	  { { "zone", FORMAT_TEXT },
	    { "free", FORMAT_COUNT },
	    { "min", FORMAT_COUNT },
	    { "low", FORMAT_COUNT },
	    { "high", FORMAT_COUNT },
	    { "below", FORMAT_TEXT } } },
	{ "In direct reclaim now",
	  "SELECT t.comm, t.tid, p.\"end\" - s.ts, s.\"order\" FROM stall AS s "
	  "JOIN span AS p ON p.run = s.run LEFT JOIN task AS t ON t.task = s.task "
	  "WHERE s.run = ?1 AND s.begun AND s.dur IS NULL AND s.actor = 'direct' "
	  "ORDER BY s.ts LIMIT 6",
	  { { "task", FORMAT_TEXT },
	    { "tid", FORMAT_COUNT },
	    { "for", FORMAT_NS },
	    { "order", FORMAT_COUNT } } },
	{ "Who waited",
	  "SELECT comm, tid, count, total, max FROM stall_by_task WHERE run = ?1 "
	  "ORDER BY total DESC LIMIT 8",
	  { { "task", FORMAT_TEXT },
	    { "tid", FORMAT_COUNT },
	    { "count", FORMAT_COUNT },
	    { "total", FORMAT_NS },
	    { "max", FORMAT_NS } } },
};

static int fill(struct table *table, const struct block *block, sqlite3_stmt *stmt, bool *any,
		struct rl_msg *msg)
{
	char buf[FORMAT_SIZE];
	int ret = 0;

	for (int c = 0; !ret && c < COLUMNS && block->column[c].name; c++)
		ret = table_column(table, block->column[c].name,
				   format_is_text(block->column[c].kind), msg);
	while (!ret && (ret = query_step(stmt, msg)) > 0) {
		*any = true;
		ret = 0;
		for (int c = 0; !ret && c < COLUMNS && block->column[c].name; c++)
			ret = table_cell(table, format_column(stmt, c, block->column[c].kind, buf),
					 msg);
	}
	return ret;
}

static int print_block(const struct lens *lens, const struct block *block, FILE *out,
		       struct rl_msg *msg)
{
	struct table *table = table_new();
	sqlite3_stmt *stmt = NULL;
	bool any = false;
	int ret = table ? query_run(lens_db(lens), block->sql, lens_run(lens), &stmt, msg)
			: rl_fail(msg, ENOMEM, "out of memory");

	if (!ret)
		ret = fill(table, block, stmt, &any, msg);
	if (!ret && any) {
		fprintf(out, "\n%s\n", block->title);
		table_print(table, out, TABLE_WIDTH);
	}
	sqlite3_finalize(stmt);
	table_free(table);
	return ret;
}

int live_print_tables(const struct lens *lens, FILE *out, struct rl_msg *msg)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(blocks) / sizeof(blocks[0]); i++)
		ret = print_block(lens, &blocks[i], out, msg);
	return ret;
}
