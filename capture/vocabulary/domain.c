/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/vocabulary/domain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct domain_entry {
	enum vocab_kind kind;
	int64_t value;
	const char *name;
};

static const struct domain_entry domain_names[] = {
#define NAME(kind, value, name) { kind, value, name },
#define BIT(kind, mask, name)
#define ZERO(kind, name)
#define ORDER(kind)
#include "capture/vocabulary/domains.def"
#undef NAME
#undef BIT
#undef ZERO
#undef ORDER
};

static const struct domain_entry domain_bits[] = {
#define NAME(kind, value, name)
#define BIT(kind, mask, name) { kind, mask, name },
#define ZERO(kind, name)
#define ORDER(kind)
#include "capture/vocabulary/domains.def"
#undef NAME
#undef BIT
#undef ZERO
#undef ORDER
};

static const struct domain_entry domain_zeros[] = {
#define NAME(kind, value, name)
#define BIT(kind, mask, name)
#define ZERO(kind, name) { kind, 0, name },
#define ORDER(kind)
#include "capture/vocabulary/domains.def"
#undef NAME
#undef BIT
#undef ZERO
#undef ORDER
};

static const enum vocab_kind domain_ordered[] = {
#define NAME(kind, value, name)
#define BIT(kind, mask, name)
#define ZERO(kind, name)
#define ORDER(kind) kind,
#include "capture/vocabulary/domains.def"
#undef NAME
#undef BIT
#undef ZERO
#undef ORDER
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct domain_entry *entry_by_name(const struct domain_entry *entries, size_t nr,
						enum vocab_kind kind, const char *name, size_t len)
{
	for (size_t i = 0; i < nr; i++)
		if (entries[i].kind == kind && strlen(entries[i].name) == len &&
		    !memcmp(entries[i].name, name, len))
			return &entries[i];
	return NULL;
}

static const struct domain_entry *entry_by_value(const struct domain_entry *entries, size_t nr,
						 enum vocab_kind kind, int64_t value)
{
	for (size_t i = 0; i < nr; i++)
		if (entries[i].kind == kind && entries[i].value == value)
			return &entries[i];
	return NULL;
}

bool domain_value(enum vocab_kind kind, const char *name, size_t len, int64_t *value)
{
	const struct domain_entry *entry;

	entry = entry_by_name(domain_names, COUNT(domain_names), kind, name, len);
	if (!entry)
		entry = entry_by_name(domain_bits, COUNT(domain_bits), kind, name, len);
	if (!entry)
		entry = entry_by_name(domain_zeros, COUNT(domain_zeros), kind, name, len);
	if (!entry)
		return false;
	*value = entry->value;
	return true;
}

bool domain_is_mask(enum vocab_kind kind)
{
	if (kind == VOCAB_GFP)
		return true;
	for (size_t i = 0; i < COUNT(domain_bits); i++)
		if (domain_bits[i].kind == kind)
			return true;
	return false;
}

bool domain_is_named(enum vocab_kind kind)
{
	if (domain_is_mask(kind))
		return true;
	for (size_t i = 0; i < COUNT(domain_names); i++)
		if (domain_names[i].kind == kind)
			return true;
	return false;
}

bool domain_keeps_order(enum vocab_kind kind)
{
	for (size_t i = 0; i < COUNT(domain_ordered); i++)
		if (domain_ordered[i] == kind)
			return true;
	return false;
}

const char *vocab_domain_name(enum vocab_kind kind, int64_t value)
{
	const struct domain_entry *entry;

	entry = entry_by_value(domain_names, COUNT(domain_names), kind, value);
	return entry ? entry->name : NULL;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

bool domain_number(const char *text, size_t len, bool bare_hex, int64_t *value)
{
	bool negative = false;
	uint64_t n = 0;
	int base = bare_hex ? 16 : 10;
	size_t i = 0;

	if (len && (text[0] == '-' || text[0] == '+')) {
		negative = text[0] == '-';
		i = 1;
	}
	if (len - i > 2 && text[i] == '0' && (text[i + 1] == 'x' || text[i + 1] == 'X')) {
		base = 16;
		i += 2;
	}
	if (i >= len || len - i > 20)
		return false;
	for (; i < len; i++) {
		int digit = digit_value(text[i]);

		if (digit >= base || __builtin_mul_overflow(n, (uint64_t)base, &n) ||
		    __builtin_add_overflow(n, (uint64_t)digit, &n))
			return false;
	}
	*value = (int64_t)(negative ? -n : n);
	return true;
}

/* The length of the first name in @text up to the separator; *@rest is what follows it. */
static size_t mask_token(const char *text, size_t len, size_t *rest)
{
	const char *bar = memchr(text, '|', len);
	size_t token = bar ? (size_t)(bar - text) : len;

	*rest = bar ? token + 1 : token;
	while (token && text[token - 1] == ' ')
		token--;
	return token;
}

/* A state has a "+" glued to it and a list of page states has letters without separators. */
static bool mask_letters(enum vocab_kind kind, const char *text, size_t len, int64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < len; i++) {
		int64_t bit;

		if (text[i] == ' ' || (kind == VOCAB_PAGE && text[i] == 'f'))
			continue;
		if (!domain_value(kind, &text[i], 1, &bit))
			return false;
		*value |= bit;
	}
	return true;
}

static bool mask_token_value(enum vocab_kind kind, const char *text, size_t len, int64_t *value)
{
	if (domain_value(kind, text, len, value))
		return true;
	if ((kind == VOCAB_STATE || kind == VOCAB_PAGE) && mask_letters(kind, text, len, value))
		return true;
	return domain_number(text, len, false, value);
}

int domain_parse_mask(enum vocab_kind kind, const char *text, size_t len, int64_t *value)
{
	int64_t sum = 0;

	if (!len && kind != VOCAB_PAGE)
		return -EINVAL;
	while (len) {
		size_t rest, token = mask_token(text, len, &rest);
		int64_t bit;

		if (!mask_token_value(kind, text, token, &bit))
			return -EINVAL;
		sum |= bit;
		text += rest;
		len -= rest;
	}
	*value = sum;
	return 0;
}

void domain_format_mask(enum vocab_kind kind, int64_t value, char *buf, size_t size)
{
	const struct domain_entry *zero;
	const char *bar = kind == VOCAB_PAGE ? "" : "|";
	size_t at = 0;

	buf[0] = '\0';
	if (!value) {
		zero = entry_by_value(domain_zeros, COUNT(domain_zeros), kind, 0);
		snprintf(buf, size, "%s", zero ? zero->name : "");
		return;
	}
	for (size_t i = 0; i < COUNT(domain_bits) && at < size; i++) {
		const struct domain_entry *bit = &domain_bits[i];

		if (bit->kind != kind || !(value & bit->value))
			continue;
		value &= ~bit->value;
		if (kind == VOCAB_STATE && bit->name[0] == '+')
			bar = at ? "" : "R";
		at += snprintf(buf + at, size - at, "%s%s", at || bar[0] == 'R' ? bar : "",
			       bit->name);
	}
	if (value && at < size)
		snprintf(buf + at, size - at, "%s0x%" PRIx64, at ? "|" : "", (uint64_t)value);
}
