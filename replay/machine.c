/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/feed.h"

#define DEVICE_FILES	 0
#define DEVICE_SWAP	 1
#define DEVICE_WRITTEN	 FEED_DEVICE_WRITTEN
#define SECTOR		 512
#define MAX_SCALE_FACTOR 3000
#define LATENCY_PERCENT	 20 /* of a mean request: the part that does not grow with its size */
#define MAX_LATENCY_NS	 INT64_C(200000)
#define MIN_REQUESTS	 100
#define MIN_SEEN	 50
#define QUEUES		 32 /* requests on their way at once; each direction transfers one by one */
#define QUEUE_DEPTH	 256   /* requests a CPU: what a virtio or NVMe queue commonly takes */
#define MAX_REQUESTS	 65536 /* of one queue, in what a recording says */
#define NS_PER_MS	 INT64_C(1000000)
#define NS_PER_S	 UINT64_C(1000000000)
#define PPM		 1000000
#define DEBIAN_HZ	 250
#define SEEN_SECONDS	 4
#define SMALL_MACHINE	 1024 /* pages that machine_of_size() starts from */
#define FASTER_MAX	 10
#define SLAB_OBJECTS	 20 /* in a page of slab, about */

static const struct {
	const char *name;
	enum reclaim_zone_type type;
} zone_names[] = {
	{ "DMA", RECLAIM_ZONE_DMA },	     { "DMA32", RECLAIM_ZONE_DMA32 },
	{ "Normal", RECLAIM_ZONE_NORMAL },   { "HighMem", RECLAIM_ZONE_HIGHMEM },
	{ "Movable", RECLAIM_ZONE_MOVABLE },
};

static const struct {
	const char *name;
	enum reclaim_migratetype type;
} type_names[] = {
	{ "Unmovable", RECLAIM_MT_UNMOVABLE },
	{ "Movable", RECLAIM_MT_MOVABLE },
	{ "Reclaimable", RECLAIM_MT_RECLAIMABLE },
	{ "HighAtomic", RECLAIM_MT_HIGHATOMIC },
};

/* "node 0 zone DMA32": node and type; false for other scopes. */
static bool zone_scope(const char *scope, uint32_t *node, enum reclaim_zone_type *type)
{
	char name[32];
	int used = 0;

	if (sscanf(scope, "node %u zone %31s%n", node, name, &used) != 2 || scope[used])
		return false;
	for (size_t i = 0; i < sizeof(zone_names) / sizeof(*zone_names); i++)
		if (!strcmp(name, zone_names[i].name)) {
			*type = zone_names[i].type;
			return true;
		}
	return false;
}

static uint64_t zone_value(const struct recording *rec, const char *scope, const char *name)
{
	int64_t value = counter_set_value(rec->before, "zoneinfo", scope, name, 0);

	return value > 0 ? (uint64_t)value : 0;
}

static void zone_wmarks(const struct recording *rec, const char *scope, struct reclaim_wmarks *seen)
{
	uint64_t boost = zone_value(rec, scope, "boost");
	char name[32];

	seen->min = zone_value(rec, scope, "min") - boost;
	seen->low = zone_value(rec, scope, "low") - boost;
	seen->high = zone_value(rec, scope, "high") - boost;
	seen->promo = seen->high + (seen->high - seen->low);
	for (int i = 0; i < RECLAIM_NR_ZONE_TYPES; i++) {
		snprintf(name, sizeof(name), "protection %d", i);
		seen->reserve[i] = zone_value(rec, scope, name);
	}
}

static void zone_pcp(const struct recording *rec, const char *scope, struct reclaim_initial *init)
{
	char cpu_scope[96];

	for (unsigned int cpu = 0; cpu < rec->cpus; cpu++) {
		snprintf(cpu_scope, sizeof(cpu_scope), "%s cpu %u", scope, cpu);
		init->pcp += zone_value(rec, cpu_scope, "count");
		if (cpu < 2)
			init->pcp_high[cpu] = (uint32_t)zone_value(rec, cpu_scope, "high");
	}
}

void machine_free_blocks(const struct counter_set *counters, const char *scope,
			 struct reclaim_initial *init)
{
	char name[48];

	for (size_t i = 0; i < sizeof(type_names) / sizeof(*type_names); i++) {
		enum reclaim_migratetype type = type_names[i].type;

		snprintf(name, sizeof(name), "%s blocks", type_names[i].name);
		init->pageblocks[type] =
			(uint32_t)counter_set_value(counters, "pagetypeinfo", scope, name, 0);
		for (int order = 0; order < RECLAIM_NR_ORDERS; order++) {
			snprintf(name, sizeof(name), "%s order %d", type_names[i].name, order);
			init->free_blocks[type][order] = (uint32_t)counter_set_value(
				counters, "pagetypeinfo", scope, name, 0);
		}
	}
}

uint64_t machine_block_pages(const struct reclaim_initial *init)
{
	uint64_t pages = 0;

	for (int type = 0; type < RECLAIM_NR_MT; type++)
		for (int order = 0; order < RECLAIM_NR_ORDERS; order++)
			pages += (uint64_t)init->free_blocks[type][order] << order;
	return pages;
}

static int add_zone(const struct recording *rec, const char *scope, struct machine *out,
		    uint32_t node, enum reclaim_zone_type type)
{
	uint32_t nr = out->machine.nr_zones;
	struct reclaim_initial *init = &out->initial[nr];
	int ret;

	ret = reclaim_machine_add_zone(
		&out->machine, node, type, zone_value(rec, scope, "start_pfn"),
		zone_value(rec, scope, "spanned"), zone_value(rec, scope, "managed"));
	if (ret)
		return ret;
	if (node + 1 > out->machine.nodes)
		out->machine.nodes = node + 1;
	zone_wmarks(rec, scope, &out->seen[nr]);
	init->free = zone_value(rec, scope, "free");
	init->inactive_anon = zone_value(rec, scope, "nr_zone_inactive_anon");
	init->active_anon = zone_value(rec, scope, "nr_zone_active_anon");
	init->inactive_file = zone_value(rec, scope, "nr_zone_inactive_file");
	init->active_file = zone_value(rec, scope, "nr_zone_active_file");
	init->unevictable = zone_value(rec, scope, "nr_zone_unevictable");
	zone_pcp(rec, scope, init);
	machine_free_blocks(rec->before, scope, init);
	/* The two files were read one behind the other: the blocks say what is on the lists. */
	if (machine_block_pages(init))
		init->free = machine_block_pages(init);
	return 0;
}

struct zone_name {
	const char *scope;
	uint32_t node;
	enum reclaim_zone_type type;
};

static int compare_zones(const void *a, const void *b)
{
	const struct zone_name *x = a, *y = b;

	return x->node != y->node ? (x->node < y->node ? -1 : 1) : (int)x->type - (int)y->type;
}

/*
 * The zones that have memory, in the engine's order; samples of changes may name any of them first.
 * Returns how many, or RECLAIM_MAX_ZONES + 1 where there are more than the engine can have.
 */
static uint32_t find_zones(const struct recording *rec, struct zone_name *zones)
{
	struct zone_name zone;
	uint32_t nr = 0;

	for (unsigned int i = 0; nr <= RECLAIM_MAX_ZONES &&
				 (zone.scope = counter_set_scope(rec->before, "zoneinfo", i));
	     i++) {
		if (!zone_scope(zone.scope, &zone.node, &zone.type) ||
		    !zone_value(rec, zone.scope, "managed"))
			continue;
		if (nr < RECLAIM_MAX_ZONES)
			zones[nr] = zone;
		nr++;
	}
	if (nr <= RECLAIM_MAX_ZONES)
		qsort(zones, nr, sizeof(*zones), compare_zones);
	return nr;
}

static int take_zones(const struct recording *rec, struct machine *out, struct rl_msg *msg)
{
	struct zone_name zones[RECLAIM_MAX_ZONES];
	uint32_t nr = find_zones(rec, zones);
	int ret = nr > RECLAIM_MAX_ZONES ? -ENOSPC : 0;

	for (uint32_t i = 0; !ret && i < nr; i++)
		ret = add_zone(rec, zones[i].scope, out, zones[i].node, zones[i].type);
	if (ret)
		return rl_fail(msg, EINVAL, "%s: zoneinfo: more zones than the engine has",
			       rec->path);
	if (!out->machine.nr_zones)
		return rl_fail(msg, EINVAL,
			       rec->is_demand
				       ? "%s: no machine in it: expected its /proc/zoneinfo as a "
					 "second file, or --memory"
				       : "%s: no /proc/zoneinfo at the start of the recording: "
					 "expected a file zoneinfo.before beside it",
			       rec->path);
	return 0;
}

static uint32_t setting(const struct recording *rec, const char *name, uint32_t absent)
{
	return (uint32_t)counter_set_value(rec->settings, "sysctl", "", name, absent);
}

static bool same_wmarks(const struct machine *m)
{
	struct reclaim_wmarks out[RECLAIM_MAX_ZONES];

	reclaim_watermarks(&m->machine, m->profile, NULL, false, out);
	for (uint32_t i = 0; i < m->machine.nr_zones; i++)
		if (out[i].min != m->seen[i].min || out[i].low != m->seen[i].low ||
		    out[i].high != m->seen[i].high)
			return false;
	return true;
}

/* min_free_kbytes is a few KiB above four times the sum of the rounded-down shares. */
static bool search_min_free(struct machine *m)
{
	int64_t sum = 0, rule = m->machine.min_free_kbytes;

	for (uint32_t i = 0; i < m->machine.nr_zones; i++)
		sum += (int64_t)m->seen[i].min;
	for (int64_t kib = sum * 4; kib < sum * 4 + 4 * (int64_t)m->machine.nr_zones + 4; kib++) {
		m->machine.min_free_kbytes = kib;
		if (same_wmarks(m) ||
		    !reclaim_machine_infer_setup(&m->machine, m->profile, m->seen))
			return true;
	}
	m->machine.min_free_kbytes = rule;
	return false;
}

static bool search_scale_factor(struct machine *m)
{
	uint32_t given = m->machine.watermark_scale_factor;

	for (uint32_t wsf = 1; wsf <= MAX_SCALE_FACTOR; wsf++) {
		m->machine.watermark_scale_factor = wsf;
		if (same_wmarks(m))
			return true;
	}
	m->machine.watermark_scale_factor = given;
	return false;
}

/* Settings that explain the watermarks seen: the kernel's rule first, then what was set. */
static void explain_wmarks(const struct recording *rec, struct machine *m)
{
	int64_t set = setting(rec, "min_free_kbytes", 0);
	const char *how = "the kernel's rule for min_free_kbytes";

	m->machine.min_free_kbytes = -1;
	m->watermarks_equal =
		same_wmarks(m) || !reclaim_machine_infer_setup(&m->machine, m->profile, m->seen);
	if (!m->watermarks_equal && set) {
		m->machine.min_free_kbytes = set;
		how = "the recorded min_free_kbytes";
		m->watermarks_equal = same_wmarks(m) || !reclaim_machine_infer_setup(
								&m->machine, m->profile, m->seen);
	}
	if (!m->watermarks_equal) {
		how = "a min_free_kbytes that explains the watermarks";
		m->watermarks_equal = search_min_free(m);
	}
	if (!m->watermarks_equal) {
		how = "a scale factor that explains the watermarks";
		m->watermarks_equal = search_scale_factor(m);
	}
	snprintf(m->words, sizeof(m->words), "watermarks %s by %s",
		 m->watermarks_equal ? "equal the recorded ones" : "differ from the recorded ones",
		 how);
}

static void take_settings(const struct recording *rec, struct machine *m)
{
	struct reclaim_machine *mm = &m->machine;
	int64_t swap = counter_set_value(rec->before, "meminfo", "", "SwapTotal", 0);

	mm->page_size = rec->page_size;
	mm->cpus = rec->cpus;
	mm->hz = DEBIAN_HZ;
	mm->pageblock_order = (uint32_t)counter_set_value(rec->before, "pagetypeinfo", "",
							  "page block order", mm->pageblock_order);
	mm->watermark_scale_factor =
		setting(rec, "watermark_scale_factor", mm->watermark_scale_factor);
	mm->watermark_boost_factor =
		setting(rec, "watermark_boost_factor", mm->watermark_boost_factor);
	mm->swappiness = setting(rec, "swappiness", mm->swappiness);
	mm->dirty_ratio = setting(rec, "dirty_ratio", mm->dirty_ratio);
	mm->dirty_background_ratio =
		setting(rec, "dirty_background_ratio", mm->dirty_background_ratio);
	mm->page_cluster = setting(rec, "page-cluster", mm->page_cluster);
	mm->swap_pages = swap > 0 ? (uint64_t)swap * 1024 / mm->page_size : 0;
}

struct traffic {
	int64_t requests, sectors, ms;
};

static struct traffic traffic_of(const struct recording *rec, const char *device, bool write)
{
	struct traffic t = { 0 };

	recording_counter_delta(rec, "diskstats", device, write ? "writes" : "reads", &t.requests);
	recording_counter_delta(rec, "diskstats", device, write ? "write_sectors" : "read_sectors",
				&t.sectors);
	recording_counter_delta(rec, "diskstats", device, write ? "write_time" : "read_time",
				&t.ms);
	return t;
}

/*
 * One direction of a device: it was busy for as long as its requests took together, and no longer
 * than the device was busy at all, less what they waited for a paused CPU to notice their end
 * (@delay each, but a tenth of the time is left). A fifth of a mean request, and at most
 * MAX_LATENCY_NS, is taken for latency, the rest for the transfer: with one size of request no
 * recording tells them apart. But a device that was seen to move @seen bytes in a second can do
 * so, however idle it was in the mean: what its requests took beyond that is latency.
 */
static void device_direction(const struct traffic *t, int64_t busy_ms, int64_t delay, uint64_t seen,
			     uint64_t *rate, int64_t *latency)
{
	int64_t busy = (t->ms < busy_ms ? t->ms : busy_ms) * NS_PER_MS, bytes = t->sectors * SECTOR;
	int64_t most = MAX_LATENCY_NS;

	if (t->requests < MIN_REQUESTS || busy <= 0 || bytes <= 0)
		return;
	busy -= delay * t->requests < busy / 2 ? delay * t->requests : busy / 2;
	*latency = busy / t->requests * LATENCY_PERCENT / 100;
	if ((unsigned __int128)seen * (uint64_t)busy > (unsigned __int128)bytes * NS_PER_S) {
		most = (int64_t)NS_PER_S / 100;
		*latency = (busy - (int64_t)((unsigned __int128)bytes * NS_PER_S / seen)) /
			   t->requests;
	}
	if (*latency > most)
		*latency = most;
	busy -= *latency * t->requests;
	*rate = (uint64_t)((unsigned __int128)bytes * NS_PER_S / (uint64_t)busy);
	if (*rate < seen)
		*rate = seen;
}

/*
 * Pages a second that the swap device was seen to write: no more than reclaim sent to it, nor than
 * it then could free, over the best SEEN_SECONDS in a row (shorter ones show what queued up).
 */
static uint64_t swap_writes_seen(const struct response *res)
{
	uint64_t best = 0;

	for (size_t i = 0; i + SEEN_SECONDS <= res->nr_seconds; i++) {
		uint64_t writes = 0, steal = 0;

		for (size_t j = i; j < i + SEEN_SECONDS; j++) {
			writes += res->seconds[j].writes;
			steal += res->seconds[j].steal_anon;
		}
		writes = writes < steal ? writes : steal;
		best = writes > best ? writes : best;
	}
	return best / SEEN_SECONDS;
}

/*
 * The disk whose queue settings were recorded that @device, a name in diskstats, is or is a
 * partition of: the longest one that it begins with. NULL where none was.
 */
static const char *device_disk(const struct recording *rec, const char *device)
{
	const char *found = NULL, *disk;

	for (unsigned int i = 0; (disk = counter_set_scope(rec->settings, "queue", i)); i++)
		if (!strncmp(device, disk, strlen(disk)) &&
		    (!found || strlen(disk) > strlen(found)))
			found = disk;
	return found;
}

static int64_t queue_setting(const struct recording *rec, const char *disk, const char *name,
			     int64_t absent)
{
	return counter_set_value(rec->settings, "queue", disk, name, absent);
}

/* As the kernel said. Where it did not tell wbt_lat_usec it cannot hold writers back. */
static void recorded_queue(const struct recording *rec, const char *disk,
			   struct reclaim_device_desc *desc)
{
	int64_t requests = queue_setting(rec, disk, "nr_requests", 0);
	int64_t queues = queue_setting(rec, disk, "hw_queues", desc->hw_queues);

	desc->rotational = queue_setting(rec, disk, "rotational", desc->rotational) != 0;
	desc->throttle_writes = queue_setting(rec, disk, "wbt_lat_usec", 0) > 0;
	desc->write_cache = queue_setting(rec, disk, "write_cache", desc->write_cache) != 0;
	if (requests <= 0 || requests > MAX_REQUESTS || queues <= 0 || queues > RECLAIM_MAX_CPUS)
		return;
	desc->hw_queues = (uint32_t)queues;
	desc->queue_depth = (uint32_t)(requests * queues);
}

/*
 * Without a record of the queue's settings: does the kernel take the device for a rotating one, and
 * has it a request queue? Every disk is one of these unless its driver says that it is solid
 * (QUEUE_FLAG_NONROT), which these do; zram takes no requests.
 */
static void guess_queue(const char *device, struct reclaim_device_desc *desc)
{
	static const char *const solid[] = { "nvme", "mmcblk", "pmem", "zram", "ram" };

	desc->rotational = true;
	for (size_t i = 0; i < sizeof(solid) / sizeof(*solid); i++)
		if (!strncmp(device, solid[i], strlen(solid[i])))
			desc->rotational = false;
	if (!strncmp(device, "zram", 4)) {
		desc->throttle_writes = false;
		desc->merge_pages = 1;
	}
}

/*
 * The rate behind one that was seen, @seen. While a device is busy with a share r of what it can
 * do, 1 / (1 - r) requests are on their way in the mean (a queue with random arrivals), so it can
 * do L / (L - 1) times as much; one that was hardly ever busy, some times as much (FASTER_MAX). No
 * device can be told from these figures to be slower than it was seen to be.
 */
static uint64_t rate_behind(const struct traffic *t, int64_t busy_ms, uint64_t seen)
{
	if (busy_ms <= 0 || t->ms <= busy_ms + busy_ms / (FASTER_MAX - 1))
		return seen * FASTER_MAX;
	return (uint64_t)((unsigned __int128)seen * (uint64_t)t->ms / (uint64_t)(t->ms - busy_ms));
}

static void take_device(const struct recording *rec, const char *device, bool swap,
			struct reclaim_device_desc *desc)
{
	struct traffic read = traffic_of(rec, device, false), write = traffic_of(rec, device, true);
	uint64_t reads_seen = swap ? rec->counts.swap_in_peak * rec->page_size : 0;
	uint64_t writes_seen = swap ? swap_writes_seen(&rec->response) * rec->page_size : 0;
	const char *disk = device_disk(rec, device);
	int64_t busy_ms = 0, delay = (int64_t)calibration_delay(&rec->calibration);

	recording_counter_delta(rec, "diskstats", device, "io_time", &busy_ms);
	guess_queue(device, desc);
	desc->queues = QUEUES;
	desc->queue_depth = QUEUE_DEPTH * rec->cpus;
	desc->hw_queues = rec->cpus;
	if (disk)
		recorded_queue(rec, disk, desc);
	device_direction(&read, busy_ms, delay, reads_seen, &desc->read_bytes_per_s,
			 &desc->read_latency_ns);
	writes_seen = rate_behind(&write, busy_ms, writes_seen);
	device_direction(&write, busy_ms, delay, writes_seen, &desc->write_bytes_per_s,
			 &desc->write_latency_ns);
}

/*
 * Without diskstats the device of files is one that can do what was seen to be read in a tenth of
 * a second, in requests of the mean length of a run.
 */
static void take_seen(const struct recording *rec, struct reclaim_device_desc *desc)
{
	uint64_t rate = rec->counts.read_peak * 10 * rec->page_size, request;

	if (rate <= desc->read_bytes_per_s || !rec->counts.runs)
		return;
	request = rec->counts.cache_read * rec->page_size / rec->counts.runs;
	desc->read_latency_ns = (int64_t)(request * NS_PER_S / rate * LATENCY_PERCENT / 100);
	desc->read_bytes_per_s = rate * 100 / (100 - LATENCY_PERCENT);
}

static void take_devices(const struct recording *rec, struct machine *m)
{
	const char *files = recording_file_device(rec), *swap = recording_swap_device(rec);
	const char *written = recording_written_device(rec);
	struct reclaim_machine *mm = &m->machine;

	if (files)
		take_device(rec, files, false, &mm->devices[DEVICE_FILES]);
	else
		take_seen(rec, &mm->devices[DEVICE_FILES]);
	mm->nr_devices = 2;
	mm->devices[DEVICE_SWAP] = mm->devices[DEVICE_FILES];
	if (swap)
		take_device(rec, swap, true, &mm->devices[DEVICE_SWAP]);
	mm->swap_device = DEVICE_SWAP;
	if (!written || !files || !strcmp(written, files))
		return;
	mm->devices[DEVICE_WRITTEN] = mm->devices[DEVICE_FILES];
	take_device(rec, written, false, &mm->devices[DEVICE_WRITTEN]);
	mm->nr_devices = DEVICE_WRITTEN + 1;
}

/*
 * Without a record of the settings the dirty limits come from the thresholds that vmstat shows:
 * they are the ratios' shares of free and file pages less the reserves (global_dirtyable_memory()).
 * The limit in force is another: it goes down slowly with what memory there is for files.
 */
static void take_dirty_limits(const struct recording *rec, struct machine *m)
{
	int64_t limit = counter_set_vmstat(rec->before, "nr_dirty_threshold", 0);
	int64_t background = counter_set_vmstat(rec->before, "nr_dirty_background_threshold", 0);
	int64_t pages = counter_set_vmstat(rec->before, "nr_free_pages", 0) +
			counter_set_vmstat(rec->before, "nr_inactive_file", 0) +
			counter_set_vmstat(rec->before, "nr_active_file", 0);

	m->machine.dirty_limit = rec->counts.dirty_limit;
	for (uint32_t i = 0; i < m->machine.nr_zones; i++) {
		uint64_t reserve = 0;

		for (int j = 0; j < RECLAIM_NR_ZONE_TYPES; j++)
			if (m->seen[i].reserve[j] > reserve)
				reserve = m->seen[i].reserve[j];
		pages -= (int64_t)(m->seen[i].high + reserve);
	}
	if (limit <= 0 || background <= 0 || pages <= 0)
		return;
	m->machine.dirty_ratio = (uint32_t)((limit * 100 + pages / 2) / pages);
	m->machine.dirty_background_ratio = (uint32_t)((background * 100 + pages / 2) / pages);
}

static void set_cost(uint32_t *cost, uint32_t measured)
{
	if (measured)
		*cost = measured;
}

/* The share of @part among both, ppm; @unknown where too few were seen. */
static uint32_t share_ppm(uint64_t part, uint64_t other, uint32_t unknown)
{
	return part + other < MIN_SEEN ? unknown : (uint32_t)(part * PPM / (part + other));
}

static void take_scheduling(const struct calibration *c, struct reclaim_machine *m)
{
	m->wake_spread_ppm = share_ppm(c->wakes_moved, c->wakes_stayed, m->wake_spread_ppm);
	m->idle_pull_ppm = share_ppm(c->turns_moved, c->turns_stayed, m->idle_pull_ppm);
	if (c->wake)
		m->wake_latency_ns = c->wake;
}

static void take_costs(const struct recording *rec, struct machine *m)
{
	const struct calibration *c = &rec->calibration;
	struct reclaim_costs *costs = &m->machine.costs;

	set_cost(&costs->scan_page, c->scan_page);
	set_cost(&costs->reclaim_page, c->reclaim_page);
	set_cost(&costs->pageout_page, c->pageout);
	set_cost(&costs->reclaim_batch, c->batch);
	set_cost(&costs->reclaim_pass, c->pass);
	set_cost(&costs->alloc_fast, c->alloc);
	set_cost(&costs->cache_add, c->cache_add);
	set_cost(&costs->free_page, c->free_page);
	costs->cache_hit = 0; /* thinking times hold it */
	take_scheduling(c, &m->machine);
	m->machine.pauses.mean_gap_ns = c->pause_gap_ns;
	memcpy(m->pause_quantiles, c->pause_quantile, sizeof(m->pause_quantiles));
	m->machine.pauses.nr_quantiles = c->pause_gap_ns ? CALIBRATE_QUANTILES : 0;
	if (c->anon_looks)
		m->machine.ref_classes[EXTRACT_CLASS_ANON].per_look_ppm =
			(uint32_t)(c->anon_referenced * PPM / c->anon_looks);
	machine_fix(m);
}

/*
 * Reclaimable slab is counted by node: it goes to the node's largest zone. Most of it is in use,
 * and the shrinkers pass it by: no more can be freed than they looked at.
 */
static void take_slab(const struct recording *rec, struct machine *m)
{
	int64_t scanned;

	if (recording_delta(rec, "slabs_scanned", &scanned) && scanned >= 0)
		m->machine.slab_freeable = (uint64_t)scanned / SLAB_OBJECTS;
	for (uint32_t node = 0; node < m->machine.nodes; node++) {
		uint32_t largest = RECLAIM_MAX_ZONES;
		char scope[32];

		for (uint32_t i = 0; i < m->machine.nr_zones; i++)
			if (m->machine.zones[i].node == node &&
			    (largest == RECLAIM_MAX_ZONES ||
			     m->machine.zones[i].managed > m->machine.zones[largest].managed))
				largest = i;
		snprintf(scope, sizeof(scope), "node %u", node);
		if (largest != RECLAIM_MAX_ZONES)
			m->initial[largest].slab_reclaimable =
				zone_value(rec, scope, "nr_slab_reclaimable");
	}
}

static int take_layout(const struct recording *rec, struct machine *m, struct rl_msg *msg)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < m->machine.nr_zones && rec->layout; i++) {
		const struct reclaim_zone_desc *zone = &m->machine.zones[i];

		if (layout_known(rec->layout, zone->start_pfn, zone->spanned, m->known + at,
				 MACHINE_KNOWN - at, &m->initial[i].nr_known))
			return rl_fail_errno(msg, ENOMEM, "%s", rec->path);
		at += m->initial[i].nr_known;
	}
	machine_fix(m);
	return 0;
}

int machine_from_recording(const struct recording *recording, struct machine *out,
			   struct rl_msg *msg)
{
	int ret;

	if (recording->machine) {
		*out = *recording->machine;
		machine_fix(out);
		return 0;
	}
	memset(out, 0, sizeof(*out));
	reclaim_machine_init(&out->machine);
	out->machine.nodes = 1;
	take_settings(recording, out);
	ret = take_zones(recording, out, msg);
	if (ret)
		return ret;
	out->profile = reclaim_profile_for_release(recording->kernel, recording->calibration.mglru);
	if (!out->profile)
		return rl_fail(msg, EINVAL, "%s: no profile for kernel \"%s\"", recording->path,
			       recording->kernel);
	explain_wmarks(recording, out);
	take_devices(recording, out);
	take_dirty_limits(recording, out);
	take_costs(recording, out);
	take_slab(recording, out);
	out->machine.kswapd_asked = recording->kswapd_asked;
	out->machine.kswapd_order = recording->kswapd_order;
	return take_layout(recording, out, msg);
}

int machine_of_size(const char *kernel, const char *memory, struct machine *out, struct rl_msg *msg)
{
	memset(out, 0, sizeof(*out));
	reclaim_machine_init(&out->machine);
	out->profile = reclaim_profile_for_release(kernel, false);
	if (!out->profile)
		return rl_fail(msg, EINVAL, "kernel %s: no profile for it", kernel);
	if (reclaim_machine_add_zone(&out->machine, 0, RECLAIM_ZONE_NORMAL, 0, SMALL_MACHINE,
				     SMALL_MACHINE))
		return rl_fail(msg, EINVAL, "machine");
	out->initial[0].free = SMALL_MACHINE;
	snprintf(out->words, sizeof(out->words), "a machine of that size with one zone");
	return machine_change(out, "memory", memory, msg);
}

void machine_fix(struct machine *machine)
{
	const uint32_t *known = machine->known;

	machine->machine.pauses.quantiles = machine->pause_quantiles;
	for (uint32_t i = 0; i < machine->machine.nr_zones; i++) {
		machine->initial[i].known = known;
		known += machine->initial[i].nr_known;
	}
}

uint64_t machine_pages(const struct machine *machine)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < machine->machine.nr_zones; i++)
		pages += machine->machine.zones[i].managed;
	return pages;
}
