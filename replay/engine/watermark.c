/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * watermark.c - min_free_kbytes, the zone watermarks and the lowmem reserves
 *
 * Follows init_per_zone_wmark_min(), __setup_per_zone_wmarks(), setup_per_zone_lowmem_reserve() and
 * khugepaged's set_recommended_min_free_kbytes(). These are the figures of /proc/zoneinfo, to the
 * page.
 */
#include "internal.h"

static uint64_t setup_pages(const struct reclaim_zone_desc *z, bool after)
{
	return !after && z->managed_at_setup ? z->managed_at_setup : z->managed;
}

static bool is_high(const struct reclaim_profile *prof, enum reclaim_zone_type type)
{
	return type == RECLAIM_ZONE_HIGHMEM ||
	       (type == RECLAIM_ZONE_MOVABLE && prof->movable_is_high);
}

static uint64_t page_kb(const struct reclaim_machine *m)
{
	return m->page_size / 1024;
}

/* Free buffer pages: those below the high mark do not count. */
static uint64_t buffer_pages(const struct reclaim_machine *m, bool after,
			     const struct reclaim_wmarks *marks)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < m->nr_zones; i++)
		if (m->zones[i].type <= RECLAIM_ZONE_NORMAL)
			sum += rc_sub(setup_pages(&m->zones[i], after), marks ? marks[i].high : 0);
	return sum;
}

static void marks_from_min(const struct reclaim_machine *m, const struct reclaim_profile *prof,
			   const struct rc_policy_part *part, bool after, uint64_t min_kb,
			   struct reclaim_wmarks *out)
{
	uint64_t pages_min = min_kb / page_kb(m), lowmem = 0;
	uint32_t i;

	for (i = 0; i < m->nr_zones; i++)
		if (!is_high(prof, m->zones[i].type))
			lowmem += setup_pages(&m->zones[i], after);
	for (i = 0; i < m->nr_zones; i++) {
		struct reclaim_wmark_input in = {
			.node = m->zones[i].node,
			.type = m->zones[i].type,
			.managed = setup_pages(&m->zones[i], after),
			.scale_factor = m->watermark_scale_factor,
		};
		uint64_t gap;

		in.share =
			lowmem ? (uint64_t)((unsigned __int128)pages_min * in.managed / lowmem) : 0;
		in.min = is_high(prof, in.type) ? rc_clamp(in.managed / 1024, 32, 128) : in.share;
		gap = rc_max(in.share / 4, in.managed * in.scale_factor / 10000);
		out[i].min = in.min;
		out[i].low = in.min + gap;
		out[i].high = in.min + 2 * gap;
		out[i].promo = out[i].high + gap;
		if (part)
			part->ops->watermarks(part->state, &in, &out[i]);
	}
}

static uint64_t rule_kb(const struct reclaim_machine *m, const struct reclaim_profile *prof,
			bool after)
{
	uint64_t kb = buffer_pages(m, after, NULL) * page_kb(m);

	return rc_clamp(rc_isqrt(kb * 16), 128, prof->min_free_max_kb);
}

static uint64_t thp_kb(const struct reclaim_machine *m, const struct reclaim_profile *prof,
		       bool after, uint64_t kb)
{
	struct reclaim_wmarks marks[RECLAIM_MAX_ZONES];
	uint64_t pages, zones = 0;
	uint32_t i;

	for (i = 0; i < m->nr_zones; i++)
		if (m->zones[i].managed && m->zones[i].type <= RECLAIM_ZONE_NORMAL)
			zones++;
	marks_from_min(m, prof, NULL, after, kb, marks);
	pages = (zones << m->pageblock_order) * (2 + RECLAIM_NR_PCP_MT * RECLAIM_NR_PCP_MT);
	pages = rc_min(pages, buffer_pages(m, after, marks) / 20);
	return rc_max(kb, pages * page_kb(m));
}

static uint64_t min_kb(const struct reclaim_machine *m, const struct reclaim_profile *prof,
		       bool after)
{
	uint64_t kb;

	if (m->min_free_kbytes >= 0)
		return (uint64_t)m->min_free_kbytes;
	/* The rule is applied at boot; later writes to other settings keep its result. */
	kb = rule_kb(m, prof, false);
	return m->thp ? thp_kb(m, prof, false, kb) : kb;
}

uint64_t reclaim_min_free_kbytes(const struct reclaim_machine *machine,
				 const struct reclaim_profile *profile)
{
	return min_kb(machine, profile, false);
}

static void reserves(const struct reclaim_machine *m, struct reclaim_wmarks *out)
{
	uint32_t i, k;

	for (i = 0; i < m->nr_zones; i++) {
		const struct reclaim_zone_desc *z = &m->zones[i];
		uint64_t ratio = m->lowmem_reserve_ratio[z->type], above = 0;
		int type;

		memset(out[i].reserve, 0, sizeof(out[i].reserve));
		for (type = (int)z->type + 1; type < RECLAIM_NR_ZONE_TYPES; type++) {
			for (k = 0; k < m->nr_zones; k++)
				if (m->zones[k].node == z->node && (int)m->zones[k].type == type)
					above += setup_pages(&m->zones[k], false);
			if (ratio && z->managed)
				out[i].reserve[type] = above / ratio;
		}
	}
}

void rc_watermarks_of(const struct reclaim_machine *m, const struct reclaim_profile *prof,
		      const struct rc_policy_part *part, bool after_setup,
		      struct reclaim_wmarks *out)
{
	marks_from_min(m, prof, part, after_setup, min_kb(m, prof, after_setup), out);
	reserves(m, out);
}

void reclaim_watermarks(const struct reclaim_machine *machine,
			const struct reclaim_profile *profile, struct reclaim_policy *policy,
			bool after_setup, struct reclaim_wmarks *out)
{
	const struct rc_policy_part *part =
		rc_policy_find(policy, offsetof(struct reclaim_policy_ops, watermarks));

	rc_watermarks_of(machine, profile, part, after_setup, out);
}

void rc_watermarks_apply(struct reclaim_engine *e)
{
	struct reclaim_wmarks marks[RECLAIM_MAX_ZONES];
	uint32_t i;

	rc_watermarks_of(&e->m, &e->prof, e->p_watermarks, e->after_setup, marks);
	for (i = 0; i < e->nr_zones; i++) {
		e->zones[i].marks = marks[i];
		if (e->after_setup)
			e->zones[i].boost = 0;
		rc_pcp_setup(e, &e->zones[i]);
	}
}

static bool same_marks(const struct reclaim_machine *m, const struct reclaim_wmarks *a,
		       const struct reclaim_wmarks *b)
{
	uint32_t i;
	int t;

	for (i = 0; i < m->nr_zones; i++) {
		if (a[i].min != b[i].min || a[i].low != b[i].low || a[i].high != b[i].high)
			return false;
		for (t = 0; t < RECLAIM_NR_ZONE_TYPES; t++)
			if (a[i].reserve[t] != b[i].reserve[t])
				return false;
	}
	return true;
}

/*
 * The memory that is released after the setup (the initial ramdisk) comes out of one zone, most
 * often the largest; all figures are monotone in its size, so the values that explain what was seen
 * are one run of numbers, and its middle is taken.
 */
static bool infer_zone(struct reclaim_machine *machine, const struct reclaim_profile *profile,
		       const struct reclaim_wmarks *seen, uint32_t zone)
{
	struct reclaim_machine try = *machine;
	struct reclaim_wmarks marks[RECLAIM_MAX_ZONES];
	uint64_t managed = machine->zones[zone].managed, first = 0, last = 0, pages;

	for (pages = managed; pages > managed - managed / 5; pages--) {
		try.zones[zone].managed_at_setup = pages;
		rc_watermarks_of(&try, profile, NULL, false, marks);
		if (same_marks(machine, marks, seen)) {
			if (!last)
				last = pages;
			first = pages;
		} else if (last) {
			break;
		}
	}
	if (last)
		machine->zones[zone].managed_at_setup = first + (last - first) / 2;
	return last;
}

int reclaim_machine_infer_setup(struct reclaim_machine *machine,
				const struct reclaim_profile *profile,
				const struct reclaim_wmarks *seen)
{
	bool tried[RECLAIM_MAX_ZONES] = { false };
	uint32_t i, n, big;

	if (!machine->nr_zones || machine->nr_zones > RECLAIM_MAX_ZONES)
		return -EINVAL;
	for (n = 0; n < machine->nr_zones; n++) {
		big = RECLAIM_MAX_ZONES;
		for (i = 0; i < machine->nr_zones; i++)
			if (!tried[i] && (big == RECLAIM_MAX_ZONES ||
					  machine->zones[i].managed > machine->zones[big].managed))
				big = i;
		tried[big] = true;
		if (infer_zone(machine, profile, seen, big))
			return 0;
	}
	return -ENOENT;
}

void reclaim_machine_init(struct reclaim_machine *m)
{
	uint32_t i;

	memset(m, 0, sizeof(*m));
	m->page_size = 4096;
	m->cpus = 1;
	m->nodes = 1;
	m->hz = 250;
	m->pageblock_order = 9;
	m->min_free_kbytes = -1;
	m->watermark_scale_factor = 10;
	m->watermark_boost_factor = 15000;
	m->lowmem_reserve_ratio[RECLAIM_ZONE_DMA] = 256;
	m->lowmem_reserve_ratio[RECLAIM_ZONE_DMA32] = 256;
	m->lowmem_reserve_ratio[RECLAIM_ZONE_NORMAL] = 32;
	m->swappiness = 60;
	m->page_cluster = 3;
	m->dirty_ratio = 20;
	m->dirty_background_ratio = 10;
	m->dirty_writeback_ms = 5000;
	m->dirty_expire_ms = 30000;
	m->nr_devices = 1;
	for (i = 0; i < RECLAIM_MAX_DEVICES; i++)
		m->devices[i] = (struct reclaim_device_desc){
			.read_bytes_per_s = 200000000,
			.write_bytes_per_s = 200000000,
			.read_latency_ns = 100000,
			.write_latency_ns = 100000,
			.queues = 1,
			.queue_depth = 128,
			.throttle_writes = true,
			.write_cache = true,
			.merge_pages = RC_MAX_IO_PAGES,
		};
	m->nr_memcgs = 1;
	m->memory_recursiveprot = true;
	for (i = 0; i < RECLAIM_MAX_MEMCGS; i++) {
		m->memcgs[i].max = UINT64_MAX;
		m->memcgs[i].high = UINT64_MAX;
		m->memcgs[i].soft_limit = UINT64_MAX;
	}
	m->costs = (struct reclaim_costs){
		.alloc_fast = 200,
		.alloc_slow = 1000,
		.free_page = 150,
		.cache_hit = 800,
		.cache_add = 300,
		.fault = 600,
		.scan_page = 250,
		.reclaim_page = 400,
		.pageout_page = 2000,
		.activate_page = 150,
		.reclaim_batch = 1500,
		.reclaim_pass = 2000,
		.wake = 2000,
		.io_submit = 3000,
		.compact_page = 60,
		.migrate_page = 2500,
	};
	m->slab_freeable = UINT64_MAX;
	m->wake_latency_ns = 5000;
	m->pauses.think_ppm = 1000000;
	m->wake_spread_ppm = 1000000;
	m->idle_pull_ppm = 1000000;
}

int reclaim_machine_add_zone(struct reclaim_machine *m, uint32_t node, enum reclaim_zone_type type,
			     uint64_t start_pfn, uint64_t spanned, uint64_t managed)
{
	if (m->nr_zones == RECLAIM_MAX_ZONES)
		return -ENOSPC;
	if (node >= RECLAIM_MAX_NODES || type >= RECLAIM_NR_ZONE_TYPES ||
	    (spanned && spanned < managed))
		return -EINVAL;
	m->zones[m->nr_zones++] = (struct reclaim_zone_desc){
		.node = node,
		.type = type,
		.start_pfn = start_pfn,
		.spanned = spanned,
		.managed = managed,
	};
	return 0;
}
