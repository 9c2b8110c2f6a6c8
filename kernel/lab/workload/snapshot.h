/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snapshot.h - the counters of one moment, tied to the trace by a marker
 *
 * Per-CPU counters are folded by reading /proc/sys/vm/stat_refresh, then the marker "SNAP name"
 * goes into the trace, then the counter files are copied to DIR/FILE.name, vmstat first. "SNAPEND
 * name" follows. Between the markers of two snapshots trace and counters tell the same story.
 */
#ifndef RECLAIMLAB_LAB_SNAPSHOT_H
#define RECLAIMLAB_LAB_SNAPSHOT_H

/* @tracing is the instance that gets the marker. Returns 0 or a negative errno. */
int snapshot_take(const char *tracing, const char *dir, const char *name);

#endif
