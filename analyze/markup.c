/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyze/markup.h"

void markup_text(FILE *out, const char *text)
{
	for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
		switch (*s) {
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
			fputc((*s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7f ? '?' : *s, out);
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
