/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diskstats, pressure stall information and uptime. */
#include <stdio.h>
#include <string.h>

#include "capture/read/counters_private.h"

/* Fields of /proc/diskstats behind the name (Documentation/admin-guide/iostats.rst). */
static const struct {
	const char *name, *unit;
	bool cumulative;
} disk_fields[] = {
	{ "reads", "", true },
	{ "reads_merged", "", true },
	{ "read_sectors", "sectors", true },
	{ "read_time", "ms", true },
	{ "writes", "", true },
	{ "writes_merged", "", true },
	{ "write_sectors", "sectors", true },
	{ "write_time", "ms", true },
	{ "in_flight", "", false },
	{ "io_time", "ms", true },
	{ "weighted_io_time", "ms", true },
	{ "discards", "", true },
	{ "discards_merged", "", true },
	{ "discard_sectors", "sectors", true },
	{ "discard_time", "ms", true },
	{ "flushes", "", true },
	{ "flush_time", "ms", true },
};

int counters_line_diskstats(struct counters_parser *p, struct counters_word line)
{
	struct counters_word name;
	char scope[64];
	int64_t value;
	int ret = 0;

	if (!counters_number(counters_word(&line), &value) ||
	    !counters_number(counters_word(&line), &value))
		return 0;
	name = counters_word(&line);
	if (!name.len || name.len >= sizeof(scope))
		return 0;
	snprintf(scope, sizeof(scope), "%.*s", (int)name.len, name.text);
	for (size_t i = 0; i < sizeof(disk_fields) / sizeof(disk_fields[0]) && !ret; i++) {
		if (!counters_number(counters_word(&line), &value))
			break;
		ret = counters_put(p, scope, disk_fields[i].name, disk_fields[i].unit,
				   disk_fields[i].cumulative, value);
	}
	return ret;
}

/* "12.34" as 1234. */
static bool hundredths(struct counters_word word, int64_t *value)
{
	const char *dot = memchr(word.text, '.', word.len);
	struct counters_word whole, part;
	int64_t fraction;

	if (!dot || word.len - (size_t)(dot - word.text) != 3)
		return false;
	whole = (struct counters_word){ word.text, (size_t)(dot - word.text) };
	part = (struct counters_word){ dot + 1, 2 };
	if (!counters_number(whole, value) || !counters_number(part, &fraction) ||
	    *value > INT64_MAX / 1000 || *value < 0)
		return false;
	*value = *value * 100 + fraction;
	return true;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" */
int counters_line_psi(struct counters_parser *p, struct counters_word line)
{
	struct counters_word kind = counters_word(&line), word;
	int ret = 0;

	if (!counters_is(kind, "some") && !counters_is(kind, "full"))
		return 0;
	while ((word = counters_word(&line)).len && !ret) {
		const char *equal = memchr(word.text, '=', word.len);
		struct counters_word key, number;
		char name[64];
		int64_t value;
		bool total;

		if (!equal)
			continue;
		key = (struct counters_word){ word.text, (size_t)(equal - word.text) };
		number = (struct counters_word){ equal + 1, word.len - key.len - 1 };
		total = counters_is(key, "total");
		if (total ? !counters_number(number, &value) : !hundredths(number, &value))
			continue;
		snprintf(name, sizeof(name), "%.4s_%.*s", kind.text, (int)(key.len & 31), key.text);
		ret = counters_put(p, p->scope, name, total ? "us" : "1/100 %", total, value);
	}
	return ret;
}

/* "49.24 6.95": uptime and idle time. */
int counters_line_uptime(struct counters_parser *p, struct counters_word line)
{
	int64_t value;

	if (!hundredths(counters_word(&line), &value) || value > INT64_MAX / 10000000)
		return 0;
	return counters_put(p, "", "uptime", "ns", true, value * 10000000);
}
