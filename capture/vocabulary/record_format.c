/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/vocabulary/record_format.h"

#include <errno.h>
#include <string.h>

bool span_equal(struct text_span span, const char *text)
{
	return strlen(text) == span.len && !memcmp(span.text, text, span.len);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct text_span span_trim(struct text_span span)
{
	while (span.len && is_blank(span.text[0])) {
		span.text++;
		span.len--;
	}
	while (span.len && is_blank(span.text[span.len - 1]))
		span.len--;
	return span;
}

static bool span_prefix(struct text_span *span, const char *prefix)
{
	size_t len = strlen(prefix);

	if (span->len < len || memcmp(span->text, prefix, len))
		return false;
	span->text += len;
	span->len -= len;
	*span = span_trim(*span);
	return true;
}

/* Cut the span up to @end off @rest; false where there is no @end. */
static bool span_cut(struct text_span *rest, char end, struct text_span *head)
{
	const char *at = memchr(rest->text, end, rest->len);

	if (!at)
		return false;
	head->text = rest->text;
	head->len = (size_t)(at - rest->text);
	rest->text = at + 1;
	rest->len -= head->len + 1;
	*head = span_trim(*head);
	return true;
}

static bool span_number(struct text_span span, uint32_t *number)
{
	uint64_t n = 0;

	if (!span.len || span.len > 10)
		return false;
	for (size_t i = 0; i < span.len; i++) {
		if (span.text[i] < '0' || span.text[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(span.text[i] - '0');
	}
	*number = (uint32_t)n;
	return n <= UINT32_MAX;
}

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Split "unsigned long name[16]" into type, name and whether there are brackets. */
static bool field_declaration(struct record_field *field, struct text_span text, bool *array)
{
	size_t end = text.len, begin;

	*array = false;
	while (end && text.text[end - 1] == ']') {
		while (end && text.text[end - 1] != '[')
			end--;
		if (!end)
			return false;
		end--;
		*array = true;
	}
	for (begin = end; begin && name_char(text.text[begin - 1]); begin--)
		;
	if (begin == end || !begin)
		return false;
	field->name = (struct text_span){ text.text + begin, end - begin };
	field->type = span_trim((struct text_span){ text.text, begin });
	return true;
}

static bool field_is_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool field_shape(struct record_field *field, bool array)
{
	struct text_span type = field->type;

	if (span_prefix(&type, "__data_loc"))
		field->shape = FIELD_DATA_LOC;
	else if (span_prefix(&type, "__rel_loc"))
		field->shape = FIELD_REL_LOC;
	else if (!field->size)
		field->shape = FIELD_TAIL;
	else if (array || !field_is_size(field->size))
		field->shape = FIELD_ARRAY;
	else if (memchr(field->type.text, '*', field->type.len))
		field->shape = FIELD_POINTER;
	else
		field->shape = FIELD_NUMBER;
	return (field->shape != FIELD_DATA_LOC && field->shape != FIELD_REL_LOC) ||
	       field->size == 4;
}

/* "field:TYPE NAME; offset:N; size:N; signed:N;", the last part absent in kernels before 2.6.33 */
static int field_parse(struct record_field *field, struct text_span line, struct rl_msg *msg)
{
	struct text_span declaration, part;
	uint32_t is_signed = 0;
	bool array;

	line = span_trim(line);
	if (!span_prefix(&line, "field:") || !span_cut(&line, ';', &declaration) ||
	    !field_declaration(field, declaration, &array) || !span_cut(&line, ';', &part) ||
	    !span_prefix(&part, "offset:") || !span_number(part, &field->offset) ||
	    !span_cut(&line, ';', &part) || !span_prefix(&part, "size:") ||
	    !span_number(part, &field->size))
		return rl_fail(msg, EINVAL, "format: no field in '%.*s'", (int)line.len, line.text);
	if (span_cut(&line, ';', &part) && span_prefix(&part, "signed:"))
		span_number(part, &is_signed);
	field->is_signed = is_signed != 0;
	if (field->offset > UINT16_MAX || field->size > UINT16_MAX ||
	    field->offset + field->size > UINT16_MAX || !field_shape(field, array))
		return rl_fail(msg, EINVAL, "format: field %.*s at offset %u, size %u",
			       (int)field->name.len, field->name.text, field->offset, field->size);
	return 0;
}

static int format_line(struct record_format *format, struct text_span line, struct rl_msg *msg)
{
	struct text_span text = span_trim(line);
	uint32_t id;

	if (span_prefix(&text, "name:")) {
		format->name = text;
	} else if (span_prefix(&text, "ID:")) {
		if (!span_number(text, &id) || id > UINT16_MAX)
			return rl_fail(msg, EINVAL, "format: no number after ID:");
		format->id = (uint16_t)id;
	} else if (text.len > 6 && !memcmp(text.text, "field:", 6)) {
		if (format->nr_fields == RECORD_FIELDS)
			return rl_fail(msg, EINVAL, "format: more than %d fields", RECORD_FIELDS);
		return field_parse(&format->field[format->nr_fields++], text, msg);
	}
	return 0;
}

int record_format_parse(struct record_format *format, const char *text, size_t len,
			struct rl_msg *msg)
{
	struct text_span rest = { text, strnlen(text, len) }, line;
	int ret;

	format->name = (struct text_span){ "", 0 };
	format->print = format->name;
	format->nr_fields = 0;
	format->id = 0;
	while (rest.len) {
		struct text_span print = rest;

		if (span_prefix(&print, "print fmt:")) {
			format->print = print;
			break;
		}
		if (!span_cut(&rest, '\n', &line)) {
			line = rest;
			rest.len = 0;
		}
		ret = format_line(format, line, msg);
		if (ret)
			return ret;
	}
	if (!format->name.len || !format->nr_fields)
		return rl_fail(msg, EINVAL, "format: expected name, ID and fields");
	return 0;
}

const struct record_field *record_format_field(const struct record_format *format, const char *name,
					       size_t len)
{
	for (unsigned int i = 0; i < format->nr_fields; i++)
		if (format->field[i].name.len == len &&
		    !memcmp(format->field[i].name.text, name, len))
			return &format->field[i];
	return NULL;
}
