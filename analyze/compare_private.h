/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare_private.h - a comparison, between its two files
 *
 *	compare.c	collects the values
 *	compare_print.c	prints them
 */
#ifndef RECLAIMLAB_COMPARE_PRIVATE_H
#define RECLAIMLAB_COMPARE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/compare.h"

#define COMPARE_COLUMNS 16
#define COMPARE_ALWAYS	50 /* figures before this position are shown also where all are 0 */

/* The values of one row in one column, a run each, in rising order. */
struct compare_cell {
	double *value;
	size_t count;
	bool no_scan;  /* some run has the row, but nothing was scanned */
	bool at_least; /* events were lost in some run */
};

/* Facts of which a run that recorded them has none where it has no row of them. */
enum compare_facts { COMPARE_NOTHING, COMPARE_STALLS, COMPARE_THROTTLES, COMPARE_FACTS };

struct compare_row {
	unsigned int block; /* 0 figures, 1 stalls, 2 throttles, 3 delays, 4 losses */
	int64_t position;
	char *key;
	char *name;
	char *view;		  /* where the row is defined */
	enum compare_facts facts; /* a run that recorded these facts and has no such row has 0 */
	int digits;
	struct compare_cell cell[COMPARE_COLUMNS];
};

struct compare_column {
	char *name;
	unsigned int runs;
	unsigned int recorded[COMPARE_FACTS]; /* how many of them recorded these facts */
};

struct compare {
	struct compare_column column[COMPARE_COLUMNS];
	size_t nr_columns;
	struct compare_row *row; /* by block, position and key */
	size_t nr_rows;
};

enum compare_verdict { COMPARE_SINGLE, COMPARE_SEPARATE, COMPARE_OVERLAP };

/* The name of a column: of a path as many of its last parts as tell it from the others. */
const char *compare_name(const struct compare *compare, size_t column);

/* False where people need not see a row: a figure at the back that is 0 or absent everywhere. */
bool compare_row_matters(const struct compare *compare, const struct compare_row *row);

/* Set the rows to 0 that a run has not although it recorded their facts. */
int compare_complete(struct compare *compare, struct rl_msg *msg);

/* The median of a cell with values. */
double compare_median(const struct compare_cell *cell);

/* By how much the medians differ, in per cent of @base; false where that is not defined. */
bool compare_change(const struct compare_cell *base, const struct compare_cell *cell,
		    double *percent);

/* Whether the ranges overlap; COMPARE_SINGLE where one of them is a single run. */
enum compare_verdict compare_verdict(const struct compare_cell *base,
				     const struct compare_cell *cell);

#endif
