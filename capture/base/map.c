/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/base/map.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define UNPACK_STEP  (256u << 10)
#define UNPACK_CHECK (16u << 20) /* bytes between looks at the free space */
#define FREE_RESERVE (64u << 20) /* bytes that unpacking leaves to others */

static const char *temp_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

static int temp_open(const char *path, struct rl_msg *msg)
{
	const char *folder = temp_folder();
	char name[PATH_MAX];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Not every file system knows O_TMPFILE. */
	snprintf(name, sizeof(name), "%s/reclaimlab-XXXXXX", folder);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return rl_fail_errno(msg, errno, "%s: cannot unpack to %s (set TMPDIR)", path,
				     folder);
	unlink(name);
	return fd;
}

static int temp_room(int fd, const char *path, uint64_t done, struct rl_msg *msg)
{
	struct statvfs fs;

	if (fstatvfs(fd, &fs) < 0 || (uint64_t)fs.f_bavail * fs.f_frsize > FREE_RESERVE)
		return 0;
	return rl_fail(msg, ENOSPC,
		       "%s: no room left in %s after unpacking %" PRIu64
		       " bytes (set TMPDIR to a larger folder)",
		       path, temp_folder(), done);
}

static int write_all(int fd, const uint8_t *buf, size_t size)
{
	while (size) {
		ssize_t put = write(fd, buf, size);

		if (put < 0 && errno != EINTR)
			return -errno;
		if (put > 0) {
			buf += put;
			size -= (size_t)put;
		}
	}
	return 0;
}

/* Copy all of @in to @fd. Damage in the packing ends it without an error when something came out.
 */
static int unpack(struct rl_input *in, int fd, const char *path, const struct rl_progress *progress,
		  struct rl_map *map, struct rl_msg *msg)
{
	uint8_t *buf = malloc(UNPACK_STEP);
	uint64_t checked = 0;
	ssize_t got;
	int ret = 0;

	if (!buf)
		return rl_fail(msg, ENOMEM, "%s: out of memory", path);
	while ((got = rl_input_read(in, buf, UNPACK_STEP, &map->damage)) > 0) {
		ret = write_all(fd, buf, (size_t)got);
		if (ret) {
			rl_fail_errno(msg, -ret, "%s: unpack to %s", path, temp_folder());
			goto out;
		}
		map->size += (uint64_t)got;
		if (rl_progress_step(progress, "bytes", rl_input_consumed(in),
				     rl_input_file_size(in))) {
			ret = rl_fail(msg, EINTR, "interrupted");
			goto out;
		}
		if (map->size - checked < UNPACK_CHECK)
			continue;
		checked = map->size;
		ret = temp_room(fd, path, map->size, msg);
		if (ret)
			goto out;
	}
	if (got < 0 && !map->size) {
		ret = (int)got;
		if (msg)
			*msg = map->damage;
	}
out:
	free(buf);
	return ret;
}

static int map_fd(int fd, const char *path, struct rl_map *map, struct rl_msg *msg)
{
	void *data;

	if (!map->size)
		return 0;
	if (map->size > PTRDIFF_MAX)
		return rl_fail(msg, EFBIG, "%s: %" PRIu64 " bytes do not fit the address space",
			       path, map->size);
	data = mmap(NULL, map->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return rl_fail_errno(msg, errno, "%s: map %" PRIu64 " bytes", path, map->size);
	map->data = data;
	map->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (map->fd < 0) {
		int ret = rl_fail_errno(msg, errno, "%s: open", path);

		rl_map_close(map);
		return ret;
	}
	return 0;
}

static int map_plain(const char *path, struct rl_map *map, struct rl_msg *msg)
{
	struct stat st;
	bool standard = strcmp(path, "-") == 0;
	int ret, fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			       : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0) {
		ret = rl_fail_errno(msg, errno, "%s: open", path);
	} else {
		map->size = (uint64_t)st.st_size;
		ret = map_fd(fd, path, map, msg);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

static int map_unpacked(struct rl_input *in, const char *path, const struct rl_progress *progress,
			struct rl_map *map, struct rl_msg *msg)
{
	int ret, fd = temp_open(path, msg);

	if (fd < 0)
		return fd;
	ret = unpack(in, fd, path, progress, map, msg);
	if (!ret)
		ret = map_fd(fd, path, map, msg);
	close(fd);
	return ret;
}

int rl_map_open_watched(const char *path, const struct rl_progress *progress, struct rl_map *map,
			struct rl_msg *msg)
{
	struct rl_input *in;
	int ret;

	memset(map, 0, sizeof(*map));
	map->fd = -1;
	ret = rl_input_open(path, &in, msg);
	if (ret)
		return ret;
	map->packing = rl_input_packing(in);
	if (rl_input_is_plain_file(in))
		ret = map_plain(path, map, msg);
	else
		ret = map_unpacked(in, path, progress, map, msg);
	rl_input_close(in);
	return ret;
}

int rl_map_open(const char *path, struct rl_map *map, struct rl_msg *msg)
{
	return rl_map_open_watched(path, NULL, map, msg);
}

void rl_map_close(struct rl_map *map)
{
	if (map->data) {
		munmap((void *)map->data, map->size);
		if (map->fd >= 0)
			close(map->fd);
	}
	map->data = NULL;
	map->fd = -1;
	map->size = 0;
}
