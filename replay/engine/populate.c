/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * populate.c - what is in memory when the replay begins
 *
 * A zone is laid out so that the free lists come out as /proc/pagetypeinfo showed them: a free
 * block of order n takes the lower half of an aligned block of order n + 1, so that it cannot merge
 * with what follows, or lies just above the hole that a zone begins with. What is left between them
 * becomes kernel memory and pages of the lists.
 */
#include <stdlib.h>

#include "internal.h"

/* KNOWN: free, on a free list or a per-CPU list. */
enum { USED, FREE, GIVEN, KNOWN };

/* Unmovable pageblocks beyond what kernel memory and free unmovable pages fill. */
static uint32_t hollow_blocks(const struct reclaim_engine *e, const struct reclaim_initial *in,
			      uint64_t kernel)
{
	uint64_t block = 1ULL << e->m.pageblock_order, pages = kernel;
	uint32_t order;

	for (order = 0; order < RECLAIM_NR_ORDERS; order++)
		pages += (uint64_t)in->free_blocks[RECLAIM_MT_UNMOVABLE][order] << order;
	return (uint32_t)(rc_sub(in->pageblocks[RECLAIM_MT_UNMOVABLE] * block, pages) / block);
}

/* Where a pageblock begins, as an offset into the zone. */
static uint32_t block_start(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t block)
{
	uint64_t pfn = ((z->start_pfn >> e->m.pageblock_order) + block) << e->m.pageblock_order;

	return (uint32_t)(rc_max(pfn, z->start_pfn) - z->start_pfn);
}

static uint32_t block_at(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t offset)
{
	return (uint32_t)(((z->start_pfn + offset) >> e->m.pageblock_order) -
			  (z->start_pfn >> e->m.pageblock_order));
}

static uint8_t known_type(uint32_t known)
{
	return known & 1 ? RECLAIM_MT_RECLAIMABLE : RECLAIM_MT_UNMOVABLE;
}

/* Pageblocks of frames that are known to be free have their type. Counts them in @blocks. */
static void take_known(const struct reclaim_engine *e, struct rc_zone *z,
		       const struct reclaim_initial *in, uint8_t *map, uint32_t *blocks)
{
	uint32_t first = z->spanned - (uint32_t)z->managed, i;

	for (i = 0; i < in->nr_known; i++) {
		uint32_t offset = in->known[i] >> 1, block;
		uint8_t type = known_type(in->known[i]);

		if (offset < first || offset >= z->spanned)
			continue;
		block = block_at(e, z, offset);
		if (z->block_mt[block] == RECLAIM_MT_MOVABLE) {
			z->block_mt[block] = type;
			blocks[type]++;
		}
		map[offset] = KNOWN;
	}
}

static void set_blocks(const struct reclaim_engine *e, struct rc_zone *z,
		       const struct reclaim_initial *in, uint64_t kernel, const uint32_t *known)
{
	/*
	 * Kernel memory gathers at the bottom, above what was never the allocator's: blocks of
	 * reserved pages stay movable, as the kernel makes all blocks at first,
	 * save for those unmovable ones that kernel memory cannot fill.
	 */
	static const uint8_t order[] = { RECLAIM_MT_UNMOVABLE, RECLAIM_MT_RECLAIMABLE,
					 RECLAIM_MT_HIGHATOMIC };
	uint32_t i, k, b;

	b = (uint32_t)(((z->start_pfn + z->spanned - z->managed) >> e->m.pageblock_order) -
		       (z->start_pfn >> e->m.pageblock_order));
	b = (uint32_t)rc_sub(b, hollow_blocks(e, in, kernel));
	for (i = 0; i < sizeof(order); i++)
		for (k = known[order[i]]; k < in->pageblocks[order[i]] && b < z->nr_blocks; b++) {
			if (z->block_mt[b] != RECLAIM_MT_MOVABLE)
				continue;
			z->block_mt[b] = order[i];
			k++;
		}
}

/*
 * Mark a free block of an order in pageblocks of a type, from @cursor on, which goes to the next
 * pageblock behind it. Returns the pageblock of the zone, or RC_NONE when there is no room.
 */
static uint32_t place(struct reclaim_engine *e, const struct rc_zone *z, uint8_t *map, int mt,
		      uint32_t order, uint32_t *cursor)
{
	uint32_t align = order == RECLAIM_MAX_ORDER ? order : order + 1,
		 first = z->spanned - (uint32_t)z->managed;
	uint64_t block = 1ULL << e->m.pageblock_order;
	uint32_t i, k;

	for (i = rc_max(*cursor, first); i + (1u << order) <= z->spanned; i++) {
		uint64_t pfn = z->start_pfn + i,
			 up = (pfn + (1ULL << align) - 1) & ~((1ULL << align) - 1);

		i += (uint32_t)(up - pfn);
		if (i + (1u << order) > z->spanned)
			break;
		if (mt >= 0 && rc_block_mt(e, z, z->base + i) != mt)
			continue;
		for (k = 0; k < 1u << order && map[i + k] == USED; k++)
			;
		if (k < 1u << order)
			continue;
		memset(map + i, FREE, 1u << order);
		pfn = z->start_pfn + i + (1ULL << order);
		*cursor = (uint32_t)(((pfn + block - 1) & ~(block - 1)) - z->start_pfn);
		return block_at(e, z, i);
	}
	return RC_NONE;
}

/*
 * Mark the first block of an order above the hole that the zone begins with, where it belongs to a
 * pageblock of the type: nothing below it is ever freed. Returns the pageblock, or RC_NONE.
 */
static uint32_t place_above_hole(struct reclaim_engine *e, const struct rc_zone *z, uint8_t *map,
				 int mt, uint32_t order)
{
	uint64_t size = 1ULL << order, pfn = z->start_pfn + z->spanned - z->managed;
	uint64_t i = ((pfn + size - 1) & ~(size - 1)) - z->start_pfn, k;

	if (i + size > z->spanned || rc_block_mt(e, z, z->base + (uint32_t)i) != mt)
		return RC_NONE;
	for (k = 0; k < size; k++)
		if (map[i + k] != USED)
			return RC_NONE;
	memset(map + i, FREE, size);
	return block_at(e, z, (uint32_t)i);
}

/*
 * The first pageblock of a type that has larger free blocks but none of this order (@has: a bit an
 * order), else the first that has none at all.
 */
static uint32_t block_for(const struct rc_zone *z, const uint16_t *has, int mt, uint32_t order)
{
	uint32_t i, empty = RC_NONE;

	for (i = 0; i < z->nr_blocks; i++) {
		if (z->block_mt[i] != mt)
			continue;
		if (has[i] && !(has[i] >> order & 1))
			return i;
		if (!has[i] && empty == RC_NONE)
			empty = i;
	}
	return empty;
}

/* Mark a free block of known frames. Returns the pageblock, or RC_NONE. */
static uint32_t place_known(const struct reclaim_engine *e, const struct rc_zone *z,
			    const struct reclaim_initial *in, uint8_t *map, int mt, uint32_t order)
{
	uint32_t i, k;

	for (i = 0; i < in->nr_known; i++) {
		uint64_t in_block = (z->start_pfn + (in->known[i] >> 1)) & ((1ULL << order) - 1);
		uint32_t offset = (in->known[i] >> 1) - (uint32_t)in_block;

		if (known_type(in->known[i]) != mt || in->known[i] >> 1 < in_block ||
		    (uint64_t)offset + (1u << order) > z->spanned)
			continue;
		for (k = 0; k < 1u << order && map[offset + k] == KNOWN; k++)
			;
		if (k < 1u << order || rc_block_mt(e, z, z->base + offset) != mt)
			continue;
		memset(map + offset, FREE, 1u << order);
		return block_at(e, z, offset);
	}
	return RC_NONE;
}

/* Known frames beyond what the per-CPU lists hold are free. */
static void free_surplus(const struct rc_zone *z, const struct reclaim_initial *in, uint8_t *map)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = 0; i < z->spanned; i++)
		if (map[i] == KNOWN && ++nr > in->pcp)
			map[i] = FREE;
}

/*
 * The file does not tell where free blocks lie. Where nothing else does, movable ones are dealt out
 * over their pageblocks in turn: what was freed there lies anywhere. Those of other types are what
 * a pageblock left when it was split (expand()), one of each order, and so lie together in as few
 * pageblocks as that allows.
 */
static int place_blocks(struct reclaim_engine *e, const struct rc_zone *z,
			const struct reclaim_initial *in, uint8_t *map)
{
	uint16_t *has = calloc(z->nr_blocks, sizeof(*has));
	uint32_t cursor[RECLAIM_NR_MT] = { 0 };
	uint32_t n, block;
	int order, mt;

	if (!has)
		return -ENOMEM;
	for (order = RECLAIM_MAX_ORDER; order >= 0; order--) {
		for (mt = 0; mt < RECLAIM_NR_MT; mt++) {
			uint32_t any = 0;

			for (n = 0; n < in->free_blocks[mt][order]; n++) {
				block = place_known(e, z, in, map, mt, (uint32_t)order);
				if (block != RC_NONE) {
					has[block] |= 1u << order;
					continue;
				}
				if (mt != RECLAIM_MT_MOVABLE)
					block = block_for(z, has, mt, (uint32_t)order);
				if (block != RC_NONE)
					cursor[mt] = block_start(e, z, block);
				block = place(e, z, map, mt, (uint32_t)order, &cursor[mt]);
				cursor[mt] = block == RC_NONE ? 0 : cursor[mt];
				if (block == RC_NONE)
					block = place(e, z, map, mt, (uint32_t)order, &cursor[mt]);
				if (block == RC_NONE)
					block = place_above_hole(e, z, map, mt, (uint32_t)order);
				if (block == RC_NONE)
					block = place(e, z, map, -1, (uint32_t)order, &any);
				if (block < z->nr_blocks)
					has[block] |= 1u << order;
			}
		}
	}
	free(has);
	return 0;
}

static bool has_blocks(const struct reclaim_initial *in)
{
	int mt, order;

	for (mt = 0; mt < RECLAIM_NR_MT; mt++)
		for (order = 0; order < RECLAIM_NR_ORDERS; order++)
			if (in->free_blocks[mt][order])
				return true;
	return false;
}

/* Without block counts the known frames are free, and the end of the zone is. */
static void place_anywhere(const struct rc_zone *z, const struct reclaim_initial *in, uint8_t *map)
{
	uint64_t left = in->free;
	uint32_t i;

	for (i = 0; i < z->spanned && left; i++)
		if (map[i] == KNOWN) {
			map[i] = FREE;
			left--;
		}
	for (i = z->spanned; left && i; i--)
		if (map[i - 1] == USED) {
			map[i - 1] = FREE;
			left--;
		}
}

/* Empty the free lists that the zone was made with. */
static void take_all(struct reclaim_engine *e, struct rc_zone *z)
{
	uint32_t i, mt, order;

	for (mt = 0; mt < RECLAIM_NR_MT; mt++)
		for (order = 0; order < RECLAIM_NR_ORDERS; order++)
			z->free[mt][order] = RC_LIST_INIT;
	z->nr_free = 0;
	z->nr_free_highatomic = 0;
	for (i = z->base; i < z->base + z->spanned; i++)
		e->pages[i].flags &= RC_PG_RESERVED;
}

static void free_marked(struct reclaim_engine *e, struct rc_zone *z, const uint8_t *map)
{
	uint32_t i = 0, end, order;

	while (i < z->spanned) {
		if (map[i] != FREE) {
			i++;
			continue;
		}
		for (end = i; end < z->spanned && map[end] == FREE; end++)
			;
		order = RECLAIM_MAX_ORDER;
		while (((z->start_pfn + i) & ((1ULL << order) - 1)) || i + (1u << order) > end)
			order--;
		rc_buddy_free(e, z, z->base + i, order, rc_block_mt(e, z, z->base + i));
		i += 1u << order;
	}
}

struct filler {
	struct reclaim_engine *e;
	struct rc_zone *z;
	uint8_t *map;
	uint32_t pos;
};

/* Is this frame of the zone neither free nor given away, and in a block of the type (-1: any)? */
static bool is_left(const struct filler *f, uint32_t pos, int mt)
{
	uint32_t page = f->z->base + pos;

	return f->map[pos] == USED && !(f->e->pages[page].flags & RC_PG_RESERVED) &&
	       (mt < 0 || rc_block_mt(f->e, f->z, page) == mt);
}

static uint32_t next_left(struct filler *f)
{
	while (f->pos < f->z->spanned && !is_left(f, f->pos, -1))
		f->pos++;
	return f->pos < f->z->spanned ? f->z->base + f->pos++ : RC_NONE;
}

static void give(struct filler *f, uint32_t page, uint32_t flags)
{
	f->e->pages[page].order = 0;
	f->e->pages[page].flags = flags;
	if (flags & RC_PG_KERNEL) {
		f->z->kernel++;
	} else if (flags & RC_PG_SLAB) {
		f->z->slab++;
		f->e->nr_slab++;
		rc_list_add(f->e, &f->e->slab_list, page);
	} else {
		rc_lru_put(f->e, page, false);
	}
}

/* Spread pages evenly over what is left in the blocks of a type. Returns how many found no room. */
static uint64_t spread(struct filler *f, uint64_t nr, uint32_t flags, int mt)
{
	uint64_t room = 0, share = 0, given;
	uint32_t i;

	if (!nr)
		return 0;
	for (i = 0; i < f->z->spanned; i++)
		room += is_left(f, i, mt);
	given = rc_min(nr, room);
	for (i = 0; given && i < f->z->spanned; i++) {
		if (!is_left(f, i, mt))
			continue;
		share += given;
		if (share < room)
			continue;
		share -= room;
		f->map[i] = GIVEN;
		give(f, f->z->base + i, flags);
	}
	return nr - given;
}

/* What is in use, by kinds of pages. */
struct used {
	uint64_t nr;
	uint32_t flags;
	int mt; /* the type of pageblocks that they belong to */
};

/* Pages go to pageblocks of their type; what finds no room there goes anywhere. */
static void fill(struct filler *f, struct used *used, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		used[i].nr = spread(f, used[i].nr, used[i].flags, used[i].mt);
	for (i = 0; i < nr; i++)
		spread(f, used[i].nr, used[i].flags, -1);
}

static void fill_used(struct filler *f, const struct reclaim_initial *in, uint64_t kernel)
{
	const uint32_t anon = RC_PG_ANON | RC_PG_DIRTY;
	struct used used[] = {
		{ kernel, RC_PG_KERNEL, RECLAIM_MT_UNMOVABLE },
		{ in->slab_reclaimable, RC_PG_SLAB, RECLAIM_MT_RECLAIMABLE },
		{ in->unevictable, anon | RC_PG_UNEVICTABLE | RC_PG_MLOCK, RECLAIM_MT_MOVABLE },
		{ in->inactive_anon, anon, RECLAIM_MT_MOVABLE },
		{ in->active_anon, anon | RC_PG_ACTIVE, RECLAIM_MT_MOVABLE },
		{ in->inactive_file, 0, RECLAIM_MT_MOVABLE },
		{ in->active_file, RC_PG_ACTIVE, RECLAIM_MT_MOVABLE },
	};

	fill(f, used, sizeof(used) / sizeof(used[0]));
}

static void pcp_give(struct filler *f, struct rc_pcp *p, uint32_t page, uint8_t mt)
{
	f->e->pages[page].order = 0;
	f->e->pages[page].flags = RC_PG_PCP;
	f->e->pages[page].migratetype = mt;
	rc_list_add_tail(f->e, &p->lists[mt][0], page);
	p->count++;
	f->z->nr_pcp++;
}

/* Known frames that are on no free list go to the CPUs in equal parts, the rest is movable. */
static void fill_pcp(struct filler *f, const struct reclaim_initial *in)
{
	uint32_t c, page, at = 0, known = 0, left;
	uint64_t nr;

	for (page = 0; page < f->z->spanned; page++)
		known += f->map[page] == KNOWN;

	for (c = 0; c < f->e->nr_cpus; c++) {
		struct rc_pcp *p = &f->z->pcp[c];

		if (in->pcp_high[0])
			p->high = (int32_t)rc_clamp(in->pcp_high[c ? 1 : 0], (uint64_t)p->high_min,
						    (uint64_t)p->high_max);
		nr = in->pcp / f->e->nr_cpus + (c < in->pcp % f->e->nr_cpus);
		left = known / f->e->nr_cpus + (c < known % f->e->nr_cpus);
		for (; left; at++) {
			if (f->map[at] != KNOWN)
				continue;
			page = f->z->base + at;
			pcp_give(f, p, page, rc_block_mt(f->e, f->z, page));
			left--;
			nr--;
		}
		for (; nr; nr--) {
			page = next_left(f);
			if (page == RC_NONE)
				return;
			pcp_give(f, p, page, RECLAIM_MT_MOVABLE);
		}
	}
}

int reclaim_engine_populate(struct reclaim_engine *e, uint32_t zone,
			    const struct reclaim_initial *in, struct reclaim_error *error)
{
	const uint64_t parts[] = { in->inactive_anon,
				   in->active_anon,
				   in->inactive_file,
				   in->active_file,
				   in->unevictable,
				   in->slab_reclaimable,
				   in->pcp };
	uint64_t lists = 0;
	struct filler f = { .e = e };
	uint32_t known[RECLAIM_NR_MT] = { 0 };
	struct rc_zone *z;
	uint64_t kernel;
	size_t i;

	if (zone >= e->nr_zones)
		return rc_fail(error, EINVAL, "there is no zone %u", zone);
	z = &e->zones[zone];
	/* None can be more than the zone, so that the sum does not wrap. */
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		lists += rc_min(parts[i], z->managed + 1);
	if (in->free > z->managed || lists > z->managed - in->free)
		return rc_fail(error, EINVAL,
			       "zone %u: %llu pages free and %llu on lists, but %llu managed", zone,
			       (unsigned long long)in->free, (unsigned long long)lists,
			       (unsigned long long)z->managed);
	f.z = z;
	f.map = calloc(z->spanned, 1);
	if (!f.map)
		return rc_fail(error, ENOMEM, "no memory to populate zone %u", zone);
	kernel = z->managed - in->free - lists;
	take_known(e, z, in, f.map, known);
	set_blocks(e, z, in, kernel, known);
	take_all(e, z);
	if (!has_blocks(in)) {
		place_anywhere(z, in, f.map);
	} else if (place_blocks(e, z, in, f.map)) {
		free(f.map);
		return rc_fail(error, ENOMEM, "no memory to populate zone %u", zone);
	}
	free_surplus(z, in, f.map);
	free_marked(e, z, f.map);
	kernel = z->managed - z->nr_free;
	kernel = rc_sub(kernel, lists);
	fill_used(&f, in, kernel);
	fill_pcp(&f, in);
	free(f.map);
	return 0;
}

/* The place of a page's entry. */
static int slot_of(struct reclaim_engine *e, uint32_t file, uint32_t index, uint64_t **slot)
{
	struct rc_file *f;

	if (file >= 1u << 28)
		return -EINVAL;
	f = rc_file_get(e, file);
	*slot = f ? rc_table_slot(&f->table, index) : NULL;
	return *slot ? 0 : -ENOMEM;
}

int reclaim_engine_evicted(struct reclaim_engine *e, uint32_t file, uint32_t index)
{
	uint64_t *slot;
	int ret = slot_of(e, file, index, &slot);

	if (ret)
		return ret;
	if (*slot)
		return -EEXIST;
	*slot = rc_workingset_old(e);
	return 0;
}

int reclaim_engine_preload(struct reclaim_engine *e, uint32_t file, uint32_t index, bool active)
{
	const struct rc_node *n = &e->nodes[0];
	uint64_t *slot;
	uint32_t i, page = RC_NONE;
	int ret = slot_of(e, file, index, &slot);

	if (ret)
		return ret;
	if (rc_entry_frame(*slot) != RC_NONE)
		return -EEXIST;
	for (i = 0; i < n->nr_zonelist && page == RC_NONE; i++) {
		struct rc_zone *z = &e->zones[n->zonelist[i]];

		if (z->nr_free > z->marks.low + z->marks.reserve[RECLAIM_ZONE_MOVABLE])
			page = rc_buddy_alloc(e, z, 0, RECLAIM_MT_MOVABLE, 0);
	}
	if (page == RC_NONE)
		return -ENOMEM;
	e->pages[page].order = 0;
	e->pages[page].flags = active ? RC_PG_ACTIVE : 0;
	e->pages[page].file = file;
	e->pages[page].index = index;
	*slot = (uint64_t)page << 2 | RC_ENTRY_FRAME;
	rc_lru_put(e, page, false);
	return 0;
}
