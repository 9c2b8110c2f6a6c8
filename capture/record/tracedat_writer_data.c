/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/tracedat_writer_private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define COPY_SIZE (1u << 20)
#define CHUNK_SIZE                                                                                 \
	(64u << 10) /* bytes of pages that are compressed together, at least one page              \
		     */

uint64_t tracedat_writer_align(const struct writer_buffer *buffer, uint64_t at)
{
	uint64_t to =
		buffer->page_size > WRITER_PLACE_ALIGN ? buffer->page_size : WRITER_PLACE_ALIGN;

	return (at + to - 1) & ~(to - 1);
}

int tracedat_writer_write(const struct tracedat_writer *w, uint64_t offset, const void *data,
			  size_t size, struct rl_msg *msg)
{
	const uint8_t *p = data;

	while (size) {
		ssize_t put = pwrite(w->out.fd, p, size, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return rl_fail_errno(msg, errno, "%s: write at offset %" PRIu64,
					     w->out.path, offset);
		p += put;
		size -= (size_t)put;
		offset += (uint64_t)put;
	}
	return 0;
}

int tracedat_writer_write_u64(const struct tracedat_writer *w, uint64_t offset, uint64_t v,
			      struct rl_msg *msg)
{
	v = w->format.big_endian ? htobe64(v) : htole64(v);
	return tracedat_writer_write(w, offset, &v, sizeof(v), msg);
}

static int write_section_head(const struct tracedat_writer *w, const struct writer_buffer *buffer,
			      uint64_t size, struct rl_msg *msg)
{
	struct tracedat_out head = { .big_endian = w->format.big_endian };
	int ret;

	if (w->format.version != 7)
		return 0;
	tracedat_writer_section_head(&head, TRACEDAT_OPTION_BUFFER, tracedat_writer_compressed(w),
				     size);
	ret = head.failed ? rl_fail(msg, ENOMEM, "%s: out of memory", w->out.path)
			  : tracedat_writer_write(w, buffer->section, head.data, head.size, msg);
	tracedat_out_free(&head);
	return ret;
}

int tracedat_writer_begin_buffer(struct tracedat_writer *w, struct writer_buffer *buffer,
				 uint64_t *at, struct rl_msg *msg)
{
	if (w->format.version != 7)
		return 0;
	buffer->section = *at;
	tracedat_out_set_u64(&w->head, buffer->section_pos, *at);
	*at += 16;
	return write_section_head(w, buffer, 0, msg);
}

/* Read exactly @size bytes. */
static int read_back(const struct tracedat_writer *w, int fd, uint64_t offset, void *buf,
		     size_t size, struct rl_msg *msg)
{
	uint8_t *p = buf;

	while (size) {
		ssize_t got = pread(fd, p, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return rl_fail_errno(msg, got ? errno : EIO,
					     "%s: read back at offset %" PRIu64, w->out.path,
					     offset);
		p += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

/* Copy @size bytes; within one file @to may overlap the end of @from when it lies before it. */
static int copy_bytes(const struct tracedat_writer *w, int fd, uint64_t from, uint64_t to,
		      uint64_t size, struct rl_msg *msg)
{
	uint8_t *buf = malloc(COPY_SIZE);
	int ret = 0;

	if (!buf)
		return rl_fail(msg, ENOMEM, "%s: out of memory", w->out.path);
	for (uint64_t done = 0; done < size && !ret;) {
		size_t step = size - done < COPY_SIZE ? (size_t)(size - done) : COPY_SIZE;

		ret = read_back(w, fd, from + done, buf, step, msg);
		if (!ret)
			ret = tracedat_writer_write(w, to + done, buf, step, msg);
		done += step;
	}
	free(buf);
	return ret;
}

static int pack_chunk(struct writer_cpu *cpu, uint64_t from, size_t size, uint8_t *buf,
		      struct tracedat_out *packed, struct rl_msg *msg)
{
	int ret = read_back(cpu->w, cpu->fd, from, buf, size, msg);

	packed->size = 0;
	return ret ? ret : tracedat_writer_pack(cpu->w, buf, (uint32_t)size, packed, msg);
}

/* A CPU's pages in compressed chunks behind their number; @size becomes what they take. */
static int write_packed(struct writer_cpu *cpu, uint32_t page_size, uint64_t *size,
			struct rl_msg *msg)
{
	struct tracedat_writer *w = cpu->w;
	struct tracedat_out packed = { .big_endian = w->format.big_endian };
	size_t chunk = page_size > CHUNK_SIZE ? page_size : CHUNK_SIZE;
	uint8_t *buf = malloc(chunk);
	uint32_t count = (uint32_t)((cpu->size + chunk - 1) / chunk);
	uint64_t at = cpu->place;
	int ret = 0;

	if (!buf)
		return rl_fail(msg, ENOMEM, "%s: out of memory", w->out.path);
	tracedat_out_u32(&packed, count);
	if (!packed.failed)
		ret = tracedat_writer_write(w, at, packed.data, packed.size, msg);
	at += 4;
	for (uint64_t done = 0; done < cpu->size && !ret;) {
		size_t step = cpu->size - done < chunk ? (size_t)(cpu->size - done) : chunk;

		ret = pack_chunk(cpu, done, step, buf, &packed, msg);
		if (!ret)
			ret = tracedat_writer_write(w, at, packed.data, packed.size, msg);
		at += packed.size;
		done += step;
	}
	*size = at - cpu->place;
	tracedat_out_free(&packed);
	free(buf);
	return ret;
}

static int append_cpu(struct writer_cpu *cpu, const struct writer_buffer *buffer, uint64_t *at,
		      struct rl_msg *msg)
{
	struct tracedat_writer *w = cpu->w;
	uint64_t size = cpu->size;
	int ret = 0;

	cpu->place = tracedat_writer_align(buffer, *at);
	if (cpu->size && tracedat_writer_compressed(w))
		ret = write_packed(cpu, buffer->page_size, &size, msg);
	else if (cpu->size)
		ret = copy_bytes(w, cpu->fd, 0, cpu->place, cpu->size, msg);
	tracedat_out_set_u64(&w->head, cpu->table_pos, cpu->place);
	tracedat_out_set_u64(&w->head, cpu->table_pos + 8, size);
	if (size)
		*at = cpu->place + size;
	return ret;
}

int tracedat_writer_append(struct tracedat_writer *w, struct rl_msg *msg)
{
	uint64_t at = w->head.size;
	int ret = 0;

	for (size_t b = 0; b < w->buffer_count && !ret; b++) {
		struct writer_buffer *buffer = &w->buffers[b];

		ret = tracedat_writer_begin_buffer(w, buffer, &at, msg);
		for (unsigned int c = 0; c < buffer->cpu_count && !ret; c++)
			ret = append_cpu(&buffer->cpus[c], buffer, &at, msg);
		if (!ret)
			ret = write_section_head(w, buffer, at - buffer->section - 16, msg);
	}
	return ret ? ret : tracedat_writer_write(w, 0, w->head.data, w->head.size, msg);
}

/*
 * Take @gap bytes at @at out of the file without moving what follows. Some file systems can;
 * @shift, the bytes taken out so far, tells where things stand now.
 */
static bool collapse(const struct tracedat_writer *w, uint64_t at, uint64_t gap)
{
	return gap && fallocate(w->out.fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)at, (off_t)gap) == 0;
}

static int compact_cpu(struct writer_cpu *cpu, const struct writer_buffer *buffer, uint64_t *at,
		       uint64_t *shift, struct rl_msg *msg)
{
	struct tracedat_writer *w = cpu->w;
	uint64_t target = tracedat_writer_align(buffer, *at);
	uint64_t from = cpu->place - *shift;
	int ret = 0;

	if (cpu->size && from > target) {
		if (collapse(w, target, from - target))
			*shift += from - target;
		else
			ret = copy_bytes(w, w->out.fd, from, target, cpu->size, msg);
	}
	if (!ret)
		ret = tracedat_writer_write_u64(w, cpu->table_pos, target, msg);
	if (!ret)
		ret = tracedat_writer_write_u64(w, cpu->table_pos + 8, cpu->size, msg);
	cpu->place = target;
	if (cpu->size)
		*at = target + cpu->size;
	return ret;
}

int tracedat_writer_compact(struct tracedat_writer *w, struct rl_msg *msg)
{
	uint64_t at = w->head.size;
	uint64_t shift = 0;
	int ret = 0;

	for (size_t b = 0; b < w->buffer_count && !ret; b++) {
		struct writer_buffer *buffer = &w->buffers[b];

		if (w->format.version == 7) {
			buffer->section = at;
			at += 16;
			ret = tracedat_writer_write_u64(w, buffer->section_pos, buffer->section,
							msg);
		}
		for (unsigned int c = 0; c < buffer->cpu_count && !ret; c++)
			ret = compact_cpu(&buffer->cpus[c], buffer, &at, &shift, msg);
		if (!ret)
			ret = write_section_head(w, buffer, at - buffer->section - 16, msg);
	}
	if (!ret && ftruncate(w->out.fd, (off_t)at) < 0)
		ret = rl_fail_errno(msg, errno, "%s: cut to %" PRIu64 " bytes", w->out.path, at);
	return ret;
}
