/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "direct_file.h"

int direct_file_open(struct direct_file *file, const char *path, size_t buffer_size)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	void *buffer;

	memset(file, 0, sizeof(*file));
	if (posix_memalign(&buffer, DIRECT_ALIGN, buffer_size))
		return -ENOMEM;
	memset(buffer, 0, buffer_size);
	file->fd = open(path, flags | O_DIRECT, 0644);
	if (file->fd < 0 && errno == EINVAL)
		file->fd = open(path, flags, 0644);
	if (file->fd < 0) {
		free(buffer);
		return -errno;
	}
	file->buffer = buffer;
	file->size = buffer_size;
	return 0;
}

/* Writes the first @size bytes of the buffer, a multiple of DIRECT_ALIGN, and empties it. */
static int direct_file_flush(struct direct_file *file, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = write(file->fd, file->buffer + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		done += (size_t)got;
	}
	file->written += file->used;
	file->used = 0;
	return 0;
}

int direct_file_write(struct direct_file *file, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		size_t part = file->size - file->used;

		if (part > size)
			part = size;
		memcpy(file->buffer + file->used, from, part);
		file->used += part;
		from += part;
		size -= part;
		if (file->used == file->size) {
			int err = direct_file_flush(file, file->size);

			if (err)
				return err;
		}
	}
	return 0;
}

int direct_file_copy(struct direct_file *file, int fd)
{
	char part[4096];

	for (;;) {
		ssize_t got = read(fd, part, sizeof(part));
		int err;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : 0;
		err = direct_file_write(file, part, (size_t)got);
		if (err)
			return err;
	}
}

int direct_file_close(struct direct_file *file)
{
	size_t padded = (file->used + DIRECT_ALIGN - 1) / DIRECT_ALIGN * DIRECT_ALIGN;
	int err;

	memset(file->buffer + file->used, 0, padded - file->used);
	err = direct_file_flush(file, padded);
	if (!err && ftruncate(file->fd, (off_t)file->written))
		err = -errno;
	if (close(file->fd) && !err)
		err = -errno;
	free(file->buffer);
	file->buffer = NULL;
	return err;
}
