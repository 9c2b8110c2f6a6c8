/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the summary of a run, for a mail, a web page or a program
 *
 * A report is a head (what the run is, what was lost), the figures in mmtests' rows, findings, and
 * sections. What sections there are is data (sections.c): a title, a query on views, and how each
 * column reads. The forms go through the same queries, so they show the same figures; JSON
 * has every row and the bare numbers, the others the weightiest rows.
 */
#ifndef RECLAIMLAB_REPORT_H
#define RECLAIMLAB_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analyze/lens.h"

enum report_form {
	REPORT_TEXT,
	REPORT_MARKDOWN,
	REPORT_JSON,
	REPORT_HTML, /* the body of a page, see html.h */
};

struct report_options {
	enum report_form form;
	bool pictures;	    /* sparklines of the run over time, text only */
	unsigned int width; /* characters a line of text; 0: 80 */
};

/* Print to @out. Returns 0 or the error of a query. Write errors are left to @out. */
int report_print(const struct lens *lens, const struct report_options *options, FILE *out,
		 struct rl_msg *msg);

/* Only the head: what the run is, its window, what was lost. */
int report_print_head(const struct lens *lens, const struct report_options *options, FILE *out,
		      struct rl_msg *msg);

#endif
