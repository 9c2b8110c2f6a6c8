/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reclaim/engine.h - libreclaim: a discrete-event model of a machine's memory under reclaim
 *
 * The engine is given a machine (nodes, zones, CPUs, devices, costs), a feature profile (which
 * kernel's rules), a policy (reclaim/policy.h) and a seed; then it is fed with demand, that is,
 *with what a workload asks of memory: allocations, page-cache requests, accesses, dirtying, frees,
 *exits and the thinking time between them. It decides everything that a kernel would decide (who
 *reclaims what and when, who stalls and for how long) and tells it in events and counters that bear
 *the kernel's names.
 *
 * Actors. Each task of the demand is a closed loop: it thinks, makes its request, waits for
 * what the request needs (a read, reclaim, a throttle) and goes on, so a stall delays whatever
 *comes after. kswapd (one a node), kcompactd, the flusher and the memory cgroup worker are actors
 *too. All of them compete for the machine's CPUs: a runnable actor waits for its turn, kswapd as
 *well.
 *
 * Time is a signed 64-bit count of ns from the start of the replay. All decisions are made with
 *integers and with the engine's own seeded generator, so the same input gives the same output bit
 *by bit on every machine. Nothing in the library is global: engines in different threads do not
 *meet.
 *
 * Pages are base pages of machine.page_size bytes (4096 unless said). Demand never names a page
 *frame: it names logical pages. An anonymous or kernel page has a number of the caller's choice
 *(dense numbers keep the tables small); a page-cache page has a file number and an index. Which
 *frame holds it, and whether any does, is the engine's affair.
 *
 * Errors are a negative errno and, where the function takes one, a line in struct reclaim_error.
 *
 * The usual life of an engine:
 *
 *	reclaim_machine_init(&machine);            fill in zones, devices, costs
 *	policy = reclaim_policy_create("linear:wsf=120", &error);
 *	reclaim_engine_create(&engine, &config, &error);
 *	reclaim_engine_populate(...);              what is in memory at the start
 *	reclaim_engine_run(engine, until, &error); pulls demand through config.next
 *	reclaim_engine_counter(engine, RECLAIM_VM_PGSTEAL_KSWAPD);
 *	reclaim_engine_free(engine);
 *	reclaim_policy_free(policy);
 */
#ifndef RECLAIM_ENGINE_H
#define RECLAIM_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define RECLAIM_MAX_NODES   8
#define RECLAIM_MAX_ZONES   (RECLAIM_MAX_NODES * 4)
#define RECLAIM_MAX_CPUS    256
#define RECLAIM_MAX_ORDER   10 /* largest block of the buddy allocator: 2^10 pages */
#define RECLAIM_NR_ORDERS   (RECLAIM_MAX_ORDER + 1)
#define RECLAIM_MAX_DEVICES 16
#define RECLAIM_MAX_MEMCGS  256
#define RECLAIM_NO_TIME	    INT64_MAX

struct reclaim_error {
	char text[256];
};

struct reclaim_engine;
struct reclaim_policy;

/* ---- gfp flags: the engine's own bits. A caller translates a recorded kernel's names into them.
 * ---- */

enum {
	RECLAIM_GFP_DMA = 1u << 0,
	RECLAIM_GFP_HIGHMEM = 1u << 1,
	RECLAIM_GFP_DMA32 = 1u << 2,
	RECLAIM_GFP_MOVABLE = 1u << 3,
	RECLAIM_GFP_RECLAIMABLE = 1u << 4,
	RECLAIM_GFP_HIGH = 1u << 5,
	RECLAIM_GFP_IO = 1u << 6,
	RECLAIM_GFP_FS = 1u << 7,
	RECLAIM_GFP_ZERO = 1u << 8,
	RECLAIM_GFP_ATOMIC = 1u << 9, /* __GFP_ATOMIC, before 6.3 */
	RECLAIM_GFP_DIRECT_RECLAIM = 1u << 10,
	RECLAIM_GFP_KSWAPD_RECLAIM = 1u << 11,
	RECLAIM_GFP_WRITE = 1u << 12,
	RECLAIM_GFP_NOWARN = 1u << 13,
	RECLAIM_GFP_RETRY_MAYFAIL = 1u << 14,
	RECLAIM_GFP_NOFAIL = 1u << 15,
	RECLAIM_GFP_NORETRY = 1u << 16,
	RECLAIM_GFP_MEMALLOC = 1u << 17,
	RECLAIM_GFP_COMP = 1u << 18,
	RECLAIM_GFP_NOMEMALLOC = 1u << 19,
	RECLAIM_GFP_HARDWALL = 1u << 20,
	RECLAIM_GFP_THISNODE = 1u << 21,
	RECLAIM_GFP_ACCOUNT = 1u << 22,
};

#define RECLAIM_GFP_RECLAIM (RECLAIM_GFP_DIRECT_RECLAIM | RECLAIM_GFP_KSWAPD_RECLAIM)
#define RECLAIM_GFP_KERNEL  (RECLAIM_GFP_RECLAIM | RECLAIM_GFP_IO | RECLAIM_GFP_FS)
#define RECLAIM_GFP_NOFS    (RECLAIM_GFP_RECLAIM | RECLAIM_GFP_IO)
#define RECLAIM_GFP_NOIO    RECLAIM_GFP_RECLAIM
#define RECLAIM_GFP_NOWAIT  RECLAIM_GFP_KSWAPD_RECLAIM
#define RECLAIM_GFP_ATOMIC_ALLOC                                                                   \
	(RECLAIM_GFP_HIGH | RECLAIM_GFP_ATOMIC | RECLAIM_GFP_KSWAPD_RECLAIM)
#define RECLAIM_GFP_USER	     (RECLAIM_GFP_KERNEL | RECLAIM_GFP_HARDWALL)
#define RECLAIM_GFP_HIGHUSER	     (RECLAIM_GFP_USER | RECLAIM_GFP_HIGHMEM)
#define RECLAIM_GFP_HIGHUSER_MOVABLE (RECLAIM_GFP_HIGHUSER | RECLAIM_GFP_MOVABLE)
#define RECLAIM_GFP_TRANSHUGE_LIGHT                                                                \
	((RECLAIM_GFP_HIGHUSER_MOVABLE | RECLAIM_GFP_COMP | RECLAIM_GFP_NOMEMALLOC |               \
	  RECLAIM_GFP_NOWARN) &                                                                    \
	 ~RECLAIM_GFP_RECLAIM)
#define RECLAIM_GFP_TRANSHUGE (RECLAIM_GFP_TRANSHUGE_LIGHT | RECLAIM_GFP_DIRECT_RECLAIM)

enum reclaim_migratetype {
	RECLAIM_MT_UNMOVABLE,
	RECLAIM_MT_MOVABLE,
	RECLAIM_MT_RECLAIMABLE,
	RECLAIM_MT_HIGHATOMIC,
	RECLAIM_NR_MT,
	RECLAIM_NR_PCP_MT = RECLAIM_MT_HIGHATOMIC,
};

/* ---- the machine ---- */

enum reclaim_zone_type {
	RECLAIM_ZONE_DMA,
	RECLAIM_ZONE_DMA32,
	RECLAIM_ZONE_NORMAL,
	RECLAIM_ZONE_HIGHMEM,
	RECLAIM_ZONE_MOVABLE,
	RECLAIM_NR_ZONE_TYPES,
};

/* One zone as /proc/zoneinfo describes it. All counts in pages. */
struct reclaim_zone_desc {
	uint32_t node;
	enum reclaim_zone_type type;
	uint64_t start_pfn;
	uint64_t spanned; /* 0: same as managed */
	uint64_t managed;
	/*
	 * Pages managed when the kernel computed its watermarks at boot; memory that is released
	 * later (the initial ramdisk) counts in @managed only. 0: same as @managed. A change of
	 * min_free_kbytes or watermark_scale_factor while running uses @managed, as the kernel
	 * does.
	 */
	uint64_t managed_at_setup;
};

/* A device with one queue: a request of n pages takes latency_ns + n * page / bandwidth. */
struct reclaim_device_desc {
	uint64_t read_bytes_per_s;  /* > 0 */
	uint64_t write_bytes_per_s; /* > 0 */
	int64_t read_latency_ns;
	int64_t write_latency_ns;
	uint32_t queues;      /* requests served at once, 1..64; bandwidth is shared */
	uint32_t queue_depth; /* requests accepted before a submitter waits; 0: no limit */
	uint32_t hw_queues;   /* that share queue_depth; 0: one */
	bool shared_bus;      /* reads wait behind writes for bandwidth, as on one real disk */
	bool rotational;      /* swap-in reads slots around, not neighbours by address */
	bool throttle_writes; /* writers are held back (blk-wbt), as far as the profile knows it */
	bool write_cache;     /* of the device; who is held back then goes on in bursts */
	uint32_t merge_pages; /* that writes to slots in a row make one request of; 1: none */
};

/*
 * What things cost in ns of CPU time. Calibrated from a recording; a what-if never changes them.
 */
struct reclaim_costs {
	uint32_t alloc_fast; /* an allocation off a per-CPU list */
	uint32_t alloc_slow; /* entering the slow path */
	uint32_t free_page;
	uint32_t cache_hit;	/* finding a page in the page cache and copying it out */
	uint32_t cache_add;	/* adding a page to the page cache */
	uint32_t fault;		/* a minor page fault */
	uint32_t scan_page;	/* isolate and judge a page that stays */
	uint32_t reclaim_page;	/* additional for a page that is freed */
	uint32_t pageout_page;	/* additional for a page that is unmapped and written */
	uint32_t activate_page; /* shrink_active_list, a page */
	uint32_t reclaim_batch; /* fixed cost of one shrink_inactive_list call */
	uint32_t reclaim_pass;	/* fixed cost of one priority round over a node */
	uint32_t wake;		/* waking a sleeper */
	uint32_t io_submit;	/* submitting a request */
	uint32_t compact_page;	/* scanning a page for compaction */
	uint32_t migrate_page;
};

/*
 * CPU time that the machine lost (preemption by others, a hypervisor). Two sources that add up:
 * a list of pauses at known times, and a random process: on each CPU, the gaps between
 * pauses are exponential with the given mean and the length is drawn from equally likely quantiles.
 * What tasks think may suffer fewer of these: it counts with @think_ppm parts per million towards
 * the next one.
 */
struct reclaim_pause {
	int64_t at; /* ns, ascending for one CPU */
	int64_t ns;
	uint32_t cpu;
};

struct reclaim_pauses {
	const struct reclaim_pause *list; /* borrowed for the life of the engine */
	size_t nr_list;
	int64_t mean_gap_ns;	  /* 0: no random process */
	const int64_t *quantiles; /* ascending lengths in ns, borrowed */
	size_t nr_quantiles;
	uint32_t think_ppm; /* 0..1000000; all */
};

/*
 * References that the demand does not show (a young PTE that no tracepoint tells of). A page
 * belongs to a class (its demand record says which); each time reclaim looks at it, the engine
 * draws. Either a fixed chance a look, or a rate: the chance that at least one reference fell
 * between two looks.
 */
#define RECLAIM_NR_REF_CLASSES 16
struct reclaim_ref_class {
	uint32_t per_look_ppm;	 /* 0..1000000 */
	uint32_t per_second_ppm; /* references a second x 1e6; used when per_look_ppm is 0 */
};

struct reclaim_memcg_desc {
	uint32_t parent; /* index of an earlier memcg; 0 is the root */
	uint64_t max;	 /* pages; UINT64_MAX: none */
	uint64_t high;
	uint64_t low;
	uint64_t min;
	uint64_t soft_limit;
	bool v1;
};

struct reclaim_machine {
	uint32_t page_size; /* bytes, 4096 */
	uint32_t cpus;	    /* 1..RECLAIM_MAX_CPUS */
	uint32_t nodes;	    /* 1..RECLAIM_MAX_NODES */
	uint32_t nr_zones;
	uint32_t hz;					   /* ticks a second: 100, 250, 300, 1000 */
	struct reclaim_zone_desc zones[RECLAIM_MAX_ZONES]; /* by node, then by type */
	uint32_t pageblock_order;			   /* 9 */
	int64_t min_free_kbytes;			   /* < 0: the kernel's own rule */
	bool thp;			 /* raises min_free_kbytes as khugepaged does */
	uint32_t watermark_scale_factor; /* 1..3000, 10 */
	uint32_t watermark_boost_factor; /* 1/10000 of high, 15000; 0: off */
	uint32_t lowmem_reserve_ratio[RECLAIM_NR_ZONE_TYPES];
	uint32_t swappiness; /* 0..200, 60 */
	uint64_t swap_pages;
	uint32_t swap_device;		 /* index into devices */
	uint32_t page_cluster;		 /* swap-in reads 2^n pages; 3 */
	uint32_t dirty_ratio;		 /* percent, 20 */
	uint32_t dirty_background_ratio; /* percent, 10 */
	/* Pages: the limit in force at the start, which follows the ratio slowly. 0: the ratio's.
	 */
	uint64_t dirty_limit;
	uint32_t dirty_writeback_ms; /* 5000 */
	uint32_t dirty_expire_ms;    /* 30000 */
	/* Pages that the slab shrinkers can free in all; UINT64_MAX: no limit. */
	uint64_t slab_freeable;
	/*
	 * kswapd was asked for 2^kswapd_order pages of any zone before the start, and not woken, as
	 * a zone was balanced: it does so when it is next woken, for whatever reason.
	 */
	bool kswapd_asked;
	uint32_t kswapd_order;
	uint32_t nr_devices; /* at least 1 */
	struct reclaim_device_desc devices[RECLAIM_MAX_DEVICES];
	uint32_t nr_memcgs; /* at least 1: the root, unlimited */
	struct reclaim_memcg_desc memcgs[RECLAIM_MAX_MEMCGS];
	/* Cgroups are mounted so that what a group is protected of covers all below; true. */
	bool memory_recursiveprot;
	struct reclaim_costs costs;
	struct reclaim_pauses pauses;
	struct reclaim_ref_class ref_classes[RECLAIM_NR_REF_CLASSES];
	/*
	 * The scheduler's granularity: least CPU time before others get a turn (6.6 and later: the
	 * base slice). 0: the kernel's rule, 0.75 ms times 1 + log2 of the CPUs.
	 */
	int64_t timeslice_ns;
	/* How long after its wake-up an actor may first run on an idle CPU. */
	int64_t wake_latency_ns;
	/*
	 * A woken actor goes to the CPU where it last ran. Where that is busy, the chance (ppm)
	 * that it looks for an idle one; and the chance that, while it waits, a CPU that runs dry
	 * takes it over. Kernels look less the more the CPUs are in use, and measure whether it
	 * pays.
	 */
	uint32_t wake_spread_ppm;
	uint32_t idle_pull_ppm;
};

/* The defaults named above; one node, no zone, one CPU, one device of 200 MB/s and 100 us, no swap.
 */
void reclaim_machine_init(struct reclaim_machine *machine);

/* Append a zone. Returns 0, -ENOSPC or -EINVAL. */
int reclaim_machine_add_zone(struct reclaim_machine *machine, uint32_t node,
			     enum reclaim_zone_type type, uint64_t start_pfn, uint64_t spanned,
			     uint64_t managed);

/* What /proc/zoneinfo shows of a zone's limits, in pages. */
struct reclaim_wmarks {
	uint64_t min, low, high, promo;
	uint64_t reserve[RECLAIM_NR_ZONE_TYPES]; /* lowmem_reserve, "protection" */
};

/*
 * Find managed_at_setup of every zone so that the rules of @profile give the captured watermarks
 * and protection @seen (one a zone, in order). Call it when they do not come out with @managed.
 * Returns 0, or -ENOENT when no value explains them (a user changed the settings since, say): then
 * @machine is unchanged.
 */
struct reclaim_profile;
int reclaim_machine_infer_setup(struct reclaim_machine *machine,
				const struct reclaim_profile *profile,
				const struct reclaim_wmarks *seen);

/* ---- profiles: which kernel's rules ---- */

/*
 * Ready-made profiles: "k49", "k54", "k515", "k516rc1", "k516", "k61", "k612", "k618" and
 * "lumpy2636", each with an optional "-mglru" (k61 and later). Returned objects are static.
 * reclaim_profile_find() returns NULL for an unknown name; reclaim_profile_for_release() takes a
 * kernel release ("6.1.0-57-cloud-amd64") and picks the nearest.
 */
const struct reclaim_profile *reclaim_profile_find(const char *name);
const struct reclaim_profile *reclaim_profile_for_release(const char *release, bool mglru);
const char *reclaim_profile_name(const struct reclaim_profile *profile);
/* The i-th profile's name, NULL behind the last. */
const char *reclaim_profile_list(size_t i);

/* ---- watermarks without an engine ---- */

/*
 * min_free_kbytes by the kernel's rule (calculate_min_free_kbytes), with khugepaged's raise when
 * machine.thp, in KiB.
 */
uint64_t reclaim_min_free_kbytes(const struct reclaim_machine *machine,
				 const struct reclaim_profile *profile);

/*
 * The watermarks that @policy (NULL: mainline's) gives each zone of @machine, and the lowmem
 * reserves.
 * @out has machine.nr_zones entries. @after_setup: as computed by a later write to a setting
 * (managed instead of managed_at_setup); reserves are always those of the setup.
 */
void reclaim_watermarks(const struct reclaim_machine *machine,
			const struct reclaim_profile *profile, struct reclaim_policy *policy,
			bool after_setup, struct reclaim_wmarks *out);

/* ---- demand ---- */

enum reclaim_op {
	/*
	 * Allocate 2^order pages as logical page @page (count-1 further pages follow for count > 1,
	 * each of 2^order). @use says what for. With RECLAIM_DEMAND_FALLBACK a request that fails
	 * is made again as 2^order single pages (a transparent huge page fault).
	 */
	RECLAIM_OP_ALLOC,
	/*
	 * Free @count logical pages from @page on (what is swapped out is dropped). A page that is
	 * not allocated yet is freed as soon as it is: another task's stall may have turned the
	 * order.
	 */
	RECLAIM_OP_FREE,
	/*
	 * Page-cache request: read page @index of @file. A hit costs cache_hit and marks the page
	 * accessed (unless RECLAIM_DEMAND_NO_MARK); a miss allocates every absent page of [start,
	 * start + count) (which should hold @index; count 0 means @index alone), reads them, and
	 * waits for the read. RECLAIM_DEMAND_ASYNC: only starts the read of the absent pages of the
	 * run, touches nothing and waits for nothing (readahead beyond a marker).
	 * RECLAIM_DEMAND_MAPPED: a fault through mmap: the page gets a young reference instead of a
	 * mark, later scans see it mapped.
	 */
	RECLAIM_OP_CACHE,
	/*
	 * Touch logical page @page (anonymous) or, with RECLAIM_DEMAND_FILE, page @index of @file,
	 * through a page table: sets the young bit. A swapped-out page is faulted in, a dropped
	 * file page is read again, an anonymous page never seen is allocated. RECLAIM_DEMAND_WRITE
	 * makes it dirty.
	 */
	RECLAIM_OP_ACCESS,
	/*
	 * write() to page @index of @file: absent pages are allocated without a read, the page
	 * becomes dirty, the task is held to the dirty limits. count > 1: pages index..
	 * index+count-1.
	 */
	RECLAIM_OP_DIRTY,
	/* Pages [index, index + count) of @file leave the page cache (truncate, unlink). */
	RECLAIM_OP_TRUNCATE,
	/* The task ends. Its pages stay: frees are demand of their own. */
	RECLAIM_OP_EXIT,
	/* memory.reclaim: reclaim @page pages from memcg @memcg (0: the whole machine). */
	RECLAIM_OP_PROACTIVE,
	/* Write a setting: @page is an enum reclaim_knob, @index the value (memcg in @memcg). */
	RECLAIM_OP_KNOB,
	/* Emits RECLAIM_EV_MARK with @page when the task gets here. */
	RECLAIM_OP_MARK,
	/* fsync of @file: write back its dirty pages and wait. file UINT32_MAX: all files. */
	RECLAIM_OP_SYNC,
	/* Nothing but the thinking time. */
	RECLAIM_OP_NOP,
	RECLAIM_NR_OPS,
};

enum reclaim_use {
	RECLAIM_USE_KERNEL,	      /* not on any LRU; freed by demand only */
	RECLAIM_USE_ANON,	      /* on the anon LRU, mapped, dirty */
	RECLAIM_USE_SHMEM,	      /* swap-backed, not mapped */
	RECLAIM_USE_SLAB_RECLAIMABLE, /* what the slab shrinkers can free */
	RECLAIM_USE_MLOCKED,	      /* unevictable */
};

enum {
	RECLAIM_DEMAND_ASYNC = 1u << 0,
	RECLAIM_DEMAND_NO_MARK = 1u << 1,
	RECLAIM_DEMAND_MAPPED = 1u << 2,
	RECLAIM_DEMAND_WRITE = 1u << 3,
	RECLAIM_DEMAND_FILE = 1u << 4,
	RECLAIM_DEMAND_FALLBACK = 1u << 5,
	RECLAIM_DEMAND_IDLE = 1u << 6, /* the thinking time is spent asleep, not on a CPU */
	RECLAIM_DEMAND_EXEC = 1u << 7, /* the mapping is executable */
};

/*
 * One record. @think is what the task does before the request: ns of CPU time of its own
 * (or of sleep with RECLAIM_DEMAND_IDLE), all recorded stalls taken out.
 */
struct reclaim_demand {
	int64_t think;
	uint8_t op;	       /* enum reclaim_op */
	uint8_t order;	       /* 0..RECLAIM_MAX_ORDER */
	uint8_t migratetype;   /* enum reclaim_migratetype; used for ALLOC */
	uint8_t use : 4;       /* enum reclaim_use */
	uint8_t ref_class : 4; /* index into machine.ref_classes, 0: none by default */
	uint32_t gfp;	       /* RECLAIM_GFP_* */
	uint32_t page;	       /* logical page number; meaning by op */
	uint32_t file;
	uint32_t index;
	uint32_t start; /* CACHE: first page of the run */
	uint16_t count;
	uint16_t memcg;
	uint8_t flags; /* RECLAIM_DEMAND_* */
	uint8_t node;  /* preferred node */
	uint16_t reserved;
};

enum reclaim_knob {
	RECLAIM_KNOB_MIN_FREE_KBYTES,
	RECLAIM_KNOB_WATERMARK_SCALE_FACTOR,
	RECLAIM_KNOB_WATERMARK_BOOST_FACTOR,
	RECLAIM_KNOB_SWAPPINESS,
	RECLAIM_KNOB_DIRTY_RATIO,
	RECLAIM_KNOB_DIRTY_BACKGROUND_RATIO,
	RECLAIM_KNOB_MEMCG_MAX, /* pages; UINT32_MAX: none */
	RECLAIM_KNOB_MEMCG_HIGH,
	RECLAIM_KNOB_MEMCG_LOW,
	RECLAIM_KNOB_MEMCG_MIN,
	RECLAIM_KNOB_MEMCG_SOFT_LIMIT,
	RECLAIM_KNOB_DROP_CACHES, /* 1: all clean page cache goes, as workload, not as reclaim */
	RECLAIM_NR_KNOBS,
};

/*
 * The next record of a task, or NULL when it has none (that ends the task). The record must stay
 * valid until the next call for the same task. Called in the order of simulated time.
 */
typedef const struct reclaim_demand *(*reclaim_next_fn)(void *ctx, uint32_t task);

/*
 * What is still to come of the demand, for policies that may know it (reclaim_policy_ops.future):
 * only the caller, who has the whole demand, can tell. Requests are numbered along the demand.
 */
#define RECLAIM_FILE_LOGICAL                                                                       \
	(UINT32_MAX - 1) /* in place of a file: the index is a logical page                        \
			  */
#define RECLAIM_NEVER UINT64_MAX
struct reclaim_future {
	/*
	 * The number of the first request for page @index of @file that is not done yet;
	 * RECLAIM_NEVER when the workload gives the page up before, or asks for it no more.
	 */
	uint64_t (*next_use)(void *ctx, uint32_t file, uint32_t index);
	/* @task is through with the record that it was given last. */
	void (*done)(void *ctx, uint32_t task);
	void *ctx;
};

struct reclaim_task_desc {
	int64_t start;	/* ns; when the loop begins */
	uint32_t memcg; /* records with memcg 0 are charged here */
	bool kthread;	/* not throttled by pfmemalloc */
	bool realtime;	/* real-time class: more right to reserves and dirty pages */
	int16_t cpu;	/* only runs here; -1: anywhere */
	uint32_t tag;	/* the caller's name for it, in events */
};

/* ---- events ---- */

enum reclaim_event_type {
	RECLAIM_EV_KSWAPD_WAKE,	    /* nid, order, zid */
	RECLAIM_EV_KSWAPD_SLEEP,    /* nid */
	RECLAIM_EV_WAKEUP_KSWAPD,   /* nid, zid, order, gfp */
	RECLAIM_EV_DIRECT_BEGIN,    /* order, gfp */
	RECLAIM_EV_DIRECT_END,	    /* reclaimed */
	RECLAIM_EV_MEMCG_BEGIN,	    /* order, gfp, memcg */
	RECLAIM_EV_MEMCG_END,	    /* reclaimed */
	RECLAIM_EV_SOFTLIMIT_BEGIN, /* order, gfp, memcg */
	RECLAIM_EV_SOFTLIMIT_END,   /* reclaimed */
	RECLAIM_EV_LRU_ISOLATE,	    /* zid, order, requested, scanned, skipped, taken, lru */
	RECLAIM_EV_SHRINK_INACTIVE, /* nid, shrink, priority, lru */
	RECLAIM_EV_SHRINK_ACTIVE,   /* nid, taken, active, deactivated, referenced, priority, lru */
	RECLAIM_EV_THROTTLED,	    /* nid, usec_timeout, usec_delayed, reason */
	RECLAIM_EV_WRITE_FOLIO,	    /* lru */
	RECLAIM_EV_EXTFRAG,	    /* order, fallback_order, migratetypes, change_ownership */
	RECLAIM_EV_COMPACT_BEGIN,   /* zid, sync */
	RECLAIM_EV_COMPACT_END,	    /* zid, result, migrated */
	RECLAIM_EV_COMPACT_SUITABLE, /* nid, zid, order, result */
	RECLAIM_EV_RETRY_ZONE,	     /* reclaim_retry_zone */
	RECLAIM_EV_COMPACT_RETRY,    /* order, priority, result, retries, max, ret */
	RECLAIM_EV_OOM,		     /* order, gfp, memcg; the victim is the tag */
	RECLAIM_EV_ALLOC_STALL,	     /* order, gfp, delay_ns, ok: an allocation that reclaimed or
					compacted */
	RECLAIM_EV_ALLOC_FAIL,	     /* order, gfp */
	RECLAIM_EV_PFMEMALLOC,	     /* delay_ns: throttle_direct_reclaim */
	RECLAIM_EV_DIRTY_PAUSE,	     /* delay_ns: balance_dirty_pages */
	RECLAIM_EV_IO_WAIT,	     /* delay_ns, device, pages: a task waited for a read */
	RECLAIM_EV_REFAULT,	     /* lru, distance, activated, restored */
	RECLAIM_EV_HUGE, /* order, ok, delay_ns: a request of at least pageblock order */
	RECLAIM_EV_MARK, /* mark */
	RECLAIM_NR_EVENTS,
};

enum reclaim_actor_kind {
	RECLAIM_ACTOR_TASK,
	RECLAIM_ACTOR_KSWAPD,
	RECLAIM_ACTOR_KCOMPACTD,
	RECLAIM_ACTOR_FLUSHER,
	RECLAIM_ACTOR_MEMCG_WORKER,
};

enum reclaim_lru {
	RECLAIM_LRU_INACTIVE_ANON,
	RECLAIM_LRU_ACTIVE_ANON,
	RECLAIM_LRU_INACTIVE_FILE,
	RECLAIM_LRU_ACTIVE_FILE,
	RECLAIM_LRU_UNEVICTABLE,
	RECLAIM_NR_LRUS,
};

/* mm_vmscan_throttled's bits. CONGESTION_WAIT is the wait before 5.16 (writeback_congestion_wait).
 */
enum reclaim_throttle_reason {
	RECLAIM_THROTTLE_WRITEBACK,
	RECLAIM_THROTTLE_ISOLATED,
	RECLAIM_THROTTLE_NOPROGRESS,
	RECLAIM_THROTTLE_CONGESTED,
	RECLAIM_NR_THROTTLES,
};

/* compact_result of the trace events; the order is that of kernel-side comparison. */
enum reclaim_compact_result {
	RECLAIM_COMPACT_NOT_SUITABLE_ZONE,
	RECLAIM_COMPACT_SKIPPED,
	RECLAIM_COMPACT_DEFERRED,
	RECLAIM_COMPACT_NO_SUITABLE_PAGE,
	RECLAIM_COMPACT_CONTINUE,
	RECLAIM_COMPACT_COMPLETE,
	RECLAIM_COMPACT_PARTIAL_SKIPPED,
	RECLAIM_COMPACT_CONTENDED,
	RECLAIM_COMPACT_SUCCESS,
};

struct reclaim_shrink_stat {
	uint32_t scanned, reclaimed;
	uint32_t dirty, writeback, congested, immediate;
	uint32_t activate_anon, activate_file, ref_keep, unmap_fail;
};

struct reclaim_event {
	int64_t at;    /* ns */
	uint8_t type;  /* enum reclaim_event_type */
	uint8_t actor; /* enum reclaim_actor_kind */
	uint16_t cpu;
	uint32_t id;	  /* task number, or node for kswapd and kcompactd */
	uint8_t nid, zid; /* node and zone type */
	uint8_t order, lru;
	uint32_t gfp;
	uint16_t memcg;
	int8_t priority;
	uint8_t reason; /* enum reclaim_throttle_reason, or enum reclaim_compact_result */
	bool ok;
	union {
		struct reclaim_shrink_stat shrink;
		struct {
			uint32_t requested, scanned, skipped, taken;
		} isolate;
		struct {
			uint32_t taken, active, deactivated, referenced;
		} active;
		struct {
			uint64_t reclaimed;
			int64_t delay_ns;
			uint64_t pages;
			uint32_t mark;
		} sum;
		struct {
			uint32_t usec_timeout, usec_delayed;
		} throttle;
		struct {
			uint8_t fallback_order, alloc_mt, fallback_mt, change_ownership;
		} extfrag;
		struct {
			uint64_t reclaimable, available, min_wmark;
			int32_t loops;
		} retry;
		struct {
			uint32_t retries, max_retries;
			uint8_t result, compact_priority;
		} compact_retry;
		struct {
			uint64_t distance;
			bool activated, restored;
		} refault;
	} u;
};

typedef void (*reclaim_event_fn)(void *ctx, const struct reclaim_event *event);

/* ---- counters, by the names of /proc/vmstat ---- */

/* clang-format off */
#define RECLAIM_COUNTERS(X) \
	X(PGALLOC, pgalloc) \
	X(PGFREE, pgfree) \
	X(PGFAULT, pgfault) \
	X(PGMAJFAULT, pgmajfault) \
	X(PGACTIVATE, pgactivate) \
	X(PGDEACTIVATE, pgdeactivate) \
	X(PGREFILL, pgrefill) \
	X(PGSTEAL_KSWAPD, pgsteal_kswapd) X(PGSTEAL_DIRECT, pgsteal_direct) X(PGSTEAL_MEMCG, pgsteal_memcg) X( \
		PGSTEAL_PROACTIVE, \
		pgsteal_proactive) X(PGSCAN_KSWAPD, \
				     pgscan_kswapd) X(PGSCAN_DIRECT, \
						      pgscan_direct) X(PGSCAN_MEMCG, \
								       pgscan_memcg) X(PGSCAN_PROACTIVE, \
										       pgscan_proactive) X(PGSCAN_DIRECT_THROTTLE, \
													   pgscan_direct_throttle) \
		X(PGSCAN_ANON, pgscan_anon) X(PGSCAN_FILE, pgscan_file) X(PGSTEAL_ANON, pgsteal_anon) X( \
			PGSTEAL_FILE, \
			pgsteal_file) X(SLABS_SCANNED, \
					slabs_scanned) X(PAGEOUTRUN, \
							 pageoutrun) X(ALLOCSTALL, \
								       allocstall) X(KSWAPD_LOW_WMARK_HIT_QUICKLY, \
										     kswapd_low_wmark_hit_quickly) \
			X(KSWAPD_HIGH_WMARK_HIT_QUICKLY, kswapd_high_wmark_hit_quickly) X( \
				WORKINGSET_REFAULT_ANON, \
				workingset_refault_anon) X(WORKINGSET_REFAULT_FILE, \
							   workingset_refault_file) X(WORKINGSET_ACTIVATE_ANON, \
										      workingset_activate_anon) \
				X(WORKINGSET_ACTIVATE_FILE, workingset_activate_file) X(WORKINGSET_RESTORE_ANON, workingset_restore_anon) X( \
					WORKINGSET_RESTORE_FILE, \
					workingset_restore_file) X(WORKINGSET_NODERECLAIM, \
								   workingset_nodereclaim) X(NR_VMSCAN_WRITE, \
											     nr_vmscan_write) \
					X(NR_VMSCAN_IMMEDIATE_RECLAIM, nr_vmscan_immediate_reclaim) X(NR_DIRTIED, nr_dirtied) X( \
						NR_WRITTEN, \
						nr_written) X(NR_THROTTLED_WRITTEN, \
							      nr_throttled_written) X(PSWPIN, \
										      pswpin) X(PSWPOUT, pswpout) \
						X(PGPGIN, pgpgin) X(PGPGOUT, pgpgout) X(PGROTATED, pgrotated) X(DROP_PAGECACHE, drop_pagecache) X( \
							PGMIGRATE_SUCCESS, \
							pgmigrate_success) X(PGMIGRATE_FAIL, \
									     pgmigrate_fail) X(COMPACT_MIGRATE_SCANNED, \
											       compact_migrate_scanned) \
							X(COMPACT_FREE_SCANNED, compact_free_scanned) X( \
								COMPACT_ISOLATED, \
								compact_isolated) X(COMPACT_STALL, \
										    compact_stall) X(COMPACT_FAIL, \
												     compact_fail) X(COMPACT_SUCCESS, \
														     compact_success) \
								X(COMPACT_DAEMON_WAKE, compact_daemon_wake) X( \
									THP_FAULT_ALLOC, \
									thp_fault_alloc) X(THP_FAULT_FALLBACK, \
											   thp_fault_fallback) X(OOM_KILL, \
														 oom_kill) \
									X(ALLOC_FAIL, alloc_fail) X( \
										CACHE_REQUEST, \
										cache_request) X(CACHE_MISS, \
												 cache_miss) X(READAHEAD_PAGES, \
													       readahead_pages) \
										X(LUMPY_TAKEN, lumpy_taken) X( \
											LUMPY_FAILED, \
											lumpy_failed) X(MEMCG_MAX_EVENTS, memcg_max_events) \
											X(MEMCG_HIGH_EVENTS, \
											  memcg_high_events) X(MEMCG_ASYNC_RUNS, \
													       memcg_async_runs) \
												X(STALL_NS, \
												  stall_ns) X(IO_WAIT_NS, \
													      io_wait_ns) \
													X(DIRTY_PAUSE_NS, \
													  dirty_pause_ns) \
														X(DEMAND_RECORDS, \
														  demand_records)
/* clang-format on */

enum reclaim_counter {
#define RECLAIM_COUNTER_ENUM(id, name) RECLAIM_VM_##id,
	RECLAIM_COUNTERS(RECLAIM_COUNTER_ENUM)
#undef RECLAIM_COUNTER_ENUM
		RECLAIM_NR_COUNTERS,
};

/* "pgsteal_kswapd"; NULL for a number out of range. */
const char *reclaim_counter_name(enum reclaim_counter counter);
/* The counter with a name, or -ENOENT. */
int reclaim_counter_find(const char *name);

/* ---- the engine ---- */

struct reclaim_config {
	const struct reclaim_machine *machine; /* copied (the arrays of pauses are borrowed) */
	const struct reclaim_profile *profile;
	struct reclaim_policy
		*policy; /* borrowed, for this engine alone; NULL: what the profile's kernel does */
	uint64_t seed;
	const struct reclaim_task_desc *tasks; /* copied */
	uint32_t nr_tasks;
	reclaim_next_fn next;
	void *next_ctx;
	/* Copied; NULL: not known, then a policy that needs it is refused. Asked only by such a
	 * policy. */
	const struct reclaim_future *future;
	reclaim_event_fn event; /* NULL: none */
	void *event_ctx;
	uint64_t event_mask; /* bit (1 << enum reclaim_event_type); 0: all */
	/* How many logical pages and files to expect. Tables grow beyond by themselves. */
	uint32_t expect_pages;
	uint32_t expect_files;
	/* Device of each file (index into machine.devices), nr_files entries; NULL: all on device
	 * 0. */
	const uint8_t *file_device;
	uint32_t nr_files;
	/* A counter sample every so many ns of simulated time (0: none). Called with the engine at
	 * rest. */
	int64_t sample_ns;
	void (*sample)(void *ctx, struct reclaim_engine *engine, int64_t at);
	void *sample_ctx;
	/*
	 * Borrowed; NULL: none. Any thread may make it non-zero (atomically): reclaim_engine_run()
	 * then returns -EINTR within a second of simulated time.
	 */
	const int *stop;
};

/* Returns 0 and *@out, or -EINVAL (a line in @error says what is wrong with the machine) or
 * -ENOMEM. */
int reclaim_engine_create(struct reclaim_engine **out, const struct reclaim_config *config,
			  struct reclaim_error *error);
void reclaim_engine_free(struct reclaim_engine *engine);

/*
 * What one zone holds at the start, in pages (from /proc/zoneinfo and /proc/pagetypeinfo).
 * What is neither free nor on a list is kernel memory. Pages placed here have no logical name; no
 * demand ever touches them. Call once a zone, before the first run.
 */
struct reclaim_initial {
	uint64_t inactive_anon, active_anon;
	uint64_t inactive_file, active_file;
	uint64_t unevictable;
	uint64_t slab_reclaimable;
	uint64_t free; /* pages on the free lists */
	uint64_t pcp;  /* pages on all per-CPU lists */
	/* Free blocks by type and order (pagetypeinfo); all zero: chosen so that @free comes out.
	 */
	uint32_t free_blocks[RECLAIM_NR_MT][RECLAIM_NR_ORDERS];
	/* Pageblocks by type; all zero: all movable but what kernel memory needs. */
	uint32_t pageblocks[RECLAIM_NR_MT];
	/*
	 * Frames known to be free in unmovable and reclaimable pageblocks: offset into the zone,
	 * doubled, 1 added for reclaimable. They make up what @free_blocks says as far as they can,
	 * the first ones first; the others are on per-CPU lists. Frames beyond the zone are passed
	 * over.
	 */
	const uint32_t *known;
	uint32_t nr_known;
	uint32_t pcp_high[2]; /* 6.8 and later: per-CPU high marks of CPU 0 and others at the start;
				 0: least */
};
int reclaim_engine_populate(struct reclaim_engine *engine, uint32_t zone,
			    const struct reclaim_initial *initial, struct reclaim_error *error);

/*
 * Put a page of a file in memory before the run (on the given list, not referenced). Returns 0,
 * -EEXIST, -ENOMEM when no page is free above the low watermark.
 */
int reclaim_engine_preload(struct reclaim_engine *engine, uint32_t file, uint32_t index,
			   bool active);

/*
 * Note, before the run, that a page of a file was evicted earlier: it comes back as a refault from
 * farther than memory reaches, so that it is not activated. Returns 0, -EEXIST when the page has an
 * entry already, -EINVAL for a file that cannot be, or -ENOMEM.
 */
int reclaim_engine_evicted(struct reclaim_engine *engine, uint32_t file, uint32_t index);

/*
 * Run until simulated time @until (RECLAIM_NO_TIME: until all tasks have ended). May be called
 * again to go on. Returns 0, 1 when all tasks have ended, -EINTR when config.stop said so, -ENOMEM,
 * -EINVAL for a record that names what the machine has not (@error says which), or -EDEADLK when no
 * demand gets on any more: for 600 s of simulated time no task took a record, thought, or was given
 * a page, and nothing was written; or events or demand without number happen at one instant.
 */
int reclaim_engine_run(struct reclaim_engine *engine, int64_t until, struct reclaim_error *error);

/* Simulated time: that of the event under way inside a callback. */
int64_t reclaim_engine_now(const struct reclaim_engine *engine);

uint64_t reclaim_engine_counter(const struct reclaim_engine *engine, enum reclaim_counter counter);
const uint64_t *reclaim_engine_counters(const struct reclaim_engine *engine);

/* A zone's state, in pages. */
struct reclaim_zone_state {
	uint32_t node;
	enum reclaim_zone_type type;
	uint64_t managed, free, pcp;
	uint64_t min, low, high, promo, boost;
	uint64_t reserve[RECLAIM_NR_ZONE_TYPES];
	uint64_t lru[RECLAIM_NR_LRUS];
	uint64_t kernel, slab_reclaimable;
	uint64_t dirty, writeback;
	uint64_t free_blocks[RECLAIM_NR_MT][RECLAIM_NR_ORDERS];
	uint64_t nr_highatomic; /* pages in reserved blocks */
	uint32_t pcp_batch;
};
int reclaim_engine_zone(const struct reclaim_engine *engine, uint32_t zone,
			struct reclaim_zone_state *out);

struct reclaim_memcg_state {
	uint64_t usage, max, high, low, min, soft_limit;
	uint64_t lru[RECLAIM_NR_LRUS];
	uint64_t max_events, high_events, oom_kills, scanned, stolen;
};
int reclaim_engine_memcg(const struct reclaim_engine *engine, uint32_t memcg,
			 struct reclaim_memcg_state *out);

/* Swap slots in use. */
uint64_t reclaim_engine_swap_used(const struct reclaim_engine *engine);

/* Where a task stands. */
struct reclaim_task_state {
	int64_t now;	  /* ns: the time that its loop has reached */
	int64_t stall_ns; /* in direct reclaim, compaction and throttles */
	int64_t io_ns;	  /* waiting for reads */
	int64_t dirty_ns; /* held to the dirty limits */
	uint64_t records, stalls;
	bool ended, killed;
};
int reclaim_engine_task(const struct reclaim_engine *engine, uint32_t task,
			struct reclaim_task_state *out);

/* Is page @index of @file in memory? */
bool reclaim_engine_resident(const struct reclaim_engine *engine, uint32_t file, uint32_t index);

/* A hash over every event so far: equal for equal runs. */
uint64_t reclaim_engine_hash(const struct reclaim_engine *engine);

/*
 * Check every internal account (free lists, per-CPU lists, LRU lists, dirty and swap counts, page
 * ownership) against a full walk. Slow; for tests. Returns 0 or -EUCLEAN with a line in @error.
 */
int reclaim_engine_verify(const struct reclaim_engine *engine, struct reclaim_error *error);

/* ---- the kernel's predicates by themselves, to be graded event by event ---- */

/* Inputs of __zone_watermark_ok(). All in pages. */
struct reclaim_wmark_check {
	uint64_t free, mark,
		reserve;	/* mark before reductions; reserve: lowmem_reserve of the request */
	uint64_t nr_highatomic; /* of the profile's kind: reserved or free */
	uint32_t order;
	bool alloc_high;       /* ALLOC_HIGH, ALLOC_MIN_RESERVE */
	bool harder;	       /* ALLOC_HARDER (to 6.0), ALLOC_NON_BLOCK (later) */
	bool oom;	       /* ALLOC_OOM */
	bool highatomic;       /* ALLOC_HIGHATOMIC (6.1.y and later) */
	bool block_pcp_type;   /* a free block of at least @order on an unmovable, movable or
				  reclaimable list */
	bool block_highatomic; /* one on the highatomic list */
};
bool reclaim_zone_watermark_ok(const struct reclaim_profile *profile,
			       const struct reclaim_wmark_check *check);

/*
 * reclaim_retry_zone's last field from its first ones: would another round of reclaim help?
 * @reserve: lowmem_reserve of the zone against the request, pages (not in the event).
 */
bool reclaim_should_retry_zone(const struct reclaim_profile *profile, uint32_t order,
			       uint64_t reclaimable, uint64_t available, uint64_t min_wmark,
			       uint64_t reserve, int32_t no_progress_loops, bool block_available);

/* compact_retry's ret from its other fields. @zonelist_suitable answers
 * compaction_zonelist_suitable. */
bool reclaim_should_compact_retry(const struct reclaim_profile *profile, uint32_t order,
				  int32_t compact_priority, enum reclaim_compact_result result,
				  int32_t retries, int32_t max_retries, bool zonelist_suitable);

/* Inputs of compaction_suitable(): order-0 free pages and the marks of one zone. */
struct reclaim_compact_check {
	uint64_t free, min, low, reserve;
	uint32_t order;
	bool order_ok;		  /* a block of the order is there already above the mark */
	uint64_t free_blocks;	  /* free blocks of all orders */
	uint64_t suitable_blocks; /* free blocks of at least the order */
};
enum reclaim_compact_result reclaim_compaction_suitable(const struct reclaim_profile *profile,
							const struct reclaim_compact_check *check);
/* fragmentation_index() x 1000 as the kernel computes it. */
int reclaim_fragmentation_index(uint32_t order, uint64_t free, uint64_t free_blocks,
				uint64_t suitable_blocks);

/* ---- the bound ---- */

/*
 * Belady's MIN over a request sequence: the fewest misses that any policy could have with @capacity
 * pages. @keys: one per request, equal keys name equal pages. Returns the misses, or
 * -ENOMEM/-EINVAL.
 */
int64_t reclaim_belady_misses(const uint64_t *keys, size_t nr, size_t capacity);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
