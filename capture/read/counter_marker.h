/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counter_marker.h - counters inside a trace
 *
 * A recorder writes samples of counter files as trace markers (print events), so that they are on
 *the trace's clock and in its file, and every reader of the file keeps them. The text of one marker
 *is
 *
 *	RL1 <number> <file> <scope>|<line>;<line>;...
 *
 * number	decimal; markers of one sampling moment share it
 * file		vmstat, zoneinfo, meminfo, buddyinfo, pagetypeinfo, diskstats, pressure (/proc) or
 *		memory.stat, memory.events, memory.pressure, memory.current (cgroup); at the start
 *		sysctl and queue, settings: see counters.h
 * scope	which one: memory, io, cpu for pressure; the cgroup's directory; else -
 * line		a line of the file as the kernel prints it, without leading blanks. Only lines that
 *		changed since the sample before are there; a line that belongs under a heading
 *		("Node 0, zone DMA32", "cpu: 1") comes after that heading. A long sample is several
 *		markers, each with the headings that its lines need.
 *
 * Plain markers "SNAP before", "SNAPEND before", "SNAP after" and "SNAPEND after" stand around the
 * first and the last sample, which are complete.
 */
#ifndef RECLAIMLAB_COUNTER_MARKER_H
#define RECLAIMLAB_COUNTER_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNTER_MARKER_MAGIC "RL1 "
#define COUNTER_MARKER_MAX   1000 /* bytes: what every kernel takes in one write */

struct counter_marker {
	uint64_t number;
	const char *file; /* not terminated, as all texts here */
	size_t file_len;
	const char *scope;
	size_t scope_len;
	const char *lines; /* separated by ';' */
	size_t lines_len;
};

/* Take the text of a marker apart. False when it is not a counter marker or is damaged. */
bool counter_marker_parse(const char *text, size_t len, struct counter_marker *marker);

#endif
