/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

const char *rec_tracing_dir(struct rl_msg *msg)
{
	const char *dir = tracefs_tracing_dir();
	char path[512];

	if (!dir) {
		rl_fail(msg, ENOENT,
			geteuid() ? "tracefs is not mounted: recording needs root"
				  : "this kernel has no tracefs, or it cannot be mounted: "
				    "mount -t tracefs none /sys/kernel/tracing");
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/instances", dir);
	if (access(path, R_OK | W_OK | X_OK) == 0)
		return dir;
	if (errno == EROFS)
		rl_fail(msg, EROFS, "%s: is mounted read-only: mount -o remount,rw %s", dir, dir);
	else if (errno == ENOENT && geteuid() == 0)
		rl_fail(msg, ENOENT, "%s: this kernel's tracefs has no instances", dir);
	else
		rl_fail(msg, EACCES, "%s: no permission: recording needs root", dir);
	return NULL;
}

int rec_tracing_lock(struct rl_msg *msg)
{
	const char *dir = rec_tracing_dir(msg);
	char path[512];
	int fd;

	if (!dir)
		return -EACCES;
	snprintf(path, sizeof(path), "%s/instances", dir);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return rl_fail_errno(msg, errno, "%s", path);
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			break;
	return fd;
}

/* Without CONFIG_FILE_LOCKING every instance counts as alive, and cleaning up removes none. */
static int lock_instance(struct rec_instance *inst, struct rl_msg *msg)
{
	inst->lock = tracefs_instance_file_open(inst->tracefs, REC_INSTANCE_LOCK, O_WRONLY);
	if (inst->lock < 0 || (flock(inst->lock, LOCK_EX | LOCK_NB) && errno != ENOSYS))
		return rl_fail_errno(msg, errno, "%s: its lock", inst->name);
	return 0;
}

int rec_instance_open(struct rec_instance *inst, const char *suffix, struct rl_msg *msg)
{
	const char *dir = rec_tracing_dir(msg);
	int ret;

	memset(inst, 0, sizeof(*inst));
	inst->lock = -1;
	if (!dir)
		return -EACCES;
	snprintf(inst->name, sizeof(inst->name), REC_INSTANCE_PREFIX "%d%s", getpid(), suffix);
	inst->tracefs = tracefs_instance_create(inst->name);
	if (!inst->tracefs) {
		ret = errno ? errno : EIO;
		return rl_fail_errno(msg, ret, "%s/instances/%s: cannot be created", dir,
				     inst->name);
	}
	ret = rec_instance_on(inst, false, msg);
	if (!ret)
		ret = lock_instance(inst, msg);
	if (ret)
		rec_instance_close(inst);
	return ret;
}

void rec_instance_close(struct rec_instance *inst)
{
	if (!inst->tracefs)
		return;
	rec_instance_on(inst, false, NULL);
	rec_instance_write(inst, "events/enable", "0", NULL);
	if (inst->lock >= 0)
		close(inst->lock);
	inst->lock = -1;
	tracefs_instance_destroy(inst->tracefs);
	tracefs_instance_free(inst->tracefs);
	inst->tracefs = NULL;
}

static int write_file(const char *path, int flags, const char *value, struct rl_msg *msg)
{
	size_t len = strlen(value);
	int err = 0;
	int fd;

	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		return rl_fail_errno(msg, errno, "%s", path);
	if (write(fd, value, len) != (ssize_t)len)
		err = errno;
	close(fd);
	if (err)
		return rl_fail_errno(msg, err, "%s: cannot take '%s'", path, value);
	return 0;
}

static int instance_file(struct rec_instance *inst, const char *file, int flags, const char *value,
			 struct rl_msg *msg)
{
	char *path = tracefs_instance_get_file(inst->tracefs, file);
	int ret;

	if (!path)
		return rl_fail(msg, ENOMEM, "out of memory");
	ret = write_file(path, flags, value, msg);
	tracefs_put_tracing_file(path);
	return ret;
}

int rec_instance_write(struct rec_instance *inst, const char *file, const char *value,
		       struct rl_msg *msg)
{
	return instance_file(inst, file, O_WRONLY | O_TRUNC, value, msg);
}

int rec_instance_clock(struct rec_instance *inst, const char *clock, struct rl_msg *msg)
{
	char *list;
	int ret;

	ret = rec_instance_write(inst, "trace_clock", clock, msg);
	if (ret != -EINVAL)
		return ret;
	list = tracefs_instance_file_read(inst->tracefs, "trace_clock", NULL);
	rl_fail(msg, EINVAL, "clock '%s' is none of this kernel's: %s", clock, list ? list : "");
	free(list);
	return -EINVAL;
}

int rec_instance_buffer(struct rec_instance *inst, unsigned int kb, struct rl_msg *msg)
{
	char value[16];

	snprintf(value, sizeof(value), "%u", kb);
	return rec_instance_write(inst, "buffer_size_kb", value, msg);
}

static int set_filter(struct rec_instance *inst, const char *dir, const char *filter,
		      struct rl_msg *msg)
{
	char file[256];
	char *reason;
	int ret;

	snprintf(file, sizeof(file), "%s/filter", dir);
	ret = rec_instance_write(inst, file, filter, msg);
	if (ret != -EINVAL)
		return ret;
	reason = tracefs_error_last(inst->tracefs);
	rl_fail(msg, EINVAL, "%s: the kernel does not accept the filter '%s'%s%s", dir + 7, filter,
		reason ? ": " : "", reason ? reason : "");
	free(reason);
	return -EINVAL;
}

int rec_instance_enable(struct rec_instance *inst, const char *system, const char *name,
			const char *filter, struct rl_msg *msg)
{
	char dir[224];
	char file[256];
	int ret;

	if (name)
		snprintf(dir, sizeof(dir), "events/%s/%s", system, name);
	else
		snprintf(dir, sizeof(dir), "events/%s", system);
	if (filter) {
		ret = set_filter(inst, dir, filter, msg);
		if (ret)
			return ret;
	}
	snprintf(file, sizeof(file), "%s/enable", dir);
	ret = rec_instance_write(inst, file, "1", msg);
	if (ret == -ENOENT)
		return rl_fail(msg, ENOENT, "this kernel has no event %s%s%s", system,
			       name ? ":" : "", name ? name : "");
	return ret;
}

/* How many events of @system were enabled, or a negative errno. */
static int enable_in_system(struct rec_instance *inst, const char *system, const char *name,
			    const char *filter, struct rl_msg *msg)
{
	char **events = tracefs_system_events(NULL, system);
	int enabled = 0, ret = 0;

	for (unsigned int i = 0; events && events[i] && !ret; i++) {
		if (name && fnmatch(name, events[i], 0))
			continue;
		ret = rec_instance_enable(inst, system, events[i], filter, msg);
		enabled++;
	}
	tracefs_list_free(events);
	return ret ? ret : enabled;
}

int rec_instance_enable_matching(struct rec_instance *inst, const char *system, const char *name,
				 const char *filter, struct rl_msg *msg)
{
	char **systems = tracefs_event_systems(NULL);
	int enabled = 0, ret = 0;

	/* The events of ftrace are those of tracers and cannot be enabled. */
	for (unsigned int i = 0; systems && systems[i] && ret >= 0; i++) {
		if (!strcmp(systems[i], "ftrace") || fnmatch(system, systems[i], 0))
			continue;
		ret = enable_in_system(inst, systems[i], name, filter, msg);
		enabled += ret;
	}
	tracefs_list_free(systems);
	if (ret >= 0 && !enabled)
		return rl_fail(msg, ENOENT, "this kernel has no event like %s%s%s", system,
			       name ? ":" : "", name ? name : "");
	return ret < 0 ? ret : 0;
}

bool rec_instance_is_enabled(struct rec_instance *inst, const char *system, const char *name)
{
	char *state = tracefs_event_file_read(inst->tracefs, system, name, "enable", NULL);
	bool on = state && state[0] == '1';

	free(state);
	return on;
}

static int append_tid(struct rec_instance *inst, const char *file, pid_t tid, struct rl_msg *msg)
{
	char value[16];

	snprintf(value, sizeof(value), "%d", tid);
	return instance_file(inst, file, O_WRONLY | O_APPEND, value, msg);
}

int rec_instance_ignore(struct rec_instance *inst, pid_t tid, struct rl_msg *msg)
{
	return append_tid(inst, "set_event_notrace_pid", tid, msg);
}

int rec_instance_only(struct rec_instance *inst, pid_t tid, struct rl_msg *msg)
{
	return append_tid(inst, "set_event_pid", tid, msg);
}

int rec_instance_pipe(struct rec_instance *inst, unsigned int cpu, struct rl_msg *msg)
{
	char file[64], nothing[4096];
	int fd;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	fd = tracefs_instance_file_open(inst->tracefs, file, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return rl_fail_errno(msg, errno ? errno : EIO, "%s", file);
	/* A CPU that was never online has no buffer yet. */
	if (read(fd, nothing, sizeof(nothing)) < 0 && errno != EAGAIN && errno != ENODEV) {
		int err = errno;

		close(fd);
		return rl_fail_errno(msg, err, "%s", file);
	}
	return fd;
}

int rec_instance_on(struct rec_instance *inst, bool on, struct rl_msg *msg)
{
	return rec_instance_write(inst, "tracing_on", on ? "1" : "0", msg);
}

bool rec_instance_tracing(struct rec_instance *inst)
{
	char *state = tracefs_instance_file_read(inst->tracefs, "tracing_on", NULL);
	bool on = !state || state[0] != '0';

	free(state);
	return on;
}

int rec_instance_clear(struct rec_instance *inst, struct rl_msg *msg)
{
	return rec_instance_write(inst, "trace", "", msg);
}
