/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * condition.h - when a flight recorder keeps what it has
 *
 * Stalls and throttles are watched through a second, small instance that has only the events that
 * tell of them and is read twenty times a second; the pressure of memory comes from
 * /proc/pressure/memory. All memory is taken when it is opened.
 *
 * A stall is the time from the begin to the end of direct reclaim, of the page allocator or at the
 * limit of a memory cgroup. The CPUs are read one after the other, and a task may begin on one and
 * end on another: events wait for one round, so that those of all CPUs are looked at in the order
 * of time.
 */
#ifndef RECLAIMLAB_CONDITION_H
#define RECLAIMLAB_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/record/meta.h"

struct condition_options {
	uint64_t stall_ns; /* a stall of this length or more; 0: not watched */
	bool throttle;	   /* a reclaimer that was throttled for the full time allowed */
	unsigned int psi;  /* percent of a second in which all tasks stalled; 0: not watched */
	const char *clock; /* of the trace */
	unsigned int cpus;
	uint32_t page_size; /* of a ring buffer's page, bytes */
};

struct conditions;

/* -ENOENT: the kernel lacks what a condition needs; the line says what. */
int conditions_open(const struct condition_options *options, const struct trace_meta *meta,
		    struct conditions **out, struct rl_msg *msg);

/* Name of the instance, to keep its events apart; NULL: none is needed. */
const char *conditions_instance(const struct conditions *conditions);

/*
 * Look at what happened since the last call; to be called every CONDITION_PERIOD_NS. True when a
 * condition holds: @why says which.
 */
#define CONDITION_PERIOD_NS UINT64_C(50000000)
bool conditions_check(struct conditions *conditions, struct rl_msg *why);

void conditions_close(struct conditions *conditions);

#endif
