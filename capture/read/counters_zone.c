/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zoneinfo, buddyinfo and pagetypeinfo: values by node and zone. */
#include <stdio.h>
#include <string.h>

#include "capture/read/counters_private.h"

static int as_int(struct counters_word word)
{
	return word.len > COUNTERS_TEXT ? COUNTERS_TEXT : (int)word.len;
}

/* "Node 0, zone DMA32": sets node and zone and leaves in @line what stands behind them. */
static bool take_zone(struct counters_parser *p, struct counters_word *line)
{
	struct counters_word rest = *line, node, zone;
	int64_t number;

	if (!counters_is(counters_word(&rest), "Node"))
		return false;
	node = counters_word(&rest);
	if (node.len && node.text[node.len - 1] == ',')
		node.len--;
	if (!counters_number(node, &number) || !counters_is(counters_word(&rest), "zone"))
		return false;
	zone = counters_word(&rest);
	if (zone.len && zone.text[zone.len - 1] == ',')
		zone.len--;
	if (!zone.len || zone.len > 32)
		return false;
	snprintf(p->node, sizeof(p->node), "node %d", (int)number);
	snprintf(p->zone, sizeof(p->zone), "node %d zone %.*s", (int)number, as_int(zone),
		 zone.text);
	*line = rest;
	return true;
}

/* Lines below "per-node stats" are the node's until one comes that only zones have. */
static bool only_zones_have(struct counters_word key)
{
	static const char *const keys[] = {
		"free",		 "boost",    "min",	  "low",	"high",
		"promo",	 "spanned",  "present",	  "managed",	"cma",
		"nr_free_pages", "nr_mlock", "nr_bounce", "nr_zspages", "nr_free_cma",
		"nr_unaccepted", NULL
	};

	if (counters_starts(key, "nr_zone_") || counters_starts(key, "numa_"))
		return true;
	for (unsigned int i = 0; keys[i]; i++)
		if (counters_is(key, keys[i]))
			return true;
	return false;
}

static int put_protection(struct counters_parser *p, struct counters_word line)
{
	unsigned int index = 0;
	int ret = 0;

	for (size_t i = 0; i < line.len && !ret; i++) {
		struct counters_word digits = { line.text + i, 0 };
		char name[32];
		int64_t value;

		while (i < line.len &&
		       (line.text[i] == '-' || (line.text[i] >= '0' && line.text[i] <= '9'))) {
			digits.len++;
			i++;
		}
		if (!digits.len || !counters_number(digits, &value))
			continue;
		snprintf(name, sizeof(name), "protection %u", index++);
		ret = counters_put(p, p->zone, name, "pages", false, value);
	}
	return ret;
}

/* Which scope a line of zoneinfo belongs to; true when the line was a heading. */
static bool zoneinfo_heading(struct counters_parser *p, struct counters_word line)
{
	struct counters_word rest = line, word;
	int64_t cpu;

	if (take_zone(p, &rest)) {
		p->in_node = p->changes_only;
		memcpy(p->part, p->in_node ? p->node : p->zone, sizeof(p->part));
		return true;
	}
	if (counters_starts(line, "per-node stats")) {
		p->in_node = true;
		memcpy(p->part, p->node, sizeof(p->part));
		return true;
	}
	rest = line;
	word = counters_word(&rest);
	if (counters_is(word, "cpu:") && counters_number(counters_word(&rest), &cpu)) {
		snprintf(p->part, sizeof(p->part), "%.200s cpu %d", p->zone, (int)cpu);
		return true;
	}
	return counters_is(line, "pagesets");
}

int counters_line_zoneinfo(struct counters_parser *p, struct counters_word line)
{
	struct counters_pair pair;
	char name[COUNTERS_TEXT];
	bool of_cpu;

	if (zoneinfo_heading(p, line) || !p->zone[0])
		return 0;
	if (counters_starts(line, "protection:"))
		return put_protection(p, line);
	if (counters_starts(line, "pages ")) {
		line.text += 6;
		line.len -= 6;
	}
	if (counters_starts(line, "vm stats threshold:")) {
		line.text += strlen("vm stats ");
		line.len -= strlen("vm stats ");
	}
	if (!counters_pair(line, &pair) || pair.key.len >= sizeof(name))
		return 0;
	of_cpu = strstr(p->part, " cpu ") != NULL;
	if (p->in_node && only_zones_have(pair.key)) {
		p->in_node = false;
		memcpy(p->part, p->zone, sizeof(p->part));
	}
	/* What stands behind the per-CPU lists is the zone's again. */
	if (of_cpu &&
	    (counters_is(pair.key, "node_unreclaimable") ||
	     counters_is(pair.key, "all_unreclaimable") || counters_is(pair.key, "start_pfn") ||
	     counters_is(pair.key, "prev_priority") || counters_is(pair.key, "inactive_ratio") ||
	     counters_is(pair.key, "node_inactive_ratio")))
		memcpy(p->part, p->zone, sizeof(p->part));
	snprintf(name, sizeof(name), "%.*s", as_int(pair.key), pair.key.text);
	return counters_put(
		p, p->part, name, counters_key_unit(COUNTERS_ZONEINFO, name),
		(counters_starts(pair.key, "nr_") || counters_starts(pair.key, "numa_") ||
		 counters_starts(pair.key, "pg") || counters_starts(pair.key, "workingset_")) &&
			counters_key_cumulative(COUNTERS_ZONEINFO, name),
		pair.value[0]);
}

/* "Node 0, zone DMA 362 238 ...": free blocks by order, however many orders there are. */
int counters_line_buddyinfo(struct counters_parser *p, struct counters_word line)
{
	char name[32];
	int64_t value;
	int ret = 0;

	if (!take_zone(p, &line))
		return 0;
	for (unsigned int order = 0; !ret; order++) {
		if (!counters_number(counters_word(&line), &value))
			break;
		snprintf(name, sizeof(name), "order %u", order);
		ret = counters_put(p, p->zone, name, "blocks", false, value);
	}
	return ret;
}

static void take_types(struct counters_parser *p, struct counters_word line)
{
	struct counters_word type;

	p->nr_types = 0;
	while ((type = counters_word(&line)).len && p->nr_types < 16)
		snprintf(p->types[p->nr_types++], sizeof(p->types[0]), "%.*s", as_int(type),
			 type.text);
	p->in_blocks = true;
}

/*
 * "type Movable 357 236 ... >100000": free blocks by migrate type and order. Kernels from 5.5 on
 * stop counting at 100000; such a value is followed by one called "... capped".
 */
static int put_free_counts(struct counters_parser *p, struct counters_word type,
			   struct counters_word line)
{
	struct counters_word word;
	char name[96];
	int64_t value;
	int ret = 0;

	for (unsigned int order = 0; !ret && (word = counters_word(&line)).len; order++) {
		bool capped = word.text[0] == '>';

		word.text += capped;
		word.len -= capped;
		if (!counters_number(word, &value))
			break;
		snprintf(name, sizeof(name), "%.*s order %u", as_int(type), type.text, order);
		ret = counters_put(p, p->zone, name, "blocks", false, value);
		if (!ret && capped) {
			strncat(name, " capped", sizeof(name) - strlen(name) - 1);
			ret = counters_put(p, p->zone, name, "", false, 1);
		}
	}
	return ret;
}

static int put_block_counts(struct counters_parser *p, struct counters_word line)
{
	char name[96];
	int64_t value;
	int ret = 0;

	for (unsigned int i = 0; i < p->nr_types && !ret; i++) {
		if (!counters_number(counters_word(&line), &value))
			break;
		snprintf(name, sizeof(name), "%s blocks", p->types[i]);
		ret = counters_put(p, p->zone, name, "blocks", false, value);
	}
	return ret;
}

int counters_line_pagetypeinfo(struct counters_parser *p, struct counters_word line)
{
	struct counters_word rest;
	int64_t value;

	if (counters_starts(line, "Number of blocks type")) {
		line.text += strlen("Number of blocks type");
		line.len -= strlen("Number of blocks type");
		take_types(p, line);
		return 0;
	}
	if (counters_starts(line, "Free pages count")) {
		p->in_blocks = false;
		return 0;
	}
	rest = line;
	if (counters_starts(line, "Page block order:") ||
	    counters_starts(line, "Pages per block:")) {
		bool order = line.text[4] == ' ';

		rest.text = memchr(line.text, ':', line.len);
		rest.text++;
		rest.len = line.len - (size_t)(rest.text - line.text);
		if (!counters_number(counters_word(&rest), &value))
			return 0;
		return counters_put(p, "", order ? "page block order" : "pages per block",
				    order ? "" : "pages", false, value);
	}
	if (!take_zone(p, &rest))
		return 0;
	if (p->in_blocks)
		return put_block_counts(p, rest);
	if (!counters_is(counters_word(&rest), "type"))
		return 0;
	return put_free_counts(p, counters_word(&rest), rest);
}
