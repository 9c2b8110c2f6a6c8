/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h - a table of texts, laid out for a mail, as Markdown, HTML or CSV
 *
 * Cells are copied. In a mail the columns are as wide as they must be; where the line would be
 * wider than asked for, the widest columns of text are cut (".."), numbers never.
 */
#ifndef RECLAIMLAB_TABLE_H
#define RECLAIMLAB_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "capture/base/message.h"

#define TABLE_WIDTH 80 /* characters a line of a mail */

struct table;

/* NULL when memory is short. */
struct table *table_new(void);

/* NULL is fine. */
void table_free(struct table *table);

/* Add a column; all columns come before the first cell. */
int table_column(struct table *table, const char *header, bool text, struct rl_msg *msg);

/* Add the next cell, row by row. */
int table_cell(struct table *table, const char *text, struct rl_msg *msg);

/* The definition of the cell added last is that of @view; HTML links to it. */
int table_define(struct table *table, const char *view, struct rl_msg *msg);

/* Print with two blanks in front, at most @width characters a line; no header where all are "". */
void table_print(const struct table *table, FILE *out, unsigned int width);

/*
 * As table_print(), but cut nothing: what does not fit beside goes below, after an empty line. The
 * first column heads each part, the second can stand alone, those after it keep together by @group.
 */
void table_print_parts(const struct table *table, FILE *out, unsigned int width,
		       unsigned int group);

void table_print_markdown(const struct table *table, FILE *out);

void table_print_html(const struct table *table, FILE *out);

/* Print the table as CSV. */
void table_print_csv(const struct table *table, FILE *out);

#endif
