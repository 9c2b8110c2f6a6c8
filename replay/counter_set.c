/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"
#include "replay/counter_set.h"

struct entry {
	char *source, *scope, *name;
	int64_t value;
};

struct counter_set {
	struct entry *entries; /* open addressing, size a power of two */
	uint32_t size, count;
	uint32_t *order; /* entries in the order they came */
	struct scope {
		char *source, *scope;
	} * scopes; /* each once, in the order they came */
	uint32_t nr_scopes;
	size_t room_scopes;
};

struct counter_set *counter_set_new(void)
{
	return calloc(1, sizeof(struct counter_set));
}

static void entry_clear(struct entry *entry)
{
	free(entry->source);
	free(entry->scope);
	free(entry->name);
}

void counter_set_free(struct counter_set *set)
{
	if (!set)
		return;
	for (uint32_t i = 0; i < set->size; i++)
		entry_clear(&set->entries[i]);
	for (uint32_t i = 0; i < set->nr_scopes; i++) {
		free(set->scopes[i].source);
		free(set->scopes[i].scope);
	}
	free(set->scopes);
	free(set->entries);
	free(set->order);
	free(set);
}

/* FNV-1a over the three texts. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint32_t slot_of(const struct entry *entries, uint32_t size, const char *source,
			const char *scope, const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint32_t at;

	hash = hash_text(hash_text(hash_text(hash, source), scope), name);
	at = hash & (size - 1);
	while (entries[at].name &&
	       (strcmp(entries[at].name, name) || strcmp(entries[at].scope, scope) ||
		strcmp(entries[at].source, source)))
		at = (at + 1) & (size - 1);
	return at;
}

static int grow(struct counter_set *set)
{
	uint32_t size = set->size ? set->size * 2 : 512;
	struct entry *entries = calloc(size, sizeof(*entries));
	uint32_t *order = calloc(size, sizeof(*order));

	if (!entries || !order) {
		free(entries);
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < set->count; i++) {
		const struct entry *old = &set->entries[set->order[i]];

		order[i] = slot_of(entries, size, old->source, old->scope, old->name);
		entries[order[i]] = *old;
	}
	free(set->entries);
	free(set->order);
	set->entries = entries;
	set->order = order;
	set->size = size;
	return 0;
}

static int note_scope(struct counter_set *set, const char *source, const char *scope)
{
	struct scope *to;

	for (uint32_t i = set->nr_scopes; i; i--)
		if (!strcmp(set->scopes[i - 1].scope, scope) &&
		    !strcmp(set->scopes[i - 1].source, source))
			return 0;
	if (rl_array_room(&set->scopes, &set->room_scopes, set->nr_scopes, sizeof(*set->scopes)))
		return -ENOMEM;
	to = &set->scopes[set->nr_scopes];
	to->source = strdup(source);
	to->scope = strdup(scope);
	set->nr_scopes++;
	return to->source && to->scope ? 0 : -ENOMEM;
}

int counter_set_put(struct counter_set *set, const char *source, const char *scope,
		    const char *name, int64_t value)
{
	struct entry entry;
	uint32_t at;

	if ((set->count >= set->size / 2 && grow(set)) || note_scope(set, source, scope))
		return -ENOMEM;
	at = slot_of(set->entries, set->size, source, scope, name);
	if (set->entries[at].name) {
		set->entries[at].value = value;
		return 0;
	}
	entry = (struct entry){ strdup(source), strdup(scope), strdup(name), value };
	if (!entry.source || !entry.scope || !entry.name) {
		entry_clear(&entry);
		return -ENOMEM;
	}
	set->entries[at] = entry;
	set->order[set->count++] = at;
	return 0;
}

bool counter_set_get(const struct counter_set *set, const char *source, const char *scope,
		     const char *name, int64_t *value)
{
	const struct entry *entry;

	if (!set->size)
		return false;
	entry = &set->entries[slot_of(set->entries, set->size, source, scope, name)];
	if (!entry->name)
		return false;
	*value = entry->value;
	return true;
}

int64_t counter_set_value(const struct counter_set *set, const char *source, const char *scope,
			  const char *name, int64_t absent)
{
	counter_set_get(set, source, scope, name, &absent);
	return absent;
}

int64_t counter_set_vmstat(const struct counter_set *set, const char *name, int64_t absent)
{
	return counter_set_value(set, "vmstat", "", name, absent);
}

const char *counter_set_scope(const struct counter_set *set, const char *source, unsigned int nth)
{
	for (uint32_t i = 0; i < set->nr_scopes; i++)
		if (!strcmp(set->scopes[i].source, source) && !nth--)
			return set->scopes[i].scope;
	return NULL;
}

bool counter_set_empty(const struct counter_set *set)
{
	return !set->count;
}
