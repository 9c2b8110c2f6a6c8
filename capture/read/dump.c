/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/read/counters_private.h"
#include "capture/read/text_input.h"
#include "capture/read/text_line.h"

#define ZONES_MAX    64
#define RESERVES_MAX 8
#define ORDERS_MAX   20
#define VALUES_MAX   32
#define TOTALS_MAX   48
#define NAME_SIZE    32

struct dump_value {
	char name[NAME_SIZE];
	int64_t value;
};

struct dump_zone {
	int node;
	char name[NAME_SIZE];
	unsigned int nr_values, nr_reserves, nr_orders;
	struct dump_value value[VALUES_MAX]; /* kB */
	int64_t reserve[RESERVES_MAX];	     /* pages */
	int64_t order[ORDERS_MAX];
};

enum dump_state { DUMP_OUTSIDE, DUMP_TOTALS, DUMP_ZONE, DUMP_ORDERS, DUMP_OTHER };

struct dump {
	struct text_input *in;
	struct text_patterns *patterns;
	const struct counters_visitor *visitor;
	struct rl_msg *msg;
	enum dump_state state;
	bool has_time;
	uint64_t time;
	unsigned int reports;
	unsigned int page_kb;
	unsigned int nr_zones, nr_totals;
	struct dump_zone *zone; /* the one that lines belong to */
	struct dump_zone zones[ZONES_MAX];
	struct dump_value total[TOTALS_MAX]; /* pages */
};

/* How a report calls what zoneinfo and vmstat call otherwise. */
static const struct {
	const char *report, *zone, *total;
} names[] = {
	{ "free", "free", "nr_free_pages" },
	{ "pagetables", "nr_page_table_pages", "nr_page_table_pages" },
	{ "min", "min", NULL },
	{ "low", "low", NULL },
	{ "high", "high", NULL },
	{ "boost", "boost", NULL },
	{ "present", "present", NULL },
	{ "managed", "managed", NULL },
	{ "mlocked", "nr_mlock", NULL },
	{ "writepending", "nr_zone_write_pending", NULL },
	{ "reserved_highatomic", "nr_reserved_highatomic", NULL },
	{ "free_highatomic", "nr_free_highatomic", NULL },
	{ "local_pcp", NULL, NULL },
	{ "pages_scanned", NULL, NULL },
};

/* The name of a zone's value or of a total; "nr_" and the report's own where the table has none. */
static bool counter_name(struct counters_word key, bool total, char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *known = total ? names[i].total : names[i].zone;

		if (!counters_is(key, names[i].report))
			continue;
		if (known)
			strcpy(name, known);
		return known != NULL;
	}
	if (key.len + 4 > NAME_SIZE)
		return false;
	snprintf(name, NAME_SIZE, "nr_%.*s", (int)key.len, key.text);
	return true;
}

static int put(struct dump *d, enum counters_source source, const char *scope, const char *name,
	       const char *unit, int64_t value)
{
	struct counters_value v = {
		.source = source, .scope = scope, .name = name, .unit = unit, .value = value
	};

	return d->visitor->value(d->visitor->ctx, &v, d->msg);
}

static int put_zone(struct dump *d, const struct dump_zone *zone)
{
	char scope[2 * NAME_SIZE + 16], name[NAME_SIZE];
	int ret = 0;

	snprintf(scope, sizeof(scope), "node %d zone %s", zone->node, zone->name);
	for (unsigned int i = 0; i < zone->nr_values && !ret; i++)
		ret = put(d, COUNTERS_ZONEINFO, scope, zone->value[i].name, "pages",
			  zone->value[i].value / d->page_kb);
	for (unsigned int i = 0; i < zone->nr_reserves && !ret; i++) {
		snprintf(name, sizeof(name), "protection %u", i);
		ret = put(d, COUNTERS_ZONEINFO, scope, name, "pages", zone->reserve[i]);
	}
	for (unsigned int i = 0; i < zone->nr_orders && !ret; i++) {
		snprintf(name, sizeof(name), "order %u", i);
		ret = put(d, COUNTERS_BUDDYINFO, scope, name, "blocks", zone->order[i]);
	}
	return ret;
}

static bool has_values(const struct dump *d)
{
	for (unsigned int i = 0; i < d->nr_zones; i++)
		if (d->zones[i].nr_values || d->zones[i].nr_orders)
			return true;
	return false;
}

/* Hand out the report that was collected, if there is one. */
static int end_report(struct dump *d)
{
	struct counters_snapshot snapshot = { 0 };
	char label[32];
	int ret;

	if (!has_values(d))
		return 0;
	snprintf(label, sizeof(label), "report %u", ++d->reports);
	snapshot.label = label;
	snapshot.has_time = d->has_time;
	snapshot.time = (int64_t)d->time;
	ret = d->visitor->snapshot(d->visitor->ctx, &snapshot, d->msg);
	for (unsigned int i = 0; i < d->nr_totals && !ret; i++)
		ret = put(d, COUNTERS_VMSTAT, "", d->total[i].name, "pages", d->total[i].value);
	for (unsigned int i = 0; i < d->nr_zones && !ret; i++)
		ret = put_zone(d, &d->zones[i]);
	d->nr_zones = d->nr_totals = 0;
	d->zone = NULL;
	d->page_kb = 4;
	return ret;
}

static void begin_report(struct dump *d, const struct text_line *line)
{
	d->state = DUMP_TOTALS;
	d->has_time = line->record.has_ts && line->record.has_unit;
	d->time = line->record.ts;
}

/* "Node 0 " in front; node 0 where a kernel without NUMA prints none. */
static int take_node(struct counters_word *line)
{
	struct counters_word rest = *line;
	int64_t node = 0;

	if (!counters_is(counters_word(&rest), "Node") ||
	    !counters_number(counters_word(&rest), &node) || node < 0 || node > 4096)
		return 0;
	while (rest.len && *rest.text == ' ') {
		rest.text++;
		rest.len--;
	}
	*line = rest;
	return (int)node;
}

static bool is_zone_name(struct counters_word word)
{
	static const char *const zones[] = { "DMA",	"DMA32",   "Normal",
					     "HighMem", "Movable", "Device" };

	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++)
		if (counters_is(word, zones[i]))
			return true;
	return false;
}

static struct dump_zone *find_zone(struct dump *d, int node, struct counters_word name)
{
	struct dump_zone *zone;

	for (unsigned int i = 0; i < d->nr_zones; i++)
		if (d->zones[i].node == node && counters_is(name, d->zones[i].name))
			return &d->zones[i];
	if (d->nr_zones == ZONES_MAX)
		return NULL;
	zone = &d->zones[d->nr_zones++];
	*zone = (struct dump_zone){ .node = node };
	snprintf(zone->name, sizeof(zone->name), "%.*s", (int)name.len, name.text);
	return zone;
}

/* "free:15904kB" or, among the totals, "free:3976". */
static bool split_pair(struct counters_word word, struct counters_word *key, int64_t *value)
{
	const char *colon = memchr(word.text, ':', word.len);
	struct counters_word number;

	if (!colon)
		return false;
	*key = (struct counters_word){ word.text, (size_t)(colon - word.text) };
	number = (struct counters_word){ colon + 1, word.len - key->len - 1 };
	if (number.len > 2 && (number.text[number.len - 1] | 0x20) == 'b')
		number.len -= 2;
	return key->len && counters_number(number, value);
}

static void add_value(struct dump_value *values, unsigned int *nr, unsigned int max,
		      struct counters_word key, bool total, int64_t value)
{
	if (*nr < max && counter_name(key, total, values[*nr].name))
		values[(*nr)++].value = value;
}

static void take_values(struct dump *d, struct counters_word line)
{
	struct counters_word word, key;
	int64_t value;

	while ((word = counters_word(&line)).len) {
		if (!split_pair(word, &key, &value))
			continue;
		if (d->state == DUMP_ZONE)
			add_value(d->zone->value, &d->zone->nr_values, VALUES_MAX, key, false,
				  value);
		else
			add_value(d->total, &d->nr_totals, TOTALS_MAX, key, true, value);
	}
}

static void take_reserves(struct dump_zone *zone, struct counters_word line)
{
	int64_t value;

	counters_word(&line);
	while (zone->nr_reserves < RESERVES_MAX && counters_number(counters_word(&line), &value))
		zone->reserve[zone->nr_reserves++] = value;
}

/* "2*4kB (UM) 1*8kB (U) ... = 1234kB" */
static void take_orders(struct dump *d, struct counters_word line)
{
	struct counters_word word;

	while ((word = counters_word(&line)).len) {
		const char *star = memchr(word.text, '*', word.len);
		struct counters_word number = { word.text, 0 }, size;
		int64_t blocks, kb;

		if (word.text[0] == '=') {
			d->state = DUMP_OTHER;
			return;
		}
		if (!star || word.text[word.len - 1] != 'B' || word.len < 4)
			continue;
		number.len = (size_t)(star - word.text);
		size = (struct counters_word){ star + 1, word.len - number.len - 3 };
		if (!counters_number(number, &blocks) || !counters_number(size, &kb) || kb <= 0)
			continue;
		if (!d->zone->nr_orders)
			d->page_kb = kb < 1024 ? (unsigned int)kb : 4;
		if (d->zone->nr_orders < ORDERS_MAX)
			d->zone->order[d->zone->nr_orders++] = blocks;
	}
}

/* "[Node 0 ]DMA32 free:..." or "[Node 0 ]DMA32: 1*4kB ..." begin what belongs to a zone. */
static bool take_heading(struct dump *d, struct counters_word line)
{
	int node = take_node(&line);
	struct counters_word rest = line, name = counters_word(&rest), next = rest;
	bool orders = name.len && name.text[name.len - 1] == ':';

	name.len -= orders;
	if (!is_zone_name(name))
		return false;
	next = counters_word(&next);
	if (!orders && !counters_starts(next, "free:"))
		return false;
	d->zone = find_zone(d, node, name);
	if (!d->zone) {
		d->state = DUMP_OTHER;
		return true;
	}
	d->state = orders ? DUMP_ORDERS : DUMP_ZONE;
	if (orders) {
		d->zone->nr_orders = 0;
		take_orders(d, rest);
	} else {
		d->zone->nr_values = d->zone->nr_reserves = 0;
		take_values(d, rest);
	}
	return true;
}

static bool is_total(struct counters_word line)
{
	struct counters_word word = counters_word(&line), key;
	int64_t value;

	return split_pair(word, &key, &value) && word.text[word.len - 1] != 'B';
}

static int take_line(struct dump *d, const struct text_line *text)
{
	struct counters_word line = { text->rest.text, text->rest.len };
	int ret;

	while (line.len && (*line.text == ' ' || *line.text == '\t')) {
		line.text++;
		line.len--;
	}
	if (text->class == TEXT_RECORD)
		return 0;
	if (counters_starts(line, "Mem-Info:") || counters_starts(line, "Mem-info:")) {
		ret = end_report(d);
		begin_report(d, text);
		return ret;
	}
	if (take_heading(d, line) || d->state == DUMP_OUTSIDE)
		return 0;
	if (counters_starts(line, "lowmem_reserve[]:")) {
		if (d->state == DUMP_ZONE)
			take_reserves(d->zone, line);
		d->state = DUMP_OTHER;
	} else if (counters_starts(line, "Node ")) {
		d->state = DUMP_OTHER;
	} else if (d->state == DUMP_ORDERS) {
		take_orders(d, line);
	} else if (d->state == DUMP_ZONE || (d->state == DUMP_TOTALS && is_total(line))) {
		take_values(d, line);
	}
	return 0;
}

int dump_read(const char *path, const struct counters_visitor *visitor, struct rl_msg *msg)
{
	struct text_piece piece, following;
	struct dump *d = calloc(1, sizeof(*d));
	struct text_line line;
	int ret;

	if (!d)
		return rl_fail_errno(msg, ENOMEM, "%s", path);
	d->visitor = visitor;
	d->msg = msg;
	d->page_kb = 4;
	d->patterns = text_patterns_new();
	ret = d->patterns ? text_input_open(path, &d->in, msg)
			  : rl_fail_errno(msg, ENOMEM, "%s", path);
	while (!ret && (ret = text_input_next(d->in, &piece, &following, msg)) > 0) {
		text_classify(d->patterns, piece.text, piece.len, &line);
		ret = take_line(d, &line);
	}
	if (!ret)
		ret = end_report(d);
	if (!ret)
		ret = (int)d->reports;
	text_input_close(d->in);
	text_patterns_free(d->patterns);
	free(d);
	return ret;
}
