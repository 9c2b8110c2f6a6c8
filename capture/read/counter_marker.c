/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/counter_marker.h"

#include <string.h>

static bool take_number(const char **p, const char *end, uint64_t *number)
{
	const char *s = *p;
	uint64_t n = 0;

	while (s < end && *s >= '0' && *s <= '9') {
		if (n > (UINT64_MAX - 9) / 10)
			return false;
		n = n * 10 + (*s++ - '0');
	}
	if (s == *p || s == end || *s != ' ')
		return false;
	*number = n;
	*p = s + 1;
	return true;
}

static bool take_until(const char **p, const char *end, char stop, const char **text, size_t *len)
{
	const char *found = memchr(*p, stop, end - *p);

	if (!found || found == *p)
		return false;
	*text = *p;
	*len = found - *p;
	*p = found + 1;
	return true;
}

bool counter_marker_parse(const char *text, size_t len, struct counter_marker *marker)
{
	const char *end = text + len;
	const char *p = text;

	if (len < strlen(COUNTER_MARKER_MAGIC) ||
	    memcmp(p, COUNTER_MARKER_MAGIC, strlen(COUNTER_MARKER_MAGIC)))
		return false;
	p += strlen(COUNTER_MARKER_MAGIC);
	if (!take_number(&p, end, &marker->number) ||
	    !take_until(&p, end, ' ', &marker->file, &marker->file_len) ||
	    !take_until(&p, end, '|', &marker->scope, &marker->scope_len))
		return false;
	while (end > p && (end[-1] == '\n' || end[-1] == ';'))
		end--;
	marker->lines = p;
	marker->lines_len = end - p;
	return true;
}
