/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/record/doctor_private.h"

#define CAP_SYS_ADMIN_BIT 21 /* linux/capability.h */

enum doctor_state doctor_look_kernel(const struct doctor_place *place, const char *path,
				     struct doctor_text out)
{
	char release[100];
	struct utsname uts;

	doctor_line(place, path, release, sizeof(release));
	doctor_add(out, "%s %s", release, uname(&uts) ? "" : uts.machine);
	return DOCTOR_FACT;
}

enum doctor_state doctor_look_processors(const struct doctor_place *place, const char *path,
					 struct doctor_text out)
{
	char cpus[64], nodes[64];

	doctor_line(place, path, cpus, sizeof(cpus));
	doctor_line(place, "/sys/devices/system/node/online", nodes, sizeof(nodes));
	doctor_add(out, "CPU %s", cpus);
	if (*nodes)
		doctor_add(out, ", node %s", nodes);
	return DOCTOR_FACT;
}

/* The value of "key:  123 kB" in KiB, 0 where there is none. */
static int64_t meminfo(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? strtoll(line + strlen(key), NULL, 10) : 0;
}

enum doctor_state doctor_look_memory(const struct doctor_place *place, const char *path,
				     struct doctor_text out)
{
	char text[1024];

	doctor_read(place, path, text, sizeof(text));
	doctor_add(out, "%.1f GiB, %.1f GiB available, pages of %ld KiB",
		   (double)meminfo(text, "MemTotal:") / (1 << 20),
		   (double)meminfo(text, "MemAvailable:") / (1 << 20),
		   sysconf(_SC_PAGESIZE) / 1024);
	return DOCTOR_FACT;
}

static uint64_t effective_capabilities(const char *status)
{
	const char *line = strstr(status, "\nCapEff:");

	return line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;
}

enum doctor_state doctor_look_rights(const struct doctor_place *place, const char *path,
				     struct doctor_text out)
{
	char status[2048];

	doctor_read(place, path, status, sizeof(status));
	if (effective_capabilities(status) >> CAP_SYS_ADMIN_BIT & 1) {
		doctor_add(out, "CAP_SYS_ADMIN");
		return DOCTOR_YES;
	}
	doctor_add(out, "user %u without CAP_SYS_ADMIN", geteuid());
	return DOCTOR_NO;
}

/* "none [integrity] confidentiality": only the last one closes tracefs (security/security.c). */
enum doctor_state doctor_look_lockdown(const struct doctor_place *place, const char *path,
				       struct doctor_text out)
{
	char line[80], *mode;
	bool closed = false;

	doctor_line(place, path, line, sizeof(line));
	mode = strchr(line, '[');
	if (mode) {
		closed = !strncmp(mode, "[confidentiality]", strlen("[confidentiality]"));
		doctor_add(out, "%.*s", (int)strcspn(mode + 1, "]"), mode + 1);
	} else {
		doctor_add(out, "none");
	}
	return closed ? DOCTOR_NO : DOCTOR_YES;
}

enum doctor_state doctor_look_paranoid(const struct doctor_place *place, const char *path,
				       struct doctor_text out)
{
	int64_t level = doctor_number(place, path, INT64_MIN);

	if (level == INT64_MIN)
		doctor_add(out, "no perf events in this kernel");
	else
		doctor_add(out, "%" PRId64 "; a recording here does not need it, perf record%s",
			   level, level >= 0 ? " needs root then" : " does");
	return DOCTOR_FACT;
}
