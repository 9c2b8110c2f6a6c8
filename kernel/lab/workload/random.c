/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "random.h"

#define ZIPF_UNIT (1ULL << 40) /* the weight of rank 1 */

struct zipf {
	uint64_t pages;
	uint64_t mask;	     /* smallest 2^n - 1 that holds every page number */
	uint64_t multiplier; /* odd: a permutation of 0..mask */
	uint64_t addend;
	uint64_t sum[]; /* weight of the ranks up to and including this one */
};

static uint64_t mix(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
	return value ^ (value >> 31);
}

void random_seed(struct random_source *source, uint64_t seed, uint64_t stream)
{
	source->state = mix(seed + 1) ^ mix(~stream);
}

uint64_t random_next(struct random_source *source)
{
	source->state += 0x9e3779b97f4a7c15ULL;
	return mix(source->state);
}

uint64_t random_below(struct random_source *source, uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)random_next(source) * bound) >> 64);
}

struct zipf *zipf_new(uint64_t pages, uint64_t seed)
{
	struct zipf *zipf = malloc(sizeof(*zipf) + pages * sizeof(zipf->sum[0]));
	uint64_t total = 0;

	if (!zipf)
		return NULL;
	zipf->pages = pages;
	zipf->mask = 0;
	while (zipf->mask < pages - 1)
		zipf->mask = zipf->mask * 2 + 1;
	zipf->multiplier = mix(seed) | 1;
	zipf->addend = mix(seed + 1);
	for (uint64_t rank = 0; rank < pages; rank++) {
		total += ZIPF_UNIT / (rank + 1);
		zipf->sum[rank] = total;
	}
	return zipf;
}

void zipf_free(struct zipf *zipf)
{
	free(zipf);
}

/* The permutation runs over a power of two; numbers beyond the last page are sent round again. */
static uint64_t page_of_rank(const struct zipf *zipf, uint64_t rank)
{
	do {
		rank = (rank * zipf->multiplier + zipf->addend) & zipf->mask;
	} while (rank >= zipf->pages);
	return rank;
}

uint64_t zipf_next(const struct zipf *zipf, struct random_source *source)
{
	uint64_t target = random_below(source, zipf->sum[zipf->pages - 1]);
	uint64_t low = 0;
	uint64_t high = zipf->pages - 1;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (zipf->sum[middle] > target)
			high = middle;
		else
			low = middle + 1;
	}
	return page_of_rank(zipf, low);
}
