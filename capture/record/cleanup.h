/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cleanup.h - what killed recorders left in tracefs
 *
 * A recorder that is killed with SIGKILL leaves its instance with events enabled, its dynamic
 * probes and its synthetic events. An instance of ours whose lock nobody holds is such a leftover.
 * Probes and synthetic events bear the project's name; they are shared between recordings, and the
 * kernel refuses to remove one that is in use.
 */
#ifndef RECLAIMLAB_CLEANUP_H
#define RECLAIMLAB_CLEANUP_H

#include "capture/base/message.h"

struct rec_cleanup {
	unsigned int instances; /* removed */
	unsigned int probes;	/* removed */
	unsigned int synthetic; /* removed */
	unsigned int live;	/* instances of recordings that run */
	unsigned int stuck; /* stale instances that cannot be removed: somebody uses their files */
};

/*
 * Remove what is stale. The caller holds rec_tracing_lock(). Returns 0, or a negative errno where
 * there is no tracefs to clean.
 */
int rec_cleanup(struct rec_cleanup *done, struct rl_msg *msg);

#endif
