/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "capture/base/array.h"

#define WINDOW_ALL     (48u << 20) /* bytes that the windows of all streams have together */
#define WINDOW_MIN     (32u << 10)
#define WINDOW_MAX     (128u << 10) /* stays in the second-level cache between reading and decoding */
#define CPU_NUMBER_MAX (1u << 20)

static int no_memory(const struct tracedat *td, struct rl_msg *msg)
{
	return rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
}

static int extent_order(const void *a, const void *b)
{
	const struct tracedat_extent *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool page_size_fits(const struct tracedat *td, uint32_t size)
{
	return size >= RING_PAGE_MIN && size <= RING_PAGE_MAX && (size & (size - 1)) == 0;
}

int tracedat_buffer_add(struct tracedat *td, const struct tracedat_buffer_place *place,
			struct rl_msg *msg)
{
	struct tracedat_buffer_entry *entry;
	uint32_t page_size = place->page_size;

	if (td->buffer_count == TRACEDAT_BUFFERS_MAX || place->extent_count > TRACEDAT_CPUS_MAX)
		return rl_fail(
			msg, EBADMSG,
			"%s: buffer \"%.64s\" with %u CPUs: expected at most %u buffers and %u "
			"CPUs",
			td->path, place->name, place->extent_count, TRACEDAT_BUFFERS_MAX,
			TRACEDAT_CPUS_MAX);
	if (rl_array_room(&td->buffers, &td->buffer_room, td->buffer_count, sizeof(*td->buffers)))
		return no_memory(td, msg);
	if (!page_size_fits(td, page_size)) {
		struct tracedat_damage where = { (int)td->buffer_count, TRACEDAT_UNKNOWN, 0, 0,
						 NULL };

		tracedat_damage_add(
			td, &where,
			"buffer \"%.64s\" has pages of %u bytes, expected a power of two: "
			"took the %u of header_page",
			place->name, page_size, td->layout.page_size);
		page_size = td->layout.page_size;
	}
	entry = &td->buffers[td->buffer_count];
	memset(entry, 0, sizeof(*entry));
	if (place->extent_count) {
		entry->extents = calloc(place->extent_count, sizeof(*entry->extents));
		if (!entry->extents)
			return no_memory(td, msg);
		memcpy(entry->extents, place->extents,
		       place->extent_count * sizeof(*entry->extents));
		qsort(entry->extents, place->extent_count, sizeof(*entry->extents), extent_order);
	}
	entry->pub.name = place->name;
	entry->pub.clock = place->clock;
	entry->pub.page_size = page_size;
	entry->pub.cpu_count = place->extent_count;
	entry->pub.latency = place->latency;
	entry->section = place->section;
	td->buffer_count++;
	return 0;
}

/* Keep what is there of the stream: whole pages, or, if they are packed, all bytes. */
static void cut_extent(struct tracedat *td, const struct tracedat_stream *stream,
		       struct tracedat_extent *extent)
{
	uint64_t there = extent->offset < td->map.size ? td->map.size - extent->offset : 0;
	struct tracedat_damage where = { (int)stream->buffer, extent->cpu, 0, 0, NULL };

	if (!extent->claimed)
		return;
	if ((unsigned int)extent->cpu >= CPU_NUMBER_MAX) {
		where.cpu = TRACEDAT_UNKNOWN;
		tracedat_damage_add(td, &where, "CPU number %u, expected less than %u",
				    (unsigned int)extent->cpu, CPU_NUMBER_MAX);
		extent->size = 0;
		return;
	}
	extent->size = extent->claimed < there ? extent->claimed : there;
	if (extent->compressed && there)
		return;
	extent->size -= extent->size % stream->page_size;
	if (extent->size == extent->claimed)
		return;
	where.offset = extent->offset + extent->size;
	where.bytes = extent->claimed - extent->size;
	if (extent->claimed > there)
		tracedat_damage_add(td, &where,
				    "CPU %d should have %" PRIu64 " bytes at offset %" PRIu64
				    ", the file ends after %" PRIu64 " of them",
				    extent->cpu, extent->claimed, extent->offset, there);
	else
		tracedat_damage_add(td, &where,
				    "CPU %d has %" PRIu64 " bytes, no multiple of the page size %u",
				    extent->cpu, extent->claimed, stream->page_size);
}

static int place_order(const void *a, const void *b)
{
	const struct tracedat_stream *x = *(struct tracedat_stream *const *)a;
	const struct tracedat_stream *y = *(struct tracedat_stream *const *)b;

	if (x->extent.offset != y->extent.offset)
		return x->extent.offset < y->extent.offset ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * Two streams in one place would let a small file stand for endless work. For packed pages the
 * place of the next ones is also the better bound: some writers count them without the heads of
 * their chunks.
 */
static int bound_streams(struct tracedat *td, struct rl_msg *msg)
{
	struct tracedat_stream **order = calloc(td->stream_count + 1, sizeof(*order));
	uint64_t end = 0;
	size_t count = 0;

	if (!order)
		return no_memory(td, msg);
	for (size_t i = 0; i < td->stream_count; i++)
		if (td->streams[i].extent.size)
			order[count++] = &td->streams[i];
	qsort(order, count, sizeof(*order), place_order);
	for (size_t i = 0; i < count; i++) {
		struct tracedat_extent *extent = &order[i]->extent;

		if (extent->offset < end) {
			struct tracedat_damage where = { (int)order[i]->buffer, extent->cpu,
							 extent->offset, extent->size, NULL };

			tracedat_damage_add(td, &where,
					    "CPU %d at offset %" PRIu64
					    " overlaps another CPU's data, which end at %" PRIu64,
					    extent->cpu, extent->offset, end);
			extent->size = 0;
			continue;
		}
		if (extent->compressed)
			extent->size =
				(i + 1 < count ? order[i + 1]->extent.offset : td->map.size) -
				extent->offset;
		end = extent->offset + extent->size;
	}
	free(order);
	return 0;
}

static void top_first(struct tracedat *td)
{
	for (size_t i = 1; i < td->buffer_count; i++) {
		struct tracedat_buffer_entry top = td->buffers[i];

		if (*top.pub.name)
			continue;
		memmove(td->buffers + 1, td->buffers, i * sizeof(*td->buffers));
		td->buffers[0] = top;
		return;
	}
}

static int make_streams(struct tracedat *td, struct rl_msg *msg)
{
	size_t total = 0;

	for (size_t b = 0; b < td->buffer_count; b++) {
		td->buffers[b].first_stream = total;
		if (!td->buffers[b].pub.clock)
			td->buffers[b].pub.clock = td->clock ? td->clock : "";
		total += td->buffers[b].pub.cpu_count;
	}
	if (total > TRACEDAT_STREAMS_MAX)
		return rl_fail(msg, EBADMSG, "%s: %zu CPUs in all buffers, expected at most %u",
			       td->path, total, TRACEDAT_STREAMS_MAX);
	td->streams = calloc(total + 1, sizeof(*td->streams));
	td->cpus = calloc(total + 1, sizeof(*td->cpus));
	td->heap = calloc(total + 1, sizeof(struct tracedat_cpu *));
	if (!td->streams || !td->cpus || !td->heap)
		return no_memory(td, msg);
	td->stream_count = total;
	for (size_t b = 0; b < td->buffer_count; b++) {
		struct tracedat_buffer_entry *entry = &td->buffers[b];

		for (size_t c = 0; c < entry->pub.cpu_count; c++) {
			struct tracedat_stream *stream = &td->streams[entry->first_stream + c];

			stream->td = td;
			stream->buffer = (unsigned int)b;
			stream->page_size = entry->pub.page_size;
			stream->extent = entry->extents[c];
			cut_extent(td, stream, &stream->extent);
		}
		free(entry->extents);
		entry->extents = NULL;
	}
	return 0;
}

/* A table of all ids for each stream with data; what no id of the file touches takes no memory. */
static int make_counts(struct tracedat *td, struct rl_msg *msg)
{
	size_t busy = 0;
	void *counts;

	for (size_t i = 0; i < td->stream_count; i++)
		busy += td->streams[i].extent.size != 0;
	if (!busy)
		return 0;
	td->counts_size = busy * TRACEDAT_IDS * sizeof(*td->counts);
	counts = mmap(NULL, td->counts_size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (counts == MAP_FAILED)
		return no_memory(td, msg);
	td->counts = counts;
	return 0;
}

static int make_cursors(struct tracedat *td, struct rl_msg *msg)
{
	size_t busy = 0;
	int ret = make_counts(td, msg);

	if (ret)
		return ret;
	for (size_t i = 0; i < td->stream_count; i++) {
		struct tracedat_cpu *cpu = &td->cpus[i];

		cpu->stream = &td->streams[i];
		cpu->rec.cpu = cpu->stream->extent.cpu;
		cpu->rec.buffer = (uint16_t)cpu->stream->buffer;
		cpu->ts_offset = td->ts_offset;
		cpu->convert = td->tsc_mult != 0;
		if (cpu->stream->extent.size) {
			cpu->counts = td->counts + busy * TRACEDAT_IDS;
			busy++;
		}
		tracedat_stream_reset(td, i);
	}
	td->window = (uint32_t)(WINDOW_ALL / (busy ? busy : 1));
	if (td->window < WINDOW_MIN)
		td->window = WINDOW_MIN;
	if (td->window > WINDOW_MAX)
		td->window = WINDOW_MAX;
	return 0;
}

int tracedat_streams_finish(struct tracedat *td, struct rl_msg *msg)
{
	int ret;

	top_first(td);
	ret = make_streams(td, msg);
	if (!ret)
		ret = bound_streams(td, msg);
	if (!ret)
		ret = make_cursors(td, msg);
	return ret;
}

void tracedat_streams_free(struct tracedat *td)
{
	for (size_t b = 0; b < td->buffer_count; b++)
		free(td->buffers[b].extents);
	for (size_t i = 0; i < td->stream_count; i++)
		free(td->streams[i].piece);
	if (td->counts)
		munmap(td->counts, td->counts_size);
	free(td->buffers);
	free(td->streams);
	free(td->cpus);
	free(td->heap);
}

unsigned int tracedat_buffer_count(const struct tracedat *td)
{
	return (unsigned int)td->buffer_count;
}

const struct tracedat_buffer *tracedat_buffer(const struct tracedat *td, unsigned int buffer)
{
	return buffer < td->buffer_count ? &td->buffers[buffer].pub : NULL;
}

struct tracedat_cpu *tracedat_cpu(struct tracedat *td, unsigned int buffer, unsigned int index)
{
	if (buffer >= td->buffer_count || index >= td->buffers[buffer].pub.cpu_count)
		return NULL;
	return &td->cpus[td->buffers[buffer].first_stream + index];
}

unsigned int tracedat_cpu_total(const struct tracedat *td)
{
	return (unsigned int)td->stream_count;
}

struct tracedat_cpu *tracedat_cpu_at(struct tracedat *td, unsigned int index)
{
	return index < td->stream_count ? &td->cpus[index] : NULL;
}

void tracedat_cpu_extent(const struct tracedat_cpu *cpu, struct tracedat_extent *extent)
{
	*extent = cpu->stream->extent;
}

void tracedat_cpu_loss(const struct tracedat_cpu *cpu, struct tracedat_loss *loss)
{
	*loss = cpu->stream->loss;
}
