/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the request queues of disks (/sys/block/DISK/queue), a line each. */
#include <stdio.h>
#include <string.h>

#include "capture/read/counters_private.h"

static bool is_name(struct counters_word word, char *name, size_t size)
{
	if (!word.len || word.len >= size)
		return false;
	snprintf(name, size, "%.*s", (int)word.len, word.text);
	return true;
}

/* "[none] mq-deadline kyber": the one in brackets, or the only one. */
static bool chosen(struct counters_word line, struct counters_word *word)
{
	struct counters_word first = counters_word(&line), next;

	for (next = first; next.len; next = counters_word(&line))
		if (next.len > 2 && next.text[0] == '[' && next.text[next.len - 1] == ']') {
			*word = (struct counters_word){ next.text + 1, next.len - 2 };
			return true;
		}
	*word = first;
	return first.len > 0;
}

bool counters_is_queue(struct counters_word line)
{
	static const char *const keys[] = { "rotational",  "wbt_lat_usec", "write_cache",
					    "nr_requests", "scheduler",	   "hw_queues" };
	struct counters_word device = counters_word(&line), key = counters_word(&line);

	if (!device.len || !counters_word(&line).len)
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (counters_is(key, keys[i]))
			return true;
	return false;
}

int counters_line_queue(struct counters_parser *p, struct counters_word line)
{
	struct counters_word key, value;
	char scope[64], name[96];
	const char *unit = "";
	int64_t number;

	if (!counters_is_queue(line) || !is_name(counters_word(&line), scope, sizeof(scope)))
		return 0;
	key = counters_word(&line);
	if (!is_name(key, name, 64))
		return 0;
	if (counters_is(key, "scheduler")) {
		if (!chosen(line, &value) || value.len > 31)
			return 0;
		snprintf(name, sizeof(name), "scheduler.%.*s", (int)value.len, value.text);
		return counters_put(p, scope, name, "", false, 1);
	}
	if (counters_is(key, "write_cache")) {
		counters_word(&line);
		value = counters_word(&line);
		if (!counters_is(value, "back") && !counters_is(value, "through"))
			return 0;
		return counters_put(p, scope, name, "", false, counters_is(value, "back"));
	}
	if (!counters_number(counters_word(&line), &number))
		return 0;
	if (counters_is(key, "wbt_lat_usec"))
		unit = "us";
	return counters_put(p, scope, name, unit, false, number);
}
