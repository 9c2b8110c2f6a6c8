/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

struct tracedat_span tracedat_span_file(const struct tracedat *td, uint64_t offset, uint64_t size)
{
	struct tracedat_span span = { .file_offset = offset, .big_endian = td->big_endian };

	if (offset < td->map.size) {
		span.data = td->map.data + offset;
		span.size = td->map.size - offset < size ? td->map.size - offset : size;
	}
	return span;
}

uint64_t tracedat_span_left(const struct tracedat_span *span)
{
	return span->size - span->pos;
}

uint64_t tracedat_span_offset(const struct tracedat_span *span)
{
	return span->packed ? span->file_offset : span->file_offset + span->pos;
}

bool tracedat_span_bytes(struct tracedat_span *span, uint64_t size, const uint8_t **data)
{
	if (size > tracedat_span_left(span))
		return false;
	*data = span->data + span->pos;
	span->pos += size;
	return true;
}

bool tracedat_span_u16(struct tracedat_span *span, uint16_t *v)
{
	const uint8_t *p;

	if (!tracedat_span_bytes(span, sizeof(*v), &p))
		return false;
	*v = ring_load16(p, span->big_endian);
	return true;
}

bool tracedat_span_u32(struct tracedat_span *span, uint32_t *v)
{
	const uint8_t *p;

	if (!tracedat_span_bytes(span, sizeof(*v), &p))
		return false;
	*v = ring_load32(p, span->big_endian);
	return true;
}

bool tracedat_span_u64(struct tracedat_span *span, uint64_t *v)
{
	const uint8_t *p;

	if (!tracedat_span_bytes(span, sizeof(*v), &p))
		return false;
	*v = ring_load64(p, span->big_endian);
	return true;
}

bool tracedat_span_string(struct tracedat_span *span, const char **s)
{
	const uint8_t *start = span->data + span->pos;
	const uint8_t *end;

	if (!tracedat_span_left(span))
		return false;
	end = memchr(start, '\0', tracedat_span_left(span));
	if (!end)
		return false;
	*s = (const char *)start;
	span->pos += (uint64_t)(end - start) + 1;
	return true;
}

static bool span_text(struct tracedat_span *span, uint64_t size, uint64_t back,
		      struct tracedat_text *text)
{
	const uint8_t *p;

	if (!tracedat_span_bytes(span, size, &p)) {
		span->pos = back;
		return false;
	}
	text->data = (const char *)p;
	text->size = size;
	return true;
}

bool tracedat_span_text4(struct tracedat_span *span, struct tracedat_text *text)
{
	uint64_t back = span->pos;
	uint32_t size;

	return tracedat_span_u32(span, &size) && span_text(span, size, back, text);
}

bool tracedat_span_text8(struct tracedat_span *span, struct tracedat_text *text)
{
	uint64_t back = span->pos;
	uint64_t size;

	return tracedat_span_u64(span, &size) && span_text(span, size, back, text);
}

int tracedat_span_short(const struct tracedat *td, const struct tracedat_span *span,
			const char *what, struct rl_msg *msg)
{
	return rl_fail(msg, EBADMSG,
		       "%s: offset %" PRIu64 ": %s runs past the end (%" PRIu64 " bytes left)",
		       td->path, tracedat_span_offset(span), what, tracedat_span_left(span));
}
