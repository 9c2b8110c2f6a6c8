/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/record/preset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/base/nearest.h"

struct preset_entry {
	enum record_preset preset;
	enum vocab_id id;
	const char *filter;
	const char *cost;
};

static const struct preset_entry preset_table[] = {
#define PRESET(preset, event, filter, cost) { PRESET_##preset, VOCAB_##event, filter, cost },
#define REPLACED(event, by)
#include "capture/record/preset.def"
#undef PRESET
#undef REPLACED
};

static const struct {
	enum vocab_id id, by;
} replaced_table[] = {
#define PRESET(preset, event, filter, cost)
#define REPLACED(event, by) { VOCAB_##event, VOCAB_##by },
#include "capture/record/preset.def"
#undef PRESET
#undef REPLACED
};

#define PRESET_ENTRIES (sizeof(preset_table) / sizeof(preset_table[0]))

static const struct {
	const char *name;
	enum record_preset preset;
} preset_names[] = {
	{ "reclaim", PRESET_RECLAIM },
	{ "pages", PRESET_PAGES },
	{ "access", PRESET_ACCESS },
	{ "all", PRESET_ALL },
};

int preset_find(const char *name, enum record_preset *preset, struct rl_msg *msg)
{
	struct rl_nearest nearest = { .word = name };
	char meant[RL_NEAREST_SIZE];

	for (size_t i = 0; i < sizeof(preset_names) / sizeof(preset_names[0]); i++) {
		if (!strcmp(name, preset_names[i].name)) {
			*preset = preset_names[i].preset;
			return 0;
		}
		rl_nearest_offer(&nearest, preset_names[i].name);
	}
	return rl_fail(msg, EINVAL, "preset '%s': reclaim, pages, access or all was expected%s",
		       name, rl_nearest_words(&nearest, meant, sizeof(meant)));
}

const char *preset_name(enum record_preset preset)
{
	for (size_t i = 0; i < sizeof(preset_names) / sizeof(preset_names[0]); i++)
		if (preset_names[i].preset == preset)
			return preset_names[i].name;
	return "none";
}

static bool kernel_has(const char *tracing, const char *system, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracing, system, name);
	return access(path, F_OK) == 0;
}

/* Split "system:name" into @names. */
static void take_alias(const char *alias, struct preset_names *names)
{
	const char *colon = strchr(alias, ':');
	int len = colon ? (int)(colon - alias) : 0;

	snprintf(names->system, sizeof(names->system), "%.*s", len, alias);
	snprintf(names->name, sizeof(names->name), "%s", colon ? colon + 1 : alias);
}

static bool is_replaced(const char *tracing, enum vocab_id id)
{
	for (size_t i = 0; i < sizeof(replaced_table) / sizeof(replaced_table[0]); i++) {
		const struct vocab_entry *by = vocab_entry(replaced_table[i].by);

		if (replaced_table[i].id == id && kernel_has(tracing, by->system, by->name))
			return true;
	}
	return false;
}

static enum preset_state look_up(const char *tracing, enum vocab_id id, struct preset_names *names)
{
	const struct vocab_entry *entry = vocab_entry(id);

	snprintf(names->system, sizeof(names->system), "%s", entry->system);
	snprintf(names->name, sizeof(names->name), "%s", entry->name);
	if (kernel_has(tracing, entry->system, entry->name))
		return PRESET_PRESENT;
	for (const char *const *alias = entry->aliases; alias && *alias; alias++) {
		take_alias(*alias, names);
		if (kernel_has(tracing, names->system, names->name))
			return PRESET_RENAMED;
	}
	snprintf(names->system, sizeof(names->system), "%s", entry->system);
	snprintf(names->name, sizeof(names->name), "%s", entry->name);
	if (!strcmp(entry->system, "reclaimlab") && !strncmp(entry->name, "probe_", 6))
		return PRESET_PROBE;
	return is_replaced(tracing, id) ? PRESET_REPLACED : PRESET_ABSENT;
}

static bool in_table(enum vocab_id id)
{
	for (size_t i = 0; i < PRESET_ENTRIES; i++)
		if (preset_table[i].id == id)
			return true;
	return false;
}

/* The @i-th entry of the table that @preset includes, or NULL with @i reduced by their number. */
static const struct preset_entry *table_entry(enum record_preset preset, unsigned int *i)
{
	for (size_t k = 0; k < PRESET_ENTRIES; k++) {
		if (preset_table[k].preset > preset)
			continue;
		if (!*i)
			return &preset_table[k];
		(*i)--;
	}
	return NULL;
}

/*
 * PRESET_ALL goes on with every event that the vocabulary stores and the table does not name; those
 * of "log" are lines of kernel logs.
 */
static bool stored_entry(unsigned int i, enum vocab_id *id)
{
	for (unsigned int k = 0; k < VOCAB_NR; k++) {
		const struct vocab_entry *entry = vocab_entry(k);

		/* No events that could be enabled: lines of the kernel's log, markers. */
		if (entry->storage == VOCAB_COUNTED || !strcmp(entry->system, "log") ||
		    !strcmp(entry->system, "ftrace") || in_table(k))
			continue;
		if (!i--) {
			*id = k;
			return true;
		}
	}
	return false;
}

bool preset_event_at(const char *tracing, enum record_preset preset, unsigned int i,
		     struct preset_event *event, struct preset_names *names)
{
	const struct preset_entry *entry = table_entry(preset, &i);

	memset(event, 0, sizeof(*event));
	if (entry) {
		event->preset = entry->preset;
		event->id = entry->id;
		event->filter = entry->filter;
		event->cost = entry->cost;
	} else if (preset != PRESET_ALL || !stored_entry(i, &event->id)) {
		return false;
	} else {
		event->preset = PRESET_ALL;
		event->cost = vocab_entry(event->id)->doc;
	}
	event->state = look_up(tracing, event->id, names);
	event->system = names->system;
	event->name = names->name;
	return true;
}
