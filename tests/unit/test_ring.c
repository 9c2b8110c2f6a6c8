/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages put together byte by byte, as kernel/trace/ring_buffer.c lays them out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "capture/read/ring.h"

#define PAGE 4096u

static const struct ring_layout little64 = { PAGE, 8, 8, 16, false };
static const struct ring_layout little32 = { PAGE, 8, 4, 12, false };
static const struct ring_layout big64 = { PAGE, 8, 8, 16, true };

static uint8_t page[PAGE];

/* A little-endian page of a 64-bit kernel with stamp 1000 and @size bytes of records. */
static void make_page(const void *records, size_t size, uint64_t flags)
{
	uint64_t stamp = 1000, commit = size | flags;

	memset(page, 0, sizeof(page));
	memcpy(page, &stamp, 8);
	memcpy(page + 8, &commit, 8);
	memcpy(page + 16, records, size);
}

static void words_of_payload(void **state)
{
	/* type_len 2, delta 5; type_len 1, delta 0; then type_len 28, delta 1. */
	uint32_t records[3 + 2 + 29] = {
		5 << 5 | 2, 0xaaaa, 0xbbbb, 0 << 5 | 1, 0xcccc, 1 << 5 | 28
	};
	struct ring_cursor c;
	int64_t missed;

	make_page(records, sizeof(records), 0);
	assert_true(ring_open_page(&c, &little64, page, &missed));
	assert_int_equal(missed, 0);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.stamp, 1005);
	assert_int_equal(c.size, 8);
	assert_ptr_equal(c.data, page + 20);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.stamp, 1005);
	assert_int_equal(c.size, 4);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.stamp, 1006);
	assert_int_equal(c.size, 112);
	assert_int_equal(ring_step(&c), RING_END);
}

static void length_in_next_word(void **state)
{
	/* type_len 0: the length counts itself, and is filled up to whole words. */
	uint32_t records[2 + 30 + 2 + 1] = { 7 << 5, 4 + 120 };
	struct ring_cursor c;
	int64_t missed;

	records[32] = 1 << 5;
	records[33] = 4 + 3;
	make_page(records, sizeof(records), 0);
	ring_open_page(&c, &little64, page, &missed);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.size, 120);
	assert_ptr_equal(c.data, page + 24);
	assert_int_equal(c.stamp, 1007);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.size, 4);
	assert_int_equal(ring_step(&c), RING_END);
}

static void discarded_record_moves_the_clock(void **state)
{
	/* PADDING with delta 3 over 8 bytes of payload, then a record. */
	uint32_t records[] = { 3 << 5 | 29, 8, 0, 2 << 5 | 1, 0x1234 };
	struct ring_cursor c;
	int64_t missed;

	make_page(records, sizeof(records), 0);
	ring_open_page(&c, &little64, page, &missed);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.stamp, 1005);
	assert_ptr_equal(c.data, page + 16 + 16);
	assert_int_equal(ring_step(&c), RING_END);
}

static void padding_without_delta_ends_the_page(void **state)
{
	uint32_t records[] = { 1 << 5 | 1, 0x1234, 29, 0, 1 << 5 | 1, 0x5678 };
	struct ring_cursor c;
	int64_t missed;

	make_page(records, sizeof(records), 0);
	ring_open_page(&c, &little64, page, &missed);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(ring_step(&c), RING_END);
}

static void time_extend_is_added(void **state)
{
	/* 3 << 27 | 9 ns, then a record 1 ns later. */
	uint32_t records[] = { 9 << 5 | 30, 3, 1 << 5 | 1, 0x1234 };
	struct ring_cursor c;
	int64_t missed;

	make_page(records, sizeof(records), 0);
	ring_open_page(&c, &little64, page, &missed);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.stamp, 1000 + 402653184 + 9 + 1);
}

static void absolute_stamp_replaces(void **state)
{
	/* 59 bits from the words; the page's top five bits stay. */
	uint32_t records[] = { 9 << 5 | 31, 0x80000000u, 1 << 5 | 1, 0x1234 };
	struct ring_cursor c;
	int64_t missed;
	uint64_t stamp = 0xa800000000000001ull;

	make_page(records, sizeof(records), 0);
	memcpy(page, &stamp, 8);
	ring_open_page(&c, &little64, page, &missed);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_true(c.stamp == (0xa800000000000000ull | 1ull << 58 | 10));
}

static void big_endian_words(void **state)
{
	/* The other way round the type_len stands in the top five bits. */
	static const uint8_t bytes[] = {
		0,    0, 0, 0, 0,    0,	   0x03, 0xe8, /* stamp 1000 */
		0,    0, 0, 0, 0,    0,	   0,	 16,   /* commit */
		0xf0, 0, 0, 9, 0,    0,	   0,	 3,    /* TIME_EXTEND 3 << 27 | 9 */
		0x08, 0, 0, 1, 0x01, 0x2c, 0,	 0     /* one word, delta 1, common_type 300 */
	};
	struct ring_cursor c;
	int64_t missed;

	memset(page, 0, sizeof(page));
	memcpy(page, bytes, sizeof(bytes));
	assert_true(ring_open_page(&c, &big64, page, &missed));
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.stamp, 1000 + 402653184 + 9 + 1);
	assert_int_equal(c.size, 4);
	assert_int_equal(ring_load16(c.data, true), 300);
	assert_int_equal(ring_step(&c), RING_END);
}

static void short_long_moves_the_data(void **state)
{
	uint64_t stamp = 5;
	uint32_t words[] = { 8 /* commit */, 2 << 5 | 1, 0x1234 };
	struct ring_cursor c;
	int64_t missed;

	memset(page, 0, sizeof(page));
	memcpy(page, &stamp, 8);
	memcpy(page + 8, words, sizeof(words));
	assert_true(ring_open_page(&c, &little32, page, &missed));
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(c.stamp, 7);
	assert_ptr_equal(c.data, page + 16);
	assert_int_equal(ring_step(&c), RING_END);
}

static void missed_count_is_behind_the_records(void **state)
{
	uint32_t records[] = { 1 << 5 | 1, 0x1234, 12345, 0 };
	uint64_t commit = 8 | RING_MISSED_EVENTS | RING_MISSED_STORED;
	struct ring_cursor c;
	int64_t missed;

	make_page(records, sizeof(records), 0);
	memcpy(page + 8, &commit, 8);
	assert_true(ring_open_page(&c, &little64, page, &missed));
	assert_int_equal(missed, 12345);
	assert_int_equal(ring_step(&c), RING_RECORD);
	assert_int_equal(ring_step(&c), RING_END);
}

static void missed_count_of_four_bytes(void **state)
{
	uint32_t words[] = { RING_MISSED_EVENTS | RING_MISSED_STORED | 0, 77, 88 };
	struct ring_cursor c;
	int64_t missed;

	memset(page, 0, sizeof(page));
	memcpy(page + 8, words, sizeof(words));
	assert_true(ring_open_page(&c, &little32, page, &missed));
	assert_int_equal(missed, 77);
	assert_int_equal(ring_step(&c), RING_END);
}

static void missed_without_count_is_unknown(void **state)
{
	struct ring_cursor c;
	int64_t missed;

	make_page("", 0, RING_MISSED_EVENTS);
	assert_true(ring_open_page(&c, &little64, page, &missed));
	assert_int_equal(missed, RING_MISSED_UNKNOWN);
	assert_int_equal(ring_step(&c), RING_END);
}

static void missed_count_that_does_not_fit_is_unknown(void **state)
{
	struct ring_cursor c;
	int64_t missed;

	make_page("", 0, (PAGE - 16 - 4) | RING_MISSED_EVENTS | RING_MISSED_STORED);
	assert_true(ring_open_page(&c, &little64, page, &missed));
	assert_int_equal(missed, RING_MISSED_UNKNOWN);
}

static void too_many_used_bytes(void **state)
{
	struct ring_cursor c;
	int64_t missed;

	make_page("", 0, PAGE - 16 + 1);
	assert_false(ring_open_page(&c, &little64, page, &missed));
	assert_int_equal(ring_step(&c), RING_END);
}

static void record_beyond_the_used_bytes(void **state)
{
	static const struct {
		uint32_t words[2];
		size_t size;
	} bad[] = {
		{ { 1 << 5 | 2, 0 }, 8 },	/* two words claimed, one there */
		{ { 1 << 5, 4 + 4 }, 8 },	/* length of one word, none there */
		{ { 1 << 5, 3 }, 8 },		/* a length that does not count itself */
		{ { 1 << 5, 0xffffffffu }, 8 }, /* would run over 32 bits */
		{ { 1 << 5, 0 }, 4 },		/* no length */
		{ { 1 << 5 | 30, 0 }, 4 },	/* half a time extend */
		{ { 1 << 5 | 1, 0 }, 2 },	/* half a word */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ring_cursor c;
		int64_t missed;

		make_page(bad[i].words, bad[i].size, 0);
		assert_true(ring_open_page(&c, &little64, page, &missed));
		assert_int_equal(ring_step(&c), RING_CORRUPT);
	}
}

static void layout_from_header_page(void **state)
{
	static const char text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:12;\tsize:65524;\tsigned:1;\n";
	struct ring_layout layout;
	struct rl_msg msg;

	assert_int_equal(ring_layout_parse(&layout, text, strlen(text), true, &msg), 0);
	assert_int_equal(layout.page_size, 65536);
	assert_int_equal(layout.commit_at, 8);
	assert_int_equal(layout.commit_size, 4);
	assert_int_equal(layout.data_at, 12);
	assert_true(layout.big_endian);
}

static void layout_that_is_none(void **state)
{
	static const char other[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
				    "\tfield: local_t commit;\toffset:8;\tsize:16;\n"
				    "\tfield: char data;\toffset:24;\tsize:4072;\n";
	struct ring_layout layout;
	struct rl_msg msg;

	assert_int_equal(ring_layout_parse(&layout, "", 0, false, &msg), -EBADMSG);
	assert_int_equal(ring_layout_parse(&layout, other, strlen(other), false, &msg),
			 -EPROTONOSUPPORT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_payload),
		cmocka_unit_test(length_in_next_word),
		cmocka_unit_test(discarded_record_moves_the_clock),
		cmocka_unit_test(padding_without_delta_ends_the_page),
		cmocka_unit_test(time_extend_is_added),
		cmocka_unit_test(absolute_stamp_replaces),
		cmocka_unit_test(big_endian_words),
		cmocka_unit_test(short_long_moves_the_data),
		cmocka_unit_test(missed_count_is_behind_the_records),
		cmocka_unit_test(missed_count_of_four_bytes),
		cmocka_unit_test(missed_without_count_is_unknown),
		cmocka_unit_test(missed_count_that_does_not_fit_is_unknown),
		cmocka_unit_test(too_many_used_bytes),
		cmocka_unit_test(record_beyond_the_used_bytes),
		cmocka_unit_test(layout_from_header_page),
		cmocka_unit_test(layout_that_is_none),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
