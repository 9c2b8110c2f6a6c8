/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * prng.c - chance and the few functions of real analysis, in integers
 *
 * The generator is xoroshiro128+ (Blackman and Vigna), seeded through splitmix64.
 */
#include "internal.h"

static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

void rc_prng_seed(struct rc_prng *r, uint64_t seed)
{
	r->s[0] = splitmix(&seed);
	r->s[1] = splitmix(&seed) | 1;
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t rc_prng_next(struct rc_prng *r)
{
	uint64_t a = r->s[0], b = r->s[1], sum = a + b;

	b ^= a;
	r->s[0] = rotl(a, 24) ^ b ^ (b << 16);
	r->s[1] = rotl(b, 37);
	return sum;
}

uint64_t rc_prng_below(struct rc_prng *r, uint64_t n)
{
	return n ? (uint64_t)(((unsigned __int128)rc_prng_next(r) * n) >> 64) : 0;
}

bool rc_prng_chance(struct rc_prng *r, uint32_t ppm)
{
	return ppm && rc_prng_below(r, 1000000) < ppm;
}

/* log2 of x as a fixed-point number with 32 fractional bits; x > 0. */
static uint64_t log2_fixed(uint64_t x)
{
	int whole = rc_fls64(x) - 1;
	uint64_t out = (uint64_t)whole << 32;
	uint64_t m = x << (63 - whole); /* 1.63 */
	int bit;

	for (bit = 31; bit >= 0; bit--) {
		unsigned __int128 sq = (unsigned __int128)m * m;

		if (sq >> 127) {
			out |= 1ULL << bit;
			m = (uint64_t)(sq >> 64);
		} else {
			m = (uint64_t)(sq >> 63);
		}
	}
	return out;
}

int64_t rc_prng_exp(struct rc_prng *r, int64_t mean)
{
	/* -ln(u / 2^64) = (64 - log2 u) * ln 2 */
	uint64_t l = (64ULL << 32) - log2_fixed(rc_prng_next(r) | 1);
	const uint64_t ln2 = 2977044472ULL; /* ln 2 with 32 fractional bits */
	uint64_t x = (uint64_t)(((unsigned __int128)l * ln2) >> 32);

	return (int64_t)(((unsigned __int128)x * (uint64_t)mean) >> 32);
}

uint32_t rc_hit_ppm(uint64_t x_ppm)
{
	uint64_t x, y;
	int i;

	if (x_ppm >= 20000000)
		return 1000000;
	/* exp(-x) = (exp(-x / 2^10))^(2^10), the inner one by its series, all with 40 fractional
	 * bits. */
	x = ((x_ppm << 40) / 1000000) >> 10;
	y = (1ULL << 40) - x + (uint64_t)(((unsigned __int128)x * x) >> 41) -
	    (uint64_t)(((unsigned __int128)(((unsigned __int128)x * x) >> 40) * x / 6) >> 40);
	for (i = 0; i < 10; i++)
		y = (uint64_t)(((unsigned __int128)y * y) >> 40);
	return (uint32_t)(1000000 - ((y * 1000000) >> 40));
}

uint64_t rc_isqrt(uint64_t x)
{
	uint64_t bit = 1ULL << 62, root = 0;

	while (bit > x)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		if (x >= root + bit) {
			x -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return root;
}

int rc_fls64(uint64_t x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}
