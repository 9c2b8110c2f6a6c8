/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/packing.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <zstd.h>

#include "sql/packing_plain.h"

/*
 * A packed column:
 *
 *	u8 transform, with HAS_NULLS
 *	HAS_NULLS: varint count of values that are not NULL, then a stream of 0 (NULL) and 1
 *	what the transform needs (varints), then its streams
 *
 * A stream of known length: u8 width in bits | u8 layout | pieces. A piece of known size: varint
 * stored size (equal to the size: as it is; smaller: zstd), bytes.
 */
enum pack_transform {
	PACK_EQUAL,
	PACK_OFFSET,
	PACK_DELTA,
	PACK_DELTA2,
	PACK_DICTIONARY,
	PACK_RUNS,
	PACK_NR_TRANSFORMS, /* of those that are tried; PACK_PLAIN is not */
};

_Static_assert(PACK_NR_TRANSFORMS == PACK_PLAIN, "PACK_PLAIN is a transform of its own");

#define HAS_NULLS 0x80

enum pack_layout {
	PACK_BITS,
	PACK_PLANES,
	PACK_NR_LAYOUTS,
};

#define DICTIONARY_MAX	 256
#define DICTIONARY_SLOTS 1024 /* a power of two, well above DICTIONARY_MAX */
#define ZSTD_LEVEL	 1
#define TRIAL_ROWS	 2048 /* how many values everything is tried with */
#define RETRY_BLOCKS	 32   /* try everything again after so many blocks */
#define RETRY_LEAST	 3    /* however bad it is, not sooner than this */
#define SMALLEST_PIECE	 24   /* bytes; below this zstd's frame costs more than it can save */

struct packer {
	ZSTD_CCtx *compressor;		  /* made when first needed */
	ZSTD_DCtx *decompressor;	  /* likewise */
	int64_t value[PACK_MAX_ROWS];	  /* without NULLs */
	uint64_t number[PACK_MAX_ROWS];	  /* transformed */
	uint64_t second[PACK_MAX_ROWS];	  /* lengths of runs, bits of NULL */
	uint8_t piece[PACK_MAX_ROWS * 8]; /* a piece before zstd */
	uint8_t trial[PACK_BOUND];	  /* a candidate while everything is tried */
	int64_t dictionary[DICTIONARY_MAX];
	int64_t slot_value[DICTIONARY_SLOTS];
	int16_t slot_code[DICTIONARY_SLOTS];
};

/* Where bytes go; @failed once they did not fit. */
struct sink {
	uint8_t *out;
	size_t used;
	size_t room;
	bool failed;
};

struct feed {
	const uint8_t *in;
	size_t left;
};

struct packer *packer_new(void)
{
	struct packer *packer = malloc(sizeof(*packer));

	if (!packer)
		return NULL;
	packer->compressor = NULL;
	packer->decompressor = NULL;
	return packer;
}

void packer_free(struct packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->compressor);
	ZSTD_freeDCtx(packer->decompressor);
	free(packer);
}

static uint64_t zigzag(uint64_t v)
{
	return (v << 1) ^ (0 - (v >> 63));
}

static uint64_t unzigzag(uint64_t v)
{
	return (v >> 1) ^ (0 - (v & 1));
}

static void sink_byte(struct sink *sink, uint8_t byte)
{
	if (sink->used < sink->room)
		sink->out[sink->used++] = byte;
	else
		sink->failed = true;
}

static void sink_varint(struct sink *sink, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		sink_byte(sink, (uint8_t)(v | 0x80));
	sink_byte(sink, (uint8_t)v);
}

static int feed_byte(struct feed *feed, uint8_t *byte)
{
	if (!feed->left)
		return -EBADMSG;
	*byte = *feed->in++;
	feed->left--;
	return 0;
}

static int feed_varint(struct feed *feed, uint64_t *v)
{
	uint8_t byte;

	*v = 0;
	for (unsigned int shift = 0; shift < 64; shift += 7) {
		if (feed_byte(feed, &byte))
			return -EBADMSG;
		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 0;
	}
	return -EBADMSG;
}

static unsigned int common_width(const uint64_t *number, unsigned int nr)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < nr; i++)
		all |= number[i];
	return all ? 64 - (unsigned int)__builtin_clzll(all) : 0;
}

static size_t bits_size(unsigned int nr, unsigned int width)
{
	return ((size_t)nr * width + 7) / 8;
}

static void put_bits(const uint64_t *number, unsigned int nr, unsigned int width, uint8_t *out)
{
	unsigned __int128 held = 0;
	unsigned int bits = 0;

	for (unsigned int i = 0; i < nr; i++) {
		held |= (unsigned __int128)number[i] << bits;
		bits += width;
		if (bits >= 64) {
			uint64_t word = htole64((uint64_t)held);

			memcpy(out, &word, sizeof(word));
			out += sizeof(word);
			held >>= 64;
			bits -= 64;
		}
	}
	for (; bits; bits -= bits < 8 ? bits : 8) {
		*out++ = (uint8_t)held;
		held >>= 8;
	}
}

static void get_bits(const uint8_t *in, unsigned int nr, unsigned int width, uint64_t *number)
{
	const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	const uint8_t *end = in + bits_size(nr, width);
	unsigned __int128 held = 0;
	unsigned int bits = 0;

	for (unsigned int i = 0; i < nr; i++) {
		while (bits < width) {
			if (end - in >= 8) {
				uint64_t word;

				memcpy(&word, in, sizeof(word));
				held |= (unsigned __int128)le64toh(word) << bits;
				in += sizeof(word);
				bits += 64;
			} else {
				held |= (unsigned __int128)*in++ << bits;
				bits += 8;
			}
		}
		number[i] = (uint64_t)held & mask;
		held >>= width;
		bits -= width;
	}
}

/* The bytes that zstd makes of the @size bytes of packer->piece; negative: none. */
static ssize_t compress_piece(struct packer *packer, uint8_t *out, size_t room, size_t size)
{
	size_t packed;

	if (!packer->compressor)
		packer->compressor = ZSTD_createCCtx();
	if (!packer->compressor)
		return -ENOMEM;
	packed = ZSTD_compressCCtx(packer->compressor, out, room, packer->piece, size, ZSTD_LEVEL);
	return ZSTD_isError(packed) ? -EIO : (ssize_t)packed;
}

static bool decompress_piece(struct packer *packer, const uint8_t *in, size_t stored, size_t size)
{
	if (!packer->decompressor)
		packer->decompressor = ZSTD_createDCtx();
	return packer->decompressor &&
	       ZSTD_decompressDCtx(packer->decompressor, packer->piece, size, in, stored) == size;
}

/* Store the @size bytes of packer->piece. */
static void put_piece(struct packer *packer, struct sink *sink, size_t size)
{
	size_t head = sink->used;

	if (size >= SMALLEST_PIECE && sink->room - sink->used > 8) {
		/* The stored size is known only afterwards: three bytes are kept free for it. */
		ssize_t packed =
			compress_piece(packer, sink->out + head + 3, sink->room - head - 3, size);

		if (packed >= 0 && (size_t)(packed + packed / 64) < size) {
			sink_byte(sink, (uint8_t)(packed | 0x80));
			sink_byte(sink, (uint8_t)(packed >> 7 | 0x80));
			sink_byte(sink, (uint8_t)(packed >> 14));
			sink->used += (size_t)packed;
			return;
		}
	}
	sink_varint(sink, size);
	if (sink->room - sink->used < size) {
		sink->failed = true;
		return;
	}
	memcpy(sink->out + sink->used, packer->piece, size);
	sink->used += size;
}

/* Find a piece of @size bytes; *@piece lies in the input or in packer->piece. */
static int get_piece(struct packer *packer, struct feed *feed, size_t size, const uint8_t **piece)
{
	uint64_t stored;
	const uint8_t *in;

	if (feed_varint(feed, &stored) || stored > size || stored > feed->left)
		return -EBADMSG;
	in = feed->in;
	feed->in += stored;
	feed->left -= stored;
	*piece = stored == size ? in : packer->piece;
	return stored == size || decompress_piece(packer, in, stored, size) ? 0 : -EBADMSG;
}

static void put_stream(struct packer *packer, struct sink *sink, const uint64_t *number,
		       unsigned int nr, enum pack_layout layout)
{
	unsigned int width = common_width(number, nr);

	sink_byte(sink, (uint8_t)width);
	sink_byte(sink, (uint8_t)layout);
	if (layout == PACK_BITS) {
		put_bits(number, nr, width, packer->piece);
		put_piece(packer, sink, bits_size(nr, width));
		return;
	}
	for (unsigned int shift = 0; shift < width; shift += 8) {
		for (unsigned int i = 0; i < nr; i++)
			packer->piece[i] = (uint8_t)(number[i] >> shift);
		put_piece(packer, sink, nr);
	}
}

static int get_stream(struct packer *packer, struct feed *feed, uint64_t *number, unsigned int nr)
{
	const uint8_t *piece;
	uint8_t width;
	uint8_t layout;

	if (feed_byte(feed, &width) || feed_byte(feed, &layout) || width > 64 ||
	    layout >= PACK_NR_LAYOUTS)
		return -EBADMSG;
	if (layout == PACK_BITS) {
		if (get_piece(packer, feed, bits_size(nr, width), &piece))
			return -EBADMSG;
		get_bits(piece, nr, width, number);
		return 0;
	}
	memset(number, 0, nr * sizeof(*number));
	for (unsigned int shift = 0; shift < width; shift += 8) {
		if (get_piece(packer, feed, nr, &piece))
			return -EBADMSG;
		for (unsigned int i = 0; i < nr; i++)
			number[i] |= (uint64_t)piece[i] << shift;
	}
	return 0;
}

static unsigned int dictionary_hash(int64_t value)
{
	return (unsigned int)(((uint64_t)value * UINT64_C(0x9e3779b97f4a7c15)) >> 54);
}

/* Number the values in the order of their first appearance; 0 when there are too many. */
static unsigned int build_dictionary(struct packer *packer, const int64_t *value, unsigned int nr)
{
	unsigned int codes = 0;

	memset(packer->slot_code, 0xff, sizeof(packer->slot_code));
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int slot = dictionary_hash(value[i]);

		while (packer->slot_code[slot] >= 0 && packer->slot_value[slot] != value[i])
			slot = (slot + 1) % DICTIONARY_SLOTS;
		if (packer->slot_code[slot] < 0) {
			if (codes == DICTIONARY_MAX)
				return 0;
			packer->slot_code[slot] = (int16_t)codes;
			packer->slot_value[slot] = value[i];
			packer->dictionary[codes++] = value[i];
		}
		packer->number[i] = (uint64_t)packer->slot_code[slot];
	}
	return codes;
}

static void put_dictionary(struct packer *packer, struct sink *sink, const int64_t *value,
			   unsigned int nr, enum pack_layout layout)
{
	unsigned int codes = build_dictionary(packer, value, nr);
	uint64_t before = 0;

	if (!codes) {
		sink->failed = true;
		return;
	}
	sink_varint(sink, codes);
	for (unsigned int i = 0; i < codes; i++) {
		sink_varint(sink, zigzag((uint64_t)packer->dictionary[i] - before));
		before = (uint64_t)packer->dictionary[i];
	}
	put_stream(packer, sink, packer->number, nr, layout);
}

static int get_dictionary(struct packer *packer, struct feed *feed, unsigned int nr, int64_t *value)
{
	uint64_t codes;
	uint64_t before = 0;
	uint64_t delta;

	if (feed_varint(feed, &codes) || !codes || codes > DICTIONARY_MAX)
		return -EBADMSG;
	for (unsigned int i = 0; i < codes; i++) {
		if (feed_varint(feed, &delta))
			return -EBADMSG;
		before += unzigzag(delta);
		packer->dictionary[i] = (int64_t)before;
	}
	if (get_stream(packer, feed, packer->number, nr))
		return -EBADMSG;
	for (unsigned int i = 0; i < nr; i++) {
		if (packer->number[i] >= codes)
			return -EBADMSG;
		value[i] = packer->dictionary[packer->number[i]];
	}
	return 0;
}

static void put_runs(struct packer *packer, struct sink *sink, const int64_t *value,
		     unsigned int nr, enum pack_layout layout)
{
	unsigned int runs = 0;
	uint64_t before = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (i && value[i] == value[i - 1]) {
			packer->second[runs - 1]++;
			continue;
		}
		packer->number[runs] = zigzag((uint64_t)value[i] - before);
		packer->second[runs++] = 0;
		before = (uint64_t)value[i];
	}
	sink_varint(sink, runs);
	put_stream(packer, sink, packer->number, runs, layout);
	put_stream(packer, sink, packer->second, runs, layout);
}

static int get_runs(struct packer *packer, struct feed *feed, unsigned int nr, int64_t *value)
{
	uint64_t runs;
	uint64_t before = 0;
	unsigned int at = 0;

	if (feed_varint(feed, &runs) || !runs || runs > nr ||
	    get_stream(packer, feed, packer->number, (unsigned int)runs) ||
	    get_stream(packer, feed, packer->second, (unsigned int)runs))
		return -EBADMSG;
	for (unsigned int i = 0; i < runs; i++) {
		before += unzigzag(packer->number[i]);
		if (packer->second[i] >= nr - at)
			return -EBADMSG;
		for (unsigned int end = at + (unsigned int)packer->second[i]; at <= end; at++)
			value[at] = (int64_t)before;
	}
	return at == nr ? 0 : -EBADMSG;
}

static int64_t smallest(const int64_t *value, unsigned int nr)
{
	int64_t min = value[0];

	for (unsigned int i = 1; i < nr; i++)
		min = value[i] < min ? value[i] : min;
	return min;
}

static void put_offsets(struct packer *packer, struct sink *sink, const int64_t *value,
			unsigned int nr, enum pack_layout layout)
{
	int64_t base = smallest(value, nr);

	sink_varint(sink, zigzag((uint64_t)base));
	for (unsigned int i = 0; i < nr; i++)
		packer->number[i] = (uint64_t)value[i] - (uint64_t)base;
	put_stream(packer, sink, packer->number, nr, layout);
}

/* Differences of the first (@order 1) or second kind; what is before the first value is 0. */
static void put_deltas(struct packer *packer, struct sink *sink, const int64_t *value,
		       unsigned int nr, enum pack_layout layout, unsigned int order)
{
	uint64_t before = (uint64_t)value[0];
	uint64_t step = 0;

	sink_varint(sink, zigzag(before));
	for (unsigned int i = 1; i < nr; i++) {
		uint64_t delta = (uint64_t)value[i] - before;

		packer->number[i - 1] = zigzag(delta - step);
		before = (uint64_t)value[i];
		step = order == 2 ? delta : 0;
	}
	put_stream(packer, sink, packer->number, nr - 1, layout);
}

static int get_deltas(struct packer *packer, struct feed *feed, unsigned int nr, int64_t *value,
		      unsigned int order)
{
	uint64_t before;
	uint64_t step = 0;

	if (feed_varint(feed, &before) || get_stream(packer, feed, packer->number, nr - 1))
		return -EBADMSG;
	before = unzigzag(before);
	value[0] = (int64_t)before;
	for (unsigned int i = 1; i < nr; i++) {
		uint64_t delta = unzigzag(packer->number[i - 1]) + step;

		before += delta;
		value[i] = (int64_t)before;
		step = order == 2 ? delta : 0;
	}
	return 0;
}

static int get_offsets(struct packer *packer, struct feed *feed, unsigned int nr, int64_t *value)
{
	uint64_t base;

	if (feed_varint(feed, &base) || get_stream(packer, feed, packer->number, nr))
		return -EBADMSG;
	base = unzigzag(base);
	for (unsigned int i = 0; i < nr; i++)
		value[i] = (int64_t)(packer->number[i] + base);
	return 0;
}

static int get_equal(struct feed *feed, unsigned int nr, int64_t *value)
{
	uint64_t v;

	if (feed_varint(feed, &v))
		return -EBADMSG;
	for (unsigned int i = 0; i < nr; i++)
		value[i] = (int64_t)unzigzag(v);
	return 0;
}

static void put_transformed(struct packer *packer, struct sink *sink, const int64_t *value,
			    unsigned int nr, enum pack_transform transform, enum pack_layout layout)
{
	switch (transform) {
	case PACK_EQUAL:
		sink_varint(sink, zigzag((uint64_t)value[0]));
		break;
	case PACK_OFFSET:
		put_offsets(packer, sink, value, nr, layout);
		break;
	case PACK_DELTA:
	case PACK_DELTA2:
		put_deltas(packer, sink, value, nr, layout, transform == PACK_DELTA ? 1 : 2);
		break;
	case PACK_DICTIONARY:
		put_dictionary(packer, sink, value, nr, layout);
		break;
	case PACK_RUNS:
		put_runs(packer, sink, value, nr, layout);
		break;
	default:
		sink->failed = true;
		break;
	}
}

static int get_plain(struct feed *feed, unsigned int nr, int64_t *value)
{
	size_t size = feed->left;

	feed->left = 0;
	return unpack_plain(feed->in, size, nr, value);
}

static int get_transformed(struct packer *packer, struct feed *feed, unsigned int nr,
			   unsigned int transform, int64_t *value)
{
	switch (transform) {
	case PACK_EQUAL:
		return get_equal(feed, nr, value);
	case PACK_OFFSET:
		return get_offsets(packer, feed, nr, value);
	case PACK_DELTA:
	case PACK_DELTA2:
		return get_deltas(packer, feed, nr, value, transform == PACK_DELTA ? 1 : 2);
	case PACK_DICTIONARY:
		return get_dictionary(packer, feed, nr, value);
	case PACK_RUNS:
		return get_runs(packer, feed, nr, value);
	case PACK_PLAIN:
		return get_plain(feed, nr, value);
	default:
		return -EBADMSG;
	}
}

/* Pack a part of @value every way there is; the smallest goes to @hint. */
static void try_everything(struct packer *packer, const int64_t *value, unsigned int nr,
			   struct pack_hint *hint)
{
	unsigned int part = nr < TRIAL_ROWS ? nr : TRIAL_ROWS;
	size_t best = SIZE_MAX;

	value += (nr - part) / 2;
	for (unsigned int way = 0; way < PACK_NR_TRANSFORMS * PACK_NR_LAYOUTS; way++) {
		struct sink trial = { .out = packer->trial, .room = sizeof(packer->trial) };
		enum pack_transform transform = way / PACK_NR_LAYOUTS;
		enum pack_layout layout = way % PACK_NR_LAYOUTS;

		if (transform == PACK_EQUAL)
			continue;
		put_transformed(packer, &trial, value, part, transform, layout);
		if (trial.failed || trial.used >= best)
			continue;
		best = trial.used;
		hint->transform = (uint8_t)transform;
		hint->layout = (uint8_t)layout;
	}
}

static uint32_t milli_bytes(size_t used, unsigned int nr)
{
	return (uint32_t)(used * 1000 / nr) + 1;
}

/* Has what was right some blocks ago stopped to be good for this column? */
static bool hint_is_stale(const struct pack_hint *hint)
{
	return !hint->milli_byte || hint->age >= RETRY_BLOCKS ||
	       (hint->last > hint->milli_byte + hint->milli_byte / 4 + 16 &&
		hint->age >= RETRY_LEAST);
}

static bool all_equal(const int64_t *value, unsigned int nr)
{
	uint64_t differ = 0;

	for (unsigned int i = 1; i < nr; i++)
		differ |= (uint64_t)(value[i] ^ value[0]);
	return !differ;
}

static bool put_one_way(struct packer *packer, struct sink *sink, const int64_t *value,
			unsigned int nr, enum pack_transform transform, enum pack_layout layout)
{
	size_t begin = sink->used;

	sink_byte(sink, (uint8_t)transform);
	put_transformed(packer, sink, value, nr, transform, layout);
	if (!sink->failed)
		return true;
	sink->used = begin;
	sink->failed = false;
	return false;
}

static void put_values(struct packer *packer, struct sink *sink, const int64_t *value,
		       unsigned int nr, struct pack_hint *hint)
{
	size_t begin = sink->used;
	bool again = hint_is_stale(hint);

	if (all_equal(value, nr)) {
		put_one_way(packer, sink, value, nr, PACK_EQUAL, PACK_BITS);
		return;
	}
	if (again)
		try_everything(packer, value, nr, hint);
	if (!put_one_way(packer, sink, value, nr, hint->transform, hint->layout))
		sink->failed = !put_one_way(packer, sink, value, nr, PACK_OFFSET, PACK_BITS);
	hint->last = milli_bytes(sink->used - begin, nr);
	hint->age = again ? 0 : hint->age + 1;
	if (again)
		hint->milli_byte = hint->last;
}

/* The values that are not NULL go to packer->value, which ones these are to packer->second. */
static unsigned int split_nulls(struct packer *packer, const int64_t *value, unsigned int nr)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < nr; i++) {
		packer->value[left] = value[i];
		packer->second[i] = value[i] != PACK_NULL;
		left += value[i] != PACK_NULL;
	}
	return left;
}

static bool any_null(const int64_t *value, unsigned int nr)
{
	bool any = false;

	for (unsigned int i = 0; i < nr; i++)
		any |= value[i] == PACK_NULL;
	return any;
}

int pack_column(struct packer *packer, const int64_t *value, unsigned int nr,
		struct pack_hint *hint, uint8_t *out)
{
	struct sink sink = { .out = out, .room = PACK_BOUND };

	if (any_null(value, nr)) {
		unsigned int left = split_nulls(packer, value, nr);

		sink_byte(&sink, HAS_NULLS);
		sink_varint(&sink, left);
		if (left)
			put_stream(packer, &sink, packer->second, nr, PACK_BITS);
		value = packer->value;
		nr = left;
	}
	if (nr)
		put_values(packer, &sink, value, nr, hint);
	return sink.failed ? -EIO : (int)sink.used;
}

static int get_values(struct packer *packer, struct feed *feed, unsigned int nr, int64_t *value)
{
	uint8_t transform;

	if (feed_byte(feed, &transform))
		return -EBADMSG;
	return get_transformed(packer, feed, nr, transform, value);
}

static int get_with_nulls(struct packer *packer, struct feed *feed, unsigned int nr, int64_t *value)
{
	uint64_t *bit = (uint64_t *)value;
	unsigned int at = 0;
	uint64_t left;

	if (feed_varint(feed, &left) || left >= nr)
		return -EBADMSG;
	if (!left) {
		for (unsigned int i = 0; i < nr; i++)
			value[i] = PACK_NULL;
		return 0;
	}
	if (get_stream(packer, feed, bit, nr) ||
	    get_values(packer, feed, (unsigned int)left, packer->value))
		return -EBADMSG;
	for (unsigned int i = 0; i < nr; i++) {
		if (!bit[i]) {
			value[i] = PACK_NULL;
			continue;
		}
		if (at == left)
			return -EBADMSG;
		value[i] = packer->value[at++];
	}
	return at == left ? 0 : -EBADMSG;
}

int unpack_column(struct packer *packer, const uint8_t *in, size_t size, unsigned int nr,
		  int64_t *value)
{
	struct feed feed = { .in = in, .left = size };
	int err;

	if (!nr || nr > PACK_MAX_ROWS || !size)
		return -EBADMSG;
	if (*in == HAS_NULLS) {
		feed.in++;
		feed.left--;
		err = get_with_nulls(packer, &feed, nr, value);
	} else {
		err = get_values(packer, &feed, nr, value);
	}
	return err || feed.left ? -EBADMSG : 0;
}
