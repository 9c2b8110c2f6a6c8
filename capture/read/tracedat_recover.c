/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace-cmd writes the table of a v7 buffer's CPUs behind the pages, so a file that lost its end
 * has pages that nothing points to. The sections stand one behind the other, so they can still be
 * found. Packed pages tell themselves where a CPU ends. Plain ones do not, but the stamps of one
 * CPU never run backwards: where they do, the next CPU begins.
 */
#include "capture/read/tracedat_private.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/base/array.h"

#define SECTION_ID_MAX 64u
#define DROP_STEP      (16u << 20)

struct found {
	struct tracedat_extent *extents;
	size_t count, room;
};

static uint64_t align_up(uint64_t offset, uint64_t to)
{
	return (offset + to - 1) / to * to;
}

static int add_extent(struct found *found, uint64_t offset, uint64_t size, bool compressed)
{
	struct tracedat_extent *extent;

	if (!size)
		return 0;
	if (found->count == TRACEDAT_CPUS_MAX)
		return -EBADMSG;
	if (rl_array_room(&found->extents, &found->room, found->count, sizeof(*found->extents)))
		return -ENOMEM;
	extent = &found->extents[found->count];
	memset(extent, 0, sizeof(*extent));
	extent->cpu = (int)found->count++;
	extent->offset = offset;
	extent->claimed = size;
	extent->compressed = compressed;
	return 0;
}

static int find_plain(struct tracedat *td, uint64_t start, uint64_t end, struct found *found)
{
	uint32_t page_size = td->layout.page_size;
	uint64_t begin = start, dropped = start, last = 0, at;
	int ret;

	for (at = start; at <= end && end - at >= page_size; at += page_size) {
		uint64_t stamp = ring_load64(td->map.data + at, td->big_endian);

		if (stamp && stamp < last) {
			ret = add_extent(found, begin, at - begin, false);
			if (ret)
				return ret;
			begin = at;
		}
		if (stamp)
			last = stamp;
		if (at - dropped >= DROP_STEP) {
			dropped = at & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
			madvise((void *)(td->map.data + dropped - DROP_STEP / 2), DROP_STEP / 2,
				MADV_DONTNEED);
		}
	}
	return add_extent(found, begin, at - begin, false);
}

/* The size of one CPU's packed pages; @cut when the file ends inside them. */
static uint64_t packed_size(const struct tracedat *td, uint64_t start, uint64_t end, bool *cut)
{
	struct tracedat_span span = tracedat_span_file(td, start, end - start);
	uint32_t chunks, size, unpacked;
	const uint8_t *data;

	*cut = true;
	if (!tracedat_span_u32(&span, &chunks))
		return 0;
	for (uint32_t i = 0; i < chunks; i++)
		if (!tracedat_span_u32(&span, &size) || !tracedat_span_u32(&span, &unpacked) ||
		    !tracedat_span_bytes(&span, size, &data))
			return end - start;
	*cut = false;
	return chunks ? span.pos : 0;
}

static int find_packed(struct tracedat *td, uint64_t start, uint64_t end, struct found *found)
{
	bool cut = false;

	while (start < end && !cut) {
		uint64_t size = packed_size(td, start, end, &cut);
		int ret = add_extent(found, start, size, true);

		if (ret || !size)
			return ret;
		start = align_up(start + size, td->layout.page_size);
	}
	return 0;
}

static bool known_buffer(const struct tracedat *td, uint64_t section)
{
	for (size_t i = 0; i < td->buffer_count; i++)
		if (td->buffers[i].section == section)
			return true;
	return false;
}

static int recover_buffer(struct tracedat *td, const struct tracedat_section *section,
			  struct rl_msg *msg)
{
	struct tracedat_buffer_place place = { .clock = "", .section = section->offset };
	struct tracedat_damage where = { (int)td->buffer_count, TRACEDAT_UNKNOWN, section->offset,
					 0, NULL };
	uint64_t start = align_up(section->offset + TRACEDAT_SECTION_HEAD, td->layout.page_size);
	uint64_t end = section->offset + TRACEDAT_SECTION_HEAD + section->size;
	struct found found = { NULL, 0, 0 };
	int ret = 0;

	if (start < end)
		ret = section->flags & TRACEDAT_SECTION_COMPRESSED
			      ? find_packed(td, start, end, &found)
			      : find_plain(td, start, end, &found);
	if (ret) {
		rl_fail(msg, -ret,
			"%s: offset %" PRIu64 ": cannot tell the CPUs of the pages apart", td->path,
			start);
		goto out;
	}
	tracedat_damage_add(
		td, &where,
		"the table of CPUs is missing: found pages of %zu CPUs at offset %" PRIu64
		" by themselves, their numbers are guessed",
		found.count, start);
	place.name = td->buffer_count ? "recovered" : "";
	place.page_size = td->layout.page_size;
	place.extents = found.extents;
	place.extent_count = (unsigned int)found.count;
	ret = tracedat_buffer_add(td, &place, msg);
out:
	free(found.extents);
	return ret;
}

static int recover_section(struct tracedat_v7 *v7, struct tracedat_section *section,
			   struct rl_msg *msg)
{
	struct tracedat *td = v7->td;

	if (section->id != TRACEDAT_OPTION_BUFFER)
		return tracedat_v7_found(v7, section, msg);
	if (!section->size) {
		/* Its size is written when it is complete. */
		section->size = td->map.size - section->offset - TRACEDAT_SECTION_HEAD;
		section->cut = true;
	}
	if (known_buffer(td, section->offset) || !td->layout.page_size)
		return 0;
	return recover_buffer(td, section, msg);
}

int tracedat_v7_recover(struct tracedat_v7 *v7, uint64_t first_section, struct rl_msg *msg)
{
	struct tracedat *td = v7->td;
	struct tracedat_section section;
	uint64_t offset = first_section;

	for (unsigned int i = 0; i < TRACEDAT_SECTIONS_MAX; i++) {
		int ret = tracedat_section_head(td, offset, &section, msg);

		if (ret || section.id > SECTION_ID_MAX)
			break;
		ret = recover_section(v7, &section, msg);
		if (ret)
			return ret;
		if (section.cut)
			break;
		offset += TRACEDAT_SECTION_HEAD + section.size;
	}
	if (!td->layout.page_size)
		return rl_fail(msg, EBADMSG,
			       "%s: offset %" PRIu64
			       ": the file ends before its header_page section",
			       td->path, offset);
	return 0;
}
