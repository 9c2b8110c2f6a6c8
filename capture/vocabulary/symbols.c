/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/vocabulary/symbols.h"

#include <stdlib.h>
#include <string.h>

/* No function is longer; an address farther behind the last symbol has no name. */
#define FUNCTION_MAX (UINT64_C(1) << 22)

#define RECENT 256 /* answers that are remembered, a power of two */

struct symbol {
	uint64_t address;
	uint32_t name; /* offset in the text */
	uint32_t len;
};

struct symbols {
	const char *text; /* the caller's */
	size_t len;
	struct symbol *symbol; /* sorted, NULL until an address needs it */
	size_t nr;
	bool failed; /* there was no memory for them */
	struct symbol_answer {
		uint64_t asked;
		struct symbol found;
	} recent[RECENT];
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

	if (!symbols)
		return NULL;
	if (len > UINT32_MAX)
		len = UINT32_MAX;
	symbols->text = text;
	symbols->len = len;
	return symbols;
}

/* The first line that begins at or behind @at; @symbols->len when there is none. */
static size_t line_behind(const struct symbols *symbols, size_t at)
{
	const char *eol;

	if (!at || symbols->text[at - 1] == '\n')
		return at;
	eol = memchr(symbols->text + at, '\n', symbols->len - at);
	return eol ? (size_t)(eol + 1 - symbols->text) : symbols->len;
}

static bool line_at(const struct symbols *symbols, size_t at, struct symbol *symbol)
{
	const char *begin = symbols->text + at;
	const char *eol = memchr(begin, '\n', symbols->len - at);

	return parse_line(symbols->text, begin, eol ? eol : symbols->text + symbols->len, symbol);
}

/* Bisect the text for the first symbol at exactly @address; finds none where it is not sorted. */
static bool find_in_text(const struct symbols *symbols, uint64_t address, struct symbol *found)
{
	size_t low = 0, high = symbols->len; /* the line begins in [low, high) */

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		size_t line = line_behind(symbols, middle);

		if (line >= high) {
			high = middle;
		} else if (!line_at(symbols, line, found)) {
			return false;
		} else if (found->address < address) {
			low = line + 1;
		} else {
			high = middle;
		}
	}
	low = line_behind(symbols, low);
	return low < symbols->len && line_at(symbols, low, found) && found->address == address;
}

static bool sort_all(struct symbols *symbols)
{
	const char *end = symbols->text + symbols->len;

	if (symbols->symbol || symbols->failed)
		return !symbols->failed;
	symbols->symbol =
		calloc(count_lines(symbols->text, symbols->len), sizeof(*symbols->symbol));
	symbols->failed = !symbols->symbol;
	if (symbols->failed)
		return false;
	for (const char *at = symbols->text; at < end;) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));

		if (!eol)
			eol = end;
		if (parse_line(symbols->text, at, eol, &symbols->symbol[symbols->nr]))
			symbols->nr++;
		at = eol + 1;
	}
	qsort(symbols->symbol, symbols->nr, sizeof(*symbols->symbol), symbol_compare);
	return true;
}

void vocab_symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->symbol);
	free(symbols);
}

static bool find_sorted(const struct symbols *symbols, uint64_t address, struct symbol *found)
{
	size_t low = 0, high;

	if (!symbols->nr)
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
	*found = symbols->symbol[low];
	return found->address <= address && address - found->address <= FUNCTION_MAX;
}

static struct symbol_answer *recent_answer(struct symbols *symbols, uint64_t address)
{
	return &symbols->recent[(address >> 4 ^ address >> 12) & (RECENT - 1)];
}

bool vocab_symbols_find(struct symbols *symbols, uint64_t address, const char **name, size_t *len)
{
	struct symbol_answer *answer;
	struct symbol found;

	if (!symbols || !address)
		return false;
	answer = recent_answer(symbols, address);
	if (answer->asked != address) {
		if (!find_in_text(symbols, address, &found) &&
		    (!sort_all(symbols) || !find_sorted(symbols, address, &found)))
			return false;
		*answer = (struct symbol_answer){ address, found };
	}
	*name = symbols->text + answer->found.name;
	*len = answer->found.len;
	return true;
}
