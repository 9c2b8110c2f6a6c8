/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyze/format.h"
#include "capture/base/utf8.h"

const char *format_duration(double ns, char *buf)
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	unsigned int i = 0;

	while (i < 3 && fabs(ns) >= 999.5) {
		ns /= 1000;
		i++;
	}
	if (!i)
		snprintf(buf, FORMAT_SIZE, "%.0f %s", ns, unit[i]);
	else
		snprintf(buf, FORMAT_SIZE, "%.*f %s",
			 fabs(ns) >= 99.95   ? 0
			 : fabs(ns) >= 9.995 ? 1
					     : 2,
			 ns, unit[i]);
	return buf;
}

const char *format_figure(double value, int digits, char *buf)
{
	snprintf(buf, FORMAT_SIZE, "%.*f", digits, value);
	return buf;
}

/* What does not fit is cut off between characters, and marked. */
static char *format_text(const char *text, char *buf)
{
	size_t end = 0;
	char one[UTF8_SIZE];
	unsigned int n;

	while ((n = utf8_take(&text, one))) {
		if (end + n + sizeof(FORMAT_CUT) > FORMAT_SIZE) {
			memcpy(buf + end, FORMAT_CUT, sizeof(FORMAT_CUT));
			return buf;
		}
		memcpy(buf + end, one, n);
		end += n;
	}
	buf[end] = '\0';
	return buf;
}

static const char *format_flags(const char *text, char *buf)
{
	static const char common[] = "__GFP_";
	char *to = format_text(text, buf);

	for (const char *from = buf; *from;) {
		if (!strncmp(from, common, strlen(common)))
			from += strlen(common);
		else
			*to++ = *from++;
	}
	*to = '\0';
	return buf;
}

const char *format_column(sqlite3_stmt *stmt, int column, enum format_kind kind, char *buf)
{
	double value;

	if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
		return "-";
	if (format_is_text(kind)) {
		const char *text = (const char *)sqlite3_column_text(stmt, column);

		return kind == FORMAT_FLAGS ? format_flags(text, buf) : format_text(text, buf);
	}
	value = sqlite3_column_double(stmt, column);
	switch (kind) {
	case FORMAT_NS:
		return format_duration(value, buf);
	case FORMAT_US:
		return format_duration(value * 1000, buf);
	case FORMAT_PERCENT:
	case FORMAT_NUMBER:
		return format_figure(value, 2, buf);
	default:
		return format_figure(value, 0, buf);
	}
}

/* A per cent sign stays with its number. */
static bool word_goes_on(const char *text)
{
	return *text && (*text != ' ' || text[1] == '%');
}

/* Characters of @text up to where a line may end. */
static unsigned int word_width(const char *text)
{
	char one[UTF8_SIZE];
	unsigned int n = 0;

	while (word_goes_on(text)) {
		utf8_take(&text, one);
		n++;
	}
	return n;
}

static const char *print_word(FILE *out, const char *text)
{
	char one[UTF8_SIZE];

	while (word_goes_on(text)) {
		utf8_take(&text, one);
		fputs(one, out);
	}
	return text;
}

void format_hanging(FILE *out, const char *head, const char *text, unsigned int indent,
		    unsigned int width)
{
	unsigned int column = (unsigned int)fprintf(out, "%-*s", (int)indent, head);
	bool begun = false;

	while (*text) {
		unsigned int n = word_width(text);

		if (begun && column + 1 + n > width) {
			column = (unsigned int)fprintf(out, "\n%*s", (int)indent, "") - 1;
			begun = false;
		}
		if (begun)
			column += (unsigned int)fprintf(out, " ");
		text = print_word(out, text);
		column += n;
		begun = true;
		text += *text == ' ';
	}
	fputc('\n', out);
}

void format_wrapped(FILE *out, const char *text, unsigned int indent, unsigned int width)
{
	format_hanging(out, "", text, indent, width);
}
