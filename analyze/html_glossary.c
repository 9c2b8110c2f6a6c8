/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "analyze/html_private.h"
#include "analyze/markup.h"
#include "sql/catalog.h"

static void print_column(FILE *out, const struct catalog_column *column)
{
	fputs("<dt>", out);
	markup_text(out, column->name);
	fputs("</dt><dd>", out);
	markup_text(out, column->doc);
	if (*column->unit) {
		fputs(" <span class=\"unit\">", out);
		markup_text(out, column->unit);
		fputs("</span>", out);
	}
	fputs("</dd>\n", out);
}

static void print_view(FILE *out, const struct catalog_entry *entry)
{
	fputs("<section id=\"view-", out);
	markup_text(out, entry->name);
	fputs("\">\n<h3>", out);
	markup_text(out, entry->doc);
	fputs("</h3>\n<p>", out);
	markup_text(out, entry->more);
	fputs(" <span class=\"unit\">view ", out);
	markup_text(out, entry->name);
	fputs("</span></p>\n<dl>\n", out);
	for (unsigned int i = 0; i < entry->nr_columns; i++)
		if (strcmp(entry->column[i].name, "run") != 0)
			print_column(out, &entry->column[i]);
	fputs("</dl>\n</section>\n", out);
}

int html_glossary(FILE *out, struct rl_msg *msg)
{
	struct catalog *catalog = catalog_new();
	const struct catalog_entry *entry;

	if (!catalog)
		return rl_fail(msg, ENOMEM, "out of memory");
	fputs("<details id=\"definitions\">\n<summary>Definitions of every figure</summary>\n",
	      out);
	for (unsigned int i = 0; (entry = catalog_at(catalog, i)); i++)
		if (entry->kind == CATALOG_VIEW)
			print_view(out, entry);
	fputs("</details>\n", out);
	catalog_free(catalog);
	return 0;
}
