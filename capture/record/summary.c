/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/record/meta.h"

#define HISTOGRAM_MAX (16 << 20)

enum summary_kind { SUMMARY_SYNTHETIC, SUMMARY_TRIGGER, SUMMARY_HISTOGRAM };

struct summary_entry {
	enum summary_kind kind;
	const char *name; /* of a synthetic event or of a histogram's marker */
	const char *system;
	const char *event;
	const char *text;
};

static const struct summary_entry entries[] = {
#define SYNTHETIC(name, fields)		     { SUMMARY_SYNTHETIC, name, NULL, NULL, fields },
#define TRIGGER(system, event, text)	     { SUMMARY_TRIGGER, NULL, system, event, text },
#define HISTOGRAM(name, system, event, text) { SUMMARY_HISTOGRAM, name, system, event, text },
#include "capture/record/summary.def"
#undef SYNTHETIC
#undef TRIGGER
#undef HISTOGRAM
};

#define NR_ENTRIES (sizeof(entries) / sizeof(entries[0]))

struct summary {
	struct rec_instance *inst;
	bool made[NR_ENTRIES];
};

static int append(const char *path, const char *text)
{
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	int err = 0;

	if (fd < 0)
		return path ? -errno : -ENOMEM;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return -err;
}

static int synthetic(const struct summary_entry *e, bool remove)
{
	char *path = tracefs_get_tracing_file("synthetic_events");
	char text[256];
	int ret;

	snprintf(text, sizeof(text), "%s%s %s", remove ? "!" : "", e->name, remove ? "" : e->text);
	ret = append(path, text);
	tracefs_put_tracing_file(path);
	return ret;
}

static int trigger(struct rec_instance *inst, const struct summary_entry *e, bool remove)
{
	char file[160];
	char text[512];
	char *path;
	int ret;

	snprintf(file, sizeof(file), "events/%s/%s/trigger", e->system, e->event);
	snprintf(text, sizeof(text), "%s%s", remove ? "!" : "", e->text);
	path = tracefs_instance_get_file(inst->tracefs, file);
	ret = append(path, text);
	tracefs_put_tracing_file(path);
	return ret;
}

static int make(struct summary *s, const struct summary_entry *e)
{
	int ret;

	if (e->kind != SUMMARY_SYNTHETIC)
		return trigger(s->inst, e, false);
	ret = synthetic(e, false);
	/* Left by a recorder that was killed: the kernel refuses to remove one that is in use. */
	if (ret == -EEXIST && synthetic(e, true) == 0)
		ret = synthetic(e, false);
	return ret;
}

int summary_open(struct rec_instance *inst, struct summary **out,
		 void (*warn)(void *ctx, const char *line), void *ctx, struct rl_msg *msg)
{
	struct summary *s;

	if (!tracefs_file_exists(NULL, "synthetic_events"))
		return rl_fail(msg, ENOTSUP,
			       "this kernel has no histograms with synthetic events "
			       "(CONFIG_HIST_TRIGGERS, CONFIG_SYNTH_EVENTS)");
	s = calloc(1, sizeof(*s));
	if (!s)
		return rl_fail(msg, ENOMEM, "out of memory");
	s->inst = inst;
	for (size_t i = 0; i < NR_ENTRIES; i++) {
		const struct summary_entry *e = &entries[i];
		char line[RL_MSG_SIZE];
		int ret = make(s, e);

		s->made[i] = !ret;
		if (ret == -EEXIST || ret == -EBUSY) {
			summary_close(s);
			return rl_fail(msg, EBUSY, "synthetic event %s: another summary runs",
				       e->name);
		}
		if (!ret || !warn)
			continue;
		snprintf(line, sizeof(line), "histogram of %s%s%s cannot be made: %s",
			 e->system ? e->system : "", e->system ? ":" : "",
			 e->event ? e->event : e->name, strerror(-ret));
		warn(ctx, line);
	}
	*out = s;
	return 0;
}

/* Keep the lines "{ keys } values" and the totals' "Dropped:"; the rest is decoration. */
static void write_histogram(const struct summary_entry *e, const struct meta_text *text,
			    struct sampler *sampler)
{
	const char *p = text->data;

	while (*p) {
		size_t len = strcspn(p, "\n");

		if (*p == '{' || memmem(p, len, "Dropped:", 8))
			sampler_lines(sampler, "hist", e->name, p, len);
		p += len;
		p += *p == '\n';
	}
}

void summary_write(struct summary *s, struct sampler *sampler)
{
	for (size_t i = 0; i < NR_ENTRIES; i++) {
		struct meta_text text;
		char file[160];
		char *path;

		if (!s->made[i] || entries[i].kind != SUMMARY_HISTOGRAM)
			continue;
		snprintf(file, sizeof(file), "events/%s/%s/hist", entries[i].system,
			 entries[i].event);
		path = tracefs_instance_get_file(s->inst->tracefs, file);
		if (path && !meta_read_file(path, HISTOGRAM_MAX, &text, NULL)) {
			write_histogram(&entries[i], &text, sampler);
			free(text.data);
		}
		tracefs_put_tracing_file(path);
	}
}

void summary_events(const struct summary *s, FILE *out)
{
	for (size_t i = 0; i < NR_ENTRIES; i++)
		if (s->made[i] && entries[i].system && strcmp(entries[i].system, "synthetic"))
			fprintf(out, "%s:%s\n", entries[i].system, entries[i].event);
}

void summary_remove(int dir)
{
	for (size_t i = NR_ENTRIES; i-- > 0;) {
		const struct summary_entry *e = &entries[i];
		char file[160];
		char text[512];
		int fd;

		if (e->kind == SUMMARY_SYNTHETIC)
			continue;
		snprintf(file, sizeof(file), "events/%s/%s/trigger", e->system, e->event);
		snprintf(text, sizeof(text), "!%s", e->text);
		fd = openat(dir, file, O_WRONLY | O_APPEND | O_CLOEXEC);
		if (fd < 0)
			continue;
		/* One that was never made is no reason to stop. */
		if (write(fd, text, strlen(text)) < 0)
			errno = 0;
		close(fd);
	}
}

void summary_close(struct summary *s)
{
	if (!s)
		return;
	for (size_t i = NR_ENTRIES; i-- > 0;) {
		if (!s->made[i])
			continue;
		if (entries[i].kind == SUMMARY_SYNTHETIC)
			synthetic(&entries[i], true);
		else
			trigger(s->inst, &entries[i], true);
	}
	free(s);
}
