/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * think.h - what a task did in the gap between two of its records
 *
 * The gap, less the stalls inside, is computing, sleep, and waiting. Where the scheduler's events
 * show every turn of the task the parts are known: computing is what it had a CPU for, and only its
 * uninterruptible sleep, less the device's mean answer behind a read, may be the machine's doing.
 *
 * No event of a plain recording says which is which. Then the rules are: behind a run of reads the
 * task copies (the low quartile of such gaps, a page; the reads of the pages carry that as their
 * thinking time) and then waits for the device, whose mean answer goes because a replay's device
 * decides it anew. Behind anything else a task computes, up to COMPUTE_MEDIANS times its median
 * gap. What is left and below SLEEP_NS may be the machine's doing as well (a CPU that the
 * hypervisor gave to others, a queue, another task's turn): it becomes a wait of unknown cause, of
 * which a replay keeps the share with which the work takes as long as it took. Longer gaps are
 * sleep. Kernel threads sleep.
 */
#ifndef REPLAY_WORKLOAD_THINK_H
#define REPLAY_WORKLOAD_THINK_H

#include "replay/workload/extract_private.h"

/* Where the walk over one task's records stands. */
struct walk {
	uint64_t end; /* of the record before, ns on the recording's clock */
	/* Of the task's stalls, naps and waits those that are behind. */
	uint32_t nr_stalls, nr_naps, nr_waits;
	uint32_t file, start, count;
	bool has_run, read_before, swap_before;
	uint32_t fault; /* open mmap fault: output record + 1 */
	bool started;
	uint64_t copy_ns;    /* a page */
	uint64_t compute_ns; /* longest gap that is all computing */
};

/* ns */
struct gap {
	uint64_t computed;
	uint64_t slept;	 /* by its own wish */
	uint64_t waited; /* for an unknown cause */
};

/*
 * Learn from the records in the order @order what each task takes to copy a page and how long it
 * computes at most. Uses end and count of @walks, which the caller sets anew. Returns 0 or -ENOMEM.
 */
int think_measure(const struct extract *x, const uint32_t *order, uint32_t nr, struct walk *walks);

/* Is every turn of @task on a CPU recorded, and has it records? */
bool think_known(const struct task *task);

/*
 * Split the gap before @rec of @task, moving @walk on. What a swap-in waited stays in it: the share
 * that is kept makes up for it, whichever page is away. Behind a read from which the task jumps
 * elsewhere (@jumps) it did more than copy the page.
 */
struct gap think_split(const struct extract *x, const struct task *task, struct walk *walk,
		       uint64_t at, bool jumps);

#endif
