/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/tracedat_writer_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/base/array.h"

#define WRITER_BUFFERS_MAX 1024u
#define WRITER_CPUS_MAX	   8192u

static int no_memory(const struct tracedat_writer *w, struct rl_msg *msg)
{
	return rl_fail(msg, ENOMEM, "%s: out of memory", w->out.path);
}

static int added(const struct tracedat_writer *w, const struct tracedat_out *out,
		 struct rl_msg *msg)
{
	return out->failed ? no_memory(w, msg) : 0;
}

static int only_meta(const struct tracedat_writer *w, struct rl_msg *msg)
{
	if (w->state == WRITER_META)
		return 0;
	return rl_fail(msg, EINVAL, "%s: metadata after the first data", w->out.path);
}

static int check_format(const char *path, const struct tracedat_writer_format *f,
			struct rl_msg *msg)
{
	bool plain = strcmp(f->compression, "none") == 0;
	bool known =
		plain || strcmp(f->compression, "zlib") == 0 || strcmp(f->compression, "zstd") == 0;

	if ((f->version != 6 && f->version != 7) || !known || (f->version == 6 && !plain))
		return rl_fail(
			msg, EINVAL,
			"%s: version %d with compression %.16s: expected 6 with none, or 7 with "
			"none, zlib or zstd",
			path, f->version, f->compression);
	if ((f->long_size != 4 && f->long_size != 8) || f->page_size < RING_PAGE_MIN ||
	    f->page_size > RING_PAGE_MAX || (f->page_size & (f->page_size - 1)))
		return rl_fail(msg, EINVAL, "%s: long of %u and page of %u bytes", path,
			       f->long_size, f->page_size);
	return 0;
}

int tracedat_writer_open(const char *path, const struct tracedat_writer_format *format,
			 struct tracedat_writer **out, struct rl_msg *msg)
{
	return tracedat_writer_open_beside(NULL, path, format, out, msg);
}

int tracedat_writer_open_beside(const struct tracedat_writer *beside, const char *path,
				const struct tracedat_writer_format *format,
				struct tracedat_writer **out, struct rl_msg *msg)
{
	struct tracedat_writer *w;
	int ret = check_format(path, format, msg);

	if (ret)
		return ret;
	w = calloc(1, sizeof(*w));
	if (!w)
		return rl_fail(msg, ENOMEM, "%s: out of memory", path);
	w->format = *format;
	w->headers.big_endian = w->ftrace.big_endian = w->events.big_endian = format->big_endian;
	w->options.big_endian = w->head.big_endian = format->big_endian;
	ret = rl_output_open(&w->out, path, ".partial", beside ? &beside->out : NULL, 0600, msg);
	if (ret) {
		tracedat_writer_close(w);
		return ret;
	}
	*out = w;
	return 0;
}

const char *tracedat_writer_temp_name(const struct tracedat_writer *w)
{
	return w->out.temp;
}

int tracedat_writer_fd(const struct tracedat_writer *w)
{
	return w->out.fd;
}

int tracedat_writer_reopen(const struct tracedat_writer *w, int flags)
{
	return rl_output_reopen(&w->out, flags);
}

int tracedat_writer_rename(struct tracedat_writer *w, const char *path, struct rl_msg *msg)
{
	return rl_output_rename(&w->out, path, msg);
}

bool tracedat_writer_reachable(const struct tracedat_writer *w)
{
	return rl_output_reachable(&w->out);
}

static void header_text(struct tracedat_out *out, const char *name, const char *text, size_t size)
{
	tracedat_out_string(out, name);
	tracedat_out_u64(out, size);
	tracedat_out_bytes(out, text, size);
}

int tracedat_writer_headers(struct tracedat_writer *w, const char *page, size_t page_size,
			    const char *event, size_t event_size, struct rl_msg *msg)
{
	int ret = only_meta(w, msg);

	if (!ret)
		ret = ring_layout_parse(&w->layout, page, page_size, w->format.big_endian, msg);
	if (ret)
		return ret;
	w->headers.size = 0;
	header_text(&w->headers, "header_page", page, page_size);
	header_text(&w->headers, "header_event", event, event_size);
	return added(w, &w->headers, msg);
}

static int begin_system(struct tracedat_writer *w, const char *system, struct rl_msg *msg)
{
	if (w->system && strcmp(w->system, system) == 0)
		return 0;
	free(w->system);
	w->system = strdup(system);
	if (!w->system)
		return no_memory(w, msg);
	tracedat_out_string(&w->events, system);
	w->system_count_pos = w->events.size;
	w->system_events = 0;
	w->system_count++;
	tracedat_out_u32(&w->events, 0);
	return 0;
}

int tracedat_writer_event(struct tracedat_writer *w, const char *system, const char *format,
			  size_t size, struct rl_msg *msg)
{
	bool ftrace = strcmp(system, "ftrace") == 0;
	struct tracedat_out *out = ftrace ? &w->ftrace : &w->events;
	int ret = only_meta(w, msg);

	if (!ret && !ftrace)
		ret = begin_system(w, system, msg);
	if (ret)
		return ret;
	tracedat_out_u64(out, size);
	tracedat_out_bytes(out, format, size);
	if (ftrace)
		w->ftrace_count++;
	else
		tracedat_out_set_u32(out, w->system_count_pos, ++w->system_events);
	return added(w, out, msg);
}

static int set_text(struct tracedat_writer *w, struct tracedat_out *out, const char *text,
		    size_t size, struct rl_msg *msg)
{
	int ret = only_meta(w, msg);

	if (ret)
		return ret;
	if (size > INT32_MAX)
		return rl_fail(msg, E2BIG, "%s: a text of %zu bytes", w->out.path, size);
	out->size = 0;
	tracedat_out_bytes(out, text, size);
	return added(w, out, msg);
}

int tracedat_writer_kallsyms(struct tracedat_writer *w, const char *text, size_t size,
			     struct rl_msg *msg)
{
	return set_text(w, &w->kallsyms, text, size, msg);
}

int tracedat_writer_printk(struct tracedat_writer *w, const char *text, size_t size,
			   struct rl_msg *msg)
{
	return set_text(w, &w->printk, text, size, msg);
}

int tracedat_writer_cmdlines(struct tracedat_writer *w, const char *text, size_t size,
			     struct rl_msg *msg)
{
	return set_text(w, &w->cmdlines, text, size, msg);
}

int tracedat_writer_cmdlines_reserve(struct tracedat_writer *w, uint32_t room, struct rl_msg *msg)
{
	int ret = only_meta(w, msg);

	if (ret)
		return ret;
	w->cmdlines.size = 0;
	tracedat_out_zero(&w->cmdlines, room);
	w->cmdlines_reserve.size = room;
	return added(w, &w->cmdlines, msg);
}

int tracedat_writer_option(struct tracedat_writer *w, uint16_t id, const void *data, uint32_t size,
			   struct rl_msg *msg)
{
	int ret = only_meta(w, msg);

	if (ret)
		return ret;
	if (id == TRACEDAT_OPTION_TRACECLOCK)
		w->has_clock = true;
	if (id == TRACEDAT_OPTION_CPUCOUNT)
		w->has_cpu_count = true;
	tracedat_out_u16(&w->options, id);
	tracedat_out_u32(&w->options, size);
	tracedat_out_bytes(&w->options, data, size);
	return added(w, &w->options, msg);
}

int tracedat_writer_option_reserve(struct tracedat_writer *w, uint16_t id, uint32_t size,
				   struct rl_msg *msg)
{
	int ret = only_meta(w, msg);

	if (ret)
		return ret;
	if (rl_array_room(&w->reserves, &w->reserve_room, w->reserve_count, sizeof(*w->reserves)))
		return no_memory(w, msg);
	tracedat_out_u16(&w->options, id);
	tracedat_out_u32(&w->options, size);
	w->reserves[w->reserve_count].pos = w->options.size;
	w->reserves[w->reserve_count].size = size;
	tracedat_out_zero(&w->options, size);
	ret = added(w, &w->options, msg);
	return ret ? ret : (int)w->reserve_count++;
}

static int fill(struct tracedat_writer *w, const struct writer_reserve *reserve, const char *text,
		size_t size, char padding, struct rl_msg *msg)
{
	char *copy;
	int ret;

	if (w->state != WRITER_PLACED)
		return rl_fail(msg, EINVAL, "%s: nothing was placed yet", w->out.path);
	if (!reserve->size)
		return 0;
	copy = malloc(reserve->size);
	if (!copy)
		return no_memory(w, msg);
	memset(copy, padding, reserve->size);
	copy[reserve->size - 1] = '\0';
	memcpy(copy, text, size < reserve->size ? size : reserve->size - 1);
	ret = tracedat_writer_write(w, reserve->pos, copy, reserve->size, msg);
	free(copy);
	return ret;
}

int tracedat_writer_option_fill(struct tracedat_writer *w, int option, const char *text,
				size_t size, struct rl_msg *msg)
{
	if (option < 0 || (size_t)option >= w->reserve_count)
		return rl_fail(msg, EINVAL, "%s: no option %d was reserved", w->out.path, option);
	return fill(w, &w->reserves[option], text, size, '\n', msg);
}

int tracedat_writer_cmdlines_fill(struct tracedat_writer *w, const char *text, size_t size,
				  struct rl_msg *msg)
{
	return fill(w, &w->cmdlines_reserve, text, size, '\0', msg);
}

static int make_cpus(struct tracedat_writer *w, struct writer_buffer *buffer, unsigned int cpus)
{
	buffer->cpus = calloc(cpus ? cpus : 1, sizeof(*buffer->cpus));
	if (!buffer->cpus)
		return -ENOMEM;
	buffer->cpu_count = cpus;
	for (unsigned int i = 0; i < cpus; i++) {
		buffer->cpus[i].w = w;
		buffer->cpus[i].fd = -1;
	}
	return 0;
}

int tracedat_writer_buffer(struct tracedat_writer *w, const char *name, const char *clock,
			   uint32_t page_size, unsigned int cpus, struct rl_msg *msg)
{
	struct writer_buffer *buffer;
	int ret = only_meta(w, msg);

	if (ret)
		return ret;
	if (w->buffer_count == WRITER_BUFFERS_MAX || cpus > WRITER_CPUS_MAX ||
	    page_size < RING_PAGE_MIN || page_size > RING_PAGE_MAX || (page_size & (page_size - 1)))
		return rl_fail(msg, EINVAL,
			       "%s: buffer \"%.64s\" of %u CPUs with pages of %u bytes",
			       w->out.path, name, cpus, page_size);
	if (rl_array_room(&w->buffers, &w->buffer_room, w->buffer_count, sizeof(*w->buffers)))
		return no_memory(w, msg);
	buffer = &w->buffers[w->buffer_count];
	memset(buffer, 0, sizeof(*buffer));
	w->buffer_count++;
	buffer->page_size = page_size;
	buffer->name = strdup(name);
	buffer->clock = strdup(clock);
	if (!buffer->name || !buffer->clock || make_cpus(w, buffer, cpus))
		return no_memory(w, msg);
	return (int)w->buffer_count - 1;
}

static struct writer_cpu *find_cpu(const struct tracedat_writer *w, unsigned int buffer,
				   unsigned int cpu)
{
	if (buffer >= w->buffer_count || cpu >= w->buffers[buffer].cpu_count)
		return NULL;
	return &w->buffers[buffer].cpus[cpu];
}

static int collect(struct writer_cpu *cpu, const void *pages, size_t size, struct rl_msg *msg)
{
	const uint8_t *p = pages;

	if (cpu->fd < 0)
		cpu->fd = rl_output_scratch(&cpu->w->out);
	if (cpu->fd < 0)
		return rl_fail_errno(msg, -cpu->fd, "%s: a file for collected pages",
				     cpu->w->out.path);
	while (size) {
		ssize_t put = pwrite(cpu->fd, p, size, (off_t)cpu->size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return rl_fail_errno(msg, errno, "%s: write of collected pages",
					     cpu->w->out.path);
		p += put;
		size -= (size_t)put;
		cpu->size += (uint64_t)put;
	}
	return 0;
}

static int may_collect(struct tracedat_writer *w, struct rl_msg *msg)
{
	if (w->state > WRITER_COLLECT)
		return rl_fail(msg, EINVAL, "%s: pages collected after they were placed",
			       w->out.path);
	if (!w->layout.data_at)
		return rl_fail(msg, EINVAL, "%s: data before header_page", w->out.path);
	w->state = WRITER_COLLECT;
	return 0;
}

int tracedat_writer_pages(struct tracedat_writer *w, unsigned int buffer, unsigned int cpu,
			  const void *pages, size_t size, struct rl_msg *msg)
{
	struct writer_cpu *to = find_cpu(w, buffer, cpu);
	int ret = may_collect(w, msg);

	if (ret)
		return ret;
	if (!to || size % w->buffers[buffer].page_size)
		return rl_fail(msg, EINVAL, "%s: %zu bytes of pages for CPU %u of buffer %u",
			       w->out.path, size, cpu, buffer);
	return collect(to, pages, size, msg);
}

static int emit_page(void *ctx, const uint8_t *page, struct rl_msg *msg)
{
	struct writer_cpu *cpu = ctx;

	return collect(cpu, page, ring_builder_layout(cpu->builder)->page_size, msg);
}

int tracedat_writer_record(struct tracedat_writer *w, unsigned int buffer, unsigned int cpu,
			   uint64_t stamp, const void *data, uint32_t size, int64_t missed,
			   struct rl_msg *msg)
{
	struct writer_cpu *to = find_cpu(w, buffer, cpu);
	struct ring_layout layout = w->layout;
	int ret = may_collect(w, msg);

	if (ret)
		return ret;
	if (!to)
		return rl_fail(msg, EINVAL, "%s: no CPU %u in buffer %u", w->out.path, cpu, buffer);
	if (!to->builder) {
		layout.page_size = w->buffers[buffer].page_size;
		to->builder = ring_builder_new(&layout, emit_page, to);
		if (!to->builder)
			return no_memory(w, msg);
	}
	return ring_builder_add(to->builder, stamp, data, size, missed, msg);
}

static void free_texts(struct tracedat_writer *w)
{
	struct tracedat_out *const texts[] = { &w->headers, &w->ftrace,	  &w->events, &w->kallsyms,
					       &w->printk,  &w->cmdlines, &w->options };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		tracedat_out_free(texts[i]);
}

/* They are in the file, and what is locked in memory for a whole recording should be little. */
static void forget_head(struct tracedat_writer *w)
{
	size_t size = w->head.size;

	free_texts(w);
	tracedat_out_free(&w->head);
	w->head.size = size;
}

int tracedat_writer_place(struct tracedat_writer *w, uint64_t room, struct rl_msg *msg)
{
	uint64_t at;
	int ret = only_meta(w, msg);

	if (ret)
		return ret;
	if (tracedat_writer_compressed(w))
		return rl_fail(msg, EINVAL, "%s: compressed pages cannot be placed", w->out.path);
	ret = tracedat_writer_compose(w, msg);
	if (ret)
		return ret;
	at = w->head.size;
	for (size_t b = 0; b < w->buffer_count; b++) {
		struct writer_buffer *buffer = &w->buffers[b];

		ret = tracedat_writer_begin_buffer(w, buffer, &at, msg);
		for (unsigned int c = 0; c < buffer->cpu_count && !ret; c++) {
			buffer->cpus[c].place = tracedat_writer_align(buffer, at);
			at = tracedat_writer_align(buffer, buffer->cpus[c].place + room);
			tracedat_out_set_u64(&w->head, buffer->cpus[c].table_pos,
					     buffer->cpus[c].place);
		}
		if (ret)
			return ret;
	}
	ret = tracedat_writer_write(w, 0, w->head.data, w->head.size, msg);
	if (ret)
		return ret;
	forget_head(w);
	w->state = WRITER_PLACED;
	return 0;
}

uint64_t tracedat_writer_place_offset(const struct tracedat_writer *w, unsigned int buffer,
				      unsigned int cpu)
{
	const struct writer_cpu *at = find_cpu(w, buffer, cpu);

	return at ? at->place : 0;
}

int tracedat_writer_placed(struct tracedat_writer *w, unsigned int buffer, unsigned int cpu,
			   uint64_t size, struct rl_msg *msg)
{
	struct writer_cpu *at = find_cpu(w, buffer, cpu);

	if (w->state != WRITER_PLACED || !at || size % w->buffers[buffer].page_size)
		return rl_fail(msg, EINVAL, "%s: %" PRIu64 " bytes placed for CPU %u of buffer %u",
			       w->out.path, size, cpu, buffer);
	at->size = size;
	return tracedat_writer_write_u64(w, at->table_pos + 8, size, msg);
}

static int flush_builders(struct tracedat_writer *w, struct rl_msg *msg)
{
	for (size_t b = 0; b < w->buffer_count; b++) {
		for (unsigned int c = 0; c < w->buffers[b].cpu_count; c++) {
			struct ring_builder *builder = w->buffers[b].cpus[c].builder;
			int ret = builder ? ring_builder_flush(builder, msg) : 0;

			if (ret)
				return ret;
		}
	}
	return 0;
}

static int write_collected(struct tracedat_writer *w, struct rl_msg *msg)
{
	int ret = flush_builders(w, msg);

	if (!ret)
		ret = tracedat_writer_compose(w, msg);
	return ret ? ret : tracedat_writer_append(w, msg);
}

static int commit(struct tracedat_writer *w, struct rl_msg *msg)
{
	int ret = rl_output_commit(&w->out, msg);

	if (!ret)
		w->state = WRITER_DONE;
	return ret;
}

int tracedat_writer_finish(struct tracedat_writer *w, struct rl_msg *msg)
{
	int ret;

	if (w->state == WRITER_DONE)
		return rl_fail(msg, EINVAL, "%s: finished already", w->out.path);
	ret = w->state == WRITER_PLACED ? tracedat_writer_compact(w, msg) : write_collected(w, msg);
	return ret ? ret : commit(w, msg);
}

int tracedat_writer_finish_placed(struct tracedat_writer *w, struct rl_msg *msg)
{
	uint64_t end = w->head.size;

	if (w->state != WRITER_PLACED)
		return rl_fail(msg, EINVAL, "%s: nothing was placed", w->out.path);
	for (size_t b = 0; b < w->buffer_count; b++)
		for (unsigned int c = 0; c < w->buffers[b].cpu_count; c++) {
			const struct writer_cpu *cpu = &w->buffers[b].cpus[c];

			if (cpu->place + cpu->size > end)
				end = cpu->place + cpu->size;
		}
	if (ftruncate(w->out.fd, (off_t)end) < 0)
		return rl_fail_errno(msg, errno, "%s: cut to %" PRIu64 " bytes", w->out.path, end);
	return commit(w, msg);
}

static void free_buffer(struct writer_buffer *buffer)
{
	for (unsigned int c = 0; c < buffer->cpu_count; c++) {
		if (buffer->cpus[c].fd >= 0)
			close(buffer->cpus[c].fd);
		ring_builder_free(buffer->cpus[c].builder);
	}
	free(buffer->cpus);
	free(buffer->name);
	free(buffer->clock);
}

void tracedat_writer_close(struct tracedat_writer *w)
{
	if (!w)
		return;
	rl_output_close(&w->out);
	for (size_t b = 0; b < w->buffer_count; b++)
		free_buffer(&w->buffers[b]);
	free(w->buffers);
	free(w->reserves);
	free_texts(w);
	tracedat_out_free(&w->head);
	free(w->system);
	free(w);
}
