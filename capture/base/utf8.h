/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8.h - text of unknown origin, character by character
 *
 * Names in a trace are whatever bytes a program gave itself. What leaves the program is UTF-8.
 */
#ifndef RECLAIMLAB_UTF8_H
#define RECLAIMLAB_UTF8_H

#include <stdio.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define UTF8_SIZE	 5		/* bytes of a character and a NUL */

/* Bytes of the character that begins at @s (not NUL); 0 when it is no UTF-8. */
unsigned int utf8_length(const char *s);

/*
 * Take the character at *@s off and write it to @to, with a NUL: U+FFFD for a byte that is no
 * UTF-8, '?' for a control character. Returns how many bytes that are, 0 at the end of the text.
 */
unsigned int utf8_take(const char **s, char to[UTF8_SIZE]);

/* Characters of @text, as utf8_take() takes them off. */
unsigned int utf8_count(const char *text);

/* Print the first @most characters of @text, each as utf8_take() gives it. */
void utf8_print(FILE *out, const char *text, unsigned int most);

#endif
