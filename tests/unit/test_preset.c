/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
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

#include "capture/record/preset.h"

/* A tracefs of three events: one under its newest name, one under an old one, one of another
 * system. */
static char tracing[] = "/tmp/reclaimlab-preset-XXXXXX";

static void make_event(const char *system, const char *name)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/events", tracing);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/%s", tracing, system);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/%s/%s", tracing, system, name);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracing, system, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static int make_tracing(void **state)
{
	if (!mkdtemp(tracing))
		return -1;
	make_event("vmscan", "mm_vmscan_kswapd_wake");
	make_event("vmscan", "mm_vmscan_writepage");
	return 0;
}

static int remove_tracing(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", tracing);
	return system(command);
}

static bool find_event(enum record_preset preset, enum vocab_id id, struct preset_event *event,
		       struct preset_names *names)
{
	for (unsigned int i = 0; preset_event_at(tracing, preset, i, event, names); i++)
		if (event->id == id)
			return true;
	return false;
}

static void states_are_those_of_the_kernel(void **state)
{
	struct preset_names names;
	struct preset_event event;

	assert_true(find_event(PRESET_RECLAIM, VOCAB_mm_vmscan_kswapd_wake, &event, &names));
	assert_int_equal(event.state, PRESET_PRESENT);
	assert_true(find_event(PRESET_PAGES, VOCAB_mm_vmscan_write_folio, &event, &names));
	assert_int_equal(event.state, PRESET_RENAMED);
	assert_string_equal(event.name, "mm_vmscan_writepage");
	assert_false(find_event(PRESET_RECLAIM, VOCAB_mm_vmscan_write_folio, &event, &names));
	assert_true(find_event(PRESET_RECLAIM, VOCAB_mm_vmscan_throttled, &event, &names));
	assert_int_equal(event.state, PRESET_ABSENT);
	assert_true(strlen(event.cost) > 0);
	assert_true(find_event(PRESET_ALL, VOCAB_probe_evict, &event, &names));
	assert_int_equal(event.state, PRESET_PROBE);
}

static void old_events_are_replaced_where_the_new_one_is(void **state)
{
	struct preset_names names;
	struct preset_event event;

	assert_true(find_event(PRESET_RECLAIM, VOCAB_writeback_congestion_wait, &event, &names));
	assert_int_equal(event.state, PRESET_ABSENT);
	make_event("vmscan", "mm_vmscan_throttled");
	assert_true(find_event(PRESET_RECLAIM, VOCAB_writeback_congestion_wait, &event, &names));
	assert_int_equal(event.state, PRESET_REPLACED);
	assert_string_equal(event.name, "writeback_congestion_wait");
}

static void presets_nest(void **state)
{
	struct preset_names names;
	struct preset_event event;

	assert_false(find_event(PRESET_RECLAIM, VOCAB_mm_page_alloc, &event, &names));
	assert_true(find_event(PRESET_PAGES, VOCAB_mm_page_alloc, &event, &names));
	assert_int_equal(event.preset, PRESET_PAGES);
	assert_string_equal(preset_name(event.preset), "pages");
	assert_true(find_event(PRESET_PAGES, VOCAB_mm_vmscan_kswapd_wake, &event, &names));
	assert_false(find_event(PRESET_PAGES, VOCAB_mm_filemap_fault, &event, &names));
	assert_true(find_event(PRESET_ACCESS, VOCAB_mm_filemap_fault, &event, &names));
}

static void all_holds_every_stored_event_once(void **state)
{
	unsigned int seen[VOCAB_NR] = { 0 };
	struct preset_names names;
	struct preset_event event;

	for (unsigned int i = 0; preset_event_at(tracing, PRESET_ALL, i, &event, &names); i++)
		seen[event.id]++;
	for (unsigned int i = 0; i < VOCAB_NR; i++) {
		const char *system = vocab_entry(i)->system;

		if (!strcmp(system, "log") || !strcmp(system, "ftrace"))
			assert_int_equal(seen[i], 0);
		else if (vocab_entry(i)->storage == VOCAB_COUNTED)
			assert_in_range(seen[i], 0, 1);
		else
			assert_int_equal(seen[i], 1);
	}
}

static void names_are_known(void **state)
{
	enum record_preset preset;
	struct rl_msg msg;

	assert_int_equal(preset_find("pages", &preset, &msg), 0);
	assert_int_equal(preset, PRESET_PAGES);
	assert_int_equal(preset_find("page", &preset, &msg), -EINVAL);
	assert_non_null(strstr(msg.text, "reclaim, pages, access or all"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_those_of_the_kernel),
		cmocka_unit_test(old_events_are_replaced_where_the_new_one_is),
		cmocka_unit_test(presets_nest),
		cmocka_unit_test(all_holds_every_stored_event_once),
		cmocka_unit_test(names_are_known),
	};

	return cmocka_run_group_tests_name("preset", tests, make_tracing, remove_tracing);
}
