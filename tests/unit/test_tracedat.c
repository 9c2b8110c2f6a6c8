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

#include "capture/read/source.h"
#include "tests/unit/tracedat_sample.h"

#define FILE_NAME RL_BUILD_DIR "/test_tracedat.dat"

static struct rl_msg msg;

static void write_sample(const struct sample *s)
{
	if (sample_write(FILE_NAME, s, &msg))
		fail_msg("%s", msg.text);
}

static struct tracedat *open_file(void)
{
	struct tracedat *td;

	if (tracedat_open(FILE_NAME, &td, &msg))
		fail_msg("%s", msg.text);
	return td;
}

static void write_bytes(const void *data, size_t size)
{
	int fd = open(FILE_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
}

/* All records of a sample come back, in their order, from where they were put. */
static void expect_sample(struct tracedat *td, const struct sample *s)
{
	const struct tracedat_record *rec;
	size_t damages;

	for (uint32_t n = 0; n < s->records; n++) {
		assert_int_equal(tracedat_next(td, &rec), 1);
		assert_int_equal(sample_number(rec, s->big_endian), n);
		assert_true(rec->ts == SAMPLE_START + n * SAMPLE_STEP);
		assert_int_equal(rec->id, n % 4 ? SAMPLE_ID : SAMPLE_ID_2);
		assert_int_equal(rec->size, 12);
		assert_int_equal(rec->buffer, s->instance ? n % 2 : 0);
		assert_int_equal(rec->cpu, n / (s->instance ? 2 : 1) % s->cpus);
		assert_int_equal(rec->missed, 0);
	}
	assert_int_equal(tracedat_next(td, &rec), 0);
	assert_int_equal(tracedat_next(td, &rec), 0);
	assert_int_equal(tracedat_records(td), s->records);
	tracedat_damages(td, &damages);
	assert_int_equal(damages, 0);
}

static void every_container_reads_back(void **state)
{
	static const struct {
		int version;
		const char *compression;
	} containers[] = { { 6, "none" }, { 7, "none" }, { 7, "zlib" }, { 7, "zstd" } };
	static const uint32_t pages[] = { 4096, 16384, 65536, 131072 };

	for (unsigned int i = 0; i < 4 * 4 * 2 * 2 * 2; i++) {
		struct sample s = {
			.version = containers[i % 4].version,
			.compression = containers[i % 4].compression,
			.page_size = pages[i / 4 % 4],
			.big_endian = i / 16 % 2,
			.long_size = i / 32 % 2 ? 4 : 8,
			.instance = i / 64,
			.cpus = 3,
			.records = 20000,
		};
		struct tracedat *td;

		write_sample(&s);
		td = open_file();
		assert_int_equal(tracedat_version(td), s.version);
		assert_string_equal(tracedat_compression(td), s.compression);
		assert_int_equal(tracedat_big_endian(td), s.big_endian);
		assert_int_equal(tracedat_long_size(td), s.long_size);
		assert_int_equal(tracedat_buffer(td, 0)->page_size, s.page_size);
		expect_sample(td, &s);
		tracedat_rewind(td);
		expect_sample(td, &s);
		tracedat_close(td);
	}
}

static void metadata_is_told(void **state)
{
	struct sample s = SAMPLE_DEFAULT;
	const struct tracedat_event *event;
	const struct tracedat_task *tasks;
	size_t count;

	for (s.version = 6; s.version <= 7; s.version++) {
		struct tracedat *td;

		write_sample(&s);
		td = open_file();
		tracedat_events(td, &count);
		assert_int_equal(count, 3);
		event = tracedat_event_by_id(td, SAMPLE_ID_2);
		assert_string_equal(event->system, "lab");
		assert_string_equal(event->name, "second");
		assert_memory_equal(event->format.data, "name: second\nID: 301\nformat:\n", 29);
		assert_null(tracedat_event_by_id(td, 302));
		assert_ptr_equal(tracedat_event_find(td, "lab", "second"), event);
		assert_null(tracedat_event_find(td, "ftrace", "second"));
		tasks = tracedat_cmdlines(td, &count);
		assert_int_equal(count, 3);
		assert_int_equal(tasks[2].pid, 102);
		assert_string_equal(tasks[2].comm, "two words");
		assert_int_equal(tracedat_kallsyms(td).size, strlen("ffffffff81000000 T start\n"));
		assert_memory_equal(tracedat_printk(td).data, "0xffffffff81000000", 18);
		assert_string_equal(tracedat_clock(td), "mono");
		assert_true(tracedat_clock_is_ns(td));
		assert_int_equal(tracedat_header_event(td).size, strlen(sample_header_event));
		tracedat_close(td);
	}
}

static void put_option(struct tracedat_writer *w, uint16_t id, const char *text)
{
	assert_int_equal(tracedat_writer_option(w, id, text, (uint32_t)strlen(text) + 1, &msg), 0);
}

/* A sample whose only record has stamp @stamp, with options that @add puts in. */
static struct tracedat *one_record(int version, uint64_t stamp,
				   void (*add)(struct tracedat_writer *w))
{
	struct sample s = SAMPLE_DEFAULT;
	struct tracedat_writer *w;
	uint8_t payload[12];

	s.version = version;
	assert_int_equal(sample_open(FILE_NAME, &s, &w, &msg), 0);
	add(w);
	assert_int_equal(sample_buffers(w, &s, &msg), 0);
	sample_payload(payload, SAMPLE_ID, 0, false);
	assert_int_equal(tracedat_writer_record(w, 0, 0, stamp, payload, 12, 0, &msg), 0);
	assert_int_equal(tracedat_writer_finish(w, &msg), 0);
	tracedat_writer_close(w);
	return open_file();
}

static void add_descriptions(struct tracedat_writer *w)
{
	put_option(w, TRACEDAT_OPTION_UNAME, "Linux box 6.1.0 x86_64");
	put_option(w, TRACEDAT_OPTION_VERSION, "9.9");
	put_option(w, 4711, "nobody knows this one");
	put_option(w, TRACEDAT_OPTION_CPUSTAT,
		   "CPU: 0\nentries: 10\noverrun: 20\ncommit overrun: 30\nbytes: 40\n"
		   "oldest event ts:     1.000000\nnow ts:     2.000000\ndropped events: 50\n"
		   "read events: 60\n");
	put_option(w, TRACEDAT_OPTION_CPUSTAT, "\nBuffer: inst\n\n");
	put_option(w, TRACEDAT_OPTION_CPUSTAT, "CPU: 1\nentries: 7\n");
}

static void options_are_told(void **state)
{
	for (int version = 6; version <= 7; version++) {
		struct tracedat *td = one_record(version, 1, add_descriptions);
		const struct tracedat_cpustat *stats;
		const struct tracedat_option *options;
		size_t count, unknown = 0;

		assert_string_equal(tracedat_uname(td), "Linux box 6.1.0 x86_64");
		assert_string_equal(tracedat_writer(td), "9.9");
		stats = tracedat_cpustats(td, &count);
		assert_int_equal(count, 2);
		assert_string_equal(stats[0].buffer, "");
		assert_int_equal(stats[0].cpu, 0);
		assert_int_equal(stats[0].entries, 10);
		assert_int_equal(stats[0].overrun, 20);
		assert_int_equal(stats[0].commit_overrun, 30);
		assert_int_equal(stats[0].bytes, 40);
		assert_int_equal(stats[0].dropped, 50);
		assert_int_equal(stats[0].read, 60);
		assert_string_equal(stats[1].buffer, "inst");
		assert_int_equal(stats[1].cpu, 1);
		assert_int_equal(stats[1].overrun, TRACEDAT_UNKNOWN);
		options = tracedat_options(td, &count);
		for (size_t i = 0; i < count; i++)
			unknown += options[i].id == 4711;
		assert_int_equal(unknown, 1);
		tracedat_close(td);
	}
}

static void add_offsets(struct tracedat_writer *w)
{
	put_option(w, TRACEDAT_OPTION_DATE, "0x10");   /* us */
	put_option(w, TRACEDAT_OPTION_OFFSET, "-500"); /* ns */
}

static void offsets_are_added(void **state)
{
	struct tracedat *td = one_record(7, 1000000, add_offsets);
	const struct tracedat_record *rec;

	assert_int_equal(tracedat_next(td, &rec), 1);
	assert_int_equal(rec->ts, 1000000 + 16000 - 500);
	assert_int_equal(tracedat_ts_offset(td), 15500);
	tracedat_close(td);
}

static void add_tsc(struct tracedat_writer *w)
{
	/* Multiplier 3 << 29, shift 30: one and a half ns a count; the third number is not used. */
	uint8_t data[16] = { 0 };

	sample_put32(data, 3u << 29, false);
	sample_put32(data + 4, 30, false);
	assert_int_equal(tracedat_writer_option(w, TRACEDAT_OPTION_TSC2NSEC, data, 16, &msg), 0);
	put_option(w, TRACEDAT_OPTION_TRACECLOCK, "local global [x86-tsc]");
	put_option(w, TRACEDAT_OPTION_OFFSET, "7");
}

static void tsc_becomes_ns(void **state)
{
	struct tracedat *td = one_record(7, 0x4000000000000001ull, add_tsc);
	const struct tracedat_record *rec;

	assert_string_equal(tracedat_clock(td), "x86-tsc");
	assert_true(tracedat_clock_is_ns(td));
	assert_int_equal(tracedat_next(td, &rec), 1);
	assert_true(rec->ts == 0x6000000000000001ull + 7);
	tracedat_close(td);
}

static void add_counter(struct tracedat_writer *w)
{
	put_option(w, TRACEDAT_OPTION_TRACECLOCK, "local [counter]");
}

static void other_clocks_are_no_ns(void **state)
{
	struct tracedat *td = one_record(7, 5, add_counter);

	assert_string_equal(tracedat_clock(td), "counter");
	assert_false(tracedat_clock_is_ns(td));
	tracedat_close(td);
}

struct put {
	unsigned int buffer, cpu;
	uint64_t stamp;
	int64_t missed;
	uint16_t id;
};

/* A file of the records @put, numbered from 0. */
static struct tracedat *put_records(const struct put *put, size_t count)
{
	struct sample s = SAMPLE_DEFAULT;
	struct tracedat_writer *w;
	uint8_t payload[12];

	s.instance = true;
	assert_int_equal(sample_open(FILE_NAME, &s, &w, &msg), 0);
	assert_int_equal(sample_buffers(w, &s, &msg), 0);
	for (size_t i = 0; i < count; i++) {
		sample_payload(payload, put[i].id ? put[i].id : SAMPLE_ID, (uint32_t)i, false);
		assert_int_equal(tracedat_writer_record(w, put[i].buffer, put[i].cpu, put[i].stamp,
							payload, 12, put[i].missed, &msg),
				 0);
	}
	assert_int_equal(tracedat_writer_finish(w, &msg), 0);
	tracedat_writer_close(w);
	return open_file();
}

static void equal_stamps_keep_the_order(void **state)
{
	static const struct put put[] = {
		{ .buffer = 1, .cpu = 1, .stamp = 5 }, { .buffer = 1, .cpu = 0, .stamp = 5 },
		{ .buffer = 0, .cpu = 1, .stamp = 5 }, { .buffer = 0, .cpu = 0, .stamp = 5 },
		{ .buffer = 0, .cpu = 1, .stamp = 5 }, { .buffer = 0, .cpu = 0, .stamp = 6 },
		{ .buffer = 1, .cpu = 0, .stamp = 6 },
	};
	static const uint32_t order[] = { 3, 2, 4, 1, 0, 5, 6 };
	struct tracedat *td = put_records(put, 7);
	const struct tracedat_record *rec;

	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(tracedat_next(td, &rec), 1);
		assert_int_equal(sample_number(rec, false), order[i]);
	}
	assert_int_equal(tracedat_next(td, &rec), 0);
	tracedat_close(td);
}

static void far_apart_stamps(void **state)
{
	static const struct put put[] = {
		{ .stamp = 1 },
		{ .stamp = 1 + (1ull << 27) - 1 },
		{ .stamp = 1 + (1ull << 28) },
		{ .stamp = 1 + (1ull << 58) },
		{ .stamp = 1ull << 63 },
		{ .stamp = UINT64_MAX },
	};
	struct tracedat *td = put_records(put, 6);
	const struct tracedat_record *rec;

	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(tracedat_next(td, &rec), 1);
		assert_true(rec->ts == put[i].stamp);
	}
	tracedat_close(td);
}

static void losses_stand_before_their_record(void **state)
{
	static const struct put put[] = {
		{ .stamp = 1 },
		{ .stamp = 2, .missed = 42 },
		{ .stamp = 3 },
		{ .stamp = 4, .missed = RING_MISSED_UNKNOWN },
	};
	struct tracedat *td = put_records(put, 4);
	const struct tracedat_record *rec;
	struct tracedat_loss loss;

	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(tracedat_next(td, &rec), 1);
		assert_int_equal(rec->missed, put[i].missed);
	}
	assert_int_equal(tracedat_next(td, &rec), 0);
	tracedat_cpu_loss(tracedat_cpu(td, 0, 0), &loss);
	assert_int_equal(loss.records, 42);
	assert_int_equal(loss.gaps, 2);
	assert_int_equal(loss.unknown, 1);
	tracedat_close(td);
}

static void unwanted_records_are_counted(void **state)
{
	static const struct put put[] = {
		{ .stamp = 1, .id = 300 },
		{ .stamp = 2, .id = 65535, .missed = 3 },
		{ .stamp = 3, .id = 65535, .missed = 4 },
		{ .stamp = 4, .id = 300 },
		{ .stamp = 5, .id = 7, .cpu = 1 },
	};
	struct tracedat *td = put_records(put, 5);
	uint64_t wanted[TRACEDAT_IDS / 64] = { 0 };
	const struct tracedat_record *rec;

	wanted[300 / 64] |= 1ull << 300 % 64;
	tracedat_set_wanted(td, wanted);
	assert_int_equal(tracedat_next(td, &rec), 1);
	assert_int_equal(rec->ts, 1);
	assert_int_equal(rec->missed, 0);
	assert_int_equal(tracedat_next(td, &rec), 1);
	assert_int_equal(rec->ts, 4);
	assert_int_equal(rec->missed, 7);
	assert_int_equal(tracedat_next(td, &rec), 0);
	assert_int_equal(tracedat_count(td, 300), 2);
	assert_int_equal(tracedat_count(td, 65535), 2);
	assert_int_equal(tracedat_counts(tracedat_cpu(td, 0, 0), 7), 0);
	assert_int_equal(tracedat_counts(tracedat_cpu(td, 0, 1), 7), 1);
	assert_int_equal(tracedat_records(td), 5);
	tracedat_close(td);
}

static void one_cpu_alone(void **state)
{
	struct sample s = SAMPLE_DEFAULT;
	const struct tracedat_record *rec;
	struct tracedat_extent extent;
	struct tracedat *td;
	uint64_t last = 0;

	write_sample(&s);
	td = open_file();
	assert_int_equal(tracedat_cpu_total(td), 2);
	assert_null(tracedat_cpu(td, 0, 2));
	assert_null(tracedat_cpu(td, 1, 0));
	for (uint32_t n = 1; n < 100; n += 2) {
		assert_int_equal(tracedat_cpu_next(tracedat_cpu(td, 0, 1), &rec), 1);
		assert_int_equal(sample_number(rec, false), n);
		assert_true(rec->offset > last);
		last = rec->offset;
	}
	assert_int_equal(tracedat_cpu_next(tracedat_cpu(td, 0, 1), &rec), 0);
	tracedat_cpu_extent(tracedat_cpu(td, 0, 1), &extent);
	assert_int_equal(extent.cpu, 1);
	assert_int_equal(extent.size, 4096);
	assert_int_equal(extent.offset % 4096, 0);
	assert_int_equal(tracedat_cpu_walked(tracedat_cpu(td, 0, 1)), 4096);
	tracedat_close(td);
}

static void expect_refusal(int err, const char *part)
{
	struct tracedat *td;

	assert_int_equal(tracedat_open(FILE_NAME, &td, &msg), err);
	if (!strstr(msg.text, part) || strchr(msg.text, '\n'))
		fail_msg("\"%s\" should be one line with \"%s\"", msg.text, part);
	assert_null(td);
}

static void other_files_are_refused(void **state)
{
	struct tracedat *td;

	write_bytes("", 0);
	expect_refusal(-ENODATA, "test_tracedat.dat: the file is empty");
	write_bytes("# tracer: nop\n", 14);
	expect_refusal(-EBADMSG, "offset 0: no trace.dat");
	write_bytes("\x17\x08\x44tracing5\0", 12);
	expect_refusal(-EPROTONOSUPPORT, "version \"5\", expected 6 or 7");
	write_bytes("\x17\x08\x44tracing7", 11);
	expect_refusal(-EBADMSG, "version runs past the end");
	write_bytes("\x17\x08\x44tracing7\0\0\x08\0\x10\0\0lz4\0\0", 23);
	expect_refusal(-EPROTONOSUPPORT, "compression \"lz4\"");
	assert_int_equal(tracedat_open(RL_BUILD_DIR, &td, &msg), -EISDIR);
	assert_non_null(strstr(msg.text, "is a directory"));
	assert_int_equal(tracedat_open(RL_BUILD_DIR "/no/such/file", &td, &msg), -ENOENT);
}

/* Rewrite the first @from of the file to @to, which is as long. */
static void replace(const char *from, const char *to)
{
	static char bytes[1 << 16];
	int fd = open(FILE_NAME, O_RDWR);
	ssize_t size = read(fd, bytes, sizeof(bytes));
	char *at = memmem(bytes, (size_t)size, from, strlen(from));

	assert_non_null(at);
	assert_int_equal(pwrite(fd, to, strlen(to), at - bytes), strlen(to));
	close(fd);
}

static void old_rings_and_latency_are_refused(void **state)
{
	struct sample s = SAMPLE_DEFAULT;

	s.version = 6;
	write_sample(&s);
	replace("type_len", "type    ");
	replace("type_len", "type    ");
	expect_refusal(-EPROTONOSUPPORT, "kernel before 2.6.31");
	write_sample(&s);
	replace("flyrecord", "latency  ");
	expect_refusal(-EPROTONOSUPPORT, "a latency trace");
	write_sample(&s);
	replace("common_type;\toffset:0", "common_type;\toffset:4");
	expect_refusal(-EPROTONOSUPPORT, "common_type at 4");
}

/* What a page told of is not lost again because the ring buffer's totals have it, too. */
static void overruns_are_counted_once(void **state)
{
	struct sample s = SAMPLE_DEFAULT;
	struct tracedat_writer *w;
	struct source *source;
	struct source_loss loss;
	struct event ev;
	uint8_t payload[12];
	int64_t lost = 0;

	assert_int_equal(sample_open(FILE_NAME, &s, &w, &msg), 0);
	put_option(w, TRACEDAT_OPTION_CPUSTAT, "CPU: 0\noverrun: 45\n");
	put_option(w, TRACEDAT_OPTION_CPUSTAT, "CPU: 1\noverrun: 7\n");
	assert_int_equal(sample_buffers(w, &s, &msg), 0);
	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		sample_payload(payload, SAMPLE_ID, cpu, false);
		assert_int_equal(tracedat_writer_record(w, 0, cpu, 10 + cpu, payload, 12,
							cpu ? 0 : 42, &msg),
				 0);
	}
	assert_int_equal(tracedat_writer_finish(w, &msg), 0);
	tracedat_writer_close(w);
	assert_int_equal(source_open(FILE_NAME, &source, &msg), 0);
	while (source_next(source, &ev, &msg) > 0)
		;
	for (unsigned int i = 0; source_loss_at(source, i, &loss); i++)
		lost += loss.count;
	assert_int_equal(lost, 45 + 7);
	source_close(source);
}

/* Where only an instance was recorded, the top buffer's clock says nothing of the stamps. */
static void the_clock_is_that_of_the_records(void **state)
{
	struct sample s = SAMPLE_DEFAULT;
	struct tracedat_writer *w;
	struct tracedat *td;

	assert_int_equal(sample_open(FILE_NAME, &s, &w, &msg), 0);
	put_option(w, TRACEDAT_OPTION_TRACECLOCK, "[local] mono x86-tsc");
	assert_int_equal(tracedat_writer_buffer(w, "", "local", s.page_size, 0, &msg), 0);
	assert_int_equal(tracedat_writer_buffer(w, "inst", "mono", s.page_size, 1, &msg), 1);
	assert_int_equal(tracedat_writer_finish(w, &msg), 0);
	tracedat_writer_close(w);
	td = open_file();
	assert_string_equal(tracedat_clock(td), "mono");
	tracedat_close(td);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_container_reads_back),
		cmocka_unit_test(metadata_is_told),
		cmocka_unit_test(options_are_told),
		cmocka_unit_test(offsets_are_added),
		cmocka_unit_test(tsc_becomes_ns),
		cmocka_unit_test(other_clocks_are_no_ns),
		cmocka_unit_test(equal_stamps_keep_the_order),
		cmocka_unit_test(far_apart_stamps),
		cmocka_unit_test(losses_stand_before_their_record),
		cmocka_unit_test(overruns_are_counted_once),
		cmocka_unit_test(the_clock_is_that_of_the_records),
		cmocka_unit_test(unwanted_records_are_counted),
		cmocka_unit_test(one_cpu_alone),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(old_rings_and_latency_are_refused),
	};

	return cmocka_run_group_tests_name("tracedat", tests, NULL, NULL);
}
