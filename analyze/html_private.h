/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_private.h - the parts of a page
 *
 *	html.c		the whole
 *	html_charts.c	the data of the plots
 *	html_glossary.c	what views and columns mean
 *	html/		style and script, and the library that draws (third_party)
 */
#ifndef RECLAIMLAB_HTML_PRIVATE_H
#define RECLAIMLAB_HTML_PRIVATE_H

#include "analyze/html.h"
#include "analyze/json.h"

/* The run of @lens as an element of an array: its name, its length, and a set a plot. */
int html_charts(struct json *json, const char *name, const struct lens *lens, struct rl_msg *msg);

/* Every view with its columns, each reached by the link of markup_definition(). */
int html_glossary(FILE *out, struct rl_msg *msg);

/* Made by html/embed.cmake. */
extern const char html_style[];
extern const char html_script[];
extern const char html_script_hash[]; /* sha256-..., as a content security policy spells it */

#endif
