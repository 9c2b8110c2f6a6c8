/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell_output.h - the rows of one statement as a box, CSV, JSON or Markdown
 *
 * A box needs the widths of its columns before its first line: rows are held until there are
 * SHELL_HELD_ROWS of them or the statement ends, then the widths are fixed and later rows are
 * printed as they come, wrapped where they are wider. Other forms hold nothing.
 */
#ifndef RECLAIMLAB_SHELL_OUTPUT_H
#define RECLAIMLAB_SHELL_OUTPUT_H

#include <sqlite3.h>

#include "sql/shell.h"

struct shell_output;

/* Output of the rows of @stmt. NULL when memory is short. */
struct shell_output *shell_output_new(const struct shell_options *options, enum shell_mode mode,
				      sqlite3_stmt *stmt);
void shell_output_free(struct shell_output *output);

/* Print the row that the statement stands on. Returns 0 or -ENOMEM. */
int shell_output_row(struct shell_output *output);

/* Print what is still held and the end. Returns 0, -ENOMEM or -EIO. */
int shell_output_end(struct shell_output *output);

#endif
