/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hand-written scanner of the layouts "ftrace" and "perf script" of text_layouts.def. */
#include <string.h>

#include "capture/read/text_line.h"

#define COMM_MAX   15
#define NS_PER_SEC UINT64_C(1000000000)

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_alpha(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static inline bool is_name(char c)
{
	return is_alpha(c) || is_digit(c);
}

static inline const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

bool text_time(const char *text, size_t len, uint64_t *ts, bool *has_unit)
{
	const char *p = text, *end = text + len;
	uint64_t n = 0, fraction = 0, scale = NS_PER_SEC;

	for (; p < end && is_digit(*p); p++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return false;
	*has_unit = p < end;
	*ts = n;
	if (p == text || p == end)
		return p > text;
	if (*p++ != '.' || p == end || end - p > 9)
		return false;
	for (; p < end && is_digit(*p); p++) {
		scale /= 10;
		fraction += (uint64_t)(*p - '0') * scale;
	}
	return p == end && !__builtin_mul_overflow(n, NS_PER_SEC, ts) &&
	       !__builtin_add_overflow(*ts, fraction, ts);
}

static bool read_number(const char *p, const char *end, int32_t *number)
{
	uint32_t n = 0;

	if (p == end || end - p > 10)
		return false;
	for (; p < end; p++) {
		if (!is_digit(*p) || n > INT32_MAX / 10)
			return false;
		n = n * 10 + (uint32_t)(*p - '0');
	}
	*number = (int32_t)n;
	return n <= INT32_MAX;
}

/* "SEC.USEC:" at @p; *@at goes behind the colon. */
static bool scan_time(const char **at, const char *end, struct text_record *r)
{
	const char *p = *at, *begin = p;

	while (p < end && (is_digit(*p) || *p == '.'))
		p++;
	if (p == end || *p != ':' || !text_time(begin, (size_t)(p - begin), &r->ts, &r->has_unit))
		return false;
	r->has_ts = true;
	*at = p + 1;
	return true;
}

/* Flags such as "d..1." and blanks; nothing where a time stands already. */
static void scan_flags(const char **at, const char *end)
{
	const char *p = *at;

	while (p < end && (is_name(*p) || *p == '.' || *p == '#') && *p != '_')
		p++;
	if (p - *at < 3 || p - *at > 8 || p == end || *p != ' ')
		return;
	*at = skip_blanks(p, end);
}

/* "(+12)" of trace-cmd's --ts-diff. */
static void scan_difference(const char **at, const char *end)
{
	const char *p = *at, *digits;

	if (p == end || *p != '(')
		return;
	p++;
	p += p < end && *p == '+';
	p += p < end && *p == '-';
	digits = p;
	while (p < end && is_digit(*p))
		p++;
	if (p > digits && p < end && *p == ')')
		*at = skip_blanks(p + 1, end);
}

static void scan_period(const char **at, const char *end)
{
	const char *p = *at;

	while (p < end && is_digit(*p))
		p++;
	if (p > *at && p < end && *p == ' ')
		*at = skip_blanks(p, end);
}

/* "[system:]event:" and what follows it. */
static bool scan_event(const char *p, const char *end, struct text_record *r)
{
	const char *begin = p, *colon;

	r->system = (struct event_string){ "", 0 };
	if (p == end || !is_alpha(*p))
		return false;
	while (p < end && (is_name(*p) || *p == '-' || *p == '.'))
		p++;
	if (p == end || *p != ':')
		return false;
	colon = p;
	if (p + 1 < end && is_alpha(p[1])) {
		if (memchr(begin, '.', (size_t)(p - begin)))
			return false;
		r->system = (struct event_string){ begin, (uint32_t)(p - begin) };
		begin = ++p;
		while (p < end && (is_name(*p) || *p == '-' || *p == '.'))
			p++;
		if (p == end || *p != ':')
			return false;
		colon = p;
	}
	r->event = (struct event_string){ begin, (uint32_t)(colon - begin) };
	p = colon + 1;
	if (p < end && *p != ' ' && *p != '\t')
		return false;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	r->args = (struct event_string){ p, (uint32_t)(end - p) };
	return true;
}

/* "( 123)" or "(-----)" before @end; returns where it begins, @end where there is none. */
static const char *before_tgid(const char *begin, const char *end)
{
	const char *p = end;

	if (p == begin || p[-1] != ')')
		return end;
	p--;
	if (p > begin && p[-1] == '-')
		while (p > begin && p[-1] == '-')
			p--;
	else
		while (p > begin && is_digit(p[-1]))
			p--;
	if (p == end - 1)
		return end;
	while (p > begin && p[-1] == ' ')
		p--;
	return p > begin && p[-1] == '(' ? p - 1 : end;
}

static const char *trim_end(const char *begin, const char *end)
{
	while (end > begin && end[-1] == ' ')
		end--;
	return end;
}

static bool scan_task(const char *begin, const char *end, struct text_record *r)
{
	const char *digits, *tgid;

	end = trim_end(begin, end);
	tgid = before_tgid(begin, end);
	end = trim_end(begin, tgid);
	for (digits = end; digits > begin && is_digit(digits[-1]); digits--)
		;
	if (!read_number(digits, end, &r->pid) || digits == begin)
		return false;
	end = digits - 1;
	if (*end == '-') {
		r->form = TEXT_FTRACE;
	} else {
		if (*end == '/') {
			for (digits = end; digits > begin && is_digit(digits[-1]); digits--)
				;
			if (digits == end || digits == begin || digits[-1] != ' ')
				return false;
		} else if (*end != ' ') {
			return false;
		}
		r->form = TEXT_PERF;
		end = trim_end(begin, digits);
	}
	begin = skip_blanks(begin, end);
	r->comm = (struct event_string){ begin, (uint32_t)(end - begin) };
	return end - begin <= COMM_MAX;
}

/* A record whose "[cpu]" begins at @bracket. */
static bool scan_at(const char *begin, const char *bracket, const char *end, struct text_record *r)
{
	const char *p = bracket + 1, *digits = p;

	while (p < end && is_digit(*p))
		p++;
	if (p == end || *p != ']' || p - digits > 5 || !read_number(digits, p, &r->cpu) ||
	    p + 1 == end || p[1] != ' ' || bracket == begin || bracket[-1] != ' ')
		return false;
	p = skip_blanks(p + 1, end);
	if (!scan_task(begin, bracket, r))
		return false;
	if (r->form == TEXT_FTRACE)
		scan_flags(&p, end);
	if (!scan_time(&p, end, r) || p == end || *p != ' ')
		return false;
	p = skip_blanks(p, end);
	if (r->form == TEXT_FTRACE)
		scan_difference(&p, end);
	else
		scan_period(&p, end);
	return scan_event(p, end, r);
}

bool text_scan(const char *text, size_t len, struct text_record *r)
{
	const char *end = text + len, *bracket = text;

	while ((bracket = memchr(bracket, '[', (size_t)(end - bracket)))) {
		if (scan_at(text, bracket, end, r))
			return true;
		bracket++;
	}
	return false;
}
