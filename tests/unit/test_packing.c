/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sql/packing.h"
#include "sql/packing_plain.h"

#define SHAPES 14

static uint64_t seed;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Value @i of a column of shape @shape. */
static int64_t value_of(unsigned int shape, unsigned int i)
{
	static const int64_t edge[] = { INT64_MIN + 1, INT64_MAX, 0, -1, 1, INT64_MAX - 1 };
	uint64_t r = next_random();

	switch (shape) {
	case 0:
		return 42;
	case 1:
		return PACK_NULL;
	case 2:
		return (int64_t)i * 1000 + (int64_t)(r % 700);
	case 3:
		return (int64_t)r == PACK_NULL ? 0 : (int64_t)r;
	case 4:
		return edge[r % 6];
	case 5:
		return r % 5 ? (int64_t)(r >> 44) : PACK_NULL;
	case 6:
		return (int64_t)i * i;
	case 7:
		return i / 300;
	case 8:
		return (int64_t)(r % 3) * INT64_C(0x123456789abc);
	case 9:
		return r % 1000 ? 7 : (int64_t)(r >> 1);
	case 10:
		return i % 2 ? INT64_MAX : INT64_MIN + 1;
	case 11:
		return (int64_t)(i & 1);
	case 12:
		return i == 77 ? PACK_NULL : (int64_t)(1000 - i);
	default:
		return (int64_t)(r % 257) << 40;
	}
}

static void round_trip(struct packer *packer, const int64_t *value, unsigned int nr,
		       struct pack_hint *hint)
{
	static uint8_t packed[PACK_BOUND];
	static int64_t back[PACK_MAX_ROWS];
	uint8_t *exact;
	int size = pack_column(packer, value, nr, hint, packed);

	assert_true(size > 0 && size <= PACK_BOUND);
	exact = malloc((size_t)size);
	memcpy(exact, packed, (size_t)size);
	memset(back, 0xa5, sizeof(back));
	assert_int_equal(unpack_column(packer, exact, (size_t)size, nr, back), 0);
	assert_memory_equal(back, value, nr * sizeof(*value));
	assert_int_equal(unpack_column(packer, exact, (size_t)size - 1, nr, back), -EBADMSG);
	free(exact);
}

static void plain_round_trip(struct packer *packer, const int64_t *value, unsigned int nr)
{
	static int64_t back[PACK_MAX_ROWS];
	int64_t min = INT64_MAX, max = INT64_MIN;
	uint8_t *packed = malloc(PACK_PLAIN_BOUND(nr));
	uint8_t *exact;
	size_t size;

	for (unsigned int i = 0; i < nr; i++) {
		if (value[i] != PACK_NULL && value[i] < min)
			min = value[i];
		if (value[i] > max)
			max = value[i];
	}
	size = pack_plain(value, nr, min, max, packed);
	exact = malloc(size);
	memcpy(exact, packed, size);
	free(packed);
	memset(back, 0xa5, sizeof(back));
	assert_int_equal(unpack_column(packer, exact, size, nr, back), 0);
	assert_memory_equal(back, value, nr * sizeof(*value));
	for (size_t cut = 1; cut < size && cut < 20; cut++)
		assert_int_equal(unpack_column(packer, exact, size - cut, nr, back), -EBADMSG);
	exact[1] = 3;
	assert_int_equal(unpack_column(packer, exact, size, nr, back), -EBADMSG);
	free(exact);
}

static void every_shape_and_length_comes_back(void **state)
{
	static const unsigned int lengths[] = {
		1, 2, 3, 7, 8, 9, 63, 64, 65, 100, 1000, 4097, PACK_MAX_ROWS - 1, PACK_MAX_ROWS
	};
	static int64_t value[PACK_MAX_ROWS];
	struct packer *packer = packer_new();

	seed = 88172645463325252u;
	for (unsigned int shape = 0; shape < SHAPES; shape++) {
		struct pack_hint hint = { 0 };

		for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
			for (unsigned int i = 0; i < lengths[l]; i++)
				value[i] = value_of(shape, i);
			round_trip(packer, value, lengths[l], &hint);
			plain_round_trip(packer, value, lengths[l]);
		}
	}
	packer_free(packer);
}

/* A hint made by one kind of column must not hurt another. */
static void a_wrong_hint_does_no_harm(void **state)
{
	static int64_t value[PACK_MAX_ROWS];
	struct packer *packer = packer_new();
	struct pack_hint hint = { 0 };

	seed = 1;
	for (unsigned int round = 0; round < 100; round++) {
		unsigned int nr = 1 + (unsigned int)(next_random() % 2000);
		unsigned int shape = (unsigned int)(next_random() % SHAPES);

		for (unsigned int i = 0; i < nr; i++)
			value[i] = value_of(shape, i);
		round_trip(packer, value, nr, &hint);
	}
	packer_free(packer);
}

static int packed_size(unsigned int shape, unsigned int nr)
{
	static int64_t value[PACK_MAX_ROWS];
	static uint8_t packed[PACK_BOUND];
	struct packer *packer = packer_new();
	struct pack_hint hint = { 0 };
	int size;

	seed = 3;
	for (unsigned int i = 0; i < nr; i++)
		value[i] = value_of(shape, i);
	size = pack_column(packer, value, nr, &hint, packed);
	packer_free(packer);
	return size;
}

/* What each shape can be packed to, from what the values are (bits of chance in a value). */
static void packing_is_as_small_as_the_shape_allows(void **state)
{
	assert_true(packed_size(0, 16384) <= 4);
	assert_true(packed_size(1, 16384) <= 4);
	/* 700 steps of chance are 9.5 bits */
	assert_true(packed_size(2, 16384) <= 16384 * 11 / 8);
	assert_true(packed_size(3, 16384) <= 16384 * 8 + 64);
	/* three values are 1.6 bits */
	assert_true(packed_size(8, 16384) <= 16384 * 2 / 8 + 64);
	assert_true(packed_size(6, 16384) <= 64);
	assert_true(packed_size(7, 16384) <= 256);
	assert_true(packed_size(11, 16384) <= 64);
}

static void damaged_bytes_are_refused_or_harmless(void **state)
{
	static int64_t value[PACK_MAX_ROWS];
	static uint8_t packed[PACK_BOUND];
	struct packer *packer = packer_new();
	unsigned int refused = 0;

	seed = 5;
	for (unsigned int round = 0; round < 3000; round++) {
		struct pack_hint hint = { 0 };
		unsigned int nr = 1 + (unsigned int)(next_random() % 300);
		unsigned int shape = round % SHAPES;
		uint8_t *copy;
		int size;

		for (unsigned int i = 0; i < nr; i++)
			value[i] = value_of(shape, i);
		size = pack_column(packer, value, nr, &hint, packed);
		assert_true(size > 0);
		copy = malloc((size_t)size);
		memcpy(copy, packed, (size_t)size);
		copy[next_random() % (unsigned int)size] ^= (uint8_t)(1 + next_random() % 255);
		if (unpack_column(packer, copy, (size_t)size, nr, value))
			refused++;
		free(copy);
	}
	assert_true(refused > 300);
	packer_free(packer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_and_length_comes_back),
		cmocka_unit_test(a_wrong_hint_does_no_harm),
		cmocka_unit_test(packing_is_as_small_as_the_shape_allows),
		cmocka_unit_test(damaged_bytes_are_refused_or_harmless),
	};

	return cmocka_run_group_tests_name("packing", tests, NULL, NULL);
}
