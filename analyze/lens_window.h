/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lens_window.h - which run, and which stretch, tasks and node of it
 */
#ifndef RECLAIMLAB_LENS_WINDOW_H
#define RECLAIMLAB_LENS_WINDOW_H

#include "analyze/lens.h"

/*
 * Choose the run that @wanted names, or with 0 the only run, or the only recorded one. -EINVAL with
 * the list of runs when that is not clear. @path is for the line.
 */
int window_choose_run(sqlite3 *db, const char *path, int64_t wanted, int64_t *run,
		      struct rl_msg *msg);

/* Fill the table focus that views see for @run, and it alone. Errors as of lens_open(). */
int window_set(sqlite3 *db, int64_t run, const struct lens_options *options, struct rl_msg *msg);

#endif
