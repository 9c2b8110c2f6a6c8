/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sieve.c - SIEVE (Zhang et al., NSDI 2024)
 *
 * One queue in order of arrival and a hand that moves from old to new. A page that was accessed
 * loses its mark when the hand passes, one that was not goes. Nothing ever moves in the queue, so
 * an access costs one bit.
 */
#include "reclaim/policy.h"

#define VISITED 1

/* The hand is the page it points to, plus one; zero: start at the tail. */
static uint32_t hand(const struct reclaim_lists *l)
{
	uintptr_t v = (uintptr_t)*l->slot;

	return v ? (uint32_t)(v - 1) : RECLAIM_NO_PAGE;
}

static void set_hand(struct reclaim_lists *l, uint32_t page)
{
	*l->slot = (void *)(page == RECLAIM_NO_PAGE ? (uintptr_t)0 : (uintptr_t)page + 1);
}

static void insert(void *state, struct reclaim_lists *l, uint32_t page, uint64_t distance,
		   bool kept)
{
	l->set_bits(l, page, kept ? VISITED : 0);
	l->add(l, 0, page, true);
}

static void access(void *state, struct reclaim_lists *l, uint32_t page)
{
	l->set_bits(l, page, VISITED);
}

static uint32_t victim(void *state, struct reclaim_lists *l)
{
	uint32_t page = hand(l);

	if (page == RECLAIM_NO_PAGE)
		page = l->tail(l, 0);
	while (page != RECLAIM_NO_PAGE && l->bits(l, page) == VISITED) {
		l->set_bits(l, page, 0);
		page = l->newer(l, page);
		if (page == RECLAIM_NO_PAGE)
			page = l->tail(l, 0);
	}
	set_hand(l, page);
	return page;
}

/* The hand must not point at a page that leaves. */
static void gone(void *state, struct reclaim_lists *l, uint32_t page)
{
	if (hand(l) == page)
		set_hand(l, l->newer(l, page));
}

static const struct reclaim_discipline discipline = {
	.insert = insert,
	.access = access,
	.victim = victim,
	.remove = gone,
};

static const struct reclaim_policy_ops ops = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "sieve",
	.source = "Zhang et al., SIEVE is Simpler than LRU, NSDI 2024",
	.summary = "one queue, a hand, lazy promotion",
	.lru_kind = RECLAIM_LRU_DISCIPLINE,
	.discipline = &discipline,
};

const struct reclaim_policy_ops *reclaim_policy_plugin(uint32_t abi);

const struct reclaim_policy_ops *reclaim_policy_plugin(uint32_t abi)
{
	return abi == RECLAIM_POLICY_ABI ? &ops : NULL;
}
