/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts by number. The table symbol holds every text once; a hash table in front of it answers for
 * those seen before. It stops growing at CACHE_MAX texts, so that a hostile recording full of
 * different names costs time but no memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sql/store_internal.h"

#define CACHE_SLOTS 16384 /* a power of two */
#define CACHE_MAX   12288
#define TEXT_MAX    4096 /* bytes kept of a text */

struct symbol {
	char *text; /* escaped; NULL: free slot */
	size_t len;
	int64_t number;
};

struct symbols {
	sqlite3 *db;
	sqlite3_stmt *find;
	sqlite3_stmt *add;
	unsigned int nr;
	struct symbol slot[CACHE_SLOTS];
	char escaped[TEXT_MAX * 4 + 1];
};

struct symbols *symbols_new(sqlite3 *db)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->db = db;
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	sqlite3_finalize(symbols->find);
	sqlite3_finalize(symbols->add);
	for (unsigned int i = 0; i < CACHE_SLOTS; i++)
		free(symbols->slot[i].text);
	free(symbols);
}

/* Bytes of the UTF-8 sequence at @text, or 0: none begins there. */
static unsigned int utf8_length(const unsigned char *text, size_t len)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned int need = *text < 0x80 ? 1 : *text >= 0xf0 ? 4 : *text >= 0xe0 ? 3 : 2;
	unsigned int code;

	if (need == 1)
		return *text != 0;
	if (*text < 0xc2 || *text > 0xf4 || need > len)
		return 0;
	code = *text & (0x7f >> need);
	for (unsigned int i = 1; i < need; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[need] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return need;
}

/* Copy to symbols->escaped with \xNN for what is no UTF-8; returns the length. */
static size_t escape(struct symbols *symbols, const char *text, size_t len)
{
	static const char digit[] = "0123456789abcdef";
	char *out = symbols->escaped;

	len = len > TEXT_MAX ? TEXT_MAX : len;
	while (len) {
		unsigned int byte = (unsigned char)*text;
		unsigned int n = utf8_length((const unsigned char *)text, len);

		if (n) {
			memcpy(out, text, n);
			out += n;
		} else {
			n = 1;
			*out++ = '\\';
			*out++ = 'x';
			*out++ = digit[byte >> 4];
			*out++ = digit[byte & 15];
		}
		text += n;
		len -= n;
	}
	*out = '\0';
	return (size_t)(out - symbols->escaped);
}

static unsigned int hash(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h ^ h >> 15;
}

static struct symbol *find_slot(struct symbols *symbols, const char *text, size_t len)
{
	unsigned int at = hash(text, len) % CACHE_SLOTS;

	for (;; at = (at + 1) % CACHE_SLOTS) {
		struct symbol *symbol = &symbols->slot[at];

		if (!symbol->text || (symbol->len == len && !memcmp(symbol->text, text, len)))
			return symbol;
	}
}

/* A statement with one text: its integer result, 0 without a row, or a negative errno. */
static int64_t ask(struct symbols *symbols, sqlite3_stmt **stmt, const char *sql, const char *text,
		   size_t len)
{
	int64_t number = 0;
	int rc = SQLITE_OK;

	if (!*stmt)
		rc = sqlite3_prepare_v3(symbols->db, sql, -1, SQLITE_PREPARE_PERSISTENT, stmt,
					NULL);
	if (rc)
		return sql_fail(symbols->db, rc, NULL, "");
	sqlite3_bind_text(*stmt, 1, text, (int)len, SQLITE_STATIC);
	rc = sqlite3_step(*stmt);
	if (rc == SQLITE_ROW)
		number = sqlite3_column_int64(*stmt, 0);
	else if (rc != SQLITE_DONE)
		number = sql_fail(symbols->db, rc, NULL, "");
	sqlite3_reset(*stmt);
	return number;
}

static int64_t number_in_table(struct symbols *symbols, const char *text, size_t len)
{
	int64_t number =
		ask(symbols, &symbols->find, "SELECT symbol FROM symbol WHERE text = ?", text, len);

	if (number)
		return number;
	number = ask(symbols, &symbols->add, "INSERT INTO symbol (text) VALUES (?)", text, len);
	return number ? number : sqlite3_last_insert_rowid(symbols->db);
}

int64_t symbols_number(struct symbols *symbols, const char *text, size_t len)
{
	struct symbol *slot = find_slot(symbols, text, len);
	int64_t number;
	size_t size;

	/* What is there needs no escapes: it is valid, and so the same with and without. */
	if (slot->text)
		return slot->number;
	size = escape(symbols, text, len);
	slot = find_slot(symbols, symbols->escaped, size);
	if (slot->text)
		return slot->number;
	number = number_in_table(symbols, symbols->escaped, size);
	if (number < 0 || symbols->nr >= CACHE_MAX)
		return number;
	slot->text = malloc(size + 1);
	if (!slot->text)
		return -ENOMEM;
	memcpy(slot->text, symbols->escaped, size + 1);
	slot->len = size;
	slot->number = number;
	symbols->nr++;
	return number;
}
