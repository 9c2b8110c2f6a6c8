/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - how long work reports that it is alive, and how it is told to stop
 *
 * Long loops call rl_progress_step() every few thousand items. What is done with the figures (a
 * line on a terminal, nothing) is the caller's affair: cli/ installs a callback. The callback's
 * return value is the way to interrupt: non-zero makes rl_progress_step() return -EINTR, which the
 * loop returns like any other error after its ordinary cleanup.
 */
#ifndef RECLAIMLAB_PROGRESS_H
#define RECLAIMLAB_PROGRESS_H

#include <errno.h>
#include <stdint.h>

struct rl_progress {
	/* @done of @total (0: unknown) in the unit of the work named @what, such as "bytes". */
	int (*report)(void *ctx, const char *what, uint64_t done, uint64_t total);
	void *ctx;
};

/* Returns 0 to go on, -EINTR to stop. @p may be NULL: no one is watching. */
static inline int rl_progress_step(const struct rl_progress *p, const char *what, uint64_t done,
				   uint64_t total)
{
	if (!p || !p->report)
		return 0;
	return p->report(p->ctx, what, done, total) ? -EINTR : 0;
}

#endif
