/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/source_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/base/map.h"

/* The first that matches gets the input. */
static const struct source_ops *const kinds[] = {
	&source_tracedat_ops,
	&source_text_ops,
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int write_all(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Keep what comes through standard input in a file without a name, so that it can be read twice. */
static int spool_stdin(int *fd, struct rl_msg *msg)
{
	const char *dir = getenv("TMPDIR");
	uint8_t *buf = malloc(SOURCE_HEAD_SIZE);
	int ret = 0;
	ssize_t n;

	if (!buf)
		return rl_fail_errno(msg, ENOMEM, "standard input");
	*fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd < 0) {
		ret = rl_fail_errno(msg, errno, "a temporary file for standard input");
		goto out;
	}
	while ((n = read(STDIN_FILENO, buf, SOURCE_HEAD_SIZE)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		ret = n < 0 ? -errno : write_all(*fd, buf, (size_t)n);
		if (ret) {
			rl_fail_errno(msg, -ret, "standard input");
			break;
		}
	}
out:
	free(buf);
	return ret;
}

/* The first bytes of @path, unpacked. Returns how many or a negative errno. */
static ssize_t read_head(const char *path, uint8_t *head, struct rl_msg *msg)
{
	struct rl_input *in;
	ssize_t n;
	int ret;

	ret = rl_input_open(path, &in, msg);
	if (ret)
		return ret;
	n = rl_input_read(in, head, SOURCE_HEAD_SIZE, msg);
	rl_input_close(in);
	return n;
}

static const struct source_ops *find_kind(const uint8_t *head, size_t size)
{
	for (size_t i = 0; i < NR_KINDS; i++)
		if (kinds[i]->match(head, size))
			return kinds[i];
	return NULL;
}

static int fail_unknown(const char *name, ssize_t size, struct rl_msg *msg)
{
	char expects[256] = "";

	if (!size)
		return rl_fail(msg, EINVAL, "%s: the file is empty", name);
	for (size_t i = 0; i < NR_KINDS; i++)
		snprintf(expects + strlen(expects), sizeof(expects) - strlen(expects), "%s%s",
			 i ? ", " : "", kinds[i]->expects);
	return rl_fail(msg, EINVAL, "%s: offset 0: no trace that is known here, expected %s", name,
		       expects);
}

static int open_kind(const char *name, const char *path, struct source **out, struct rl_msg *msg)
{
	const struct source_ops *ops;
	uint8_t *head = malloc(SOURCE_HEAD_SIZE);
	ssize_t size;

	if (!head)
		return rl_fail_errno(msg, ENOMEM, "%s", name);
	size = read_head(path, head, msg);
	ops = size > 0 ? find_kind(head, (size_t)size) : NULL;
	free(head);
	if (size < 0)
		return (int)size;
	if (!ops)
		return fail_unknown(name, size, msg);
	return ops->open(path, out, msg);
}

int source_open(const char *path, struct source **out, struct rl_msg *msg)
{
	char fd_path[32];
	int spool_fd = -1;
	const char *real_path = path;
	struct source *source;
	char *name;
	int ret = 0;

	name = strdup(path);
	if (!name)
		return rl_fail_errno(msg, ENOMEM, "%s", path);
	if (!strcmp(path, "-")) {
		ret = spool_stdin(&spool_fd, msg);
		snprintf(fd_path, sizeof(fd_path), "/proc/self/fd/%d", spool_fd);
		real_path = fd_path;
	}
	if (!ret)
		ret = open_kind(path, real_path, &source, msg);
	if (ret) {
		if (spool_fd >= 0)
			close(spool_fd);
		free(name);
		return ret;
	}
	source->name = name;
	source->info.path = name;
	source->spool_fd = spool_fd;
	*out = source;
	return 0;
}

void source_close(struct source *source)
{
	char *name;
	int spool_fd;

	if (!source)
		return;
	name = source->name;
	spool_fd = source->spool_fd;
	source->ops->close(source);
	if (spool_fd >= 0)
		close(spool_fd);
	free(name);
}

const struct source_info *source_info(const struct source *source)
{
	return &source->info;
}

void source_want(struct source *source, enum vocab_id id, enum source_want want)
{
	source->ops->want(source, id, want);
}

void source_want_from(struct source *source, enum vocab_id id, unsigned int slot, int64_t min)
{
	source->ops->want_from(source, id, slot, min);
}

void source_progress(struct source *source, const struct rl_progress *progress)
{
	source->progress = progress;
}

int source_next(struct source *source, struct event *ev, struct rl_msg *msg)
{
	return source->ops->next(source, ev, msg);
}

const char *source_comm(const struct source *source, int32_t pid)
{
	return source->ops->comm(source, pid);
}

bool source_span(const struct source *source, uint64_t *first, uint64_t *last)
{
	return source->ops->span && source->ops->span(source, first, last);
}

bool source_count_at(const struct source *source, unsigned int i, struct source_count *count)
{
	return source->ops->count_at(source, i, count);
}

bool source_loss_at(const struct source *source, unsigned int i, struct source_loss *loss)
{
	return source->ops->loss_at(source, i, loss);
}

const char *source_damage_at(const struct source *source, unsigned int i)
{
	return source->ops->damage_at(source, i);
}
