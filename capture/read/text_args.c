/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/text_args.h"

#include <stdlib.h>
#include <string.h>

#include "capture/vocabulary/gfp.h"

#define KEY_SIZE   32
#define KEYS	   32
#define MEMO_SIZE  256
#define MEMO_TEXT  120
#define PAGE_BYTES 4096

/* What was found at this place in the line of this event before. */
struct cached_key {
	char key[KEY_SIZE];
	uint8_t len;
	int8_t slot;
	enum vocab_form form;
};

struct memo {
	enum vocab_kind kind;
	uint8_t len;
	char text[MEMO_TEXT];
	int64_t value;
};

struct text_args {
	struct text_patterns *patterns;
	unsigned int page_size;
	bool gfp_known;
	bool has_body[VOCAB_NR];
	struct cached_key key[VOCAB_NR][KEYS];
	struct memo memo[MEMO_SIZE];
};

/* One line on its way. */
struct parse {
	struct text_args *args;
	const struct vocab_entry *entry;
	struct event *ev;
	const char *at;
	const char *end;
	unsigned int nr_keys;
	struct text_score score;
	bool null_page;
};

struct text_args *text_args_new(struct text_patterns *patterns)
{
	struct text_args *args = calloc(1, sizeof(*args));
	const struct text_pattern *pattern;

	if (!args)
		return NULL;
	args->patterns = patterns;
	args->page_size = PAGE_BYTES;
	for (unsigned int i = 0; (pattern = text_pattern_at(i)); i++)
		if (pattern->type == PATTERN_BODY)
			args->has_body[pattern->id] = true;
	return args;
}

void text_args_free(struct text_args *args)
{
	free(args);
}

void text_args_page_size(struct text_args *args, unsigned int page_size)
{
	args->page_size = page_size;
}

void text_args_gfp_known(struct text_args *args, bool known)
{
	args->gfp_known = known;
}

static bool is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* The slot of the key, from the cache of this place in the line if it is the same again. */
static int find_key(struct parse *p, const char *key, size_t len, enum vocab_form *form)
{
	struct cached_key *cached;
	int slot;

	if (p->nr_keys >= KEYS || len >= KEY_SIZE)
		return vocab_key_form(p->ev->id, key, len, form);
	cached = &p->args->key[p->ev->id][p->nr_keys++];
	if (cached->len == len && !memcmp(cached->key, key, len)) {
		*form = cached->form;
		return cached->slot;
	}
	*form = VOCAB_FORM_PLAIN;
	slot = vocab_key_form(p->ev->id, key, len, form);
	memcpy(cached->key, key, len);
	cached->len = (uint8_t)len;
	cached->slot = (int8_t)slot;
	cached->form = *form;
	return slot;
}

static unsigned int memo_hash(enum vocab_kind kind, const char *text, size_t len)
{
	uint32_t hash = 2166136261u + kind;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return (hash ^ hash >> 15) % MEMO_SIZE;
}

/* vocab_parse() for names, remembered. */
static bool parse_named(struct text_args *args, enum vocab_kind kind, const char *text, size_t len,
			int64_t *value)
{
	struct memo *memo;

	if (len > MEMO_TEXT || !len)
		return !vocab_parse(kind, text, len, value);
	memo = &args->memo[memo_hash(kind, text, len)];
	if (memo->len == len && memo->kind == kind && !memcmp(memo->text, text, len)) {
		*value = memo->value;
		return true;
	}
	if (vocab_parse(kind, text, len, value))
		return false;
	memo->kind = kind;
	memo->len = (uint8_t)len;
	memcpy(memo->text, text, len);
	memo->value = *value;
	return true;
}

static bool kind_is_named(enum vocab_kind kind)
{
	return kind != VOCAB_INT && kind != VOCAB_HEX && kind != VOCAB_DEV;
}

static void set_value(struct parse *p, unsigned int slot, int64_t value)
{
	p->score.slots += !(p->ev->have & 1u << slot);
	p->ev->have |= 1u << slot;
	p->ev->value[slot] = value;
}

static void set_string(struct parse *p, unsigned int slot, const char *text, size_t len)
{
	set_value(p, slot, 0);
	p->ev->string[slot] = (struct event_string){ text, (uint32_t)len };
}

/* "super_cache_scan+0x0/0x190 [xfs]": the name; a bare address: its number. */
static void set_symbol(struct parse *p, unsigned int slot, const char *text, size_t len)
{
	const char *plus = memchr(text, '+', len), *blank = memchr(text, ' ', len);
	int64_t address;

	if (blank)
		len = (size_t)(blank - text);
	if (plus && (size_t)(plus - text) < len)
		len = (size_t)(plus - text);
	if (len >= 8 && !vocab_parse(VOCAB_HEX, text, len, &address)) {
		set_string(p, slot, "", 0);
		p->ev->value[slot] = address;
		return;
	}
	set_string(p, slot, text, len);
}

static void set_range(struct parse *p, unsigned int slot, enum vocab_form form, const char *text,
		      size_t len)
{
	enum vocab_form part = form == VOCAB_FORM_BYTE_RANGE ? VOCAB_FORM_BYTES : VOCAB_FORM_PLAIN;
	const char *end = text + len, *split, *second;
	int64_t first, last;

	while (text < end && (*text == '(' || *text == ' '))
		text++;
	while (end > text && (end[-1] == ')' || end[-1] == ' '))
		end--;
	for (split = text; split < end && *split != '~' && *split != '-'; split++)
		;
	second = split < end ? split + 1 : end;
	if (second == end || slot + 1 >= p->entry->nr_fields ||
	    vocab_parse_form(VOCAB_HEX, part, p->args->page_size, text, (size_t)(split - text),
			     &first) ||
	    vocab_parse_form(VOCAB_HEX, part, p->args->page_size, second, (size_t)(end - second),
			     &last)) {
		p->score.bad++;
		return;
	}
	set_value(p, slot, first);
	set_value(p, slot + 1, last);
}

static void set_slot(struct parse *p, unsigned int slot, enum vocab_form form, const char *text,
		     size_t len)
{
	enum vocab_kind kind = p->entry->fields[slot].kind;
	int64_t value = 0;
	bool ok;

	if (form == VOCAB_FORM_RANGE || form == VOCAB_FORM_BYTE_RANGE) {
		set_range(p, slot, form, text, len);
		return;
	}
	if (kind == VOCAB_STRING) {
		set_string(p, slot, text, len);
		return;
	}
	if (kind == VOCAB_SYMBOL) {
		set_symbol(p, slot, text, len);
		return;
	}
	if (kind == VOCAB_GFP && p->args->gfp_known && !vocab_parse(VOCAB_INT, text, len, &value)) {
		set_value(p, slot, vocab_gfp_number(value));
		return;
	}
	if (form == VOCAB_FORM_PLAIN && kind_is_named(kind))
		ok = parse_named(p->args, kind, text, len, &value);
	else
		ok = !vocab_parse_form(kind, form, p->args->page_size, text, len, &value);
	if (ok)
		set_value(p, slot, value);
	p->score.bad += !ok || (kind == VOCAB_GFP && value & RL_GFP(UNKNOWN));
}

/* Where " key=" of a known key begins behind @from, or the end. */
static const char *next_known_key(const struct parse *p, const char *from)
{
	const char *blank = from;
	enum vocab_form form;

	while ((blank = memchr(blank, ' ', (size_t)(p->end - blank)))) {
		const char *key = blank + 1, *at = key;

		while (at < p->end && is_key_char(*at))
			at++;
		if (at > key && at < p->end && *at == '=' &&
		    vocab_key_form(p->ev->id, key, (size_t)(at - key), &form) >= 0)
			return blank;
		blank++;
	}
	return p->end;
}

/* A text runs to the next known key; where that key comes again, the text held it, too. */
static const char *string_end(const struct parse *p, const char *value)
{
	const char *end = next_known_key(p, value), *again = end, *key = end + 1;
	size_t len;

	if (end == p->end)
		return end;
	len = (size_t)((const char *)memchr(key, '=', (size_t)(p->end - key)) - key) + 1;
	while (again < p->end) {
		again = next_known_key(p, again + 1);
		if (again < p->end && (size_t)(p->end - again) > len &&
		    !memcmp(again + 1, key, len))
			end = again;
	}
	return end;
}

static const char *word_end(const char *at, const char *end)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at));

	return blank ? blank : end;
}

static const char *value_end(const struct parse *p, int slot, enum vocab_form form,
			     const char *value)
{
	const char *close;
	enum vocab_kind kind = slot < 0 ? VOCAB_INT : p->entry->fields[slot].kind;

	if (form == VOCAB_FORM_RANGE && value < p->end && *value == '(') {
		close = memchr(value, ')', (size_t)(p->end - value));
		return close ? close + 1 : p->end;
	}
	if (kind == VOCAB_STRING)
		return string_end(p, value);
	return kind == VOCAB_PAGE ? p->end : word_end(value, p->end);
}

/* Keys without a slot that are no sign of damage: addresses of pages, literals. */
static bool is_passed_over(const char *key, size_t len)
{
	static const char *const keys[] = { "page",	   "folio", "mm",   "order",  "memcg_path",
					    "fragmenting", "file",  "name", "success" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i]) == len && !memcmp(keys[i], key, len))
			return true;
	return false;
}

static bool is_null_pointer(const char *text, size_t len)
{
	if (len && text[0] == '(')
		return len > 2 && text[1] == 'n';
	for (size_t i = 0; i < len; i++)
		if (text[i] != '0' && text[i] != 'x')
			return false;
	return len > 0;
}

static void take_pair(struct parse *p, const char *key, size_t key_len, const char *value)
{
	enum vocab_form form = VOCAB_FORM_PLAIN;
	int slot = find_key(p, key, key_len, &form);
	const char *end = value_end(p, slot, form, value);
	size_t len = (size_t)(end - value);

	p->at = end;
	if (slot < 0) {
		p->score.bad += !is_passed_over(key, key_len);
		p->null_page |=
			key_len == 4 && !memcmp(key, "page", 4) && is_null_pointer(value, len);
		return;
	}
	if (len && value[len - 1] == ',')
		len--;
	set_slot(p, (unsigned int)slot, form, value, len);
}

/* "dev 8:1 ino 2f", "bdi 8:0:": a known key and its value with a blank between them. */
static bool take_spaced_pair(struct parse *p, const char *key, size_t key_len, const char *value)
{
	enum vocab_form form = VOCAB_FORM_PLAIN;
	const char *end;
	int slot = find_key(p, key, key_len, &form);

	if (slot < 0 || value >= p->end)
		return false;
	end = word_end(value, p->end);
	p->at = end;
	if (end > value && end[-1] == ':')
		end--;
	set_slot(p, (unsigned int)slot, form, value, (size_t)(end - value));
	return true;
}

/* A word that is no key: "[FAILED TO PARSE]", "(ffffffff81234567)", "==>". */
static void pass_word(struct parse *p)
{
	const char *close = NULL;

	if (*p->at == '[')
		close = memchr(p->at, ']', (size_t)(p->end - p->at));
	else if (*p->at == '(')
		close = memchr(p->at, ')', (size_t)(p->end - p->at));
	else
		p->score.bad += is_key_char(*p->at);
	p->at = close ? close + 1 : word_end(p->at, p->end);
}

static void parse_keys(struct parse *p)
{
	while (p->at < p->end) {
		const char *key = p->at, *at = key;

		if (*key == ' ' || *key == ',' || *key == '\t') {
			p->at++;
			continue;
		}
		while (at < p->end && is_key_char(*at))
			at++;
		if (at > key && at < p->end && *at == '=')
			take_pair(p, key, (size_t)(at - key), at + 1);
		else if (at > key && at + 1 < p->end && *at == ':' && at[1] != ' ')
			take_pair(p, key, (size_t)(at - key), at + 1);
		else if (at == key || at == p->end || *at != ' ' ||
			 !take_spaced_pair(p, key, (size_t)(at - key), at + 1))
			pass_word(p);
	}
}

static int slot_by_name(const struct vocab_entry *entry, const char *name)
{
	for (unsigned int i = 0; i < entry->nr_fields; i++)
		if (!strcmp(entry->fields[i].name, name))
			return (int)i;
	return -1;
}

static void take_groups(struct parse *p, const struct text_match *match)
{
	for (unsigned int i = 0; i < match->nr_groups; i++) {
		const char *name = match->group[i].name;
		struct event_string text = match->group[i].text;
		enum vocab_form form = VOCAB_FORM_PLAIN;
		int slot = slot_by_name(p->entry, name);

		if (slot < 0)
			slot = vocab_key_form(p->ev->id, name, strlen(name), &form);
		if (slot >= 0 && text.text)
			set_slot(p, (unsigned int)slot, form, text.text, text.len);
	}
}

static bool parse_body(struct parse *p, enum vocab_id id)
{
	struct text_match match;

	if (!p->args->has_body[id])
		return false;
	if (!text_match_event(p->args->patterns, PATTERN_BODY, id, p->at, (size_t)(p->end - p->at),
			      &match))
		return false;
	take_groups(p, &match);
	return true;
}

static void parse_begin(struct parse *p, struct text_args *args, enum vocab_id id, struct event *ev)
{
	*p = (struct parse){ .args = args, .entry = vocab_entry(id), .ev = ev };
	ev->id = (uint16_t)id;
	ev->have = 0;
}

/* A failed allocation prints no page and frame 0. */
static void complete(const struct parse *p)
{
	struct event *ev = p->ev;

	if (p->null_page && ev->id == VOCAB_mm_page_alloc && event_has(ev, mm_page_alloc_pfn) &&
	    !ev->value[mm_page_alloc_pfn])
		ev->value[mm_page_alloc_pfn] = -1;
	vocab_complete(ev);
}

struct text_score text_args_parse(struct text_args *args, enum vocab_id id, const char *text,
				  size_t len, struct event *ev)
{
	struct parse p;

	parse_begin(&p, args, id, ev);
	while (len && (text[len - 1] == '\r' || text[len - 1] == '\n'))
		len--;
	p.at = text;
	p.end = text + len;
	if (!parse_body(&p, id))
		parse_keys(&p);
	complete(&p);
	return p.score;
}

struct text_score text_args_log(struct text_args *args, const struct text_match *match,
				struct event *ev)
{
	struct parse p;

	parse_begin(&p, args, match->pattern->id, ev);
	take_groups(&p, match);
	return p.score;
}
