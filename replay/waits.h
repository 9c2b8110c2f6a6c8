/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.h - how much of the waits of unknown cause is a task's own
 *
 * Between two requests of a task the recording often shows a gap that is neither computing nor a
 * known stall: the task may have slept of its own accord, or waited for what the model makes it
 * wait for as well (a CPU, another's turn, a device). Kept in full, the latter would count twice.
 * So that share of a task's gaps is kept with which it asks at the recorded pace, in the mean over
 * its requests. Tasks of many requests have a share of their own, the others one in common.
 *
 * Where the replay is too fast with all of them kept, devices were taken for too fast: what their
 * requests waited for a paused CPU to notice their end (calibration_delay()) was taken off for all,
 * but an idle CPU loses nothing to pauses. It is given back in parts until the pace is met. Where
 * it is too slow with none of them kept, pauses, which are seen of reclaimers, were fewer while
 * tasks thought (reclaim_pauses.think_ppm).
 */
#ifndef RECLAIMLAB_WAITS_H
#define RECLAIMLAB_WAITS_H

#include <stdint.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "replay/feed.h"
#include "replay/machine.h"
#include "replay/recording.h"

/*
 * Find the shares by some replays on @machine and make the feed with them, which the caller owns.
 * May raise the read latencies of @machine and lower its pauses.think_ppm. *@kept_ppm is the share
 * of all such waits that is kept. Returns 0, -EINTR when @progress said so, or another negative
 * errno.
 */
int waits_fit(const struct recording *recording, struct machine *machine,
	      const struct rl_progress *progress, struct feed **feed, uint32_t *kept_ppm,
	      struct rl_msg *msg);

#endif
