/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event table itself, and its binding to every shape that the events had from 2.6.32 to 6.18.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "capture/vocabulary/vocabulary.h"
#include "tests/unit/vocabulary_format.h"

static void every_entry_is_complete(void **state)
{
	for (unsigned int id = 0; id < VOCAB_NR; id++) {
		const struct vocab_entry *entry = vocab_entry(id);

		assert_true(entry->nr_fields > 0 && entry->nr_fields <= EVENT_SLOTS);
		assert_true(entry->storage <= VOCAB_PAIRED);
		assert_true(strlen(entry->doc) > 10);
		assert_int_equal(entry->storage == VOCAB_COUNTED, !strcmp(entry->table, "none"));
		for (unsigned int i = 0; i < entry->nr_fields; i++) {
			assert_true(entry->fields[i].doc[0]);
			assert_true(entry->fields[i].formats[0]);
			for (unsigned int j = 0; j < i; j++)
				assert_string_not_equal(entry->fields[i].name,
							entry->fields[j].name);
		}
	}
}

static void names_and_tables_are_unique(void **state)
{
	for (unsigned int id = 0; id < VOCAB_NR; id++) {
		const struct vocab_entry *entry = vocab_entry(id);

		assert_int_equal(vocab_find(entry->system, entry->name, strlen(entry->name)), id);
		assert_int_equal(vocab_find(NULL, entry->name, strlen(entry->name)), id);
		for (unsigned int other = 0; other < id; other++)
			if (entry->storage == VOCAB_ROWS || entry->storage == VOCAB_COLUMNS)
				assert_string_not_equal(entry->table, vocab_entry(other)->table);
	}
}

static void old_names_are_found(void **state)
{
	assert_int_equal(vocab_find("kmem", "mm_page_free_direct", 19), VOCAB_mm_page_free);
	assert_int_equal(vocab_find("vmscan", "mm_vmscan_writepage", 19),
			 VOCAB_mm_vmscan_write_folio);
	assert_int_equal(vocab_find(NULL, "tracing_mark_write", 18), VOCAB_print);
	assert_int_equal(vocab_find("mm", "ref", 3), VOCAB_probe_referenced);
	assert_int_equal(vocab_find("block", "mm_page_free", 12), VOCAB_UNKNOWN);
	assert_int_equal(vocab_find(NULL, "ref", 3), VOCAB_UNKNOWN);
	assert_int_equal(vocab_find(NULL, "mm_page_fre", 11), VOCAB_UNKNOWN);
}

static void both_spellings_of_a_key_are_known(void **state)
{
	enum vocab_form form;

	assert_int_equal(vocab_key(VOCAB_mm_vmscan_throttled, "usect_delayed", 13),
			 mm_vmscan_throttled_usec_delayed);
	assert_int_equal(vocab_key(VOCAB_mm_vmscan_throttled, "usec_delayed", 12),
			 mm_vmscan_throttled_usec_delayed);
	assert_int_equal(vocab_key(VOCAB_mm_vmscan_lru_isolate, "classzone", 9),
			 mm_vmscan_lru_isolate_highest_zoneidx);
	assert_int_equal(vocab_key(VOCAB_mm_vmscan_lru_isolate, "classzone_idx", 13),
			 mm_vmscan_lru_isolate_highest_zoneidx);
	assert_int_equal(vocab_key(VOCAB_mm_vmscan_lru_isolate, "page", 4), -1);
	assert_int_equal(vocab_key_form(VOCAB_mm_filemap_add_to_page_cache, "ofs", 3, &form),
			 mm_filemap_add_to_page_cache_index);
	assert_int_equal(form, VOCAB_FORM_BYTES);
	assert_int_equal(vocab_key_form(VOCAB_mm_filemap_add_to_page_cache, "i_ino", 5, &form),
			 mm_filemap_add_to_page_cache_ino);
	assert_int_equal(form, VOCAB_FORM_HEX);
}

/* Fields that no slot holds, because nothing of a page lasts but its frame number. */
static bool is_left_out(const struct shape_field *f)
{
	static const char *const names[] = { "page", "folio", "file", "memcg_path", "name", "mm" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(f->name, names[i]) && (f->pointer || f->data_loc))
			return true;
	return false;
}

static const struct shape_field *layout_field(const struct shape_layout *layout, const char *names)
{
	while (*names) {
		size_t len = strcspn(names, "|");

		for (unsigned int i = 0; i < layout->nr; i++)
			if (strlen(layout->field[i].name) == len &&
			    !strncmp(layout->field[i].name, names, len))
				return &layout->field[i];
		names += len;
		names += *names == '|';
	}
	return NULL;
}

/* A value that is different in every byte and field and has no bits that a short field loses. */
static uint64_t field_value(unsigned int slot, const struct shape_field *f)
{
	return (0x8182838485868700u + slot * 0x0101010101010101u) >> (64 - 8 * f->size);
}

static int64_t expected_number(const struct vocab_field *field, const struct shape_field *f,
			       uint64_t value)
{
	bool is_signed =
		f->is_signed || (field->kind == VOCAB_HEX && !strcmp(field->unit, "pages"));

	switch (f->size) {
	case 1:
		return is_signed ? (int64_t)(int8_t)value : (int64_t)(uint8_t)value;
	case 2:
		return is_signed ? (int64_t)(int16_t)value : (int64_t)(uint16_t)value;
	case 4:
		return is_signed ? (int64_t)(int32_t)value : (int64_t)(uint32_t)value;
	default:
		return (int64_t)value;
	}
}

static void fill_record(uint8_t *data, const struct shape_layout *layout,
			const struct vocab_entry *entry, bool big_endian)
{
	unsigned int text_at = layout->size;

	memset(data, 0, 1024);
	shape_store(data, 2, 777, big_endian);
	shape_store(data + 4, 4, 4321, big_endian);
	for (unsigned int slot = 0; slot < entry->nr_fields; slot++) {
		const struct shape_field *f = layout_field(layout, entry->fields[slot].formats);

		if (!f)
			continue;
		if (f->array) {
			snprintf((char *)data + f->offset, f->size, "text-%u", slot);
		} else if (f->data_loc) {
			shape_store(data + f->offset, 4, text_at | 16u << 16, big_endian);
			snprintf((char *)data + text_at, 16, "text-%u", slot);
			text_at += 16;
		} else {
			shape_store(data + f->offset, f->size, field_value(slot, f), big_endian);
		}
	}
}

static bool is_plain_number(enum vocab_kind kind)
{
	return kind == VOCAB_INT || kind == VOCAB_HEX || kind == VOCAB_DEV;
}

static void check_values(const struct event *ev, const struct shape_layout *layout,
			 const struct vocab_entry *entry)
{
	char text[16];

	for (unsigned int slot = 0; slot < entry->nr_fields; slot++) {
		const struct vocab_field *field = &entry->fields[slot];
		const struct shape_field *f = layout_field(layout, field->formats);

		if (!f || !event_has(ev, slot))
			continue;
		if (field->kind == VOCAB_STRING) {
			snprintf(text, sizeof(text), "text-%u", slot);
			assert_int_equal(ev->string[slot].len, strlen(text));
			assert_memory_equal(ev->string[slot].text, text, strlen(text));
		} else if (is_plain_number(field->kind)) {
			assert_int_equal(ev->value[slot],
					 expected_number(field, f, field_value(slot, f)));
		}
	}
}

static void check_coverage(const struct vocab_bound *bound, const struct shape_layout *layout,
			   const struct vocab_entry *entry, const struct shape *shape)
{
	for (unsigned int i = 0; i < layout->nr; i++) {
		const struct shape_field *f = &layout->field[i];
		bool held = false;

		for (unsigned int slot = 0; slot < entry->nr_fields; slot++)
			held |= layout_field(layout, entry->fields[slot].formats) == f &&
				bound->have & 1u << slot;
		if (!held && !is_left_out(f))
			fail_msg("%s of %s: no slot for %s", shape->event, shape->kernel, f->name);
	}
	for (unsigned int slot = 0; slot < entry->nr_fields; slot++)
		if (!(bound->have & 1u << slot) && strcmp(entry->fields[slot].name, "fragmenting"))
			assert_non_null(strstr(bound->missing, entry->fields[slot].name));
}

static void bind_and_decode(const struct shape *shape, unsigned int long_size, bool big_endian)
{
	struct vocab_binder *binder = vocab_binder_new(big_endian, long_size);
	enum vocab_id id = vocab_find(shape->system, shape->event, strlen(shape->event));
	const struct vocab_bound *bound;
	struct shape_layout layout;
	static uint8_t data[1024];
	static struct event ev;
	static char text[8192];
	struct rl_msg msg;

	assert_int_not_equal(id, VOCAB_UNKNOWN);
	shape_layout(&layout, shape, long_size);
	shape_format_text(text, sizeof(text), shape, &layout, 777);
	if (vocab_binder_add(binder, shape->system, text, strlen(text), &msg))
		fail_msg("%s of %s: %s", shape->event, shape->kernel, msg.text);
	bound = vocab_bound_by_type(binder, 777);
	assert_non_null(bound);
	assert_ptr_equal(bound, vocab_bound_by_id(binder, id));
	check_coverage(bound, &layout, vocab_entry(id), shape);
	fill_record(data, &layout, vocab_entry(id), big_endian);
	assert_int_equal(vocab_record_type(binder, data, layout.size), 777);
	assert_int_equal(vocab_decode(binder, bound, data, sizeof(data), &ev), 0);
	assert_int_equal(ev.pid, 4321);
	assert_int_equal(ev.id, id);
	check_values(&ev, &layout, vocab_entry(id));
	assert_int_equal(vocab_decode(binder, bound, data, bound->min_size - 1, &ev), -EBADMSG);
	vocab_binder_free(binder);
}

static void every_shape_binds_and_decodes(void **state)
{
	for (unsigned int i = 0; i < NR_SHAPES; i++)
		for (unsigned int way = 0; way < 4; way++)
			bind_and_decode(&shapes[i], way & 1 ? 4 : 8, way & 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_entry_is_complete),
		cmocka_unit_test(names_and_tables_are_unique),
		cmocka_unit_test(old_names_are_found),
		cmocka_unit_test(both_spellings_of_a_key_are_known),
		cmocka_unit_test(every_shape_binds_and_decodes),
	};

	return cmocka_run_group_tests_name("vocabulary", tests, NULL, NULL);
}
