/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/clock.h"

int rec_stats_open(struct rec_stats *stats, unsigned int cpus, struct rl_msg *msg)
{
	stats->cpus = cpus;
	stats->text = calloc(cpus, sizeof(*stats->text));
	return stats->text ? 0 : rl_fail(msg, ENOMEM, "out of memory");
}

void rec_stats_close(struct rec_stats *stats)
{
	free(stats->text);
	stats->text = NULL;
}

/* What stands behind "KEY: " at the begin of a line of @text, or NULL. */
static const char *find(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; *line; line = strchrnul(line, '\n'), line += *line != '\0')
		if (!strncmp(line, key, len) && line[len] == ':')
			return line + len + 1;
	return NULL;
}

static void append(char *text, size_t *len, const char *line, size_t n)
{
	if (*len + n >= REC_STATS_SIZE)
		return;
	memcpy(text + *len, line, n);
	*len += n;
	text[*len] = '\0';
}

/* Copy the kernel's text, with its overrun under another name where @ring. */
static void copy_text(char *text, unsigned int cpu, const char *stats, bool ring)
{
	size_t len = (size_t)snprintf(text, REC_STATS_SIZE, "CPU: %u\n", cpu);

	for (const char *line = stats; *line;) {
		size_t n = strcspn(line, "\n");

		n += line[n] == '\n';
		if (ring && !strncmp(line, "overrun:", 8)) {
			append(text, &len, "overrun: 0\noverwritten:", 23);
			append(text, &len, line + 8, n - 8);
		} else {
			append(text, &len, line, n);
		}
		line += n;
	}
}

void rec_stats_read(struct rec_stats *stats, struct rec_instance *inst, bool ring)
{
	for (unsigned int i = 0; i < stats->cpus; i++) {
		char name[64];
		char *text;

		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", i);
		text = tracefs_instance_file_read(inst->tracefs, name, NULL);
		copy_text(stats->text[i], i, text ? text : "", ring);
		free(text);
	}
}

uint64_t rec_stats_value(const struct rec_stats *stats, unsigned int cpu, const char *key)
{
	const char *value = find(stats->text[cpu], key);

	return value ? strtoull(value, NULL, 10) : 0;
}

void rec_stats_totals(const struct rec_stats *stats, struct rec_totals *totals)
{
	memset(totals, 0, sizeof(*totals));
	for (unsigned int i = 0; i < stats->cpus; i++) {
		totals->left += rec_stats_value(stats, i, "entries");
		totals->read += rec_stats_value(stats, i, "read events");
		totals->overrun += rec_stats_value(stats, i, "overrun");
		totals->dropped += rec_stats_value(stats, i, "dropped events");
		totals->overwritten += rec_stats_value(stats, i, "overwritten");
	}
}

/* "oldest event ts:  5398.123456": seconds with six digits. */
static bool read_seconds(const char *text, const char *key, uint64_t *ns)
{
	const char *value = find(text, key);
	char *end;
	uint64_t s;

	if (!value)
		return false;
	s = strtoull(value, &end, 10);
	if (*end != '.')
		return false;
	*ns = s * RL_NS_PER_S + strtoull(end + 1, NULL, 10) * UINT64_C(1000);
	return true;
}

bool rec_stats_complete(const struct rec_stats *stats, uint64_t *ns)
{
	uint64_t from = 0, oldest = UINT64_MAX, now = 0;

	for (unsigned int i = 0; i < stats->cpus; i++) {
		uint64_t first, at;

		if (!rec_stats_value(stats, i, "entries"))
			continue;
		if (!read_seconds(stats->text[i], "oldest event ts", &first) ||
		    !read_seconds(stats->text[i], "now ts", &at))
			return false;
		if (rec_stats_value(stats, i, "overwritten") && first > from)
			from = first;
		if (first < oldest)
			oldest = first;
		if (at > now)
			now = at;
	}
	if (!from)
		from = oldest;
	*ns = from < now ? now - from : 0;
	return true;
}
