/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counters.h - the kernel's counter files, alone or as a series
 *
 * A file is known by its content, never by its name, and may be packed (gzip, xz, zstd). It holds
 * one snapshot, or a series of blocks that each begin with a line "T seconds" (seconds of the
 * machine's uptime, which is CLOCK_MONOTONIC on a machine that was not suspended), or several files
 * one behind the other as mmtests logs them ("file start :: /proc/vmstat" ... "file end ::").
 *
 * Copies from mails and logs are read as well: sorted, indented by tabs, "key=value", "key: value",
 * quoted with ">", with the file's path before each line, CR-LF. Two numbers behind a key, or
 * "29 -> 65", are two snapshots called before and after; "+37" is the same counted from 0.
 *
 * Settings of disks' request queues are lines of the disk, the file of /sys/block/DISK/queue and
 * what stands in it: "vda rotational 1", "vda write_cache write back" (1; write through: 0), "vda
 * scheduler [none] mq-deadline" (the value "scheduler.none" is 1), "vda hw_queues 2" (how many
 * there are).
 *
 * Every key is kept with its own name, whatever the kernel that printed it. What a key means in
 * another kernel's words is the business of views, which add exact keys and never prefixes.
 */
#ifndef RECLAIMLAB_COUNTERS_H
#define RECLAIMLAB_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/base/message.h"

enum counters_source {
	COUNTERS_NONE,
	COUNTERS_VMSTAT,
	COUNTERS_ZONEINFO,
	COUNTERS_MEMINFO,
	COUNTERS_BUDDYINFO,
	COUNTERS_PAGETYPEINFO,
	COUNTERS_DISKSTATS,
	COUNTERS_PSI,
	COUNTERS_MEMCG,
	COUNTERS_SYSCTL,
	COUNTERS_QUEUE,
	COUNTERS_UPTIME,
	COUNTERS_NR,
};

/* "vmstat", "zoneinfo", ...: the column source of the table counter. */
const char *counters_source_name(enum counters_source source);

struct counters_value {
	enum counters_source source;
	const char *scope; /* "", "node 0", "node 0 zone DMA32 cpu 1", a device, a cgroup */
	const char *name;
	const char *unit; /* "pages", "KiB", "bytes", "us", "ns", "" for counts */
	bool cumulative;  /* only grows while the machine runs: differences mean something */
	int64_t value;
};

struct counters_snapshot {
	bool has_time;
	int64_t time;	   /* ns of uptime */
	const char *label; /* "before", "after", what the file's name says, or "" */
};

/* How the machine is set up (sysctl, queue), rather than what it counted. */
bool counters_is_setting(enum counters_source source);

/* Both return 0, or a negative errno that ends the reading. @snapshot is called before its values.
 */
struct counters_visitor {
	int (*snapshot)(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg);
	int (*value)(void *ctx, const struct counters_value *value, struct rl_msg *msg);
	void *ctx;
};

/* Which counter file @text (its first bytes will do) is, or COUNTERS_NONE. */
enum counters_source counters_match(const char *text, size_t size);

/*
 * Read @path. Returns 0, -EINVAL when it is no counter file, the errors of rl_map_open(), or what
 * the visitor returned.
 */
int counters_read(const char *path, const struct counters_visitor *visitor, struct rl_msg *msg);

/*
 * Read lines of one file that is known by name (vmstat, zoneinfo, ..., pressure, memory.stat) and
 * come from elsewhere, such as a marker of counter_marker.h; @stop separates them. The snapshot is
 * the caller's. Returns 0, -EINVAL for a file that is not known, or what @value returned.
 */
int counters_lines(const char *file, size_t file_len, const char *scope, size_t scope_len,
		   const char *text, size_t size, char stop, const struct counters_visitor *visitor,
		   struct rl_msg *msg);

/*
 * What the name of a counter file says of the moment: "vmstat.before" and "before-vmstat.txt.gz"
 * are "before", "psi_memory.filled" is "filled", "vmstat.samples.gz" is "". Writes to @label.
 */
void counters_label(const char *path, char *label, size_t size);

#endif
