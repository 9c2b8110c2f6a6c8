/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - runs side by side
 *
 * A comparison has columns. A column is one run, or an ensemble: several runs made alike, shown by
 * their median and range. The first column is what the others are compared with. Rows are the
 * figures of the view figures, by key, so that recordings, replays and counter files meet; a row is
 * there when one of the columns has it. Below come stalls, throttles and losses, each read from the
 * views that a report reads.
 *
 * Two ensembles separate in a row when their ranges do not overlap; for single runs, of which one
 * proves little, nothing is said.
 */
#ifndef RECLAIMLAB_COMPARE_H
#define RECLAIMLAB_COMPARE_H

#include <stdio.h>

#include "analyze/lens.h"

enum compare_form { COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_JSON, COMPARE_CSV, COMPARE_HTML };

struct compare;

/* NULL when memory is short. */
struct compare *compare_new(void);

/* NULL is fine. */
void compare_free(struct compare *compare);

/* Begin the next column; @name is copied, NULL takes the name of its first run. */
int compare_column(struct compare *compare, const char *name, struct rl_msg *msg);

/*
 * Add the run that @lens looks at to the last column. Where it recorded stalls or throttling at
 * all, it has 0 in the rows of those that only other columns have.
 */
int compare_add(struct compare *compare, const struct lens *lens, struct rl_msg *msg);

/* Print to @out. Returns 0 or -ENOMEM. */
int compare_print(struct compare *compare, enum compare_form form, FILE *out, struct rl_msg *msg);

#endif
