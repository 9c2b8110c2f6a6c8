/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <tracefs.h>

struct probe_entry {
	const char *name;
	char kind;
	const char *functions;
	const char *arguments;
	const char *exact;
};

enum { P = 'p', R = 'r' };

static const struct probe_entry probe_table[] = {
#define PROBE(name, kind, functions, arguments, exact) { #name, kind, functions, arguments, exact },
#include "capture/record/probe.def"
#undef PROBE
};

#define PROBE_ENTRIES	(sizeof(probe_table) / sizeof(probe_table[0]))
#define PROBE_ARGUMENTS 1024
#define BTF_DEPTH	8

struct probes {
	unsigned int nr;
	struct tracefs_dynevent *event[PROBE_ENTRIES];
	const char *name[PROBE_ENTRIES];
};

/* Bytes from the start of @type to the member called @member, also inside anonymous members; or -1.
 */
static long member_offset(const struct btf *btf, const struct btf_type *type, const char *member,
			  unsigned int depth)
{
	const struct btf_member *m = btf_members(type);

	for (unsigned int i = 0; i < btf_vlen(type); i++, m++) {
		const char *name = btf__name_by_offset(btf, m->name_off);
		long offset = btf_member_bit_offset(type, i) / 8;
		const struct btf_type *inner;
		int id;
		long sub;

		if (name && !strcmp(name, member))
			return offset;
		if ((name && *name) || depth == BTF_DEPTH)
			continue;
		id = btf__resolve_type(btf, m->type);
		inner = id > 0 ? btf__type_by_id(btf, id) : NULL;
		if (!inner || !btf_is_composite(inner))
			continue;
		sub = member_offset(btf, inner, member, depth + 1);
		if (sub >= 0)
			return offset + sub;
	}
	return -1;
}

static int placeholder_offset(const struct btf *btf, const char *text, size_t len, long *offset,
			      struct rl_msg *msg)
{
	char name[128];
	char *dot;
	int id;

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	dot = strchr(name, '.');
	if (!dot)
		return rl_fail(msg, EINVAL, "probe placeholder {%s}: struct.member was expected",
			       name);
	*dot = '\0';
	id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	if (id < 0)
		return rl_fail(msg, ENOENT, "this kernel has no struct %s", name);
	*offset = member_offset(btf, btf__type_by_id(btf, id), dot + 1, 0);
	if (*offset < 0)
		return rl_fail(msg, ENOENT, "this kernel's struct %s has no member %s", name,
			       dot + 1);
	return 0;
}

/* 64 bytes a struct page: bits 6 to 29 of its address are the frame number within 64 GiB. */
static int put_pfn(char *out, size_t size, const char *arg, size_t len)
{
	return snprintf(out, size, "%.*s:b24@6/64", (int)len, arg);
}

static int fill_arguments(const struct btf *btf, const char *arguments, char *out, size_t size,
			  struct rl_msg *msg)
{
	size_t used = 0;
	const char *p = arguments;

	while (*p) {
		const char *open = strchr(p, '{');
		const char *close = open ? strchr(open, '}') : NULL;
		long offset = 0;
		int n, ret;

		n = snprintf(out + used, size - used, "%.*s",
			     close ? (int)(open - p) : (int)strlen(p), p);
		used += n;
		if (used >= size)
			return rl_fail(msg, E2BIG, "probe arguments are too long");
		if (!close)
			return 0;
		if (!strncmp(open, "{pfn:", 5)) {
			n = put_pfn(out + used, size - used, open + 5, close - open - 5);
		} else {
			ret = placeholder_offset(btf, open + 1, close - open - 1, &offset, msg);
			if (ret)
				return ret;
			n = snprintf(out + used, size - used, "%ld", offset);
		}
		used += n;
		if (used >= size)
			return rl_fail(msg, E2BIG, "probe arguments are too long");
		p = close + 1;
	}
	return 0;
}

static struct btf *load_btf(const char *path, struct rl_msg *msg)
{
	struct btf *btf = path ? btf__parse(path, NULL) : btf__load_vmlinux_btf();

	if (!btf) {
		rl_fail(msg, ENOTSUP, "%s: no BTF, so members of kernel structures cannot be found",
			path ? path : "/sys/kernel/btf/vmlinux");
		return NULL;
	}
	return btf;
}

int probe_arguments(const char *btf_path, const char *arguments, char *out, size_t size,
		    struct rl_msg *msg)
{
	struct btf *btf = load_btf(btf_path, msg);
	int ret;

	if (!btf)
		return -ENOTSUP;
	ret = fill_arguments(btf, arguments, out, size, msg);
	btf__free(btf);
	return ret;
}

/* Made by another recording that runs: its definition is this program's too. */
static bool probe_exists(const struct probe_entry *entry)
{
	char path[128];

	snprintf(path, sizeof(path), "events/" PROBE_SYSTEM "/%s/format", entry->name);
	return tracefs_file_exists(NULL, path);
}

/* The probe for removal only. */
static struct tracefs_dynevent *share_probe(const struct probe_entry *entry)
{
	return entry->kind == R
		       ? tracefs_kretprobe_alloc(PROBE_SYSTEM, entry->name, entry->functions, NULL,
						 0)
		       : tracefs_kprobe_alloc(PROBE_SYSTEM, entry->name, entry->functions, NULL);
}

/* Try each of the functions until the kernel accepts one. */
static struct tracefs_dynevent *create_probe(const struct probe_entry *entry, const char *arguments)
{
	const char *p = entry->functions;

	while (*p) {
		size_t len = strcspn(p, "|");
		struct tracefs_dynevent *event;
		char function[64];

		snprintf(function, sizeof(function), "%.*s", (int)len, p);
		event = entry->kind == R ? tracefs_kretprobe_alloc(PROBE_SYSTEM, entry->name,
								   function, arguments, 0)
					 : tracefs_kprobe_alloc(PROBE_SYSTEM, entry->name, function,
								arguments);
		if (event && tracefs_dynevent_create(event) == 0)
			return event;
		tracefs_dynevent_free(event);
		p += len;
		p += *p == '|';
	}
	return NULL;
}

static void warn_probe(void (*warn)(void *ctx, const char *line), void *ctx,
		       const struct probe_entry *entry, const char *why)
{
	char line[2 * RL_MSG_SIZE];

	if (!warn)
		return;
	snprintf(line, sizeof(line), "probe %s:%s could not be made (%s): lost are %s",
		 PROBE_SYSTEM, entry->name, why, entry->exact);
	warn(ctx, line);
}

int probes_open(struct probes **out, void (*warn)(void *ctx, const char *line), void *ctx,
		struct rl_msg *msg)
{
	char arguments[PROBE_ARGUMENTS];
	struct probes *probes;
	struct btf *btf;

	if (!tracefs_file_exists(NULL, "kprobe_events"))
		return rl_fail(msg, ENOTSUP,
			       "this kernel has no dynamic probes (CONFIG_KPROBE_EVENTS)");
	btf = load_btf(NULL, msg);
	if (!btf)
		return -ENOTSUP;
	probes = calloc(1, sizeof(*probes));
	if (!probes) {
		btf__free(btf);
		return rl_fail(msg, ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < PROBE_ENTRIES; i++) {
		const struct probe_entry *entry = &probe_table[i];
		struct rl_msg why;
		struct tracefs_dynevent *event;

		if (fill_arguments(btf, entry->arguments, arguments, sizeof(arguments), &why)) {
			warn_probe(warn, ctx, entry, why.text);
			continue;
		}
		event = probe_exists(entry) ? share_probe(entry) : create_probe(entry, arguments);
		if (!event) {
			warn_probe(warn, ctx, entry, "the kernel refuses it");
			continue;
		}
		probes->event[probes->nr] = event;
		probes->name[probes->nr++] = entry->name;
	}
	btf__free(btf);
	*out = probes;
	return 0;
}

void probes_close(struct probes *probes)
{
	if (!probes)
		return;
	for (unsigned int i = 0; i < probes->nr; i++) {
		tracefs_dynevent_destroy(probes->event[i], false);
		tracefs_dynevent_free(probes->event[i]);
	}
	free(probes);
}

const char *probes_name(const struct probes *probes, unsigned int i)
{
	return i < probes->nr ? probes->name[i] : NULL;
}
