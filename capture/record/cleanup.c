/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "capture/record/instance.h"
#include "capture/record/meta.h"
#include "capture/record/probe.h"
#include "capture/record/summary.h"

#define LIST_MAX (16 << 20)

static int write_at(int dir, const char *file, int flags, const char *text)
{
	int fd = openat(dir, file, flags | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* 1: a recording holds it, 0: nobody does. */
static int is_live(int dir)
{
	int fd = openat(dir, REC_INSTANCE_LOCK, O_WRONLY | O_CLOEXEC);
	int live;

	if (fd < 0)
		return 0;
	live = flock(fd, LOCK_EX | LOCK_NB) != 0;
	close(fd);
	return live;
}

static void clean_instance(int instances, const char *name, struct rec_cleanup *done)
{
	int dir = openat(instances, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (dir < 0)
		return;
	if (is_live(dir)) {
		done->live++;
	} else {
		write_at(dir, "tracing_on", O_WRONLY | O_TRUNC, "0");
		write_at(dir, "events/enable", O_WRONLY | O_TRUNC, "0");
		summary_remove(dir);
		if (unlinkat(instances, name, AT_REMOVEDIR))
			done->stuck++;
		else
			done->instances++;
	}
	close(dir);
}

/* "reclaimlab-PID", perhaps with a word behind it. */
static bool is_ours(const char *name)
{
	size_t len = strlen(REC_INSTANCE_PREFIX);

	return !strncmp(name, REC_INSTANCE_PREFIX, len) && isdigit((unsigned char)name[len]);
}

static int clean_instances(const char *tracing, struct rec_cleanup *done, struct rl_msg *msg)
{
	struct dirent *entry;
	char path[512];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", tracing);
	dir = opendir(path);
	if (!dir)
		return rl_fail_errno(msg, errno, "%s", path);
	while ((entry = readdir(dir)))
		if (is_ours(entry->d_name))
			clean_instance(dirfd(dir), entry->d_name, done);
	closedir(dir);
	return 0;
}

/*
 * Write to @file a line that removes each of its entries whose name begins with @prefix; with
 * @kind the name stands behind "KIND:". Returns how many the kernel removed.
 */
static unsigned int clean_list(const char *tracing, const char *file, bool kind, const char *prefix,
			       const char *remove)
{
	unsigned int removed = 0;
	struct meta_text text;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", tracing, file);
	if (meta_read_file(path, LIST_MAX, &text, NULL))
		return 0;
	for (const char *line = text.data; *line; line += strcspn(line, "\n"), line += *line != 0) {
		const char *name = kind ? line + strcspn(line, ":\n") : line;
		char command[256];

		name += kind && *name == ':';
		if (strncmp(name, prefix, strlen(prefix)))
			continue;
		snprintf(command, sizeof(command), "%s%.*s", remove, (int)strcspn(name, " \t\n;"),
			 name);
		removed += !write_at(AT_FDCWD, path, O_WRONLY | O_APPEND, command);
	}
	free(text.data);
	return removed;
}

int rec_cleanup(struct rec_cleanup *done, struct rl_msg *msg)
{
	const char *tracing = rec_tracing_dir(msg);
	int ret;

	memset(done, 0, sizeof(*done));
	if (!tracing)
		return -EACCES;
	ret = clean_instances(tracing, done, msg);
	/* "p:reclaimlab/NAME FUNCTION ..." */
	done->probes = clean_list(tracing, "kprobe_events", true, PROBE_SYSTEM "/", "-:");
	done->synthetic = clean_list(tracing, "synthetic_events", false, SUMMARY_PREFIX, "!");
	return ret;
}
