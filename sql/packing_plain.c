/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/packing_plain.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "sql/packing.h"

#define HEAD 9 /* bytes behind the transform */

/* What is stored of @v, and back; both modulo 2^64. */
static inline uint64_t code_of(int64_t v, uint64_t base)
{
	return v == PACK_NULL ? 0 : (uint64_t)v - base + 1;
}

static inline int64_t value_of(uint64_t code, uint64_t base)
{
	return code ? (int64_t)(code - 1 + base) : PACK_NULL;
}

/* One pair of loops a width, so that the compiler sees each store. */
#define DEFINE_WIDTH(bits, to_file, to_host)                                                       \
	static void put_##bits(const int64_t *value, unsigned int nr, uint64_t base, uint8_t *out) \
	{                                                                                          \
		for (unsigned int i = 0; i < nr; i++, out += bits / 8) {                           \
			uint##bits##_t code = to_file((uint##bits##_t)code_of(value[i], base));    \
			memcpy(out, &code, sizeof(code));                                          \
		}                                                                                  \
	}                                                                                          \
	static void get_##bits(const uint8_t *in, unsigned int nr, uint64_t base, int64_t *value)  \
	{                                                                                          \
		for (unsigned int i = 0; i < nr; i++, in += bits / 8) {                            \
			uint##bits##_t code;                                                       \
			memcpy(&code, in, sizeof(code));                                           \
			value[i] = value_of(to_host(code), base);                                  \
		}                                                                                  \
	}

#define AS_IT_IS(v) (v)
DEFINE_WIDTH(8, AS_IT_IS, AS_IT_IS)
DEFINE_WIDTH(16, htole16, le16toh)
DEFINE_WIDTH(32, htole32, le32toh)
DEFINE_WIDTH(64, htole64, le64toh)

static uint8_t bytes_of(uint64_t largest)
{
	if (largest <= UINT8_MAX)
		return 1;
	if (largest <= UINT16_MAX)
		return 2;
	return largest <= UINT32_MAX ? 4 : 8;
}

size_t pack_plain(const int64_t *value, unsigned int nr, int64_t min, int64_t max, uint8_t *out)
{
	uint64_t base = min > max ? 0 : (uint64_t)min;
	uint8_t bytes = min > max ? 1 : bytes_of((uint64_t)max - base + 1);
	uint64_t stored = htole64(base);

	*out++ = PACK_PLAIN;
	*out++ = bytes;
	memcpy(out, &stored, sizeof(stored));
	out += sizeof(stored);
	if (bytes == 1)
		put_8(value, nr, base, out);
	else if (bytes == 2)
		put_16(value, nr, base, out);
	else if (bytes == 4)
		put_32(value, nr, base, out);
	else
		put_64(value, nr, base, out);
	return 1 + HEAD + (size_t)nr * bytes;
}

int unpack_plain(const uint8_t *in, size_t size, unsigned int nr, int64_t *value)
{
	uint64_t base;

	if (size < HEAD || size - HEAD != (size_t)nr * *in)
		return -EBADMSG;
	memcpy(&base, in + 1, sizeof(base));
	base = le64toh(base);
	switch (*in) {
	case 1:
		get_8(in + HEAD, nr, base, value);
		return 0;
	case 2:
		get_16(in + HEAD, nr, base, value);
		return 0;
	case 4:
		get_32(in + HEAD, nr, base, value);
		return 0;
	case 8:
		get_64(in + HEAD, nr, base, value);
		return 0;
	default:
		return -EBADMSG;
	}
}
