/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/catalog.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "capture/vocabulary/vocabulary.h"
#include "sql/embedded.h"
#include "sql/store.h"

struct catalog {
	struct catalog_entry *entry;
	unsigned int nr;
	bool failed; /* memory was short */
};

/* A part of a text; lines and words are cut out of it from the front. */
struct piece {
	const char *text;
	size_t len;
};

static struct piece trim(struct piece p)
{
	while (p.len && isspace((unsigned char)p.text[0])) {
		p.text++;
		p.len--;
	}
	while (p.len && isspace((unsigned char)p.text[p.len - 1]))
		p.len--;
	return p;
}

static struct piece cut(struct piece *from, size_t len)
{
	struct piece p = { from->text, len };

	from->text += len;
	from->len -= len;
	return p;
}

static struct piece next_line(const char **text)
{
	struct piece p = { *text, strcspn(*text, "\n") };

	*text += p.len + ((*text)[p.len] == '\n');
	return p;
}

static struct piece next_word(struct piece *from)
{
	size_t len = 0;

	*from = trim(*from);
	while (len < from->len && !isspace((unsigned char)from->text[len]))
		len++;
	return cut(from, len);
}

static bool starts(struct piece p, const char *with)
{
	return p.len >= strlen(with) && !memcmp(p.text, with, strlen(with));
}

static char *keep(struct catalog *catalog, struct piece p)
{
	char *copy;

	p = trim(p);
	copy = strndup(p.len ? p.text : "", p.len);
	catalog->failed |= !copy;
	return copy;
}

static char *keep_text(struct catalog *catalog, const char *text)
{
	return keep(catalog, (struct piece){ text, strlen(text) });
}

/* Put @p behind *@text with a blank between. */
static void join(struct catalog *catalog, char **text, struct piece p)
{
	char *both = NULL;

	p = trim(p);
	if (asprintf(&both, "%s%s%.*s", *text ? *text : "", *text && **text ? " " : "", (int)p.len,
		     p.text) < 0) {
		catalog->failed = true;
		return;
	}
	free(*text);
	*text = both;
}

static struct catalog_entry *add_entry(struct catalog *catalog, enum catalog_kind kind)
{
	struct catalog_entry *list =
		realloc(catalog->entry, (catalog->nr + 1) * sizeof(*catalog->entry));

	if (!list) {
		catalog->failed = true;
		return NULL;
	}
	catalog->entry = list;
	memset(&list[catalog->nr], 0, sizeof(*list));
	list[catalog->nr].kind = kind;
	return &list[catalog->nr++];
}

static void add_column(struct catalog *catalog, struct catalog_entry *entry, struct piece name,
		       struct piece unit, struct piece doc)
{
	struct catalog_column *list =
		realloc(entry->column, (entry->nr_columns + 1) * sizeof(*entry->column));
	struct catalog_column *column;

	if (!list) {
		catalog->failed = true;
		return;
	}
	entry->column = list;
	column = &list[entry->nr_columns++];
	column->name = keep(catalog, name);
	column->unit = keep(catalog, unit);
	column->doc = keep(catalog, doc);
}

static struct piece piece_of(const char *text)
{
	return (struct piece){ text, strlen(text) };
}

/* The event whose rows table @table holds as they come, or NULL. */
static const struct vocab_entry *event_of_table(unsigned int table)
{
	for (int id = 0; id < VOCAB_NR; id++)
		if (store_event_table(id) == (int)table)
			return vocab_entry(id);
	return NULL;
}

static void add_fact_origin(struct catalog *catalog, struct catalog_entry *entry,
			    unsigned int table)
{
	const struct vocab_entry *event = event_of_table(table);

	entry->origin = keep_text(catalog, event ? "capture/vocabulary/events.def"
						 : "sql/schema/tables.def");
	if (!event) {
		entry->event = keep_text(catalog, "");
	} else if (asprintf(&entry->event, "%s:%s", event->system, event->name) < 0) {
		entry->event = NULL;
		catalog->failed = true;
	}
}

static void add_facts(struct catalog *catalog, bool columns)
{
	const struct store_table_def *def;
	struct catalog_entry *entry;

	for (unsigned int i = 0; (def = store_table_at(i)); i++) {
		if (def->columns != columns)
			continue;
		entry = add_entry(catalog, columns ? CATALOG_COLUMNS : CATALOG_ROWS);
		if (!entry)
			return;
		entry->name = keep_text(catalog, def->name);
		entry->doc = keep_text(catalog, def->doc);
		entry->more = keep_text(catalog, "");
		add_fact_origin(catalog, entry, i);
		for (unsigned int c = 0; c < def->nr_columns; c++)
			add_column(catalog, entry, piece_of(def->column[c].name),
				   piece_of(def->column[c].unit), piece_of(def->column[c].doc));
	}
}

/* "	name TYPE ...,	-- [unit] words"; lines of constraints have no comment. */
static void add_meta_column(struct catalog *catalog, struct catalog_entry *entry, struct piece line)
{
	struct piece name = next_word(&line);
	struct piece unit = { "", 0 };
	const char *comment = memmem(line.text, line.len, "-- ", 3);
	struct piece doc;

	if (!comment || !islower((unsigned char)name.text[0]))
		return;
	cut(&line, (size_t)(comment - line.text) + 3);
	doc = trim(line);
	if (starts(doc, "[") && memchr(doc.text, ']', doc.len)) {
		cut(&doc, 1);
		unit = cut(&doc, (size_t)((const char *)memchr(doc.text, ']', doc.len) - doc.text));
		cut(&doc, 1);
	}
	add_column(catalog, entry, name, unit, doc);
}

static struct catalog_entry *add_meta_table(struct catalog *catalog, struct piece line, char *doc)
{
	struct catalog_entry *entry = add_entry(catalog, CATALOG_TABLE);

	if (!entry)
		return NULL;
	cut(&line, strlen("CREATE TABLE "));
	entry->name = keep(catalog, next_word(&line));
	entry->doc = keep_text(catalog, doc ? doc : "");
	entry->more = keep_text(catalog, "");
	entry->origin = keep_text(catalog, "sql/schema/meta.sql");
	entry->event = keep_text(catalog, "");
	return entry;
}

static void add_meta(struct catalog *catalog)
{
	struct catalog_entry *entry = NULL;
	const char *text = store_meta_sql;
	char *doc = NULL;

	while (*text && !catalog->failed) {
		struct piece line = next_line(&text);

		if (starts(line, "CREATE TABLE ")) {
			entry = add_meta_table(catalog, line, doc);
		} else if (entry && starts(line, "\t")) {
			add_meta_column(catalog, entry, line);
		} else if (starts(line, "-- ")) {
			cut(&line, 3);
			join(catalog, &doc, line);
		} else {
			entry = NULL;
			free(doc);
			doc = NULL;
		}
	}
	free(doc);
}

/* One line of comment in the head of a view, without its dashes. */
static void add_view_line(struct catalog *catalog, struct catalog_entry *entry, struct piece line)
{
	struct piece name;
	struct piece unit;

	if (starts(line, "@view ")) {
		next_word(&line);
		next_word(&line);
		join(catalog, &entry->doc, line);
	} else if (starts(line, "@column ")) {
		next_word(&line);
		name = next_word(&line);
		unit = next_word(&line);
		if (unit.len == 1 && *unit.text == '-')
			unit.len = 0;
		add_column(catalog, entry, name, unit, line);
	} else if (!starts(line, "SPDX")) {
		join(catalog, &entry->more, line);
	}
}

static void add_view(struct catalog *catalog, const struct embedded_view *view)
{
	struct catalog_entry *entry = add_entry(catalog, CATALOG_VIEW);
	const char *text = view->sql;

	if (!entry)
		return;
	entry->name = keep_text(catalog, view->name);
	entry->doc = keep_text(catalog, "");
	entry->more = keep_text(catalog, "");
	entry->event = keep_text(catalog, "");
	if (asprintf(&entry->origin, "sql/views/%s.sql", view->name) < 0) {
		entry->origin = NULL;
		catalog->failed = true;
	}
	while (*text && !catalog->failed) {
		struct piece line = next_line(&text);

		if (!starts(line, "--"))
			return;
		cut(&line, 2);
		add_view_line(catalog, entry, trim(line));
	}
}

struct catalog *catalog_new(void)
{
	struct catalog *catalog = calloc(1, sizeof(*catalog));

	if (!catalog)
		return NULL;
	for (const struct embedded_view *view = store_views; view->name; view++)
		if (view->name[0] != '_')
			add_view(catalog, view);
	add_meta(catalog);
	add_facts(catalog, false);
	add_facts(catalog, true);
	if (!catalog->failed)
		return catalog;
	catalog_free(catalog);
	return NULL;
}

void catalog_free(struct catalog *catalog)
{
	if (!catalog)
		return;
	for (unsigned int i = 0; i < catalog->nr; i++) {
		struct catalog_entry *entry = &catalog->entry[i];

		for (unsigned int c = 0; c < entry->nr_columns; c++) {
			free(entry->column[c].name);
			free(entry->column[c].unit);
			free(entry->column[c].doc);
		}
		free(entry->column);
		free(entry->name);
		free(entry->doc);
		free(entry->more);
		free(entry->origin);
		free(entry->event);
	}
	free(catalog->entry);
	free(catalog);
}

const struct catalog_entry *catalog_at(const struct catalog *catalog, unsigned int i)
{
	return i < catalog->nr ? &catalog->entry[i] : NULL;
}

const struct catalog_entry *catalog_find(const struct catalog *catalog, const char *name)
{
	for (unsigned int i = 0; i < catalog->nr; i++)
		if (!strcasecmp(catalog->entry[i].name, name))
			return &catalog->entry[i];
	return NULL;
}

const char *catalog_kind_name(enum catalog_kind kind)
{
	static const char *const names[] = {
		[CATALOG_VIEW] = "view",
		[CATALOG_TABLE] = "table",
		[CATALOG_ROWS] = "table of events",
		[CATALOG_COLUMNS] = "table of page-rate events",
	};

	return names[kind];
}
