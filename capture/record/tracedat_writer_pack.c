/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/tracedat_writer_private.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define ZSTD_LEVEL 3

static size_t pack_bound(bool zstd, uint32_t size)
{
	return zstd ? ZSTD_compressBound(size) : compressBound(size);
}

/* The packed size, 0 if it failed. */
static size_t pack_block(bool zstd, const void *from, uint32_t size, void *to, size_t room)
{
	uLongf packed = room;
	size_t ret;

	if (zstd) {
		ret = ZSTD_compress(to, room, from, size, ZSTD_LEVEL);
		return ZSTD_isError(ret) ? 0 : ret;
	}
	return compress(to, &packed, from, size) == Z_OK ? packed : 0;
}

int tracedat_writer_pack(const struct tracedat_writer *w, const void *from, uint32_t size,
			 struct tracedat_out *to, struct rl_msg *msg)
{
	bool zstd = strcmp(w->format.compression, "zstd") == 0;
	size_t room = pack_bound(zstd, size);
	size_t at = to->size;
	size_t packed;

	tracedat_out_u32(to, 0);
	tracedat_out_u32(to, size);
	tracedat_out_zero(to, room);
	if (to->failed)
		return rl_fail(msg, ENOMEM, "%s: out of memory", w->out.path);
	packed = pack_block(zstd, from, size, to->data + at + 8, room);
	if (!packed)
		return rl_fail(msg, ENOMEM, "%s: %s could not compress %u bytes", w->out.path,
			       w->format.compression, size);
	tracedat_out_set_u32(to, at, (uint32_t)packed);
	to->size = at + 8 + packed;
	return 0;
}
