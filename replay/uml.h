/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uml.h - the kernel's own memory management as the engine of a replay
 *
 * A run is handed to kernel/lab/uml, which boots a User Mode Linux of the patched source; the
 * driver in it performs the demand with the kernel's functions. The machine of the job is set up
 * there as far as that kernel can be it: one processor, one zone with as many managed and free
 * pages, lists of the same length, the settings, disks with the same times, one price for a scanned
 * page. A policy becomes the switches of kernel/patches; one that has none is refused. What the
 * kernel did comes back as a trace, which goes through the same handlers as a recording's, and as
 * counters.
 */
#ifndef RECLAIMLAB_UML_H
#define RECLAIMLAB_UML_H

#include "capture/base/message.h"
#include "replay/run.h"

struct uml;

/*
 * Find the scripts of the lab (the folder that RECLAIMLAB_LAB names, or the installed one) and the
 * kernel (@kernel, or NULL: the one that "uml build" made), and write @demand for it with the
 * thinking times of @feed. The caller owns *@out. Returns 0, -ENOENT when one of them is
 * not there, or another negative errno.
 */
int uml_open(const struct demand *demand, const struct feed *feed, const char *kernel,
	     struct uml **out, struct rl_msg *msg);
void uml_close(struct uml *uml);

/* Can the patched kernel be switched to @policy ("" is always fine)? 0 or -EOPNOTSUPP. */
int uml_check_policy(const char *policy, struct rl_msg *msg);

/*
 * The same as the engine does for run_one(), on @machine: fills @result but for its times of day.
 * Safe on several threads.
 */
void uml_run(const struct uml *uml, const struct run_job *job, const struct machine *machine,
	     struct run_result *result);

#endif
