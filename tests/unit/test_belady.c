/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policy that knows the future: its order of pages against the fewest misses that trying every
 * choice finds, the whole engine with it against Belady's bound, and what a demand says of the
 * future.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reclaim/policy.h"
#include "replay/future.h"

/* ---- the discipline alone, on lists of our own ---- */

#define UNIVERSE 7u
#define FRAMES	 3u
#define LENGTH	 24u

struct small {
	uint8_t key[LENGTH];
	unsigned int now;
	uint8_t frame_key[FRAMES];
	uint32_t order[2][FRAMES]; /* lists, tail first */
	uint32_t len[2];
	int where[FRAMES];
};

static void small_del(struct reclaim_lists *l, uint32_t page)
{
	struct small *s = l->engine;
	uint32_t *order = s->order[s->where[page]], i;

	for (i = 0; order[i] != page; i++)
		assert_true(i < s->len[s->where[page]]);
	memmove(&order[i], &order[i + 1], (--s->len[s->where[page]] - i) * sizeof(*order));
}

static void small_add(struct reclaim_lists *l, int list, uint32_t page, bool head)
{
	struct small *s = l->engine;

	assert_true(head);
	s->order[list][s->len[list]++] = page;
	s->where[page] = list;
}

static uint32_t small_tail(struct reclaim_lists *l, int list)
{
	const struct small *s = l->engine;

	return s->len[list] ? s->order[list][0] : RECLAIM_NO_PAGE;
}

/* Position of the next request for @key behind @now. */
static uint64_t next_of(const struct small *s, uint8_t key)
{
	for (unsigned int i = s->now + 1; i < LENGTH; i++)
		if (s->key[i] == key)
			return i;
	return RECLAIM_NEVER;
}

static uint64_t small_next_use(struct reclaim_lists *l, uint32_t page)
{
	const struct small *s = l->engine;

	return next_of(s, s->frame_key[page]);
}

static const struct reclaim_policy_ops *find(const char *name)
{
	const struct reclaim_policy_ops *ops;

	for (size_t i = 0; (ops = reclaim_policy_builtin(i)); i++)
		if (!strcmp(ops->name, name))
			return ops;
	fail_msg("no policy %s", name);
	return NULL;
}

static unsigned int belady_misses(struct small *s)
{
	const struct reclaim_policy_ops *ops = find("belady");
	const struct reclaim_discipline *d = ops->discipline;
	const int64_t retry = 1024;
	void *state = calloc(1, ops->state_size), *slot = NULL;
	struct reclaim_lists l = { .engine = s,
				   .type = 1,
				   .slot = &slot,
				   .add = small_add,
				   .del = small_del,
				   .tail = small_tail,
				   .next_use = small_next_use };
	unsigned int misses = 0, used = 0;

	assert_non_null(state);
	assert_int_equal(ops->init(state, &retry, NULL), 0);
	for (s->now = 0; s->now < LENGTH; s->now++) {
		uint32_t at = 0;

		while (at < used && s->frame_key[at] != s->key[s->now])
			at++;
		if (at < used) {
			d->access(state, &l, at);
			continue;
		}
		misses++;
		if (used == FRAMES) {
			at = d->victim(state, &l);
			assert_true(at < FRAMES);
			d->remove(state, &l, at);
			small_del(&l, at);
		} else {
			at = used++;
		}
		s->frame_key[at] = s->key[s->now];
		d->insert(state, &l, at, UINT64_MAX, false);
	}
	ops->exit(state);
	free(state);
	return misses;
}

/* The fewest misses from request @at on with the pages of @set in memory. */
static unsigned int fewest(const struct small *s, unsigned int at, unsigned int set,
			   int8_t (*known)[1 << UNIVERSE])
{
	unsigned int page, best = LENGTH, with;

	if (at == LENGTH)
		return 0;
	if (known[at][set] >= 0)
		return (unsigned int)known[at][set];
	page = 1u << s->key[at];
	if (set & page) {
		best = fewest(s, at + 1, set, known);
	} else if ((unsigned int)__builtin_popcount(set) < FRAMES) {
		best = 1 + fewest(s, at + 1, set | page, known);
	} else {
		for (unsigned int out = 1; out < 1u << UNIVERSE; out <<= 1)
			if (set & out) {
				with = 1 + fewest(s, at + 1, (set & ~out) | page, known);
				best = with < best ? with : best;
			}
	}
	known[at][set] = (int8_t)best;
	return best;
}

static void no_choice_is_better(void **state)
{
	int8_t(*known)[1 << UNIVERSE] = malloc(LENGTH * sizeof(*known));
	uint64_t x = 1, keys[LENGTH];
	unsigned int more_than_cold = 0;

	assert_non_null(known);
	for (int round = 0; round < 300; round++) {
		struct small s = { 0 };
		unsigned int best;

		for (unsigned int i = 0; i < LENGTH; i++) {
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
			s.key[i] = (uint8_t)((x >> 33) % UNIVERSE);
			keys[i] = s.key[i];
		}
		memset(known, -1, LENGTH * sizeof(*known));
		best = fewest(&s, 0, 0, known);
		assert_int_equal(belady_misses(&s), best);
		assert_int_equal(reclaim_belady_misses(keys, LENGTH, FRAMES), best);
		more_than_cold += best > UNIVERSE;
	}
	assert_true(more_than_cold > 250);
	free(known);
}

/* A page that could not go waits until others have been looked at, but not for ever. */
static void set_aside(void **state)
{
	const struct reclaim_policy_ops *ops = find("belady");
	const struct reclaim_discipline *d = ops->discipline;
	const int64_t retry = 2;
	void *policy = calloc(1, ops->state_size), *slot = NULL;
	struct small s = { .key = { 0, 1, 2, 0, 1, 2 }, .frame_key = { 0, 1, 2 } };
	struct reclaim_lists l = { .engine = &s,
				   .type = 1,
				   .slot = &slot,
				   .add = small_add,
				   .del = small_del,
				   .tail = small_tail,
				   .next_use = small_next_use };
	static const uint32_t expected[] = { 0, 2, 2, 0 };

	assert_non_null(policy);
	ops->init(policy, &retry, NULL);
	for (uint32_t page = 0; page < FRAMES; page++)
		d->insert(policy, &l, page, UINT64_MAX, false);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(d->victim(policy, &l), expected[i]);
		if (i)
			continue;
		d->remove(policy, &l, 0);
		small_del(&l, 0);
		d->insert(policy, &l, 0, UINT64_MAX, true);
	}
	ops->exit(policy);
	free(policy);
}

/* ---- the whole engine ---- */

#define REQUESTS 60000u
#define PAGES	 20000u

struct skewed {
	struct demand demand;
	struct demand_task task;
	struct demand_file file;
	struct demand_record records[REQUESTS];
	uint64_t keys[REQUESTS];
};

static struct skewed *make_skewed(void)
{
	struct skewed *s = calloc(1, sizeof(*s));
	uint64_t x = 7;

	assert_non_null(s);
	s->file.pages = PAGES;
	s->demand = (struct demand){ .tasks = &s->task,
				     .nr_tasks = 1,
				     .files = &s->file,
				     .nr_files = 1,
				     .records = s->records,
				     .nr_records = REQUESTS };
	for (uint32_t i = 0; i < REQUESTS; i++) {
		uint64_t a, b;

		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		a = (x >> 33) % PAGES;
		b = (x >> 13) % PAGES;
		s->records[i] = (struct demand_record){ .op = DEMAND_CACHE,
							.think = 20000,
							.index = (uint32_t)(a * b / PAGES) };
		s->keys[i] = s->records[i].index;
	}
	return s;
}

struct outcome {
	uint64_t misses, most; /* @most: pages that were ever in memory at once */
};

static void watch(void *ctx, struct reclaim_engine *engine, int64_t at)
{
	struct outcome *out = ctx;
	struct reclaim_zone_state zone;

	reclaim_engine_zone(engine, 0, &zone);
	if (zone.managed - zone.free - zone.pcp > out->most)
		out->most = zone.managed - zone.free - zone.pcp;
}

static struct outcome drive(const struct skewed *s, const char *spec)
{
	struct reclaim_error error = { "" };
	struct outcome out = { 0 };
	struct future *future = NULL;
	struct future_cursor knows = { 0 };
	struct feed_cursor cursor;
	struct feed *feed = NULL;
	struct reclaim_machine m;
	struct reclaim_engine *e;
	struct rl_msg msg;
	struct reclaim_config c = {
		.machine = &m,
		.profile = reclaim_profile_find("k61"),
		.policy = reclaim_policy_create(spec, &error),
		.next = feed_next,
		.next_ctx = &cursor,
		.sample = watch,
		.sample_ns = 100000,
		.sample_ctx = &out,
	};

	assert_non_null(c.policy);
	assert_int_equal(feed_new(&s->demand, NULL, &feed, &msg), 0);
	assert_int_equal(feed_cursor_init(&cursor, feed), 0);
	assert_int_equal(future_new(&s->demand, &future, &msg), 0);
	assert_int_equal(future_cursor_init(&knows, future, &cursor), 0);
	c.tasks = feed->tasks;
	c.nr_tasks = feed->nr_tasks;
	reclaim_machine_init(&m);
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 0, 8192, 8000);
	if (reclaim_policy_needs_future(c.policy)) {
		assert_true(reclaim_engine_create(&e, &c, &error) < 0);
		assert_non_null(strstr(error.text, "future"));
		c.future = &knows.engine;
	}
	assert_int_equal(reclaim_engine_create(&e, &c, &error), 0);
	cursor.engine = e;
	if (reclaim_engine_run(e, RECLAIM_NO_TIME, &error) != 1 || reclaim_engine_verify(e, &error))
		fail_msg("%s: %s", spec, error.text);
	out.misses = reclaim_engine_counter(e, RECLAIM_VM_CACHE_MISS);
	reclaim_engine_free(e);
	reclaim_policy_free(c.policy);
	future_cursor_clear(&knows);
	future_free(future);
	feed_cursor_clear(&cursor);
	feed_free(feed);
	return out;
}

static void engine_near_the_bound(void **state)
{
	struct skewed *s = make_skewed();
	struct outcome belady = drive(s, "belady"), two_list = drive(s, "two-list");
	int64_t bound = reclaim_belady_misses(s->keys, REQUESTS, belady.most);

	print_message("misses: two lists %llu, belady %llu, at least %lld with %llu pages\n",
		      (unsigned long long)two_list.misses, (unsigned long long)belady.misses,
		      (long long)bound, (unsigned long long)belady.most);
	assert_true(belady.misses >= (uint64_t)bound);
	/* Batches of kswapd keep some pages free at all times: that costs a few misses. */
	assert_true(belady.misses * 100 < (uint64_t)bound * 105);
	assert_true(belady.misses * 100 < two_list.misses * 80);
	free(s);
}

#define PLUGINS RL_BUILD_DIR "/../../samples/policies/"

/* The future is worth something: nobody who does not know it reads fewer pages. */
static void nobody_is_below_the_bound(void **state)
{
	static const char *const others[] = { "two-list", "mglru", PLUGINS "fifo.so",
					      PLUGINS "sieve.so", PLUGINS "s3fifo.so" };
	struct skewed *s = make_skewed();
	struct outcome belady = drive(s, "belady");

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct outcome other = drive(s, others[i]);

		if (other.misses < belady.misses)
			fail_msg("%s %llu misses, belady %llu", others[i],
				 (unsigned long long)other.misses,
				 (unsigned long long)belady.misses);
	}
	free(s);
}

/* ---- what a demand says ---- */

static void what_comes_next(void **state)
{
	struct demand_record records[] = {
		{ .op = DEMAND_FREE, .object = 3 }, /* before it is asked for: says nothing */
		{ .op = DEMAND_CACHE, .index = 5, .start = 4, .count = 8 },
		{ .op = DEMAND_CACHE, .index = 5, .task = 1 },
		{ .op = DEMAND_CACHE, .flags = DEMAND_ASYNC, .start = 6, .count = 2 },
		{ .op = DEMAND_ALLOC, .object = 3, .use = DEMAND_ANON },
		{ .op = DEMAND_DIRTY, .index = 7 },
		{ .op = DEMAND_TRUNCATE, .index = 5, .count = 2 },
		{ .op = DEMAND_ACCESS, .object = 3 },
		{ .op = DEMAND_CACHE, .index = 6 },
		{ .op = DEMAND_FREE, .object = 3 },
	};
	struct demand_task tasks[2] = { 0 };
	struct demand_file file = { .pages = 16 };
	struct demand demand = { .tasks = tasks,
				 .nr_tasks = 2,
				 .files = &file,
				 .nr_files = 1,
				 .records = records,
				 .nr_records = 10,
				 .nr_pages = 4 };
	struct future_cursor c;
	struct feed_cursor cursor;
	struct future *future;
	struct feed *feed;
	struct rl_msg msg;
	uint64_t (*next)(void *, uint32_t, uint32_t);
	const uint32_t anon = RECLAIM_FILE_LOGICAL;

	assert_int_equal(feed_new(&demand, NULL, &feed, &msg), 0);
	assert_int_equal(feed_cursor_init(&cursor, feed), 0);
	assert_int_equal(future_new(&demand, &future, &msg), 0);
	assert_int_equal(future_cursor_init(&c, future, &cursor), 0);
	next = c.engine.next_use;
	assert_int_equal(next(&c, 0, 5), 1);
	assert_int_equal(next(&c, 0, 6), 3);
	assert_int_equal(next(&c, 0, 4), RECLAIM_NEVER); /* read with 5, asked for by nobody */
	assert_int_equal(next(&c, anon, 3), 4);

	/* The second task is ahead: its request is done, the first one's is not. */
	cursor.next[1]++;
	c.engine.done(&c, 1);
	assert_int_equal(next(&c, 0, 5), 1);
	for (int i = 0; i < 2; i++) {
		cursor.next[0]++;
		c.engine.done(&c, 0);
	}
	assert_int_equal(next(&c, 0, 5), RECLAIM_NEVER); /* truncated before anything else */
	assert_int_equal(next(&c, 0, 7), 3);
	for (int i = 0; i < 3; i++) {
		cursor.next[0]++;
		c.engine.done(&c, 0);
	}
	assert_int_equal(next(&c, 0, 7), RECLAIM_NEVER);
	assert_int_equal(next(&c, anon, 3), 7);
	assert_int_equal(next(&c, 0, 6), RECLAIM_NEVER);
	cursor.next[0]++;
	c.engine.done(&c, 0); /* the truncate */
	assert_int_equal(next(&c, 0, 6), 8);
	cursor.next[0]++;
	c.engine.done(&c, 0);
	assert_int_equal(next(&c, anon, 3), RECLAIM_NEVER);
	future_cursor_clear(&c);
	future_free(future);
	feed_cursor_clear(&cursor);
	feed_free(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_choice_is_better),
		cmocka_unit_test(set_aside),
		cmocka_unit_test(engine_near_the_bound),
		cmocka_unit_test(nobody_is_below_the_bound),
		cmocka_unit_test(what_comes_next),
	};

	return cmocka_run_group_tests_name("belady", tests, NULL, NULL);
}
