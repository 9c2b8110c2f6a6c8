/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_private.h - the parts of a report
 *
 *	report.c	the whole, and the sections
 *	report_head.c	what the run is and what was lost
 *	report_figures.c the rows of mmtests
 *	report_findings.c what they mean
 *	report_pictures.c the run over time
 */
#ifndef RECLAIMLAB_REPORT_PRIVATE_H
#define RECLAIMLAB_REPORT_PRIVATE_H

#include <stdint.h>

#include "analyze/json.h"
#include "analyze/report.h"
#include "analyze/section.h"

struct table;

struct report {
	sqlite3 *db;
	int64_t run;
	struct report_options options;
	FILE *out;
	struct json json;
};

int report_head(struct report *report, struct rl_msg *msg);
int report_figures(struct report *report, struct rl_msg *msg);
int report_findings(struct report *report, struct rl_msg *msg);
int report_pictures(struct report *report, struct rl_msg *msg);

/* Print in the form for people that the report has. */
void report_table(const struct report *report, const struct table *table);

#endif
