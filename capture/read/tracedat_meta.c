/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/base/array.h"

#define EVENTS_MAX	  (TRACEDAT_IDS - 1)
#define TASKS_MAX	  (1u << 20)
#define CMDLINES_TEXT_MAX (32u << 20)

static int read_layout(struct tracedat *td, struct rl_msg *msg)
{
	int ret;

	if (!td->header_page.size ||
	    (td->header_event.size &&
	     !memmem(td->header_event.data, td->header_event.size, "type_len", 8)))
		return rl_fail(
			msg, EPROTONOSUPPORT,
			"%s: ring buffer format of a kernel before 2.6.31, expected type_len in "
			"header_event",
			td->path);
	ret = ring_layout_parse(&td->layout, td->header_page.data, td->header_page.size,
				td->big_endian, msg);
	if (ret)
		rl_msg_prefix(msg, "%s", td->path);
	return ret;
}

static int read_header(struct tracedat *td, struct tracedat_span *span, const char *name,
		       struct tracedat_text *text, struct rl_msg *msg)
{
	const uint8_t *tag;
	uint64_t size = strlen(name) + 1;
	uint64_t offset = tracedat_span_offset(span);

	if (!tracedat_span_bytes(span, size, &tag))
		return tracedat_span_short(td, span, name, msg);
	if (memcmp(tag, name, size) != 0)
		return rl_fail(msg, EBADMSG, "%s: offset %" PRIu64 ": expected \"%s\"", td->path,
			       offset, name);
	if (!tracedat_span_text8(span, text))
		return tracedat_span_short(td, span, name, msg);
	return 0;
}

int tracedat_meta_headers(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	int ret = read_header(td, span, "header_page", &td->header_page, msg);

	if (!ret)
		ret = read_header(td, span, "header_event", &td->header_event, msg);
	return ret ? ret : read_layout(td, msg);
}

/* The first lines of a format: "name: X" and "ID: N". */
static bool format_head(const struct tracedat_text *format, char **name, uint32_t *id)
{
	const char *end, *at = format->data;
	char number[16];
	size_t len;

	if (format->size < 6 || memcmp(at, "name: ", 6) != 0)
		return false;
	at += 6;
	end = memchr(at, '\n', format->size - 6);
	if (!end || end == at)
		return false;
	len = format->size - (size_t)(end - format->data);
	if (len < 6 || memcmp(end, "\nID: ", 5) != 0)
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)(len - 5 < 15 ? len - 5 : 15), end + 5);
	if (!isdigit((unsigned char)number[0]))
		return false;
	*id = (uint32_t)strtoul(number, NULL, 10);
	*name = *id < TRACEDAT_IDS ? strndup(at, (size_t)(end - at)) : NULL;
	return *name != NULL;
}

static int check_common_type(const struct tracedat *td, const struct tracedat_text *format,
			     struct rl_msg *msg)
{
	uint32_t offset, size;

	if (!ring_find_field(format->data, format->size, "common_type", &offset, &size) ||
	    (offset == 0 && size == 2))
		return 0;
	return rl_fail(msg, EPROTONOSUPPORT,
		       "%s: common_type at %u, %u bytes: expected at 0, 2 bytes", td->path, offset,
		       size);
}

static int add_event(struct tracedat *td, const struct tracedat_span *span, const char *system,
		     const struct tracedat_text *format, struct rl_msg *msg)
{
	struct tracedat_event *event;
	struct rl_msg bad;
	uint32_t id;
	char *name;
	int ret;

	if (td->event_count == EVENTS_MAX || !format_head(format, &name, &id)) {
		rl_fail(&bad, EBADMSG,
			"%s: offset %" PRIu64
			": format of system %.64s without \"name:\" and \"ID:\"",
			td->path, tracedat_span_offset(span), system);
		tracedat_damage_meta(td, tracedat_span_offset(span), &bad);
		return 0;
	}
	ret = td->event_count ? 0 : check_common_type(td, format, msg);
	if (!ret &&
	    rl_array_room(&td->events, &td->event_room, td->event_count, sizeof(*td->events)))
		ret = rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
	if (ret) {
		free(name);
		return ret;
	}
	event = &td->events[td->event_count++];
	event->system = system;
	event->name = name;
	event->id = (uint16_t)id;
	event->format = *format;
	return 0;
}

static int read_formats(struct tracedat *td, struct tracedat_span *span, const char *system,
			struct rl_msg *msg)
{
	struct tracedat_text format;
	uint32_t count;
	int ret = 0;

	if (!tracedat_span_u32(span, &count))
		return tracedat_span_short(td, span, "number of formats", msg);
	while (count-- && !ret) {
		if (!tracedat_span_text8(span, &format))
			return tracedat_span_short(td, span, "event format", msg);
		ret = add_event(td, span, system, &format, msg);
	}
	return ret;
}

int tracedat_meta_ftrace(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	return read_formats(td, span, "ftrace", msg);
}

int tracedat_meta_events(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	const char *system;
	uint32_t count;
	int ret = 0;

	if (!tracedat_span_u32(span, &count))
		return tracedat_span_short(td, span, "number of event systems", msg);
	while (count-- && !ret) {
		if (!tracedat_span_string(span, &system))
			return tracedat_span_short(td, span, "name of an event system", msg);
		ret = read_formats(td, span, system, msg);
	}
	return ret;
}

/* Cut @text at its lines, in place; lines that are not "PID NAME" are passed over. */
static void split_tasks(struct tracedat *td, char *text)
{
	char *line, *next = text;

	while ((line = strsep(&next, "\n")) && td->task_count < TASKS_MAX) {
		char *comm;
		long pid = strtol(line, &comm, 10);

		if (comm == line || *comm != ' ' || pid < 0 || pid > INT32_MAX)
			continue;
		td->tasks[td->task_count].pid = (int)pid;
		td->tasks[td->task_count].comm = comm + 1;
		td->task_count++;
	}
}

int tracedat_meta_cmdlines(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	size_t lines = 1, size;

	if (!tracedat_span_text8(span, &td->cmdlines))
		return tracedat_span_short(td, span, "saved command lines", msg);
	if (td->task_names)
		return 0;
	size = td->cmdlines.size < CMDLINES_TEXT_MAX ? td->cmdlines.size : CMDLINES_TEXT_MAX;
	for (size_t i = 0; i < size; i++)
		lines += td->cmdlines.data[i] == '\n';
	td->task_names = malloc(size + 1);
	td->tasks = calloc(lines < TASKS_MAX ? lines : TASKS_MAX, sizeof(*td->tasks));
	if (!td->task_names || !td->tasks)
		return rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
	memcpy(td->task_names, td->cmdlines.data, size);
	td->task_names[size] = '\0';
	split_tasks(td, td->task_names);
	return 0;
}

int tracedat_meta_finish(struct tracedat *td, struct rl_msg *msg)
{
	td->event_index = calloc(TRACEDAT_IDS, sizeof(*td->event_index));
	if (!td->event_index)
		return rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
	for (size_t i = 0; i < td->event_count; i++)
		if (!td->event_index[td->events[i].id])
			td->event_index[td->events[i].id] = (uint16_t)(i + 1);
	return 0;
}
