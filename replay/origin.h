/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * origin.h - where a run of a database was recorded
 *
 * A database keeps what the kernel did, in tables made for questions; a replay needs the events in
 * full. So the replay of a run goes back to the trace that the run was imported from, whose path
 * the database remembers, and takes the counters from the database.
 */
#ifndef RECLAIMLAB_ORIGIN_H
#define RECLAIMLAB_ORIGIN_H

#include <stdint.h>

#include "capture/base/message.h"
#include "replay/counter_set.h"

#define ORIGIN_PATH_SIZE 4096

struct origin {
	int64_t run;
	char trace[ORIGIN_PATH_SIZE]; /* exists */
	char kernel[128];	      /* "" unknown */
};

/*
 * Read of run @run of @database (0: the first recorded one) where it came from, and put its
 * counters into @before, @after (snapshots of these labels) and @settings. A relative path is
 * looked for from here, then beside the database. Errors: -ENOENT (no such run, or the trace is
 * gone), -EINVAL (the run is no recording), those of store_open().
 */
int origin_read(const char *database, int64_t run, struct origin *origin,
		struct counter_set *before, struct counter_set *after, struct counter_set *settings,
		struct rl_msg *msg);

#endif
