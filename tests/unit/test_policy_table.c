/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Specifications, parameters, plugins, and each policy's decision against its published rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "reclaim/policy.h"

static const struct reclaim_policy_ops *find(const char *name)
{
	const struct reclaim_policy_ops *ops;
	size_t i;

	for (i = 0; (ops = reclaim_policy_builtin(i)); i++)
		if (!strcmp(ops->name, name))
			return ops;
	return NULL;
}

/* A table's state as its defaults make it, with one parameter changed. */
static void *make(const struct reclaim_policy_ops *ops, const char *param, int64_t value)
{
	int64_t values[RECLAIM_POLICY_MAX_PARAMS];
	void *state = calloc(1, ops->state_size ? ops->state_size : 1);
	size_t i;

	for (i = 0; i < ops->nr_params; i++) {
		values[i] = ops->params[i].def;
		if (param && !strcmp(ops->params[i].name, param))
			values[i] = value;
	}
	if (ops->init)
		assert_int_equal(ops->init(state, values, NULL), 0);
	return state;
}

static void tables_are_complete(void **state)
{
	const struct reclaim_policy_ops *ops;
	size_t i, k;

	for (i = 0; (ops = reclaim_policy_builtin(i)); i++) {
		assert_int_equal(ops->abi, RECLAIM_POLICY_ABI);
		assert_non_null(ops->name);
		assert_non_null(ops->source);
		assert_non_null(ops->summary);
		assert_ptr_equal(find(ops->name), ops);
		assert_true(ops->nr_params <= RECLAIM_POLICY_MAX_PARAMS);
		for (k = 0; k < ops->nr_params; k++) {
			assert_true(ops->params[k].min <= ops->params[k].def);
			assert_true(ops->params[k].def <= ops->params[k].max);
			assert_non_null(ops->params[k].help);
		}
	}
	assert_int_equal(i, 23);
}

static void specifications(void **state)
{
	struct reclaim_error error;
	struct reclaim_policy *p =
		reclaim_policy_create("gap-sqrt:wsf=120+lumpy-sync:passes=5", &error);

	assert_non_null(p);
	assert_string_equal(reclaim_policy_describe(p), "gap-sqrt:wsf=120+lumpy-sync:passes=5");
	reclaim_policy_free(p);
	p = reclaim_policy_create("gap-split", &error);
	assert_string_equal(reclaim_policy_describe(p), "gap-split:wsf=0,high=10");
	reclaim_policy_free(p);
	assert_null(reclaim_policy_create("gap-cube", &error));
	assert_string_equal(error.text, "there is no policy \"gap-cube\"");
	assert_null(reclaim_policy_create("linear:wsf=3001", &error));
	assert_string_equal(error.text, "policy linear: wsf=3001 is not in 0..3000");
	assert_null(reclaim_policy_create("linear:wfs=1", &error));
	assert_string_equal(error.text,
			    "policy linear has no parameter \"wfs\"; did you mean wsf?");
	assert_null(reclaim_policy_create("linaer", &error));
	assert_string_equal(error.text, "there is no policy \"linaer\"; did you mean linear?");
	assert_null(reclaim_policy_create("gap-split:x=1", &error));
	assert_string_equal(error.text,
			    "policy gap-split has no parameter \"x\"; it has wsf, high");
	assert_null(reclaim_policy_create("memcg-async:start_kb=8192,stop_kb=4096", &error));
	assert_string_equal(error.text,
			    "policy memcg-async: stop_kb=4096 is less than start_kb=8192");
	assert_null(reclaim_policy_create("linear+lumpy+gap-sqrt", &error));
	assert_string_equal(error.text, "policies linear and gap-sqrt both decide \"watermarks\"");
	assert_null(reclaim_policy_create("mglru+belady", &error));
	assert_string_equal(error.text, "policies mglru and belady both decide the lists");
	assert_null(reclaim_policy_create("linear:wsf=1x", &error));
	assert_null(reclaim_policy_create("linear:wsf", &error));
	assert_null(reclaim_policy_create("linear:=1", &error));
	assert_null(reclaim_policy_create("", &error));
	assert_null(reclaim_policy_create("+", &error));
	assert_null(reclaim_policy_create(
		"linear+linear+linear+linear+linear+linear+linear+linear+linear", &error));
}

static void gap_split(void **state)
{
	const struct reclaim_policy_ops *ops = find("gap-split");
	struct reclaim_wmark_input in = {
		.managed = 100000, .share = 400, .min = 400, .scale_factor = 10
	};
	struct reclaim_wmarks out = { .min = 400 };
	void *s = make(ops, "high", 300);

	ops->watermarks(s, &in, &out);
	assert_int_equal(out.low, 500);
	assert_int_equal(out.high, 3500);
	free(s);
}

static void feedback_moves_the_gaps(void **state)
{
	const struct reclaim_policy_ops *ops = find("hit-quickly");
	struct reclaim_wmark_input in = {
		.managed = 100000, .share = 400, .min = 400, .scale_factor = 10
	};
	struct reclaim_wmarks out = { .min = 400 };
	uint64_t counters[RECLAIM_NR_COUNTERS] = { 0 };
	struct reclaim_tick t = { .counters = counters, .managed = 100000 };
	void *s = make(ops, NULL, 0);

	ops->watermarks(s, &in, &out);
	assert_int_equal(out.low, 500);
	assert_int_equal(out.high, 600);
	assert_false(ops->tick(s, &t));
	counters[RECLAIM_VM_KSWAPD_LOW_WMARK_HIT_QUICKLY] = 10;
	assert_true(ops->tick(s, &t));
	ops->watermarks(s, &in, &out);
	assert_int_equal(out.low, 500);
	assert_int_equal(out.high, 625);
	/* Quiet again: back to the linear gap, never below. */
	assert_true(ops->tick(s, &t));
	assert_false(ops->tick(s, &t));
	ops->watermarks(s, &in, &out);
	assert_int_equal(out.high, 600);
	free(s);

	ops = find("refault-feedback");
	s = make(ops, NULL, 0);
	memset(counters, 0, sizeof(counters));
	counters[RECLAIM_VM_ALLOCSTALL] = 5;
	assert_true(ops->tick(s, &t));
	ops->watermarks(s, &in, &out);
	assert_int_equal(out.low, 525);
	assert_int_equal(out.high, 650);
	counters[RECLAIM_VM_PGSTEAL_KSWAPD] = 1000;
	counters[RECLAIM_VM_WORKINGSET_REFAULT_FILE] = 501;
	assert_true(ops->tick(s, &t));
	ops->watermarks(s, &in, &out);
	assert_int_equal(out.high, 600);
	free(s);
}

static int64_t wait(const char *name, const char *param, int64_t value,
		    enum reclaim_throttle_point point, const struct reclaim_throttle_input *in,
		    struct reclaim_throttle *out)
{
	const struct reclaim_policy_ops *ops = find(name);
	void *s = make(ops, param, value);

	memset(out, 0, sizeof(*out));
	ops->throttle(s, point, in, out);
	free(s);
	return out->timeout_ns;
}

/* Timeouts in ns at HZ=250, from the table of the series' versions. */
static void throttle_versions(void **state)
{
	struct reclaim_throttle_input in = { .hz = 250,
					     .priority = 5,
					     .scanned = 1000,
					     .reclaimed = 0,
					     .write_pending = 600,
					     .reclaimable = 1000 };
	struct reclaim_throttle out;

	assert_int_equal(wait("congestion-wait", NULL, 0, RECLAIM_POINT_ISOLATED, &in, &out),
			 100000000);
	assert_false(out.wake_early);
	assert_int_equal(wait("congestion-wait", NULL, 0, RECLAIM_POINT_ALLOCATOR, &in, &out),
			 100000000);
	assert_int_equal(wait("congestion-wait", NULL, 0, RECLAIM_POINT_CONGESTED, &in, &out), 0);

	assert_int_equal(wait("reclaim-throttle-v2r5", NULL, 0, RECLAIM_POINT_PASS, &in, &out),
			 100000000);
	assert_int_equal(wait("reclaim-throttle-516rc1", NULL, 0, RECLAIM_POINT_PASS, &in, &out),
			 500000000);
	/* Mainline waits at priority 1 only, for one tick. */
	assert_int_equal(wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_PASS, &in, &out), 0);
	in.priority = 1;
	assert_int_equal(wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_PASS, &in, &out), 4000000);
	in.write_pending = 500;
	assert_int_equal(wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_PASS, &in, &out), 0);
	in.write_pending = 501;
	in.hopeless = true;
	assert_int_equal(wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_PASS, &in, &out), 0);
	in.hopeless = false;
	assert_int_equal(wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_ISOLATED, &in, &out),
			 20000000);
	assert_true(out.wake_early);
	assert_int_equal(wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_IMMEDIATE, &in, &out),
			 100000000);
	assert_int_equal(wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_CONGESTED, &in, &out),
			 4000000);
	assert_false(out.wake_early);
	assert_int_equal(
		wait("reclaim-throttle", "noprogress_us", 250000, RECLAIM_POINT_PASS, &in, &out),
		250000000);
	assert_int_equal(
		wait("reclaim-throttle", "writeback_us", 0, RECLAIM_POINT_IMMEDIATE, &in, &out), 0);

	/* Progress wakes all that wait for it: anything at all (v2r5), or more than an eighth. */
	in.reclaimed = 125;
	wait("reclaim-throttle-v2r5", NULL, 0, RECLAIM_POINT_PASS, &in, &out);
	assert_int_equal(out.wake, RECLAIM_WAKE_ALL);
	wait("reclaim-throttle-516rc1", NULL, 0, RECLAIM_POINT_PASS, &in, &out);
	assert_int_equal(out.wake, RECLAIM_WAKE_NONE);
	in.reclaimed = 126;
	wait("reclaim-throttle-516rc1", NULL, 0, RECLAIM_POINT_PASS, &in, &out);
	assert_int_equal(out.wake, RECLAIM_WAKE_ALL);
	wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_PASS, &in, &out);
	assert_int_equal(out.wake, RECLAIM_WAKE_ALL);

	/* Priority 1 is the last at which mainline waits; the older ones wait at 0, too. */
	in.reclaimed = 0;
	in.priority = 0;
	in.write_pending = 501;
	assert_int_equal(wait("reclaim-throttle", NULL, 0, RECLAIM_POINT_PASS, &in, &out), 0);
	assert_int_equal(wait("reclaim-throttle-516rc1", NULL, 0, RECLAIM_POINT_PASS, &in, &out),
			 500000000);
}

static bool background(const char *name, struct reclaim_memcg_view *v,
		       struct reclaim_memcg_plan *plan)
{
	const struct reclaim_policy_ops *ops = find(name);
	void *s = make(ops, NULL, 0);
	bool ret;

	memset(plan, 0, sizeof(*plan));
	ret = ops->memcg_background(s, v, plan);
	free(s);
	return ret && plan->reclaim;
}

/* Limit 400 MiB: start within 4 MiB (1024 pages), stop 8 MiB below, at most 1024 pages a run. */
static void memcg_margins(void **state)
{
	struct reclaim_memcg_view v = { .memcg = 1,
					.max = 102400,
					.high = UINT64_MAX,
					.soft_limit = UINT64_MAX,
					.events = 1000 };
	struct reclaim_memcg_plan plan;

	v.usage = 102400 - 1025;
	assert_false(background("memcg-async", &v, &plan));
	v.usage = 102400 - 1024;
	assert_true(background("memcg-async", &v, &plan));
	assert_int_equal(plan.reclaim, 1024);
	assert_int_equal(plan.scan_limit, 2048);
	v.running = true;
	v.usage = 102400 - 2047;
	assert_true(background("memcg-async", &v, &plan));
	assert_int_equal(plan.reclaim, 1);
	v.usage = 102400 - 2048;
	assert_false(background("memcg-async", &v, &plan));
	/* Below 128 MiB there is no worker; at 128 MiB there is. */
	v.max = 32767;
	v.usage = v.max;
	assert_false(background("memcg-async", &v, &plan));
	v.max = 32768;
	assert_true(background("memcg-async", &v, &plan));
	v.running = false;
	v.max = 102400;
	v.usage = 97280;
	assert_false(background("memcg-wmark", &v, &plan));
	v.usage = 97281;
	assert_true(background("memcg-wmark", &v, &plan));
	/* high 97280 - 97280 / 256 = 96900. */
	assert_int_equal(plan.reclaim, 381);
	v.soft_limit = 97000;
	assert_true(background("active-softlimit", &v, &plan));
	assert_int_equal(plan.reclaim, 281);
	assert_false(background("memcg-none", &v, &plan));
}

static enum reclaim_bailout bail(const char *name, const char *param, int64_t value, uint32_t order,
				 uint32_t gfp, enum reclaim_compact_result result)
{
	struct reclaim_alloc_view v = {
		.order = order, .gfp = gfp, .pageblock_order = 9, .compact = result
	};
	const struct reclaim_policy_ops *ops = find(name);
	void *s = make(ops, param, value);
	enum reclaim_bailout b = ops->bailout(s, &v);

	free(s);
	return b;
}

static void bailouts(void **state)
{
	const uint32_t hugetlb =
		RECLAIM_GFP_HIGHUSER_MOVABLE | RECLAIM_GFP_RETRY_MAYFAIL | RECLAIM_GFP_THISNODE;
	const uint32_t thp = RECLAIM_GFP_TRANSHUGE | RECLAIM_GFP_NORETRY;

	assert_int_equal(bail("bailout-49", NULL, 0, 2, RECLAIM_GFP_KERNEL | RECLAIM_GFP_NORETRY,
			      RECLAIM_COMPACT_DEFERRED),
			 RECLAIM_BAILOUT_FAIL);
	assert_int_equal(bail("bailout-49", NULL, 0, 9, thp, RECLAIM_COMPACT_SKIPPED),
			 RECLAIM_BAILOUT_ASYNC);
	assert_int_equal(bail("bailout-49", NULL, 0, 9, hugetlb, RECLAIM_COMPACT_DEFERRED),
			 RECLAIM_BAILOUT_GO_ON);
	assert_int_equal(bail("bailout-54", "exempt", 0, 9, hugetlb, RECLAIM_COMPACT_SKIPPED),
			 RECLAIM_BAILOUT_FAIL);
	assert_int_equal(bail("bailout-54", "exempt", 1, 9, hugetlb, RECLAIM_COMPACT_SKIPPED),
			 RECLAIM_BAILOUT_GO_ON);
	assert_int_equal(bail("bailout-54", NULL, 0, 9, thp, RECLAIM_COMPACT_DEFERRED),
			 RECLAIM_BAILOUT_FAIL);
	assert_int_equal(bail("bailout-54", NULL, 0, 9, thp, RECLAIM_COMPACT_COMPLETE),
			 RECLAIM_BAILOUT_ASYNC);
	assert_int_equal(
		bail("bailout-54", NULL, 0, 3, RECLAIM_GFP_KERNEL, RECLAIM_COMPACT_SKIPPED),
		RECLAIM_BAILOUT_GO_ON);
	assert_int_equal(bail("bailout-515", NULL, 0, 9, thp, RECLAIM_COMPACT_SKIPPED),
			 RECLAIM_BAILOUT_FAIL);
	assert_int_equal(bail("bailout-515", NULL, 0, 9, hugetlb, RECLAIM_COMPACT_SKIPPED),
			 RECLAIM_BAILOUT_GO_ON);
	assert_int_equal(bail("bailout-515", "thisnode", 1, 9, thp | RECLAIM_GFP_THISNODE,
			      RECLAIM_COMPACT_COMPLETE),
			 RECLAIM_BAILOUT_FAIL);
	assert_int_equal(bail("bailout-none", NULL, 0, 9, thp, RECLAIM_COMPACT_SKIPPED),
			 RECLAIM_BAILOUT_ASYNC);
}

static void contiguous(void **state)
{
	struct reclaim_contig c = { 0 };
	void *s = make(find("lumpy-sync"), "passes", 5);

	find("lumpy-sync")->contiguous(s, 9, 12, &c);
	assert_int_equal(c.kind, RECLAIM_CONTIG_LUMPY_SYNC);
	assert_int_equal(c.passes, 5);
	free(s);
	/* Small blocks only from priority 9 on. */
	find("lumpy")->contiguous(NULL, 2, 10, &c);
	assert_int_equal(c.kind, RECLAIM_CONTIG_NONE);
	find("lumpy")->contiguous(NULL, 2, 9, &c);
	assert_int_equal(c.kind, RECLAIM_CONTIG_LUMPY);
	find("compaction")->contiguous(NULL, 9, 12, &c);
	assert_int_equal(c.kind, RECLAIM_CONTIG_COMPACTION);
}

/* ---- plugins: the hit ratio of a small trace, worked out by a plain model of each discipline ----
 */

#define UNIVERSE 30000u

struct zipf {
	uint64_t x;
	uint64_t left;
	struct reclaim_demand d;
};

static const struct reclaim_demand *skewed(void *ctx, uint32_t task)
{
	struct zipf *z = ctx;
	uint64_t a, b;

	if (!z->left--)
		return NULL;
	z->x = z->x * 6364136223846793005ULL + 1442695040888963407ULL;
	a = (z->x >> 33) % UNIVERSE;
	b = (z->x >> 20) % UNIVERSE;
	memset(&z->d, 0, sizeof(z->d));
	z->d.op = RECLAIM_OP_CACHE;
	z->d.think = 20000;
	/* The product of two uniform numbers favours small ones. */
	z->d.index = (uint32_t)(a * b / UNIVERSE * a / UNIVERSE);
	return &z->d;
}

static uint64_t misses(const char *spec)
{
	struct reclaim_task_desc task = { .cpu = -1 };
	struct zipf z = { .x = 1, .left = 200000 };
	struct reclaim_error error = { "" };
	struct reclaim_machine m;
	struct reclaim_config c = {
		.machine = &m,
		.profile = reclaim_profile_find("k61"),
		.policy = reclaim_policy_create(spec, &error),
		.seed = 1,
		.tasks = &task,
		.nr_tasks = 1,
		.next = skewed,
		.next_ctx = &z,
	};
	struct reclaim_engine *e;
	uint64_t n;

	if (!c.policy)
		fail_msg("%s: %s", spec, error.text);
	reclaim_machine_init(&m);
	m.cpus = 2;
	reclaim_machine_add_zone(&m, 0, RECLAIM_ZONE_NORMAL, 0, 10240, 10000);
	assert_int_equal(reclaim_engine_create(&e, &c, &error), 0);
	if (reclaim_engine_run(e, RECLAIM_NO_TIME, &error) != 1 || reclaim_engine_verify(e, &error))
		fail_msg("%s: %s", spec, error.text);
	n = reclaim_engine_counter(e, RECLAIM_VM_CACHE_MISS);
	assert_true(reclaim_engine_counter(e, RECLAIM_VM_PGSTEAL_FILE) > 10000);
	reclaim_engine_free(e);
	reclaim_policy_free(c.policy);
	return n;
}

static void plugins(void **state)
{
	char fifo[512], sieve[512], s3[512], text[600];
	struct reclaim_error error;
	uint64_t f, s, q, t;

	snprintf(fifo, sizeof(fifo), "%s/../../samples/policies/fifo.so", RL_BUILD_DIR);
	snprintf(sieve, sizeof(sieve), "%s/../../samples/policies/sieve.so", RL_BUILD_DIR);
	snprintf(s3, sizeof(s3), "%s/../../samples/policies/s3fifo.so", RL_BUILD_DIR);
	f = misses(fifo);
	s = misses(sieve);
	snprintf(text, sizeof(text), "%s:small=10", s3);
	q = misses(text);
	t = misses("two-list");
	print_message("misses: fifo %llu, two-list %llu, sieve %llu, s3-fifo %llu\n",
		      (unsigned long long)f, (unsigned long long)t, (unsigned long long)s,
		      (unsigned long long)q);
	/* On a skewed trace without scans each of the three beats a queue. */
	assert_true(s < f);
	assert_true(q < f);
	assert_true(t < f);
	assert_null(reclaim_policy_create("/nowhere/none.so", &error));
	snprintf(text, sizeof(text), "%s:small=91", s3);
	assert_null(reclaim_policy_create(text, &error));
	assert_string_equal(error.text, "policy s3-fifo: small=91 is not in 1..90");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_complete),
		cmocka_unit_test(specifications),
		cmocka_unit_test(gap_split),
		cmocka_unit_test(feedback_moves_the_gaps),
		cmocka_unit_test(throttle_versions),
		cmocka_unit_test(memcg_margins),
		cmocka_unit_test(bailouts),
		cmocka_unit_test(contiguous),
		cmocka_unit_test(plugins),
	};

	return cmocka_run_group_tests_name("policies", tests, NULL, NULL);
}
