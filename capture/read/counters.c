/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/counters.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/map.h"
#include "capture/read/counters_private.h"

#define NS_PER_S 1000000000

static const struct {
	const char *name;
	counters_line *line;
} formats[COUNTERS_NR] = {
	[COUNTERS_NONE] = { "", NULL },
	[COUNTERS_VMSTAT] = { "vmstat", counters_line_keyed },
	[COUNTERS_ZONEINFO] = { "zoneinfo", counters_line_zoneinfo },
	[COUNTERS_MEMINFO] = { "meminfo", counters_line_keyed },
	[COUNTERS_BUDDYINFO] = { "buddyinfo", counters_line_buddyinfo },
	[COUNTERS_PAGETYPEINFO] = { "pagetypeinfo", counters_line_pagetypeinfo },
	[COUNTERS_DISKSTATS] = { "diskstats", counters_line_diskstats },
	[COUNTERS_PSI] = { "psi", counters_line_psi },
	[COUNTERS_MEMCG] = { "memcg", counters_line_keyed },
	[COUNTERS_SYSCTL] = { "sysctl", counters_line_keyed },
	[COUNTERS_QUEUE] = { "queue", counters_line_queue },
	[COUNTERS_UPTIME] = { "uptime", counters_line_uptime },
};

const char *counters_source_name(enum counters_source source)
{
	return formats[source].name;
}

bool counters_is_setting(enum counters_source source)
{
	return source == COUNTERS_SYSCTL || source == COUNTERS_QUEUE;
}

struct counters_word counters_word(struct counters_word *line)
{
	struct counters_word word;

	while (line->len && isblank((unsigned char)*line->text)) {
		line->text++;
		line->len--;
	}
	word.text = line->text;
	word.len = 0;
	while (word.len < line->len && !isblank((unsigned char)word.text[word.len]))
		word.len++;
	line->text += word.len;
	line->len -= word.len;
	return word;
}

bool counters_is(struct counters_word word, const char *text)
{
	return word.len == strlen(text) && !memcmp(word.text, text, word.len);
}

bool counters_starts(struct counters_word word, const char *text)
{
	return word.len >= strlen(text) && !memcmp(word.text, text, strlen(text));
}

bool counters_number(struct counters_word word, int64_t *value)
{
	bool negative = word.len && word.text[0] == '-';
	size_t i = word.len && (negative || word.text[0] == '+');
	uint64_t n = 0;

	if (i == word.len)
		return false;
	for (; i < word.len; i++) {
		if (!isdigit((unsigned char)word.text[i]) || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(word.text[i] - '0'), &n))
			return false;
	}
	*value = (int64_t)(negative ? -n : n);
	return true;
}

bool counters_pair(struct counters_word line, struct counters_pair *pair)
{
	struct counters_word word;
	size_t key = 0;

	*pair = (struct counters_pair){ 0 };
	while (key < line.len && !isblank((unsigned char)line.text[key]) && line.text[key] != '=' &&
	       line.text[key] != ':')
		key++;
	if (!key || key == line.len)
		return false;
	pair->key = (struct counters_word){ line.text, key };
	line.text += key;
	line.len -= key;
	while (line.len &&
	       (isblank((unsigned char)*line.text) || *line.text == '=' || *line.text == ':')) {
		line.text++;
		line.len--;
	}
	word = counters_word(&line);
	if (!counters_number(word, &pair->value[0]))
		return false;
	pair->numbers = 1;
	if (word.text[0] == '+') {
		pair->value[1] = pair->value[0];
		pair->value[0] = 0;
		pair->numbers = 2;
		return true;
	}
	pair->unit = counters_word(&line);
	if (counters_is(pair->unit, "->") || counters_is(pair->unit, "=>"))
		pair->unit = counters_word(&line);
	if (counters_number(pair->unit, &pair->value[1]))
		pair->numbers = 2;
	return true;
}

int counters_put(struct counters_parser *p, const char *scope, const char *name, const char *unit,
		 bool cumulative, int64_t value)
{
	struct counters_value v = { .source = p->source,
				    .scope = scope,
				    .name = name,
				    .unit = unit,
				    .cumulative = cumulative,
				    .value = value };

	return p->visitor->value(p->visitor->ctx, &v, p->msg);
}

int counters_line_keyed(struct counters_parser *p, struct counters_word line)
{
	struct counters_pair pair;
	char name[COUNTERS_TEXT];
	const char *unit;

	if (!counters_pair(line, &pair) || pair.key.len >= sizeof(name))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)pair.key.len, pair.key.text);
	unit = counters_is(pair.unit, "kB") ? "KiB" : counters_key_unit(p->source, name);
	return counters_put(p, p->scope, name, unit, counters_key_cumulative(p->source, name),
			    pair.value[p->column < (int)pair.numbers ? p->column : 0]);
}

/* Without the end of line, mail quoting, a path before a colon, and blanks around. */
static struct counters_word clean_line(struct counters_word line)
{
	const char *colon, *slash;

	while (line.len && (isspace((unsigned char)line.text[line.len - 1])))
		line.len--;
	while (line.len &&
	       (isspace((unsigned char)*line.text) || *line.text == '>' || *line.text == '|')) {
		line.text++;
		line.len--;
	}
	colon = memchr(line.text, ':', line.len);
	slash = memchr(line.text, '/', line.len);
	if (colon && slash && slash < colon && !memchr(line.text, ' ', colon - line.text)) {
		line.len -= (size_t)(colon + 1 - line.text);
		line.text = colon + 1;
	}
	while (line.len && isspace((unsigned char)*line.text)) {
		line.text++;
		line.len--;
	}
	return line;
}

/* The next line of @text, cleaned; false at the end. */
static bool next_line(struct counters_word *text, char stop, struct counters_word *line)
{
	const char *end;

	if (!text->len)
		return false;
	end = memchr(text->text, stop, text->len);
	line->text = text->text;
	line->len = end ? (size_t)(end - text->text) : text->len;
	text->text += line->len + (end != NULL);
	text->len -= line->len + (end != NULL);
	*line = clean_line(*line);
	return true;
}

/* "T 8.20" begins a block of a series. */
static bool series_stamp(struct counters_word line, int64_t *ns)
{
	struct counters_word word;
	char text[32];
	char *end;
	double seconds;

	if (!counters_is(counters_word(&line), "T"))
		return false;
	word = counters_word(&line);
	if (!word.len || word.len >= sizeof(text) || counters_word(&line).len)
		return false;
	memcpy(text, word.text, word.len);
	text[word.len] = '\0';
	seconds = strtod(text, &end);
	if (*end || !(seconds >= 0 && seconds < 1e9))
		return false;
	*ns = (int64_t)(seconds * 1e6 + 0.5) * (NS_PER_S / 1000000);
	return true;
}

/* A line between two files of one log. */
static bool is_separator(struct counters_word line)
{
	return counters_starts(line, "file start ::") || counters_starts(line, "file end ::") ||
	       counters_starts(line, "==> ") || counters_starts(line, "::::");
}

static enum counters_source zone_form(struct counters_word line)
{
	struct counters_word word;
	unsigned int n = 0;
	int64_t value;

	while (n < 4 && counters_word(&line).len)
		n++;
	if (n < 4)
		return COUNTERS_NONE;
	word = counters_word(&line);
	if (!word.len)
		return COUNTERS_ZONEINFO;
	return counters_number(word, &value) ? COUNTERS_BUDDYINFO : COUNTERS_NONE;
}

static bool is_diskstats(struct counters_word line)
{
	int64_t value;
	unsigned int numbers = 0;

	if (!counters_number(counters_word(&line), &value) ||
	    !counters_number(counters_word(&line), &value) || !counters_word(&line).len)
		return false;
	while (counters_number(counters_word(&line), &value))
		numbers++;
	return numbers >= 11 && !counters_word(&line).len;
}

static bool is_uptime(struct counters_word line, size_t lines)
{
	struct counters_word word = counters_word(&line);
	struct counters_word idle = counters_word(&line);

	return lines == 1 && word.len > 3 && idle.len > 3 && word.text[word.len - 3] == '.' &&
	       idle.text[idle.len - 3] == '.' && isdigit((unsigned char)*word.text) &&
	       isdigit((unsigned char)*idle.text) && !counters_word(&line).len;
}

/* What one line shows alone; keys of vmstat may also be those of memory.stat. */
static enum counters_source match_line(struct counters_word line, size_t lines)
{
	static const enum counters_source keyed[] = { COUNTERS_MEMCG, COUNTERS_MEMINFO,
						      COUNTERS_SYSCTL, COUNTERS_VMSTAT };
	struct counters_pair pair;

	if (counters_starts(line, "Page block order:"))
		return COUNTERS_PAGETYPEINFO;
	if (counters_starts(line, "Node "))
		return zone_form(line);
	if (counters_starts(line, "some avg10=") || counters_starts(line, "full avg10="))
		return COUNTERS_PSI;
	if (is_diskstats(line))
		return COUNTERS_DISKSTATS;
	if (counters_is_queue(line))
		return COUNTERS_QUEUE;
	if (is_uptime(line, lines))
		return COUNTERS_UPTIME;
	if (!counters_pair(line, &pair))
		return COUNTERS_NONE;
	for (size_t i = 0; i < sizeof(keyed) / sizeof(keyed[0]); i++)
		if (counters_key_proves(keyed[i], pair.key))
			return keyed[i];
	return COUNTERS_NONE;
}

enum counters_source counters_match(const char *text, size_t size)
{
	struct counters_word rest = { text, size }, line;
	enum counters_source found = COUNTERS_NONE;
	size_t lines = 0;

	/* A report in a kernel log has keys of counter files, too: dump.h reads it. */
	if (!size || memmem(text, size, "Mem-Info:", 9) ||
	    memmem(text, size, "lowmem_reserve[]:", 17))
		return COUNTERS_NONE;
	while (next_line(&rest, '\n', &line)) {
		enum counters_source source;

		if (!line.len)
			continue;
		source = match_line(line, ++lines);
		if (source == COUNTERS_NONE)
			continue;
		if (source != COUNTERS_VMSTAT && source != COUNTERS_UPTIME)
			return source;
		found = source;
	}
	return found == COUNTERS_UPTIME && lines > 1 ? COUNTERS_NONE : found;
}

/* How many snapshots the lines of a keyed file hold: that of its first key. */
static int count_columns(enum counters_source source, struct counters_word text)
{
	struct counters_word line;
	struct counters_pair pair;

	if (formats[source].line != counters_line_keyed || source == COUNTERS_MEMINFO)
		return 1;
	while (next_line(&text, '\n', &line))
		if (counters_pair(line, &pair) && counters_key_proves(source, pair.key))
			return (int)pair.numbers;
	return 1;
}

/* One block is one snapshot, or two when its keys have two numbers. */
static int read_block(struct counters_word text, struct counters_snapshot snapshot,
		      const char *scope, const struct counters_visitor *visitor, struct rl_msg *msg)
{
	enum counters_source source = counters_match(text.text, text.len);
	int columns = count_columns(source, text);
	int ret = 0;

	for (int column = 0; column < columns && source != COUNTERS_NONE && !ret; column++) {
		struct counters_parser p = {
			.visitor = visitor, .msg = msg, .source = source, .column = column
		};
		struct counters_word rest = text, line;

		if (source == COUNTERS_PSI || source == COUNTERS_MEMCG)
			snprintf(p.scope, sizeof(p.scope), "%s", scope);
		if (columns == 2)
			snapshot.label = column ? "after" : "before";
		ret = visitor->snapshot(visitor->ctx, &snapshot, msg);
		while (!ret && next_line(&rest, '\n', &line))
			ret = formats[source].line(&p, line);
	}
	return ret;
}

/* The resource or cgroup that a file is about, where its name says so. */
static void scope_from_path(const char *path, char *scope, size_t size)
{
	static const char *const resources[] = { "memory", "cpu", "io", "irq" };
	const char *base = strrchr(path, '/');
	const char *cgroup = strstr(path, "/sys/fs/cgroup/");

	base = base ? base + 1 : path;
	snprintf(scope, size, "%s", "");
	if (cgroup && base > cgroup + strlen("/sys/fs/cgroup/")) {
		cgroup += strlen("/sys/fs/cgroup");
		snprintf(scope, size, "%.*s", (int)(base - 1 - cgroup), cgroup);
		return;
	}
	if (strncmp(base, "memory.stat", 11) != 0)
		for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
			if (strstr(base, resources[i])) {
				snprintf(scope, size, "%s", resources[i]);
				return;
			}
}

int counters_read(const char *path, const struct counters_visitor *visitor, struct rl_msg *msg)
{
	struct counters_word text, line, block;
	struct counters_snapshot snapshot = { 0 };
	char label[COUNTERS_TEXT], scope[COUNTERS_TEXT];
	struct rl_map map;
	int ret;

	ret = rl_map_open(path, &map, msg);
	if (ret)
		return ret;
	text = (struct counters_word){ (const char *)map.data, map.size };
	if (counters_match(text.text, text.len > 65536 ? 65536 : text.len) == COUNTERS_NONE) {
		rl_map_close(&map);
		return rl_fail(msg, EINVAL, "%s: no counter file that is known here", path);
	}
	counters_label(path, label, sizeof(label));
	scope_from_path(path, scope, sizeof(scope));
	snapshot.label = label;
	block = (struct counters_word){ text.text, 0 };
	while (!ret && next_line(&text, '\n', &line)) {
		int64_t time;
		bool stamp = series_stamp(line, &time);

		if (!stamp && !is_separator(line))
			continue;
		block.len = line.len ? (size_t)(line.text - block.text) : 0;
		ret = read_block(block, snapshot, scope, visitor, msg);
		block.text = text.text;
		if (stamp) {
			snapshot.has_time = true;
			snapshot.time = time;
		}
	}
	block.len = (size_t)(text.text - block.text);
	if (!ret)
		ret = read_block(block, snapshot, scope, visitor, msg);
	rl_map_close(&map);
	return ret;
}

static enum counters_source source_by_file(struct counters_word file)
{
	if (counters_is(file, "pressure") || counters_is(file, "memory.pressure"))
		return COUNTERS_PSI;
	if (counters_starts(file, "memory."))
		return COUNTERS_MEMCG;
	for (int i = COUNTERS_VMSTAT; i < COUNTERS_NR; i++)
		if (counters_is(file, formats[i].name))
			return i;
	return COUNTERS_NONE;
}

int counters_lines(const char *file, size_t file_len, const char *scope, size_t scope_len,
		   const char *text, size_t size, char stop, const struct counters_visitor *visitor,
		   struct rl_msg *msg)
{
	struct counters_word name = { file, file_len };
	struct counters_word rest = { text, size }, line;
	struct counters_parser p = {
		.visitor = visitor, .msg = msg, .source = source_by_file(name), .changes_only = true
	};
	int64_t value;
	int ret = 0;

	if (p.source == COUNTERS_NONE)
		return rl_fail(msg, EINVAL, "\"%.*s\" is no counter file that is known here",
			       file_len > 64 ? 64 : (int)file_len, file);
	if (!(scope_len == 1 && *scope == '-'))
		snprintf(p.scope, sizeof(p.scope), "%.*s",
			 scope_len < sizeof(p.scope) ? (int)scope_len : (int)sizeof(p.scope) - 1,
			 scope);
	while (!ret && next_line(&rest, stop, &line)) {
		if (counters_is(name, "memory.current") && counters_number(line, &value))
			ret = counters_put(&p, p.scope, "memory.current", "bytes", false, value);
		else
			ret = formats[p.source].line(&p, line);
	}
	return ret;
}

/* Words of a file's name that say what it is, not when it was made. */
static bool is_plain_word(const char *word)
{
	static const char *const plain[] = {
		"vmstat", "zoneinfo", "meminfo", "buddyinfo", "pagetypeinfo", "diskstats",
		"psi",	  "pressure", "memory",	 "cpu",	      "io",	      "irq",
		"stat",	  "uptime",   "knobs",	 "proc",      "samples",      "series",
		"gz",	  "xz",	      "zst",	 "txt",	      "log",	      "out",
		"dat",	  NULL,
	};

	for (unsigned int i = 0; plain[i]; i++)
		if (!strcasecmp(word, plain[i]))
			return true;
	return false;
}

void counters_label(const char *path, char *label, size_t size)
{
	const char *base = strrchr(path, '/');
	char copy[COUNTERS_TEXT];
	char *save, *word;
	size_t len = 0;

	snprintf(copy, sizeof(copy), "%s", base ? base + 1 : path);
	label[0] = '\0';
	for (word = strtok_r(copy, ".-_ ", &save); word; word = strtok_r(NULL, ".-_ ", &save)) {
		if (is_plain_word(word) || len + strlen(word) + 2 > size)
			continue;
		len += (size_t)snprintf(label + len, size - len, "%s%s", len ? "-" : "", word);
	}
}
