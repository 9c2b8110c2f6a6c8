/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* heap.c - the timers, earliest first, equal times in the order they were set */
#include <stdlib.h>

#include "internal.h"

static bool before(const struct rc_timer *a, const struct rc_timer *b)
{
	return a->at < b->at || (a->at == b->at && a->seq < b->seq);
}

int rc_heap_push(struct rc_heap *h, int64_t at, uint32_t kind, uint32_t what, uint32_t gen)
{
	struct rc_timer t = { .at = at, .seq = h->seq++, .kind = kind, .what = what, .gen = gen };
	size_t i;

	if (h->nr == h->cap) {
		size_t cap = h->cap ? h->cap * 2 : 256;
		struct rc_timer *v = realloc(h->v, cap * sizeof(*v));

		if (!v)
			return -ENOMEM;
		h->v = v;
		h->cap = cap;
	}
	for (i = h->nr++; i && before(&t, &h->v[(i - 1) / 2]); i = (i - 1) / 2)
		h->v[i] = h->v[(i - 1) / 2];
	h->v[i] = t;
	return 0;
}

struct rc_timer rc_heap_pop(struct rc_heap *h)
{
	struct rc_timer top = h->v[0], last = h->v[--h->nr];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->nr) {
		if (child + 1 < h->nr && before(&h->v[child + 1], &h->v[child]))
			child++;
		if (!before(&h->v[child], &last))
			break;
		h->v[i] = h->v[child];
		i = child;
	}
	h->v[i] = last;
	return top;
}
