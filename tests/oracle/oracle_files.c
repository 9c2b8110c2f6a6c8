/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/oracle/oracle_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/base/map.h"
#include "capture/record/tracedat_cut.h"

#define COPY_SIZE (1u << 20)

static int copy_stream(struct rl_input *in, int fd, struct rl_msg *msg)
{
	char *buf = malloc(COPY_SIZE);
	ssize_t got;
	int ret = 0;

	if (!buf)
		return rl_fail(msg, ENOMEM, "out of memory");
	while ((got = rl_input_read(in, buf, COPY_SIZE, msg)) > 0) {
		if (write(fd, buf, (size_t)got) != got) {
			ret = rl_fail_errno(msg, errno, "write of an unpacked capture");
			break;
		}
	}
	free(buf);
	return got < 0 ? (int)got : ret;
}

static int unpack(const char *packed, const char *path, struct rl_msg *msg)
{
	char temp[PATH_MAX + 32];
	struct rl_input *in;
	int ret, fd;

	ret = rl_input_open(packed, &in, msg);
	if (ret)
		return ret;
	snprintf(temp, sizeof(temp), "%s.%d", path, (int)getpid());
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	ret = fd < 0 ? rl_fail_errno(msg, errno, "%s: create", temp) : copy_stream(in, fd, msg);
	if (fd >= 0)
		close(fd);
	if (!ret && rename(temp, path))
		ret = rl_fail_errno(msg, errno, "%s: rename", temp);
	if (ret)
		unlink(temp);
	rl_input_close(in);
	return ret;
}

static void run_convert(const char *from, const char *to, char *version, const char *compression)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execlp("trace-cmd", "trace-cmd", "convert", "-i", from, "-o", to, "--file-version", version,
	       "--compression", compression, NULL);
	_exit(127);
}

static int convert(const char *from, const char *path, const char *packing, struct rl_msg *msg)
{
	char temp[PATH_MAX + 32], version[2] = { packing[0], '\0' };
	int status;
	pid_t pid;

	snprintf(temp, sizeof(temp), "%s.%d", path, (int)getpid());
	pid = fork();
	if (pid == 0)
		run_convert(from, temp, version, packing + 2);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return rl_fail_errno(msg, errno, "trace-cmd convert");
	if (!WIFEXITED(status) || WEXITSTATUS(status) || rename(temp, path)) {
		unlink(temp);
		return rl_fail(msg, EIO, "trace-cmd convert of %s to %s failed (status %d)", from,
			       packing, status);
	}
	return 0;
}

/* This libtracecmd need not know zlib: our own writer makes those files. */
static int rewrite(const char *from, const char *path, struct rl_msg *msg)
{
	const struct tracedat_cut all = {
		.from = 0, .to = UINT64_MAX, .version = 7, .compression = "zlib", .kallsyms = true
	};

	return tracedat_cut(from, path, &all, NULL, msg);
}

int oracle_file(const char *capture, const char *packing, char *path, struct rl_msg *msg)
{
	const char *traces = getenv("RL_TRACES_DIR");
	char packed[PATH_MAX], plain[PATH_MAX];
	int ret;

	if (!traces)
		traces = RL_TRACES_DIR;
	mkdir(RL_WORK_DIR, 0777);
	snprintf(packed, sizeof(packed), "%s/%s/trace.dat.xz", traces, capture);
	snprintf(plain, sizeof(plain), "%s/%s.dat", RL_WORK_DIR, capture);
	if (access(plain, R_OK) != 0) {
		if (access(packed, R_OK) != 0)
			return rl_fail_errno(msg, errno, "%s", packed);
		ret = unpack(packed, plain, msg);
		if (ret)
			return ret;
	}
	if (strcmp(packing, "as-is") == 0) {
		strcpy(path, plain);
		return 0;
	}
	snprintf(path, PATH_MAX, "%s/%s.%s.dat", RL_WORK_DIR, capture, packing);
	if (access(path, R_OK) == 0)
		return 0;
	return strcmp(packing, "7-zlib") == 0 ? rewrite(plain, path, msg)
					      : convert(plain, path, packing, msg);
}
