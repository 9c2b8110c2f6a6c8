/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_writer.h - writing trace.dat, versions 6 and 7
 *
 * Metadata first, in any order: header_page and header_event (needed), event formats, kallsyms,
 * printk formats, task names, options. Then the buffers (the top instance is ""), then their data:
 * ring buffer pages as the kernel gave them, or records, of which pages are made. The file
 * grows under a temporary name beside its own and is renamed by tracedat_writer_finish(); until
 * then nothing is there under its name, and tracedat_writer_close() without it leaves nothing. A
 * trace holds addresses and names of the machine: only its owner may read it (0600).
 *
 * Data come in two ways:
 *   - collected: each CPU's pages go to an unlinked file beside the output and are put
 *     together (and compressed) at the end. CPUs may come in any order.
 *   - placed, for a live recorder: tracedat_writer_place() fixes where each CPU's pages stand, with
 *     room for as many as are to come; the recorder writes them there itself (with O_DIRECT if it
 *     likes) and tells by tracedat_writer_placed() how far it got. The head of the file is complete
 *     from the first moment, so that the temporary file of a recorder that was killed reads up to
 *     what was told last. finish() moves the CPUs together.
 *
 * The layout of both versions is that of trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5); trace-cmd
 * report and KernelShark open the result.
 */
#ifndef RECLAIMLAB_TRACEDAT_WRITER_H
#define RECLAIMLAB_TRACEDAT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/base/message.h"

struct tracedat_writer;

struct tracedat_writer_format {
	int version;		 /* 6 or 7 */
	const char *compression; /* "none"; in version 7 also "zlib" and "zstd" */
	bool big_endian;	 /* byte order of the traced machine */
	unsigned int long_size;	 /* of its user space: 4 or 8 bytes */
	uint32_t page_size;	 /* of its memory: bytes, a power of two */
};

/*
 * Start a file that is to become @path. @w is owned by the caller until tracedat_writer_close().
 * -EINVAL for a format that cannot be, or what the system calls said.
 */
int tracedat_writer_open(const char *path, const struct tracedat_writer_format *format,
			 struct tracedat_writer **w, struct rl_msg *msg);

/* The same in the folder of @beside, wherever that is by now; @path gives the name there. */
int tracedat_writer_open_beside(const struct tracedat_writer *beside, const char *path,
				const struct tracedat_writer_format *format,
				struct tracedat_writer **w, struct rl_msg *msg);

/* Until it is finished: the name in its folder, its descriptor, and another descriptor of it. */
const char *tracedat_writer_temp_name(const struct tracedat_writer *w);
int tracedat_writer_fd(const struct tracedat_writer *w);
int tracedat_writer_reopen(const struct tracedat_writer *w, int flags);

/* Let it become @path, a name in the same folder, instead. */
int tracedat_writer_rename(struct tracedat_writer *w, const char *path, struct rl_msg *msg);

/* After tracedat_writer_finish(): does the path lead to it? Not when its mount was taken away. */
bool tracedat_writer_reachable(const struct tracedat_writer *w);

/*
 * Metadata; all texts are copied. They return 0, -ENOMEM, or -EINVAL after the first data. Formats
 * of one system come one behind the other; those of "ftrace" go to their own section.
 */
int tracedat_writer_headers(struct tracedat_writer *w, const char *page, size_t page_size,
			    const char *event, size_t event_size, struct rl_msg *msg);
int tracedat_writer_event(struct tracedat_writer *w, const char *system, const char *format,
			  size_t size, struct rl_msg *msg);
int tracedat_writer_kallsyms(struct tracedat_writer *w, const char *text, size_t size,
			     struct rl_msg *msg);
int tracedat_writer_printk(struct tracedat_writer *w, const char *text, size_t size,
			   struct rl_msg *msg);
int tracedat_writer_cmdlines(struct tracedat_writer *w, const char *text, size_t size,
			     struct rl_msg *msg);
/* @id is an enum tracedat_option_id or any other; @data in the file's byte order. */
int tracedat_writer_option(struct tracedat_writer *w, uint16_t id, const void *data, uint32_t size,
			   struct rl_msg *msg);

/*
 * A buffer with the CPUs 0 to @cpus - 1, all with pages of @page_size bytes. @name "" is the top
 * instance and comes first. @clock is the name of its trace clock. Returns the buffer's
 * index, or a negative errno.
 */
int tracedat_writer_buffer(struct tracedat_writer *w, const char *name, const char *clock,
			   uint32_t page_size, unsigned int cpus, struct rl_msg *msg);

/* Collect whole pages; @size is a multiple of the page size. */
int tracedat_writer_pages(struct tracedat_writer *w, unsigned int buffer, unsigned int cpu,
			  const void *pages, size_t size, struct rl_msg *msg);
/* Collect a record, by time within its CPU; arguments as those of ring_builder_add(). */
int tracedat_writer_record(struct tracedat_writer *w, unsigned int buffer, unsigned int cpu,
			   uint64_t stamp, const void *data, uint32_t size, int64_t missed,
			   struct rl_msg *msg);

/*
 * Write the head and give every CPU of every buffer @room bytes of the file (sparse: what is not
 * written takes no disk). Not for compressed files. After it nothing can be collected, and more
 * options only of ids that tracedat_writer_option_reserve() made room for.
 */
int tracedat_writer_place(struct tracedat_writer *w, uint64_t room, struct rl_msg *msg);
/* Where the pages of a CPU stand in the temporary file: a multiple of the page size and of 4096. */
uint64_t tracedat_writer_place_offset(const struct tracedat_writer *w, unsigned int buffer,
				      unsigned int cpu);
/* Tell that the CPU has @size bytes of whole pages by now. Cheap: one write of 8 bytes. */
int tracedat_writer_placed(struct tracedat_writer *w, unsigned int buffer, unsigned int cpu,
			   uint64_t size, struct rl_msg *msg);

/*
 * Keep @size bytes in the head for an option whose text is known only at the end (CPUSTAT); before
 * tracedat_writer_place(). Returns a handle for tracedat_writer_option_fill(), or a negative errno.
 */
int tracedat_writer_option_reserve(struct tracedat_writer *w, uint16_t id, uint32_t size,
				   struct rl_msg *msg);
/* @text is cut or filled up with NUL to the size that was reserved. Before finish(). */
int tracedat_writer_option_fill(struct tracedat_writer *w, int option, const char *text,
				size_t size, struct rl_msg *msg);
/* Replace the task names after tracedat_writer_place(): cut or filled up to @room of the first
 * call. */
int tracedat_writer_cmdlines_reserve(struct tracedat_writer *w, uint32_t room, struct rl_msg *msg);
int tracedat_writer_cmdlines_fill(struct tracedat_writer *w, const char *text, size_t size,
				  struct rl_msg *msg);

/* Complete the file, write it through to the disk and give it its name. */
int tracedat_writer_finish(struct tracedat_writer *w, struct rl_msg *msg);

/*
 * The same of a file with placed pages, which stay where they are, with holes between: for a disk
 * that has no room to move them. In version 6 only.
 */
int tracedat_writer_finish_placed(struct tracedat_writer *w, struct rl_msg *msg);

/* NULL is fine. Without a finish() that succeeded the temporary file is removed. */
void tracedat_writer_close(struct tracedat_writer *w);

#endif
