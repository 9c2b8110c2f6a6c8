/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "analyze/json.h"
#include "capture/base/utf8.h"

static void write_string(FILE *out, const char *text, bool compact)
{
	fputc('"', out);
	for (unsigned int n; *text; text += n ? n : 1) {
		unsigned char c = (unsigned char)*text;

		n = utf8_length(text);
		if (!n)
			fputs(UTF8_REPLACEMENT, out);
		else if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f || (compact && c == '<'))
			fprintf(out, "\\u%04x", c);
		else
			fwrite(text, 1, n, out);
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
