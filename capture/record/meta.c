/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/meta.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/vocabulary/vocabulary.h"

#define FORMAT_MAX (1 << 20)

int meta_read_file(const char *path, size_t max, struct meta_text *text, struct rl_msg *msg)
{
	size_t room = 4096;
	char *data = NULL;
	ssize_t n;
	int fd;

	text->data = NULL;
	text->size = 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return rl_fail_errno(msg, errno, "%s", path);
	for (;;) {
		char *more = realloc(data, room);

		if (!more) {
			n = -1;
			errno = ENOMEM;
			break;
		}
		data = more;
		n = read(fd, data + text->size, room - text->size - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text->size += n;
		if (text->size > max) {
			n = -1;
			errno = EFBIG;
			break;
		}
		if (text->size == room - 1)
			room *= 2;
	}
	if (n < 0) {
		int err = errno;

		free(data);
		close(fd);
		text->size = 0;
		return rl_fail_errno(msg, err, "%s", path);
	}
	close(fd);
	data[text->size] = '\0';
	text->data = data;
	return 0;
}

static int add_format(struct trace_meta *meta, const char *dir, const char *system,
		      const char *name)
{
	struct meta_format *format;
	struct meta_text text;
	char path[512];

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", dir, system, name);
	if (meta_read_file(path, FORMAT_MAX, &text, NULL))
		return 0;
	format = reallocarray(meta->format, meta->nr_formats + 1, sizeof(*format));
	if (!format) {
		free(text.data);
		return -ENOMEM;
	}
	meta->format = format;
	format += meta->nr_formats++;
	format->system = strdup(system);
	format->name = strdup(name);
	format->text = text;
	return format->system && format->name ? 0 : -ENOMEM;
}

static int add_system(struct trace_meta *meta, const char *dir, const char *system)
{
	struct dirent **entry;
	char path[512];
	int ret = 0;
	int n;

	snprintf(path, sizeof(path), "%s/events/%s", dir, system);
	n = scandir(path, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (!ret && entry[i]->d_name[0] != '.')
			ret = add_format(meta, dir, system, entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return ret;
}

static bool already_added(const struct trace_meta *meta, const char *system)
{
	for (unsigned int i = 0; i < meta->nr_formats; i++)
		if (!strcmp(meta->format[i].system, system))
			return true;
	return false;
}

/* Is any event of @system recorded by the instance @dir? The file says "0" where none is. */
static bool is_on(const char *dir, const char *system)
{
	struct meta_text text;
	char path[512];
	bool on;

	snprintf(path, sizeof(path), "%s/events/%s/enable", dir, system);
	if (system[0] == '.' || meta_read_file(path, FORMAT_MAX, &text, NULL))
		return false;
	on = text.size && text.data[0] != '0';
	free(text.data);
	return on;
}

/* Other systems of which something is recorded. */
static int add_others(struct trace_meta *meta, const char *dir, const char *instance)
{
	struct dirent **entry;
	char path[512];
	int ret = 0;
	int n;

	snprintf(path, sizeof(path), "%s/events", dir);
	n = scandir(path, &entry, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *system = entry[i]->d_name;

		if (!ret && is_on(instance, system) && !already_added(meta, system))
			ret = add_system(meta, dir, system);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return ret;
}

static int add_formats(struct trace_meta *meta, const char *dir, const char *instance)
{
	int ret = add_system(meta, dir, "ftrace");

	for (unsigned int i = 0; i < VOCAB_NR && !ret; i++)
		if (!already_added(meta, vocab_entry(i)->system))
			ret = add_system(meta, dir, vocab_entry(i)->system);
	return ret ? ret : add_others(meta, dir, instance);
}

/* The number behind @key in @text, or 0. */
static unsigned long number_after(const char *text, size_t len, const char *key)
{
	const char *p = memmem(text, len, key, strlen(key));

	return p && isdigit((unsigned char)p[strlen(key)]) ? strtoul(p + strlen(key), NULL, 10) : 0;
}

/* header_page ends in "field: char data; offset:16; size:4080;": together a sub-buffer. */
static unsigned int sub_buffer_size(const struct meta_text *page)
{
	const char *data = memmem(page->data, page->size, "char data", 9);
	size_t len = data ? page->size - (data - page->data) : 0;

	if (!data)
		return 0;
	return number_after(data, len, "offset:") + number_after(data, len, "size:");
}

int meta_read(struct rec_instance *inst, struct trace_meta *meta, struct rl_msg *msg)
{
	const char *dir = tracefs_instance_get_trace_dir(inst->tracefs);
	char *instance = tracefs_instance_get_dir(inst->tracefs);
	char path[512];
	int ret;

	memset(meta, 0, sizeof(*meta));
	if (!instance)
		return rl_fail(msg, ENOMEM, "out of memory");
	snprintf(path, sizeof(path), "%s/events/header_page", dir);
	ret = meta_read_file(path, FORMAT_MAX, &meta->header_page, msg);
	snprintf(path, sizeof(path), "%s/events/header_event", dir);
	if (!ret)
		ret = meta_read_file(path, FORMAT_MAX, &meta->header_event, msg);
	if (!ret && add_formats(meta, dir, instance))
		ret = rl_fail(msg, ENOMEM, "out of memory");
	if (!ret) {
		meta->page_size = sub_buffer_size(&meta->header_page);
		if (meta->page_size < 4096 || meta->page_size > (1 << 24))
			ret = rl_fail(msg, EINVAL, "%s: the size of a page was expected",
				      "events/header_page");
	}
	if (ret)
		meta_free(meta);
	tracefs_put_tracing_file(instance);
	return ret;
}

void meta_free(struct trace_meta *meta)
{
	free(meta->header_page.data);
	free(meta->header_event.data);
	for (unsigned int i = 0; i < meta->nr_formats; i++) {
		free(meta->format[i].system);
		free(meta->format[i].name);
		free(meta->format[i].text.data);
	}
	free(meta->format);
	memset(meta, 0, sizeof(*meta));
}
