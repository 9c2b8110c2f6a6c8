/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/shell_text.h"

#include <stdlib.h>
#include <string.h>

#include "capture/base/utf8.h"

static void append_blob(sqlite3_str *buffer, sqlite3_stmt *stmt, int at)
{
	const unsigned char *blob = sqlite3_column_blob(stmt, at);
	int size = sqlite3_column_bytes(stmt, at);

	sqlite3_str_appendall(buffer, "X'");
	for (int i = 0; i < size; i++)
		sqlite3_str_appendf(buffer, "%02x", blob[i]);
	sqlite3_str_appendall(buffer, "'");
}

/* The shortest decimal number that reads as the same value, always with a point or exponent. */
static void append_real(sqlite3_str *buffer, double value)
{
	char text[40];

	sqlite3_snprintf(sizeof(text), text, "%!.15g", value);
	if (strtod(text, NULL) != value)
		sqlite3_snprintf(sizeof(text), text, "%!.17g", value);
	sqlite3_str_appendall(buffer, text);
}

const char *shell_text(sqlite3_stmt *stmt, int at, sqlite3_str *buffer)
{
	sqlite3_str_reset(buffer);
	switch (sqlite3_column_type(stmt, at)) {
	case SQLITE_NULL:
		sqlite3_str_appendall(buffer, "NULL");
		break;
	case SQLITE_FLOAT:
		append_real(buffer, sqlite3_column_double(stmt, at));
		break;
	case SQLITE_BLOB:
		append_blob(buffer, stmt, at);
		break;
	default:
		sqlite3_str_appendf(buffer, "%s", (const char *)sqlite3_column_text(stmt, at));
		break;
	}
	if (sqlite3_str_errcode(buffer))
		return NULL;
	return sqlite3_str_length(buffer) ? sqlite3_str_value(buffer) : "";
}

size_t shell_char(const char *text, size_t len)
{
	size_t n = utf8_length(text);

	return n && n <= len ? n : 1;
}

size_t shell_width(const char *text, size_t len)
{
	size_t width = 0;

	for (size_t at = 0; at < len; at += shell_char(text + at, len - at))
		width++;
	return width;
}

void shell_print_csv(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void shell_print_json(FILE *out, const char *text)
{
	size_t len = strlen(text);

	fputc('"', out);
	while (len) {
		unsigned char c = (unsigned char)*text;
		size_t n = shell_char(text, len);

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ')
			fprintf(out, "\\u%04x", c);
		else if (c >= 0x80 && n == 1)
			fputs("\\ufffd", out);
		else
			fwrite(text, 1, n, out);
		text += n;
		len -= n;
	}
	fputc('"', out);
}

void shell_print_markdown(FILE *out, const char *text)
{
	for (size_t n; *text; text += n) {
		n = shell_char(text, UTF8_SIZE);
		if (*text == '\n')
			fputs("<br>", out);
		else if (*text == '|')
			fputs("\\|", out);
		else
			shell_print_plain(out, text, n);
	}
}

void shell_print_plain(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;
	char one[UTF8_SIZE];

	while (text < end && utf8_take(&text, one))
		fputs(one, out);
}
