/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * belady.c - the fewest misses possible
 *
 * Belady's MIN (IBM Systems Journal 5(2), 1966): evict the page whose next use is farthest. The
 * resident pages stand in a max-heap by next use; an entry whose page has been used since is stale
 * and is dropped when it comes up. O(n log n) time, O(n) memory.
 */
#include <stdlib.h>

#include "internal.h"

#define NEVER UINT64_MAX

struct seen {
	uint64_t key;
	uint64_t pos; /* of the latest request so far, + 1; 0: free slot */
};

static uint64_t hash_key(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	return x;
}

/* next[i]: the position of the next request for the same key, NEVER when there is none. */
static int next_uses(const uint64_t *keys, size_t nr, uint64_t *next)
{
	size_t cap = 64, i, slot;
	struct seen *seen;

	while (cap < 2 * nr)
		cap *= 2;
	seen = calloc(cap, sizeof(*seen));
	if (!seen)
		return -ENOMEM;
	for (i = nr; i-- > 0;) {
		slot = hash_key(keys[i]) & (cap - 1);
		while (seen[slot].pos && seen[slot].key != keys[i])
			slot = (slot + 1) & (cap - 1);
		next[i] = seen[slot].pos ? seen[slot].pos - 1 : NEVER;
		seen[slot].key = keys[i];
		seen[slot].pos = i + 1;
	}
	free(seen);
	return 0;
}

static void push(uint64_t *heap, size_t *nr, uint64_t v)
{
	size_t i = (*nr)++;

	for (; i && heap[(i - 1) / 2] < v; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = v;
}

static uint64_t pop(uint64_t *heap, size_t *nr)
{
	uint64_t top = heap[0], last = heap[--*nr];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < *nr) {
		if (child + 1 < *nr && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= last)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return top;
}

int64_t reclaim_belady_misses(const uint64_t *keys, size_t nr, size_t capacity)
{
	uint64_t *next = NULL, *heap = NULL;
	uint8_t *expected = NULL; /* expected[i]: the page that request i wants is resident */
	size_t nr_heap = 0, resident = 0, dead = 0, i;
	int64_t misses = 0;

	if (!capacity || nr > SIZE_MAX / 32)
		return -EINVAL;
	if (!nr)
		return 0;
	next = malloc(nr * sizeof(*next));
	heap = malloc(nr * sizeof(*heap));
	expected = calloc(nr, 1);
	if (!next || !heap || !expected || next_uses(keys, nr, next)) {
		misses = -ENOMEM;
		goto out;
	}
	for (i = 0; i < nr; i++) {
		bool hit = expected[i];

		if (!hit) {
			misses++;
			if (resident == capacity) {
				/* A page without a next use goes first, else the farthest. */
				if (dead) {
					dead--;
				} else {
					uint64_t far = pop(heap, &nr_heap);

					while (far < i)
						far = pop(heap, &nr_heap);
					expected[far] = 0;
				}
				resident--;
			}
			resident++;
		}
		if (next[i] == NEVER) {
			dead++;
		} else {
			expected[next[i]] = 1;
			push(heap, &nr_heap, next[i]);
		}
	}
out:
	free(next);
	free(heap);
	free(expected);
	return misses;
}
