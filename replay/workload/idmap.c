/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "replay/workload/idmap.h"

#define FIRST_SIZE 256u
#define LAST_SIZE  (1u << 30)

/* The finaliser of splitmix64 (Vigna 2015), over both names. */
static uint64_t hash_pair(uint64_t a, uint64_t b)
{
	uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b;

	h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
	return h ^ (h >> 31);
}

static struct idmap_entry *slot_of(const struct idmap *map, uint64_t a, uint64_t b)
{
	uint32_t at = hash_pair(a, b) & (map->size - 1);

	while (map->table[at].used && (map->table[at].a != a || map->table[at].b != b))
		at = (at + 1) & (map->size - 1);
	return &map->table[at];
}

static int grow(struct idmap *map)
{
	struct idmap bigger = { .size = map->size ? map->size * 2 : FIRST_SIZE,
				.count = map->count };

	if (map->size >= LAST_SIZE)
		return -1;
	bigger.table = calloc(bigger.size, sizeof(*bigger.table));
	if (!bigger.table)
		return -1;
	for (uint32_t i = 0; i < map->size; i++)
		if (map->table[i].used)
			*slot_of(&bigger, map->table[i].a, map->table[i].b) = map->table[i];
	free(map->table);
	*map = bigger;
	return 0;
}

uint32_t idmap_find(const struct idmap *map, uint64_t a, uint64_t b)
{
	const struct idmap_entry *slot;

	if (!map->size)
		return UINT32_MAX;
	slot = slot_of(map, a, b);
	return slot->used ? slot->id : UINT32_MAX;
}

uint32_t idmap_put(struct idmap *map, uint64_t a, uint64_t b, uint32_t id)
{
	struct idmap_entry *slot;

	if (map->count >= map->size / 4 * 3 && grow(map))
		return UINT32_MAX;
	slot = slot_of(map, a, b);
	if (!slot->used) {
		*slot = (struct idmap_entry){ .a = a, .b = b, .id = id, .used = 1 };
		map->count++;
	}
	return slot->id;
}

uint32_t idmap_get(struct idmap *map, uint64_t a, uint64_t b)
{
	return idmap_put(map, a, b, map->count);
}

void idmap_clear(struct idmap *map)
{
	free(map->table);
	*map = (struct idmap){ 0 };
}
