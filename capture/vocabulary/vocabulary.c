/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/vocabulary/vocabulary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/vocabulary/domain.h"

/* Fields of every event, an array an event. */
#define EVENT(system, name, storage, table, doc) static const struct vocab_field fields_##name[] = {
#define ALIAS(name, system, other)
#define FIELD(name, slot, kind, formats, keys, unit, doc)                                          \
	{ #slot, VOCAB_##kind, formats, keys, unit, doc },
#define EVENT_END(name)                                                                            \
	}                                                                                          \
	;                                                                                          \
	_Static_assert(name##_nr_slots <= EVENT_SLOTS, #name " has too many fields");
#include "capture/vocabulary/events.def"
#undef EVENT
#undef ALIAS
#undef FIELD
#undef EVENT_END

/* Aliases of every event, "system:name". */
#define EVENT(system, name, storage, table, doc) static const char *const aliases_##name[] = {
#define ALIAS(name, system, other)		 #system ":" #other,
#define FIELD(name, slot, kind, formats, keys, unit, doc)
#define EVENT_END(name)                                                                            \
	NULL                                                                                       \
	}                                                                                          \
	;
#include "capture/vocabulary/events.def"
#undef EVENT
#undef ALIAS
#undef FIELD
#undef EVENT_END

static const struct vocab_entry entries[] = {
#define EVENT(system, name, storage, table, doc)                                                   \
	{ #system, #name,	    VOCAB_##storage, #table,                                       \
	  doc,	   name##_nr_slots, fields_##name,   aliases_##name },
#define ALIAS(name, system, other)
#define FIELD(name, slot, kind, formats, keys, unit, doc)
#define EVENT_END(name)
#include "capture/vocabulary/events.def"
#undef EVENT
#undef ALIAS
#undef FIELD
#undef EVENT_END
};

const struct vocab_entry *vocab_entry(enum vocab_id id)
{
	return &entries[id];
}

static bool name_is(const char *known, const char *name, size_t len)
{
	return strlen(known) == len && !memcmp(known, name, len);
}

/* @alias is "system:name". */
static bool alias_is(const char *alias, const char *system, const char *name, size_t len)
{
	const char *colon = strchr(alias, ':');
	size_t system_len = (size_t)(colon - alias);

	if (!name_is(colon + 1, name, len))
		return false;
	return !system || (strlen(system) == system_len && !memcmp(system, alias, system_len));
}

static bool entry_is(const struct vocab_entry *entry, const char *system, const char *name,
		     size_t len)
{
	if (name_is(entry->name, name, len))
		return !system || !strcmp(entry->system, system);
	for (const char *const *alias = entry->aliases; *alias; alias++)
		if (alias_is(*alias, system, name, len))
			return true;
	return false;
}

/* The short names of probes are words that other systems use: they need their system. */
static bool entry_needs_system(const struct vocab_entry *entry, const char *name, size_t len)
{
	return !strcmp(entry->system, "reclaimlab") && !name_is(entry->name, name, len);
}

enum vocab_id vocab_find(const char *system, const char *name, size_t len)
{
	for (unsigned int id = 0; id < VOCAB_NR; id++)
		if (entry_is(&entries[id], system, name, len) &&
		    (system || !entry_needs_system(&entries[id], name, len)))
			return id;
	return VOCAB_UNKNOWN;
}

/* Is @key one of "a|b:x|c"? *@form is what stands behind its colon. */
static bool list_has(const char *list, const char *key, size_t len, enum vocab_form *form)
{
	while (*list) {
		size_t item = strcspn(list, "|"), name = strcspn(list, "|:");

		if (name == len && !memcmp(list, key, len)) {
			*form = name == item ? VOCAB_FORM_PLAIN : (enum vocab_form)list[name + 1];
			return true;
		}
		list += item;
		list += *list == '|';
	}
	return false;
}

int vocab_key_form(enum vocab_id id, const char *key, size_t len, enum vocab_form *form)
{
	const struct vocab_entry *entry = &entries[id];

	for (unsigned int i = 0; i < entry->nr_fields; i++)
		if (list_has(entry->fields[i].keys, key, len, form))
			return (int)i;
	for (unsigned int i = 0; i < entry->nr_fields; i++)
		if (list_has(entry->fields[i].formats, key, len, form))
			return (int)i;
	return -1;
}

int vocab_key(enum vocab_id id, const char *key, size_t len)
{
	enum vocab_form form;

	return vocab_key_form(id, key, len, &form);
}

static void trim(const char **text, size_t *len)
{
	while (*len && (**text == ' ' || **text == '\t')) {
		(*text)++;
		(*len)--;
	}
	while (*len && strchr(" \t\r\n,", (*text)[*len - 1]))
		(*len)--;
}

/* A unit that kernels glue to a number. */
static size_t without_unit(const char *text, size_t len)
{
	if (len > 2 && !memcmp(text + len - 2, "kB", 2))
		return len - 2;
	if (len > 1 && text[len - 1] == 'B')
		return len - 1;
	return len;
}

static int parse_number(const char *text, size_t len, int64_t *value)
{
	if (len >= 5 && (!memcmp(text, "(nil)", 5) || !memcmp(text, "(null", 5))) {
		*value = 0;
		return 0;
	}
	return domain_number(text, without_unit(text, len), false, value) ? 0 : -EINVAL;
}

/* An address or page frame number; bare hexadecimal where a letter proves it. */
static int parse_hex(const char *text, size_t len, int64_t *value)
{
	if (!parse_number(text, len, value))
		return 0;
	return domain_number(text, len, true, value) ? 0 : -EINVAL;
}

/* "8:1", "8,1", or the kernel's own number. */
static int parse_dev(const char *text, size_t len, int64_t *value)
{
	int64_t major, minor;
	size_t split;

	for (split = 0; split < len && text[split] != ':' && text[split] != ','; split++)
		;
	if (split == len)
		return domain_number(text, len, false, value) ? 0 : -EINVAL;
	if (!domain_number(text, split, false, &major) ||
	    !domain_number(text + split + 1, len - split - 1, false, &minor) || major < 0 ||
	    major >= 1 << 12 || minor < 0 || minor >= 1 << 20)
		return -EINVAL;
	*value = major << 20 | minor;
	return 0;
}

static int parse_name(enum vocab_kind kind, const char *text, size_t len, int64_t *value)
{
	int64_t number;

	if (domain_value(kind, text, len, value))
		return 0;
	if (kind == VOCAB_BOOL && len == 1 && strchr("YyNn", text[0])) {
		*value = text[0] == 'Y' || text[0] == 'y';
		return 0;
	}
	if (!domain_number(text, len, false, &number))
		return -EINVAL;
	if (kind == VOCAB_ZONE && len > 2 && text[1] == 'x')
		*value = 5; /* ZONE_DEVICE, the only zone that kernels have no name for */
	else
		*value = domain_keeps_order(kind) ? number : VOCAB_RAW + number;
	return 0;
}

int vocab_parse(enum vocab_kind kind, const char *text, size_t len, int64_t *value)
{
	if (kind != VOCAB_PAGE)
		trim(&text, &len);
	switch (kind) {
	case VOCAB_INT:
		return parse_number(text, len, value);
	case VOCAB_HEX:
		return parse_hex(text, len, value);
	case VOCAB_GFP:
		return gfp_parse(text, len, value);
	case VOCAB_DEV:
		return parse_dev(text, len, value);
	case VOCAB_STRING:
	case VOCAB_SYMBOL:
		return -EINVAL;
	default:
		if (domain_is_mask(kind))
			return domain_parse_mask(kind, text, len, value);
		return parse_name(kind, text, len, value);
	}
}

int vocab_parse_form(enum vocab_kind kind, enum vocab_form form, unsigned int page_size,
		     const char *text, size_t len, int64_t *value)
{
	if (form == VOCAB_FORM_PLAIN)
		return vocab_parse(kind, text, len, value);
	trim(&text, &len);
	if (!domain_number(text, len, form == VOCAB_FORM_HEX, value))
		return -EINVAL;
	if (form == VOCAB_FORM_BYTES)
		*value /= page_size ? page_size : 4096;
	else if (form == VOCAB_FORM_SHIFTED)
		*value = *value > 0 ? 63 - __builtin_clzll((uint64_t)*value) : 0;
	return 0;
}

char *vocab_format(enum vocab_kind kind, int64_t value, char *buf, size_t size)
{
	const char *name;

	if (!size)
		return buf;
	if (kind == VOCAB_GFP) {
		gfp_format(value, buf, size);
	} else if (domain_is_mask(kind)) {
		domain_format_mask(kind, value, buf, size);
	} else if (kind == VOCAB_HEX) {
		snprintf(buf, size, "0x%" PRIx64, (uint64_t)value);
	} else if (kind == VOCAB_DEV) {
		snprintf(buf, size, "%" PRId64 ":%" PRId64, value >> 20, value & 0xfffff);
	} else {
		name = vocab_domain_name(kind, value);
		if (!name && domain_is_named(kind) && value >= VOCAB_RAW)
			value -= VOCAB_RAW;
		if (name)
			snprintf(buf, size, "%s", name);
		else
			snprintf(buf, size, "%" PRId64, value);
	}
	return buf;
}

void vocab_complete(struct event *ev)
{
	const uint32_t orders = 1u << mm_page_alloc_extfrag_fallback_order |
				1u << mm_page_alloc_extfrag_pageblock_order;

	if (ev->id != VOCAB_mm_page_alloc_extfrag)
		return;
	ev->have &= ~(1u << mm_page_alloc_extfrag_fragmenting);
	if ((ev->have & orders) != orders)
		return;
	ev->have |= 1u << mm_page_alloc_extfrag_fragmenting;
	ev->value[mm_page_alloc_extfrag_fragmenting] =
		ev->value[mm_page_alloc_extfrag_fallback_order] <
		ev->value[mm_page_alloc_extfrag_pageblock_order];
}
