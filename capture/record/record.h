/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - live capture of reclaim on the running kernel
 *
 * A recording is made in a tracefs instance of its own: nothing of the top-level buffer is touched
 * and every exit path removes the instance. One thread a CPU moves ring-buffer pages from
 * trace_pipe_raw to the working file; the calling thread samples counters, watches the command and
 * the clock, and ends the recording.
 *
 * The recorder must not disturb what it records:
 *   - its memory is allocated and locked before the first event (pages are locked as they are
 *     touched, so an unused part of a stack costs nothing), thread stacks are 64 KiB;
 *   - trace pages go to disk with O_DIRECT, or, where a file system refuses that, are written back
 *     and dropped from the page cache at once;
 *   - what its threads used is reported (struct record_result); with the events of a preset their
 *     own are recorded, because the kernel's counters count them too, and the reader knows them by
 *     the task; of other events they are kept out (set_event_notrace_pid);
 *   - counters are read with pread() on files held open, by the calling thread itself.
 *
 * The working file is a trace.dat v6 from the first second on: its head is complete before the
 * first event and the size of each CPU's part is brought up to date every second, so that a killed
 * recorder leaves a file that can be read up to there. Each CPU has a sparse region of its own. At
 * the end the regions are copied into the final file (v7 with zstd, or v6), which replaces the
 * working file in one rename.
 *
 * Counters travel in the same file, as trace markers on the trace's own clock; counters.h of this
 * folder has their form.
 */
#ifndef RECLAIMLAB_RECORD_H
#define RECLAIMLAB_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "capture/record/cleanup.h"
#include "capture/record/preset.h"

#define RECORD_BUFFER_MAX 4194304u /* KiB a CPU */

struct record_options {
	const char *output;	    /* "trace.dat" by default */
	enum record_preset preset;  /* what to record; PRESET_NONE: only @events */
	const char *const *events;  /* "system:event" or "system", or patterns; may be NULL */
	const char *const *filters; /* one a member of @events or NULL; the kernel's syntax */
	const pid_t *pids;	    /* only events of these tasks, 0-terminated; NULL: all */
	char *const *command;	    /* run it and stop when it ends; NULL: until told to stop */
	uint64_t duration_ns;	    /* 0: no limit */
	uint64_t max_bytes;	    /* of trace data, all CPUs; 0: what the disk holds, less 5 % */
	const char *clock;	    /* NULL: mono */
	unsigned int buffer_kb;	    /* a CPU; 0: by preset and memory */
	unsigned int file_version;  /* 6 or 7 */
	unsigned int sample_ms;	    /* full counters; 0: none */
	unsigned int fast_ms;	    /* the few values that a replay lives on; 0: none; or: */
#define RECORD_FAST_BY_PRESET UINT_MAX /* 50 with PRESET_PAGES and above, 250 without */
	const char *const *cgroups;    /* memory.stat and memory.pressure of these directories */
	unsigned int sample_pages; /* keep 1 in this many pages of access events; a power of two */
	bool summary; /* histograms in the kernel instead of events; @preset is not used */
	int realtime; /* SCHED_FIFO priority of the readers, 0: none */

	/*
	 * Flight recorder: keep events in the ring buffers, which overwrite what is old, and write
	 * a file of them at the end (@output), when @dump_asked says so, and when a condition holds
	 * (numbered: trace.1.dat). Conditions are looked at again RECORD_HOLD_NS behind a file.
	 */
	bool ring;
	uint64_t when_stall_ns; /* a task stalled in direct reclaim for so long; 0: no condition */
	bool when_throttle;	/* a reclaimer was throttled for the full time */
	unsigned int when_psi;	/* percent of a second in which all tasks stalled; 0: none */
	unsigned int dumps;	/* end after so many numbered files; 0: no limit */
	bool (*dump_asked)(void *ctx); /* once for each file that is asked for; may be NULL */
	void *dump_ctx;
};

#define RECORD_HOLD_NS UINT64_C(5000000000)

/* What a recording cost and lost. */
struct record_result {
	uint64_t events;  /* read from the buffers */
	uint64_t overrun; /* lost in the ring buffers */
	uint64_t dropped;
	uint64_t left;	       /* still in the buffers at the end (0, or reading was cut short) */
	uint64_t bytes;	       /* trace data */
	uint64_t ring_bytes;   /* memory of the ring buffers, all CPUs */
	uint64_t locked_bytes; /* locked memory of the recorder at the end */
	uint64_t minor_faults; /* of the recorder while it recorded */
	uint64_t major_faults;
	uint64_t cpu_ns;    /* processor time of the recorder while it recorded */
	uint64_t buffer_kb; /* ring buffer of a CPU */
	uint64_t enough_kb; /* one that would have lost nothing; 0: nothing was lost */
	unsigned int dumps; /* numbered files */
	bool saved;	    /* there is a file, also where record_run() failed */
	bool direct;	    /* O_DIRECT was used */
	int command_status; /* as waitpid() gives it; 0 without a command */
};

/* Remove what killed recorders left in tracefs; see cleanup.h. */
int record_cleanup(struct rec_cleanup *done, struct rl_msg *msg);

/* Set the defaults above into @options. */
void record_options_init(struct record_options *options);

/*
 * Record until the command ends, the duration is over, the size is reached or @progress says stop
 * (which is an ordinary end). @warn is called with one line for each event that the kernel lacks
 * and what its absence costs, and for other things a user should know; it may be NULL. Returns 0,
 * or a negative errno with a line in @msg; then no output file is left, unless something had been
 * recorded before: then it is saved and the line says so.
 */
int record_run(const struct record_options *options, const struct rl_progress *progress,
	       void (*warn)(void *ctx, const char *line), void *ctx, struct record_result *result,
	       struct rl_msg *msg);

#endif
