/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_resize.c - the recorded machine with more or less memory */
#include <errno.h>
#include <string.h>

#include "replay/machine.h"

/* The free pages of a type as blocks: what is left of a block that is not taken whole is split. */
static void add_blocks(uint32_t *blocks, uint64_t pages)
{
	for (int order = RECLAIM_MAX_ORDER; order >= 0; order--) {
		blocks[order] += (uint32_t)(pages >> order);
		pages &= (UINT64_C(1) << order) - 1;
	}
}

/* Returns what could not be taken. */
static uint64_t take_blocks(uint32_t *blocks, uint64_t pages)
{
	for (int order = RECLAIM_MAX_ORDER; order >= 0; order--) {
		uint64_t nr = pages >> order;

		if (nr > blocks[order])
			nr = blocks[order];
		blocks[order] -= (uint32_t)nr;
		pages -= nr << order;
	}
	for (int order = 0; pages && order <= RECLAIM_MAX_ORDER; order++) {
		if (!blocks[order] || UINT64_C(1) << order < pages)
			continue;
		blocks[order]--;
		add_blocks(blocks, (UINT64_C(1) << order) - pages);
		pages = 0;
	}
	return pages;
}

/* Free memory that comes is movable. Where it is not known what blocks are free, it stays so. */
static void grow(struct reclaim_initial *init, uint64_t pages)
{
	if (machine_block_pages(init))
		add_blocks(init->free_blocks[RECLAIM_MT_MOVABLE], pages);
	init->free += pages;
}

static void take_free(struct reclaim_initial *init, uint64_t pages)
{
	init->free -= pages;
	if (machine_block_pages(init) && take_blocks(init->free_blocks[RECLAIM_MT_MOVABLE], pages))
		memset(init->free_blocks, 0, sizeof(init->free_blocks));
}

/* Take up to @pages of the page cache, of both lists alike. Returns how many. */
static uint64_t take_cached(struct reclaim_initial *init, uint64_t pages)
{
	uint64_t cached = init->inactive_file + init->active_file, active;

	if (pages > cached)
		pages = cached;
	active = cached ? init->active_file * pages / cached : 0;
	init->active_file -= active;
	init->inactive_file -= pages - active;
	return pages;
}

/*
 * What a zone with a high watermark of @high pages has less in memory when it is smaller by @pages:
 * free memory above the mark, then page cache, then the rest of what is free. Returns what is
 * missing; anonymous and kernel memory would have to be somewhere.
 */
static uint64_t shrink(struct reclaim_initial *init, uint64_t high, uint64_t pages)
{
	uint64_t spare = init->free > high ? init->free - high : 0;

	if (spare > pages)
		spare = pages;
	take_free(init, spare);
	pages -= spare;
	pages -= take_cached(init, pages);
	spare = pages < init->free ? pages : init->free;
	take_free(init, spare);
	return pages - spare;
}

static uint64_t high_mark(const struct machine *machine, uint32_t zone)
{
	struct reclaim_wmarks marks[RECLAIM_MAX_ZONES];

	reclaim_watermarks(&machine->machine, machine->profile, NULL, false, marks);
	return marks[zone].high;
}

static uint32_t largest_zone(const struct machine *machine)
{
	uint32_t zone = 0;

	for (uint32_t i = 1; i < machine->machine.nr_zones; i++)
		if (machine->machine.zones[i].managed > machine->machine.zones[zone].managed)
			zone = i;
	return zone;
}

static void resize_zone(struct reclaim_zone_desc *desc, int64_t delta)
{
	desc->managed += (uint64_t)delta;
	if (desc->spanned)
		desc->spanned += (uint64_t)delta;
	if (desc->managed_at_setup)
		desc->managed_at_setup += (uint64_t)delta;
}

int machine_resize(struct machine *machine, uint64_t pages, struct rl_msg *msg)
{
	uint32_t zone = largest_zone(machine);
	struct reclaim_zone_desc *desc = &machine->machine.zones[zone], before = *desc;
	struct reclaim_initial *init = &machine->initial[zone], kept = *init;
	uint64_t now = machine_pages(machine), missing = 0;
	int64_t delta = (int64_t)pages - (int64_t)now;

	if (!pages)
		return rl_fail(msg, EINVAL, "memory of less than a page");
	if (-delta < (int64_t)desc->managed)
		resize_zone(desc, delta);
	else
		missing = now;
	if (!missing && delta > 0)
		grow(init, (uint64_t)delta);
	else if (!missing)
		missing = shrink(init, high_mark(machine, zone), (uint64_t)-delta);
	if (missing) {
		*desc = before;
		*init = kept;
		return rl_fail(msg, EINVAL,
			       "memory of %llu pages: the machine had %llu at the start that are "
			       "neither free nor page cache",
			       (unsigned long long)pages,
			       (unsigned long long)(now - init->free - init->inactive_file -
						    init->active_file));
	}
	machine->machine.dirty_limit = machine->machine.dirty_limit * pages / now;
	if (init->pageblocks[RECLAIM_MT_MOVABLE])
		init->pageblocks[RECLAIM_MT_MOVABLE] =
			(uint32_t)((int64_t)init->pageblocks[RECLAIM_MT_MOVABLE] +
				   delta / (INT64_C(1) << machine->machine.pageblock_order));
	return 0;
}
