/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "analyze/compare_private.h"
#include "analyze/format.h"
#include "analyze/json.h"
#include "analyze/table.h"

static const char *const block_titles[] = {
	"Figures", "Stalls", "Throttling", "Delays of the throttling, waits of each length", "Lost",
};

#define NR_BLOCKS (sizeof(block_titles) / sizeof(block_titles[0]))

enum { BLOCK_FIGURES, BLOCK_LOSSES = NR_BLOCKS - 1 };

/* What was lost stands above the figures that it touches. */
static const unsigned char block_order[NR_BLOCKS] = { BLOCK_LOSSES, BLOCK_FIGURES, 1, 2, 3 };

static const char *const verdicts[] = { "", "separates", "does not" };

static bool has_ensembles(const struct compare *compare)
{
	for (size_t c = 0; c < compare->nr_columns; c++)
		if (compare->column[c].runs > 1)
			return true;
	return false;
}

static void format_cell(const struct compare_row *row, const struct compare_cell *cell, char *buf,
			size_t size)
{
	char median[FORMAT_SIZE], low[FORMAT_SIZE], high[FORMAT_SIZE];

	if (!cell->count) {
		snprintf(buf, size, "%s", cell->no_scan ? "no scan" : "-");
		return;
	}
	format_figure(compare_median(cell), row->digits, median);
	if (cell->count == 1) {
		snprintf(buf, size, "%s%s", cell->at_least ? ">=" : "", median);
		return;
	}
	snprintf(buf, size, "%s%s [%s..%s]", cell->at_least ? ">=" : "", median,
		 format_figure(cell->value[0], row->digits, low),
		 format_figure(cell->value[cell->count - 1], row->digits, high));
}

static void format_change(const struct compare_row *row, size_t column, char *buf, size_t size)
{
	double percent;

	if (compare_change(&row->cell[0], &row->cell[column], &percent))
		snprintf(buf, size, "(%+.2f%%)", percent);
	else
		snprintf(buf, size, "-");
}

static int add_columns(const struct compare *compare, struct table *table, struct rl_msg *msg)
{
	bool ensembles = has_ensembles(compare);
	int ret = table_column(table, "", true, msg);

	for (size_t c = 0; !ret && c < compare->nr_columns; c++) {
		ret = table_column(table, compare_name(compare, c), false, msg);
		if (!ret && c)
			ret = table_column(table, "change", false, msg);
		if (!ret && c && ensembles)
			ret = table_column(table, "ranges", true, msg);
	}
	return ret;
}

static int add_cells(const struct compare *compare, const struct compare_row *row,
		     struct table *table, struct rl_msg *msg)
{
	bool ensembles = has_ensembles(compare);
	char buf[FORMAT_SIZE * 3 + 8];
	int ret = table_cell(table, row->name, msg);

	if (!ret)
		ret = table_define(table, row->view, msg);
	for (size_t c = 0; !ret && c < compare->nr_columns; c++) {
		format_cell(row, &row->cell[c], buf, sizeof(buf));
		ret = table_cell(table, buf, msg);
		if (ret || !c)
			continue;
		format_change(row, c, buf, sizeof(buf));
		ret = table_cell(table, buf, msg);
		if (!ret && ensembles)
			ret = table_cell(table,
					 verdicts[compare_verdict(&row->cell[0], &row->cell[c])],
					 msg);
	}
	return ret;
}

static const char *const title_formats[] = {
	[COMPARE_TEXT] = "\n%s\n",
	[COMPARE_MARKDOWN] = "\n### %s\n\n",
	[COMPARE_HTML] = "<h2>%s</h2>\n",
};

static void print_table(const struct compare *compare, const struct table *table,
			enum compare_form form, FILE *out)
{
	if (form == COMPARE_HTML)
		table_print_html(table, out);
	else if (form == COMPARE_MARKDOWN)
		table_print_markdown(table, out);
	else
		table_print_parts(table, out, TABLE_WIDTH, has_ensembles(compare) ? 3 : 2);
}

static bool has_losses(const struct compare *compare)
{
	for (size_t i = 0; i < compare->nr_rows; i++)
		if (compare->row[i].block == BLOCK_LOSSES &&
		    compare_row_matters(compare, &compare->row[i]))
			return true;
	return false;
}

static int print_block(const struct compare *compare, unsigned int block, enum compare_form form,
		       FILE *out, struct rl_msg *msg)
{
	struct table *table = table_new();
	int ret = table ? add_columns(compare, table, msg) : rl_fail(msg, ENOMEM, "out of memory");
	bool any = false;

	for (size_t i = 0; !ret && i < compare->nr_rows; i++) {
		if (compare->row[i].block != block ||
		    !compare_row_matters(compare, &compare->row[i]))
			continue;
		ret = add_cells(compare, &compare->row[i], table, msg);
		any = true;
	}
	if (!ret && any) {
		if (block != BLOCK_FIGURES || has_losses(compare))
			fprintf(out, title_formats[form], block_titles[block]);
		print_table(compare, table, form, out);
	}
	table_free(table);
	return ret;
}

static void print_json_cell(struct json *json, const struct compare *compare,
			    const struct compare_row *row, size_t column)
{
	const struct compare_cell *cell = &row->cell[column];
	double percent;

	json_open(json, NULL, '{');
	json_string(json, "column", compare_name(compare, column));
	if (cell->count)
		json_real(json, "median", compare_median(cell));
	else
		json_null(json, "median");
	json_string(json, "state",
		    !cell->count     ? (cell->no_scan ? "no scan" : "absent")
		    : cell->at_least ? "at least"
				     : "");
	json_open(json, "values", '[');
	for (size_t i = 0; i < cell->count; i++)
		json_real(json, NULL, cell->value[i]);
	json_close(json, ']');
	if (column && compare_change(&row->cell[0], cell, &percent))
		json_real(json, "change", percent);
	if (column && compare_verdict(&row->cell[0], cell) != COMPARE_SINGLE)
		json_string(json, "ranges", verdicts[compare_verdict(&row->cell[0], cell)]);
	json_close(json, '}');
}

static void print_json(const struct compare *compare, FILE *out)
{
	static const char *const block_keys[] = { "figures", "stalls", "throttles", "delays",
						  "losses" };
	struct json json = { .out = out };
	size_t i = 0;

	json_open(&json, NULL, '{');
	for (unsigned int block = 0; block < NR_BLOCKS; block++) {
		json_open(&json, block_keys[block], '{');
		for (; i < compare->nr_rows && compare->row[i].block == block; i++) {
			json_open(&json, compare->row[i].key, '{');
			json_string(&json, "name", compare->row[i].name);
			json_open(&json, "columns", '[');
			for (size_t c = 0; c < compare->nr_columns; c++)
				print_json_cell(&json, compare, &compare->row[i], c);
			json_close(&json, ']');
			json_close(&json, '}');
		}
		json_close(&json, '}');
	}
	json_close(&json, '}');
}

/* One line a row, column and run: what a spreadsheet or R takes. */
static int print_csv(const struct compare *compare, FILE *out, struct rl_msg *msg)
{
	static const char *const header[] = { "key", "name", "column", "value" };
	struct table *table = table_new();
	int ret = table ? 0 : rl_fail(msg, ENOMEM, "out of memory");

	for (size_t h = 0; !ret && h < sizeof(header) / sizeof(header[0]); h++)
		ret = table_column(table, header[h], true, msg);
	for (size_t i = 0; i < compare->nr_rows * compare->nr_columns; i++) {
		const struct compare_row *row = &compare->row[i / compare->nr_columns];
		const struct compare_cell *cell = &row->cell[i % compare->nr_columns];

		for (size_t v = 0; !ret && v < cell->count; v++) {
			char value[64];

			snprintf(value, sizeof(value), "%.15g", cell->value[v]);
			ret = table_cell(table, row->key, msg);
			if (!ret)
				ret = table_cell(table, row->name, msg);
			if (!ret)
				ret = table_cell(
					table, compare_name(compare, i % compare->nr_columns), msg);
			if (!ret)
				ret = table_cell(table, value, msg);
		}
	}
	if (!ret)
		table_print_csv(table, out);
	table_free(table);
	return ret;
}

int compare_print(struct compare *compare, enum compare_form form, FILE *out, struct rl_msg *msg)
{
	int ret = compare_complete(compare, msg);

	if (ret)
		return ret;
	if (form == COMPARE_CSV)
		return print_csv(compare, out, msg);
	if (form == COMPARE_JSON) {
		print_json(compare, out);
		return 0;
	}
	for (unsigned int i = 0; !ret && i < NR_BLOCKS; i++) {
		ret = print_block(compare, block_order[i], form, out, msg);
		if (form == COMPARE_HTML && block_order[i] == BLOCK_FIGURES)
			fputs("<div id=\"plots\"></div>\n", out);
	}
	return ret;
}
