// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"

void *replay_host_alloc(unsigned long size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

const void *replay_host_map(const char *path, unsigned long *size)
{
	struct stat stat;
	void *map = MAP_FAILED;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &stat) && stat.st_size > 0) {
		*size = stat.st_size;
		map = mmap(NULL, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	}
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

void replay_host_unmap(const void *map, unsigned long size)
{
	munmap((void *)map, size);
}

int replay_host_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	return fd < 0 ? -errno : fd;
}

int replay_host_write(int fd, const void *data, unsigned long size)
{
	const char *from = data;

	while (size) {
		ssize_t done = write(fd, from, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -EIO;
		from += done;
		size -= done;
	}
	return 0;
}

void replay_host_close(int fd)
{
	close(fd);
}
