/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/workload/demand.h"

static const char *const op_names[DEMAND_NR_OPS] = {
	[DEMAND_NOP] = "nop",
	[DEMAND_ALLOC] = "alloc",
	[DEMAND_FREE] = "free",
	[DEMAND_CACHE] = "cache",
	[DEMAND_ACCESS] = "access",
	[DEMAND_DIRTY] = "dirty",
	[DEMAND_TRUNCATE] = "truncate",
	[DEMAND_EXIT] = "exit",
	[DEMAND_PROACTIVE] = "proactive",
	[DEMAND_KNOB] = "knob",
	[DEMAND_MARK] = "mark",
	[DEMAND_SYNC] = "sync",
};

#define MAX_ORDER	10
#define NR_MIGRATETYPES 3
#define NR_REF_CLASSES	16

struct demand *demand_new(void)
{
	struct demand *demand = calloc(1, sizeof(*demand));

	if (!demand)
		return NULL;
	demand->notes = calloc(1, 1);
	if (!demand->notes) {
		free(demand);
		return NULL;
	}
	return demand;
}

void demand_free(struct demand *demand)
{
	if (!demand)
		return;
	free(demand->tasks);
	free(demand->files);
	free(demand->records);
	free(demand->notes);
	free(demand);
}

const char *demand_op_name(unsigned int op)
{
	return op < DEMAND_NR_OPS ? op_names[op] : NULL;
}

int demand_note(struct demand *demand, const char *key, const char *fmt, ...)
{
	size_t old = strlen(demand->notes), key_len = strlen(key);
	char value[4096], *notes;
	va_list args;

	va_start(args, fmt);
	vsnprintf(value, sizeof(value), fmt, args);
	va_end(args);
	for (char *c = value; *c; c++)
		if (*c == '\n')
			*c = ' ';
	notes = realloc(demand->notes, old + key_len + strlen(value) + 3);
	if (!notes)
		return -ENOMEM;
	sprintf(notes + old, "%s %s\n", key, value);
	demand->notes = notes;
	return 0;
}

const char *demand_note_find(const struct demand *demand, const char *key, char *buf, size_t size)
{
	size_t key_len = strlen(key);

	for (const char *line = demand->notes; line && *line;) {
		const char *end = strchrnul(line, '\n');

		if ((size_t)(end - line) > key_len && !memcmp(line, key, key_len) &&
		    line[key_len] == ' ') {
			snprintf(buf, size, "%.*s", (int)(end - line - key_len - 1),
				 line + key_len + 1);
			return buf;
		}
		line = *end ? end + 1 : NULL;
	}
	return NULL;
}

static int names_pages(const struct demand_record *rec)
{
	return rec->op == DEMAND_ALLOC || rec->op == DEMAND_FREE ||
	       (rec->op == DEMAND_ACCESS && !(rec->flags & DEMAND_FILE));
}

static int names_file(const struct demand_record *rec)
{
	return rec->op == DEMAND_CACHE || rec->op == DEMAND_DIRTY || rec->op == DEMAND_TRUNCATE ||
	       (rec->op == DEMAND_ACCESS && rec->flags & DEMAND_FILE);
}

/* What the record says of its object, in words, or NULL when all of it exists. */
static const char *object_fault(const struct demand *demand, const struct demand_record *rec)
{
	uint64_t count = rec->count ? rec->count : 1;

	if (names_pages(rec) && rec->object + count > demand->nr_pages)
		return "logical page";
	if (names_file(rec)) {
		if (rec->object >= demand->nr_files)
			return "file";
		if (rec->index + (rec->op == DEMAND_CACHE ? UINT64_C(1) : count) >
			    demand->files[rec->object].pages ||
		    rec->start + (uint64_t)rec->count > demand->files[rec->object].pages)
			return "page of its file";
	}
	if (rec->op == DEMAND_SYNC && rec->object != DEMAND_NONE && rec->object >= demand->nr_files)
		return "file";
	if (rec->op == DEMAND_KNOB && rec->object >= DEMAND_NR_KNOBS)
		return "setting";
	return NULL;
}

int demand_check_record(const struct demand *demand, const struct demand_record *rec, size_t nr,
			struct rl_msg *msg)
{
	const char *what = NULL;

	if (rec->op >= DEMAND_NR_OPS)
		what = "op";
	else if (rec->task >= demand->nr_tasks)
		what = "task";
	else if (rec->order > MAX_ORDER)
		what = "order";
	else if (rec->migratetype >= NR_MIGRATETYPES)
		what = "migrate type";
	else if (rec->use >= DEMAND_NR_USES)
		what = "use";
	else if (rec->ref_class >= NR_REF_CLASSES)
		what = "class of references";
	else if (rec->at > INT64_MAX || rec->think > INT64_MAX)
		what = "time";
	else
		what = object_fault(demand, rec);
	if (what)
		return rl_fail(msg, EBADMSG, "demand record %zu: its %s is out of range", nr, what);
	return 0;
}
