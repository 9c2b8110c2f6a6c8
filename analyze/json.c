/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "analyze/json.h"

/* Bytes of the UTF-8 sequence that begins at @s, 0 when it is none. */
static unsigned int utf8_length(const unsigned char *s)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	unsigned int code = s[0] & (0xff >> (n + 1));

	if (n == 1)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	for (unsigned int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	return code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n;
}

static void write_string(FILE *out, const char *text, bool compact)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', out);
	while (*s) {
		unsigned int n = utf8_length(s);

		if (!n)
			fputs("\xef\xbf\xbd", out);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s < 0x20 || *s == 0x7f || (compact && *s == '<'))
			fprintf(out, "\\u%04x", *s);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
	fputc('"', out);
}

static void new_line(struct json *json)
{
	if (!json->compact)
		fprintf(json->out, "\n%*s", (int)json->depth * 2, "");
}

static void begin_value(struct json *json, const char *name)
{
	if (json->begun)
		fputc(',', json->out);
	if (json->depth)
		new_line(json);
	json->begun = true;
	if (!name)
		return;
	write_string(json->out, name, json->compact);
	fputs(json->compact ? ":" : ": ", json->out);
}

void json_open(struct json *json, const char *name, char bracket)
{
	begin_value(json, name);
	fputc(bracket, json->out);
	json->depth++;
	json->begun = false;
}

void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (json->begun)
		new_line(json);
	fputc(bracket, json->out);
	json->begun = true;
	if (!json->depth)
		fputc('\n', json->out);
}

void json_string(struct json *json, const char *name, const char *text)
{
	begin_value(json, name);
	write_string(json->out, text, json->compact);
}

void json_integer(struct json *json, const char *name, sqlite3_int64 value)
{
	begin_value(json, name);
	fprintf(json->out, "%lld", value);
}

void json_real(struct json *json, const char *name, double value)
{
	if (!isfinite(value)) {
		json_null(json, name);
		return;
	}
	begin_value(json, name);
	fprintf(json->out, "%.15g", value);
}

void json_thousandths(struct json *json, const char *name, sqlite3_int64 value)
{
	unsigned long long size =
		value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;

	begin_value(json, name);
	fprintf(json->out, "%s%llu.%03llu", value < 0 ? "-" : "", size / 1000, size % 1000);
}

void json_boolean(struct json *json, const char *name, bool value)
{
	begin_value(json, name);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *name)
{
	begin_value(json, name);
	fputs("null", json->out);
}

void json_value(struct json *json, const char *name, sqlite3_stmt *stmt, int column)
{
	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		json_integer(json, name, sqlite3_column_int64(stmt, column));
		break;
	case SQLITE_FLOAT:
		json_real(json, name, sqlite3_column_double(stmt, column));
		break;
	case SQLITE_NULL:
		json_null(json, name);
		break;
	default:
		json_string(json, name, (const char *)sqlite3_column_text(stmt, column));
	}
}

void json_column(struct json *json, sqlite3_stmt *stmt, int column)
{
	json_value(json, sqlite3_column_name(stmt, column), stmt, column);
}
