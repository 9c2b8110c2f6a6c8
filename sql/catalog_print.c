/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/catalog.h"

#include <string.h>

#include "sql/functions.h"

#define LINE_WIDTH 80

/* Print words from column @at on, going on at column @indent of a new line where one is full. */
static void print_words(FILE *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (!first && at + 1 + len > LINE_WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', out);
			at++;
		}
		fwrite(text, 1, len, out);
		at += len;
		text += len;
		text += strspn(text, " ");
		first = false;
	}
	fputc('\n', out);
}

void catalog_print(const struct catalog_entry *entry, FILE *out)
{
	size_t name = 0;
	size_t unit = 0;

	for (unsigned int i = 0; i < entry->nr_columns; i++) {
		const struct catalog_column *column = &entry->column[i];

		name = strlen(column->name) > name ? strlen(column->name) : name;
		unit = strlen(column->unit) > unit ? strlen(column->unit) : unit;
	}
	fprintf(out, "%s (%s)\n", entry->name, catalog_kind_name(entry->kind));
	print_words(out, entry->doc, 0, 0);
	if (*entry->more)
		print_words(out, entry->more, 0, 0);
	for (unsigned int i = 0; i < entry->nr_columns; i++) {
		const struct catalog_column *column = &entry->column[i];

		fprintf(out, "  %-*s  %-*s%s", (int)name, column->name, (int)unit, column->unit,
			unit ? "  " : "");
		print_words(out, column->doc, name + unit + 6, name + unit + 6 - (unit ? 0 : 2));
	}
}

/* Text of a cell or a line: what Markdown would take as its own is escaped. */
static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<>[]", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void print_markdown_entry(const struct catalog_entry *entry, FILE *out)
{
	fprintf(out, "\n### %s\n\n", entry->name);
	print_escaped(out, entry->doc);
	if (*entry->more) {
		fputs("\n\n", out);
		print_escaped(out, entry->more);
	}
	fprintf(out, "\n\nDefined in `%s`", entry->origin);
	if (*entry->event)
		fprintf(out, "; one row an event `%s`", entry->event);
	fputs(".\n\n| column | unit | meaning |\n|---|---|---|\n", out);
	for (unsigned int i = 0; i < entry->nr_columns; i++) {
		fprintf(out, "| `%s` | %s | ", entry->column[i].name, entry->column[i].unit);
		print_escaped(out, entry->column[i].doc);
		fputs(" |\n", out);
	}
}

static void print_markdown_kind(const struct catalog *catalog, enum catalog_kind kind,
				const char *title, FILE *out)
{
	const struct catalog_entry *entry;

	fprintf(out, "\n## %s\n", title);
	for (unsigned int i = 0; (entry = catalog_at(catalog, i)); i++)
		if (entry->kind == kind)
			print_markdown_entry(entry, out);
}

static void print_markdown_functions(FILE *out)
{
	const struct sql_function *f;

	fputs("\n## Functions\n\n| function | gives |\n|---|---|\n", out);
	for (unsigned int i = 0; (f = function_at(i)); i++) {
		fprintf(out, "| `%s` | ", f->usage);
		print_escaped(out, f->doc);
		fputs(" |\n", out);
	}
}

void catalog_print_markdown(const struct catalog *catalog, FILE *out)
{
	fputs("# Tables, views and functions\n\n"
	      "Times are ns on the run's clock. Pages are of the size in `run.page_size`. A figure has\n"
	      "one definition, in one view; its file is named below. The target `docs` of the build\n"
	      "writes this page from the definitions.\n",
	      out);
	print_markdown_kind(catalog, CATALOG_VIEW, "Views: one question each", out);
	print_markdown_kind(catalog, CATALOG_TABLE, "Tables", out);
	print_markdown_kind(catalog, CATALOG_ROWS, "Tables of events", out);
	print_markdown_kind(catalog, CATALOG_COLUMNS, "Tables of page-rate events", out);
	print_markdown_functions(out);
}
