/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/tracedat_writer_private.h"

#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

#define MAGIC "\x17\x08\x44tracing"

bool tracedat_writer_compressed(const struct tracedat_writer *w)
{
	return strcmp(w->format.compression, "none") != 0;
}

void tracedat_writer_section_head(struct tracedat_out *out, uint16_t id, bool compressed,
				  uint64_t size)
{
	tracedat_out_u16(out, id);
	tracedat_out_u16(out, compressed ? 1 : 0);
	tracedat_out_u32(out, 0);
	tracedat_out_u64(out, size);
}

static void put_common(struct tracedat_writer *w)
{
	struct tracedat_out *head = &w->head;
	uint8_t order[2] = { w->format.big_endian, (uint8_t)w->format.long_size };

	tracedat_out_bytes(head, MAGIC, sizeof(MAGIC) - 1);
	tracedat_out_string(head, w->format.version == 6 ? "6" : "7");
	tracedat_out_bytes(head, order, sizeof(order));
	tracedat_out_u32(head, w->format.page_size);
}

static void put_option(struct tracedat_out *out, uint16_t id, const void *data, uint32_t size)
{
	tracedat_out_u16(out, id);
	tracedat_out_u32(out, size);
	tracedat_out_bytes(out, data, size);
}

static void put_option_u32(struct tracedat_out *out, uint16_t id, uint32_t v)
{
	tracedat_out_u16(out, id);
	tracedat_out_u32(out, sizeof(v));
	tracedat_out_u32(out, v);
}

static void put_option_u64(struct tracedat_out *out, uint16_t id, uint64_t v)
{
	tracedat_out_u16(out, id);
	tracedat_out_u32(out, sizeof(v));
	tracedat_out_u64(out, v);
}

/* The text of a trace_clock file in which @clock is the chosen one. */
static void clock_text(const struct tracedat_writer *w, char *text, size_t size)
{
	snprintf(text, size, "[%.60s]\n", w->buffer_count ? w->buffers[0].clock : "local");
}

/* What the caller gave, and what readers need besides. */
static void put_user_options(struct tracedat_writer *w)
{
	struct tracedat_out *head = &w->head;
	char clock[72];

	for (size_t i = 0; i < w->reserve_count; i++)
		w->reserves[i].pos += head->size;
	tracedat_out_bytes(head, w->options.data, w->options.size);
	clock_text(w, clock, sizeof(clock));
	if (!w->has_clock)
		put_option(head, TRACEDAT_OPTION_TRACECLOCK, clock, (uint32_t)strlen(clock) + 1);
	if (!w->has_cpu_count && w->format.version == 7 && w->buffer_count)
		put_option_u32(head, TRACEDAT_OPTION_CPUCOUNT, w->buffers[0].cpu_count);
}

static void put_table(struct tracedat_writer *w, struct writer_buffer *buffer)
{
	tracedat_out_bytes(&w->head, "flyrecord", 10);
	for (unsigned int c = 0; c < buffer->cpu_count; c++) {
		buffer->cpus[c].table_pos = w->head.size;
		tracedat_out_zero(&w->head, 16);
	}
}

static void put_instance_options_v6(struct tracedat_writer *w)
{
	struct tracedat_out *head = &w->head;

	for (size_t b = 1; b < w->buffer_count; b++) {
		struct writer_buffer *buffer = &w->buffers[b];

		tracedat_out_u16(head, TRACEDAT_OPTION_BUFFER);
		tracedat_out_u32(head, (uint32_t)(8 + strlen(buffer->name) + 1));
		buffer->section_pos = head->size;
		tracedat_out_u64(head, 0);
		tracedat_out_string(head, buffer->name);
	}
}

static void put_instances_v6(struct tracedat_writer *w)
{
	struct tracedat_out *head = &w->head;

	for (size_t b = 1; b < w->buffer_count; b++) {
		struct writer_buffer *buffer = &w->buffers[b];

		tracedat_out_set_u64(head, buffer->section_pos, head->size);
		if (buffer->cpu_count != w->buffers[0].cpu_count) {
			tracedat_out_bytes(head, "options  ", 10);
			put_option_u32(head, TRACEDAT_OPTION_CPUCOUNT, buffer->cpu_count);
			tracedat_out_u16(head, TRACEDAT_OPTION_DONE);
		}
		put_table(w, buffer);
	}
}

static void compose_v6(struct tracedat_writer *w)
{
	struct tracedat_out *head = &w->head;
	char clock[72];

	put_common(w);
	tracedat_out_bytes(head, w->headers.data, w->headers.size);
	tracedat_out_u32(head, w->ftrace_count);
	tracedat_out_bytes(head, w->ftrace.data, w->ftrace.size);
	tracedat_out_u32(head, w->system_count);
	tracedat_out_bytes(head, w->events.data, w->events.size);
	tracedat_out_u32(head, (uint32_t)w->kallsyms.size);
	tracedat_out_bytes(head, w->kallsyms.data, w->kallsyms.size);
	tracedat_out_u32(head, (uint32_t)w->printk.size);
	tracedat_out_bytes(head, w->printk.data, w->printk.size);
	tracedat_out_u64(head, w->cmdlines.size);
	w->cmdlines_reserve.pos = head->size;
	tracedat_out_bytes(head, w->cmdlines.data, w->cmdlines.size);
	tracedat_out_u32(head, w->buffers[0].cpu_count);
	tracedat_out_bytes(head, "options  ", 10);
	put_user_options(w);
	put_instance_options_v6(w);
	tracedat_out_u16(head, TRACEDAT_OPTION_DONE);
	put_table(w, &w->buffers[0]);
	/* The option TRACECLOCK announces the clock's text behind the table. */
	clock_text(w, clock, sizeof(clock));
	tracedat_out_u64(head, strlen(clock));
	tracedat_out_bytes(head, clock, strlen(clock));
	put_instances_v6(w);
}

/* A section of metadata; returns where it stands. */
static uint64_t put_section(struct tracedat_writer *w, uint16_t id, const struct tracedat_out *body,
			    bool plain)
{
	bool compressed = tracedat_writer_compressed(w) && !plain;
	uint64_t at = w->head.size;

	tracedat_writer_section_head(&w->head, id, compressed, body->size);
	if (!compressed) {
		tracedat_out_bytes(&w->head, body->data, body->size);
		return at;
	}
	if (tracedat_writer_pack(w, body->data, (uint32_t)body->size, &w->head, NULL))
		w->head.failed = true;
	tracedat_out_set_u64(&w->head, at + 8, w->head.size - at - 16);
	return at;
}

/* A section whose body is @text behind its size of @size_bytes. */
static uint64_t put_text_section(struct tracedat_writer *w, uint16_t id,
				 const struct tracedat_out *text, unsigned int size_bytes,
				 bool plain)
{
	struct tracedat_out body = { .big_endian = w->format.big_endian };
	uint64_t at;

	if (size_bytes == 4)
		tracedat_out_u32(&body, (uint32_t)text->size);
	else
		tracedat_out_u64(&body, text->size);
	tracedat_out_bytes(&body, text->data, text->size);
	w->head.failed |= body.failed;
	at = put_section(w, id, &body, plain);
	tracedat_out_free(&body);
	return at;
}

static uint64_t put_count_section(struct tracedat_writer *w, uint16_t id, uint32_t count,
				  const struct tracedat_out *formats)
{
	struct tracedat_out body = { .big_endian = w->format.big_endian };
	uint64_t at;

	tracedat_out_u32(&body, count);
	tracedat_out_bytes(&body, formats->data, formats->size);
	w->head.failed |= body.failed;
	at = put_section(w, id, &body, false);
	tracedat_out_free(&body);
	return at;
}

static void put_buffer_options_v7(struct tracedat_writer *w)
{
	struct tracedat_out *head = &w->head;

	for (size_t b = 0; b < w->buffer_count; b++) {
		struct writer_buffer *buffer = &w->buffers[b];

		tracedat_out_u16(head, TRACEDAT_OPTION_BUFFER);
		tracedat_out_u32(head,
				 (uint32_t)(8 + strlen(buffer->name) + 1 + strlen(buffer->clock) +
					    1 + 8 + (size_t)buffer->cpu_count * 20));
		buffer->section_pos = head->size;
		tracedat_out_u64(head, 0);
		tracedat_out_string(head, buffer->name);
		tracedat_out_string(head, buffer->clock);
		tracedat_out_u32(head, buffer->page_size);
		tracedat_out_u32(head, buffer->cpu_count);
		for (unsigned int c = 0; c < buffer->cpu_count; c++) {
			tracedat_out_u32(head, c);
			buffer->cpus[c].table_pos = head->size;
			tracedat_out_zero(head, 16);
		}
	}
}

static void compose_v7(struct tracedat_writer *w)
{
	struct tracedat_out *head = &w->head;
	const char *compression = w->format.compression;
	uint64_t sections[6];
	size_t options_pos, at;

	put_common(w);
	tracedat_out_string(head, compression);
	if (strcmp(compression, "zstd") == 0)
		tracedat_out_string(head, ZSTD_versionString());
	else
		tracedat_out_string(head, strcmp(compression, "zlib") == 0 ? zlibVersion() : "");
	options_pos = head->size;
	tracedat_out_u64(head, 0);
	sections[0] = put_section(w, TRACEDAT_OPTION_HEADER_INFO, &w->headers, false);
	sections[1] =
		put_count_section(w, TRACEDAT_OPTION_FTRACE_EVENTS, w->ftrace_count, &w->ftrace);
	sections[2] =
		put_count_section(w, TRACEDAT_OPTION_EVENT_FORMATS, w->system_count, &w->events);
	sections[3] = put_text_section(w, TRACEDAT_OPTION_KALLSYMS, &w->kallsyms, 4, false);
	sections[4] = put_text_section(w, TRACEDAT_OPTION_PRINTK, &w->printk, 4, false);
	sections[5] = put_text_section(w, TRACEDAT_OPTION_CMDLINES, &w->cmdlines, 8,
				       w->cmdlines_reserve.size != 0);
	w->cmdlines_reserve.pos = head->size - w->cmdlines.size;
	at = head->size;
	tracedat_out_set_u64(head, options_pos, at);
	tracedat_writer_section_head(head, TRACEDAT_OPTION_DONE, false, 0);
	for (size_t i = 0; i < 6; i++)
		put_option_u64(head, (uint16_t)(TRACEDAT_OPTION_HEADER_INFO + i), sections[i]);
	put_user_options(w);
	put_buffer_options_v7(w);
	put_option_u64(head, TRACEDAT_OPTION_DONE, 0);
	tracedat_out_set_u64(head, at + 8, head->size - at - 16);
}

int tracedat_writer_compose(struct tracedat_writer *w, struct rl_msg *msg)
{
	if (!w->headers.size || !w->buffer_count || *w->buffers[0].name)
		return rl_fail(
			msg, EINVAL,
			"%s: expected header_page, header_event and a top buffer before the data",
			w->out.path);
	if (w->format.version == 6)
		compose_v6(w);
	else
		compose_v7(w);
	if (w->head.failed)
		return rl_fail(msg, ENOMEM, "%s: out of memory", w->out.path);
	return 0;
}
