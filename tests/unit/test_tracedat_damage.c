/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are cut or flipped. A cut file gives a prefix of each CPU's records, the rest as
 * damage, or one line; a flipped bit gives anything but a crash. The sanitizers watch in the asan
 * build.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "tests/unit/tracedat_sample.h"

#define WHOLE_NAME RL_BUILD_DIR "/test_tracedat_whole.dat"

/* (4096 - 16) / (4 + 12) = 255 records a page: 500 a CPU are 2 pages. */
#define RECORDS 1000

static struct rl_msg msg;
static int file; /* in memory: tens of thousands of files are read */
static char file_name[64];
static uint8_t *bytes;
static size_t size;

static void load(const struct sample *s)
{
	struct stat st;
	int fd;

	if (sample_write(WHOLE_NAME, s, &msg))
		fail_msg("%s", msg.text);
	fd = open(WHOLE_NAME, O_RDONLY);
	assert_int_equal(fstat(fd, &st), 0);
	size = (size_t)st.st_size;
	free(bytes);
	bytes = malloc(size);
	assert_int_equal(read(fd, bytes, size), size);
	close(fd);
}

static void store(size_t length)
{
	assert_int_equal(ftruncate(file, 0), 0);
	assert_int_equal(pwrite(file, bytes, length, 0), length);
}

static void patch(size_t at, const void *data, size_t length)
{
	assert_int_equal(pwrite(file, data, length, (off_t)at), length);
}

/* What a file that may be damaged gives. */
struct outcome {
	int open; /* what tracedat_open() said */
	uint64_t records;
	size_t damages;
	bool prefix; /* each CPU's records are 0, 1, ... of its own */
};

static struct outcome read_file(const struct sample *s)
{
	struct outcome o = { .prefix = true };
	uint32_t next[8] = { 0 };
	const struct tracedat_record *rec;
	struct tracedat *td;

	o.open = tracedat_open(file_name, &td, &msg);
	if (o.open) {
		assert_non_null(strstr(msg.text, file_name));
		return o;
	}
	while (tracedat_next(td, &rec) > 0) {
		o.records++;
		if (rec->size < 12 || rec->cpu < 0 || (unsigned int)rec->cpu >= s->cpus ||
		    sample_number(rec, s->big_endian) !=
			    next[rec->cpu]++ * s->cpus + (unsigned int)rec->cpu)
			o.prefix = false;
	}
	tracedat_damages(td, &o.damages);
	tracedat_close(td);
	return o;
}

static const struct sample containers[] = {
	{ 6, "none", false, 8, 4096, 2, RECORDS, false },
	{ 7, "none", false, 8, 4096, 2, RECORDS, false },
	{ 7, "zlib", true, 4, 4096, 2, RECORDS, false },
	{ 7, "zstd", false, 8, 4096, 2, RECORDS, false },
};

static void cut_everywhere(void **state)
{
	for (size_t c = 0; c < sizeof(containers) / sizeof(containers[0]); c++) {
		const struct sample *s = &containers[c];
		uint64_t last = RECORDS;

		load(s);
		store(size);
		for (size_t length = size; length-- > 0;) {
			struct outcome o;

			/* The head and around the ends of pages. */
			if (length > 4096 && (length + 8) % 4096 > 16 && length % 61)
				continue;
			if (length < 4096 && c && length % 3)
				continue;
			assert_int_equal(ftruncate(file, (off_t)length), 0);
			o = read_file(s);
			if (o.open)
				continue;
			assert_true(o.prefix);
			assert_true(o.records <= last);
			assert_true(o.records == RECORDS || o.damages);
			last = o.records;
		}
		store(size);
		assert_int_equal(read_file(s).records, RECORDS);
		assert_int_equal(read_file(s).damages, 0);
	}
}

/* Offset of the first page of CPU 0 and of CPU 1. */
static void find_pages(uint64_t offset[2], uint64_t length[2])
{
	struct tracedat_extent extent;
	struct tracedat *td;

	assert_int_equal(tracedat_open(WHOLE_NAME, &td, &msg), 0);
	for (unsigned int i = 0; i < 2; i++) {
		tracedat_cpu_extent(tracedat_cpu(td, 0, i), &extent);
		offset[i] = extent.offset;
		length[i] = extent.size;
	}
	tracedat_close(td);
}

static uint64_t records_of(uint64_t pages)
{
	return pages * 255 < 500 ? pages * 255 : 500;
}

static void cut_between_pages(void **state)
{
	uint64_t offset[2], length[2];

	for (size_t c = 0; c < 2; c++) {
		load(&containers[c]);
		find_pages(offset, length);
		assert_int_equal(length[0], 2 * 4096);
		for (uint64_t page = 0; page < 2; page++) {
			for (int more = 0; more <= 4095; more += 4095) {
				struct outcome o;

				store(offset[0] + page * 4096 + (uint64_t)more);
				o = read_file(&containers[c]);
				assert_int_equal(o.open, 0);
				assert_int_equal(o.records, records_of(page));
				assert_true(o.damages > 0);
				store(offset[1] + page * 4096 + (uint64_t)more);
				o = read_file(&containers[c]);
				assert_int_equal(o.records, 500 + records_of(page));
				assert_true(o.damages > 0);
			}
		}
	}
}

static void damage_tells_the_place(void **state)
{
	const struct tracedat_damage *damage;
	uint64_t offset[2], length[2];
	const struct tracedat_record *rec;
	struct tracedat *td;
	size_t count;

	load(&containers[0]);
	find_pages(offset, length);
	store(offset[1] + 4096 + 100);
	assert_int_equal(tracedat_open(file_name, &td, &msg), 0);
	damage = tracedat_damages(td, &count);
	assert_int_equal(count, 1);
	assert_int_equal(damage->cpu, 1);
	assert_int_equal(damage->buffer, 0);
	assert_int_equal(damage->offset, offset[1] + 4096);
	assert_int_equal(damage->bytes, 4096);
	tracedat_close(td);

	/* A record whose length runs over its page, and a page that claims too much. */
	bytes[offset[0] + 16] = 28;
	bytes[offset[0] + 8] = 16;
	bytes[offset[0] + 9] = 0;
	bytes[offset[1] + 8] = 0xff;
	bytes[offset[1] + 9] = 0xff;
	store(size);
	assert_int_equal(tracedat_open(file_name, &td, &msg), 0);
	assert_int_equal(tracedat_cpu_next(tracedat_cpu(td, 0, 0), &rec), 1);
	assert_int_equal(rec->missed, RING_MISSED_UNKNOWN);
	assert_int_equal(sample_number(rec, false), 2 * 255);
	damage = tracedat_damages(td, &count);
	assert_int_equal(count, 1);
	assert_int_equal(damage->offset, offset[0] + 16);
	assert_int_equal(damage->bytes, 16);
	assert_int_equal(tracedat_cpu_next(tracedat_cpu(td, 0, 1), &rec), 1);
	assert_int_equal(rec->missed, RING_MISSED_UNKNOWN);
	assert_int_equal(sample_number(rec, false), 2 * 255 + 1);
	damage = tracedat_damages(td, &count);
	assert_int_equal(count, 2);
	assert_int_equal(damage[1].offset, offset[1]);
	assert_int_equal(damage[1].bytes, 4096);
	tracedat_rewind(td);
	tracedat_damages(td, &count);
	assert_int_equal(count, 0);
	tracedat_close(td);
}

/* The head of a BUFFER option of 62 bytes: 8 + "\0" + "mono\0" + 4 + 4 + 2 CPUs of 20. */
static size_t buffer_option(bool big_endian)
{
	static const uint8_t little[] = { 3, 0, 62, 0, 0, 0 }, big[] = { 0, 3, 0, 0, 0, 62 };
	const uint8_t *at = memmem(bytes, size, big_endian ? big : little, 6);

	assert_non_null(at);
	return (size_t)(at - bytes);
}

/* trace-cmd writes the table of CPUs behind the pages: a cut takes it first. */
static void pages_without_their_table(void **state)
{
	for (size_t c = 1; c < sizeof(containers) / sizeof(containers[0]); c++) {
		struct outcome o;

		load(&containers[c]);
		store(size);
		patch(buffer_option(containers[c].big_endian), "\x7f\x7f", 2);
		o = read_file(&containers[c]);
		assert_int_equal(o.open, 0);
		assert_int_equal(o.records, RECORDS);
		assert_true(o.prefix);
		assert_int_equal(o.damages, 1);
	}
}

static void options_that_nothing_points_to(void **state)
{
	for (size_t c = 1; c < sizeof(containers) / sizeof(containers[0]); c++) {
		struct outcome o;
		size_t at = 18;

		load(&containers[c]);
		store(size);
		/* The name of the compression, its version, then the place of the options. */
		at += strlen((char *)bytes + at) + 1;
		at += strlen((char *)bytes + at) + 1;
		patch(at, "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f", 8);
		o = read_file(&containers[c]);
		assert_int_equal(o.open, 0);
		assert_int_equal(o.records, RECORDS);
		assert_true(o.prefix);
		assert_int_equal(o.damages, 1);
	}
}

static void flip_everywhere(void **state)
{
	for (size_t c = 0; c < sizeof(containers) / sizeof(containers[0]); c++) {
		load(&containers[c]);
		store(size);
		for (size_t at = 0; at < size; at++) {
			uint8_t flipped = bytes[at] ^ (uint8_t)(1u << at % 8);

			/* Records are all alike, and so is the padding. */
			if (at > 4096 ? at % 4096 > 48 && at % 61 : c && at % 3)
				continue;
			patch(at, &flipped, 1);
			assert_true(read_file(&containers[c]).records < 10 * RECORDS);
			patch(at, &bytes[at], 1);
		}
		assert_int_equal(read_file(&containers[c]).records, RECORDS);
	}
}

/* Numbers of 4 and 8 bytes all over the head become huge. */
static void hostile_sizes(void **state)
{
	for (size_t c = 0; c < sizeof(containers) / sizeof(containers[0]); c++) {
		load(&containers[c]);
		store(size);
		for (size_t at = 16; at + 8 < 4096 && at + 8 < size; at += c ? 3 : 1) {
			size_t length = at % 2 ? 4 : 8;

			patch(at, "\xff\xff\xff\xff\xff\xff\xff\xff", length);
			read_file(&containers[c]);
			patch(at, bytes + at, length);
		}
	}
}

static int setup(void **state)
{
	file = memfd_create("test_tracedat_damage", 0);
	snprintf(file_name, sizeof(file_name), "/proc/self/fd/%d", file);
	return file < 0;
}

static int teardown(void **state)
{
	free(bytes);
	bytes = NULL;
	close(file);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_everywhere),
		cmocka_unit_test(cut_between_pages),
		cmocka_unit_test(damage_tells_the_place),
		cmocka_unit_test(pages_without_their_table),
		cmocka_unit_test(options_that_nothing_points_to),
		cmocka_unit_test(flip_everywhere),
		cmocka_unit_test(hostile_sizes),
	};

	return cmocka_run_group_tests_name("tracedat_damage", tests, setup, teardown);
}
