/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - the time of this process, for waits and progress; never the clock of a recording */
#ifndef RECLAIMLAB_CLOCK_H
#define RECLAIMLAB_CLOCK_H

#include <stdint.h>
#include <time.h>

#define RL_NS_PER_S UINT64_C(1000000000)

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t rl_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * RL_NS_PER_S + (uint64_t)ts.tv_nsec;
}

#endif
