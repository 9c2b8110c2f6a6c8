/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * belady.c - the page whose next request is farthest goes first: the bound on refaults
 *
 * Belady's MIN (IBM Systems Journal 5(2), 1966). It needs the future of the demand, so no kernel
 * can have it: it says how far any order of the lists could get with the same wakes, batches and
 * watermarks. As much is known as the demand shows; a touch that the recording does not have keeps
 * no page.
 *
 * The pages of a list stand in a heap by their next request. A page that reclaim could not free
 * (dirty, or under writeback) is set aside, and comes back into the heap when some others have been
 * looked at: else it would be the farthest again at once. Where pages of both types can go, the
 * list with the farther page is scanned.
 */
#include <stdlib.h>

#include "builtin.h"

#define HEAP 0 /* the list of the pages in the heap */
#define SIDE 1 /* and of those set aside, oldest at the tail */

struct entry {
	uint64_t next; /* request */
	uint32_t page;
};

struct heap {
	struct entry *v;
	uint32_t nr, room;
	uint64_t looks;
	struct heap *chain;
};

struct place {
	uint32_t at;  /* index in its heap + 1, 0: in none */
	uint64_t due; /* set aside until so many looks */
};

struct belady {
	int64_t retry;
	struct place *places; /* by frame */
	uint32_t nr_places;
	struct heap *heaps;
};

static const struct reclaim_policy_param params[] = {
	{ "retry", "looks at other pages before one that could not go is tried again", 1, 1 << 24,
	  1024 },
};

static int init(void *state, const int64_t *values, struct reclaim_error *error)
{
	((struct belady *)state)->retry = values[0];
	return 0;
}

static void leave(void *state)
{
	struct belady *b = state;

	while (b->heaps) {
		struct heap *heap = b->heaps;

		b->heaps = heap->chain;
		free(heap->v);
		free(heap);
	}
	free(b->places);
}

/* The heap of the pair, or NULL when memory is short: then the list is a queue. */
static struct heap *heap_of(struct belady *b, struct reclaim_lists *l)
{
	struct heap *heap = *l->slot;

	if (heap)
		return heap;
	heap = calloc(1, sizeof(*heap));
	if (!heap)
		return NULL;
	heap->chain = b->heaps;
	b->heaps = heap;
	*l->slot = heap;
	return heap;
}

static struct place *place_of(struct belady *b, uint32_t page)
{
	uint32_t nr = b->nr_places ? b->nr_places : 1024;
	struct place *grown;

	if (page < b->nr_places)
		return &b->places[page];
	while (nr <= page)
		nr *= 2;
	grown = realloc(b->places, nr * sizeof(*grown));
	if (!grown)
		return NULL;
	for (uint32_t i = b->nr_places; i < nr; i++)
		grown[i] = (struct place){ 0 };
	b->places = grown;
	b->nr_places = nr;
	return &b->places[page];
}

static void settle(struct belady *b, struct heap *heap, uint32_t at, struct entry entry)
{
	heap->v[at] = entry;
	b->places[entry.page].at = at + 1;
}

static void sift_up(struct belady *b, struct heap *heap, uint32_t at, struct entry entry)
{
	for (; at && heap->v[(at - 1) / 2].next < entry.next; at = (at - 1) / 2)
		settle(b, heap, at, heap->v[(at - 1) / 2]);
	settle(b, heap, at, entry);
}

static void sift_down(struct belady *b, struct heap *heap, uint32_t at, struct entry entry)
{
	uint32_t child;

	while ((child = 2 * at + 1) < heap->nr) {
		if (child + 1 < heap->nr && heap->v[child + 1].next > heap->v[child].next)
			child++;
		if (heap->v[child].next <= entry.next)
			break;
		settle(b, heap, at, heap->v[child]);
		at = child;
	}
	settle(b, heap, at, entry);
}

/* Put @entry where another was. */
static void replace(struct belady *b, struct heap *heap, uint32_t at, struct entry entry)
{
	if (entry.next > heap->v[at].next)
		sift_up(b, heap, at, entry);
	else
		sift_down(b, heap, at, entry);
}

static void heap_remove(struct belady *b, struct heap *heap, uint32_t page)
{
	uint32_t at = b->places[page].at - 1;
	struct entry last = heap->v[--heap->nr];

	b->places[page].at = 0;
	if (at < heap->nr)
		replace(b, heap, at, last);
}

static void heap_add(struct belady *b, struct heap *heap, struct entry entry)
{
	if (heap->nr == heap->room) {
		uint32_t room = heap->room ? heap->room * 2 : 256;
		struct entry *grown = realloc(heap->v, room * sizeof(*grown));

		if (!grown)
			return;
		heap->v = grown;
		heap->room = room;
	}
	sift_up(b, heap, heap->nr++, entry);
}

static void insert(void *state, struct reclaim_lists *l, uint32_t page, uint64_t distance,
		   bool kept)
{
	struct belady *b = state;
	struct heap *heap = heap_of(b, l);
	struct place *place = place_of(b, page);

	l->add(l, kept ? SIDE : HEAP, page, true);
	if (!heap || !place)
		return;
	if (kept)
		place->due = heap->looks + (uint64_t)b->retry;
	else
		heap_add(b, heap, (struct entry){ l->next_use(l, page), page });
}

static void leave_list(void *state, struct reclaim_lists *l, uint32_t page)
{
	struct belady *b = state;

	if (page < b->nr_places && b->places[page].at)
		heap_remove(b, *l->slot, page);
}

static void access(void *state, struct reclaim_lists *l, uint32_t page)
{
	struct belady *b = state;
	struct heap *heap = *l->slot;

	if (page < b->nr_places && b->places[page].at)
		replace(b, heap, b->places[page].at - 1,
			(struct entry){ l->next_use(l, page), page });
}

static void back_into_heap(struct belady *b, struct reclaim_lists *l, struct heap *heap,
			   uint32_t page)
{
	l->del(l, page);
	l->add(l, HEAP, page, true);
	heap_add(b, heap, (struct entry){ l->next_use(l, page), page });
}

static uint32_t victim(void *state, struct reclaim_lists *l)
{
	struct belady *b = state;
	struct heap *heap = *l->slot;
	uint32_t page;

	while (heap && (page = l->tail(l, SIDE)) != RECLAIM_NO_PAGE && page < b->nr_places &&
	       (b->places[page].due <= heap->looks || !heap->nr))
		back_into_heap(b, l, heap, page);
	if (heap && heap->nr) {
		heap->looks++;
		return heap->v[0].page;
	}
	page = l->tail(l, HEAP);
	return page != RECLAIM_NO_PAGE ? page : l->tail(l, SIDE);
}

/* The next request for the farthest page of a pair's type, 0 where there is none. */
static uint64_t farthest(const struct reclaim_balance_input *in, int type)
{
	const struct heap *heap = in->slot[type];

	return heap && heap->nr ? heap->v[0].next : 0;
}

static void scan_balance(void *state, const struct reclaim_balance_input *in,
			 struct reclaim_balance *out)
{
	bool anon = in->can_swap && farthest(in, 0) > farthest(in, 1);

	out->anon = anon;
	out->file = !anon;
}

static const struct reclaim_discipline discipline = {
	.insert = insert,
	.access = access,
	.victim = victim,
	.remove = leave_list,
};

const struct reclaim_policy_ops reclaim_belady = {
	.abi = RECLAIM_POLICY_ABI,
	.name = "belady",
	.source = "Belady, A study of replacement algorithms, IBM Systems Journal 5(2), 1966",
	.summary = "the bound on refaults: evicts what is needed last, knowing the future",
	.params = params,
	.nr_params = 1,
	.state_size = sizeof(struct belady),
	.init = init,
	.exit = leave,
	.scan_balance = scan_balance,
	.lru_kind = RECLAIM_LRU_DISCIPLINE,
	.discipline = &discipline,
	.future = true,
};
