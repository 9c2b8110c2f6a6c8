/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "replay/workload/demand_file.h"

#define PATH RL_BUILD_DIR "/test_demand_file.demand"

static struct demand *sample(size_t nr_records)
{
	struct demand *demand = demand_new();

	assert_non_null(demand);
	demand->start = 9682279728;
	demand->duration = 25000000000;
	demand->page_size = 4096;
	demand->cpus = 2;
	demand->nr_pages = 1000;
	demand->nr_tasks = 2;
	demand->tasks = calloc(2, sizeof(*demand->tasks));
	demand->tasks[0].tid = 245;
	strcpy(demand->tasks[0].comm, "filerw");
	demand->tasks[1].tid = -1;
	demand->tasks[1].kind = DEMAND_TASK_HELPERS;
	demand->tasks[1].first = 17;
	demand->nr_files = 1;
	demand->files = calloc(1, sizeof(*demand->files));
	demand->files[0] = (struct demand_file){ .dev = 254 << 20, .ino = 12, .pages = 256000 };
	demand->nr_records = nr_records;
	demand->records = calloc(nr_records, sizeof(*demand->records));
	for (size_t i = 0; i < nr_records; i++)
		demand->records[i] = (struct demand_record){
			.at = i * 10,
			.think = i % 7,
			.op = DEMAND_CACHE,
			.start = i % 1000 * 32,
			.index = i % 1000 * 32 + 3,
			.count = 32,
			.task = i % 2,
			.gfp = 0x12345,
			.flags = i % 3 ? DEMAND_ASYNC : 0,
		};
	assert_int_equal(demand_note(demand, "basis", "misses and %d refaults", 264267), 0);
	return demand;
}

static void assert_same(const struct demand *a, const struct demand *b)
{
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->duration, b->duration);
	assert_int_equal(a->nr_pages, b->nr_pages);
	assert_int_equal(a->nr_tasks, b->nr_tasks);
	assert_memory_equal(a->tasks, b->tasks, a->nr_tasks * sizeof(*a->tasks));
	assert_int_equal(a->nr_files, b->nr_files);
	assert_memory_equal(a->files, b->files, a->nr_files * sizeof(*a->files));
	assert_string_equal(a->notes, b->notes);
	assert_int_equal(a->nr_records, b->nr_records);
	assert_memory_equal(a->records, b->records, a->nr_records * sizeof(*a->records));
}

static void what_is_saved_is_loaded(void **state)
{
	for (int plain = 0; plain < 2; plain++) {
		struct demand *demand = sample(20000), *back = NULL;
		struct rl_msg msg;

		assert_int_equal(demand_save(demand, PATH, plain, &msg), 0);
		assert_int_equal(demand_load(PATH, &back, &msg), 0);
		assert_same(demand, back);
		demand_free(demand);
		demand_free(back);
	}
}

static uint64_t le(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | at[bytes];
	return value;
}

/* The offsets of docs/demand-format.md, counted there by hand. */
static void layout_is_the_documented_one(void **state)
{
	struct demand *demand = sample(3);
	struct rl_msg msg;
	uint8_t buf[4096];
	const uint8_t *rec;
	size_t size, notes;
	FILE *file;

	assert_int_equal(demand_save(demand, PATH, true, &msg), 0);
	file = fopen(PATH, "rb");
	size = fread(buf, 1, sizeof(buf), file);
	fclose(file);
	notes = strlen(demand->notes);
	assert_int_equal(size, 96 + 2 * 32 + 24 + notes + 3 * 48);
	assert_memory_equal(buf, "RLDEMAND\1\0\0\0\140\0\0\0\60\0\0\0\1\0\0\0\3\0\0\0", 28);
	assert_int_equal(le(buf + 32, 8), 9682279728);
	assert_int_equal(le(buf + 48, 4), 4096);
	assert_int_equal(le(buf + 96 + 8, 4), 245);
	assert_string_equal((char *)buf + 96 + 16, "filerw");
	assert_int_equal(le(buf + 160 + 8, 8), 12);
	rec = buf + 96 + 2 * 32 + 24 + notes + 2 * 48;
	assert_int_equal(le(rec, 8), 20);
	assert_int_equal(le(rec + 8, 8), 2);
	assert_int_equal(le(rec + 16, 4), 0);
	assert_int_equal(le(rec + 20, 4), 0x12345);
	assert_int_equal(le(rec + 24, 4), 0);
	assert_int_equal(le(rec + 28, 4), 67);
	assert_int_equal(le(rec + 32, 4), 64);
	assert_int_equal(le(rec + 36, 2), 32);
	assert_int_equal(rec[40], 3);
	assert_int_equal(rec[44], 1);
	demand_free(demand);
}

static void write_bytes(const uint8_t *buf, size_t size)
{
	FILE *file = fopen(PATH, "wb");

	assert_int_equal(fwrite(buf, 1, size, file), size);
	fclose(file);
}

static int load(struct rl_msg *msg)
{
	struct demand *demand = NULL;
	int ret = demand_load(PATH, &demand, msg);

	demand_free(demand);
	return ret;
}

static void a_cut_file_is_refused_at_every_length(void **state)
{
	for (int plain = 0; plain < 2; plain++) {
		struct demand *demand = sample(5);
		struct rl_msg msg;
		uint8_t buf[4096];
		size_t size;
		FILE *file;

		assert_int_equal(demand_save(demand, PATH, plain, &msg), 0);
		file = fopen(PATH, "rb");
		size = fread(buf, 1, sizeof(buf), file);
		fclose(file);
		/* The last bytes of a zstd frame hold no record: allow for its end mark. */
		for (size_t cut = 0; cut + (plain ? 1 : 4) <= size; cut++) {
			write_bytes(buf, cut);
			assert_int_equal(load(&msg), -EBADMSG);
		}
		demand_free(demand);
	}
}

static void a_record_must_name_what_exists(void **state)
{
	const struct demand_record wrong[] = {
		{ .op = DEMAND_NR_OPS },
		{ .task = 2 },
		{ .order = 11 },
		{ .migratetype = 3 },
		{ .use = DEMAND_NR_USES },
		{ .ref_class = 16 },
		{ .op = DEMAND_FREE, .object = 999, .count = 2 },
		{ .op = DEMAND_ACCESS, .object = 1000 },
		{ .op = DEMAND_CACHE, .object = 1 },
		{ .op = DEMAND_CACHE, .index = 256000 },
		{ .op = DEMAND_CACHE, .start = 255999, .count = 2 },
		{ .op = DEMAND_KNOB, .object = DEMAND_NR_KNOBS },
		{ .at = UINT64_C(1) << 63 },
	};
	struct demand *demand = sample(1);
	struct rl_msg msg;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		demand->records[0] = wrong[i];
		assert_int_equal(demand_save(demand, PATH, false, &msg), 0);
		assert_int_equal(load(&msg), -EBADMSG);
	}
	demand->records[0] = (struct demand_record){ .op = DEMAND_FREE, .object = 998, .count = 2 };
	assert_int_equal(demand_save(demand, PATH, false, &msg), 0);
	assert_int_equal(load(&msg), 0);
	demand_free(demand);
}

static void another_version_is_named(void **state)
{
	struct demand *demand = sample(1);
	struct rl_msg msg;
	uint8_t buf[4096];
	size_t size;
	FILE *file;

	assert_int_equal(demand_save(demand, PATH, true, &msg), 0);
	file = fopen(PATH, "rb");
	size = fread(buf, 1, sizeof(buf), file);
	fclose(file);
	buf[8] = 2;
	write_bytes(buf, size);
	assert_int_equal(load(&msg), -EPROTO);
	assert_non_null(strstr(msg.text, "demand format 2, this program reads 1"));
	demand_free(demand);
}

static void notes_are_found_by_key(void **state)
{
	struct demand *demand = sample(0);
	char buf[64];

	assert_int_equal(demand_note(demand, "bas", "short\nkey"), 0);
	assert_string_equal(demand_note_find(demand, "basis", buf, sizeof(buf)),
			    "misses and 264267 refaults");
	assert_string_equal(demand_note_find(demand, "bas", buf, sizeof(buf)), "short key");
	assert_null(demand_note_find(demand, "b", buf, sizeof(buf)));
	demand_free(demand);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_loaded),
		cmocka_unit_test(layout_is_the_documented_one),
		cmocka_unit_test(a_cut_file_is_refused_at_every_length),
		cmocka_unit_test(a_record_must_name_what_exists),
		cmocka_unit_test(another_version_is_named),
		cmocka_unit_test(notes_are_found_by_key),
	};

	return cmocka_run_group_tests_name("demand_file", tests, NULL, NULL);
}
