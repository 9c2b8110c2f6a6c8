/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <stdlib.h>

#define MAGIC	   "\x17\x08\x44tracing"
#define MAGIC_SIZE 10

bool tracedat_magic(const void *head, size_t size)
{
	return size >= MAGIC_SIZE && memcmp(head, MAGIC, MAGIC_SIZE) == 0;
}

static int read_packing(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	static const char *const names[] = { "none", "zlib", "zstd" };
	const char *name, *version;

	if (!tracedat_span_string(span, &name) || !tracedat_span_string(span, &version))
		return tracedat_span_short(td, span, "name of the compression", msg);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0) {
			td->packing = (enum tracedat_packing)i;
			return 0;
		}
	}
	return rl_fail(msg, EPROTONOSUPPORT,
		       "%s: compression \"%.32s\", expected none, zlib or zstd", td->path, name);
}

static int read_version(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	const char *version;

	if (!tracedat_span_string(span, &version))
		return tracedat_span_short(td, span, "version", msg);
	if (strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return rl_fail(msg, EPROTONOSUPPORT,
			       "%s: trace.dat version \"%.32s\", expected 6 or 7", td->path,
			       version);
	td->version = *version - '0';
	return 0;
}

/* Magic, version, byte order, long size, page size, and in v7 the packing. */
static int read_head(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	const uint8_t *bytes;
	int ret;

	if (!tracedat_magic(td->map.data, td->map.size))
		return rl_fail(msg, EBADMSG,
			       "%s: offset 0: no trace.dat, expected 17 08 44 \"tracing\"",
			       td->path);
	span->pos = MAGIC_SIZE;
	ret = read_version(td, span, msg);
	if (ret)
		return ret;
	if (!tracedat_span_bytes(span, 2, &bytes))
		return tracedat_span_short(td, span, "byte order", msg);
	if (bytes[0] > 1)
		return rl_fail(msg, EBADMSG, "%s: byte order %u, expected 0 (little) or 1 (big)",
			       td->path, bytes[0]);
	td->big_endian = bytes[0];
	span->big_endian = td->big_endian;
	if (!tracedat_span_u32(span, &td->page_size))
		return tracedat_span_short(td, span, "page size", msg);
	return td->version == 7 ? read_packing(td, span, msg) : 0;
}

static int read_all(struct tracedat *td, struct rl_msg *msg)
{
	struct tracedat_span span = tracedat_span_file(td, 0, UINT64_MAX);
	int ret;

	if (*td->map.damage.text)
		tracedat_damage_meta(td, td->map.size, &td->map.damage);
	if (!td->map.size)
		return rl_fail(msg, ENODATA, "%s: the file is empty, expected a trace.dat",
			       td->path);
	ret = read_head(td, &span, msg);
	if (ret)
		return ret;
	ret = td->version == 7 ? tracedat_read_v7(td, &span, msg)
			       : tracedat_read_v6(td, &span, msg);
	if (!ret)
		ret = tracedat_meta_finish(td, msg);
	if (!ret)
		ret = tracedat_streams_finish(td, msg);
	td->damage_open = td->damage_count;
	return ret;
}

/* A latency trace is text: there is nothing here to walk. */
static int refuse_latency(const struct tracedat *td, struct rl_msg *msg)
{
	for (size_t i = 0; i < td->buffer_count; i++)
		if (!td->buffers[i].pub.latency)
			return 0;
	if (!td->buffer_count)
		return 0;
	return rl_fail(msg, EPROTONOSUPPORT, "%s: a latency trace (text), expected flyrecord data",
		       td->path);
}

int tracedat_open_watched(const char *path, const struct rl_progress *progress,
			  struct tracedat **out, struct rl_msg *msg)
{
	struct tracedat *td = calloc(1, sizeof(*td));
	int ret;

	*out = NULL;
	if (!td)
		return rl_fail(msg, ENOMEM, "%s: out of memory", path);
	td->path = strdup(path);
	if (!td->path) {
		ret = rl_fail(msg, ENOMEM, "%s: out of memory", path);
		goto error;
	}
	ret = rl_map_open_watched(path, progress, &td->map, msg);
	if (!ret)
		ret = read_all(td, msg);
	if (!ret)
		ret = refuse_latency(td, msg);
	if (ret)
		goto error;
	*out = td;
	return 0;
error:
	tracedat_close(td);
	return ret;
}

int tracedat_open(const char *path, struct tracedat **out, struct rl_msg *msg)
{
	return tracedat_open_watched(path, NULL, out, msg);
}

void tracedat_close(struct tracedat *td)
{
	if (!td)
		return;
	tracedat_streams_free(td);
	tracedat_damage_forget(td, 0);
	tracedat_unpack_free(td);
	for (size_t i = 0; i < td->event_count; i++)
		free((char *)td->events[i].name);
	for (size_t i = 0; i < td->cpustat_count; i++)
		free((char *)td->cpustats[i].buffer);
	for (size_t i = 0; i < td->unpacked_count; i++)
		free(td->unpacked[i]);
	free(td->unpacked);
	free(td->events);
	free(td->event_index);
	free(td->tasks);
	free(td->task_names);
	free(td->options);
	free(td->cpustats);
	free(td->uname);
	free(td->writer);
	free(td->clock);
	free(td->stat_buffer);
	rl_map_close(&td->map);
	free(td->path);
	free(td);
}

const char *tracedat_path(const struct tracedat *td)
{
	return td->path;
}

int tracedat_version(const struct tracedat *td)
{
	return td->version;
}

const char *tracedat_compression(const struct tracedat *td)
{
	if (td->packing == TRACEDAT_PACK_ZLIB)
		return "zlib";
	return td->packing == TRACEDAT_PACK_ZSTD ? "zstd" : "none";
}

bool tracedat_big_endian(const struct tracedat *td)
{
	return td->big_endian;
}

unsigned int tracedat_long_size(const struct tracedat *td)
{
	return td->layout.commit_size;
}

uint32_t tracedat_page_size(const struct tracedat *td)
{
	return td->page_size;
}

uint64_t tracedat_file_size(const struct tracedat *td)
{
	return td->map.size;
}

struct tracedat_text tracedat_header_page(const struct tracedat *td)
{
	return td->header_page;
}

struct tracedat_text tracedat_header_event(const struct tracedat *td)
{
	return td->header_event;
}

struct tracedat_text tracedat_kallsyms(const struct tracedat *td)
{
	return td->kallsyms;
}

struct tracedat_text tracedat_printk(const struct tracedat *td)
{
	return td->printk;
}

struct tracedat_text tracedat_cmdlines_text(const struct tracedat *td)
{
	return td->cmdlines;
}

const struct tracedat_event *tracedat_events(const struct tracedat *td, size_t *count)
{
	*count = td->event_count;
	return td->events;
}

const struct tracedat_event *tracedat_event_by_id(const struct tracedat *td, uint16_t id)
{
	return td->event_index[id] ? &td->events[td->event_index[id] - 1] : NULL;
}

const struct tracedat_event *tracedat_event_find(const struct tracedat *td, const char *system,
						 const char *name)
{
	for (size_t i = 0; i < td->event_count; i++)
		if (strcmp(td->events[i].name, name) == 0 &&
		    strcmp(td->events[i].system, system) == 0)
			return &td->events[i];
	return NULL;
}

const struct tracedat_task *tracedat_cmdlines(const struct tracedat *td, size_t *count)
{
	*count = td->task_count;
	return td->tasks;
}

const struct tracedat_option *tracedat_options(const struct tracedat *td, size_t *count)
{
	*count = td->option_count;
	return td->options;
}

const struct tracedat_cpustat *tracedat_cpustats(const struct tracedat *td, size_t *count)
{
	*count = td->cpustat_count;
	return td->cpustats;
}

const char *tracedat_uname(const struct tracedat *td)
{
	return td->uname ? td->uname : "";
}

const char *tracedat_writer(const struct tracedat *td)
{
	return td->writer ? td->writer : "";
}

const char *tracedat_clock(const struct tracedat *td)
{
	const struct tracedat_buffer *first = NULL;

	for (size_t b = 0; b < td->buffer_count && !first; b++)
		if (td->buffers[b].pub.cpu_count)
			first = &td->buffers[b].pub;
	if (first && (*first->name || !td->clock))
		return first->clock;
	return td->clock ? td->clock : "";
}

bool tracedat_clock_is_ns(const struct tracedat *td)
{
	static const char *const ns[] = { "",	  "local",    "global", "uptime", "perf",
					  "mono", "mono_raw", "boot",	"tai",	  "tsc2nsec" };
	const char *clock = tracedat_clock(td);

	if (td->tsc_mult)
		return true;
	for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
		if (strcmp(clock, ns[i]) == 0)
			return true;
	return false;
}

int64_t tracedat_ts_offset(const struct tracedat *td)
{
	return (int64_t)td->ts_offset;
}
