/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/shell_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sql/shell_text.h"

#define SHELL_HELD_ROWS 1000
#define LEAST_WIDTH	8 /* of a column that is made narrower */

struct box_row {
	char **cell;
	bool *number; /* of each cell: to the right */
};

struct shell_output {
	sqlite3_stmt *stmt;
	FILE *out;
	enum shell_mode mode;
	unsigned int limit; /* width of the box, 0: none */
	int nr;		    /* columns */
	bool begun;
	sqlite3_str *buffer;
	struct box_row *row;
	unsigned int rows;
	size_t *width;	   /* of each column, once the box is begun */
	const char **rest; /* of each cell of the row that is printed */
};

static bool is_number(sqlite3_stmt *stmt, int at)
{
	int type = sqlite3_column_type(stmt, at);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

struct shell_output *shell_output_new(const struct shell_options *options, enum shell_mode mode,
				      sqlite3_stmt *stmt)
{
	struct shell_output *output = calloc(1, sizeof(*output));

	if (!output)
		return NULL;
	output->stmt = stmt;
	output->out = options->out;
	output->mode = mode;
	output->limit = options->width;
	output->nr = sqlite3_column_count(stmt);
	output->buffer = sqlite3_str_new(NULL);
	output->row = calloc(SHELL_HELD_ROWS, sizeof(*output->row));
	output->width = calloc((size_t)output->nr, sizeof(*output->width));
	output->rest = calloc((size_t)output->nr, sizeof(*output->rest));
	if (output->row && output->width && output->rest)
		return output;
	shell_output_free(output);
	return NULL;
}

static void free_row(struct shell_output *output, struct box_row *row)
{
	for (int i = 0; row->cell && i < output->nr; i++)
		free(row->cell[i]);
	free(row->cell);
	free(row->number);
	memset(row, 0, sizeof(*row));
}

static void free_rows(struct shell_output *output)
{
	for (unsigned int i = 0; i < output->rows; i++)
		free_row(output, &output->row[i]);
	output->rows = 0;
}

void shell_output_free(struct shell_output *output)
{
	if (!output)
		return;
	if (output->row)
		free_rows(output);
	sqlite3_free(sqlite3_str_finish(output->buffer));
	free(output->row);
	free(output->width);
	free(output->rest);
	free(output);
}

static const char *column_name(const struct shell_output *output, int at)
{
	const char *name = sqlite3_column_name(output->stmt, at);

	return name ? name : "";
}

static int take_row(struct shell_output *output, struct box_row *row)
{
	row->cell = calloc((size_t)output->nr, sizeof(*row->cell));
	row->number = calloc((size_t)output->nr, sizeof(*row->number));
	if (!row->cell || !row->number)
		return -ENOMEM;
	for (int i = 0; i < output->nr; i++) {
		const char *text = shell_text(output->stmt, i, output->buffer);

		row->cell[i] = text ? strdup(text) : NULL;
		if (!row->cell[i])
			return -ENOMEM;
		row->number[i] = is_number(output->stmt, i);
	}
	return 0;
}

/* Length of the text up to the end of its first line. */
static size_t line_length(const char *text)
{
	return strcspn(text, "\n");
}

static size_t widest_line(const char *text)
{
	size_t widest = 0;

	while (*text) {
		size_t len = line_length(text);
		size_t width = shell_width(text, len);

		widest = width > widest ? width : widest;
		text += len + (text[len] == '\n');
	}
	return widest;
}

static size_t box_width(const struct shell_output *output)
{
	size_t width = 1;

	for (int i = 0; i < output->nr; i++)
		width += output->width[i] + 3;
	return width;
}

/* Take one character off the widest column, as long as that helps; false when none can give. */
static bool make_narrower(struct shell_output *output)
{
	int widest = 0;

	for (int i = 1; i < output->nr; i++)
		if (output->width[i] > output->width[widest])
			widest = i;
	if (output->width[widest] <= LEAST_WIDTH)
		return false;
	output->width[widest]--;
	return true;
}

static void choose_widths(struct shell_output *output)
{
	for (int i = 0; i < output->nr; i++) {
		const char *name = column_name(output, i);

		output->width[i] = shell_width(name, strlen(name));
		for (unsigned int r = 0; r < output->rows; r++) {
			size_t width = widest_line(output->row[r].cell[i]);

			output->width[i] = width > output->width[i] ? width : output->width[i];
		}
		output->width[i] += !output->width[i];
	}
	while (output->limit && box_width(output) > output->limit)
		if (!make_narrower(output))
			break;
}

static void print_rule(const struct shell_output *output, const char *left, const char *middle,
		       const char *right)
{
	for (int i = 0; i < output->nr; i++) {
		fputs(i ? middle : left, output->out);
		for (size_t n = 0; n < output->width[i] + 2; n++)
			fputs("─", output->out);
	}
	fprintf(output->out, "%s\n", right);
}

/* Bytes of @text that go on one line of @width characters: to a blank where there is one. */
static size_t fit(const char *text, size_t width, size_t *skip)
{
	size_t len = line_length(text);
	size_t at = 0;
	size_t blank = 0;

	*skip = text[len] == '\n';
	for (size_t n = 0; at < len && n < width; n++) {
		if (text[at] == ' ')
			blank = at;
		at += shell_char(text + at, len - at);
	}
	if (at == len)
		return len;
	*skip = 0;
	if (text[at] == ' ') {
		*skip = 1;
		return at;
	}
	if (blank) {
		*skip = 1;
		return blank;
	}
	return at;
}

static void print_padding(FILE *out, size_t nr)
{
	while (nr--)
		fputc(' ', out);
}

/* Print the next line of a cell; true when more of it is left. */
static bool print_cell_line(const struct shell_output *output, int at, bool right)
{
	const char *text = output->rest[at];
	size_t skip = 0;
	size_t len = fit(text, output->width[at], &skip);
	size_t pad = output->width[at] - shell_width(text, len);

	fputc(' ', output->out);
	if (right)
		print_padding(output->out, pad);
	shell_print_plain(output->out, text, len);
	if (!right)
		print_padding(output->out, pad);
	fputs(" │", output->out);
	output->rest[at] = text + len + skip;
	return *output->rest[at] != '\0';
}

static void print_box_row(const struct shell_output *output, const bool *number)
{
	bool more = true;

	while (more) {
		more = false;
		fputs("│", output->out);
		for (int i = 0; i < output->nr; i++)
			more |= print_cell_line(output, i, number && number[i]);
		fputc('\n', output->out);
	}
}

static void print_held_row(const struct shell_output *output, const struct box_row *row)
{
	for (int i = 0; i < output->nr; i++)
		output->rest[i] = row->cell[i];
	print_box_row(output, row->number);
}

/* Fix the widths, print the head and the rows that were held. */
static void begin_box(struct shell_output *output)
{
	output->begun = true;
	choose_widths(output);
	print_rule(output, "┌", "┬", "┐");
	for (int i = 0; i < output->nr; i++)
		output->rest[i] = column_name(output, i);
	print_box_row(output, output->rows ? output->row[0].number : NULL);
	print_rule(output, "├", "┼", "┤");
	for (unsigned int i = 0; i < output->rows; i++)
		print_held_row(output, &output->row[i]);
	free_rows(output);
}

static int put_box_row(struct shell_output *output)
{
	struct box_row *row = &output->row[output->rows++];
	int err = take_row(output, row);

	if (err)
		return err;
	if (output->begun) {
		print_held_row(output, row);
		free_rows(output);
	} else if (output->rows == SHELL_HELD_ROWS) {
		begin_box(output);
	}
	return 0;
}

static void begin_csv(struct shell_output *output)
{
	for (int i = 0; i < output->nr; i++) {
		fputs(i ? "," : "", output->out);
		shell_print_csv(output->out, column_name(output, i));
	}
	fputc('\n', output->out);
}

static int put_csv_row(struct shell_output *output)
{
	for (int i = 0; i < output->nr; i++) {
		const char *text = shell_text(output->stmt, i, output->buffer);

		if (!text)
			return -ENOMEM;
		fputs(i ? "," : "", output->out);
		if (sqlite3_column_type(output->stmt, i) != SQLITE_NULL)
			shell_print_csv(output->out, text);
	}
	fputc('\n', output->out);
	return 0;
}

static int put_json_value(struct shell_output *output, int at)
{
	const char *text = shell_text(output->stmt, at, output->buffer);
	int type = sqlite3_column_type(output->stmt, at);

	if (!text)
		return -ENOMEM;
	if (type == SQLITE_TEXT || type == SQLITE_BLOB)
		shell_print_json(output->out, text);
	else if (type == SQLITE_NULL || strstr(text, "Inf"))
		fputs("null", output->out);
	else
		fputs(text, output->out);
	return 0;
}

static int put_json_row(struct shell_output *output)
{
	int err = 0;

	fputs(output->begun ? ",\n{" : "[{", output->out);
	for (int i = 0; i < output->nr && !err; i++) {
		fputs(i ? "," : "", output->out);
		shell_print_json(output->out, column_name(output, i));
		fputc(':', output->out);
		err = put_json_value(output, i);
	}
	fputc('}', output->out);
	output->begun = true;
	return err;
}

/* Without a row to go by, columns are to the left. */
static void begin_markdown(struct shell_output *output, bool row)
{
	fputc('|', output->out);
	for (int i = 0; i < output->nr; i++) {
		fputc(' ', output->out);
		shell_print_markdown(output->out, column_name(output, i));
		fputs(" |", output->out);
	}
	fputs("\n|", output->out);
	for (int i = 0; i < output->nr; i++)
		fputs(row && is_number(output->stmt, i) ? "---:|" : "---|", output->out);
	fputc('\n', output->out);
	output->begun = true;
}

static int put_markdown_row(struct shell_output *output)
{
	if (!output->begun)
		begin_markdown(output, true);
	fputc('|', output->out);
	for (int i = 0; i < output->nr; i++) {
		const char *text = shell_text(output->stmt, i, output->buffer);

		if (!text)
			return -ENOMEM;
		fputc(' ', output->out);
		shell_print_markdown(output->out, text);
		fputs(" |", output->out);
	}
	fputc('\n', output->out);
	return 0;
}

int shell_output_row(struct shell_output *output)
{
	switch (output->mode) {
	case SHELL_CSV:
		if (!output->begun)
			begin_csv(output);
		output->begun = true;
		return put_csv_row(output);
	case SHELL_JSON:
		return put_json_row(output);
	case SHELL_MARKDOWN:
		return put_markdown_row(output);
	default:
		return put_box_row(output);
	}
}

int shell_output_end(struct shell_output *output)
{
	switch (output->mode) {
	case SHELL_CSV:
		if (!output->begun)
			begin_csv(output);
		break;
	case SHELL_JSON:
		fputs(output->begun ? "]\n" : "[]\n", output->out);
		break;
	case SHELL_MARKDOWN:
		if (!output->begun)
			begin_markdown(output, false);
		break;
	default:
		if (!output->begun)
			begin_box(output);
		print_rule(output, "└", "┴", "┘");
		break;
	}
	return ferror(output->out) ? -EIO : 0;
}
