/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.h - the state of memory in a kernel log
 *
 * What SysRq-m, the OOM killer, and the warnings of a failed or stalled allocation print behind
 * "Mem-Info:" comes out as the counters that /proc/zoneinfo, /proc/buddyinfo and /proc/vmstat would
 * have shown: the same names, in pages. The log may be quoted, prefixed, wrapped in the middle of a
 * zone, or mixed with a trace. One report is one snapshot, called "report 1" and so on.
 *
 * The kernel prints zones in kB; how large a page is tells the first column of its free blocks,
 * else 4 KiB are taken.
 */
#ifndef RECLAIMLAB_DUMP_H
#define RECLAIMLAB_DUMP_H

#include "capture/read/counters.h"

/*
 * Read the reports in @path, "-" not allowed. Returns how many there were, or a negative errno of
 * the input or of the visitor.
 */
int dump_read(const char *path, const struct counters_visitor *visitor, struct rl_msg *msg);

#endif
