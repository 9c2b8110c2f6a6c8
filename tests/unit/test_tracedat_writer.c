/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "capture/record/tracedat_cut.h"
#include "tests/unit/tracedat_sample.h"

#define FILE_NAME RL_BUILD_DIR "/test_writer.dat"
#define CUT_NAME  RL_BUILD_DIR "/test_writer.cut.dat"

static struct rl_msg msg;

static struct tracedat *open_file(const char *name)
{
	struct tracedat *td;

	if (tracedat_open(name, &td, &msg))
		fail_msg("%s", msg.text);
	return td;
}

static void cut_keeps_the_window(void **state)
{
	static const struct {
		int version;
		const char *compression;
	} to[] = { { 6, "none" }, { 7, "none" }, { 7, "zlib" }, { 7, "zstd" } };
	struct sample s = SAMPLE_DEFAULT;

	s.records = 5000;
	s.instance = true;
	s.big_endian = true;
	assert_int_equal(sample_write(FILE_NAME, &s, &msg), 0);
	for (size_t i = 0; i < 4; i++) {
		/* Records 1001 to 1999. */
		struct tracedat_cut cut = { SAMPLE_START + 1001 * SAMPLE_STEP,
					    SAMPLE_START + 2000 * SAMPLE_STEP, to[i].version,
					    to[i].compression, false };
		struct tracedat_cut_result result;
		const struct tracedat_record *rec;
		struct tracedat *td;
		size_t count;

		assert_int_equal(tracedat_cut(FILE_NAME, CUT_NAME, &cut, &result, &msg), 0);
		assert_int_equal(result.records, 999);
		assert_int_equal(result.events, 2);
		assert_true(result.first == cut.from);
		assert_true(result.last == cut.to - SAMPLE_STEP);
		td = open_file(CUT_NAME);
		for (uint32_t n = 1001; n < 2000; n++) {
			assert_int_equal(tracedat_next(td, &rec), 1);
			assert_int_equal(sample_number(rec, true), n);
			assert_int_equal(rec->buffer, n % 2);
			assert_int_equal(rec->cpu, n / 2 % 2);
			assert_true(rec->ts == SAMPLE_START + n * SAMPLE_STEP);
		}
		assert_int_equal(tracedat_next(td, &rec), 0);
		tracedat_events(td, &count);
		assert_int_equal(count, 3);
		tracedat_cmdlines(td, &count);
		assert_int_equal(count, 3);
		assert_int_equal(tracedat_kallsyms(td).size, 0);
		tracedat_close(td);
	}
}

static void cut_keeps_the_formats_of_its_systems(void **state)
{
	/* Record 1001 alone, of event "first"; "second" of the same system did not happen. */
	struct tracedat_cut cut = { SAMPLE_START + 1001 * SAMPLE_STEP,
				    SAMPLE_START + 1002 * SAMPLE_STEP, 7, "none", true };
	struct tracedat_cut_result result;
	struct tracedat *td;

	assert_int_equal(tracedat_cut(FILE_NAME, CUT_NAME, &cut, &result, &msg), 0);
	assert_int_equal(result.events, 2);
	td = open_file(CUT_NAME);
	assert_non_null(tracedat_event_find(td, "lab", "first"));
	assert_non_null(tracedat_event_find(td, "lab", "second"));
	assert_non_null(tracedat_event_find(td, "ftrace", "print"));
	assert_true(tracedat_kallsyms(td).size > 0);
	tracedat_close(td);
}

static void empty_window_leaves_no_file(void **state)
{
	struct tracedat_cut cut = { 5, 6, 7, "none", false };

	unlink(CUT_NAME);
	assert_int_equal(tracedat_cut(FILE_NAME, CUT_NAME, &cut, NULL, &msg), -ENODATA);
	assert_int_equal(access(CUT_NAME, F_OK), -1);
	assert_int_equal(access(CUT_NAME ".partial", F_OK), -1);
}

static void unfinished_file_is_removed(void **state)
{
	struct sample s = SAMPLE_DEFAULT;
	struct tracedat_writer *w;
	char temp[512];

	unlink(CUT_NAME);
	assert_int_equal(sample_open(CUT_NAME, &s, &w, &msg), 0);
	snprintf(temp, sizeof(temp), "%s", CUT_NAME ".partial");
	assert_int_equal(access(temp, F_OK), 0);
	tracedat_writer_close(w);
	assert_int_equal(access(temp, F_OK), -1);
	assert_int_equal(access(CUT_NAME, F_OK), -1);
}

static void wrong_calls_are_refused(void **state)
{
	struct tracedat_writer_format six = { 6, "zstd", false, 8, 4096 };
	struct sample s = SAMPLE_DEFAULT;
	struct tracedat_writer *w = NULL;
	uint8_t big[4096] = { 0 };

	assert_int_equal(tracedat_writer_open(CUT_NAME, &six, &w, &msg), -EINVAL);
	assert_int_equal(sample_open(CUT_NAME, &s, &w, &msg), 0);
	assert_int_equal(sample_buffers(w, &s, &msg), 0);
	assert_int_equal(tracedat_writer_record(w, 0, 0, 1, big, 4096 - 16 - 8, 0, &msg), 0);
	assert_int_equal(tracedat_writer_record(w, 0, 0, 1, big, 4096 - 16, 0, &msg), -EMSGSIZE);
	assert_int_equal(tracedat_writer_record(w, 0, 2, 1, big, 8, 0, &msg), -EINVAL);
	assert_int_equal(tracedat_writer_pages(w, 0, 0, big, 100, &msg), -EINVAL);
	assert_int_equal(tracedat_writer_option(w, 1, "", 0, &msg), -EINVAL);
	assert_int_equal(tracedat_writer_place(w, 4096, &msg), -EINVAL);
	tracedat_writer_close(w);
}

/* A page that holds the one record @n. */
static void make_page(uint8_t page[4096], uint32_t n)
{
	uint64_t stamp = SAMPLE_START + n * SAMPLE_STEP, commit = 16;

	memset(page, 0, 4096);
	memcpy(page, &stamp, 8);
	memcpy(page + 8, &commit, 8);
	page[16] = 3;
	sample_payload(page + 20, SAMPLE_ID, n, false);
}

static void place_page(const struct tracedat_writer *w, unsigned int buffer, unsigned int cpu,
		       unsigned int index, uint32_t n)
{
	int fd = tracedat_writer_reopen(w, O_WRONLY);
	uint8_t page[4096];

	make_page(page, n);
	assert_int_equal(
		pwrite(fd, page, 4096,
		       (off_t)(tracedat_writer_place_offset(w, buffer, cpu) + 4096 * index)),
		4096);
	close(fd);
}

/* Records 0 to @records - 1 in the order of time. */
static void expect_numbers(const char *name, uint32_t records)
{
	struct tracedat *td = open_file(name);
	const struct tracedat_record *rec;
	size_t damages;

	for (uint32_t n = 0; n < records; n++) {
		assert_int_equal(tracedat_next(td, &rec), 1);
		assert_int_equal(sample_number(rec, false), n);
	}
	assert_int_equal(tracedat_next(td, &rec), 0);
	tracedat_damages(td, &damages);
	assert_int_equal(damages, 0);
	tracedat_close(td);
}

static void place_samples(struct tracedat_writer *w)
{
	/* A page a record: n goes to buffer n % 2, CPU n / 2 % 2. */
	for (uint32_t n = 0; n < 40; n++) {
		place_page(w, n % 2, n / 2 % 2, n / 4, n);
		assert_int_equal(
			tracedat_writer_placed(w, n % 2, n / 2 % 2, (n / 4 + 1) * 4096, &msg), 0);
	}
}

/* A recorder writes the pages itself; what it leaves when it is killed reads like the finished
 * file. */
static void placed_pages_read_at_any_time(void **state)
{
	for (int version = 6; version <= 7; version++) {
		struct sample s = SAMPLE_DEFAULT;
		const struct tracedat_cpustat *stats;
		struct tracedat_writer *w;
		struct tracedat *td;
		struct stat st;
		size_t count;
		int stat_option;

		s.version = version;
		s.instance = true;
		assert_int_equal(sample_open(FILE_NAME, &s, &w, &msg), 0);
		assert_int_equal(tracedat_writer_cmdlines_reserve(w, 100, &msg), 0);
		stat_option = tracedat_writer_option_reserve(w, TRACEDAT_OPTION_CPUSTAT, 64, &msg);
		assert_true(stat_option >= 0);
		assert_int_equal(sample_buffers(w, &s, &msg), 0);
		assert_int_equal(tracedat_writer_place(w, 1ull << 30, &msg), 0);
		expect_numbers(FILE_NAME ".partial", 0);
		place_samples(w);
		expect_numbers(FILE_NAME ".partial", 40);
		assert_int_equal(tracedat_writer_option_fill(w, stat_option, "CPU: 0\noverrun: 9\n",
							     18, &msg),
				 0);
		assert_int_equal(tracedat_writer_cmdlines_fill(w, "7 seven\n", 8, &msg), 0);
		assert_int_equal(tracedat_writer_finish(w, &msg), 0);
		tracedat_writer_close(w);
		expect_numbers(FILE_NAME, 40);
		assert_int_equal(stat(FILE_NAME, &st), 0);
		assert_true(st.st_size < 60 * 4096);
		td = open_file(FILE_NAME);
		stats = tracedat_cpustats(td, &count);
		assert_int_equal(count, 1);
		assert_int_equal(stats[0].overrun, 9);
		assert_string_equal(tracedat_cmdlines(td, &count)->comm, "seven");
		assert_int_equal(count, 1);
		tracedat_close(td);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_keeps_the_window),
		cmocka_unit_test(cut_keeps_the_formats_of_its_systems),
		cmocka_unit_test(empty_window_leaves_no_file),
		cmocka_unit_test(unfinished_file_is_removed),
		cmocka_unit_test(wrong_calls_are_refused),
		cmocka_unit_test(placed_pages_read_at_any_time),
	};

	return cmocka_run_group_tests_name("tracedat_writer", tests, NULL, NULL);
}
