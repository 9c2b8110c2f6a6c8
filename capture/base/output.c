/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH_TRIES 1000

/* Split at the last slash; @folder is the caller's to free. */
static int split(const char *path, char **folder, const char **name, struct rl_msg *msg)
{
	const char *slash = strrchr(path, '/');

	*name = slash ? slash + 1 : path;
	if (!**name)
		return rl_fail(msg, *path ? EISDIR : EINVAL,
			       "'%s': the name of a file was expected", path);
	if (!slash)
		*folder = strdup(".");
	else
		*folder = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	return *folder ? 0 : rl_fail(msg, ENOMEM, "out of memory");
}

static bool anyone_may_write(const char *folder)
{
	struct stat st;

	return !stat(folder, &st) && (st.st_mode & S_IWOTH);
}

int rl_output_resolve(const char *path, char **real, struct rl_msg *msg)
{
	const char *name;
	char *folder;
	struct stat st;
	int ret = 0;

	*real = NULL;
	if (!strcmp(path, "-"))
		return rl_fail(msg, EINVAL,
			       "-: standard output was meant, a file is needed (./- is one of that "
			       "name)");
	if (lstat(path, &st) || !S_ISLNK(st.st_mode)) {
		*real = strdup(path);
		return *real ? 0 : rl_fail(msg, ENOMEM, "out of memory");
	}
	ret = split(path, &folder, &name, msg);
	if (ret)
		return ret;
	if (anyone_may_write(folder))
		ret = rl_fail(msg, ELOOP,
			      "%s: is a symbolic link in a folder that anyone may write; it is not "
			      "followed",
			      path);
	free(folder);
	if (ret)
		return ret;
	*real = realpath(path, NULL);
	return *real ? 0 : rl_fail_errno(msg, errno, "%s", path);
}

static int check_target(int dir, const char *name, const char *path, struct rl_msg *msg)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || S_ISREG(st.st_mode))
		return 0;
	return rl_fail(msg, S_ISDIR(st.st_mode) ? EISDIR : EINVAL,
		       "%s: is there and is no regular file", path);
}

/* Folder and name of what @path stands for. */
static int find_place(struct rl_output *output, const char *path, struct rl_msg *msg)
{
	char *real = NULL, *folder = NULL;
	const char *name;
	int ret = rl_output_resolve(path, &real, msg);

	if (!ret)
		ret = split(real, &folder, &name, msg);
	if (ret)
		goto out;
	output->name = strdup(name);
	output->dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (output->dir < 0)
		ret = rl_fail_errno(msg, errno, "%s: its folder %s", path, folder);
	else if (!output->name)
		ret = rl_fail(msg, ENOMEM, "out of memory");
out:
	free(real);
	free(folder);
	return ret;
}

static int place_beside(struct rl_output *output, const char *path, const struct rl_output *beside,
			struct rl_msg *msg)
{
	const char *slash = strrchr(path, '/');

	output->name = strdup(slash ? slash + 1 : path);
	if (!output->name)
		return rl_fail(msg, ENOMEM, "out of memory");
	output->dir = fcntl(beside->dir, F_DUPFD_CLOEXEC, 0);
	return output->dir < 0 ? rl_fail_errno(msg, errno, "%s", path) : 0;
}

static int make_temp(struct rl_output *output, const char *suffix, mode_t mode, struct rl_msg *msg)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int err;

	if (asprintf(&output->temp, "%s%s", output->name, suffix) < 0)
		goto no_memory;
	output->fd = openat(output->dir, output->temp, flags, mode);
	if (output->fd < 0 && errno == EEXIST) {
		free(output->temp);
		if (asprintf(&output->temp, "%s.%d%s", output->name, (int)getpid(), suffix) < 0)
			goto no_memory;
		output->fd = openat(output->dir, output->temp, flags, mode);
	}
	if (output->fd >= 0)
		return 0;
	err = errno;
	free(output->temp);
	output->temp = NULL;
	return rl_fail_errno(msg, err, "%s: create", output->path);
no_memory:
	output->temp = NULL;
	return rl_fail(msg, ENOMEM, "out of memory");
}

int rl_output_open(struct rl_output *output, const char *path, const char *suffix,
		   const struct rl_output *beside, mode_t mode, struct rl_msg *msg)
{
	int ret;

	*output = RL_OUTPUT_NONE;
	output->path = strdup(path);
	if (!output->path)
		return rl_fail(msg, ENOMEM, "out of memory");
	ret = beside ? place_beside(output, path, beside, msg) : find_place(output, path, msg);
	if (!ret)
		ret = check_target(output->dir, output->name, path, msg);
	if (!ret)
		ret = make_temp(output, suffix, mode, msg);
	if (ret)
		rl_output_close(output);
	return ret;
}

int rl_output_check(const char *path, struct rl_msg *msg)
{
	struct rl_output output = RL_OUTPUT_NONE;
	int ret = find_place(&output, path, msg);

	if (!ret)
		ret = check_target(output.dir, output.name, path, msg);
	if (!ret && faccessat(output.dir, ".", W_OK | X_OK, AT_EACCESS))
		ret = rl_fail_errno(msg, errno, "%s: create", path);
	rl_output_close(&output);
	return ret;
}

int rl_output_reopen(const struct rl_output *output, int flags)
{
	int fd = openat(output->dir, output->temp, flags | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int rl_output_scratch(const struct rl_output *output)
{
	for (unsigned int i = 0; i < SCRATCH_TRIES; i++) {
		char *name;
		int fd;

		if (asprintf(&name, "%s.%d.%u", output->temp, (int)getpid(), i) < 0)
			return -ENOMEM;
		fd = openat(output->dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
		if (fd >= 0)
			unlinkat(output->dir, name, 0);
		else
			fd = -errno;
		free(name);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

int rl_output_rename(struct rl_output *output, const char *path, struct rl_msg *msg)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);
	char *copy = strdup(path);

	if (!name || !copy) {
		free(name);
		free(copy);
		return rl_fail(msg, ENOMEM, "out of memory");
	}
	free(output->name);
	free(output->path);
	output->name = name;
	output->path = copy;
	return 0;
}

int rl_output_commit(struct rl_output *output, struct rl_msg *msg)
{
	if (fsync(output->fd) < 0 ||
	    renameat(output->dir, output->temp, output->dir, output->name) < 0)
		return rl_fail_errno(msg, errno, "%s: finish", output->path);
	free(output->temp);
	output->temp = NULL;
	return 0;
}

bool rl_output_reachable(const struct rl_output *output)
{
	struct stat file, there;

	return !fstat(output->fd, &file) && !stat(output->path, &there) &&
	       file.st_ino == there.st_ino && file.st_dev == there.st_dev;
}

void rl_output_close(struct rl_output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	if (output->temp)
		unlinkat(output->dir, output->temp, 0);
	if (output->dir >= 0)
		close(output->dir);
	free(output->path);
	free(output->name);
	free(output->temp);
	*output = RL_OUTPUT_NONE;
}
