/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/vocabulary/print_format.h"

#include <string.h>

#define DEPTH_MAX 200

/* A recursive descent over the operators of C, loosest first. */
struct evaluator {
	const char *at;
	const char *end;
	const struct text_span *field;
	int64_t value;
	unsigned int depth;
	bool failed;
};

static int64_t eval_ternary(struct evaluator *e);

static int64_t eval_fail(struct evaluator *e)
{
	e->failed = true;
	e->at = e->end;
	return 0;
}

static void eval_blanks(struct evaluator *e)
{
	while (e->at < e->end && strchr(" \t\n", *e->at) && *e->at)
		e->at++;
}

static bool eval_operator(struct evaluator *e, const char *op)
{
	size_t len = strlen(op);

	eval_blanks(e);
	if ((size_t)(e->end - e->at) < len || memcmp(e->at, op, len))
		return false;
	e->at += len;
	return true;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static struct text_span eval_name(struct evaluator *e)
{
	struct text_span name = { e->at, 0 };

	while (e->at < e->end && is_name(*e->at))
		e->at++;
	name.len = (size_t)(e->at - name.text);
	return name;
}

static int64_t eval_number(struct evaluator *e)
{
	struct text_span text = eval_name(e);
	uint64_t n = 0, base = 10;
	size_t i = 0;

	while (text.len && strchr("uUlL", text.text[text.len - 1]))
		text.len--;
	if (text.len > 2 && text.text[0] == '0' && (text.text[1] | 0x20) == 'x') {
		base = 16;
		i = 2;
	} else if (text.len > 1 && text.text[0] == '0') {
		base = 8;
	}
	for (; i < text.len; i++) {
		char c = text.text[i];
		uint64_t digit = c <= '9' ? (uint64_t)(c - '0') : (uint64_t)((c | 0x20) - 'a' + 10);

		if (digit >= base || __builtin_mul_overflow(n, base, &n) ||
		    __builtin_add_overflow(n, digit, &n))
			return eval_fail(e);
	}
	return (int64_t)n;
}

static int64_t eval_string(struct evaluator *e)
{
	const char *begin = ++e->at;

	while (e->at < e->end && *e->at != '"')
		e->at += *e->at == '\\' ? 2 : 1;
	if (e->at >= e->end)
		return eval_fail(e);
	e->at++;
	return e->at - 1 > begin;
}

static int64_t eval_record(struct evaluator *e)
{
	struct text_span name;

	if (!eval_operator(e, "->"))
		return eval_fail(e);
	eval_blanks(e);
	name = eval_name(e);
	if (!e->field || name.len != e->field->len || memcmp(name.text, e->field->text, name.len))
		return eval_fail(e);
	return e->value;
}

/* Behind a parenthesis: "struct page *)" and the like; steps over it. */
static bool eval_cast(struct evaluator *e)
{
	const char *begin = e->at;
	bool any = false;

	for (;;) {
		eval_blanks(e);
		if (e->at < e->end && *e->at == '*') {
			e->at++;
			continue;
		}
		if (e->at == e->end || !is_name(*e->at) || (*e->at >= '0' && *e->at <= '9'))
			break;
		if (span_equal(eval_name(e), "REC"))
			break;
		any = true;
	}
	if (any && eval_operator(e, ")")) {
		eval_blanks(e);
		if (e->at < e->end && (is_name(*e->at) || strchr("(-~!", *e->at)))
			return true;
	}
	e->at = begin;
	return false;
}

static int64_t eval_unary(struct evaluator *e)
{
	int64_t value;

	if (++e->depth > DEPTH_MAX)
		return eval_fail(e);
	eval_blanks(e);
	if (e->at == e->end) {
		value = eval_fail(e);
	} else if (*e->at == '~') {
		e->at++;
		value = ~eval_unary(e);
	} else if (*e->at == '!') {
		e->at++;
		value = !eval_unary(e);
	} else if (*e->at == '-') {
		e->at++;
		value = (int64_t) - (uint64_t)eval_unary(e);
	} else if (*e->at == '(') {
		e->at++;
		if (eval_cast(e)) {
			value = eval_unary(e);
		} else {
			value = eval_ternary(e);
			if (!eval_operator(e, ")"))
				value = eval_fail(e);
		}
	} else if (*e->at == '"') {
		value = eval_string(e);
	} else if (*e->at >= '0' && *e->at <= '9') {
		value = eval_number(e);
	} else if (span_equal(eval_name(e), "REC")) {
		value = eval_record(e);
	} else {
		value = eval_fail(e);
	}
	e->depth--;
	return value;
}

static int64_t eval_product(struct evaluator *e)
{
	int64_t value = eval_unary(e);

	for (;;) {
		if (eval_operator(e, "*")) {
			value = (int64_t)((uint64_t)value * (uint64_t)eval_unary(e));
		} else if (eval_operator(e, "/") || eval_operator(e, "%")) {
			bool modulo = e->at[-1] == '%';
			int64_t by = eval_unary(e);

			if (by <= 0)
				return eval_fail(e);
			value = modulo ? value % by : value / by;
		} else {
			return value;
		}
	}
}

static int64_t eval_sum(struct evaluator *e)
{
	int64_t value = eval_product(e);

	for (;;) {
		eval_blanks(e);
		if (e->end - e->at >= 2 && !memcmp(e->at, "->", 2))
			return eval_fail(e);
		if (eval_operator(e, "+"))
			value = (int64_t)((uint64_t)value + (uint64_t)eval_product(e));
		else if (eval_operator(e, "-"))
			value = (int64_t)((uint64_t)value - (uint64_t)eval_product(e));
		else
			return value;
	}
}

static int64_t eval_shift(struct evaluator *e)
{
	int64_t value = eval_sum(e);

	for (;;) {
		bool left = eval_operator(e, "<<");
		int64_t by;

		if (!left && !eval_operator(e, ">>"))
			return value;
		by = eval_sum(e);
		if (by < 0 || by > 63)
			return eval_fail(e);
		value = (int64_t)(left ? (uint64_t)value << by : (uint64_t)value >> by);
	}
}

static int64_t eval_relation(struct evaluator *e)
{
	int64_t value = eval_shift(e);

	for (;;) {
		if (eval_operator(e, "<="))
			value = value <= eval_shift(e);
		else if (eval_operator(e, ">="))
			value = value >= eval_shift(e);
		else if (eval_operator(e, "<"))
			value = value < eval_shift(e);
		else if (eval_operator(e, ">"))
			value = value > eval_shift(e);
		else if (eval_operator(e, "=="))
			value = value == eval_shift(e);
		else if (eval_operator(e, "!="))
			value = value != eval_shift(e);
		else
			return value;
	}
}

/* "&" but not "&&". */
static bool eval_bit_operator(struct evaluator *e, char op)
{
	eval_blanks(e);
	if (e->at == e->end || *e->at != op || (e->end - e->at > 1 && e->at[1] == op))
		return false;
	e->at++;
	return true;
}

static int64_t eval_and(struct evaluator *e)
{
	int64_t value = eval_relation(e);

	while (eval_bit_operator(e, '&'))
		value &= eval_relation(e);
	return value;
}

static int64_t eval_xor(struct evaluator *e)
{
	int64_t value = eval_and(e);

	while (eval_bit_operator(e, '^'))
		value ^= eval_and(e);
	return value;
}

static int64_t eval_or(struct evaluator *e)
{
	int64_t value = eval_xor(e);

	while (eval_bit_operator(e, '|'))
		value |= eval_xor(e);
	return value;
}

static int64_t eval_logic(struct evaluator *e)
{
	int64_t value = eval_or(e);

	for (;;) {
		if (eval_operator(e, "&&"))
			value = (eval_or(e) != 0) & (value != 0);
		else if (eval_operator(e, "||"))
			value = (eval_or(e) != 0) | (value != 0);
		else
			return value;
	}
}

static int64_t eval_ternary(struct evaluator *e)
{
	int64_t condition, yes, no;

	if (++e->depth > DEPTH_MAX)
		return eval_fail(e);
	condition = eval_logic(e);
	if (eval_operator(e, "?")) {
		yes = eval_ternary(e);
		if (!eval_operator(e, ":"))
			return eval_fail(e);
		no = eval_ternary(e);
		condition = condition ? yes : no;
	}
	e->depth--;
	return condition;
}

bool print_evaluate(struct text_span expression, const struct text_span *field, int64_t value,
		    int64_t *result)
{
	struct evaluator e = {
		.at = expression.text,
		.end = expression.text + expression.len,
		.field = field,
		.value = value,
	};

	*result = eval_ternary(&e);
	eval_blanks(&e);
	return !e.failed && e.at == e.end;
}

/*
 * Step over one argument: to the comma, closing bracket or end that ends it at its own level.
 * Strings are stepped over whole.
 */
static struct text_span scan_argument(const char **at, const char *end)
{
	const char *p = *at;
	int level = 0;
	struct text_span argument = { p, 0 };

	for (; p < end; p++) {
		if (*p == '"') {
			for (p++; p < end && *p != '"'; p++)
				if (*p == '\\')
					p++;
			if (p >= end)
				p = end - 1;
		} else if (strchr("([{", *p) && *p) {
			level++;
		} else if (strchr(")]}", *p) && *p) {
			if (!level)
				break;
			level--;
		} else if (*p == ',' && !level) {
			break;
		}
	}
	argument.len = (size_t)(p - argument.text);
	*at = p;
	return argument;
}

static bool has_field(struct text_span text, struct text_span field)
{
	const char *at = text.text, *end = text.text + text.len;

	while ((at = memmem(at, (size_t)(end - at), "REC->", 5))) {
		at += 5;
		if ((size_t)(end - at) >= field.len && !memcmp(at, field.text, field.len) &&
		    ((size_t)(end - at) == field.len || !is_name(at[field.len])))
			return true;
	}
	return false;
}

static bool skip_comma(const char **at, const char *end)
{
	if (*at >= end || **at != ',')
		return false;
	(*at)++;
	return true;
}

/* One "{ number, "name" }"; @at stands in front of it. */
static bool table_entry(const char **at, const char *end, print_entry_fn each, void *ctx)
{
	struct text_span number, name;
	int64_t value = 0;
	bool known;

	while (*at < end && strchr(" \t\n,", **at) && **at)
		(*at)++;
	if (*at >= end || **at != '{')
		return false;
	(*at)++;
	number = scan_argument(at, end);
	if (!skip_comma(at, end))
		return false;
	name = scan_argument(at, end);
	if (*at >= end || **at != '}')
		return false;
	(*at)++;
	while (name.len && *name.text != '"') {
		name.text++;
		name.len--;
	}
	while (name.len && name.text[name.len - 1] != '"')
		name.len--;
	if (name.len < 2)
		return true;
	name.text++;
	name.len -= 2;
	known = print_evaluate(number, NULL, 0, &value);
	each(ctx, known, value, name);
	return true;
}

static const char *find_call(const char *at, const char *end, bool *flags)
{
	static const char prefix[] = "__print_";
	struct text_span name;

	while ((at = memmem(at, (size_t)(end - at), prefix, sizeof(prefix) - 1))) {
		at += sizeof(prefix) - 1;
		name.text = at;
		while (at < end && is_name(*at))
			at++;
		name.len = (size_t)(at - name.text);
		*flags = span_equal(name, "flags") || span_equal(name, "flags_u64");
		if (!*flags && !span_equal(name, "symbolic") && !span_equal(name, "symbolic_u64"))
			continue;
		while (at < end && *at == ' ')
			at++;
		if (at < end && *at == '(')
			return at + 1;
	}
	return NULL;
}

unsigned int print_table(struct text_span print, struct text_span field, print_entry_fn each,
			 void *ctx)
{
	const char *at = print.text, *end = print.text + print.len;
	unsigned int entries = 0;
	bool flags;

	while ((at = find_call(at, end, &flags))) {
		struct text_span argument = scan_argument(&at, end);

		if (!has_field(argument, field))
			continue;
		if (flags && skip_comma(&at, end))
			scan_argument(&at, end);
		while (table_entry(&at, end, each, ctx))
			entries++;
		if (entries)
			break;
	}
	return entries;
}

/* Step over the format string: adjacent literals, up to the comma behind them. */
static struct text_span format_string(const char **at, const char *end)
{
	struct text_span string = scan_argument(at, end);

	skip_comma(at, end);
	return string;
}

/* Length of a conversion at @p behind its '%', 0 for "%%". */
static size_t conversion_length(const char *p, const char *end)
{
	const char *begin = p;

	if (p < end && *p == '%')
		return 0;
	while (p < end && strchr("-+ #0123456789.*hlLqzjt", *p) && *p)
		p++;
	return (size_t)(p - begin) + 1;
}

/* The number of the conversion behind "@key=", or -1. */
static int conversion_of_key(struct text_span string, const char *key, size_t len)
{
	const char *p = string.text, *end = p + string.len;
	int nr = 0;

	for (; p < end; p++) {
		size_t skip;

		if (*p != '%')
			continue;
		skip = conversion_length(p + 1, end);
		if (!skip) {
			p++;
			continue;
		}
		if ((size_t)(p - string.text) > len + 1 && p[-1] == '=' &&
		    !memcmp(p - 1 - len, key, len) && !is_name(p[-2 - (long)len]))
			return nr;
		nr++;
		p += skip;
	}
	return -1;
}

static struct text_span argument_at(const char *at, const char *end, int nr)
{
	struct text_span argument = { "", 0 };

	for (int i = 0; i <= nr; i++) {
		if (i && !skip_comma(&at, end))
			return (struct text_span){ "", 0 };
		argument = scan_argument(&at, end);
	}
	return argument;
}

struct text_span print_argument(struct text_span print, const char *key, size_t len)
{
	const char *at = print.text, *end = print.text + print.len;
	struct text_span string = format_string(&at, end);
	int nr = conversion_of_key(string, key, len);

	return nr < 0 ? (struct text_span){ "", 0 } : argument_at(at, end, nr);
}

struct text_span print_plus_argument(struct text_span print)
{
	const char *at = print.text, *end = print.text + print.len;

	format_string(&at, end);
	while (at < end) {
		struct text_span argument = scan_argument(&at, end);

		if (memmem(argument.text, argument.len, "\"+\"", 3))
			return argument;
		if (!skip_comma(&at, end))
			break;
	}
	return (struct text_span){ "", 0 };
}
