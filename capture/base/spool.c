/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP 65536 /* bytes */

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

static int copy_stdin(int fd)
{
	uint8_t *buf = malloc(STEP);
	int ret = buf ? 0 : -ENOMEM;
	ssize_t n;

	while (!ret && (n = read(STDIN_FILENO, buf, STEP)) != 0) {
		if (n > 0)
			ret = write_all(fd, buf, (size_t)n);
		else if (errno != EINTR)
			ret = -errno;
	}
	free(buf);
	return ret;
}

int rl_spool_stdin(struct rl_spool *spool, struct rl_msg *msg)
{
	const char *dir = getenv("TMPDIR");
	int ret;

	spool->fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spool->fd < 0)
		return rl_fail_errno(msg, errno, "a temporary file for standard input");
	ret = copy_stdin(spool->fd);
	if (ret) {
		rl_spool_close(spool);
		return rl_fail_errno(msg, -ret, "standard input");
	}
	snprintf(spool->path, sizeof(spool->path), "/proc/self/fd/%d", spool->fd);
	return 0;
}

int rl_spool_name(const struct rl_spool *spool, int ret, struct rl_msg *msg)
{
	size_t len = strlen(spool->path);
	struct rl_msg old;

	if (!ret || !msg || spool->fd < 0 || strncmp(msg->text, spool->path, len) != 0)
		return ret;
	old = *msg;
	return rl_fail(msg, -ret, "standard input%s", old.text + len);
}

void rl_spool_close(struct rl_spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
}
