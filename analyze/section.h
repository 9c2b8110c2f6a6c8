/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * section.h - the tables of a report, as data
 */
#ifndef RECLAIMLAB_SECTION_H
#define RECLAIMLAB_SECTION_H

#include "analyze/format.h"

#define SECTION_COLUMNS 14

struct section_column {
	const char *header; /* NULL: for machines only */
	enum format_kind kind;
};

struct section {
	const char *key;   /* name in JSON */
	const char *title; /* for people */
	const char *view;  /* where every row is */
	const char *sql;   /* ?1 is the run, ?2 how many rows at most (-1: all) */
	struct section_column column[SECTION_COLUMNS]; /* one a column of the query */
};

/* In the order of the report; ends with a key of NULL. */
extern const struct section report_sections[];

#endif
