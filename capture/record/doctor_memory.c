/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/read/counters.h"
#include "capture/record/doctor_private.h"

/* "name value, ..." of the settings of /proc/sys/vm that this kernel has. */
static void add_settings(const struct doctor_place *place, struct doctor_text out,
			 const char *const *names)
{
	char path[128], line[64];

	for (; *names; names++) {
		snprintf(path, sizeof(path), "/proc/sys/vm/%s", *names);
		doctor_line(place, path, line, sizeof(line));
		if (*line)
			doctor_add(out, "%s%s %s", *out.text ? ", " : "", *names, line);
	}
}

enum doctor_state doctor_look_marks(const struct doctor_place *place, const char *path,
				    struct doctor_text out)
{
	static const char *const names[] = { "min_free_kbytes", "watermark_scale_factor",
					     "watermark_boost_factor", NULL };

	add_settings(place, out, names);
	return DOCTOR_FACT;
}

enum doctor_state doctor_look_dirty(const struct doctor_place *place, const char *path,
				    struct doctor_text out)
{
	static const char *const names[] = { "dirty_ratio", "dirty_background_ratio", NULL };
	static const char *const bytes[] = { "dirty_bytes", "dirty_background_bytes", NULL };

	add_settings(place, out,
		     doctor_number(place, "/proc/sys/vm/dirty_bytes", 0) ? bytes : names);
	return DOCTOR_FACT;
}

static void add_zswap(const struct doctor_place *place, struct doctor_text out)
{
	char line[8];

	doctor_line(place, "/sys/module/zswap/parameters/enabled", line, sizeof(line));
	if (*line == 'Y')
		doctor_add(out, ", zswap");
}

/* A head, then "name type size used priority" in KiB, a line a device. */
enum doctor_state doctor_look_swap(const struct doctor_place *place, const char *path,
				   struct doctor_text out)
{
	char text[4096], *line, *save = NULL;
	int64_t size = 0, used = 0;
	unsigned int nr = 0;

	doctor_read(place, path, text, sizeof(text));
	strtok_r(text, "\n", &save);
	while ((line = strtok_r(NULL, "\n", &save))) {
		long long one = 0, one_used = 0;

		if (sscanf(line, "%*s %*s %lld %lld", &one, &one_used) != 2)
			continue;
		size += one;
		used += one_used;
		nr++;
	}
	if (!nr) {
		doctor_add(out, "none: reclaim has only file pages and slab to take");
		return DOCTOR_FACT;
	}
	doctor_add(out, "%u device%s, %.1f GiB, %.1f GiB used, swappiness %" PRId64, nr,
		   nr == 1 ? "" : "s", (double)size / (1 << 20), (double)used / (1 << 20),
		   doctor_number(place, "/proc/sys/vm/swappiness", 60));
	add_zswap(place, out);
	return DOCTOR_FACT;
}

/* The word in brackets of a file of choices. */
static bool add_choice(const struct doctor_place *place, const char *path, const char *before,
		       struct doctor_text out)
{
	char line[128], *word;

	doctor_line(place, path, line, sizeof(line));
	word = strchr(line, '[');
	if (word)
		doctor_add(out, "%s%.*s", before, (int)strcspn(word + 1, "]"), word + 1);
	return word;
}

enum doctor_state doctor_look_thp(const struct doctor_place *place, const char *path,
				  struct doctor_text out)
{
	if (!add_choice(place, "/sys/kernel/mm/transparent_hugepage/enabled", "", out))
		doctor_add(out, "not in this kernel");
	add_choice(place, "/sys/kernel/mm/transparent_hugepage/defrag", ", defrag ", out);
	return DOCTOR_FACT;
}

enum doctor_state doctor_look_mglru(const struct doctor_place *place, const char *path,
				    struct doctor_text out)
{
	char line[32];

	doctor_line(place, path, line, sizeof(line));
	if (!*line)
		doctor_add(out, "not in this kernel: active and inactive lists");
	else if (strtoul(line, NULL, 16) & 1)
		doctor_add(out, "on (%s)", line);
	else
		doctor_add(out, "off (%s): active and inactive lists", line);
	return DOCTOR_FACT;
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += len) {
		bool begins = at == text || strchr(" ,\n", at[-1]);

		if (begins && (!at[len] || strchr(" ,\n", at[len])))
			return true;
	}
	return false;
}

static bool unified_has_memory(const struct doctor_place *place, const char *where)
{
	char path[300], controllers[256];

	snprintf(path, sizeof(path), "%.250s/cgroup.controllers", where);
	doctor_line(place, path, controllers, sizeof(controllers));
	return has_word(controllers, "memory");
}

/* Where the memory controller is: lines of /proc/mounts are "device folder type options 0 0". */
enum doctor_state doctor_look_cgroup(const struct doctor_place *place, const char *path,
				     struct doctor_text out)
{
	char text[16384], *line, *save = NULL;

	doctor_read(place, path, text, sizeof(text));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char where[256], type[32], options[256];

		if (sscanf(line, "%*s %255s %31s %255s", where, type, options) != 3)
			continue;
		if (!strcmp(type, "cgroup") && has_word(options, "memory"))
			doctor_add(out, "version 1, memory limits at %s", where);
		else if (!strcmp(type, "cgroup2") && unified_has_memory(place, where))
			doctor_add(out, "version 2, memory limits at %s", where);
		if (*out.text)
			return DOCTOR_FACT;
	}
	doctor_add(out, "no memory controller is mounted");
	return DOCTOR_FACT;
}

enum doctor_state doctor_look_numa(const struct doctor_place *place, const char *path,
				   struct doctor_text out)
{
	static const char *const names[] = { "zone_reclaim_mode", NULL };
	char line[64];

	add_settings(place, out, names);
	doctor_line(place, "/sys/kernel/mm/numa/demotion_enabled", line, sizeof(line));
	if (*line)
		doctor_add(out, "%sdemotion %s", *out.text ? ", " : "",
			   !strcmp(line, "true") || !strcmp(line, "1") ? "on" : "off");
	if (!*out.text)
		doctor_add(out, "not in this kernel");
	return DOCTOR_FACT;
}

struct zone_list {
	struct doctor_zone *zones;
	unsigned int nr;
};

static int on_snapshot(void *ctx, const struct counters_snapshot *snapshot, struct rl_msg *msg)
{
	return 0;
}

/* Scopes are "node 0 zone Normal" and, for what is not wanted, "node 0 zone Normal cpu 1". */
static struct doctor_zone *zone_of(struct zone_list *list, const char *scope)
{
	struct doctor_zone *last = list->nr ? &list->zones[list->nr - 1] : NULL;
	char zone[32], name[48];
	int node, end = 0;

	if (sscanf(scope, "node %d zone %31s%n", &node, zone, &end) != 2 || scope[end])
		return NULL;
	snprintf(name, sizeof(name), "node %d %s", node, zone);
	if (last && !strcmp(last->name, name))
		return last;
	if (list->nr == DOCTOR_ZONES)
		return NULL;
	last = &list->zones[list->nr++];
	memset(last, 0, sizeof(*last));
	snprintf(last->name, sizeof(last->name), "%s", name);
	return last;
}

static int on_value(void *ctx, const struct counters_value *value, struct rl_msg *msg)
{
	struct doctor_zone *zone = zone_of(ctx, value->scope);
	struct {
		const char *name;
		int64_t *to;
	} fields[] = {
		{ "managed", zone ? &zone->managed : NULL },
		{ "free", zone ? &zone->free : NULL },
		{ "min", zone ? &zone->min : NULL },
		{ "low", zone ? &zone->low : NULL },
		{ "high", zone ? &zone->high : NULL },
		{ "boost", zone ? &zone->boost : NULL },
	};

	for (size_t i = 0; zone && i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(value->name, fields[i].name))
			*fields[i].to = value->value;
	return 0;
}

unsigned int doctor_zones(const struct doctor_place *place, struct doctor_zone zones[DOCTOR_ZONES])
{
	struct zone_list list = { .zones = zones };
	const struct counters_visitor visitor = { on_snapshot, on_value, &list };
	unsigned int kept = 0;
	struct rl_msg msg;
	char path[512];

	doctor_path(place, "/proc/zoneinfo", path, sizeof(path));
	if (counters_read(path, &visitor, &msg))
		return 0;
	for (unsigned int i = 0; i < list.nr; i++)
		if (zones[i].managed > 0)
			zones[kept++] = zones[i];
	return kept;
}
