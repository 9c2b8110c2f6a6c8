/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fifo.c - the smallest list discipline: out goes what came first, whatever happened in between */
#include "reclaim/policy.h"

static void insert(void *state, struct reclaim_lists *l, uint32_t page, uint64_t distance,
		   bool kept)
{
	/* What reclaim could not free (dirty, say) is tried again before anything younger. */
	l->add(l, 0, page, !kept);
}

static void access(void *state, struct reclaim_lists *l, uint32_t page)
{
}

static uint32_t victim(void *state, struct reclaim_lists *l)
{
	return l->tail(l, 0);
}

static const struct reclaim_discipline discipline = {
	.insert = insert,
	.access = access,
	.victim = victim,
};

static const struct reclaim_policy_ops ops = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "fifo",
	.source = "folklore",
	.summary = "first in, first out",
	.lru_kind = RECLAIM_LRU_DISCIPLINE,
	.discipline = &discipline,
};

const struct reclaim_policy_ops *reclaim_policy_plugin(uint32_t abi);

const struct reclaim_policy_ops *reclaim_policy_plugin(uint32_t abi)
{
	return abi == RECLAIM_POLICY_ABI ? &ops : NULL;
}
