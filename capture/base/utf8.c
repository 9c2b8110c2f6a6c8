/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "capture/base/utf8.h"

unsigned int utf8_length(const char *text)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
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

/* C0, DEL, and C1 (U+0080 to U+009f), which some terminals obey. */
static bool is_control(const char *s)
{
	const unsigned char *c = (const unsigned char *)s;

	return c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
}

unsigned int utf8_take(const char **s, char to[UTF8_SIZE])
{
	unsigned int n;

	if (!**s)
		return 0;
	n = utf8_length(*s);
	memset(to, 0, UTF8_SIZE);
	if (!n)
		strcpy(to, UTF8_REPLACEMENT);
	else if (is_control(*s))
		to[0] = '?';
	else
		memcpy(to, *s, n);
	*s += n ? n : 1;
	return (unsigned int)strlen(to);
}

unsigned int utf8_count(const char *text)
{
	char c[UTF8_SIZE];
	unsigned int n = 0;

	while (utf8_take(&text, c))
		n++;
	return n;
}

void utf8_print(FILE *out, const char *text, unsigned int most)
{
	char c[UTF8_SIZE];

	for (unsigned int i = 0; i < most && utf8_take(&text, c); i++)
		fputs(c, out);
}
