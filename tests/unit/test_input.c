/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "capture/base/map.h"

#define FILE_NAME RL_BUILD_DIR "/test_input.bin"
#define SIZE	  1000003u

static struct rl_msg msg;
static uint8_t plain[SIZE], packed[2 * SIZE], back[SIZE + 1];

static size_t pack_gzip(uint8_t *to, size_t room)
{
	z_stream z = {
		.next_in = plain, .avail_in = SIZE, .next_out = to, .avail_out = (uInt)room
	};

	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t pack_xz(uint8_t *to, size_t room)
{
	size_t size = 0;

	assert_int_equal(
		lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, plain, SIZE, to, &size, room),
		LZMA_OK);
	return size;
}

static size_t pack_zstd(uint8_t *to, size_t room)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t size;

	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	size = ZSTD_compress2(zstd, to, room, plain, SIZE);
	ZSTD_freeCCtx(zstd);
	assert_false(ZSTD_isError(size));
	return size;
}

static size_t pack_none(uint8_t *to, size_t room)
{
	memcpy(to, plain, SIZE);
	return SIZE;
}

static const struct {
	const char *name;
	size_t (*pack)(uint8_t *to, size_t room);
} packings[] = {
	{ "none", pack_none }, { "gzip", pack_gzip }, { "xz", pack_xz }, { "zstd", pack_zstd }
};

#define PACKINGS (sizeof(packings) / sizeof(packings[0]))

static void store(size_t size)
{
	int fd = open(FILE_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	assert_int_equal(write(fd, packed, size), size);
	close(fd);
}

static void maps_whatever_it_is_packed_in(void **state)
{
	for (size_t i = 0; i < PACKINGS; i++) {
		struct rl_map map;

		store(packings[i].pack(packed, sizeof(packed)));
		assert_int_equal(rl_map_open(FILE_NAME, &map, &msg), 0);
		assert_string_equal(map.packing, packings[i].name);
		assert_int_equal(map.size, SIZE);
		assert_memory_equal(map.data, plain, SIZE);
		assert_string_equal(map.damage.text, "");
		rl_map_close(&map);
	}
}

static void streams_in_pieces(void **state)
{
	for (size_t i = 0; i < PACKINGS; i++) {
		size_t size = packings[i].pack(packed, sizeof(packed)), done = 0;
		struct rl_input *in;
		ssize_t got;

		store(size);
		assert_int_equal(rl_input_open(FILE_NAME, &in, &msg), 0);
		assert_string_equal(rl_input_packing(in), packings[i].name);
		while ((got = rl_input_read(in, back + done, 4099, &msg)) > 0) {
			done += (size_t)got;
			assert_true(got == 4099 || done == SIZE);
		}
		assert_int_equal(got, 0);
		assert_int_equal(done, SIZE);
		assert_memory_equal(back, plain, SIZE);
		assert_int_equal(rl_input_consumed(in), size);
		assert_int_equal(rl_input_file_size(in), size);
		rl_input_close(in);
	}
}

static void members_are_one_file(void **state)
{
	for (size_t i = 1; i < PACKINGS; i++) {
		size_t size = packings[i].pack(packed, sizeof(packed));
		struct rl_map map;

		size += packings[i].pack(packed + size, sizeof(packed) - size);
		store(size);
		assert_int_equal(rl_map_open(FILE_NAME, &map, &msg), 0);
		assert_int_equal(map.size, 2 * SIZE);
		assert_memory_equal(map.data, plain, SIZE);
		assert_memory_equal(map.data + SIZE, plain, SIZE);
		assert_string_equal(map.damage.text, "");
		rl_map_close(&map);
	}
}

static void cut_packing_gives_what_came_before(void **state)
{
	for (size_t i = 1; i < PACKINGS; i++) {
		size_t size = packings[i].pack(packed, sizeof(packed));
		struct rl_input *in;
		struct rl_map map;
		ssize_t got;

		store(size - size / 3);
		assert_int_equal(rl_map_open(FILE_NAME, &map, &msg), 0);
		assert_true(map.size > SIZE / 3 && map.size < SIZE);
		assert_memory_equal(map.data, plain, map.size);
		assert_non_null(strstr(map.damage.text, "ending too early at packed offset"));
		rl_map_close(&map);

		assert_int_equal(rl_input_open(FILE_NAME, &in, &msg), 0);
		do {
			got = rl_input_read(in, back, SIZE, &msg);
		} while (got > 0);
		assert_int_equal(got, -EBADMSG);
		assert_int_equal(rl_input_read(in, back, SIZE, &msg), -EBADMSG);
		rl_input_close(in);

		store(5);
		if (i == 1 || i == 3) {
			assert_int_equal(rl_map_open(FILE_NAME, &map, &msg), -EBADMSG);
			assert_non_null(strstr(msg.text, FILE_NAME));
		}
	}
}

static void flipped_packing_is_told(void **state)
{
	for (size_t i = 1; i < PACKINGS; i++) {
		size_t size = packings[i].pack(packed, sizeof(packed));
		struct rl_map map;
		int ret;

		memset(packed + size / 2, 0xff, 16);
		store(size);
		ret = rl_map_open(FILE_NAME, &map, &msg);
		assert_true(ret == -EBADMSG || (ret == 0 && *map.damage.text));
		rl_map_close(&map);
	}
}

static void pipe_is_copied(void **state)
{
	const char *fifo = RL_BUILD_DIR "/test_input.fifo";
	struct rl_map map;
	pid_t pid;

	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0666), 0);
	pid = fork();
	if (pid == 0) {
		int fd = open(fifo, O_WRONLY);

		_exit(write(fd, plain, SIZE) != SIZE);
	}
	assert_int_equal(rl_map_open(fifo, &map, &msg), 0);
	assert_int_equal(map.size, SIZE);
	assert_memory_equal(map.data, plain, SIZE);
	rl_map_close(&map);
	unlink(fifo);
}

/* The kernel says of its own files that they have no bytes. */
static void files_of_proc_are_read(void **state)
{
	struct rl_map map;

	assert_int_equal(rl_map_open("/proc/self/stat", &map, &msg), 0);
	assert_true(map.size > 0);
	rl_map_close(&map);
}

static void nothing_and_no_file(void **state)
{
	struct rl_map map;

	store(0);
	assert_int_equal(rl_map_open(FILE_NAME, &map, &msg), 0);
	assert_int_equal(map.size, 0);
	assert_null(map.data);
	rl_map_close(&map);
	assert_int_equal(rl_map_open(RL_BUILD_DIR, &map, &msg), -EISDIR);
	assert_int_equal(rl_map_open(RL_BUILD_DIR "/no/file", &map, &msg), -ENOENT);
	rl_map_close(&map);
}

static void folder_for_unpacking_must_be_there(void **state)
{
	const char *old = getenv("TMPDIR");
	struct rl_map map;

	store(pack_gzip(packed, sizeof(packed)));
	setenv("TMPDIR", RL_BUILD_DIR "/no/such/folder", 1);
	assert_true(rl_map_open(FILE_NAME, &map, &msg) < 0);
	assert_non_null(strstr(msg.text, "set TMPDIR"));
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
}

/* Bytes that pack to about a half. */
static int setup(void **state)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < SIZE; i++) {
		seed = seed * 1664525 + 1013904223;
		plain[i] = seed >> 24 & 15;
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_whatever_it_is_packed_in),
		cmocka_unit_test(streams_in_pieces),
		cmocka_unit_test(members_are_one_file),
		cmocka_unit_test(cut_packing_gives_what_came_before),
		cmocka_unit_test(flipped_packing_is_told),
		cmocka_unit_test(pipe_is_copied),
		cmocka_unit_test(files_of_proc_are_read),
		cmocka_unit_test(nothing_and_no_file),
		cmocka_unit_test(folder_for_unpacking_must_be_there),
	};

	return cmocka_run_group_tests_name("input", tests, setup, NULL);
}
