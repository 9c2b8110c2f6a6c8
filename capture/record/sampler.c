/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/read/counter_marker.h"

#define SAMPLE_MAX 65536 /* bytes of one file that are looked at */

struct sample_source {
	const char *path;  /* NULL: the file of that name in the cgroup */
	const char *file;  /* name in the marker */
	const char *scope; /* NULL: the cgroup */
	bool once;	   /* only in snapshots */
	/* Beginnings of the lines that a fast sample keeps, and of headings; NULL: not in it. */
	const char *const *fast;
	const char *const *headings;
};

static const char *const zone_headings[] = { "Node ", "cpu: ", NULL };
static const char *const zone_fast[] = { "pages free", "boost", "count:", "high:", NULL };
static const char *const vmstat_fast[] = { "nr_free_pages", "pgalloc_", "pgmigrate_", NULL };

static const struct sample_source proc_sources[] = {
	{ "/proc/vmstat", "vmstat", "-", false, vmstat_fast, NULL },
	{ "/proc/zoneinfo", "zoneinfo", "-", false, zone_fast, zone_headings },
	{ "/proc/meminfo", "meminfo", "-", false, NULL, NULL },
	{ "/proc/buddyinfo", "buddyinfo", "-", false, NULL, NULL },
	{ "/proc/pagetypeinfo", "pagetypeinfo", "-", true, NULL, NULL },
	{ "/proc/diskstats", "diskstats", "-", false, NULL, NULL },
	{ "/proc/pressure/memory", "pressure", "memory", false, NULL, NULL },
	{ "/proc/pressure/io", "pressure", "io", false, NULL, NULL },
	{ "/proc/pressure/cpu", "pressure", "cpu", false, NULL, NULL },
};

static const struct sample_source cgroup_sources[] = {
	{ NULL, "memory.stat", NULL, false, NULL, NULL },
	{ NULL, "memory.events", NULL, false, NULL, NULL },
	{ NULL, "memory.current", NULL, false, NULL, NULL },
	{ NULL, "memory.pressure", NULL, false, NULL, NULL },
};

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* What was written last; one for full samples and one for fast ones. */
struct sample_text {
	size_t len;
	char text[SAMPLE_MAX];
};

struct sample_file {
	const struct sample_source *source;
	const char *scope;
	int fd;
	struct sample_text full;
	struct sample_text fast;
};

struct sampler {
	int marker;
	int refresh;
	uint64_t number;
	unsigned int nr_files;
	size_t mapped;
	struct sample_text now;
	struct sample_file file[];
};

/* One line of a text, without leading blanks and the newline. */
struct line {
	const char *text;
	size_t len;
};

static bool next_line(const char **p, const char *end, struct line *line)
{
	const char *stop;

	while (*p < end && (**p == ' ' || **p == '\t'))
		(*p)++;
	if (*p >= end)
		return false;
	stop = memchr(*p, '\n', end - *p);
	line->text = *p;
	line->len = (stop ? stop : end) - *p;
	*p = stop ? stop + 1 : end;
	return true;
}

/* Index of the member of @list that @line begins with, or -1. */
static int begins_with(const struct line *line, const char *const *list)
{
	for (int i = 0; list && list[i]; i++) {
		size_t len = strlen(list[i]);

		if (line->len >= len && !memcmp(line->text, list[i], len))
			return i;
	}
	return -1;
}

/* A marker being put together. */
struct marker {
	struct sampler *sampler;
	const char *file;
	const char *scope;
	size_t len;
	size_t start; /* of the lines */
	char text[COUNTER_MARKER_MAX];
};

static void marker_begin(struct marker *m)
{
	m->len = snprintf(m->text, sizeof(m->text), COUNTER_MARKER_MAGIC "%llu %s %.200s|",
			  (unsigned long long)m->sampler->number, m->file, m->scope);
	m->start = m->len;
}

static void marker_flush(struct marker *m)
{
	if (m->len > m->start && write(m->sampler->marker, m->text, m->len) < 0)
		return;
	marker_begin(m);
}

static bool marker_add(struct marker *m, const struct line *line)
{
	if (m->len + line->len + 1 > sizeof(m->text))
		return false;
	memcpy(m->text + m->len, line->text, line->len);
	m->len += line->len;
	m->text[m->len++] = ';';
	return true;
}

#define NR_HEADINGS 2

/* Write the lines of @now that differ from those of @old; all of them where the shape changed. */
static void write_changes(struct sampler *s, const struct sample_file *file,
			  const struct sample_text *old, const struct sample_text *now)
{
	const char *const *headings = file->source->headings;
	const char *o = old->text, *o_end = old->text + old->len;
	const char *n = now->text, *n_end = now->text + now->len;
	struct line heading[NR_HEADINGS] = { 0 };
	bool written[NR_HEADINGS] = { 0 };
	struct marker m = { .sampler = s, .file = file->source->file, .scope = file->scope };
	struct line line, before;

	marker_begin(&m);
	while (next_line(&n, n_end, &line)) {
		bool same = next_line(&o, o_end, &before) && before.len == line.len &&
			    !memcmp(before.text, line.text, line.len);
		int level = begins_with(&line, headings);

		if (level >= 0) {
			for (int i = level; i < NR_HEADINGS; i++)
				written[i] = false;
			for (int i = level + 1; i < NR_HEADINGS; i++)
				heading[i].len = 0;
			heading[level] = line;
			continue;
		}
		if (same)
			continue;
		for (int attempt = 0; attempt < 2; attempt++) {
			bool fits = true;

			for (int i = 0; i < NR_HEADINGS && fits; i++) {
				if (!heading[i].len || written[i])
					continue;
				fits = marker_add(&m, &heading[i]);
				written[i] = fits;
			}
			if (fits && marker_add(&m, &line))
				break;
			marker_flush(&m);
			memset(written, 0, sizeof(written));
		}
	}
	marker_flush(&m);
}

static bool read_file(struct sample_file *file, struct sample_text *now)
{
	ssize_t n;

	now->len = 0;
	while (now->len < sizeof(now->text)) {
		n = pread(file->fd, now->text + now->len, sizeof(now->text) - now->len, now->len);
		if (n < 0)
			return false;
		if (n == 0)
			break;
		now->len += n;
	}
	return true;
}

/* Keep of @now what a fast sample of @source wants. */
static void keep_fast(const struct sample_source *source, struct sample_text *now)
{
	const char *p = now->text, *end = now->text + now->len;
	struct line line;
	size_t len = 0;

	while (next_line(&p, end, &line)) {
		if (begins_with(&line, source->fast) < 0 &&
		    begins_with(&line, source->headings) < 0)
			continue;
		memmove(now->text + len, line.text, line.len);
		len += line.len;
		now->text[len++] = '\n';
	}
	now->len = len;
}

static void sample_one(struct sampler *s, struct sample_file *file, bool fast, bool complete)
{
	struct sample_text *old = fast ? &file->fast : &file->full;

	if (!read_file(file, &s->now))
		return;
	if (fast)
		keep_fast(file->source, &s->now);
	if (complete)
		old->len = 0;
	write_changes(s, file, old, &s->now);
	memcpy(old->text, s->now.text, s->now.len);
	old->len = s->now.len;
}

void sampler_full(struct sampler *s)
{
	s->number++;
	for (unsigned int i = 0; i < s->nr_files; i++)
		if (!s->file[i].source->once)
			sample_one(s, &s->file[i], false, false);
}

void sampler_fast(struct sampler *s)
{
	s->number++;
	for (unsigned int i = 0; i < s->nr_files; i++)
		if (s->file[i].source->fast)
			sample_one(s, &s->file[i], true, false);
}

static void write_label(struct sampler *s, const char *what, const char *label)
{
	char text[RL_MSG_SIZE + 64];
	int len = snprintf(text, sizeof(text), "%s %s", what, label);

	if (write(s->marker, text, len) < 0)
		return;
}

static void refresh(struct sampler *s)
{
	if (s->refresh >= 0 && pwrite(s->refresh, "1", 1, 0) < 0)
		s->refresh = -1;
}

static void complete(struct sampler *s, bool all)
{
	s->number++;
	for (unsigned int i = 0; i < s->nr_files; i++)
		if (all || !s->file[i].source->once)
			sample_one(s, &s->file[i], false, true);
}

void sampler_snapshot(struct sampler *s, const char *label)
{
	refresh(s);
	write_label(s, "SNAP", label);
	complete(s, true);
	write_label(s, "SNAPEND", label);
}

void sampler_all(struct sampler *s)
{
	complete(s, true);
}

void sampler_base(struct sampler *s)
{
	complete(s, false);
}

void sampler_note(struct sampler *s, const char *what, const char *text)
{
	write_label(s, what, text);
}

void sampler_lines(struct sampler *s, const char *file, const char *scope, const char *text,
		   size_t len)
{
	struct marker m = { .sampler = s, .file = file, .scope = scope };
	const char *end = text + len;
	struct line line;

	marker_begin(&m);
	while (next_line(&text, end, &line)) {
		if (marker_add(&m, &line))
			continue;
		marker_flush(&m);
		marker_add(&m, &line);
	}
	marker_flush(&m);
}

static void add_files(struct sampler *s, const struct sample_source *sources, size_t nr,
		      const char *cgroup)
{
	char path[4096];

	for (size_t i = 0; i < nr; i++) {
		struct sample_file *file = &s->file[s->nr_files];

		if (cgroup)
			snprintf(path, sizeof(path), "%s/%s", cgroup, sources[i].file);
		else
			snprintf(path, sizeof(path), "%s", sources[i].path);
		file->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (file->fd < 0)
			continue;
		file->source = &sources[i];
		file->scope = sources[i].scope ? sources[i].scope : cgroup;
		s->nr_files++;
	}
}

static int check_cgroup(const char *cgroup, struct rl_msg *msg)
{
	char path[4096];

	if (strpbrk(cgroup, "|; \n") || strlen(cgroup) > 200)
		return rl_fail(msg, EINVAL,
			       "cgroup '%s': a path without blanks, '|' and ';' of at most 200 "
			       "bytes was expected",
			       cgroup);
	snprintf(path, sizeof(path), "%s/memory.stat", cgroup);
	if (access(path, R_OK))
		return rl_fail_errno(msg, errno, "%s: a cgroup directory was expected", path);
	return 0;
}

int sampler_open(struct rec_instance *inst, const char *const *cgroups, struct sampler **out,
		 struct rl_msg *msg)
{
	size_t nr = ARRAY_LEN(proc_sources);
	struct sampler *s;
	size_t size;
	int ret;

	for (size_t i = 0; cgroups && cgroups[i]; i++) {
		ret = check_cgroup(cgroups[i], msg);
		if (ret)
			return ret;
		nr += ARRAY_LEN(cgroup_sources);
	}
	size = sizeof(*s) + nr * sizeof(s->file[0]);
	s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return rl_fail(msg, ENOMEM, "no memory for counter samples");
	s->mapped = size;
	s->marker = tracefs_instance_file_open(inst->tracefs, "trace_marker", O_WRONLY);
	s->refresh = open("/proc/sys/vm/stat_refresh", O_WRONLY | O_CLOEXEC);
	if (s->marker < 0) {
		ret = rl_fail_errno(msg, errno, "trace_marker of the instance");
		sampler_close(s);
		return ret;
	}
	add_files(s, proc_sources, ARRAY_LEN(proc_sources), NULL);
	for (size_t i = 0; cgroups && cgroups[i]; i++)
		add_files(s, cgroup_sources, ARRAY_LEN(cgroup_sources), cgroups[i]);
	*out = s;
	return 0;
}

void sampler_close(struct sampler *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->nr_files; i++)
		close(s->file[i].fd);
	if (s->marker >= 0)
		close(s->marker);
	if (s->refresh >= 0)
		close(s->refresh);
	munmap(s, s->mapped);
}
