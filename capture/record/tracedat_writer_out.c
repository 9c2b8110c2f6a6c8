/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/tracedat_writer_private.h"

#include <stdlib.h>

static uint8_t *out_more(struct tracedat_out *out, size_t size)
{
	size_t room = out->room ? out->room : 256;
	uint8_t *bigger;

	if (out->failed)
		return NULL;
	while (room - out->size < size)
		room *= 2;
	if (room != out->room) {
		bigger = realloc(out->data, room);
		if (!bigger) {
			out->failed = true;
			return NULL;
		}
		out->data = bigger;
		out->room = room;
	}
	out->size += size;
	return out->data + out->size - size;
}

void tracedat_out_bytes(struct tracedat_out *out, const void *data, size_t size)
{
	uint8_t *p = out_more(out, size);

	if (p && size)
		memcpy(p, data, size);
}

void tracedat_out_zero(struct tracedat_out *out, size_t size)
{
	uint8_t *p = out_more(out, size);

	if (p)
		memset(p, 0, size);
}

void tracedat_out_string(struct tracedat_out *out, const char *s)
{
	tracedat_out_bytes(out, s, strlen(s) + 1);
}

void tracedat_out_u16(struct tracedat_out *out, uint16_t v)
{
	v = out->big_endian ? htobe16(v) : htole16(v);
	tracedat_out_bytes(out, &v, sizeof(v));
}

void tracedat_out_u32(struct tracedat_out *out, uint32_t v)
{
	v = out->big_endian ? htobe32(v) : htole32(v);
	tracedat_out_bytes(out, &v, sizeof(v));
}

void tracedat_out_u64(struct tracedat_out *out, uint64_t v)
{
	v = out->big_endian ? htobe64(v) : htole64(v);
	tracedat_out_bytes(out, &v, sizeof(v));
}

void tracedat_out_set_u32(struct tracedat_out *out, size_t pos, uint32_t v)
{
	v = out->big_endian ? htobe32(v) : htole32(v);
	if (!out->failed)
		memcpy(out->data + pos, &v, sizeof(v));
}

void tracedat_out_set_u64(struct tracedat_out *out, size_t pos, uint64_t v)
{
	v = out->big_endian ? htobe64(v) : htole64(v);
	if (!out->failed)
		memcpy(out->data + pos, &v, sizeof(v));
}

void tracedat_out_free(struct tracedat_out *out)
{
	free(out->data);
	out->data = NULL;
	out->size = 0;
	out->room = 0;
}
