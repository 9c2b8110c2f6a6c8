/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat.h - reading trace-cmd's trace.dat, versions 6 and 7
 *
 * A file holds metadata (event formats, symbols, task names, options) and, for each buffer (the top
 * instance and others), one stream of ring buffer pages a CPU. tracedat_open() maps the file, or
 * unpacks it to an unlinked temporary file when it is compressed as a whole, and reads the metadata
 * in place. The pages of a stream are read a window at a time into a buffer that fits the cache (a
 * mapping would cost a fault for each page, which is more than decoding it), or unpacked a chunk at
 * a time, and decoded there: no record is copied and nothing is allocated for one.
 *
 * Two ways to walk, not to be mixed without tracedat_rewind() between them:
 *   - tracedat_next() merges all streams by time. Equal stamps come lower buffer first, then lower
 *     CPU, so that the order is the same on every machine and for every container version.
 *   - tracedat_cpu_next() walks one stream.
 * Both hand out a pointer to a record that is good until the next call on the same handle.
 *
 *	struct tracedat *td;
 *	const struct tracedat_record *rec;
 *	int ret = tracedat_open(path, &td, &msg);
 *	if (ret)
 *		return ret;
 *	while ((ret = tracedat_next(td, &rec)) > 0)
 *		use(rec);
 *	tracedat_close(td);
 *
 * A consumer that needs few events says which with tracedat_set_wanted(): the others are counted in
 * the decoder and never reach the merge.
 *
 * The file is not trusted. Every size is checked against the bytes that are there before it is
 * used, and memory stays bounded, whatever the file's size. What cannot be read is listed as struct
 * tracedat_damage, with the place; everything before it, and whole pages after it, are still read.
 * A damaged or cut file opens as long as its formats and the place of its data can be found.
 *
 * Stamps are ns when the clock is one of ns (tracedat_clock_is_ns()), after the file's own
 * corrections: TSC to ns (option TSC2NSEC), then the offsets of DATE and OFFSET, as trace-cmd
 * report applies them.
 */
#ifndef RECLAIMLAB_TRACEDAT_H
#define RECLAIMLAB_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/base/progress.h"
#include "capture/read/ring.h"

#define TRACEDAT_IDS	 65536 /* values that a record's common_type can take */
#define TRACEDAT_UNKNOWN (-1)

/* Option ids of trace-cmd.dat.v7(5); other ids can occur and are kept as they are. */
enum tracedat_option_id {
	TRACEDAT_OPTION_DONE = 0,
	TRACEDAT_OPTION_DATE = 1,
	TRACEDAT_OPTION_CPUSTAT = 2,
	TRACEDAT_OPTION_BUFFER = 3,
	TRACEDAT_OPTION_TRACECLOCK = 4,
	TRACEDAT_OPTION_UNAME = 5,
	TRACEDAT_OPTION_HOOK = 6,
	TRACEDAT_OPTION_OFFSET = 7,
	TRACEDAT_OPTION_CPUCOUNT = 8,
	TRACEDAT_OPTION_VERSION = 9,
	TRACEDAT_OPTION_PROCMAPS = 10,
	TRACEDAT_OPTION_TRACEID = 11,
	TRACEDAT_OPTION_TIME_SHIFT = 12,
	TRACEDAT_OPTION_GUEST = 13,
	TRACEDAT_OPTION_TSC2NSEC = 14,
	TRACEDAT_OPTION_STRINGS = 15,
	TRACEDAT_OPTION_HEADER_INFO = 16,
	TRACEDAT_OPTION_FTRACE_EVENTS = 17,
	TRACEDAT_OPTION_EVENT_FORMATS = 18,
	TRACEDAT_OPTION_KALLSYMS = 19,
	TRACEDAT_OPTION_PRINTK = 20,
	TRACEDAT_OPTION_CMDLINES = 21,
	TRACEDAT_OPTION_BUFFER_TEXT = 22,
};

struct tracedat;
struct tracedat_cpu;

/* One record. Integers here are in host order; the bytes of @data are in the file's. */
struct tracedat_record {
	uint64_t ts;	     /* see the head of this file */
	const uint8_t *data; /* payload: common fields, then the event's */
	uint32_t size;	 /* bytes of payload, a multiple of 4, may be more than the event needs */
	uint16_t id;	 /* common_type; 0 when the payload is shorter than that */
	uint16_t buffer; /* index of the buffer */
	int cpu;	 /* number that the traced machine gave the CPU */
	int64_t missed;	 /* records lost on this CPU since the last one returned: 0, n, or -1 */
	uint64_t offset; /* of @data in the CPU's stream of (uncompressed) pages, bytes */
};

/* A piece of the file's text; not NUL-terminated, lives as long as the handle. */
struct tracedat_text {
	const char *data; /* NULL when the file has none */
	size_t size;
};

struct tracedat_event {
	const char *system; /* "ftrace" for the built-in ones */
	const char *name;
	uint16_t id;
	struct tracedat_text format; /* the whole text of the format file */
};

struct tracedat_option {
	uint16_t id;
	uint32_t size;
	const uint8_t *data; /* in the file's byte order */
};

struct tracedat_task {
	int pid;
	const char *comm; /* may hold blanks */
};

/* What per_cpu/cpuN/stats said when the recording ended. TRACEDAT_UNKNOWN: the line is not there.
 */
struct tracedat_cpustat {
	const char *buffer; /* "" for the top instance */
	int cpu;
	int64_t entries, overrun, commit_overrun, bytes, dropped, read;
	int64_t overwritten; /* by a flight recorder: what came before its first event */
	struct tracedat_text text;
};

/* A buffer (instance). */
struct tracedat_buffer {
	const char *name;	/* "" for the top instance */
	const char *clock;	/* name of the trace clock, "" when the file does not say */
	uint32_t page_size;	/* of its sub-buffers, bytes */
	unsigned int cpu_count; /* streams, also the empty ones */
	bool latency;		/* holds text of the "trace" file instead of pages: not read here */
};

/* The place of one CPU's stream in the file. */
struct tracedat_extent {
	int cpu;
	uint64_t offset; /* in the file (of the unpacked one when it is compressed as a whole) */
	uint64_t size; /* bytes in the file that are there; compressed size in a compressed section
			*/
	uint64_t claimed; /* bytes that the file says it has */
	bool compressed;
};

/* Something that could not be read. */
struct tracedat_damage {
	int buffer;	  /* index, TRACEDAT_UNKNOWN: not about a buffer */
	int cpu;	  /* CPU number, TRACEDAT_UNKNOWN: not about one CPU */
	uint64_t offset;  /* where in the file */
	uint64_t bytes;	  /* how much was passed over, 0: unknown */
	const char *what; /* a line for people: what was found and what was expected */
};

/* Losses that the stream itself tells of, up to where it was walked. */
struct tracedat_loss {
	uint64_t records; /* sum of the counts that were stored */
	uint64_t gaps;	  /* places where records were lost */
	uint64_t unknown; /* those of them without a count */
};

/*
 * Open @path ("-" reads standard input) and read its metadata. @td is owned by the caller until
 * tracedat_close(). Fails with -ENODATA for an empty file, -EISDIR, -EPROTONOSUPPORT for a
 * trace.dat that this reader does not do (version, compression, ring buffers older than 2.6.31),
 * -EBADMSG for a file that is none or is too damaged to open, or what the system calls said.
 */
int tracedat_open(const char *path, struct tracedat **td, struct rl_msg *msg);

/* The same; unpacking reports to @progress and ends with -EINTR when it says so. */
int tracedat_open_watched(const char *path, const struct rl_progress *progress,
			  struct tracedat **td, struct rl_msg *msg);

/* NULL is fine. All pointers that came from the handle die with it. */
void tracedat_close(struct tracedat *td);

/* True when the first bytes of a file are those of a trace.dat. @size may be anything. */
bool tracedat_magic(const void *head, size_t size);

/* What the head of the file says. */
const char *tracedat_path(const struct tracedat *td);
int tracedat_version(const struct tracedat *td);	     /* 6 or 7 */
const char *tracedat_compression(const struct tracedat *td); /* "none", "zlib", "zstd" */
bool tracedat_big_endian(const struct tracedat *td);
unsigned int tracedat_long_size(const struct tracedat *td); /* of the traced kernel: 4 or 8 bytes */
uint32_t tracedat_page_size(const struct tracedat *td);	    /* the traced host's, bytes */
uint64_t tracedat_file_size(const struct tracedat *td);	    /* bytes, unpacked */

/* Metadata. Arrays have *@count entries and may be NULL when that is 0. */
struct tracedat_text tracedat_header_page(const struct tracedat *td);
struct tracedat_text tracedat_header_event(const struct tracedat *td);
struct tracedat_text tracedat_kallsyms(const struct tracedat *td);
struct tracedat_text tracedat_printk(const struct tracedat *td);
struct tracedat_text tracedat_cmdlines_text(const struct tracedat *td);
const struct tracedat_event *tracedat_events(const struct tracedat *td, size_t *count);
const struct tracedat_event *tracedat_event_by_id(const struct tracedat *td, uint16_t id);
const struct tracedat_event *tracedat_event_find(const struct tracedat *td, const char *system,
						 const char *name);
const struct tracedat_task *tracedat_cmdlines(const struct tracedat *td, size_t *count);
const struct tracedat_option *tracedat_options(const struct tracedat *td, size_t *count);
const struct tracedat_cpustat *tracedat_cpustats(const struct tracedat *td, size_t *count);
const char *tracedat_uname(const struct tracedat *td); /* "" when the file does not say */
const char *
tracedat_writer(const struct tracedat *td); /* version of the program that wrote it, or "" */

/*
 * Name of the trace clock ("local", "mono", ...) of the first buffer that has CPUs; the top one has
 * none where only an instance was recorded. "" when the file does not say.
 */
const char *tracedat_clock(const struct tracedat *td);
/* False for clocks that count something else ("counter", or a TSC without its conversion). */
bool tracedat_clock_is_ns(const struct tracedat *td);
/* What is added to each stamp (DATE and OFFSET options), ns. */
int64_t tracedat_ts_offset(const struct tracedat *td);

/* Buffers: index 0 is the top instance if the file has it. */
unsigned int tracedat_buffer_count(const struct tracedat *td);
const struct tracedat_buffer *tracedat_buffer(const struct tracedat *td, unsigned int buffer);

/* Streams of one buffer, 0 <= @index < cpu_count, ordered by CPU number. */
struct tracedat_cpu *tracedat_cpu(struct tracedat *td, unsigned int buffer, unsigned int index);
/* All streams, 0 <= @index < tracedat_cpu_total(), in the order of buffers and CPUs. */
unsigned int tracedat_cpu_total(const struct tracedat *td);
struct tracedat_cpu *tracedat_cpu_at(struct tracedat *td, unsigned int index);
void tracedat_cpu_extent(const struct tracedat_cpu *cpu, struct tracedat_extent *extent);
void tracedat_cpu_loss(const struct tracedat_cpu *cpu, struct tracedat_loss *loss);
/* Bytes of the stream (uncompressed) that were walked so far. */
uint64_t tracedat_cpu_walked(const struct tracedat_cpu *cpu);
/* Stamps of its first record and of the last one walked, returned or not; false: there was none. */
bool tracedat_cpu_span(const struct tracedat_cpu *cpu, uint64_t *first, uint64_t *last);

/* Stamp of the current record as it stands in the page, before the file's corrections. */
uint64_t tracedat_cpu_raw_stamp(const struct tracedat_cpu *cpu);

/* Bytes of the file walked so far and in all, for a progress line. */
uint64_t tracedat_walked(const struct tracedat *td);
uint64_t tracedat_walk_total(const struct tracedat *td);

/*
 * Return only records whose id has its bit set in @bitmap (TRACEDAT_IDS bits, bit id % 64 of word
 * id / 64); NULL: all. The others are counted only; what was lost before one of them is told with
 * the next record returned. @bitmap is borrowed until the next call or the close. To be called
 * before the first record is read or after a rewind.
 */
void tracedat_set_wanted(struct tracedat *td, const uint64_t bitmap[TRACEDAT_IDS / 64]);

/* Records of @id on one stream that were walked so far, returned or not. */
uint64_t tracedat_counts(const struct tracedat_cpu *cpu, uint16_t id);
/* The same over all streams, and of all ids. */
uint64_t tracedat_count(const struct tracedat *td, uint16_t id);
uint64_t tracedat_records(const struct tracedat *td);

/* Back to the first record. Counts, losses and the damages found while walking start anew. */
void tracedat_rewind(struct tracedat *td);

/* Damages known so far: those of the metadata after open, those of the pages while walking. */
const struct tracedat_damage *tracedat_damages(const struct tracedat *td, size_t *count);
/* Damages beyond those that the list keeps. */
uint64_t tracedat_damages_more(const struct tracedat *td);

#include "capture/read/tracedat_walk.h"

#endif
