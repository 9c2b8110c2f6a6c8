/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * markup.h - text inside HTML
 */
#ifndef RECLAIMLAB_MARKUP_H
#define RECLAIMLAB_MARKUP_H

#include <stdio.h>

/*
 * Write @text so that it shows as it is, between tags and inside a quoted attribute. Control
 * characters become '?', bytes that are no UTF-8 U+FFFD.
 */
void markup_text(FILE *out, const char *text);

/* A link to the definition of @view, see html_glossary(); @text NULL is its name. */
void markup_definition(FILE *out, const char *view, const char *text);

#endif
