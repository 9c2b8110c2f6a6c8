/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format.h - how values read, for people
 *
 * The kind of a column says how its number is written; machines get the bare number (json.h).
 */
#ifndef RECLAIMLAB_FORMAT_H
#define RECLAIMLAB_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <sqlite3.h>

enum format_kind {
	FORMAT_TEXT,
	FORMAT_FLAGS,	/* names of allocation flags, without what all have in common */
	FORMAT_COUNT,	/* a whole number */
	FORMAT_NS,	/* a duration in ns, written with the unit that fits */
	FORMAT_US,	/* a duration in us, the same */
	FORMAT_USEC,	/* whole microseconds, as the kernel counts throttling */
	FORMAT_PERCENT, /* two decimals */
	FORMAT_NUMBER,	/* two decimals */
};

#define FORMAT_SIZE 256
#define FORMAT_CUT  ".." /* stands where text was cut off */

/* Left-aligned when it is text, else right-aligned. */
#define format_is_text(kind) ((kind) == FORMAT_TEXT || (kind) == FORMAT_FLAGS)

/*
 * Write the column of the current row to @buf of FORMAT_SIZE bytes and return it. NULL is "-".
 * Control characters of text become '?', bytes that are no UTF-8 U+FFFD.
 */
const char *format_column(sqlite3_stmt *stmt, int column, enum format_kind kind, char *buf);

/* A duration of @ns: "812 ns", "35.1 us", "1.60 s". */
const char *format_duration(double ns, char *buf);

/* A figure with @digits decimals (0 to 6). */
const char *format_figure(double value, int digits, char *buf);

/* Print @text with @indent blanks in front of each line, broken at blanks before @width. */
void format_wrapped(FILE *out, const char *text, unsigned int indent, unsigned int width);

/* The same with @head in front of the first line instead of blanks. */
void format_hanging(FILE *out, const char *head, const char *text, unsigned int indent,
		    unsigned int width);

#endif
