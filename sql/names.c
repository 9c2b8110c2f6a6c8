/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql/names.h"

#include <stdbool.h>
#include <stddef.h>

#include "capture/vocabulary/vocabulary.h"
#include "sql/store.h"

#define PLAIN_VALUES 64 /* enumerations of the vocabulary end well below */

static const struct {
	const char *domain;
	enum vocab_kind kind;
	bool bits;
} domains[] = {
	{ "gfp", VOCAB_GFP, true },	  { "flags", VOCAB_FLAGS, true },
	{ "reason", VOCAB_REASON, true }, { "lru", VOCAB_LRU, false },
	{ "zone", VOCAB_ZONE, false },	  { "compact", VOCAB_COMPACT, false },
	{ "mode", VOCAB_MODE, false },	  { "migrate_reason", VOCAB_MIGRATE_REASON, false },
	{ "prio", VOCAB_PRIO, false },	  { "retry", VOCAB_RETRY, false },
	{ "rss", VOCAB_RSS, false },	  { "wb_reason", VOCAB_WB_REASON, false },
	{ "thp", VOCAB_THP, false },	  { "page", VOCAB_PAGE, true },
	{ "state", VOCAB_STATE, true },
};

int names_each(int (*each)(void *ctx, const char *domain, int64_t value, const char *name),
	       void *ctx)
{
	int ret = 0;

	for (int i = 0; i < STORE_NR_ACTORS && !ret; i++)
		ret = each(ctx, "actor", i, store_actor_name((enum store_actor)i));
	for (size_t d = 0; d < sizeof(domains) / sizeof(domains[0]); d++) {
		for (int i = 0; i < (domains[d].bits ? 63 : PLAIN_VALUES) && !ret; i++) {
			int64_t value = domains[d].bits ? INT64_C(1) << i : i;
			const char *name = vocab_domain_name(domains[d].kind, value);

			if (name)
				ret = each(ctx, domains[d].domain, value, name);
		}
	}
	return ret;
}
