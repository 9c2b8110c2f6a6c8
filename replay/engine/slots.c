/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * slots.c - which slot of the swap device a page gets (mm/swapfile.c, mm/swap_slots.c)
 *
 * Each CPU takes up to 64 slots at once and hands them out in order. On a rotating device they come
 * one behind the other out of an empty stretch of 256, for which the device is searched from its
 * first free slot; where there is none, the next free slot is as good as any. On a solid one each
 * CPU works in a cluster of its own of 256, and takes the one that has been free for longest next.
 */
#include <stdlib.h>

#include "internal.h"

#define CLUSTER	      256 /* SWAPFILE_CLUSTER */
#define LATENCY_LIMIT 256
#define WORD	      64
#define FEW_SLOTS     (2 * RC_SLOT_CACHE)
#define MANY_SLOTS    (5 * RC_SLOT_CACHE)

int rc_slots_init(struct reclaim_engine *e)
{
	struct rc_slots *s = &e->slots;
	uint64_t nr = e->m.swap_pages, clusters = nr / CLUSTER + 1, i;

	if (!nr)
		return 0;
	s->nr = (uint32_t)nr;
	s->lowest = s->next = 1;
	s->used = calloc(nr / WORD + 1, sizeof(*s->used));
	s->cluster_used = calloc(clusters, sizeof(*s->cluster_used));
	s->free_clusters = calloc(clusters, sizeof(*s->free_clusters));
	if (!s->used || !s->cluster_used || !s->free_clusters)
		return -ENOMEM;
	/* Slot 0 is the device's header, so its cluster is never free. */
	s->used[0] = 1;
	s->cluster_used[0] = 1;
	for (i = 1; (i + 1) * CLUSTER <= nr + 1; i++)
		s->free_clusters[s->nr_free_clusters++] = (uint32_t)i;
	s->nr_clusters = (uint32_t)clusters;
	return 0;
}

void rc_slots_free(struct reclaim_engine *e)
{
	free(e->slots.used);
	free(e->slots.cluster_used);
	free(e->slots.free_clusters);
	rc_table_free(&e->slots.of_page);
	rc_table_free(&e->slots.owner);
}

static bool in_use(const struct rc_slots *s, uint32_t slot)
{
	return s->used[slot / WORD] >> slot % WORD & 1;
}

static void mark(struct rc_slots *s, uint32_t slot)
{
	uint32_t cluster = slot / CLUSTER;

	s->used[slot / WORD] |= 1ULL << slot % WORD;
	s->in_use++;
	if (slot == s->lowest)
		s->lowest++;
	if (s->cluster_used[cluster]++)
		return;
	/* It is the first of the free ones, or one that a search ran into. */
	for (uint32_t i = 0; i < s->nr_free_clusters; i++) {
		uint32_t at = (s->first_free + i) % s->nr_clusters;

		if (s->free_clusters[at] != cluster)
			continue;
		for (; i; i--, at = (at + s->nr_clusters - 1) % s->nr_clusters)
			s->free_clusters[at] =
				s->free_clusters[(at + s->nr_clusters - 1) % s->nr_clusters];
		s->first_free = (s->first_free + 1) % s->nr_clusters;
		s->nr_free_clusters--;
		break;
	}
}

static void unmark(struct rc_slots *s, uint32_t slot)
{
	uint32_t cluster = slot / CLUSTER;

	s->used[slot / WORD] &= ~(1ULL << slot % WORD);
	s->in_use--;
	s->lowest = rc_min(s->lowest, slot);
	if (!--s->cluster_used[cluster] && (cluster + 1) * CLUSTER <= s->nr + 1)
		s->free_clusters[(s->first_free + s->nr_free_clusters++) % s->nr_clusters] =
			cluster;
}

/* The first free slot at or behind @from, going round; 0: none. */
static uint32_t next_free(const struct rc_slots *s, uint32_t from)
{
	uint32_t slot = from, seen = 0;

	for (; seen <= s->nr; seen++, slot++) {
		if (slot > s->nr)
			slot = s->lowest;
		if (slot % WORD == 0 && s->used[slot / WORD] == UINT64_MAX) {
			slot += WORD - 1;
			seen += WORD - 1;
			continue;
		}
		if (slot <= s->nr && !in_use(s, slot))
			return slot;
	}
	return 0;
}

/* The first slot of the first empty stretch of a cluster's size; 0: none. */
static uint32_t empty_stretch(const struct rc_slots *s)
{
	uint32_t slot = s->lowest, run = 0;

	while (slot <= s->nr) {
		uint32_t step = 1;
		bool used = in_use(s, slot);

		if (slot % WORD == 0 && slot + WORD - 1 <= s->nr &&
		    s->used[slot / WORD] == (used ? UINT64_MAX : 0))
			step = WORD;
		run = used ? 0 : run + step;
		slot += step;
		if (run >= CLUSTER)
			return slot - run;
	}
	return 0;
}

/* scan_swap_map_slots() of a device whose seeks are expensive */
static uint32_t take_rotating(struct rc_slots *s, uint32_t want, uint32_t *out)
{
	uint32_t slot = s->next, nr = 0, tries = LATENCY_LIMIT;

	if (!s->cluster_left--) {
		s->cluster_left = CLUSTER - 1;
		if (s->nr - s->in_use >= CLUSTER) {
			slot = empty_stretch(s);
			slot = slot ? slot : s->lowest;
		}
	}
	if (slot > s->nr || in_use(s, slot))
		slot = next_free(s, slot);
	while (slot && slot <= s->nr && nr < want) {
		mark(s, slot);
		out[nr++] = slot++;
		if (s->cluster_left && slot <= s->nr && !in_use(s, slot)) {
			s->cluster_left--;
			continue;
		}
		/* Where the stretch ends it looks a little further, past what is in use. */
		for (; slot <= s->nr && in_use(s, slot) && tries; tries--)
			slot++;
		if (!tries)
			break;
	}
	if (nr)
		s->next = out[nr - 1] + 1;
	return nr;
}

/* scan_swap_map_try_ssd_cluster() */
static uint32_t take_solid(struct rc_slots *s, struct rc_slot_cache *c, uint32_t want,
			   uint32_t *out)
{
	uint32_t nr = 0, slot;

	while (nr < want) {
		if (!c->cluster) {
			if (!s->nr_free_clusters)
				break;
			c->cluster = s->free_clusters[s->first_free];
			c->next = c->cluster * CLUSTER;
		}
		while (c->next < (c->cluster + 1) * CLUSTER && in_use(s, c->next))
			c->next++;
		if (c->next == (c->cluster + 1) * CLUSTER) {
			c->cluster = 0;
			continue;
		}
		mark(s, c->next);
		out[nr++] = c->next++;
	}
	if (!nr && (slot = next_free(s, s->lowest))) {
		mark(s, slot);
		out[nr++] = slot;
	}
	return nr;
}

/* With few slots left the CPUs keep none for themselves (check_cache_active()). */
static uint32_t batch_size(struct reclaim_engine *e)
{
	struct rc_slots *s = &e->slots;
	uint32_t left = s->nr - s->in_use, i;

	if (s->scarce && left > e->nr_cpus * MANY_SLOTS)
		s->scarce = false;
	if (!s->scarce && left < e->nr_cpus * FEW_SLOTS) {
		s->scarce = true;
		for (i = 0; i < e->nr_cpus; i++) {
			struct rc_slot_cache *c = &e->cpus[i].slots;

			while (c->taken < c->nr)
				unmark(s, c->slots[c->taken++]);
		}
	}
	return s->scarce ? 1 : RC_SLOT_CACHE;
}

/* Slots in a row for a huge page, at a multiple of its size. */
static uint32_t get_row(struct rc_slots *s, uint32_t nr)
{
	uint32_t slot, i;

	for (slot = s->lowest / nr * nr + nr; slot + nr - 1 <= s->nr; slot += nr) {
		for (i = 0; i < nr && !in_use(s, slot + i); i++)
			;
		if (i < nr)
			continue;
		for (i = 0; i < nr; i++)
			mark(s, slot + i);
		return slot;
	}
	return 0;
}

uint32_t rc_slot_get(struct reclaim_engine *e, uint32_t nr)
{
	struct rc_slot_cache *c = &rc_this_cpu(e)->slots;
	struct rc_slots *s = &e->slots;
	uint32_t want;

	if (nr > 1)
		return get_row(s, nr);
	if (c->taken == c->nr) {
		want = batch_size(e);
		c->taken = 0;
		c->nr = e->devices[e->m.swap_device].desc.rotational
				? take_rotating(s, want, c->slots)
				: take_solid(s, c, want, c->slots);
	}
	return c->taken < c->nr ? c->slots[c->taken++] : 0;
}

void rc_slot_put(struct reclaim_engine *e, uint32_t slot, uint32_t nr)
{
	while (nr--)
		unmark(&e->slots, slot++);
}
