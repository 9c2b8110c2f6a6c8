/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/base/array.h"

#define OPTIONS_MAX 65536u

static int no_memory(const struct tracedat *td, struct rl_msg *msg)
{
	return rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
}

static int keep_string(const struct tracedat *td, char **where, const uint8_t *data, uint32_t size,
		       struct rl_msg *msg)
{
	free(*where);
	*where = strndup((const char *)data, size);
	return *where ? 0 : no_memory(td, msg);
}

/* A number in text, decimal or with 0x, as the DATE and OFFSET options hold it. */
static int64_t text_number(const uint8_t *data, uint32_t size)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%.*s", (int)(size < 63 ? size : 63), (const char *)data);
	return strtoll(copy, NULL, 0);
}

int tracedat_clock_set(struct tracedat *td, const char *text, size_t size, struct rl_msg *msg)
{
	const char *open = memchr(text, '[', size);
	const char *start = open ? open + 1 : text;
	size_t left = size - (size_t)(start - text);
	size_t len = 0;

	while (len < left && (isalnum((unsigned char)start[len]) || strchr("-_2", start[len])) &&
	       start[len])
		len++;
	if (!len)
		return 0;
	return keep_string(td, &td->clock, (const uint8_t *)start, (uint32_t)len, msg);
}

/* The number behind @key at the start of a line of @text. */
static int64_t stat_number(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; *line; line = strchrnul(line, '\n'), line += *line != '\0') {
		if (strncmp(line, key, len) == 0 && isdigit((unsigned char)line[len]))
			return strtoll(line + len, NULL, 10);
	}
	return TRACEDAT_UNKNOWN;
}

static void read_stat(struct tracedat_cpustat *stat, const char *text)
{
	stat->cpu = (int)stat_number(text, "CPU: ");
	stat->entries = stat_number(text, "entries: ");
	stat->overrun = stat_number(text, "overrun: ");
	stat->commit_overrun = stat_number(text, "commit overrun: ");
	stat->bytes = stat_number(text, "bytes: ");
	stat->dropped = stat_number(text, "dropped events: ");
	stat->read = stat_number(text, "read events: ");
	stat->overwritten = stat_number(text, "overwritten: ");
}

/* Instances put "Buffer: NAME" in front of their CPUs' texts, as an option of its own. */
static int begin_stats(struct tracedat *td, const char *name, struct rl_msg *msg)
{
	free(td->stat_buffer);
	td->stat_buffer = strndup(name, strcspn(name, "\n"));
	return td->stat_buffer ? 0 : no_memory(td, msg);
}

static int add_cpustat(struct tracedat *td, const uint8_t *data, uint32_t size, struct rl_msg *msg)
{
	struct tracedat_cpustat *stat;
	const char *buffer;
	char text[2048];

	snprintf(text, sizeof(text), "%.*s", (int)(size < 2047 ? size : 2047), (const char *)data);
	buffer = strstr(text, "Buffer: ");
	if (buffer)
		return begin_stats(td, buffer + 8, msg);
	if (rl_array_room(&td->cpustats, &td->cpustat_room, td->cpustat_count,
			  sizeof(*td->cpustats)))
		return no_memory(td, msg);
	stat = &td->cpustats[td->cpustat_count];
	stat->buffer = strdup(td->stat_buffer ? td->stat_buffer : "");
	if (!stat->buffer)
		return no_memory(td, msg);
	read_stat(stat, text);
	stat->text.data = (const char *)data;
	stat->text.size = strnlen((const char *)data, size);
	td->cpustat_count++;
	return 0;
}

static void read_tsc(struct tracedat *td, const uint8_t *data, uint32_t size)
{
	if (size < 8)
		return;
	td->tsc_mult = ring_load32(data, td->big_endian);
	td->tsc_shift = ring_load32(data + 4, td->big_endian);
	if (td->tsc_shift > 63)
		td->tsc_mult = 0;
}

static int apply_option(struct tracedat *td, uint16_t id, const uint8_t *data, uint32_t size,
			struct rl_msg *msg)
{
	switch (id) {
	case TRACEDAT_OPTION_DATE:
		/* Microseconds between the trace clock and the time of day. */
		td->ts_offset += (uint64_t)text_number(data, size) * 1000;
		return 0;
	case TRACEDAT_OPTION_OFFSET:
		td->ts_offset += (uint64_t)text_number(data, size);
		return 0;
	case TRACEDAT_OPTION_CPUSTAT:
		return add_cpustat(td, data, size, msg);
	case TRACEDAT_OPTION_TRACECLOCK:
		return tracedat_clock_set(td, (const char *)data, size, msg);
	case TRACEDAT_OPTION_UNAME:
		return keep_string(td, &td->uname, data, size, msg);
	case TRACEDAT_OPTION_VERSION:
		return keep_string(td, &td->writer, data, size, msg);
	case TRACEDAT_OPTION_TSC2NSEC:
		read_tsc(td, data, size);
		return 0;
	default:
		return 0;
	}
}

int tracedat_option_add(struct tracedat *td, uint16_t id, const uint8_t *data, uint32_t size,
			struct rl_msg *msg)
{
	struct tracedat_option *option;

	if (td->option_count == OPTIONS_MAX)
		return rl_fail(msg, EBADMSG, "%s: more than %u options", td->path, OPTIONS_MAX);
	if (rl_array_room(&td->options, &td->option_room, td->option_count, sizeof(*td->options)))
		return no_memory(td, msg);
	option = &td->options[td->option_count++];
	option->id = id;
	option->size = size;
	option->data = data;
	return apply_option(td, id, data, size, msg);
}
