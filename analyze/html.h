/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.h - a page for a browser, in one file
 *
 * A page holds its text (a report or a comparison, as the other forms print it), the data of its
 * plots, and what every view and column means. Everything is inside the file: a policy in its head
 * forbids the browser to load anything, and to run any script but the one whose hash it names. So
 * a name in a trace stays a name, whatever it is made of.
 *
 * The page is put together run by run; several runs are drawn over each other, on seconds from the
 * start of each.
 *
 *	page = html_new();
 *	html_add(page, NULL, lens, &msg);
 *	report_print(lens, &options, html_body(page), &msg);	(options.form = REPORT_HTML)
 *	html_print(page, out, &msg);
 */
#ifndef RECLAIMLAB_HTML_H
#define RECLAIMLAB_HTML_H

#include <stdio.h>

#include "analyze/lens.h"

struct html;

/* NULL when memory is short. */
struct html *html_new(void);

/* NULL is fine. */
void html_free(struct html *html);

/* Read the data of the plots of a run, called @name; NULL: what its input is called. */
int html_add(struct html *html, const char *name, const struct lens *lens, struct rl_msg *msg);

/* Where the text of the page goes, as HTML. */
FILE *html_body(struct html *html);

/* Write the page. Returns 0 or -ENOMEM. Write errors are left to @out. */
int html_print(struct html *html, FILE *out, struct rl_msg *msg);

#endif
