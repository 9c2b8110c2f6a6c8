/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/workload/touch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/array.h"

#define SWAP_INS_MIN 300
#define HITS_MAX     200 /* touches before one swap-in */
#define POWER	     0.9
#define GUIDE	     4096
#define READAHEAD_NS UINT64_C(40000)
#define NONE	     UINT32_MAX

enum { OUT, INACTIVE, ACTIVE };

struct page {
	uint32_t next, prev;
	uint32_t task; /* whose popularity it is drawn from; NONE: not an anonymous page */
	uint32_t age;  /* evictions and activations when it was evicted */
	uint8_t list;
	uint8_t exists, young, referenced;
};

struct list {
	uint32_t head, tail, len;
};

/* The popularity of a task's pages. */
struct crowd {
	uint32_t *pages; /* by rank */
	uint32_t nr, alive;
	double *below; /* cumulative weight */
	uint32_t guide[GUIDE + 1];
	uint64_t last; /* ns, its last swap-in */
	uint32_t swap_ins;
};

struct sim {
	struct extract *x;
	const uint32_t *order;
	uint32_t nr_order;
	struct page *pages;
	struct list lists[3];
	struct crowd *crowds; /* by task */
	uint32_t age;
	uint64_t random;
	struct touches *out; /* NULL: only counting */
};

static uint64_t chance(struct sim *s)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return s->random * UINT64_C(0x2545f4914f6cdd1d);
}

/* ---- lists ---- */

static void push(struct sim *s, uint32_t i, uint8_t list)
{
	struct list *l = &s->lists[list];
	struct page *p = &s->pages[i];

	p->list = list;
	p->prev = NONE;
	p->next = l->head;
	if (l->head != NONE)
		s->pages[l->head].prev = i;
	else
		l->tail = i;
	l->head = i;
	l->len++;
}

static void take(struct sim *s, uint32_t i)
{
	struct page *p = &s->pages[i];
	struct list *l = &s->lists[p->list];

	if (p->list == OUT)
		return;
	if (p->prev != NONE)
		s->pages[p->prev].next = p->next;
	else
		l->head = p->next;
	if (p->next != NONE)
		s->pages[p->next].prev = p->prev;
	else
		l->tail = p->prev;
	l->len--;
	p->list = OUT;
}

static void add(struct sim *s, uint32_t i)
{
	struct page *p = &s->pages[i];

	take(s, i);
	p->young = 1;
	p->referenced = 0;
	push(s, i, INACTIVE);
}

/* Bring a page back: onto the active list when the lists have not moved on further than they are
 * long. */
static void bring_back(struct sim *s, uint32_t i)
{
	bool near = s->age - s->pages[i].age <= s->lists[ACTIVE].len;

	add(s, i);
	if (!near)
		return;
	take(s, i);
	push(s, i, ACTIVE);
	s->age++;
}

static void balance(struct sim *s)
{
	while (s->lists[INACTIVE].len < s->lists[ACTIVE].len) {
		uint32_t i = s->lists[ACTIVE].tail;

		take(s, i);
		s->pages[i].young = 0;
		push(s, i, INACTIVE);
	}
}

/* Evict one page by the rule of two references. */
static void evict(struct sim *s)
{
	uint32_t looks = 2 * s->lists[INACTIVE].len + 64;

	balance(s);
	while (s->lists[INACTIVE].len && looks--) {
		uint32_t i = s->lists[INACTIVE].tail;
		struct page *p = &s->pages[i];

		take(s, i);
		if (!p->young) {
			p->age = s->age++;
			return;
		}
		p->young = 0;
		if (!p->referenced) {
			p->referenced = 1;
			push(s, i, INACTIVE);
			continue;
		}
		p->referenced = 0;
		push(s, i, ACTIVE);
		s->age++;
		balance(s);
	}
}

/* ---- popularity ---- */

static uint32_t draw(struct sim *s, const struct crowd *c)
{
	uint64_t r = chance(s);
	double at = (double)(r >> 11) * 0x1p-53 * c->below[c->nr - 1];
	uint32_t cell = (uint32_t)(r >> 52), low = c->guide[cell], high = c->guide[cell + 1];

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (c->below[mid] > at)
			high = mid;
		else
			low = mid + 1;
	}
	return c->pages[low < c->nr ? low : c->nr - 1];
}

static void weigh(struct crowd *c)
{
	double sum = 0;
	uint32_t rank = 0;

	for (uint32_t i = 0; i < c->nr; i++) {
		sum += pow(i + 1, -POWER);
		c->below[i] = sum;
	}
	for (uint32_t cell = 0; cell <= GUIDE; cell++) {
		while (rank + 1 < c->nr && c->below[rank] <= sum * cell / GUIDE)
			rank++;
		c->guide[cell] = rank;
	}
}

static bool is_anon(const struct demand_record *rec)
{
	return rec->op == DEMAND_ALLOC && rec->use == DEMAND_ANON && !rec->order;
}

/* The crowds: each task's anonymous pages in an order of chance. */
static int gather(struct sim *s)
{
	struct extract *x = s->x;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < s->nr_order; i++) {
			const struct demand_record *rec = &x->records[s->order[i]];
			struct crowd *c = &s->crowds[rec->task];

			if (!is_anon(rec))
				continue;
			if (pass)
				c->pages[c->nr] = rec->object;
			c->nr++;
			s->pages[rec->object].task = rec->task;
		}
		for (uint32_t t = 0; !pass && t < x->task_ids.count; t++) {
			struct crowd *c = &s->crowds[t];

			c->pages = calloc((size_t)c->nr + 1, sizeof(*c->pages));
			c->below = calloc((size_t)c->nr + 1, sizeof(*c->below));
			if (!c->pages || !c->below)
				return -ENOMEM;
			c->nr = 0;
		}
	}
	for (uint32_t t = 0; t < x->task_ids.count; t++) {
		struct crowd *c = &s->crowds[t];

		for (uint32_t i = c->nr; i > 1; i--) {
			uint32_t j = (uint32_t)(chance(s) % i), swap = c->pages[i - 1];

			c->pages[i - 1] = c->pages[j];
			c->pages[j] = swap;
		}
	}
	return 0;
}

/* ---- the recording, again ---- */

static int note_touch(struct sim *s, uint32_t page)
{
	struct touches *t = s->out;

	if (!t)
		return 0;
	if (rl_array_room(&t->pages, &t->room, t->nr, sizeof(*t->pages)))
		return -ENOMEM;
	t->pages[t->nr++] = page;
	return 0;
}

/* Touch until a page is met that is not resident. */
static int swap_in(struct sim *s, struct demand_record *rec)
{
	struct crowd *c = &s->crowds[rec->task];
	uint32_t page = NONE;
	int ret = 0;

	for (uint32_t hits = 0; c->nr && hits < HITS_MAX && !ret; hits++) {
		struct page *p;

		page = draw(s, c);
		p = &s->pages[page];
		if (!p->exists)
			continue;
		if (p->list == OUT)
			break;
		p->young = 1;
		ret = note_touch(s, page);
		page = NONE;
	}
	if (page == NONE)
		page = rec->object;
	if (s->out)
		rec->object = page;
	if (s->pages[page].exists && s->pages[page].list == OUT)
		bring_back(s, page);
	return ret;
}

static int take_record(struct sim *s, uint32_t nr)
{
	struct demand_record *rec = &s->x->records[nr];
	struct crowd *c = &s->crowds[rec->task];
	bool readahead;

	if (is_anon(rec)) {
		s->pages[rec->object].exists = 1;
		add(s, rec->object);
		return 0;
	}
	if (rec->op == DEMAND_FREE) {
		for (uint32_t i = rec->object; i < rec->object + rec->count; i++) {
			take(s, i);
			s->pages[i].exists = 0;
		}
		return 0;
	}
	if (!(rec->reserved & MARK_SWAP_IN))
		return 0;
	readahead = c->last && rec->at < c->last + READAHEAD_NS;
	c->last = rec->at;
	return readahead ? 0 : swap_in(s, rec);
}

static void reset(struct sim *s)
{
	struct extract *x = s->x;

	for (uint32_t i = 0; i < x->nr_logical; i++) {
		s->pages[i].list = OUT;
		s->pages[i].exists = 0;
		s->pages[i].age = 0;
	}
	for (int l = 0; l < 3; l++)
		s->lists[l] = (struct list){ NONE, NONE, 0 };
	for (uint32_t t = 0; t < x->task_ids.count; t++) {
		s->crowds[t].last = 0;
		weigh(&s->crowds[t]);
	}
	s->age = 0;
	s->random = x->options.seed * 2 + 1;
}

static int run(struct sim *s)
{
	const struct extract *x = s->x;
	uint32_t gone = 0;
	int ret = 0;

	reset(s);
	for (uint32_t i = 0; i < s->nr_order && !ret; i++) {
		uint32_t nr = s->order[i];

		for (; gone < x->nr_evictions && x->evictions[gone] < x->records[nr].at; gone++)
			evict(s);
		if (s->out)
			s->out->first[nr] = s->out->nr;
		ret = take_record(s, nr);
		if (s->out)
			s->out->first[nr + 1] = s->out->nr;
	}
	return ret;
}

/* Swap-ins in all, and by task. */
static uint32_t count_swap_ins(const struct sim *s)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->nr_order; i++) {
		const struct demand_record *rec = &s->x->records[s->order[i]];

		if (!(rec->reserved & MARK_SWAP_IN))
			continue;
		s->crowds[rec->task].swap_ins++;
		nr++;
	}
	return nr;
}

/* What is drawn needs no chance at each look as well. */
static void drop_classes(const struct sim *s)
{
	for (uint32_t i = 0; i < s->nr_order; i++) {
		struct demand_record *rec = &s->x->records[s->order[i]];

		if (is_anon(rec) && s->crowds[rec->task].swap_ins)
			rec->ref_class = EXTRACT_CLASS_NONE;
	}
}

int touches_draw(struct extract *x, const uint32_t *order, uint32_t nr_order,
		 struct touches *touches)
{
	struct sim s = { .x = x, .order = order, .nr_order = nr_order, .random = 1 };
	int ret = -ENOMEM;

	if (x->has_probes)
		return 0;
	s.pages = calloc((size_t)x->nr_logical + 1, sizeof(*s.pages));
	s.crowds = calloc((size_t)x->task_ids.count + 1, sizeof(*s.crowds));
	touches->first = calloc((size_t)x->nr_records + 2, sizeof(*touches->first));
	if (s.pages && s.crowds && touches->first)
		ret = 0;
	if (!ret && count_swap_ins(&s) >= SWAP_INS_MIN) {
		s.out = touches;
		ret = gather(&s);
		if (!ret)
			ret = run(&s);
		drop_classes(&s);
	}
	for (uint32_t t = 0; s.crowds && t < x->task_ids.count; t++) {
		free(s.crowds[t].pages);
		free(s.crowds[t].below);
	}
	free(s.crowds);
	free(s.pages);
	return ret;
}

void touches_clear(struct touches *touches)
{
	free(touches->pages);
	free(touches->first);
}
