/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/markup.h"
#include "analyze/format.h"
#include "analyze/table.h"
#include "capture/base/utf8.h"
#include "sql/shell_text.h"

#define COLUMNS_MAX 64
#define CUT_LEAST   8 /* a column of text keeps that many characters */

struct table {
	unsigned int nr_columns;
	bool text[COLUMNS_MAX];
	char **cell; /* the headers first */
	char **view; /* of each cell, or NULL */
	size_t nr_cells;
	size_t room;
};

struct table *table_new(void)
{
	return calloc(1, sizeof(struct table));
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nr_cells; i++) {
		free(table->cell[i]);
		free(table->view[i]);
	}
	free(table->cell);
	free(table->view);
	free(table);
}

static bool grow(struct table *table)
{
	size_t room = table->room ? table->room * 2 : 64;
	char **cell = reallocarray(table->cell, room, sizeof(*cell));
	char **view;

	if (!cell)
		return false;
	table->cell = cell;
	view = reallocarray(table->view, room, sizeof(*view));
	if (!view)
		return false;
	table->view = view;
	table->room = room;
	return true;
}

int table_cell(struct table *table, const char *text, struct rl_msg *msg)
{
	if (table->nr_cells == table->room && !grow(table))
		return rl_fail(msg, ENOMEM, "out of memory");
	table->view[table->nr_cells] = NULL;
	table->cell[table->nr_cells] = strdup(text);
	if (!table->cell[table->nr_cells])
		return rl_fail(msg, ENOMEM, "out of memory");
	table->nr_cells++;
	return 0;
}

int table_define(struct table *table, const char *view, struct rl_msg *msg)
{
	char **cell = &table->view[table->nr_cells - 1];

	free(*cell);
	*cell = strdup(view);
	return *cell ? 0 : rl_fail(msg, ENOMEM, "out of memory");
}

int table_column(struct table *table, const char *header, bool text, struct rl_msg *msg)
{
	if (table->nr_columns == COLUMNS_MAX)
		return rl_fail(msg, E2BIG, "a table of more than %d columns", COLUMNS_MAX);
	table->text[table->nr_columns++] = text;
	return table_cell(table, header, msg);
}

static void measure(const struct table *table, unsigned int *width)
{
	memset(width, 0, table->nr_columns * sizeof(*width));
	for (size_t i = 0; i < table->nr_cells; i++) {
		unsigned int n = utf8_count(table->cell[i]);
		unsigned int *w = &width[i % table->nr_columns];

		if (n > *w)
			*w = n;
	}
}

/* Take from the widest columns of text until a line has @limit characters, or they have no more. */
static void cut_to(const struct table *table, unsigned int *width, unsigned int limit)
{
	unsigned int total = 0;

	for (unsigned int c = 0; c < table->nr_columns; c++)
		total += width[c] + 2;
	while (total > limit) {
		unsigned int widest = table->nr_columns;

		for (unsigned int c = 0; c < table->nr_columns; c++)
			if (table->text[c] && width[c] > CUT_LEAST &&
			    (widest == table->nr_columns || width[c] > width[widest]))
				widest = c;
		if (widest == table->nr_columns)
			return;
		width[widest]--;
		total--;
	}
}

static void print_cell(FILE *out, const char *text, bool left, unsigned int width, bool last)
{
	unsigned int n = utf8_count(text);
	unsigned int shown = n > width ? width - (unsigned int)strlen(FORMAT_CUT) : n;

	if (!left && n < width)
		fprintf(out, "%*s", (int)(width - n), "");
	utf8_print(out, text, shown);
	if (n > width)
		fputs(FORMAT_CUT, out);
	if (left && n < width && !last)
		fprintf(out, "%*s", (int)(width - n), "");
}

static bool has_header(const struct table *table)
{
	for (unsigned int c = 0; c < table->nr_columns; c++)
		if (*table->cell[c])
			return true;
	return false;
}

/* The first column and those from @from to before @to. */
static void print_row(const struct table *table, char *const *cell, const unsigned int *widths,
		      unsigned int from, unsigned int to, FILE *out)
{
	while (to > from && !*cell[to - 1])
		to--;
	fputs("  ", out);
	print_cell(out, cell[0], table->text[0], widths[0], to == from);
	for (unsigned int c = from; c < to; c++) {
		fputs("  ", out);
		print_cell(out, cell[c], table->text[c], widths[c], c + 1 == to);
	}
	fputc('\n', out);
}

static void print_part(const struct table *table, const unsigned int *widths, unsigned int from,
		       unsigned int to, FILE *out)
{
	size_t first = has_header(table) ? 0 : table->nr_columns;

	for (size_t i = first; i < table->nr_cells; i += table->nr_columns)
		print_row(table, table->cell + i, widths, from, to, out);
}

void table_print(const struct table *table, FILE *out, unsigned int width)
{
	unsigned int widths[COLUMNS_MAX];

	if (!table->nr_columns)
		return;
	measure(table, widths);
	cut_to(table, widths, width);
	print_part(table, widths, 1, table->nr_columns, out);
}

void table_print_parts(const struct table *table, FILE *out, unsigned int width, unsigned int group)
{
	unsigned int widths[COLUMNS_MAX], from = 1, to, next = 2;

	if (!table->nr_columns)
		return;
	measure(table, widths);
	for (; from < table->nr_columns; from = to) {
		unsigned int total = widths[0] + 2;

		for (to = from; to < table->nr_columns; to = next, next += group) {
			for (unsigned int c = to; c < next && c < table->nr_columns; c++)
				total += widths[c] + 2;
			if (to > from && total > width)
				break;
		}
		if (to > table->nr_columns)
			to = table->nr_columns;
		if (from > 1)
			fputc('\n', out);
		print_part(table, widths, from, to, out);
	}
}

static void print_markdown_text(FILE *out, const char *text)
{
	char c[UTF8_SIZE];

	while (utf8_take(&text, c)) {
		if (strchr("|\\`*_<>[]", *c))
			fputc('\\', out);
		fputs(c, out);
	}
}

void table_print_markdown(const struct table *table, FILE *out)
{
	for (size_t i = 0; i < table->nr_cells; i++) {
		unsigned int c = (unsigned int)(i % table->nr_columns);

		fputs(c ? " | " : "| ", out);
		print_markdown_text(out, table->cell[i]);
		if (c + 1 < table->nr_columns)
			continue;
		fputs(" |\n", out);
		if (i + 1 != table->nr_columns)
			continue;
		for (c = 0; c < table->nr_columns; c++)
			fputs(table->text[c] ? "|---" : "|---:", out);
		fputs("|\n", out);
	}
}

static void print_html_cell(const struct table *table, size_t i, FILE *out)
{
	const char *tag = i < table->nr_columns ? "th" : "td";
	bool text = table->text[i % table->nr_columns];

	fprintf(out, "<%s%s>", tag, text ? "" : " class=\"number\"");
	if (table->view[i])
		markup_definition(out, table->view[i], table->cell[i]);
	else
		markup_text(out, table->cell[i]);
	fprintf(out, "</%s>", tag);
}

void table_print_html(const struct table *table, FILE *out)
{
	fputs("<div class=\"table\"><table>\n", out);
	for (size_t i = has_header(table) ? 0 : table->nr_columns; i < table->nr_cells; i++) {
		if (i % table->nr_columns == 0)
			fputs("<tr>", out);
		print_html_cell(table, i, out);
		if ((i + 1) % table->nr_columns == 0)
			fputs("</tr>\n", out);
	}
	fputs("</table></div>\n", out);
}

void table_print_csv(const struct table *table, FILE *out)
{
	for (size_t i = 0; i < table->nr_cells; i++) {
		if (i % table->nr_columns)
			fputc(',', out);
		shell_print_csv(out, table->cell[i]);
		if ((i + 1) % table->nr_columns == 0)
			fputs("\r\n", out);
	}
}
