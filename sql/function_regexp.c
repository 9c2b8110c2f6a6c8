/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions are PCRE2's, compiled to machine code. A pattern that is the same for all
 * rows of a query is compiled once and hangs on the statement. Texts may hold anything: bytes that
 * are no UTF-8 match nothing but do not fail, and a match that takes too long is an error.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "sql/functions.h"

#define MATCH_LIMIT 2000000 /* steps of one match */
#define HEAP_LIMIT  20000   /* KiB of one match */

struct pattern {
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *limits;
};

static void pattern_free(void *data)
{
	struct pattern *pattern = data;

	if (!pattern)
		return;
	pcre2_match_context_free(pattern->limits);
	pcre2_match_data_free(pattern->match);
	pcre2_code_free(pattern->code);
	free(pattern);
}

static void say_where(sqlite3_context *context, int error, size_t offset)
{
	PCRE2_UCHAR text[160];
	char *line;

	if (pcre2_get_error_message(error, text, sizeof(text)) < 0)
		text[0] = '\0';
	line = sqlite3_mprintf("regexp: offset %llu of the pattern: %s", (unsigned long long)offset,
			       text);
	if (line)
		sqlite3_result_error(context, line, -1);
	else
		sqlite3_result_error_nomem(context);
	sqlite3_free(line);
}

static struct pattern *pattern_new(sqlite3_context *context, sqlite3_value *arg)
{
	struct pattern *pattern = calloc(1, sizeof(*pattern));
	const unsigned char *text = sqlite3_value_text(arg);
	size_t offset = 0;
	int error = 0;

	if (!pattern || !text)
		goto no_memory;
	pattern->code = pcre2_compile(text, (size_t)sqlite3_value_bytes(arg),
				      PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &offset, NULL);
	if (!pattern->code) {
		say_where(context, error, offset);
		pattern_free(pattern);
		return NULL;
	}
	/* Where there is no machine code for this CPU, the interpreter does the same. */
	pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
	pattern->match = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	pattern->limits = pcre2_match_context_create(NULL);
	if (!pattern->match || !pattern->limits)
		goto no_memory;
	pcre2_set_match_limit(pattern->limits, MATCH_LIMIT);
	pcre2_set_heap_limit(pattern->limits, HEAP_LIMIT);
	return pattern;

no_memory:
	pattern_free(pattern);
	sqlite3_result_error_nomem(context);
	return NULL;
}

/* Match argument @text with the pattern in argument @at: PCRE2's result, or 0 with an error set. */
static int match(sqlite3_context *context, sqlite3_value **argv, int at, int text,
		 struct pattern **pattern)
{
	const unsigned char *subject = sqlite3_value_text(argv[text]);
	int ret;

	*pattern = sqlite3_get_auxdata(context, at);
	if (!*pattern) {
		*pattern = pattern_new(context, argv[at]);
		if (!*pattern)
			return 0;
		sqlite3_set_auxdata(context, at, *pattern, pattern_free);
		/* SQLite may have freed it at once. */
		*pattern = sqlite3_get_auxdata(context, at);
	}
	if (!*pattern || !subject) {
		sqlite3_result_error_nomem(context);
		return 0;
	}
	ret = pcre2_match((*pattern)->code, subject, (size_t)sqlite3_value_bytes(argv[text]), 0, 0,
			  (*pattern)->match, (*pattern)->limits);
	if (ret > 0 || ret == PCRE2_ERROR_NOMATCH)
		return ret;
	sqlite3_result_error(context, "regexp: the pattern takes too long to match", -1);
	return 0;
}

static int any_null(int argc, sqlite3_value **argv)
{
	for (int i = 0; i < argc; i++)
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			return 1;
	return 0;
}

static void regexp(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct pattern *pattern;
	int ret;

	if (any_null(argc, argv))
		return;
	ret = match(context, argv, 0, 1, &pattern);
	if (ret)
		sqlite3_result_int(context, ret > 0);
}

static void regexp_extract(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct pattern *pattern;
	const unsigned char *text;
	uint32_t groups = 0;
	size_t *at;
	int64_t group;

	if (any_null(argc, argv) || match(context, argv, 1, 0, &pattern) <= 0)
		return;
	pcre2_pattern_info(pattern->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	group = argc > 2 ? sqlite3_value_int64(argv[2]) : groups > 0;
	if (group < 0 || group > groups) {
		sqlite3_result_error(context, "regexp_extract: the pattern has no such group", -1);
		return;
	}
	at = pcre2_get_ovector_pointer(pattern->match) + 2 * group;
	text = sqlite3_value_text(argv[0]);
	if (at[0] != PCRE2_UNSET && at[0] <= at[1])
		sqlite3_result_text(context, (const char *)text + at[0], (int)(at[1] - at[0]),
				    SQLITE_TRANSIENT);
}

const struct sql_function regexp_functions[] = {
	{ .name = "regexp",
	  .nr_args = 2,
	  .usage = "text REGEXP pattern, regexp(pattern, text)",
	  .doc = "1 where the PCRE2 pattern matches somewhere in the text",
	  .call = regexp },
	{ .name = "regexp_extract",
	  .nr_args = 2,
	  .usage = "regexp_extract(text, pattern)",
	  .doc = "what the pattern's first group matched (all of it without groups), or NULL",
	  .call = regexp_extract },
	{ .name = "regexp_extract",
	  .nr_args = 3,
	  .usage = "regexp_extract(text, pattern, group)",
	  .doc = "what a group of the pattern matched; 0 is all of it",
	  .call = regexp_extract },
	{ .name = NULL },
};
