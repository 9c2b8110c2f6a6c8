/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list logic against a plain model of it: one file, one CPU, no swap, memory.reclaim on demand.
 * The model keeps the two lists as arrays and moves pages with memmove(); after every reclaim the
 * two must agree on every page that is resident.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reclaim/policy.h"

#define PAGES 3000u
#define STEPS 60000u
#define BATCH 15u

enum { ABSENT, WAITING, INACTIVE, ACTIVE };

struct plain {
	uint32_t list[2][PAGES]; /* [0] the head of the list; 0 inactive, 1 active */
	uint32_t len[2];
	uint32_t add[BATCH], nr_add, act[BATCH], nr_act;
	uint8_t where[PAGES];
	bool referenced[PAGES], active[PAGES], activating[PAGES], known[PAGES], workingset[PAGES];
	uint64_t shadow[PAGES], age, activations, seen;
};

static void take(struct plain *m, int list, uint32_t page)
{
	uint32_t i;

	for (i = 0; m->list[list][i] != page; i++)
		assert_true(i < m->len[list]);
	memmove(&m->list[list][i], &m->list[list][i + 1], (--m->len[list] - i) * sizeof(uint32_t));
}

static void put_head(struct plain *m, int list, uint32_t page)
{
	memmove(&m->list[list][1], &m->list[list][0], m->len[list]++ * sizeof(uint32_t));
	m->list[list][0] = page;
	m->where[page] = list ? ACTIVE : INACTIVE;
	m->active[page] = list;
}

static void drain_add(struct plain *m)
{
	uint32_t i;

	for (i = 0; i < m->nr_add; i++)
		put_head(m, m->active[m->add[i]], m->add[i]);
	m->nr_add = 0;
}

static void drain_act(struct plain *m)
{
	uint32_t i, page;

	for (i = 0; i < m->nr_act; i++) {
		page = m->act[i];
		if (!m->activating[page])
			continue;
		m->activating[page] = false;
		if (m->where[page] != INACTIVE)
			continue;
		take(m, 0, page);
		put_head(m, 1, page);
	}
	m->nr_act = 0;
}

static void touch(struct plain *m, uint32_t page)
{
	if (m->where[page] == ABSENT) {
		m->where[page] = WAITING;
		m->active[page] = false;
		m->referenced[page] = false;
		m->activating[page] = false;
		m->workingset[page] = false;
		if (m->known[page] && m->age - m->shadow[page] <= m->len[1]) {
			m->active[page] = true;
			m->age++;
			m->activations++;
		}
		m->add[m->nr_add++] = page;
		if (m->nr_add == BATCH)
			drain_add(m);
	}
	if (!m->referenced[page]) {
		m->referenced[page] = true;
	} else if (!m->active[page] && !m->activating[page]) {
		m->age++;
		m->referenced[page] = false;
		if (m->where[page] == WAITING) {
			m->active[page] = true;
			return;
		}
		m->activating[page] = true;
		m->act[m->nr_act++] = page;
		if (m->nr_act == BATCH)
			drain_act(m);
	}
}

static uint32_t shrink_inactive(struct plain *m, uint32_t nr)
{
	uint32_t victims[32], n = 0, i;

	drain_add(m);
	drain_act(m);
	while (n < nr && m->len[0]) {
		victims[n] = m->list[0][m->len[0] - 1];
		take(m, 0, victims[n++]);
	}
	for (i = 0; i < n; i++) {
		m->where[victims[i]] = ABSENT;
		m->known[victims[i]] = true;
		m->shadow[victims[i]] = m->age++;
	}
	return n;
}

static void shrink_active(struct plain *m, uint32_t nr)
{
	uint32_t victims[32], n = 0, i;

	drain_add(m);
	drain_act(m);
	while (n < nr && m->len[1]) {
		victims[n] = m->list[1][m->len[1] - 1];
		take(m, 1, victims[n++]);
	}
	for (i = 0; i < n; i++)
		put_head(m, 0, victims[i]);
}

/* One try_to_free_pages() for a target: clean file pages only, no swap, so anon never counts. */
static uint32_t reclaim_once(struct plain *m, uint32_t target)
{
	uint32_t total = 0, freed, nr[2], batch;
	bool force = false, skipped = false, deactivate;
	int prio;

again:
	for (prio = 12; prio >= 0; prio--) {
		deactivate = force || m->activations != m->seen || m->len[0] < m->len[1];
		nr[0] = m->len[0] >> prio;
		nr[1] = m->len[1] >> prio;
		freed = 0;
		while (nr[0] || nr[1]) {
			if (nr[0]) {
				batch = nr[0] < 32 ? nr[0] : 32;
				nr[0] -= batch;
				freed += shrink_inactive(m, batch);
			}
			if (nr[1]) {
				batch = nr[1] < 32 ? nr[1] : 32;
				nr[1] -= batch;
				if (deactivate)
					shrink_active(m, batch);
				else
					skipped = true;
			}
			if (freed >= target)
				break;
		}
		total += freed;
		if (total >= target)
			break;
	}
	m->seen = m->activations;
	if (!total && skipped && !force) {
		force = true;
		goto again;
	}
	return total;
}

static void proactive(struct plain *m, uint32_t nr)
{
	uint32_t total = 0, freed, want;
	int retries = 16;

	while (total < nr) {
		if (!retries) {
			drain_add(m);
			drain_act(m);
		}
		want = (nr - total) / 4 > 32 ? (nr - total) / 4 : 32;
		freed = reclaim_once(m, want);
		if (!freed && !retries--)
			break;
		total += freed;
	}
}

/* ---- the same through the engine ---- */

struct feed {
	uint64_t x;
	uint32_t step;
	struct reclaim_demand d;
};

static const struct reclaim_demand *next(void *ctx, uint32_t task)
{
	struct feed *f = ctx;
	uint32_t a;

	if (f->step == STEPS)
		return NULL;
	memset(&f->d, 0, sizeof(f->d));
	f->x = f->x * 6364136223846793005ULL + 1442695040888963407ULL;
	a = (uint32_t)(f->x >> 33);
	if (f->step++ % 500 == 499) {
		f->d.op = RECLAIM_OP_PROACTIVE;
		f->d.page = 1 + a % 600;
	} else {
		f->d.op = RECLAIM_OP_CACHE;
		f->d.index = a % (a & 1 ? PAGES : PAGES / 8);
	}
	return &f->d;
}

struct both {
	struct feed feed;
	struct plain *plain;
	struct reclaim_engine *engine;
	bool pending;
	uint32_t compared;
};

/* Before each record: carry out the one before in the model, and compare after a reclaim. */
static const struct reclaim_demand *step(void *ctx, uint32_t task)
{
	struct both *b = ctx;
	const struct reclaim_demand *d = &b->feed.d;
	uint32_t i;

	if (b->pending && d->op == RECLAIM_OP_PROACTIVE) {
		proactive(b->plain, d->page);
		for (i = 0; i < PAGES; i++)
			if (reclaim_engine_resident(b->engine, 0, i) !=
			    (b->plain->where[i] != ABSENT))
				fail_msg("step %u: page %u", b->feed.step, i);
		b->compared++;
	} else if (b->pending) {
		touch(b->plain, d->index);
	}
	b->pending = true;
	return next(&b->feed, task);
}

static void agrees(const char *profile, uint64_t seed)
{
	struct reclaim_task_desc task = { .cpu = -1 };
	struct reclaim_error error = { "" };
	struct both b = { .feed.x = seed };
	struct reclaim_machine m;
	struct reclaim_config c = {
		.machine = &m,
		.profile = reclaim_profile_find(profile),
		.tasks = &task,
		.nr_tasks = 1,
		.next = step,
		.next_ctx = &b,
	};

	reclaim_machine_init(&m);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 0, 65536, 60000);
	b.plain = calloc(1, sizeof(*b.plain));
	assert_non_null(b.plain);
	assert_int_equal(reclaim_engine_create(&b.engine, &c, &error), 0);
	assert_int_equal(reclaim_engine_run(b.engine, RECLAIM_NO_TIME, &error), 1);
	assert_int_equal(b.compared, STEPS / 500);
	assert_true(reclaim_engine_counter(b.engine, RECLAIM_VM_PGSTEAL_FILE) > 10000);
	assert_true(reclaim_engine_counter(b.engine, RECLAIM_VM_PGDEACTIVATE) > 100);
	assert_int_equal(reclaim_engine_counter(b.engine, RECLAIM_VM_PGSCAN_KSWAPD), 0);
	reclaim_engine_free(b.engine);
	free(b.plain);
}

static void plain_model(void **state)
{
	agrees("k61", 1);
	agrees("k61", 2);
	agrees("k61", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(plain_model) };

	return cmocka_run_group_tests_name("engine against a plain model", tests, NULL, NULL);
}
