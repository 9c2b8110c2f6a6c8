/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lens.h - one run, looked at through a window
 *
 * A lens is opened on what a user names: a database of runs, or recordings and counter files, which
 * are read into a scratch store of which nothing is left. It picks one run and narrows the view of
 * it to a stretch of time, to tasks, to a node. Nothing of this touches a user's database: the
 * table focus and the views that look through it are temporary ones of the connection.
 *
 * The views that others rest on are computed once and kept as temporary tables of the same names
 * (analyze/kept.def), so that a summary goes through the scan batches a single time.
 *
 * Reports, comparisons and pictures take a lens and read views. They compute no figure themselves.
 */
#ifndef RECLAIMLAB_LENS_H
#define RECLAIMLAB_LENS_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"

#define LENS_FIRST (-1) /* a run: the first of the database */

struct lens;

/* What to look at. All zero but @node = -1: the whole of the only run. Texts may be NULL. */
struct lens_options {
	int64_t run;	     /* 0: the only one, or the only recorded one; LENS_FIRST */
	const char *from;    /* "12.5" seconds on the run's clock, "+3s" behind its first event */
	const char *to;	     /* the same; the window ends before it; both cut to the run's span */
	const char *markers; /* "A,B": from the marker A to the first B behind it */
	const char *task;    /* thread id, or a name: every thread of that name */
	int64_t node;	     /* -1: all */
	int64_t elapsed;     /* ns between counter files that do not say it; 0: unknown */
	const struct rl_progress *progress; /* or NULL */
};

/* -EINVAL with a line when a time or the markers are not written as they must be. */
int lens_options_check(const struct lens_options *options, struct rl_msg *msg);

/*
 * Open a lens on @count files or folders: one database, or inputs as import takes them. Errors:
 * those of store_open() and import_files(); -EINVAL with a line when the run, a marker, a task or a
 * time is not there.
 */
int lens_open(const char *const *paths, unsigned int count, const struct lens_options *options,
	      struct lens **out, struct rl_msg *msg);

/* Look at another run of a database; a lens on recordings refuses with -EINVAL. */
int lens_look(struct lens *lens, int64_t run, const struct lens_options *options,
	      struct rl_msg *msg);

/* NULL is fine. */
void lens_close(struct lens *lens);

/* The connection; owned by the lens. */
sqlite3 *lens_db(const struct lens *lens);

/* The run that is looked at. */
int64_t lens_run(const struct lens *lens);

/* True when @path begins as an SQLite database does. */
bool lens_is_database(const char *path);

#endif
