/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - names of tasks for a recording
 *
 * The kernel keeps the names of the last few tasks that made events (saved_cmdlines); /proc knows
 * all that are alive. A recording wants both: the first for tasks that are gone, the second for the
 * many that fell out of the kernel's short list.
 */
#ifndef RECLAIMLAB_NAMES_H
#define RECLAIMLAB_NAMES_H

#include "capture/base/message.h"
#include "capture/record/instance.h"
#include "capture/record/meta.h"

/* "pid comm\n" for every task known; the caller frees @text->data. */
int names_read(struct rec_instance *inst, struct meta_text *text, struct rl_msg *msg);

#endif
