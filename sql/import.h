/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import.h - files become runs of a store
 *
 * A trace becomes a run of kind "recorded" with its events (see ingest.h), coverage, losses and
 * damage. Counter files join it: a snapshot called X (vmstat.before: "before") is placed at the
 * trace marker "SNAP X" or "X", a series by its own stamps where they lie on the run's clock; a
 * snapshot without such a place has no time. Counter files without a trace are a run of kind
 * "counters".
 */
#ifndef RECLAIMLAB_IMPORT_H
#define RECLAIMLAB_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "sql/store.h"

struct import_options {
	/*
	 * Page-rate events and the rows of single write-back works are only counted (several times
	 * faster), but for allocations of at least huge_order, which are kept: what the summary of
	 * a trace needs.
	 */
	bool count_pages;
	unsigned int huge_order;
	const struct rl_progress *progress; /* or NULL */
};

struct import_result {
	int64_t run;	      /* the last run that was written */
	unsigned int runs;    /* runs that were written */
	uint64_t events;      /* events read, counted ones too */
	uint64_t snapshots;   /* counter snapshots read */
	unsigned int skipped; /* files of folders that are no input */
	unsigned int damages; /* places that could not be read; the table loss has them all */
	struct rl_msg damage; /* the first of them */
};

/*
 * Read @count files or folders into @store, which the caller commits. Every trace is a run of its
 * own; counter files belong to the last trace named before them, or to the first one when none was.
 * A folder is taken as a whole: its trace and its counter files. Files in folders that are no input
 * are passed over and counted, a file named by itself must be one. Returns 0 or a negative errno,
 * -EINTR when @options->progress said so, -EBADMSG for a trace.dat of
 * which damage left no event.
 */
int import_files(struct store *store, const char *const *paths, unsigned int count,
		 const struct import_options *options, struct import_result *result,
		 struct rl_msg *msg);

#endif
