/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * idmap.h - dense numbers for sparse names
 *
 * Gives every pair of 64-bit names (device and inode, address space and address, thread id and 0)
 * the next number from 0. Open addressing, grows by doubling; nothing is ever taken out.
 */
#ifndef RECLAIMLAB_IDMAP_H
#define RECLAIMLAB_IDMAP_H

#include <stdint.h>

struct idmap_entry {
	uint64_t a, b;
	uint32_t id;
	uint32_t used;
};

/* All zero is an empty map. */
struct idmap {
	struct idmap_entry *table;
	uint32_t size; /* a power of two, or 0 */
	uint32_t count;
};

/* The number of (@a, @b), giving out @map->count when new. UINT32_MAX when memory is short. */
uint32_t idmap_get(struct idmap *map, uint64_t a, uint64_t b);

/* The same without adding: UINT32_MAX where it is not known. */
uint32_t idmap_find(const struct idmap *map, uint64_t a, uint64_t b);

/* Like idmap_get() with a number of the caller's choice for a new pair; @map->count grows by one.
 */
uint32_t idmap_put(struct idmap *map, uint64_t a, uint64_t b, uint32_t id);

void idmap_clear(struct idmap *map);

#endif
