/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/record/doctor_private.h"

void doctor_path(const struct doctor_place *place, const char *path, char *out, size_t size)
{
	if (path[0] == '/')
		snprintf(out, size, "%s%s", place->root, path);
	else
		snprintf(out, size, "%s/%s", place->tracing ? place->tracing : "", path);
}

int doctor_read(const struct doctor_place *place, const char *path, char *out, size_t size)
{
	char full[512];
	size_t len = 0;
	ssize_t n = 1;
	int fd, err;

	out[0] = '\0';
	doctor_path(place, path, full, sizeof(full));
	fd = open(full, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len + 1 < size && n > 0) {
		n = read(fd, out + len, size - 1 - len);
		err = errno;
		len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	out[len] = '\0';
	return n < 0 ? -err : 0;
}

void doctor_line(const struct doctor_place *place, const char *path, char *out, size_t size)
{
	doctor_read(place, path, out, size);
	out[strcspn(out, "\n")] = '\0';
}

int64_t doctor_number(const struct doctor_place *place, const char *path, int64_t absent)
{
	char line[64], *end;
	int64_t value;

	doctor_line(place, path, line, sizeof(line));
	value = strtoll(line, &end, 10);
	return end == line ? absent : value;
}

void doctor_add(struct doctor_text out, const char *fmt, ...)
{
	size_t len = strlen(out.text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out.text + len, out.size - len, fmt, ap);
	va_end(ap);
}

bool doctor_find_tracing(const char *root, char *path, size_t size)
{
	const struct doctor_place place = { .root = root };
	char text[16384], *line, *save = NULL;
	bool found = false;

	doctor_read(&place, "/proc/mounts", text, sizeof(text));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char where[256], type[32];

		if (sscanf(line, "%*s %255s %31s", where, type) != 2)
			continue;
		if (!strcmp(type, "tracefs")) {
			snprintf(path, size, "%s%s", root, where);
			return true;
		}
		if (!strcmp(type, "debugfs") && !found) {
			snprintf(path, size, "%s%s/tracing", root, where);
			found = !access(path, F_OK);
		}
	}
	return found;
}

static enum doctor_state look_access(const struct doctor_place *place, const char *path, int mode,
				     struct doctor_text out)
{
	char full[512];

	doctor_path(place, path, full, sizeof(full));
	if (!access(full, mode)) {
		doctor_add(out, "%s", path);
		return DOCTOR_YES;
	}
	if (errno == ENOENT)
		doctor_add(out, "no %s in this kernel", path);
	else
		doctor_add(out, "%s: %s", path, strerror(errno));
	return DOCTOR_NO;
}

static enum doctor_state look_file(const struct doctor_place *place, const char *path,
				   struct doctor_text out)
{
	return look_access(place, path, R_OK, out);
}

static enum doctor_state look_writable(const struct doctor_place *place, const char *path,
				       struct doctor_text out)
{
	return look_access(place, path, W_OK, out);
}

static enum doctor_state look_tracefs(const struct doctor_place *place, const char *path,
				      struct doctor_text out)
{
	if (!place->tracing) {
		doctor_add(out, "not mounted; a recording by root mounts it");
		return DOCTOR_NO;
	}
	doctor_add(out, "%s", place->tracing);
	if (!access(place->tracing, R_OK | W_OK | X_OK))
		return DOCTOR_YES;
	doctor_add(out, ": %s", strerror(errno));
	return DOCTOR_NO;
}

/* "[local] global mono ...": the one in brackets is in use, "mono" is what a recording takes. */
static enum doctor_state look_clocks(const struct doctor_place *place, const char *path,
				     struct doctor_text out)
{
	char line[160], *name, *save = NULL;
	bool mono = false;

	doctor_line(place, path, line, sizeof(line));
	for (name = strtok_r(line, " []", &save); name; name = strtok_r(NULL, " []", &save)) {
		doctor_add(out, "%s%s", *out.text ? " " : "", name);
		mono = mono || !strcmp(name, "mono");
	}
	if (!*out.text)
		doctor_add(out, "%s cannot be read", path);
	return mono ? DOCTOR_YES : DOCTOR_NO;
}

static enum doctor_state look_buffers(const struct doctor_place *place, const char *path,
				      struct doctor_text out)
{
	int64_t page = doctor_number(place, "buffer_subbuf_size_kb", 0);
	char line[64];

	doctor_line(place, path, line, sizeof(line));
	if (!*line) {
		doctor_add(out, "%s cannot be read", path);
		return DOCTOR_NO;
	}
	doctor_add(out, "kernel's own %s KiB a CPU", line);
	if (page)
		doctor_add(out, ", in pages of %lld KiB", (long long)page);
	doctor_add(out, "; a recording takes its own");
	return DOCTOR_YES;
}

/* Addresses are zero where kernel.kptr_restrict hides them. */
static enum doctor_state look_symbols(const struct doctor_place *place, const char *path,
				      struct doctor_text out)
{
	int64_t restricted = doctor_number(place, "/proc/sys/kernel/kptr_restrict", 0);
	char line[64];

	doctor_line(place, path, line, sizeof(line));
	if (strtoull(line, NULL, 16)) {
		doctor_add(out, "%s", path);
		return DOCTOR_YES;
	}
	doctor_add(out,
		   *line ? "%s: addresses are hidden, kernel.kptr_restrict %lld"
			 : "%s cannot be read, kernel.kptr_restrict %lld",
		   path, (long long)restricted);
	return DOCTOR_NO;
}

static const struct {
	enum doctor_group group;
	const char *key, *name;
	doctor_look *look;
	const char *path; /* "/..." or below tracefs */
	const char *cost;
} rows[] = {
	{ DOCTOR_MACHINE, "kernel", "kernel", doctor_look_kernel, "/proc/sys/kernel/osrelease",
	  "" },
	{ DOCTOR_MACHINE, "processors", "processors", doctor_look_processors,
	  "/sys/devices/system/cpu/online", "" },
	{ DOCTOR_MACHINE, "memory", "memory", doctor_look_memory, "/proc/meminfo", "" },

	{ DOCTOR_RECORDING, "tracefs", "tracefs", look_tracefs, "", "recordings" },
	{ DOCTOR_RECORDING, "rights", "rights", doctor_look_rights, "/proc/self/status",
	  "recordings: run as root" },
	{ DOCTOR_RECORDING, "lockdown", "lockdown", doctor_look_lockdown,
	  "/sys/kernel/security/lockdown", "recordings: tracefs is closed, even to root" },
	{ DOCTOR_RECORDING, "instances", "instances", look_writable, "instances",
	  "recordings beside other tracers" },
	{ DOCTOR_RECORDING, "clocks", "clocks", look_clocks, "trace_clock",
	  "the clock mono, which the machine's other logs share" },
	{ DOCTOR_RECORDING, "buffers", "buffers", look_buffers, "buffer_size_kb",
	  "buffers of your size" },
	{ DOCTOR_RECORDING, "own_events", "own events left out", look_file, "set_event_notrace_pid",
	  "recordings free of the recorder's own events" },
	{ DOCTOR_RECORDING, "dynamic_probes", "dynamic probes", look_writable, "kprobe_events",
	  "accesses and references, where the kernel has no events for them" },
	{ DOCTOR_RECORDING, "btf", "BTF", look_file, "/sys/kernel/btf/vmlinux",
	  "the offsets that dynamic probes need" },
	{ DOCTOR_RECORDING, "histograms", "histograms", look_file,
	  "events/vmscan/mm_vmscan_direct_reclaim_begin/hist", "capture --summary" },
	{ DOCTOR_RECORDING, "synthetic_events", "synthetic events", look_writable,
	  "synthetic_events", "stall latency in capture --summary" },
	{ DOCTOR_RECORDING, "stat_refresh", "counter refresh", look_writable,
	  "/proc/sys/vm/stat_refresh", "counters exact to the page at begin and end" },
	{ DOCTOR_RECORDING, "psi", "pressure (PSI)", look_file, "/proc/pressure/memory",
	  "memory pressure beside the events" },
	{ DOCTOR_RECORDING, "symbols", "kernel symbols", look_symbols, "/proc/kallsyms",
	  "names of slab shrinkers" },
	{ DOCTOR_RECORDING, "pagetypeinfo", "free blocks by type", look_file, "/proc/pagetypeinfo",
	  "fragmentation at the begin" },
	{ DOCTOR_RECORDING, "paranoid", "perf_event_paranoid", doctor_look_paranoid,
	  "/proc/sys/kernel/perf_event_paranoid", "" },

	{ DOCTOR_MEMORY, "marks", "watermarks", doctor_look_marks, "/proc/sys/vm", "" },
	{ DOCTOR_MEMORY, "swap", "swap", doctor_look_swap, "/proc/swaps", "" },
	{ DOCTOR_MEMORY, "thp", "huge pages (THP)", doctor_look_thp,
	  "/sys/kernel/mm/transparent_hugepage", "" },
	{ DOCTOR_MEMORY, "mglru", "MGLRU", doctor_look_mglru, "/sys/kernel/mm/lru_gen/enabled",
	  "" },
	{ DOCTOR_MEMORY, "cgroup", "cgroups", doctor_look_cgroup, "/proc/mounts", "" },
	{ DOCTOR_MEMORY, "numa", "NUMA", doctor_look_numa, "/sys/devices/system/node/online", "" },
	{ DOCTOR_MEMORY, "dirty", "dirty limits", doctor_look_dirty, "/proc/sys/vm", "" },
};

bool doctor_row_at(const struct doctor_place *place, unsigned int i, struct doctor_row *row)
{
	struct doctor_text out = { row->detail, sizeof(row->detail) };

	if (i >= sizeof(rows) / sizeof(rows[0]))
		return false;
	memset(row, 0, sizeof(*row));
	row->group = rows[i].group;
	row->key = rows[i].key;
	row->name = rows[i].name;
	row->cost = rows[i].cost;
	row->state = rows[i].look(place, rows[i].path, out);
	return true;
}
