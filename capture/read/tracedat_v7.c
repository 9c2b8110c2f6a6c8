/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <stdlib.h>

#include "capture/base/array.h"

int tracedat_section_head(const struct tracedat *td, uint64_t offset,
			  struct tracedat_section *section, struct rl_msg *msg)
{
	struct tracedat_span span = tracedat_span_file(td, offset, TRACEDAT_SECTION_HEAD);
	uint64_t left;

	section->offset = offset;
	if (!tracedat_span_u16(&span, &section->id) || !tracedat_span_u16(&span, &section->flags) ||
	    !tracedat_span_u32(&span, &section->description) ||
	    !tracedat_span_u64(&span, &section->size))
		return tracedat_span_short(td, &span, "head of a section", msg);
	left = td->map.size - offset - TRACEDAT_SECTION_HEAD;
	section->cut = section->size > left;
	if (section->cut)
		section->size = left;
	return 0;
}

static int keep_unpacked(struct tracedat *td, uint32_t size, uint8_t **data, struct rl_msg *msg)
{
	if (size > TRACEDAT_UNPACKED_MAX - td->unpacked_bytes)
		return rl_fail(msg, E2BIG, "%s: metadata unpack to more than %u bytes", td->path,
			       TRACEDAT_UNPACKED_MAX);
	if (rl_array_room(&td->unpacked, &td->unpacked_room, td->unpacked_count,
			  sizeof(*td->unpacked)))
		return rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
	*data = malloc(size ? size : 1);
	if (!*data)
		return rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
	td->unpacked[td->unpacked_count++] = *data;
	td->unpacked_bytes += size;
	return 0;
}

static int open_packed(struct tracedat *td, const struct tracedat_section *section,
		       struct tracedat_span *span, struct rl_msg *msg)
{
	uint32_t packed_size, size;
	const uint8_t *packed;
	uint8_t *data = NULL;
	int ret;

	if (!tracedat_span_u32(span, &packed_size) || !tracedat_span_u32(span, &size) ||
	    !tracedat_span_bytes(span, packed_size, &packed))
		return tracedat_span_short(td, span, "packed section", msg);
	ret = keep_unpacked(td, size, &data, msg);
	if (ret)
		return ret;
	ret = tracedat_unpack(td, packed, packed_size, data, size);
	if (ret)
		return rl_fail(msg, -ret,
			       "%s: offset %" PRIu64
			       ": section %u does not unpack to the %u bytes it claims",
			       td->path, section->offset, section->id, size);
	memset(span, 0, sizeof(*span));
	span->data = data;
	span->size = size;
	span->file_offset = section->offset;
	span->packed = true;
	span->big_endian = td->big_endian;
	return 0;
}

int tracedat_section_open(struct tracedat *td, const struct tracedat_section *section,
			  struct tracedat_span *span, struct rl_msg *msg)
{
	*span = tracedat_span_file(td, section->offset + TRACEDAT_SECTION_HEAD, section->size);
	if (section->flags & TRACEDAT_SECTION_COMPRESSED)
		return open_packed(td, section, span, msg);
	return 0;
}

static int read_meta(struct tracedat *td, const struct tracedat_section *section,
		     struct rl_msg *msg)
{
	struct tracedat_span span;
	int ret = tracedat_section_open(td, section, &span, msg);

	if (ret)
		return ret;
	switch (section->id) {
	case TRACEDAT_OPTION_HEADER_INFO:
		return tracedat_meta_headers(td, &span, msg);
	case TRACEDAT_OPTION_FTRACE_EVENTS:
		return tracedat_meta_ftrace(td, &span, msg);
	case TRACEDAT_OPTION_EVENT_FORMATS:
		return tracedat_meta_events(td, &span, msg);
	case TRACEDAT_OPTION_KALLSYMS:
		return tracedat_span_text4(&span, &td->kallsyms)
			       ? 0
			       : tracedat_span_short(td, &span, "kallsyms", msg);
	case TRACEDAT_OPTION_PRINTK:
		return tracedat_span_text4(&span, &td->printk)
			       ? 0
			       : tracedat_span_short(td, &span, "printk formats", msg);
	case TRACEDAT_OPTION_CMDLINES:
		return tracedat_meta_cmdlines(td, &span, msg);
	default:
		return 0;
	}
}

/* Only the ring buffer's layout cannot be done without: what else is damaged goes to the list. */
static int forgive(struct tracedat *td, uint16_t id, uint64_t offset, int ret,
		   const struct rl_msg *bad, struct rl_msg *msg)
{
	if (!ret)
		return 0;
	if (id == TRACEDAT_OPTION_HEADER_INFO || ret == -ENOMEM || ret == -EPROTONOSUPPORT) {
		if (msg)
			*msg = *bad;
		return ret;
	}
	tracedat_damage_meta(td, offset, bad);
	return 0;
}

/* A section that an option points to. */
static int read_pointed(struct tracedat_v7 *v7, uint16_t id, const uint8_t *data, uint32_t size,
			struct rl_msg *msg)
{
	struct tracedat *td = v7->td;
	struct tracedat_section section;
	struct rl_msg bad;
	uint64_t offset;
	int ret;

	if (v7->seen[id] || size < 8)
		return 0;
	offset = ring_load64(data, td->big_endian);
	ret = tracedat_section_head(td, offset, &section, &bad);
	if (!ret && section.id != id)
		ret = rl_fail(&bad, EBADMSG, "%s: offset %" PRIu64 ": section %u, expected %u",
			      td->path, offset, section.id, id);
	if (!ret) {
		v7->seen[id] = true;
		ret = read_meta(td, &section, &bad);
	}
	return forgive(td, id, offset, ret, &bad, msg);
}

static int bad_buffer(const struct tracedat *td, uint32_t size, struct rl_msg *msg)
{
	return rl_fail(msg, EBADMSG, "%s: BUFFER option of %u bytes is too short for what it holds",
		       td->path, size);
}

static int read_extents(struct tracedat *td, struct tracedat_span *span, uint32_t count,
			bool compressed, struct tracedat_extent *extents)
{
	uint32_t cpu;

	for (uint32_t i = 0; i < count; i++) {
		if (!tracedat_span_u32(span, &cpu) ||
		    !tracedat_span_u64(span, &extents[i].offset) ||
		    !tracedat_span_u64(span, &extents[i].claimed))
			return -EBADMSG;
		extents[i].cpu = (int)cpu;
		extents[i].compressed = compressed;
	}
	return 0;
}

static int read_buffer(struct tracedat *td, const uint8_t *data, uint32_t size, bool latency,
		       struct rl_msg *msg)
{
	struct tracedat_span span = { .data = data, .size = size, .big_endian = td->big_endian };
	struct tracedat_buffer_place place = { .page_size = td->page_size, .latency = latency };
	struct tracedat_section section;
	struct tracedat_extent *extents = NULL;
	struct rl_msg bad;
	uint32_t count = 0;
	int ret;

	if (!tracedat_span_u64(&span, &place.section) ||
	    !tracedat_span_string(&span, &place.name) || !tracedat_span_string(&span, &place.clock))
		return bad_buffer(td, size, msg);
	if (!latency &&
	    (!tracedat_span_u32(&span, &place.page_size) || !tracedat_span_u32(&span, &count) ||
	     count > tracedat_span_left(&span) / 20))
		return bad_buffer(td, size, msg);
	ret = tracedat_section_head(td, place.section, &section, &bad);
	if (ret) {
		tracedat_damage_meta(td, place.section, &bad);
	} else if (count) {
		bool compressed = section.flags & TRACEDAT_SECTION_COMPRESSED;

		extents = calloc(count, sizeof(*extents));
		if (!extents)
			return rl_fail(msg, ENOMEM, "%s: out of memory", td->path);
		read_extents(td, &span, count, compressed, extents);
		place.extents = extents;
		place.extent_count = count;
	}
	ret = tracedat_buffer_add(td, &place, msg);
	free(extents);
	return ret;
}

static int read_option(struct tracedat_v7 *v7, uint16_t id, const uint8_t *data, uint32_t size,
		       struct rl_msg *msg)
{
	int ret = tracedat_option_add(v7->td, id, data, size, msg);

	if (ret)
		return ret;
	switch (id) {
	case TRACEDAT_OPTION_BUFFER:
	case TRACEDAT_OPTION_BUFFER_TEXT: {
		struct rl_msg bad;

		ret = read_buffer(v7->td, data, size, id == TRACEDAT_OPTION_BUFFER_TEXT, &bad);
		if (ret != -EBADMSG) {
			if (ret && msg)
				*msg = bad;
			return ret;
		}
		tracedat_damage_meta(v7->td, 0, &bad);
		return 0;
	}
	case TRACEDAT_OPTION_HEADER_INFO:
	case TRACEDAT_OPTION_FTRACE_EVENTS:
	case TRACEDAT_OPTION_EVENT_FORMATS:
	case TRACEDAT_OPTION_KALLSYMS:
	case TRACEDAT_OPTION_PRINTK:
	case TRACEDAT_OPTION_CMDLINES:
		return read_pointed(v7, id, data, size, msg);
	default:
		return 0;
	}
}

/* The options of one section; @next becomes the offset of the next section, 0 if there is none. */
static int read_options(struct tracedat_v7 *v7, struct tracedat_span *span, uint64_t *next,
			struct rl_msg *msg)
{
	struct tracedat *td = v7->td;

	for (;;) {
		const uint8_t *data;
		uint32_t size;
		uint16_t id;
		int ret;

		if (!tracedat_span_u16(span, &id) || !tracedat_span_u32(span, &size) ||
		    !tracedat_span_bytes(span, size, &data))
			return tracedat_span_short(td, span, "option", msg);
		if (id == TRACEDAT_OPTION_DONE) {
			*next = size >= 8 ? ring_load64(data, td->big_endian) : 0;
			return 0;
		}
		ret = read_option(v7, id, data, size, msg);
		if (ret)
			return ret;
	}
}

static int visit(struct tracedat_v7 *v7, uint64_t offset, struct rl_msg *msg)
{
	for (size_t i = 0; i < v7->visited_count; i++)
		if (v7->visited[i] == offset)
			return rl_fail(msg, EBADMSG,
				       "%s: offset %" PRIu64
				       ": the chain of options runs in a circle",
				       v7->td->path, offset);
	if (v7->visited_count == TRACEDAT_SECTIONS_MAX ||
	    rl_array_room(&v7->visited, &v7->visited_room, v7->visited_count, sizeof(*v7->visited)))
		return rl_fail(msg, EBADMSG, "%s: more than %u sections of options", v7->td->path,
			       TRACEDAT_SECTIONS_MAX);
	v7->visited[v7->visited_count++] = offset;
	return 0;
}

static int read_chain(struct tracedat_v7 *v7, uint64_t offset, struct rl_msg *msg)
{
	struct tracedat *td = v7->td;

	while (offset) {
		struct tracedat_section section;
		struct tracedat_span span;
		int ret = visit(v7, offset, msg);

		if (!ret)
			ret = tracedat_section_head(td, offset, &section, msg);
		if (!ret && section.id != TRACEDAT_OPTION_DONE)
			ret = rl_fail(msg, EBADMSG,
				      "%s: offset %" PRIu64 ": section %u, expected options (0)",
				      td->path, offset, section.id);
		if (!ret)
			ret = tracedat_section_open(td, &section, &span, msg);
		if (!ret)
			ret = read_options(v7, &span, &offset, msg);
		if (ret)
			return ret;
	}
	return 0;
}

int tracedat_v7_found(struct tracedat_v7 *v7, const struct tracedat_section *section,
		      struct rl_msg *msg)
{
	struct tracedat_span span;
	struct rl_msg bad;
	uint64_t next;
	int ret;

	if (section->id == TRACEDAT_OPTION_DONE) {
		if (visit(v7, section->offset, &bad))
			return 0;
		ret = tracedat_section_open(v7->td, section, &span, &bad);
		if (!ret)
			ret = read_options(v7, &span, &next, &bad);
		return forgive(v7->td, section->id, section->offset, ret, &bad, msg);
	}
	if (section->id < TRACEDAT_OPTION_HEADER_INFO || section->id > TRACEDAT_OPTION_CMDLINES ||
	    v7->seen[section->id])
		return 0;
	v7->seen[section->id] = true;
	ret = read_meta(v7->td, section, &bad);
	return forgive(v7->td, section->id, section->offset, ret, &bad, msg);
}

int tracedat_read_v7(struct tracedat *td, struct tracedat_span *span, struct rl_msg *msg)
{
	struct tracedat_v7 v7 = { .td = td };
	uint64_t first_section = tracedat_span_offset(span) + 8;
	struct rl_msg bad;
	uint64_t options;
	int ret;

	if (!tracedat_span_u64(span, &options))
		return tracedat_span_short(td, span, "offset of the options", msg);
	ret = read_chain(&v7, options, &bad);
	if (ret == -EBADMSG || (!ret && (!td->layout.page_size || !td->buffer_count))) {
		if (ret)
			tracedat_damage_meta(td, options, &bad);
		ret = tracedat_v7_recover(&v7, first_section, &bad);
	}
	if (ret && msg)
		*msg = bad;
	free(v7.visited);
	return ret;
}
