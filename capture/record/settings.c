/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/settings.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 256

static const char *const sysctls[] = {
	"watermark_scale_factor",
	"watermark_boost_factor",
	"min_free_kbytes",
	"swappiness",
	"page-cluster",
	"vfs_cache_pressure",
	"dirty_ratio",
	"dirty_background_ratio",
	"dirty_bytes",
	"dirty_background_bytes",
	"dirty_writeback_centisecs",
	"dirty_expire_centisecs",
	"compaction_proactiveness",
	"extfrag_threshold",
	"zone_reclaim_mode",
	"overcommit_memory",
};

static const char *const queue_files[] = {
	"rotational", "wbt_lat_usec", "write_cache", "nr_requests", "scheduler",
};

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The first line of a file; false where there is none, or nothing in it. */
static bool first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool there;

	if (!file)
		return false;
	there = fgets(line, (int)size, file) != NULL;
	fclose(file);
	if (there)
		line[strcspn(line, "\n")] = '\0';
	return there && line[0];
}

static void write_sysctls(const char *root, FILE *out)
{
	char path[512], line[LINE_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(sysctls); i++) {
		snprintf(path, sizeof(path), "%s/proc/sys/vm/%s", root, sysctls[i]);
		if (first_line(path, line, sizeof(line)))
			fprintf(out, "%s %s\n", sysctls[i], line);
	}
}

/* Of a disk with multiple queues: how many there are. */
static unsigned int hardware_queues(const char *disk)
{
	struct dirent **entry;
	unsigned int queues = 0;
	char path[512];
	int n;

	snprintf(path, sizeof(path), "%.480s/mq", disk);
	n = scandir(path, &entry, NULL, NULL);
	for (int i = 0; i < n; i++) {
		queues += entry[i]->d_name[0] != '.';
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return queues;
}

/* Loop devices and the like that hold nothing are passed over. */
static void write_queue(const char *root, const char *name, FILE *out)
{
	char disk[400], path[512], line[LINE_SIZE];
	unsigned int queues;

	snprintf(disk, sizeof(disk), "%.100s/sys/block/%.255s", root, name);
	snprintf(path, sizeof(path), "%s/size", disk);
	if (!first_line(path, line, sizeof(line)) || !strcmp(line, "0"))
		return;
	for (size_t i = 0; i < ARRAY_LEN(queue_files); i++) {
		snprintf(path, sizeof(path), "%s/queue/%s", disk, queue_files[i]);
		if (first_line(path, line, sizeof(line)))
			fprintf(out, "%s %s %s\n", name, queue_files[i], line);
	}
	queues = hardware_queues(disk);
	if (queues)
		fprintf(out, "%s hw_queues %u\n", name, queues);
}

static void write_queues(const char *root, FILE *out)
{
	struct dirent **entry;
	char path[512];
	int n;

	snprintf(path, sizeof(path), "%s/sys/block", root);
	n = scandir(path, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.')
			write_queue(root, entry[i]->d_name, out);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
}

static int read_text(const char *root, void (*write)(const char *root, FILE *out),
		     struct meta_text *text)
{
	FILE *out = open_memstream(&text->data, &text->size);

	if (!out)
		return -ENOMEM;
	write(root, out);
	return fclose(out) ? -ENOMEM : 0;
}

int rec_settings_read(const char *root, struct rec_settings *settings, struct rl_msg *msg)
{
	int ret;

	memset(settings, 0, sizeof(*settings));
	ret = read_text(root, write_sysctls, &settings->sysctl);
	if (!ret)
		ret = read_text(root, write_queues, &settings->queue);
	return ret ? rl_fail(msg, ENOMEM, "out of memory") : 0;
}

void rec_settings_free(struct rec_settings *settings)
{
	free(settings->sysctl.data);
	free(settings->queue.data);
	memset(settings, 0, sizeof(*settings));
}
