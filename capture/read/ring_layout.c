/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/ring.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FIELDS_TEXT_MAX 4096

/* The number behind @key on the line at @line, which ends at the next newline. */
static bool line_number(const char *line, const char *key, uint32_t *v)
{
	const char *end = strchrnul(line, '\n');
	const char *at = strstr(line, key);
	unsigned long number;
	char *stop;

	if (!at || at >= end)
		return false;
	at += strlen(key);
	if (!isdigit((unsigned char)*at))
		return false;
	number = strtoul(at, &stop, 10);
	*v = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
	return *stop == ';';
}

bool ring_find_field(const char *text, size_t text_size, const char *name, uint32_t *offset,
		     uint32_t *size)
{
	char copy[FIELDS_TEXT_MAX];
	char key[64];
	const char *at;

	if (text_size > sizeof(copy) - 1)
		text_size = sizeof(copy) - 1;
	if (!text_size)
		return false;
	memcpy(copy, text, text_size);
	copy[text_size] = '\0';
	snprintf(key, sizeof(key), " %s;", name);
	at = strstr(copy, key);
	return at && line_number(at, "offset:", offset) && line_number(at, "size:", size);
}

struct field {
	uint32_t offset, size;
};

static bool layout_is_known(const struct field *stamp, const struct field *commit,
			    const struct field *data)
{
	uint64_t page = (uint64_t)data->offset + data->size;

	return stamp->offset == 0 && stamp->size == 8 && (commit->size == 4 || commit->size == 8) &&
	       commit->offset >= 8 && data->offset >= (uint64_t)commit->offset + commit->size &&
	       data->offset <= RING_PAGE_MIN / 2 && page >= RING_PAGE_MIN && page <= RING_PAGE_MAX;
}

int ring_layout_parse(struct ring_layout *layout, const char *header_page, size_t size,
		      bool big_endian, struct rl_msg *msg)
{
	struct field stamp, commit, data;

	if (!ring_find_field(header_page, size, "timestamp", &stamp.offset, &stamp.size) ||
	    !ring_find_field(header_page, size, "commit", &commit.offset, &commit.size) ||
	    !ring_find_field(header_page, size, "data", &data.offset, &data.size))
		return rl_fail(msg, EBADMSG,
			       "header_page names no timestamp, commit and data fields");
	if (!layout_is_known(&stamp, &commit, &data))
		return rl_fail(
			msg, EPROTONOSUPPORT,
			"header_page has an unknown layout (timestamp at %u size %u, commit at %u "
			"size %u, data at %u size %u)",
			stamp.offset, stamp.size, commit.offset, commit.size, data.offset,
			data.size);
	layout->page_size = data.offset + data.size;
	layout->commit_at = commit.offset;
	layout->commit_size = commit.size;
	layout->data_at = data.offset;
	layout->big_endian = big_endian;
	return 0;
}
