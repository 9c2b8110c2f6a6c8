/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h - how the machine is set up, as far as it decides how memory is reclaimed
 *
 * Settings of /proc/sys/vm, and of the request queue of each disk: whether it rotates, whether and
 * how writers are held back, its write cache, the depth of its queues and their scheduler. Read
 * once, at the start; counters.h has the form of both texts.
 */
#ifndef RECLAIMLAB_SETTINGS_H
#define RECLAIMLAB_SETTINGS_H

#include "capture/base/message.h"
#include "capture/record/meta.h"

struct rec_settings {
	struct meta_text sysctl; /* "swappiness 60" */
	struct meta_text queue;	 /* "vda write_cache write back" */
};

/*
 * @root stands before /proc and /sys: "" for this machine. What the kernel lacks or does not tell
 * is left out. Returns 0 or -ENOMEM.
 */
int rec_settings_read(const char *root, struct rec_settings *settings, struct rl_msg *msg);

void rec_settings_free(struct rec_settings *settings);

#endif
