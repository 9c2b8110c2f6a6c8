/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/tracedat_private.h"

#include <zlib.h>
#include <zstd.h>

static int unpack_zlib(const uint8_t *from, uint32_t from_size, uint8_t *to, uint32_t to_size)
{
	uLongf got = to_size;
	int ret = uncompress(to, &got, from, from_size);

	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	return ret == Z_OK && got == to_size ? 0 : -EBADMSG;
}

static int unpack_zstd(struct tracedat *td, const uint8_t *from, uint32_t from_size, uint8_t *to,
		       uint32_t to_size)
{
	size_t got;

	if (!td->zstd)
		td->zstd = ZSTD_createDCtx();
	if (!td->zstd)
		return -ENOMEM;
	got = ZSTD_decompressDCtx(td->zstd, to, to_size, from, from_size);
	return got == to_size ? 0 : -EBADMSG;
}

int tracedat_unpack(struct tracedat *td, const uint8_t *from, uint32_t from_size, uint8_t *to,
		    uint32_t to_size)
{
	if (td->packing == TRACEDAT_PACK_ZLIB)
		return unpack_zlib(from, from_size, to, to_size);
	if (td->packing == TRACEDAT_PACK_ZSTD)
		return unpack_zstd(td, from, from_size, to, to_size);
	return -EBADMSG;
}

void tracedat_unpack_free(struct tracedat *td)
{
	ZSTD_freeDCtx(td->zstd);
	td->zstd = NULL;
}
