/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shell_text.h - a value of a row as text, for each form of output
 */
#ifndef RECLAIMLAB_SHELL_TEXT_H
#define RECLAIMLAB_SHELL_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include <sqlite3.h>

/*
 * The value of column @at of the current row as text in a buffer that the next call uses again:
 * numbers with as many digits as they need, a BLOB as X'..', "NULL". Owned by the caller's
 * sqlite3_str. NULL when memory is short.
 */
const char *shell_text(sqlite3_stmt *stmt, int at, sqlite3_str *buffer);

/* A character's bytes (1 to 4) at @text; 1 for what is no UTF-8. */
size_t shell_char(const char *text, size_t len);

/* Characters of @len bytes. */
size_t shell_width(const char *text, size_t len);

void shell_print_csv(FILE *out, const char *text);
void shell_print_json(FILE *out, const char *text);
void shell_print_markdown(FILE *out, const char *text);

/* @len bytes as a terminal may see them: no control characters, no bytes that are no UTF-8. */
void shell_print_plain(FILE *out, const char *text, size_t len);

#endif
