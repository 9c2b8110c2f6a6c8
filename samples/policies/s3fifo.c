/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * s3fifo.c - S3-FIFO (Yang et al., SOSP 2023)
 *
 * A small queue (list 0) filters what is used once, a main queue (list 1) keeps the rest; both are
 * first in, first out. A page that was accessed while in the small queue moves to the main one, one
 * accessed in the main queue goes round again with its count lowered. A page that comes back within
 * the length of the main queue (the ghost queue) enters the main queue at once. Parameter: the
 * share of the small queue.
 */
#include "reclaim/policy.h"

#define MAX_COUNT 3

struct s3fifo {
	int64_t small;
};

static const struct reclaim_policy_param params[] = {
	{ "small", "share of the small queue, per cent", 1, 90, 10 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	((struct s3fifo *)state)->small = values[0];
	return 0;
}

static void insert(void *state, struct reclaim_lists *l, uint32_t page, uint64_t distance,
		   bool kept)
{
	int list = kept ? l->list_of(l, page) : distance <= l->len(l, 1);

	if (!kept)
		l->set_bits(l, page, 0);
	l->add(l, list, page, true);
}

static void access(void *state, struct reclaim_lists *l, uint32_t page)
{
	uint8_t count = l->bits(l, page);

	if (count < MAX_COUNT)
		l->set_bits(l, page, count + 1);
}

/* Move a page to the head of the main queue. */
static void to_main(struct reclaim_lists *l, uint32_t page, uint8_t count)
{
	l->del(l, page);
	l->set_bits(l, page, count);
	l->add(l, 1, page, true);
}

static uint32_t victim(void *state, struct reclaim_lists *l)
{
	const struct s3fifo *s = state;
	uint32_t page;

	for (;;) {
		uint64_t small = l->len(l, 0), all = small + l->len(l, 1);

		if (!all)
			return RECLAIM_NO_PAGE;
		if (small * 100 >= all * (uint64_t)s->small) {
			page = l->tail(l, 0);
			if (l->bits(l, page) <= 1)
				return page;
			to_main(l, page, 0);
		} else {
			page = l->tail(l, 1);
			if (!l->bits(l, page))
				return page;
			to_main(l, page, l->bits(l, page) - 1);
		}
	}
}

static const struct reclaim_discipline discipline = {
	.insert = insert,
	.access = access,
	.victim = victim,
};

static const struct reclaim_policy_ops ops = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "s3-fifo",
	.source = "Yang et al., FIFO Queues are All You Need for Cache Eviction, SOSP 2023",
	.summary = "a small queue, a main queue and a ghost",
	.params = params,
	.nr_params = 1,
	.state_size = sizeof(struct s3fifo),
	.init = init,
	.lru_kind = RECLAIM_LRU_DISCIPLINE,
	.discipline = &discipline,
};

const struct reclaim_policy_ops *reclaim_policy_plugin(uint32_t abi);

const struct reclaim_policy_ops *reclaim_policy_plugin(uint32_t abi)
{
	return abi == RECLAIM_POLICY_ABI ? &ops : NULL;
}
