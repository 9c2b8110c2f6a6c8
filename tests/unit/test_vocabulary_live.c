/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats of the running kernel, where they can be read: every one is taken, and where its
 * fields lie is the same that libtraceevent says.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <cmocka.h>

#include "capture/vocabulary/vocabulary.h"

#define EVENTS	  "/sys/kernel/tracing/events"
#define TEXT_SIZE (1 << 17)

/* The format text of an event; 0 where there is none. */
static size_t read_format(const char *system, const char *event, char *text)
{
	char path[600];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), EVENTS "/%s/%s/format", system, event);
	file = fopen(path, "r");
	if (!file)
		return 0;
	len = fread(text, 1, TEXT_SIZE, file);
	fclose(file);
	return len;
}

/* The field of libtraceevent's that one of "a|b" names. */
static struct tep_format_field *oracle_field(struct tep_event *event, const char *names)
{
	struct tep_format_field *field = NULL;
	char list[256], *rest = list, *name;

	snprintf(list, sizeof(list), "%s", names);
	while (!field && (name = strsep(&rest, "|")))
		field = tep_find_field(event, name);
	return field;
}

static void compare(const struct vocab_bound *bound, struct tep_event *event)
{
	const struct vocab_entry *entry = vocab_entry(bound->id);

	assert_int_equal(bound->type, event->id);
	for (unsigned int i = 0; i < bound->nr_accessors; i++) {
		const struct vocab_accessor *a = &bound->accessors[i];
		struct tep_format_field *field =
			oracle_field(event, entry->fields[a->slot].formats);

		if (!field)
			continue; /* a constant of the print format */
		assert_int_equal(a->offset, field->offset);
		if (entry->fields[a->slot].kind != VOCAB_STRING)
			assert_int_equal(a->size, field->size);
		else if (!(field->flags & TEP_FIELD_IS_DYNAMIC) && field->size)
			assert_int_equal(a->length, field->size);
	}
}

static void check_event(struct vocab_binder *binder, struct tep_handle *tep, const char *system,
			const char *name, char *text)
{
	size_t len = read_format(system, name, text);
	const struct vocab_bound *bound;
	struct tep_event *event;
	struct rl_msg msg;
	enum vocab_id id;

	if (!len)
		return;
	if (vocab_binder_add(binder, system, text, len, &msg))
		fail_msg("%s:%s: %s", system, name, msg.text);
	id = vocab_find(system, name, strlen(name));
	if (id == VOCAB_UNKNOWN)
		return;
	bound = vocab_bound_by_id(binder, id);
	assert_non_null(bound);
	tep_parse_event(tep, text, len, system);
	event = tep_find_event_by_name(tep, system, name);
	if (event && !strcmp(bound->name, name))
		compare(bound, event);
}

static void formats_of_this_kernel_bind(void **state)
{
	struct vocab_binder *binder = vocab_binder_new(false, sizeof(long));
	struct tep_handle *tep = tep_alloc();
	char *text = malloc(TEXT_SIZE);
	DIR *systems = opendir(EVENTS);
	struct dirent *system, *event;
	DIR *events;

	if (!systems) {
		print_message("%s cannot be read\n", EVENTS);
		tep_free(tep);
		vocab_binder_free(binder);
		free(text);
		skip();
	}
	tep_set_loglevel(TEP_LOG_NONE);
	while ((system = readdir(systems))) {
		char path[320];

		snprintf(path, sizeof(path), EVENTS "/%s", system->d_name);
		if (system->d_name[0] == '.' || !(events = opendir(path)))
			continue;
		while ((event = readdir(events)))
			if (event->d_name[0] != '.')
				check_event(binder, tep, system->d_name, event->d_name, text);
		closedir(events);
	}
	closedir(systems);
	tep_free(tep);
	vocab_binder_free(binder);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_of_this_kernel_bind),
	};

	return cmocka_run_group_tests_name("vocabulary_live", tests, NULL, NULL);
}
