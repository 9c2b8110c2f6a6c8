/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * random.h - seeded choices in integers only
 *
 * A scenario must ask for the same pages in the same order on every machine, or two runs of it
 * cannot be compared. So nothing here uses floating point: its last bit differs between processors.
 */
#ifndef RECLAIMLAB_LAB_RANDOM_H
#define RECLAIMLAB_LAB_RANDOM_H

#include <stdint.h>

struct random_source {
	uint64_t state;
};

/* Pages drawn with probability proportional to 1/rank, ranks scattered over the pages. */
struct zipf;

/* @stream separates the tasks of one run: equal seeds with unequal streams are independent. */
void random_seed(struct random_source *source, uint64_t seed, uint64_t stream);

/* 64 bits of the splitmix64 generator (Steele, Lea, Flood 2014). */
uint64_t random_next(struct random_source *source);

/* A number below @bound, which is at least 1. */
uint64_t random_below(struct random_source *source, uint64_t bound);

/*
 * A sampler over @pages pages (1 to 2^31); @seed decides which page has which rank. Takes 8 bytes a
 * page. Returns NULL when memory is short; free with zipf_free().
 */
struct zipf *zipf_new(uint64_t pages, uint64_t seed);
void zipf_free(struct zipf *zipf);

/* The next page, 0 to pages - 1. */
uint64_t zipf_next(const struct zipf *zipf, struct random_source *source);

#endif
