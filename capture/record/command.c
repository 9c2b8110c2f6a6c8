/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/base/clock.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"
#define LOOK_NS	     UINT64_C(20000000) /* between looks at one that cannot be waited for */

static int check_program(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return access(path, X_OK) ? -errno : 0;
}

/* As execvp() looks: a name without a slash in each folder of PATH. */
static int find_program(const char *name)
{
	const char *path = getenv("PATH");
	int ret = -ENOENT;

	if (strchr(name, '/'))
		return check_program(name);
	for (path = path ? path : DEFAULT_PATH; *path; path += strspn(path, ":")) {
		size_t len = strcspn(path, ":");
		char file[4096];
		int here;

		snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, name);
		here = *name ? check_program(file) : -ENOENT;
		if (!here)
			return 0;
		if (here == -EACCES)
			ret = here;
		path += len;
	}
	return ret;
}

int rec_command_check(char *const *argv, struct rl_msg *msg)
{
	int ret = find_program(argv[0]);

	if (ret == -ENOENT && !strchr(argv[0], '/'))
		return rl_fail(msg, ENOENT, "%s: there is no such command", argv[0]);
	return ret ? rl_fail_errno(msg, -ret, "%s", argv[0]) : 0;
}

/* The recorder ignores some signals; what it runs does not. */
static void run(char *const *argv, const char *marker, int go, int failed)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	if (marker)
		setenv("RECLAIMLAB_TRACE_MARKER", marker, 1);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

int rec_command_start(struct rec_command *c, char *const *argv, const char *marker,
		      struct rl_msg *msg)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC))
		return rl_fail_errno(msg, errno, "pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return rl_fail_errno(msg, errno, "pipe");
	}
	c->pid = fork();
	if (!c->pid) {
		close(go[1]);
		close(failed[0]);
		run(argv, marker, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	c->go = go[1];
	c->failed = failed[0];
	if (c->pid > 0) {
		c->end = (int)syscall(SYS_pidfd_open, c->pid, 0);
		return 0;
	}
	c->pid = 0;
	rec_command_close(c);
	return rl_fail_errno(msg, errno, "fork");
}

int rec_command_go(struct rec_command *c, char *const *argv, struct rl_msg *msg)
{
	int err = 0;

	if (!c->pid)
		return 0;
	if (write(c->go, "", 1) != 1)
		return rl_fail_errno(msg, errno, "%s", argv[0]);
	/* An exec that succeeds closes the other end. */
	if (read(c->failed, &err, sizeof(err)) == sizeof(err))
		return rl_fail_errno(msg, err, "%s", argv[0]);
	return 0;
}

bool rec_command_ended(struct rec_command *c, int *status)
{
	if (!c->pid || waitpid(c->pid, status, WNOHANG) != c->pid)
		return false;
	c->pid = 0;
	return true;
}

void rec_command_wait(struct rec_command *c, uint64_t ns)
{
	struct pollfd end = { .fd = c->pid ? c->end : -1, .events = POLLIN };
	struct timespec ts;

	if (c->pid && c->end < 0 && ns > LOOK_NS)
		ns = LOOK_NS;
	ts = (struct timespec){ .tv_sec = (time_t)(ns / RL_NS_PER_S),
				.tv_nsec = (long)(ns % RL_NS_PER_S) };
	ppoll(&end, 1, &ts, NULL);
}

void rec_command_close(struct rec_command *c)
{
	if (c->go >= 0)
		close(c->go);
	if (c->failed >= 0)
		close(c->failed);
	if (c->end >= 0)
		close(c->end);
	c->go = c->failed = c->end = -1;
	if (c->pid) {
		kill(c->pid, SIGTERM);
		waitpid(c->pid, NULL, 0);
	}
	c->pid = 0;
}
