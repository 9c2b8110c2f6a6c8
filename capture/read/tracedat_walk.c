/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

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
	stream->dropped = stream->extent.offset;
	stream->populated = stream->extent.offset;
	stream->chunk_next = stream->extent.offset;
	stream->chunk_here = stream->extent.offset;
	stream->chunks_left = 0;
	stream->chunk_size = 0;
	stream->chunk_at = 0;
	stream->any = false;
	memset(&stream->loss, 0, sizeof(stream->loss));
	stream->error = 0;
	stand_still(cpu);
	cpu->missed = 0;
	cpu->wanted = td->wanted;
	cpu->done = stream->extent.size == 0;
	cpu->base = (uintptr_t)td->map.data + stream->extent.offset;
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

static int chunk_room(struct tracedat_stream *stream, uint32_t size)
{
	struct tracedat *td = stream->td;
	uint8_t *bigger;

	if (size <= stream->chunk_room)
		return 0;
	if (td->chunk_bytes - stream->chunk_room + size > TRACEDAT_CHUNKS_MAX)
		return -E2BIG;
	bigger = realloc(stream->chunk, size);
	if (!bigger)
		return -ENOMEM;
	td->chunk_bytes += size - stream->chunk_room;
	stream->chunk = bigger;
	stream->chunk_room = size;
	return 0;
}

enum chunk {
	CHUNK_READY,
	CHUNK_BAD, /* passed over, the next one may be good */
	CHUNK_NONE,
};

static enum chunk unpack_chunk(struct tracedat_stream *stream, const uint8_t *packed,
			       uint32_t packed_size, uint32_t size)
{
	int ret;

	if (!size || size > TRACEDAT_CHUNK_MAX || size % stream->page_size) {
		chunk_damage(stream, packed_size,
			     "claim to unpack to a size that is none of pages");
		return CHUNK_BAD;
	}
	ret = chunk_room(stream, size);
	if (ret == -ENOMEM) {
		stream->error = ret;
		return CHUNK_NONE;
	}
	if (ret) {
		chunk_damage(stream, packed_size, "need too much memory to unpack");
		return CHUNK_BAD;
	}
	ret = tracedat_unpack(stream->td, packed, packed_size, stream->chunk, size);
	if (ret == -ENOMEM) {
		stream->error = ret;
		return CHUNK_NONE;
	}
	if (ret) {
		chunk_damage(stream, packed_size, "do not unpack");
		return CHUNK_BAD;
	}
	stream->chunk_size = size;
	return CHUNK_READY;
}

static enum chunk next_chunk(struct tracedat_stream *stream)
{
	struct tracedat_extent *extent = &stream->extent;
	uint64_t end = extent->offset + extent->size;
	struct tracedat_span span;
	const uint8_t *packed;
	uint32_t packed_size, size;

	stream->chunk_at += stream->chunk_size;
	stream->chunk_size = 0;
	stream->next_page = stream->chunk_at;
	stream->chunk_here = stream->chunk_next;
	if (stream->chunk_next == extent->offset && !begin_chunks(stream)) {
		chunk_damage(stream, extent->size, "end before their number");
		stream->chunk_next = end;
		return CHUNK_NONE;
	}
	if (!stream->chunks_left)
		return CHUNK_NONE;
	stream->chunks_left--;
	stream->chunk_here = stream->chunk_next;
	span = tracedat_span_file(stream->td, stream->chunk_next, end - stream->chunk_next);
	if (!tracedat_span_u32(&span, &packed_size) || !tracedat_span_u32(&span, &size) ||
	    !tracedat_span_bytes(&span, packed_size, &packed)) {
		chunk_damage(stream, end - stream->chunk_next, "are cut");
		stream->chunks_left = 0;
		stream->chunk_next = end;
		return CHUNK_NONE;
	}
	stream->chunk_next += span.pos;
	return unpack_chunk(stream, packed, packed_size, size);
}

static const uint8_t *packed_page(struct tracedat_cpu *cpu)
{
	struct tracedat_stream *stream = cpu->stream;
	const uint8_t *page;

	while (stream->next_page == stream->chunk_at + stream->chunk_size) {
		enum chunk chunk = next_chunk(stream);

		if (chunk == CHUNK_NONE)
			return NULL;
		if (chunk == CHUNK_BAD)
			cpu->missed = RING_MISSED_UNKNOWN;
	}
	cpu->base = (uintptr_t)stream->chunk - stream->chunk_at;
	page = stream->chunk + (stream->next_page - stream->chunk_at);
	stream->page_at = stream->next_page;
	stream->next_page += stream->page_size;
	return page;
}

static uint64_t host_page_floor(uint64_t offset)
{
	return offset & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

/* Give back the memory behind the walk and ask for the next piece in one go. */
static void move_window(struct tracedat_stream *stream, uint64_t offset)
{
	struct tracedat *td = stream->td;
	uint64_t from = host_page_floor(offset);
	uint64_t drop = host_page_floor(stream->dropped);
	uint64_t end = stream->extent.offset + stream->extent.size;
	uint64_t ahead = td->window > stream->page_size ? td->window : stream->page_size;

	if (from > drop)
		madvise((void *)(td->map.data + drop), from - drop, MADV_DONTNEED);
	stream->dropped = from;
	stream->populated = end - offset < ahead ? end : offset + ahead;
	/* Without it (before Linux 5.14) the pages come by faults, one by one. */
	madvise((void *)(td->map.data + from), stream->populated - from, MADV_POPULATE_READ);
}

static const uint8_t *plain_page(struct tracedat_cpu *cpu)
{
	struct tracedat_stream *stream = cpu->stream;
	uint64_t offset = stream->extent.offset + stream->next_page;

	if (stream->next_page == stream->extent.size)
		return NULL;
	if (offset + stream->page_size > stream->populated)
		move_window(stream, offset);
	stream->page_at = stream->next_page;
	stream->next_page += stream->page_size;
	return stream->td->map.data + offset;
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
	if (stream->chunk) {
		stream->td->chunk_bytes -= stream->chunk_room;
		free(stream->chunk);
		stream->chunk = NULL;
		stream->chunk_room = 0;
	}
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
		const uint8_t *page =
			cpu->stream->extent.compressed ? packed_page(cpu) : plain_page(cpu);
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
