/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * base.h - what every file of libreclaim uses: limits, integers, random numbers, timers
 */
#ifndef RECLAIM_BASE_H
#define RECLAIM_BASE_H

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "reclaim/engine.h"
#include "reclaim/policy.h"

#define RC_NONE		 UINT32_MAX
#define RC_BATCH	 32 /* SWAP_CLUSTER_MAX */
#define RC_DEF_PRIORITY	 12
#define RC_COSTLY_ORDER	 3
#define RC_MAX_RETRIES	 16
#define RC_NSEC		 1000000000LL
#define RC_PCP_ORDERS	 5 /* 0..3 and the huge page order */
#define RC_LRU_BATCH_MAX 31
#define RC_MAX_IO_PAGES	 320 /* 1280 KiB, BLK_DEF_MAX_SECTORS: what one request takes */
#define RC_NR_GENS	 4
#define RC_NR_TIERS	 4

#define rc_min(a, b) ((a) < (b) ? (a) : (b))
#define rc_max(a, b) ((a) > (b) ? (a) : (b))

static inline uint64_t rc_clamp(uint64_t v, uint64_t lo, uint64_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static inline uint64_t rc_sub(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

struct reclaim_engine;

struct rc_prng {
	uint64_t s[2];
};

enum rc_timer_kind {
	RC_TIMER_WAKE,
	RC_TIMER_IO,
	RC_TIMER_TICK,
	RC_TIMER_SAMPLE,
	RC_TIMER_VMSTAT,
	RC_TIMER_START,
	RC_TIMER_WBT,
};

struct rc_timer {
	int64_t at;
	uint64_t seq;
	uint32_t kind;
	uint32_t what;
	uint32_t gen;
};

struct rc_heap {
	struct rc_timer *v;
	size_t nr, cap;
	uint64_t seq;
};

/* ---- error.c, prng.c, heap.c ---- */

int rc_fail(struct reclaim_error *error, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rc_fatal(struct reclaim_engine *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rc_prng_seed(struct rc_prng *r, uint64_t seed);
uint64_t rc_prng_next(struct rc_prng *r);
/* 0..n-1 */
uint64_t rc_prng_below(struct rc_prng *r, uint64_t n);
bool rc_prng_chance(struct rc_prng *r, uint32_t ppm);
/* Exponential with the given mean, by table; integers only. */
int64_t rc_prng_exp(struct rc_prng *r, int64_t mean);
/* 1 - exp(-x) in ppm, x in millionths. */
uint32_t rc_hit_ppm(uint64_t x_ppm);
uint64_t rc_isqrt(uint64_t x);
int rc_fls64(uint64_t x);
/* The power of two at or above @x > 0. */
static inline uint64_t rc_pow2_up(uint64_t x)
{
	return x <= 1 ? 1 : 1ULL << rc_fls64(x - 1);
}
int rc_heap_push(struct rc_heap *h, int64_t at, uint32_t kind, uint32_t what, uint32_t gen);
struct rc_timer rc_heap_pop(struct rc_heap *h);

#endif
