/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - everything that a replay takes from a recording
 *
 * Reads a trace and the counter files beside it and makes of them the demand, the answer key (what
 * the recorded kernel did), the calibration and the counters at both ends of the window. The window
 * goes from the trace marker "SNAP before" to "SNAP after" where both are there (the counters were
 * read then), else over the whole trace.
 */
#ifndef RECLAIMLAB_RECORDING_H
#define RECLAIMLAB_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "replay/calibrate.h"
#include "replay/counter_set.h"
#include "replay/response.h"
#include "replay/workload/demand.h"
#include "replay/workload/extract.h"
#include "replay/workload/layout.h"

/* One recorded decision with its inputs, to be asked of the engine's predicates. */
struct recorded_decision {
	uint64_t ts; /* in their order */
	uint16_t id; /* VOCAB_reclaim_retry_zone, VOCAB_compact_retry, VOCAB_mm_compaction_suitable
		      */
	int64_t value[10]; /* the event's slots */
	/* VOCAB_mm_compaction_suitable: free pages of its zone, and how far they may be off; @free
	 * -1: not known. */
	int64_t free, slack;
};

struct machine;

struct recording {
	char *path;
	int64_t run; /* of the database that it was opened by; 0: none */
	char kernel[128];
	unsigned int page_size, cpus;
	uint64_t start, end; /* window, ns on the trace's clock */
	bool marked;	     /* the window comes from markers */
	bool sampled;	     /* or from the complete samples of a flight recorder */
	bool begin_unknown;  /* @before is how the machine was at the end */
	uint64_t lost;	     /* events lost; UINT64_MAX: some, not known how many */
	struct counter_set *before, *after, *settings;
	struct demand *demand;
	struct machine *machine; /* of a demand file that tells it; else NULL */
	bool is_demand;		 /* a demand file: no events, no counts of the extraction */
	bool answered;		 /* @response is known */
	struct extract_counts counts;
	/* Node 0's kswapd had a request of before the start (reclaim_machine). */
	bool kswapd_asked;
	uint32_t kswapd_order;
	struct layout *layout; /* NULL for a demand file */
	struct response response;
	struct calibration calibration;
	struct recorded_decision *decisions;
	size_t nr_decisions, room_decisions;
};

/*
 * Read @paths: one trace or demand file, counter files, or folders that hold them. A trace given as
 * a file alone takes the counter files of its folder (names ending in ".before", ".after" and
 * "knobs" and "queues"); a demand file has its machine in it, or takes it from the counter files
 * given with it. Returns 0 and *@out, or a negative errno with a line in @msg.
 */
int recording_open(const char *const *paths, unsigned int nr_paths,
		   const struct rl_progress *progress, struct recording **out, struct rl_msg *msg);

/*
 * Read what run @run of @database was imported from (0: its first recorded run), with the counters
 * that the database holds, or those beside the trace. Errors also as origin_read() has them.
 */
int recording_open_run(const char *database, int64_t run, const struct rl_progress *progress,
		       struct recording **out, struct rl_msg *msg);

/* Does nothing tell of the machine: a demand file without one, and no /proc/zoneinfo given? */
bool recording_lacks_machine(const struct recording *recording);

/* NULL is fine. */
void recording_free(struct recording *recording);

/* What the vmstat counter @name grew by in the window; false where one end does not have it. */
bool recording_delta(const struct recording *recording, const char *name, int64_t *delta);

/* The same for any counter. */
bool recording_counter_delta(const struct recording *recording, const char *source,
			     const char *scope, const char *name, int64_t *delta);

/*
 * Block devices by their names in diskstats; NULL where none fits: the one that files were read
 * from (with the most reads in the window), the one that files were written to (that wrote what the
 * kernel wrote back; else that of reads), the one whose reads and writes are those of swap.
 */
const char *recording_file_device(const struct recording *recording);
const char *recording_written_device(const struct recording *recording);
const char *recording_swap_device(const struct recording *recording);

#endif
