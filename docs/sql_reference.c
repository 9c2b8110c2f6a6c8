/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sql_reference.c - print the SQL reference; docs/sql-reference.md holds what this prints */
#include <stdio.h>

#include "sql/catalog.h"

int main(void)
{
	struct catalog *catalog = catalog_new();

	if (!catalog) {
		fputs("sql_reference: no memory\n", stderr);
		return 1;
	}
	catalog_print_markdown(catalog, stdout);
	catalog_free(catalog);
	return fflush(stdout) ? 1 : 0;
}
