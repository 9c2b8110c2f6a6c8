/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/markup.h"
#include "capture/base/utf8.h"

void markup_text(FILE *out, const char *text)
{
	char one[UTF8_SIZE];

	while (*text) {
		if (*text == '\n' || *text == '\t') {
			fputc(*text++, out);
			continue;
		}
		utf8_take(&text, one);
		switch (*one) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputs(one, out);
		}
	}
}

void markup_definition(FILE *out, const char *view, const char *text)
{
	fputs("<a class=\"definition\" href=\"#view-", out);
	markup_text(out, view);
	fputs("\">", out);
	markup_text(out, text ? text : view);
	fputs("</a>", out);
}
