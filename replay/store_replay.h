/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * store_replay.h - a replay becomes a run like any other
 *
 * The first member of a variant's ensemble (the machine's memory as it is) runs once more, its
 * events go through the same ingest as a recording's, and the engine's counters become two
 * snapshots of vmstat, before and after. A replay of the recorded policy carries its grade.
 */
#ifndef RECLAIMLAB_STORE_REPLAY_H
#define RECLAIMLAB_STORE_REPLAY_H

#include "capture/base/message.h"
#include "replay/replay.h"
#include "sql/store.h"

/*
 * Add variant @variant as a run of kind "replayed" with the recording @parent (a run, or
 * STORE_NULL). *@run is its number. The caller commits. Returns 0, -EINTR when @progress said
 * so, or another negative errno.
 */
int store_replay(struct store *store, const struct replay *replay, unsigned int variant,
		 int64_t parent, const struct rl_progress *progress, int64_t *run,
		 struct rl_msg *msg);

#endif
