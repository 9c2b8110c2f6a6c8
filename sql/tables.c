/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fact tables as data: those of tables.def, then one an event of the vocabulary that lands in a
 * table of its own. Both lists are read by the preprocessor.
 */
#include "sql/store.h"

#define COMMON                                                                                     \
	{ "run", "INT", "", "the run, see table run" },                                            \
		{ "ts", "INT", "ns", "time on the run's clock" },                                  \
		{ "cpu", "INT", "", "CPU; NULL unknown" },                                         \
		{ "task", "TASK", "", "the thread, see table task; NULL unknown" },

/* clang-format off */

#define TABLE(name, storage, doc) static const struct store_column name##_columns[] = { COMMON
#define COLUMN(table, name, kind, unit, doc) { #name, #kind, unit, doc },
#define TABLE_END(name) };
#include "sql/schema/tables.def"
#undef TABLE
#undef COLUMN
#undef TABLE_END

#define EVENT(system, name, storage, table, doc)                                                   \
	static const struct store_column name##_columns[] __attribute__((unused)) = { COMMON
#define ALIAS(name, system, other)
#define FIELD(name, slot, kind, formats, keys, unit, doc) { #slot, #kind, unit, doc },
#define EVENT_END(name) };
#include "capture/vocabulary/events.def"
#undef EVENT
#undef FIELD
#undef EVENT_END

#define NR(array)     (sizeof(array) / sizeof((array)[0]))
#define IS_ROWS	      false
#define IS_COLUMNS    true
#define ENTRY_COUNTED(name, table, doc)
#define ENTRY_PAIRED(name, table, doc)
#define ENTRY_ROWS(name, table, doc) { #table, doc, IS_ROWS, NR(name##_columns), name##_columns },
#define ENTRY_COLUMNS(name, table, doc)                                                            \
	{ #table, doc, IS_COLUMNS, NR(name##_columns), name##_columns },

static const struct store_table_def tables[] = {
#define TABLE(name, storage, doc) { #name, doc, IS_##storage, NR(name##_columns), name##_columns },
#define COLUMN(table, name, kind, unit, doc)
#define TABLE_END(name)
#include "sql/schema/tables.def"
#undef TABLE
#undef COLUMN
#undef TABLE_END
#define EVENT(system, name, storage, table, doc) ENTRY_##storage(name, table, doc)
#define FIELD(name, slot, kind, formats, keys, unit, doc)
#define EVENT_END(name)
#include "capture/vocabulary/events.def"
#undef EVENT
};

/* The number of an event's table, from the order of the list above. */
enum event_table {
	EVENT_TABLE_BEFORE = STORE_NR_TABLES - 1,
#define NUMBER_COUNTED(name)
#define NUMBER_PAIRED(name)
#define NUMBER_ROWS(name)    EVENT_TABLE_##name,
#define NUMBER_COLUMNS(name) EVENT_TABLE_##name,
#define EVENT(system, name, storage, table, doc) NUMBER_##storage(name)
#include "capture/vocabulary/events.def"
#undef EVENT
};

static const int event_tables[] = {
#define OF_COUNTED(name) -1,
#define OF_PAIRED(name)	 -1,
#define OF_ROWS(name)	 EVENT_TABLE_##name,
#define OF_COLUMNS(name) EVENT_TABLE_##name,
#define EVENT(system, name, storage, table, doc) OF_##storage(name)
#include "capture/vocabulary/events.def"
#undef EVENT
#undef ALIAS
#undef FIELD
#undef EVENT_END
};

/* clang-format on */

const struct store_table_def *store_table_at(unsigned int i)
{
	return i < NR(tables) ? &tables[i] : NULL;
}

int store_event_table(enum vocab_id id)
{
	return (unsigned int)id < NR(event_tables) ? event_tables[id] : -1;
}

const char *store_actor_name(enum store_actor actor)
{
	static const char *const names[] = {
		[STORE_KSWAPD] = "kswapd",	 [STORE_DIRECT] = "direct",
		[STORE_MEMCG] = "memcg",	 [STORE_SOFTLIMIT] = "softlimit",
		[STORE_NODE] = "node",		 [STORE_KHUGEPAGED] = "khugepaged",
		[STORE_KCOMPACTD] = "kcompactd", [STORE_PROACTIVE] = "proactive",
		[STORE_OTHER] = "other",
	};

	return (unsigned int)actor < STORE_NR_ACTORS ? names[actor] : NULL;
}
