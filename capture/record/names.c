/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/names.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CMDLINES_MAX (64 << 20)
#define PID_BITS     (1 << 22) /* the kernel's largest pid_max */

struct name_list {
	FILE *out;
	unsigned char *seen; /* a bit a pid */
};

static bool first_time(struct name_list *list, long pid)
{
	unsigned char bit = 1 << (pid % 8);

	if (pid < 0 || pid >= PID_BITS || (list->seen[pid / 8] & bit))
		return false;
	list->seen[pid / 8] |= bit;
	return true;
}

static void add_saved(struct name_list *list, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *end;
		long pid = strtol(text, &end, 10);

		if (end != text && *end == ' ' && !memmem(text, len, "<...>", 5) &&
		    first_time(list, pid))
			fprintf(list->out, "%.*s\n", (int)len, text);
		text += len;
		text += *text == '\n';
	}
}

static void add_thread(struct name_list *list, const char *pid, const char *tid)
{
	struct meta_text comm;
	char path[600];

	snprintf(path, sizeof(path), "/proc/%s/task/%s/comm", pid, tid);
	if (meta_read_file(path, 64, &comm, NULL))
		return;
	comm.data[strcspn(comm.data, "\n")] = '\0';
	if (first_time(list, strtol(tid, NULL, 10)))
		fprintf(list->out, "%s %s\n", tid, comm.data);
	free(comm.data);
}

static void add_process(struct name_list *list, const char *pid)
{
	struct dirent *entry;
	char path[300];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add_thread(list, pid, entry->d_name);
	closedir(dir);
}

static void add_running(struct name_list *list)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		return;
	while ((entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add_process(list, entry->d_name);
	closedir(proc);
}

int names_read(struct rec_instance *inst, struct meta_text *text, struct rl_msg *msg)
{
	struct name_list list = { 0 };
	struct meta_text saved = { 0 };
	char *path = tracefs_get_tracing_file("saved_cmdlines");
	int ret = 0;

	text->data = NULL;
	text->size = 0;
	list.seen = calloc(1, PID_BITS / 8);
	list.out = open_memstream(&text->data, &text->size);
	if (!list.seen || !list.out) {
		ret = rl_fail(msg, ENOMEM, "out of memory");
		goto out;
	}
	if (path && !meta_read_file(path, CMDLINES_MAX, &saved, NULL))
		add_saved(&list, saved.data);
	add_running(&list);
out:
	if (list.out && fclose(list.out) && !ret)
		ret = rl_fail(msg, ENOMEM, "out of memory");
	if (ret) {
		free(text->data);
		text->data = NULL;
	}
	free(list.seen);
	free(saved.data);
	tracefs_put_tracing_file(path);
	return ret;
}
