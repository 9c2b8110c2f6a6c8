/* SPDX-License-Identifier: GPL-2.0-or-later */
/* import_private.h - what the parts of import share (see import.h) */
#ifndef RECLAIMLAB_IMPORT_PRIVATE_H
#define RECLAIMLAB_IMPORT_PRIVATE_H

#include <stddef.h>

#include "capture/read/counter_marker.h"
#include "capture/base/spool.h"
#include "capture/read/source.h"
#include "sql/import.h"

enum import_type {
	IMPORT_TRACE,
	IMPORT_COUNTERS,
	IMPORT_UNAME, /* "Linux host 6.1.0 ...": the kernel of counters without a trace */
	IMPORT_OTHER,
};

struct import_input {
	char *path;
	const char *name; /* for people: the path, or "-" */
	enum import_type type;
	bool binary;	   /* a trace.dat */
	int64_t owner;	   /* index of the trace that counters belong to, -1: none yet */
	unsigned int rank; /* order of counter files: before, others, after */
};

struct import_list {
	struct import_input *input;
	size_t nr, room;
	unsigned int skipped;
	struct rl_spool spool; /* what came through standard input */
};

/*
 * What @paths hold, folders opened: import_list.c. @list is zeroed but for spool.fd, which is -1.
 * The caller frees, also after an error.
 */
int import_list_make(struct import_list *list, const char *const *paths, unsigned int count,
		     struct rl_msg *msg);
void import_list_free(struct import_list *list);
/* Release and machine of a file with the output of uname -a. */
int import_uname(const char *path, char *kernel, size_t kernel_size, char *machine,
		 size_t machine_size, struct rl_msg *msg);

/* Counters of one run: import_counters.c. */
struct import_counters;

int import_counters_open(struct store *store, int64_t run, struct import_counters **out,
			 struct rl_msg *msg);
int import_counters_file(struct import_counters *counters, const char *path, struct rl_msg *msg);
/* The states of memory that a kernel log holds. */
int import_counters_reports(struct import_counters *counters, const struct source *source,
			    struct rl_msg *msg);
/* A marker of the trace. Returns 1 when it held counters, 0 when it is an ordinary one. */
int import_counters_marker(struct import_counters *counters, const struct event *ev,
			   struct rl_msg *msg);
/*
 * Give the snapshots their place on the run's clock. @start and @end, ns, are those of the trace; a
 * run without events has @start > @end and gets its times from the snapshots.
 */
int import_counters_finish(struct import_counters *counters, uint64_t *start, uint64_t *end,
			   struct rl_msg *msg);
uint64_t import_counters_snapshots(const struct import_counters *counters);
void import_counters_close(struct import_counters *counters);

/* The list of recorded events: import_enabled.c. */
bool import_enabled_is(const struct counter_marker *marker);
int import_enabled_take(struct store *store, const struct counter_marker *marker,
			struct rl_msg *msg);
/* Mark in the coverage of @run what the list, which was seen, does not name. */
int import_enabled_finish(struct store *store, int64_t run, struct rl_msg *msg);

/* Whether events of @id are only counted. */
bool import_counts(enum vocab_id id, const struct import_options *options);

/* What a source says of itself: import_coverage.c. */
int import_coverage(struct store *store, int64_t run, const struct source *source,
		    const struct import_options *options, struct rl_msg *msg);
/* The recording knows @event but has none of it, and must have had some: it was not recorded. */
int import_coverage_off(struct store *store, int64_t run, const char *event, struct rl_msg *msg);
/* @complete: where a flight recorder's file has everything from, ns; 0: it is none. */
int import_losses(struct store *store, int64_t run, const struct source *source, uint64_t *complete,
		  struct rl_msg *msg);

#endif
