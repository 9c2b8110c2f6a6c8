/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DROP_STEP (256u << 10)

static const uint8_t nothing[1];

static void stand_still(struct tracedat_cpu *cpu)
{
	cpu->ring.pos = nothing;
	cpu->ring.end = nothing;
}

void tracedat_stream_reset(struct tracedat *td, size_t index)
{
	struct tracedat_stream *stream = &td->streams[index];
	struct tracedat_cpu *cpu = &td->cpus[index];

	stream->next_page = 0;
	stream->page_at = 0;
	stream->chunk_next = stream->extent.offset;
	stream->chunk_here = stream->extent.offset;
	stream->dropped = stream->extent.offset;
	stream->chunks_left = 0;
	stream->piece_size = 0;
	stream->piece_at = 0;
	stream->any = false;
	memset(&stream->loss, 0, sizeof(stream->loss));
	stream->error = 0;
	stand_still(cpu);
	cpu->missed = 0;
	cpu->wanted = td->wanted;
	cpu->done = stream->extent.size == 0;
}

/* The packed pages begin with the number of chunks. */
static bool begin_chunks(struct tracedat_stream *stream)
{
	struct tracedat *td = stream->td;
	struct tracedat_span span =
		tracedat_span_file(td, stream->extent.offset, stream->extent.size);

	if (!tracedat_span_u32(&span, &stream->chunks_left))
		return false;
	stream->chunk_next += 4;
	return true;
}

static void chunk_damage(struct tracedat_stream *stream, uint64_t bytes, const char *what)
{
	struct tracedat_damage where = { (int)stream->buffer, stream->extent.cpu,
					 stream->chunk_here, bytes, NULL };

	tracedat_damage_add(stream->td, &where, "CPU %d: packed pages at offset %" PRIu64 ": %s",
			    stream->extent.cpu, stream->chunk_here, what);
}

static int piece_room(struct tracedat_stream *stream, uint32_t size)
{
	struct tracedat *td = stream->td;
	uint8_t *bigger;

	if (size <= stream->piece_room)
		return 0;
	if (td->piece_bytes - stream->piece_room + size > TRACEDAT_PIECES_MAX)
		return -E2BIG;
	bigger = realloc(stream->piece, size);
	if (!bigger)
		return -ENOMEM;
	td->piece_bytes += size - stream->piece_room;
	stream->piece = bigger;
	stream->piece_room = size;
	return 0;
}

enum piece {
	PIECE_READY,
	PIECE_BAD, /* passed over, the next one may be good */
	PIECE_NONE,
};

static enum piece unpack_chunk(struct tracedat_stream *stream, const uint8_t *packed,
			       uint32_t packed_size, uint32_t size)
{
	int ret;

	if (!size || size > TRACEDAT_CHUNK_MAX || size % stream->page_size) {
		chunk_damage(stream, packed_size,
			     "claim to unpack to a size that is none of pages");
		return PIECE_BAD;
	}
	ret = piece_room(stream, size);
	if (ret == -ENOMEM) {
		stream->error = ret;
		return PIECE_NONE;
	}
	if (ret) {
		chunk_damage(stream, packed_size, "need too much memory to unpack");
		return PIECE_BAD;
	}
	ret = tracedat_unpack(stream->td, packed, packed_size, stream->piece, size);
	if (ret == -ENOMEM) {
		stream->error = ret;
		return PIECE_NONE;
	}
	if (ret) {
		chunk_damage(stream, packed_size, "do not unpack");
		return PIECE_BAD;
	}
	stream->piece_size = size;
	return PIECE_READY;
}

/* Packed bytes are used where they are mapped: give back those behind the walk. */
static void drop_behind(struct tracedat_stream *stream)
{
	uint64_t host_page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t from = stream->dropped & ~(host_page - 1);
	uint64_t to = stream->chunk_next & ~(host_page - 1);

	if (to - from < DROP_STEP)
		return;
	madvise((void *)(stream->td->map.data + from), to - from, MADV_DONTNEED);
	stream->dropped = to;
}

static enum piece next_chunk(struct tracedat_stream *stream)
{
	struct tracedat_extent *extent = &stream->extent;
	uint64_t end = extent->offset + extent->size;
	struct tracedat_span span;
	const uint8_t *packed;
	uint32_t packed_size, size;

	stream->piece_at += stream->piece_size;
	stream->piece_size = 0;
	stream->next_page = stream->piece_at;
	stream->chunk_here = stream->chunk_next;
	if (stream->chunk_next == extent->offset && !begin_chunks(stream)) {
		chunk_damage(stream, extent->size, "end before their number");
		stream->chunk_next = end;
		return PIECE_NONE;
	}
	if (!stream->chunks_left)
		return PIECE_NONE;
	stream->chunks_left--;
	drop_behind(stream);
	stream->chunk_here = stream->chunk_next;
	span = tracedat_span_file(stream->td, stream->chunk_next, end - stream->chunk_next);
	if (!tracedat_span_u32(&span, &packed_size) || !tracedat_span_u32(&span, &size) ||
	    !tracedat_span_bytes(&span, packed_size, &packed)) {
		chunk_damage(stream, end - stream->chunk_next, "are cut");
		stream->chunks_left = 0;
		stream->chunk_next = end;
		return PIECE_NONE;
	}
	stream->chunk_next += span.pos;
	return unpack_chunk(stream, packed, packed_size, size);
}

static int read_at(const struct tracedat *td, uint64_t offset, uint8_t *to, uint32_t size)
{
	while (size) {
		ssize_t got = pread(td->map.fd, to, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		to += got;
		offset += (uint64_t)got;
		size -= (uint32_t)got;
	}
	return 0;
}

static enum piece window_damage(struct tracedat_stream *stream, int err)
{
	uint64_t offset = stream->extent.offset + stream->piece_at;
	struct tracedat_damage where = { (int)stream->buffer, stream->extent.cpu, offset,
					 stream->extent.size - stream->piece_at, NULL };

	tracedat_damage_add(stream->td, &where, "CPU %d: cannot read at offset %" PRIu64 ": %s",
			    stream->extent.cpu, offset,
			    err == -E2BIG ? "pages too large" : strerror(-err));
	return PIECE_NONE;
}

/* Plain pages are read a window at a time. */
static enum piece next_window(struct tracedat_stream *stream)
{
	struct tracedat *td = stream->td;
	uint64_t left;
	uint32_t size;
	int ret;

	stream->piece_at += stream->piece_size;
	stream->piece_size = 0;
	left = stream->extent.size - stream->piece_at;
	if (!left)
		return PIECE_NONE;
	size = td->window > stream->page_size ? td->window - td->window % stream->page_size
					      : stream->page_size;
	if (size > left)
		size = (uint32_t)left;
	ret = piece_room(stream, size);
	if (ret == -ENOMEM) {
		stream->error = ret;
		return PIECE_NONE;
	}
	if (!ret)
		ret = read_at(td, stream->extent.offset + stream->piece_at, stream->piece, size);
	if (ret)
		return window_damage(stream, ret);
	stream->piece_size = size;
	return PIECE_READY;
}

static const uint8_t *next_page(struct tracedat_cpu *cpu)
{
	struct tracedat_stream *stream = cpu->stream;
	const uint8_t *page;

	while (stream->next_page == stream->piece_at + stream->piece_size) {
		enum piece piece =
			stream->extent.compressed ? next_chunk(stream) : next_window(stream);

		if (piece == PIECE_NONE)
			return NULL;
		if (piece == PIECE_BAD)
			cpu->missed = RING_MISSED_UNKNOWN;
	}
	cpu->base = (uintptr_t)stream->piece - stream->piece_at;
	page = stream->piece + (stream->next_page - stream->piece_at);
	stream->page_at = stream->next_page;
	stream->next_page += stream->page_size;
	return page;
}

static uint64_t file_offset(const struct tracedat_stream *stream, uint64_t in_page)
{
	if (stream->extent.compressed)
		return stream->chunk_here;
	return stream->extent.offset + stream->page_at + in_page;
}

static void record_damage(struct tracedat_cpu *cpu)
{
	struct tracedat_stream *stream = cpu->stream;
	uint64_t at = (uintptr_t)cpu->ring.pos - cpu->base - stream->page_at;
	uint64_t left = (uint64_t)(cpu->ring.end - cpu->ring.pos);
	struct tracedat_damage where = { (int)stream->buffer, stream->extent.cpu,
					 file_offset(stream, at), left, NULL };

	tracedat_damage_add(stream->td, &where,
			    "CPU %d: record at byte %" PRIu64 " of the page at %" PRIu64
			    " does not fit the %" PRIu64 " used bytes left",
			    stream->extent.cpu, at, file_offset(stream, 0), left);
	cpu->missed = RING_MISSED_UNKNOWN;
}

static void page_damage(struct tracedat_cpu *cpu)
{
	struct tracedat_stream *stream = cpu->stream;
	struct tracedat_damage where = { (int)stream->buffer, stream->extent.cpu,
					 file_offset(stream, 0), stream->page_size, NULL };

	tracedat_damage_add(stream->td, &where,
			    "CPU %d: page at %" PRIu64 " claims more used bytes than its %u",
			    stream->extent.cpu, file_offset(stream, 0), stream->page_size);
	cpu->missed = RING_MISSED_UNKNOWN;
}

static void add_missed(struct tracedat_cpu *cpu, int64_t missed)
{
	struct tracedat_loss *loss = &cpu->stream->loss;

	if (!missed)
		return;
	loss->gaps++;
	if (missed == RING_MISSED_UNKNOWN) {
		loss->unknown++;
		cpu->missed = RING_MISSED_UNKNOWN;
		return;
	}
	if (__builtin_add_overflow(loss->records, (uint64_t)missed, &loss->records))
		loss->records = UINT64_MAX;
	if (cpu->missed != RING_MISSED_UNKNOWN &&
	    __builtin_add_overflow(cpu->missed, missed, &cpu->missed))
		cpu->missed = INT64_MAX;
}

static void finish(struct tracedat_cpu *cpu)
{
	struct tracedat_stream *stream = cpu->stream;

	cpu->done = true;
	stand_still(cpu);
	stream->td->piece_bytes -= stream->piece_room;
	free(stream->piece);
	stream->piece = NULL;
	stream->piece_room = 0;
}

/* The first record of the stream is the next one of the page that was just opened. */
static void note_first(struct tracedat_cpu *cpu)
{
	struct ring_cursor ahead = cpu->ring;

	if (cpu->stream->any || ring_step(&ahead) != RING_RECORD)
		return;
	cpu->stream->any = true;
	cpu->stream->first = ahead.stamp;
}

bool tracedat_cpu_turn(struct tracedat_cpu *cpu, enum ring_status status)
{
	struct ring_layout layout = cpu->stream->td->layout;

	if (cpu->done)
		return false;
	if (status == RING_CORRUPT)
		record_damage(cpu);
	if (cpu->stream->any)
		cpu->stream->last = cpu->ring.stamp;
	layout.page_size = cpu->stream->page_size;
	for (;;) {
		const uint8_t *page = next_page(cpu);
		int64_t missed;

		if (!page) {
			finish(cpu);
			return false;
		}
		if (!ring_open_page(&cpu->ring, &layout, page, &missed))
			page_damage(cpu);
		add_missed(cpu, missed);
		if (cpu->ring.pos != cpu->ring.end) {
			note_first(cpu);
			return true;
		}
	}
}

uint64_t tracedat_cpu_stamp(const struct tracedat_cpu *cpu, uint64_t raw)
{
	const struct tracedat *td = cpu->stream->td;
	unsigned __int128 ns = (unsigned __int128)raw * td->tsc_mult >> td->tsc_shift;

	return (uint64_t)ns + td->ts_offset;
}

uint64_t tracedat_cpu_raw_stamp(const struct tracedat_cpu *cpu)
{
	return cpu->ring.stamp;
}

static uint64_t full_stamp(const struct tracedat_cpu *cpu, uint64_t raw)
{
	return cpu->convert ? tracedat_cpu_stamp(cpu, raw) : raw + cpu->ts_offset;
}

bool tracedat_cpu_span(const struct tracedat_cpu *cpu, uint64_t *first, uint64_t *last)
{
	const struct tracedat_stream *stream = cpu->stream;

	if (!stream->any)
		return false;
	*first = full_stamp(cpu, stream->first);
	*last = full_stamp(cpu, cpu->done ? stream->last : cpu->ring.stamp);
	return true;
}

int tracedat_cpu_error(const struct tracedat_cpu *cpu)
{
	return cpu->stream->error;
}

static bool earlier(const struct tracedat_cpu *a, const struct tracedat_cpu *b)
{
	return a->rec.ts != b->rec.ts ? a->rec.ts < b->rec.ts : a < b;
}

static void heap_sink(struct tracedat *td, size_t at)
{
	struct tracedat_cpu **heap = td->heap;
	struct tracedat_cpu *cpu = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= td->heap_count)
			break;
		if (child + 1 < td->heap_count && earlier(heap[child + 1], heap[child]))
			child++;
		if (!earlier(heap[child], cpu))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = cpu;
}

static int merge_start(struct tracedat *td)
{
	td->started = true;
	td->heap_count = 0;
	for (size_t i = 0; i < td->stream_count; i++) {
		if (tracedat_cpu_step(&td->cpus[i]))
			td->heap[td->heap_count++] = &td->cpus[i];
		else if (td->streams[i].error)
			return td->streams[i].error;
	}
	for (size_t i = td->heap_count / 2; i-- > 0;)
		heap_sink(td, i);
	return 0;
}

/* Take the earliest stream out of the heap; @cpu, if there is one, takes its place. */
static struct tracedat_cpu *heap_exchange(struct tracedat *td, struct tracedat_cpu *cpu)
{
	struct tracedat_cpu *first = td->heap[0];

	td->heap[0] = cpu ? cpu : td->heap[--td->heap_count];
	if (td->heap_count)
		heap_sink(td, 0);
	return first;
}

/* Stamps of @cpu below this one come before everything that waits. */
static uint64_t merge_limit(const struct tracedat *td, const struct tracedat_cpu *cpu)
{
	uint64_t limit;

	if (!td->heap_count)
		return UINT64_MAX;
	limit = td->heap[0]->rec.ts;
	return cpu < td->heap[0] && limit != UINT64_MAX ? limit + 1 : limit;
}

int tracedat_merge_next(struct tracedat *td, const struct tracedat_record **rec)
{
	struct tracedat_cpu *cpu = td->hot.current;
	int ret;

	if (!cpu) {
		ret = td->started ? 0 : merge_start(td);
		if (ret)
			return ret;
	} else if (cpu->done) {
		td->hot.current = NULL;
		if (cpu->stream->error)
			return cpu->stream->error;
		cpu = NULL;
	}
	if (!cpu && !td->heap_count) {
		td->hot.current = NULL;
		return 0;
	}
	if (!cpu || (td->heap_count && earlier(td->heap[0], cpu)))
		cpu = heap_exchange(td, cpu);
	td->hot.current = cpu;
	td->hot.limit = merge_limit(td, cpu);
	*rec = &cpu->rec;
	return 1;
}

void tracedat_set_wanted(struct tracedat *td, const uint64_t bitmap[TRACEDAT_IDS / 64])
{
	td->wanted = bitmap;
	for (size_t i = 0; i < td->stream_count; i++)
		td->cpus[i].wanted = bitmap;
}

void tracedat_rewind(struct tracedat *td)
{
	td->hot.current = NULL;
	td->started = false;
	td->heap_count = 0;
	tracedat_damage_forget(td, td->damage_open);
	if (td->counts)
		madvise(td->counts, td->counts_size, MADV_DONTNEED);
	for (size_t i = 0; i < td->stream_count; i++)
		tracedat_stream_reset(td, i);
}

uint64_t tracedat_counts(const struct tracedat_cpu *cpu, uint16_t id)
{
	return cpu->counts ? cpu->counts[id] : 0;
}

uint64_t tracedat_count(const struct tracedat *td, uint16_t id)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < td->stream_count; i++)
		sum += tracedat_counts(&td->cpus[i], id);
	return sum;
}

uint64_t tracedat_records(const struct tracedat *td)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < td->stream_count; i++)
		for (size_t id = 0; td->cpus[i].counts && id < TRACEDAT_IDS; id++)
			sum += td->cpus[i].counts[id];
	return sum;
}

uint64_t tracedat_cpu_walked(const struct tracedat_cpu *cpu)
{
	return cpu->stream->next_page;
}

static uint64_t file_walked(const struct tracedat_stream *stream)
{
	return stream->extent.compressed ? stream->chunk_next - stream->extent.offset
					 : stream->next_page;
}

uint64_t tracedat_walked(const struct tracedat *td)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < td->stream_count; i++)
		sum += file_walked(&td->streams[i]);
	return sum;
}

uint64_t tracedat_walk_total(const struct tracedat *td)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < td->stream_count; i++)
		sum += td->streams[i].extent.size;
	return sum;
}
