/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_window.h - which part of a trace is the recording, and the counters in it
 *
 * A window lies between the markers "SNAP before" and "SNAP after", or, in what a flight recorder
 * kept, between its first complete sample of counters and its last; else it is all of the trace.
 */
#ifndef REPLAY_RECORDING_WINDOW_H
#define REPLAY_RECORDING_WINDOW_H

#include "replay/recording.h"

/*
 * Find the window of @rec by the markers of @trace, of which nothing else is decoded, and take the
 * counters that are in it into @rec, except of sources that it has already. Without any mark the
 * window is without bounds. Returns 0 or a negative errno with a line in @msg.
 */
int recording_window(struct recording *rec, const char *trace, const struct rl_progress *progress,
		     struct rl_msg *msg);

/* A window without bounds becomes what @trace covers. Returns as above. */
int recording_covered(struct recording *rec, const char *trace, const struct rl_progress *progress,
		      struct rl_msg *msg);

#endif
