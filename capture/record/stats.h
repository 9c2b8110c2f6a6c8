/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - what the kernel says of the ring buffer of each CPU (per_cpu/cpuN/stats)
 *
 * The texts go into the trace.dat as they are, one a CPU, behind the line "CPU: N". A flight
 * recorder overwrites what is old on purpose: in its files that number stands on a line
 * "overwritten: N" of our own, and "overrun: 0", because nothing is missing between what is kept.
 */
#ifndef RECLAIMLAB_STATS_H
#define RECLAIMLAB_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/record/instance.h"

#define REC_STATS_SIZE 640 /* bytes of one CPU's text, with its NUL */

struct rec_stats {
	unsigned int cpus;
	char (*text)[REC_STATS_SIZE]; /* one a CPU */
};

/* Sums over the CPUs. */
struct rec_totals {
	uint64_t left; /* in the buffers */
	uint64_t read;
	uint64_t overrun;
	uint64_t dropped;
	uint64_t overwritten;
};

int rec_stats_open(struct rec_stats *stats, unsigned int cpus, struct rl_msg *msg);
void rec_stats_close(struct rec_stats *stats);

/* Read them anew; @ring: those of a flight recorder before its buffers are read. */
void rec_stats_read(struct rec_stats *stats, struct rec_instance *inst, bool ring);

void rec_stats_totals(const struct rec_stats *stats, struct rec_totals *totals);

/* The number behind "KEY: " of one CPU, 0 where there is none. */
uint64_t rec_stats_value(const struct rec_stats *stats, unsigned int cpu, const char *key);

/*
 * Length of the stretch of which a flight recorder has every event, ns: from the oldest event of
 * the CPU that overwrote last to now. False where the clock is not one of ns.
 */
bool rec_stats_complete(const struct rec_stats *stats, uint64_t *ns);

#endif
