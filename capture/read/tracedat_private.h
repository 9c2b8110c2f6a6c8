/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_private.h - what the files of the trace.dat reader share
 *
 * tracedat.c opens and answers questions; tracedat_v6.c and tracedat_v7.c know the two containers,
 * tracedat_recover.c what can be saved of a v7 file without its end; tracedat_meta.c reads the
 * pieces that both containers hold; tracedat_streams.c keeps buffers and streams and checks their
 * places; tracedat_walk.c goes through the pages; tracedat_pack.c unpacks; tracedat_damage.c keeps
 * the list.
 */
#ifndef RECLAIMLAB_TRACEDAT_PRIVATE_H
#define RECLAIMLAB_TRACEDAT_PRIVATE_H

#include <errno.h>
#include <inttypes.h>

#include "capture/base/map.h"
#include "capture/read/tracedat.h"

/* Limits that a sane file never meets; a hostile one meets them instead of using up memory. */
#define TRACEDAT_BUFFERS_MAX  1024u
#define TRACEDAT_CPUS_MAX     8192u /* a buffer: the largest NR_CPUS of any kernel */
#define TRACEDAT_STREAMS_MAX  32768u
#define TRACEDAT_SECTIONS_MAX 4096u
#define TRACEDAT_UNPACKED_MAX (96u << 20) /* bytes of all unpacked metadata */
#define TRACEDAT_CHUNK_MAX    (16u << 20) /* bytes of one unpacked chunk */
#define TRACEDAT_PIECES_MAX   (96u << 20) /* bytes of all pieces of streams in memory */
#define TRACEDAT_DAMAGES_MAX  256u

#define TRACEDAT_SECTION_HEAD	    16u
#define TRACEDAT_SECTION_COMPRESSED 1u

struct ZSTD_DCtx_s;

/* A piece of the file, or of an unpacked section, that is read from the front. */
struct tracedat_span {
	const uint8_t *data;
	uint64_t size;
	uint64_t pos;
	uint64_t file_offset; /* of @data; of the section's head when it was packed */
	bool packed;
	bool big_endian;
};

enum tracedat_packing {
	TRACEDAT_PACK_NONE,
	TRACEDAT_PACK_ZLIB,
	TRACEDAT_PACK_ZSTD,
};

/* One CPU of one buffer: where its pages are, and how far they were walked. */
struct tracedat_stream {
	struct tracedat *td;
	struct tracedat_extent extent;
	unsigned int buffer;
	uint32_t page_size;

	uint64_t next_page; /* stream offset of the page to come */
	uint64_t page_at;   /* stream offset of the current page */

	/* A piece of the stream in memory: read, or, if it is packed, one unpacked chunk. */
	uint8_t *piece;
	uint32_t piece_room; /* bytes allocated */
	uint32_t piece_size;
	uint64_t piece_at; /* stream offset of its first byte */

	uint64_t chunk_next; /* packed: file offset of the chunk to come */
	uint64_t chunk_here; /* packed: file offset of the current chunk */
	uint64_t dropped;    /* packed: file offset below which memory was given back */
	uint32_t chunks_left;

	struct tracedat_loss loss;
	bool any;	/* a page with records was met */
	uint64_t first; /* raw stamps of its first record */
	uint64_t last;	/* and of the last one on the page before the current one */
	int error;	/* negative errno that ended the walk */
};

struct tracedat_buffer_entry {
	struct tracedat_buffer pub;
	struct tracedat_extent *extents; /* pub.cpu_count of them */
	uint64_t section;		 /* v7: offset of the section that holds the pages */
	size_t first_stream;
};

struct tracedat {
	struct tracedat_hot hot; /* stays first: see tracedat_next() */
	char *path;
	struct rl_map map;
	int version;
	bool big_endian;
	uint32_t page_size;
	enum tracedat_packing packing;
	struct ring_layout layout; /* page_size is the one that header_page tells */

	struct tracedat_text header_page, header_event, kallsyms, printk, cmdlines;
	struct tracedat_event *events;
	size_t event_count, event_room;
	uint16_t *event_index; /* TRACEDAT_IDS of them: index of the event plus 1 */
	struct tracedat_task *tasks;
	size_t task_count;
	char *task_names;
	struct tracedat_option *options;
	size_t option_count, option_room;
	struct tracedat_cpustat *cpustats;
	size_t cpustat_count, cpustat_room;
	char *uname, *writer, *clock, *stat_buffer;

	uint8_t **unpacked; /* sections that had to be unpacked */
	size_t unpacked_count, unpacked_room;
	uint64_t unpacked_bytes;

	struct tracedat_buffer_entry *buffers;
	size_t buffer_count, buffer_room;
	struct tracedat_stream *streams; /* in the order of buffers and CPUs */
	struct tracedat_cpu *cpus;	 /* one a stream */
	size_t stream_count;
	uint64_t *counts; /* TRACEDAT_IDS a stream that has data */
	size_t counts_size;

	uint64_t ts_offset;
	uint32_t tsc_mult, tsc_shift;

	bool started;
	struct tracedat_cpu **heap; /* streams that wait, the earliest first */
	size_t heap_count;
	uint32_t window;      /* bytes of a stream that are read at a time */
	uint64_t piece_bytes; /* of all streams' pieces */
	const uint64_t *wanted;
	struct ZSTD_DCtx_s *zstd;

	struct tracedat_damage damages[TRACEDAT_DAMAGES_MAX];
	size_t damage_count;
	size_t damage_open; /* those of them found when opening */
	uint64_t damage_more;
};

/* tracedat_span.c: each returns false, and moves nothing, when the span is too short. */
struct tracedat_span tracedat_span_file(const struct tracedat *td, uint64_t offset, uint64_t size);
uint64_t tracedat_span_left(const struct tracedat_span *span);
uint64_t tracedat_span_offset(const struct tracedat_span *span);
bool tracedat_span_bytes(struct tracedat_span *span, uint64_t size, const uint8_t **data);
bool tracedat_span_u16(struct tracedat_span *span, uint16_t *v);
bool tracedat_span_u32(struct tracedat_span *span, uint32_t *v);
bool tracedat_span_u64(struct tracedat_span *span, uint64_t *v);
/* A NUL-terminated string, which stays where it is. */
bool tracedat_span_string(struct tracedat_span *span, const char **s);
/* A text behind its size of 4 or 8 bytes. */
bool tracedat_span_text4(struct tracedat_span *span, struct tracedat_text *text);
bool tracedat_span_text8(struct tracedat_span *span, struct tracedat_text *text);
/* "PATH: offset N: the file ends inside WHAT", -EBADMSG. */
int tracedat_span_short(const struct tracedat *td, const struct tracedat_span *span,
			const char *what, struct rl_msg *msg);

/* tracedat_damage.c */
void tracedat_damage_add(struct tracedat *td, const struct tracedat_damage *where, const char *fmt,
			 ...) __attribute__((format(printf, 3, 4)));
/* Damage that is about the file's metadata. */
void tracedat_damage_meta(struct tracedat *td, uint64_t offset, const struct rl_msg *msg);
void tracedat_damage_forget(struct tracedat *td, size_t keep);

/* tracedat_v6.c, tracedat_v7.c, tracedat_recover.c: from behind the common head. */
int tracedat_read_v6(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg);
int tracedat_read_v7(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg);

/* tracedat_v7.c: a section's contents, unpacked if need be. */
struct tracedat_section {
	uint16_t id, flags;
	uint32_t description;
	uint64_t offset, size; /* of the head; of what stands behind it */
	bool cut;	       /* the file ends inside it */
};
int tracedat_section_head(const struct tracedat *td, uint64_t offset,
			  struct tracedat_section *section, struct rl_msg *msg);
int tracedat_section_open(struct tracedat *td, const struct tracedat_section *section,
			  struct tracedat_span *span, struct rl_msg *msg);

/* What is known already of a v7 file's sections. */
struct tracedat_v7 {
	struct tracedat *td;
	uint64_t *visited; /* options sections */
	size_t visited_count, visited_room;
	bool seen[TRACEDAT_OPTION_CMDLINES + 1];
};
/* Read a section of options or metadata that was found by its place; nothing if it was read before.
 */
int tracedat_v7_found(struct tracedat_v7 *v7, const struct tracedat_section *section,
		      struct rl_msg *msg);
/* tracedat_recover.c: go through the file section by section for what the options did not tell. */
int tracedat_v7_recover(struct tracedat_v7 *v7, uint64_t first_section, struct rl_msg *msg);

/* tracedat_meta.c: the pieces, each from where @span stands. */
int tracedat_meta_headers(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg);
int tracedat_meta_ftrace(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg);
int tracedat_meta_events(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg);
int tracedat_meta_cmdlines(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg);
/* After all events are there. */
int tracedat_meta_finish(struct tracedat *td, struct rl_msg *msg);

/* tracedat_options.c */
int tracedat_option_add(struct tracedat *td, uint16_t id, const uint8_t *data, uint32_t size,
			struct rl_msg *msg);
/* The bracketed word of a trace_clock file, or its only word. */
int tracedat_clock_set(struct tracedat *td, const char *text, size_t size, struct rl_msg *msg);

/* tracedat_streams.c */
struct tracedat_buffer_place {
	const char *name, *clock;
	uint64_t section; /* v7: offset of the section that holds the pages */
	uint32_t page_size;
	bool latency;
	const struct tracedat_extent *extents;
	unsigned int extent_count;
};
int tracedat_buffer_add(struct tracedat *td, const struct tracedat_buffer_place *place,
			struct rl_msg *msg);
/* After all buffers are there: order, overlaps, cursors. */
int tracedat_streams_finish(struct tracedat *td, struct rl_msg *msg);
void tracedat_streams_free(struct tracedat *td);

/* tracedat_walk.c: stand before the first page. */
void tracedat_stream_reset(struct tracedat *td, size_t index);

/* tracedat_pack.c: @to has exactly @to_size bytes to fill. Returns 0, -EBADMSG or -ENOMEM. */
int tracedat_unpack(struct tracedat *td, const uint8_t *from, uint32_t from_size, uint8_t *to,
		    uint32_t to_size);
void tracedat_unpack_free(struct tracedat *td);

#endif
