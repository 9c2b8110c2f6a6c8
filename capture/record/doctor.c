/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <tracefs.h>

struct check_entry {
	const char *name;
	const char *cost;
	/* Fills @detail and says whether the facility is there. */
	bool (*look)(const char *tracing, const char *path, char *detail, size_t size);
	const char *path; /* "/..." absolute, else within tracefs */
};

static void full_path(const char *tracing, const char *path, char *out, size_t size)
{
	if (path[0] == '/')
		snprintf(out, size, "%s", path);
	else
		snprintf(out, size, "%s/%s", tracing, path);
}

static bool look_kernel(const char *tracing, const char *path, char *detail, size_t size)
{
	struct utsname uts;

	if (uname(&uts))
		return false;
	snprintf(detail, size, "%.60s %.40s", uts.release, uts.machine);
	return true;
}

static bool look_tracefs(const char *tracing, const char *path, char *detail, size_t size)
{
	if (!*tracing) {
		snprintf(detail, size, "not mounted");
		return false;
	}
	if (access(tracing, R_OK | W_OK | X_OK)) {
		snprintf(detail, size, "%s: no permission, run as root", tracing);
		return false;
	}
	snprintf(detail, size, "%s", tracing);
	return true;
}

static bool look_access(const char *tracing, const char *path, int mode, char *detail, size_t size)
{
	char full[512];

	full_path(tracing, path, full, sizeof(full));
	if (access(full, mode)) {
		snprintf(detail, size, "%s: %s", path, strerror(errno));
		return false;
	}
	snprintf(detail, size, "%s", path);
	return true;
}

static bool look_file(const char *tracing, const char *path, char *detail, size_t size)
{
	return look_access(tracing, path, R_OK, detail, size);
}

static bool look_writable(const char *tracing, const char *path, char *detail, size_t size)
{
	return look_access(tracing, path, W_OK, detail, size);
}

static bool look_content(const char *tracing, const char *path, char *detail, size_t size)
{
	char full[512];
	ssize_t n;
	int fd;

	full_path(tracing, path, full, sizeof(full));
	fd = open(full, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, detail, size - 1);
	if (n < 0)
		snprintf(detail, size, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return false;
	detail[n] = '\0';
	detail[strcspn(detail, "\n")] = '\0';
	return true;
}

static const struct check_entry checks[] = {
	{ "kernel", "", look_kernel, "" },
	{ "tracefs", "nothing can be recorded", look_tracefs, "" },
	{ "instances", "a recording of its own beside other tracers", look_writable, "instances" },
	{ "clocks", "a clock of your choice", look_content, "trace_clock" },
	{ "ring buffer kB", "", look_content, "buffer_size_kb" },
	{ "sub-buffer kB", "larger pages of the ring buffer (6.8 and later)", look_content,
	  "buffer_subbuf_size_kb" },
	{ "own events kept out", "the recorder's own events are in the trace", look_file,
	  "set_event_notrace_pid" },
	{ "dynamic probes", "accesses and references on a kernel without their tracepoints",
	  look_writable, "kprobe_events" },
	{ "BTF", "offsets for dynamic probes", look_file, "/sys/kernel/btf/vmlinux" },
	{ "histograms", "capture --summary", look_file,
	  "events/vmscan/mm_vmscan_direct_reclaim_begin/hist" },
	{ "synthetic events", "capture --summary: stall latency in the kernel", look_writable,
	  "synthetic_events" },
	{ "counter refresh", "counters exact to the page at the begin and the end", look_writable,
	  "/proc/sys/vm/stat_refresh" },
	{ "pressure (PSI)", "memory pressure beside the events", look_file,
	  "/proc/pressure/memory" },
	{ "kernel symbols", "names of slab shrinkers", look_file, "/proc/kallsyms" },
	{ "free blocks by type", "fragmentation at the begin", look_file, "/proc/pagetypeinfo" },
};

bool doctor_check_at(unsigned int i, struct doctor_check *check)
{
	const char *tracing = tracefs_tracing_dir();

	if (i >= sizeof(checks) / sizeof(checks[0]))
		return false;
	memset(check, 0, sizeof(*check));
	check->name = checks[i].name;
	check->cost = checks[i].cost;
	check->ok = checks[i].look(tracing ? tracing : "", checks[i].path, check->detail,
				   sizeof(check->detail));
	return true;
}
