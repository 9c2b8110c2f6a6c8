/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the numbers in the store. Enumerations give the name, or the number as text where it has
 * none; masks give their names joined by '|'.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "capture/vocabulary/gfp.h"
#include "capture/vocabulary/vocabulary.h"
#include "sql/functions.h"
#include "sql/store.h"

#define TEXT_SIZE 1024 /* all gfp names and bars are well below */

static void name(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	enum vocab_kind kind = (enum vocab_kind)function_of(context)->data;
	int64_t value = sqlite3_value_int64(argv[0]);
	const char *text = vocab_domain_name(kind, value);

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	if (text)
		sqlite3_result_text(context, text, -1, SQLITE_STATIC);
	else
		sqlite3_result_value(context, argv[0]);
}

static void mask(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	enum vocab_kind kind = (enum vocab_kind)function_of(context)->data;
	char text[TEXT_SIZE];

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	vocab_format(kind, sqlite3_value_int64(argv[0]), text, sizeof(text));
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void actor_name(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int64_t value = sqlite3_value_int64(argv[0]);

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	if (value >= 0 && value < STORE_NR_ACTORS)
		sqlite3_result_text(context, store_actor_name((enum store_actor)value), -1,
				    SQLITE_STATIC);
	else
		sqlite3_result_value(context, argv[0]);
}

static void device(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	int64_t value = sqlite3_value_int64(argv[0]);
	char text[48];

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	snprintf(text, sizeof(text), "%lld:%lld", (long long)(value >> 20),
		 (long long)(value & 0xfffff));
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* A flag's name with or without the underscores in front, or a name of several flags; 0: none. */
static int64_t gfp_of(const char *text)
{
	bool whole = !strncmp(text, "__GFP_", 6) || !strncmp(text, "GFP_", 4);
	int64_t value = 0;
	char full[64];
	int n = snprintf(full, sizeof(full), "%s%.48s", whole ? "" : "__GFP_", text);

	if (vocab_parse(VOCAB_GFP, full, (size_t)n, &value) || value & RL_GFP(UNKNOWN))
		return 0;
	return value;
}

static void gfp_has(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *text = (const char *)sqlite3_value_text(argv[1]);
	int64_t want;

	if (sqlite3_value_type(argv[0]) == SQLITE_NULL || !text)
		return;
	want = gfp_of(text);
	if (!want) {
		char *line = sqlite3_mprintf("gfp_has: no allocation flag is called '%s'", text);

		sqlite3_result_error(context, line ? line : "gfp_has: unknown flag", -1);
		sqlite3_free(line);
		return;
	}
	sqlite3_result_int(context, (sqlite3_value_int64(argv[0]) & want) == want);
}

/* clang-format off */
#define NAME(function, kind, doc) { #function, 1, #function "(number)", doc, name, NULL, NULL, kind }
#define MASK(function, kind, doc) { #function, 1, #function "(mask)", doc, mask, NULL, NULL, kind }

const struct sql_function name_functions[] = {
	MASK(gfp_flags, VOCAB_GFP, "allocation flags in words, as the newest kernels print them"),
	{ "gfp_has", 2, "gfp_has(mask, 'NORETRY')",
	  "1 where the mask has the flag; __GFP_NORETRY and GFP_KERNEL (all of its flags) work too",
	  gfp_has, NULL, NULL, 0 },
	MASK(throttle_reason, VOCAB_REASON, "why a reclaimer waited, in words"),
	MASK(reclaim_flags, VOCAB_FLAGS, "reclaim flags in words"),
	MASK(page_flags, VOCAB_PAGE, "state of a page put on an LRU list, in words"),
	MASK(state_name, VOCAB_STATE, "state of a task that leaves its CPU, in letters"),
	{ "actor_name", 1, "actor_name(number)", "who reclaims: kswapd, direct, memcg, ...",
	  actor_name, NULL, NULL, 0 },
	NAME(lru_name, VOCAB_LRU, "list: inactive_anon, active_anon, ..."),
	NAME(zone_name, VOCAB_ZONE, "zone: DMA, DMA32, Normal, ..."),
	NAME(compact_name, VOCAB_COMPACT, "how a compaction ended"),
	NAME(migrate_mode_name, VOCAB_MODE, "how migration may wait"),
	NAME(migrate_reason_name, VOCAB_MIGRATE_REASON, "why pages were moved"),
	NAME(compact_priority_name, VOCAB_PRIO, "priority of a compaction"),
	NAME(rss_name, VOCAB_RSS, "counter of an address space"),
	NAME(writeback_reason_name, VOCAB_WB_REASON, "why a flusher works"),
	NAME(thp_name, VOCAB_THP, "result of khugepaged"),
	{ "device", 1, "device(number)", "a device as major:minor", device, NULL, NULL, 0 },
	{ .name = NULL },
};
