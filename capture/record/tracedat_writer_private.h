/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_writer_private.h - what the files of the trace.dat writer share
 *
 * tracedat_writer.c takes what is to be written; tracedat_writer_head.c puts the head together in
 * memory and notes where offsets and sizes are to be filled in; tracedat_writer_data.c writes the
 * pages and fills them in; tracedat_writer_out.c holds bytes in the file's byte order.
 */
#ifndef RECLAIMLAB_TRACEDAT_WRITER_PRIVATE_H
#define RECLAIMLAB_TRACEDAT_WRITER_PRIVATE_H

#include <errno.h>
#include <inttypes.h>

#include "capture/base/output.h"
#include "capture/read/tracedat.h"
#include "capture/record/ring_builder.h"
#include "capture/record/tracedat_writer.h"

#define WRITER_PLACE_ALIGN 4096u /* what O_DIRECT wants on every disk */

/* Bytes that grow. After a failure for want of memory @failed stays set and nothing more is added.
 */
struct tracedat_out {
	uint8_t *data;
	size_t size, room;
	bool big_endian, failed;
};

/* One CPU of one buffer. */
struct writer_cpu {
	struct tracedat_writer *w;
	int fd;		  /* collected pages, -1 before the first */
	uint64_t size;	  /* bytes of pages so far */
	uint64_t place;	  /* offset in the file */
	size_t table_pos; /* where in the head its offset and, 8 bytes on, its size stand */
	struct ring_builder *builder;
};

struct writer_buffer {
	char *name, *clock;
	uint32_t page_size;
	unsigned int cpu_count;
	struct writer_cpu *cpus;
	uint64_t section;   /* v7: offset of the section's head */
	size_t section_pos; /* where in the head that offset stands; v6: the offset of the table */
};

/* An option, or the task names, whose text comes later. */
struct writer_reserve {
	size_t pos; /* in the options, or, once it is written, in the file */
	uint32_t size;
};

struct tracedat_writer {
	struct rl_output out;
	struct tracedat_writer_format format;
	enum { WRITER_META, WRITER_COLLECT, WRITER_PLACED, WRITER_DONE } state;

	struct tracedat_out headers, ftrace, events, kallsyms, printk, cmdlines, options;
	uint32_t ftrace_count, system_count;
	char *system; /* that events are added to */
	size_t system_count_pos;
	uint32_t system_events;
	bool has_clock, has_cpu_count;
	struct ring_layout layout; /* all but the page size, which each buffer has of its own */

	struct writer_reserve *reserves;
	size_t reserve_count, reserve_room;
	struct writer_reserve cmdlines_reserve;

	struct writer_buffer *buffers;
	size_t buffer_count, buffer_room;
	struct tracedat_out head; /* once pages are placed only its size is left */
};

/* tracedat_writer_out.c */
void tracedat_out_bytes(struct tracedat_out *out, const void *data, size_t size);
void tracedat_out_string(struct tracedat_out *out, const char *s); /* with its NUL */
void tracedat_out_u16(struct tracedat_out *out, uint16_t v);
void tracedat_out_u32(struct tracedat_out *out, uint32_t v);
void tracedat_out_u64(struct tracedat_out *out, uint64_t v);
void tracedat_out_zero(struct tracedat_out *out, size_t size);
void tracedat_out_set_u32(struct tracedat_out *out, size_t pos, uint32_t v);
void tracedat_out_set_u64(struct tracedat_out *out, size_t pos, uint64_t v);
void tracedat_out_free(struct tracedat_out *out);

/* tracedat_writer_head.c: fill @w->head and note the positions in it. */
int tracedat_writer_compose(struct tracedat_writer *w, struct rl_msg *msg);
void tracedat_writer_section_head(struct tracedat_out *out, uint16_t id, bool compressed,
				  uint64_t size);
bool tracedat_writer_compressed(const struct tracedat_writer *w);

/* tracedat_writer_data.c */
/* Where the pages of a CPU of @buffer may begin at @at or behind it. */
uint64_t tracedat_writer_align(const struct writer_buffer *buffer, uint64_t at);
/* v7: the head of the section of @buffer's pages goes to @at, which is moved behind it. */
int tracedat_writer_begin_buffer(struct tracedat_writer *w, struct writer_buffer *buffer,
				 uint64_t *at, struct rl_msg *msg);
int tracedat_writer_write(const struct tracedat_writer *w, uint64_t offset, const void *data,
			  size_t size, struct rl_msg *msg);
int tracedat_writer_write_u64(const struct tracedat_writer *w, uint64_t offset, uint64_t v,
			      struct rl_msg *msg);
/* Append what was collected behind the head, and tell the head where. */
int tracedat_writer_append(struct tracedat_writer *w, struct rl_msg *msg);
/* Move placed pages together. */
int tracedat_writer_compact(struct tracedat_writer *w, struct rl_msg *msg);

/* tracedat_writer_pack.c: @from as one compressed block behind its two sizes. */
int tracedat_writer_pack(const struct tracedat_writer *w, const void *from, uint32_t size,
			 struct tracedat_out *to, struct rl_msg *msg);

#endif
