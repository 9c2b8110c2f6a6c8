/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters_private.h - what the parsers of counters_*.c share (see counters.h) */
#ifndef RECLAIMLAB_COUNTERS_PRIVATE_H
#define RECLAIMLAB_COUNTERS_PRIVATE_H

#include "capture/read/counters.h"

#define COUNTERS_TEXT 256

/* A piece of a line, not terminated. */
struct counters_word {
	const char *text;
	size_t len;
};

/* One block on its way through a parser. */
struct counters_parser {
	const struct counters_visitor *visitor;
	struct rl_msg *msg;
	enum counters_source source;
	int column;		   /* which of two numbers: 0 or 1 */
	char scope[COUNTERS_TEXT]; /* of the file: cgroup, resource */
	char node[COUNTERS_TEXT];  /* "node 0" */
	char zone[COUNTERS_TEXT];  /* "node 0 zone DMA32" */
	char part[COUNTERS_TEXT];  /* scope of the lines that follow */
	bool changes_only;	   /* lines that did not change are left out, headings too */
	bool in_node;		   /* zoneinfo: below "per-node stats" */
	bool in_blocks;		   /* pagetypeinfo: the second table */
	char types[16][32];	   /* its columns */
	unsigned int nr_types;
};

/* Parse one line; lines that are not understood are passed over. */
typedef int counters_line(struct counters_parser *parser, struct counters_word line);

counters_line counters_line_keyed, counters_line_zoneinfo, counters_line_buddyinfo,
	counters_line_pagetypeinfo, counters_line_diskstats, counters_line_psi,
	counters_line_uptime, counters_line_queue;

/* Is it a setting of a disk's request queue? */
bool counters_is_queue(struct counters_word line);

/* Take the next word behind blanks; an empty one at the end. */
struct counters_word counters_word(struct counters_word *line);
bool counters_is(struct counters_word word, const char *text);
bool counters_starts(struct counters_word word, const char *text);
/* An integer that fills the word; a sign may stand before. Beyond int64: as two's complement. */
bool counters_number(struct counters_word word, int64_t *value);

/* "key N", "key: N kB", "key=N", "key 29 -> 65", "key +37". */
struct counters_pair {
	struct counters_word key;
	struct counters_word unit;
	int64_t value[2];
	unsigned int numbers; /* 1 or 2 */
};

bool counters_pair(struct counters_word line, struct counters_pair *pair);

/* Report a value with the parser's source; @scope and @name are copied by nobody. */
int counters_put(struct counters_parser *parser, const char *scope, const char *name,
		 const char *unit, bool cumulative, int64_t value);

/* What is known of a key of vmstat and the like. */
bool counters_key_cumulative(enum counters_source source, const char *name);
const char *counters_key_unit(enum counters_source source, const char *name);
/* Whether the key alone shows that a file is @source. */
bool counters_key_proves(enum counters_source source, struct counters_word key);

#endif
