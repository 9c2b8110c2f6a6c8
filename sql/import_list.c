/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the named files and folders are traces and which are counters. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/base/array.h"
#include "capture/base/map.h"
#include "capture/read/counters.h"
#include "capture/read/tracedat.h"
#include "sql/import_private.h"

#define HEAD_SIZE 65536

static int add(struct import_list *list, const char *path, enum import_type type, bool binary)
{
	struct import_input *input;

	if (rl_array_room(&list->input, &list->room, list->nr, sizeof(*list->input)))
		return -ENOMEM;
	input = &list->input[list->nr];
	*input = (struct import_input){ .type = type, .binary = binary, .owner = -1 };
	input->path = strdup(path);
	if (!input->path)
		return -ENOMEM;
	input->name = strcmp(path, list->spool.path) ? input->path : "-";
	list->nr++;
	return 0;
}

static bool is_uname(const char *head, size_t size)
{
	const char *end = memchr(head, '\n', size);

	return size > 6 && !memcmp(head, "Linux ", 6) && end && end == head + size - 1;
}

static enum import_type type_of(const char *head, size_t size, bool *binary)
{
	*binary = tracedat_magic(head, size);
	if (*binary)
		return IMPORT_TRACE;
	if (counters_match(head, size) != COUNTERS_NONE)
		return IMPORT_COUNTERS;
	return is_uname(head, size) ? IMPORT_UNAME : IMPORT_OTHER;
}

/* A file of a folder that is neither trace.dat nor counters: is it a trace in text? */
static bool opens_as_trace(const char *path)
{
	struct source *source;
	struct rl_msg msg;

	if (source_open(path, &source, &msg))
		return false;
	source_close(source);
	return true;
}

/* A file that was named is to be read: what it is not, the source says. */
static int add_named(struct import_list *list, const char *path, char *head, struct rl_msg *msg)
{
	enum import_type type;
	bool binary;
	ssize_t size;

	size = rl_input_head(path, head, HEAD_SIZE, msg);
	if (size < 0)
		return (int)size;
	type = type_of(head, (size_t)size, &binary);
	if (type == IMPORT_OTHER)
		type = IMPORT_TRACE;
	return add(list, path, type, binary) ? rl_fail_errno(msg, ENOMEM, "%s", path) : 0;
}

static int add_stdin(struct import_list *list, char *head, struct rl_msg *msg)
{
	int ret;

	if (list->spool.fd >= 0)
		return rl_fail(msg, EINVAL, "standard input can be read only once");
	ret = rl_spool_stdin(&list->spool, msg);
	return ret ? ret : add_named(list, list->spool.path, head, msg);
}

/* Files of a folder that are no input are passed over. */
static int add_from_folder(struct import_list *list, const char *path, char *head,
			   struct rl_msg *msg)
{
	enum import_type type = IMPORT_OTHER;
	bool binary = false;
	ssize_t size;

	size = rl_input_head(path, head, HEAD_SIZE, msg);
	if (size > 0)
		type = type_of(head, (size_t)size, &binary);
	if (type == IMPORT_OTHER && opens_as_trace(path))
		type = IMPORT_TRACE;
	if (type == IMPORT_OTHER) {
		list->skipped++;
		return 0;
	}
	return add(list, path, type, binary) ? rl_fail_errno(msg, ENOMEM, "%s", path) : 0;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Text in a folder that has a trace.dat is a print of it, not another recording. */
static void drop_prints(struct import_list *list, size_t from)
{
	bool binary = false;
	size_t to = from;

	for (size_t i = from; i < list->nr; i++)
		binary |= list->input[i].binary;
	for (size_t i = from; i < list->nr; i++) {
		struct import_input *input = &list->input[i];

		if (binary && input->type == IMPORT_TRACE && !input->binary) {
			free(input->path);
			list->skipped++;
			continue;
		}
		list->input[to++] = *input;
	}
	list->nr = to;
}

static int add_folder(struct import_list *list, const char *path, char *head, struct rl_msg *msg)
{
	struct dirent **entries;
	size_t from = list->nr;
	int n, ret = 0;

	n = scandir(path, &entries, is_visible, alphasort);
	if (n < 0)
		return rl_fail_errno(msg, errno, "%s", path);
	for (int i = 0; i < n; i++) {
		char *name = NULL;
		struct stat st;

		if (!ret && asprintf(&name, "%s/%s", path, entries[i]->d_name) < 0)
			ret = rl_fail_errno(msg, ENOMEM, "%s", path);
		if (!ret && !stat(name, &st) && S_ISREG(st.st_mode))
			ret = add_from_folder(list, name, head, msg);
		free(name);
		free(entries[i]);
	}
	free(entries);
	if (ret)
		return ret;
	drop_prints(list, from);
	if (list->nr == from)
		return rl_fail(msg, EINVAL, "%s: a folder without a trace or counter file", path);
	return 0;
}

/* Counters come in the order of what their names say: before, others, after. */
static unsigned int rank_of(const char *path)
{
	char label[128];

	counters_label(path, label, sizeof(label));
	if (strstr(label, "before") || strstr(label, "start"))
		return 0;
	return strstr(label, "after") || strstr(label, "end") ? 2 : 1;
}

/* Counters belong to the last trace before them, else to the first one of all. */
static void assign_owners(struct import_list *list, size_t from, size_t to)
{
	int64_t owner = -1;

	for (size_t i = from; i < to && owner < 0; i++)
		if (list->input[i].type == IMPORT_TRACE)
			owner = (int64_t)i;
	for (size_t i = from; i < to; i++) {
		if (list->input[i].type == IMPORT_TRACE)
			owner = (int64_t)i;
		else
			list->input[i].owner = owner;
		list->input[i].rank = rank_of(list->input[i].path);
	}
}

int import_list_make(struct import_list *list, const char *const *paths, unsigned int count,
		     struct rl_msg *msg)
{
	char *head = malloc(HEAD_SIZE);
	size_t loose = 0; /* files since the last folder */
	int ret = 0;

	if (!head)
		return rl_fail_errno(msg, ENOMEM, "import");
	for (unsigned int i = 0; i < count && !ret; i++) {
		size_t from = list->nr;
		struct stat st;

		if (!strcmp(paths[i], "-")) {
			ret = add_stdin(list, head, msg);
		} else if (!stat(paths[i], &st) && S_ISDIR(st.st_mode)) {
			assign_owners(list, loose, from);
			ret = add_folder(list, paths[i], head, msg);
			assign_owners(list, from, list->nr);
			loose = list->nr;
		} else {
			ret = add_named(list, paths[i], head, msg);
		}
	}
	assign_owners(list, loose, list->nr);
	free(head);
	return ret;
}

void import_list_free(struct import_list *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->input[i].path);
	free(list->input);
	rl_spool_close(&list->spool);
}

int import_uname(const char *path, char *kernel, size_t kernel_size, char *machine,
		 size_t machine_size, struct rl_msg *msg)
{
	char *text = calloc(1, HEAD_SIZE + 1), *save, *word;
	ssize_t size;

	if (!text)
		return rl_fail_errno(msg, ENOMEM, "%s", path);
	size = rl_input_head(path, text, HEAD_SIZE, msg);
	word = size > 0 ? strtok_r(text, " \n", &save) : NULL;
	for (unsigned int i = 0; word; i++, word = strtok_r(NULL, " \n", &save)) {
		if (i == 2)
			snprintf(kernel, kernel_size, "%s", word);
		if (i > 2 && strcmp(word, "GNU/Linux") != 0)
			snprintf(machine, machine_size, "%s", word);
	}
	free(text);
	return size < 0 ? (int)size : 0;
}
