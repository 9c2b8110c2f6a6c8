/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/vocabulary/symbols.h"

#include <stdlib.h>
#include <string.h>

/* No function is longer; an address farther behind the last symbol has no name. */
#define FUNCTION_MAX (UINT64_C(1) << 22)

struct symbol {
	uint64_t address;
	uint32_t name; /* offset in the text */
	uint32_t len;
};

struct symbols {
	char *text;
	struct symbol *symbol;
	size_t nr;
};

static bool parse_hex(const char **at, const char *end, uint64_t *value)
{
	const char *begin = *at;
	uint64_t n = 0;

	for (; *at < end; (*at)++) {
		char c = **at;
		int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

		if (digit < 0 || digit > 15 || (c > '9' && digit < 10))
			break;
		n = n << 4 | (uint64_t)digit;
	}
	*value = n;
	return *at > begin && *at - begin <= 16;
}

/* "ffffffff81000000 T _stext" and "... t name\t[module]" */
static bool parse_line(const char *text, const char *at, const char *end, struct symbol *symbol)
{
	const char *name;

	if (!parse_hex(&at, end, &symbol->address) || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	name = at + 3;
	for (at = name; at < end && *at != ' ' && *at != '\t'; at++)
		;
	symbol->name = (uint32_t)(name - text);
	symbol->len = (uint32_t)(at - name);
	return symbol->len && symbol->address;
}

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static size_t count_lines(const char *text, size_t len)
{
	size_t lines = 1;

	for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + len - at))); at++)
		lines++;
	return lines;
}

struct symbols *vocab_symbols_new(const char *text, size_t len)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	const char *at, *end;

	if (!symbols)
		return NULL;
	if (len > UINT32_MAX)
		len = UINT32_MAX;
	symbols->text = malloc(len + 1);
	symbols->symbol = calloc(count_lines(text, len), sizeof(*symbols->symbol));
	if (!symbols->text || !symbols->symbol) {
		vocab_symbols_free(symbols);
		return NULL;
	}
	memcpy(symbols->text, text, len);
	end = symbols->text + len;
	for (at = symbols->text; at < end;) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));

		if (!eol)
			eol = end;
		if (parse_line(symbols->text, at, eol, &symbols->symbol[symbols->nr]))
			symbols->nr++;
		at = eol + 1;
	}
	qsort(symbols->symbol, symbols->nr, sizeof(*symbols->symbol), symbol_compare);
	return symbols;
}

void vocab_symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->text);
	free(symbols->symbol);
	free(symbols);
}

bool vocab_symbols_find(const struct symbols *symbols, uint64_t address, const char **name,
			size_t *len)
{
	const struct symbol *found;
	size_t low = 0, high;

	if (!symbols || !symbols->nr)
		return false;
	for (high = symbols->nr; high - low > 1;) {
		size_t middle = low + (high - low) / 2;

		if (symbols->symbol[middle].address <= address)
			low = middle;
		else
			high = middle;
	}
	while (low && symbols->symbol[low - 1].address == symbols->symbol[low].address)
		low--;
	found = &symbols->symbol[low];
	if (found->address > address || address - found->address > FUNCTION_MAX)
		return false;
	*name = symbols->text + found->name;
	*len = found->len;
	return true;
}
