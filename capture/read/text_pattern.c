/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/text_pattern.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define MATCH_LIMIT 100000
#define JIT_AFTER   32 /* matches: a small input is done before that pays */

static const struct text_pattern table[] = {
#define PREFIX(name, source) { PATTERN_PREFIX, name, TEXT_NONE, VOCAB_UNKNOWN, "", source },
#define PREFIX_LATE(name, source)                                                                  \
	{ PATTERN_PREFIX_LATE, name, TEXT_NONE, VOCAB_UNKNOWN, "", source },
#define LAYOUT(name, form, source) { PATTERN_LAYOUT, name, TEXT_##form, VOCAB_UNKNOWN, "", source },
#define LAYOUT_LAST(name, form, source)                                                            \
	{ PATTERN_LAYOUT_LAST, name, TEXT_##form, VOCAB_UNKNOWN, "", source },
#define LOG(event, source)	  { PATTERN_LOG, #event, TEXT_NONE, VOCAB_##event, "", source },
#define BODY(event, source)	  { PATTERN_BODY, #event, TEXT_NONE, VOCAB_##event, "", source },
#define LOSS(name, kind, source)  { PATTERN_LOSS, name, TEXT_NONE, VOCAB_UNKNOWN, kind, source },
#define NOISE(name, form, source) { PATTERN_NOISE, name, TEXT_##form, VOCAB_UNKNOWN, "", source },
#define DUMP(name, source)	  { PATTERN_DUMP, name, TEXT_NONE, VOCAB_UNKNOWN, "", source },
#define REFUSED(name, source, advice)                                                              \
	{ PATTERN_REFUSED, name, TEXT_NONE, VOCAB_UNKNOWN, advice, source },
#define CUT(short, whole)
#define PROOF(event, slot)
#include "capture/read/text_layouts.def"
#undef PREFIX
#undef PREFIX_LATE
#undef LAYOUT
#undef LAYOUT_LAST
#undef LOG
#undef BODY
#undef LOSS
#undef NOISE
#undef DUMP
#undef REFUSED
#undef CUT
#undef PROOF
};

/* For the two kinds of entry that are no patterns. */
#define PREFIX(name, source)
#define PREFIX_LATE(name, source)
#define LAYOUT(name, form, source)
#define LAYOUT_LAST(name, form, source)
#define LOG(event, source)
#define BODY(event, source)
#define LOSS(name, kind, source)
#define NOISE(name, form, source)
#define DUMP(name, source)
#define REFUSED(name, source, advice)

static const struct {
	const char *cut, *whole;
} cut_names[] = {
#define CUT(cut, whole) { cut, whole },
#define PROOF(event, slot)
#include "capture/read/text_layouts.def"
#undef CUT
#undef PROOF
};

static const struct {
	enum vocab_id id;
	unsigned int slot;
} proofs[] = {
#define CUT(cut, whole)
#define PROOF(event, slot) { VOCAB_##event, event##_##slot },
#include "capture/read/text_layouts.def"
};

#define NR_PATTERNS (sizeof(table) / sizeof(table[0]))

struct group_name {
	const char *name;
	unsigned int number;
};

struct text_patterns {
	pcre2_code *code[NR_PATTERNS];
	struct group_name group[NR_PATTERNS][TEXT_GROUPS];
	unsigned int nr_groups[NR_PATTERNS];
	unsigned int uses[NR_PATTERNS];
	pcre2_match_data *data;
	pcre2_match_context *context;
};

const struct text_pattern *text_pattern_at(unsigned int i)
{
	return i < NR_PATTERNS ? &table[i] : NULL;
}

static void read_groups(struct text_patterns *patterns, unsigned int i)
{
	uint32_t count = 0, size = 0;
	PCRE2_SPTR names = NULL;

	pcre2_pattern_info(patterns->code[i], PCRE2_INFO_NAMECOUNT, &count);
	pcre2_pattern_info(patterns->code[i], PCRE2_INFO_NAMEENTRYSIZE, &size);
	pcre2_pattern_info(patterns->code[i], PCRE2_INFO_NAMETABLE, &names);
	for (uint32_t n = 0; n < count && n < TEXT_GROUPS; n++, names += size) {
		patterns->group[i][n].number = (unsigned int)names[0] << 8 | names[1];
		patterns->group[i][n].name = (const char *)names + 2;
		patterns->nr_groups[i]++;
	}
}

static bool compile(struct text_patterns *patterns, unsigned int i)
{
	PCRE2_SIZE offset;
	int error;

	patterns->code[i] = pcre2_compile((PCRE2_SPTR)table[i].source, PCRE2_ZERO_TERMINATED,
					  PCRE2_ANCHORED | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY,
					  &error, &offset, NULL);
	if (!patterns->code[i])
		return false;
	read_groups(patterns, i);
	return true;
}

struct text_patterns *text_patterns_new(void)
{
	struct text_patterns *patterns = calloc(1, sizeof(*patterns));

	if (!patterns)
		return NULL;
	patterns->data = pcre2_match_data_create(2 * TEXT_GROUPS, NULL);
	patterns->context = pcre2_match_context_create(NULL);
	if (!patterns->data || !patterns->context) {
		text_patterns_free(patterns);
		return NULL;
	}
	pcre2_set_match_limit(patterns->context, MATCH_LIMIT);
	return patterns;
}

bool text_patterns_compile(struct text_patterns *patterns)
{
	for (unsigned int i = 0; i < NR_PATTERNS; i++)
		if (!patterns->code[i] && !compile(patterns, i))
			return false;
	return true;
}

void text_patterns_free(struct text_patterns *patterns)
{
	if (!patterns)
		return;
	for (unsigned int i = 0; i < NR_PATTERNS; i++)
		pcre2_code_free(patterns->code[i]);
	pcre2_match_data_free(patterns->data);
	pcre2_match_context_free(patterns->context);
	free(patterns);
}

static bool match_one(struct text_patterns *patterns, unsigned int i, const char *text, size_t len,
		      struct text_match *match)
{
	PCRE2_SIZE *at;

	if (!patterns->code[i] && !compile(patterns, i))
		return false;
	/* Without JIT the interpreter does the same, slower. */
	if (patterns->uses[i]++ == JIT_AFTER)
		(void)pcre2_jit_compile(patterns->code[i], PCRE2_JIT_COMPLETE);
	if (pcre2_match(patterns->code[i], (PCRE2_SPTR)text, len, 0, 0, patterns->data,
			patterns->context) <= 0)
		return false;
	at = pcre2_get_ovector_pointer(patterns->data);
	match->pattern = &table[i];
	match->len = at[1];
	match->nr_groups = patterns->nr_groups[i];
	for (unsigned int n = 0; n < match->nr_groups; n++) {
		const struct group_name *group = &patterns->group[i][n];
		PCRE2_SIZE begin = at[2 * group->number], end = at[2 * group->number + 1];

		match->group[n].name = group->name;
		match->group[n].text = (struct event_string){ NULL, 0 };
		if (begin == PCRE2_UNSET)
			continue;
		match->group[n].text.text = text + begin;
		match->group[n].text.len = (uint32_t)(end - begin);
	}
	return true;
}

bool text_match_event(struct text_patterns *patterns, enum text_pattern_type type, enum vocab_id id,
		      const char *text, size_t len, struct text_match *match)
{
	for (unsigned int i = 0; i < NR_PATTERNS; i++)
		if (table[i].type == type && (id == VOCAB_UNKNOWN || table[i].id == id) &&
		    match_one(patterns, i, text, len, match))
			return true;
	return false;
}

bool text_match(struct text_patterns *patterns, enum text_pattern_type type, const char *text,
		size_t len, struct text_match *match)
{
	return text_match_event(patterns, type, VOCAB_UNKNOWN, text, len, match);
}

struct event_string text_group(const struct text_match *match, const char *name)
{
	for (unsigned int i = 0; i < match->nr_groups; i++)
		if (!strcmp(match->group[i].name, name))
			return match->group[i].text;
	return (struct event_string){ NULL, 0 };
}

struct event_string text_whole_name(struct event_string name)
{
	for (size_t i = 0; i < sizeof(cut_names) / sizeof(cut_names[0]); i++)
		if (name.len == strlen(cut_names[i].cut) &&
		    !memcmp(name.text, cut_names[i].cut, name.len))
			return (struct event_string){ cut_names[i].whole,
						      (uint32_t)strlen(cut_names[i].whole) };
	return name;
}

bool text_proves_gfp(const struct event *ev)
{
	for (size_t i = 0; i < sizeof(proofs) / sizeof(proofs[0]); i++)
		if (proofs[i].id == ev->id && event_has(ev, proofs[i].slot))
			return true;
	return false;
}
