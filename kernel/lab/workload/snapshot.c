/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "direct_file.h"
#include "snapshot.h"

static const char *const sources[][2] = {
	{ "/proc/vmstat", "vmstat" },
	{ "/proc/zoneinfo", "zoneinfo" },
	{ "/proc/meminfo", "meminfo" },
	{ "/proc/buddyinfo", "buddyinfo" },
	{ "/proc/pagetypeinfo", "pagetypeinfo" },
	{ "/proc/diskstats", "diskstats" },
	{ "/proc/pressure/memory", "psi_memory" },
	{ "/proc/pressure/io", "psi_io" },
	{ "/proc/uptime", "uptime" },
};

static const char *const group_files[] = { "memory.stat", "memory.events", "memory.current",
					   "memory.peak" };

static int mark(const char *tracing, const char *word, const char *name)
{
	char path[512];
	char text[128];
	int err = 0;
	int fd;
	int length;

	snprintf(path, sizeof(path), "%s/trace_marker", tracing);
	length = snprintf(text, sizeof(text), "%s %.100s\n", word, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)length) != length)
		err = -EIO;
	close(fd);
	return err;
}

static void fold_counters(void)
{
	char text[64];
	int fd = open("/proc/sys/vm/stat_refresh", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	while (read(fd, text, sizeof(text)) > 0)
		;
	close(fd);
}

/* A source that this kernel does not have is no error. */
static int copy_source(const char *source, const char *target)
{
	struct direct_file file;
	int err;
	int closed;
	int fd = open(source, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = direct_file_open(&file, target, 16 * DIRECT_ALIGN);
	if (!err) {
		err = direct_file_copy(&file, fd);
		closed = direct_file_close(&file);
		err = err ? err : closed;
	}
	close(fd);
	return err;
}

/* The groups directly below the root; FILE.GROUP.name is the target. */
static int copy_groups(const char *dir, const char *name)
{
	glob_t groups;
	int err = 0;

	if (glob("/sys/fs/cgroup/*/memory.stat", 0, NULL, &groups))
		return 0;
	for (size_t i = 0; i < groups.gl_pathc && !err; i++) {
		char group[256];
		char source[512];
		char target[768];

		if (sscanf(groups.gl_pathv[i], "/sys/fs/cgroup/%255[^/]", group) != 1)
			continue;
		for (size_t f = 0; f < sizeof(group_files) / sizeof(group_files[0]) && !err; f++) {
			snprintf(source, sizeof(source), "/sys/fs/cgroup/%s/%s", group,
				 group_files[f]);
			snprintf(target, sizeof(target), "%s/%s.%s.%s", dir, group_files[f], group,
				 name);
			err = copy_source(source, target);
		}
	}
	globfree(&groups);
	return err;
}

int snapshot_take(const char *tracing, const char *dir, const char *name)
{
	int err;

	fold_counters();
	err = mark(tracing, "SNAP", name);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]) && !err; i++) {
		char target[512];

		snprintf(target, sizeof(target), "%s/%s.%s", dir, sources[i][1], name);
		err = copy_source(sources[i][0], target);
	}
	if (!err)
		err = copy_groups(dir, name);
	return err ? err : mark(tracing, "SNAPEND", name);
}
