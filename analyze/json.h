/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - JSON, written as it comes
 *
 * Containers are opened and closed in order; a member of an object has a name, an element of an
 * array has none (NULL). Commas and escapes are taken care of. Bytes that are no UTF-8 become
 * U+FFFD, numbers that JSON has not (infinite) null. A compact text has no blanks and line ends,
 * and writes < as an escape, so that it may stand inside the script element of a page.
 */
#ifndef RECLAIMLAB_JSON_H
#define RECLAIMLAB_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include <sqlite3.h>

struct json {
	FILE *out;
	bool compact;
	unsigned int depth;
	bool begun; /* something stands before in this container */
};

void json_open(struct json *json, const char *name, char bracket);
void json_close(struct json *json, char bracket);
void json_string(struct json *json, const char *name, const char *text);
void json_integer(struct json *json, const char *name, sqlite3_int64 value);
void json_real(struct json *json, const char *name, double value);

/* @value / 1000, exactly: ns of a format that counts in us. */
void json_thousandths(struct json *json, const char *name, sqlite3_int64 value);

void json_boolean(struct json *json, const char *name, bool value);
void json_null(struct json *json, const char *name);

/* The column of the current row. */
void json_value(struct json *json, const char *name, sqlite3_stmt *stmt, int column);

/* The column of the current row under its own name. */
void json_column(struct json *json, sqlite3_stmt *stmt, int column);

#endif
