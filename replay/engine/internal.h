/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * internal.h - the model that the files of libreclaim share
 *
 * One struct reclaim_engine holds everything; there is no other state. Page frames are numbers
 * into engine->pages, lists are chains of such numbers, so a frame costs sizeof(struct rc_page) and
 * a list operation touches at most three frames. Tasks run their demand directly on the scheduler's
 * stack; only what has to wait inside a request (reclaim, a throttle, a full device queue) moves to
 * a coroutine, where the code reads as straight as the kernel's.
 */
#ifndef RECLAIM_INTERNAL_H
#define RECLAIM_INTERNAL_H

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "reclaim/engine.h"
#include "reclaim/policy.h"

#define RC_NONE		 UINT32_MAX
#define RC_BATCH	 32 /* SWAP_CLUSTER_MAX */
#define RC_DEF_PRIORITY	 12
#define RC_COSTLY_ORDER	 3
#define RC_MAX_RETRIES	 16
#define RC_NSEC		 1000000000LL
#define RC_PCP_ORDERS	 5 /* 0..3 and the huge page order */
#define RC_LRU_BATCH_MAX 31
#define RC_MAX_IO_PAGES	 320 /* 1280 KiB, BLK_DEF_MAX_SECTORS: what one request takes */
#define RC_NR_GENS	 4
#define RC_NR_TIERS	 4

#define rc_min(a, b) ((a) < (b) ? (a) : (b))
#define rc_max(a, b) ((a) > (b) ? (a) : (b))

static inline uint64_t rc_clamp(uint64_t v, uint64_t lo, uint64_t hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static inline uint64_t rc_sub(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* ---- profile ---- */

enum rc_bailout_rule { RC_BAILOUT_49, RC_BAILOUT_54, RC_BAILOUT_515, RC_BAILOUT_61 };
enum rc_throttle_rule {
	RC_CONGESTION_49,
	RC_CONGESTION_54,
	RC_CONGESTION_515,
	RC_RT_516RC1,
	RC_RT_516
};
enum rc_pcp_rule { RC_PCP_49, RC_PCP_514, RC_PCP_67 };
enum rc_cost_rule { RC_COST_ROTATED, RC_COST_515, RC_COST_612 };
enum rc_workingset_rule { RC_WS_FILE_ONLY, RC_WS_SPLIT };
enum rc_wbt_rule {
	RC_WBT_NONE,
	RC_WBT_KSWAPD, /* what kswapd writes is a class of its own */
	RC_WBT_SWAP,   /* what goes to swap is */
};
enum rc_suitable_rule { RC_SUITABLE_49, RC_SUITABLE_54, RC_SUITABLE_612, RC_SUITABLE_618 };

struct reclaim_profile {
	const char *name;
	uint32_t min_free_max_kb;
	bool movable_is_high; /* ZONE_MOVABLE is left out of lowmem_pages, min clamped */
	bool has_boost;
	bool boost_on_claim;	/* only when a block is to be claimed */
	bool free_reversed;	/* reclaim gathers what it frees in a list, the last in front */
	bool free_to_block;	/* a freed page goes to the free list of its pageblock's type */
	bool boost_small_zones; /* also where four pageblocks exceed the zone */
	bool boost_flag_always; /* the kswapd hint is set even if nothing was boosted */
	bool reserve_flags;	/* MIN_RESERVE and NON_BLOCK instead of HIGH and HARDER */
	bool free_highatomic;	/* subtract free highatomic pages, not reserved blocks */
	bool fast_unusable;	/* the fast check subtracts what the caller may not use */
	bool fast_unboosted;	/* atomic requests are tried against the mark without its boost */
	bool highatomic_blocks; /* the highatomic limit is whole pageblocks */
	bool early_compact_all; /* early compaction also for small unmovable blocks */
	enum rc_bailout_rule bailout;
	bool retry_backoff;
	bool alloc_congestion;
	bool unreserve_always;
	bool compact_retry_simple;
	enum rc_pcp_rule pcp;
	bool pcp_high_orders;
	bool pcp_free_high; /* 5.14 rules: blocks freed in a row empty the lists */
	bool pcp_high_late; /* 6.7 rules: they do so only after half the high mark more */
	uint8_t lru_batch;
	bool anon_two_refs;
	bool anon_starts_inactive;
	bool exec_needs_file;
	enum rc_cost_rule cost;
	enum rc_workingset_rule workingset;
	bool zone_inactive_low; /* inactive_is_low counts eligible zones only */
	bool adjust_once;	/* shrink_lruvec runs on after its one adjustment */
	enum rc_throttle_rule throttle;
	bool kswapd_all_zones;
	bool kswapd_count_reclaimed;
	bool kswapd_trim_retry;
	bool dirty_needs_pages; /* the dirty flag of a node needs at least one dirty page */
	bool kswapd_writes_files;
	bool parks_dirty; /* dirty pages wait on the active list until they are written */
	bool mark_congested_once;
	enum rc_suitable_rule suitable;
	bool partial_walk;
	enum rc_wbt_rule wbt;
	bool eevdf; /* the scheduler goes by deadlines */
	bool kswapd_awake_rule;
	bool lumpy;
	bool mglru;
	uint8_t mglru_version;
};

/* ---- pages ---- */

enum {
	RC_PG_RESERVED = 1u << 0, /* never free: not managed */
	RC_PG_BUDDY = 1u << 1,	  /* head of a free block */
	RC_PG_PCP = 1u << 2,
	RC_PG_LRU = 1u << 3,
	RC_PG_ISOLATED = 1u << 4,
	RC_PG_BATCHED = 1u << 5, /* waits in a per-CPU batch for its LRU */
	RC_PG_ANON = 1u << 6,	 /* swap-backed */
	RC_PG_ACTIVE = 1u << 7,
	RC_PG_REFERENCED = 1u << 8,
	RC_PG_WORKINGSET = 1u << 9,
	RC_PG_DIRTY = 1u << 10,
	RC_PG_WRITEBACK = 1u << 11,
	RC_PG_RECLAIM = 1u << 12,
	RC_PG_LOCKED = 1u << 13, /* being read */
	RC_PG_YOUNG = 1u << 14,	 /* a page-table reference since the last look */
	RC_PG_MAPPED = 1u << 15,
	RC_PG_EXEC = 1u << 16,
	RC_PG_UNEVICTABLE = 1u << 17,
	RC_PG_DOOMED = 1u << 18,    /* freed by demand while isolated or under I/O */
	RC_PG_SWAPCACHE = 1u << 19, /* has a valid copy (or a slot) in swap */
	RC_PG_KERNEL = 1u << 20,
	RC_PG_SLAB = 1u << 21,
	RC_PG_MLOCK = 1u << 22,
	RC_PG_OWNED = 1u << 23, /* owner is set; never with a page of a file */
	RC_PG_TAIL = 1u << 24,
	RC_PG_HIDDEN = 1u << 25, /* the first hidden-reference look was made */
	RC_PG_ACTIVATING = 1u << 26,
	RC_PG_READAHEAD = 1u << 28, /* read in with a neighbour, not asked for yet */
	RC_PG_GHOST = 1u << 27,	    /* came back; stamp holds its refault distance */
};

struct rc_page {
	uint32_t next, prev;
	uint32_t file; /* RECLAIM_FILE_LOGICAL: index is a logical page; RC_NONE: nobody's */
	uint32_t index;
	uint32_t flags;
	uint32_t stamp; /* last look at the references, ms; while being read: the request */
	union {
		uint32_t dirty_next; /* file pages */
		uint32_t owner;	     /* RC_PG_OWNED: task that asked for it */
	};
	union {
		uint32_t dirty_prev; /* file pages */
		uint32_t slot;	     /* RC_PG_SWAPCACHE: the first of its slots */
	};
	uint16_t memcg;
	uint8_t zone;
	uint8_t order;
	uint8_t migratetype;
	uint8_t gen;  /* multi-generational: generation + 1 */
	uint8_t bits; /* discipline's bits, or file-descriptor references */
	uint8_t ref_class;
};
_Static_assert(sizeof(struct rc_page) + sizeof(uint64_t) <= 48,
	       "a modelled page and its name take at most 48 bytes");

struct rc_list {
	uint32_t head, tail;
	uint64_t len;
};

#define RC_LIST_INIT ((struct rc_list){ RC_NONE, RC_NONE, 0 })

/* ---- tables from logical pages to frames ---- */

/*
 * An entry: 0 nothing; else the low two bits say what. A frame: number << 2 | 1. A shadow of an
 * evicted page, or of one in swap: age << 24 | node << 20 | order << 12 | memcg << 4 | workingset
 * << 3 | 2 or 3. A page freed before it was allocated: RC_ENTRY_EARLY. One whose allocation failed
 * or that reclaim or the out-of-memory killer took for good: RC_ENTRY_GONE.
 */
#define RC_ENTRY_FRAME	1u
#define RC_ENTRY_SHADOW 2u
#define RC_ENTRY_SWAP	3u
#define RC_ENTRY_EARLY	4u
#define RC_ENTRY_GONE	8u
#define RC_CHUNK_SHIFT	9
#define RC_CHUNK	(1u << RC_CHUNK_SHIFT)

struct rc_table {
	uint64_t **chunks;
	uint32_t nr_chunks;
};

/* ---- zones ---- */

struct rc_pcp {
	struct rc_list lists[RECLAIM_NR_PCP_MT][RC_PCP_ORDERS];
	int32_t count;
	int32_t high, high_min, high_max, batch;
	int32_t free_factor, alloc_factor, free_count;
	bool prev_high_order;
};

struct rc_defer {
	uint32_t considered, shift;
	int failed_order;
};

struct rc_zone {
	uint32_t id;
	uint32_t node;
	enum reclaim_zone_type type;
	uint32_t base; /* first frame */
	uint64_t start_pfn;
	uint32_t spanned;
	uint64_t managed;
	struct reclaim_wmarks marks;
	uint64_t boost;
	uint64_t nr_free;
	uint64_t nr_free_highatomic;
	uint64_t nr_reserved_highatomic;
	uint64_t nr_pcp;
	struct rc_list free[RECLAIM_NR_MT][RECLAIM_NR_ORDERS];
	uint8_t *block_mt;
	uint32_t nr_blocks;
	uint64_t lru[RECLAIM_NR_LRUS];
	uint64_t kernel, slab;
	uint64_t dirty, writeback;
	bool reclaim_active;
	bool below_high;
	bool boosted;	    /* ZONE_BOOSTED_WATERMARK */
	struct rc_pcp *pcp; /* one a CPU */
	struct rc_defer defer;
	uint32_t migrate_pos, free_pos; /* compaction scanners, frame offsets */
};

/* ---- lists of evictable pages ---- */

struct rc_gens {
	uint64_t max_seq;
	uint64_t min_seq[2];
	struct rc_list lists[RC_NR_GENS][2];
	/* Refaults, evictions and protections of the current generations by tier, and their
	 * averages. */
	uint64_t avg_refaulted[2][RC_NR_TIERS], avg_total[2][RC_NR_TIERS];
	uint64_t refaulted[2][RC_NR_TIERS], evicted[2][RC_NR_TIERS], prot[2][RC_NR_TIERS];
};

struct rc_lruvec {
	uint32_t node;
	uint16_t memcg;
	struct rc_list lists[RECLAIM_NR_LRUS];
	uint64_t zone_size[RECLAIM_NR_ZONE_TYPES][RECLAIM_NR_LRUS];
	uint64_t size[RECLAIM_NR_LRUS];
	uint64_t anon_cost, file_cost;
	uint64_t recent_scanned[2], recent_rotated[2];
	uint64_t nonresident_age;
	uint64_t activations[2],
		activations_seen[2]; /* workingset activations and their snapshot */
	bool congested;
	struct rc_gens gens;
	void *slot[2];
};

struct rc_memcg {
	struct reclaim_memcg_desc desc;
	uint64_t usage;
	uint64_t emin, elow; /* effective protection, as of the last walk that came by */
	uint64_t max_events, high_events, oom_kills, scanned, stolen;
	uint64_t charge_events;
	bool background; /* the worker has it queued */
	uint64_t scan_limit;
	int64_t again_ns;
	uint64_t goal;
};

struct rc_waitq {
	uint32_t head, tail; /* actors */
	uint32_t nr;
};

struct rc_node {
	uint32_t id;
	uint32_t nr_zones;
	uint32_t zones[RECLAIM_NR_ZONE_TYPES];
	uint32_t nr_zonelist;
	uint32_t zonelist[RECLAIM_MAX_ZONES];
	bool spares_normal; /* has DMA32 beside NORMAL */
	uint64_t isolated[2];
	uint64_t nr_dirty, nr_writeback; /* files; anon writeback counts too */
	bool flag_writeback, flag_dirty, flag_congested;
	uint32_t kswapd; /* actor */
	int kswapd_order;
	int kswapd_zone; /* highest zone wanted, -1 none */
	uint32_t kswapd_failures;
	bool kswapd_asleep;
	struct rc_waitq kswapd_wait;
	struct rc_waitq pfmemalloc_wait;
	struct rc_waitq throttle_wait[RECLAIM_NR_THROTTLES];
	uint64_t written_at_throttle; /* nr_throttled_written when the first sleeper came */
	uint64_t throttled_written;
	uint32_t kcompactd;
	int kcompactd_order, kcompactd_zone;
	struct rc_waitq kcompactd_wait;
	bool has_lru_gen_memcgs;
};

/* ---- actors and time ---- */

/* How urgent a write is to who holds writers back. */
enum rc_write_kind { RC_WRITE_NORMAL, RC_WRITE_BACKGROUND, RC_WRITE_FIRST };

enum rc_state { RC_READY, RC_RUNNING, RC_BLOCKED, RC_ENDED };
enum rc_phase { RC_FETCH, RC_THINK, RC_EXEC, RC_IN_CO };

struct rc_co;

/* What the window of swap-in's readahead follows. */
struct rc_swapin {
	uint32_t prev, win, hits;
};

struct rc_actor {
	enum reclaim_actor_kind kind;
	uint32_t id;   /* task number or node */
	uint32_t self; /* index into engine->actors */
	enum rc_state state;
	enum rc_phase phase;
	uint32_t cpu;
	uint32_t run_next;		 /* run queue */
	int64_t vruntime;		 /* on the clock of the queue of @cpu */
	int64_t deadline, lag, slept_at; /* since 6.6 */
	bool stays;			 /* while it waits no idle CPU takes it over */
	uint32_t wait_next;		 /* wait queue */
	struct rc_waitq *waiting;
	uint32_t timer_gen;
	bool timer_set;
	bool timed_out;
	struct rc_co *co;
	void (*entry)(struct reclaim_engine *e, struct rc_actor *a);
	/* tasks */
	struct reclaim_task_desc task;
	const struct reclaim_demand *demand;
	int64_t think_left;
	uint32_t pos; /* how far a record of several pages has come */
	uint32_t io_first, io_nr;
	bool io_stop;
	bool counted;  /* the request under way is in the counters */
	bool memalloc; /* PF_MEMALLOC: reclaims already */
	bool killed, ended;
	bool oom_reserves; /* a victim that may use reserves */
	int64_t stall_ns, io_ns, dirty_ns;
	uint64_t records, stalls, rss;
	int64_t request_at; /* when the request under way began */
	uint32_t dirtied, dirty_pause_at;
	int64_t dirty_paused_at;		/* end of the last pause, 0: none yet */
	uint64_t high_pending;			/* pages charged while over memory.high */
	struct rc_swapin swapin;		/* readahead by address */
	uint32_t plug_head, plug_tail, plug_nr; /* its requests that are not issued yet */
	enum rc_write_kind write_kind;		/* of the write that it waits with */
	uint32_t last_file, last_index;
	uint32_t wait_request;
};

struct rc_lru_batch {
	uint32_t pages[RC_LRU_BATCH_MAX];
	uint32_t nr;
};

#define RC_SLOT_CACHE 64 /* SWAP_SLOTS_CACHE_SIZE */

struct rc_slot_cache {
	uint32_t slots[RC_SLOT_CACHE];
	uint32_t nr, taken;
	uint32_t cluster, next; /* solid devices */
};

/* The slots of the swap device, 1..nr. */
struct rc_slots {
	uint32_t nr, in_use;
	uint64_t *used;	 /* a bit each */
	uint32_t lowest; /* none below is free */
	uint32_t next, cluster_left;
	bool scarce;
	uint16_t *cluster_used;
	uint32_t *free_clusters, first_free, nr_free_clusters, nr_clusters; /* a ring */
	/* Of pages in swap: the slot of a logical page, and the page of a slot. */
	struct rc_table of_page, owner;
};

struct rc_cpu {
	int64_t now;
	uint32_t running;		       /* actor, RC_NONE: idle */
	uint32_t run_head, run_tail, nr_ready; /* who waits for this CPU */
	int64_t min_vruntime;
	int64_t picked, charged; /* when the running actor was put on, and up to where it paid */
	int64_t tick_at;
	int64_t idle_since;
	bool keeps;   /* the running actor is within its first slice */
	bool resched; /* another should have the CPU */
	int64_t pause_at, pause_ns;
	size_t pause_list_pos;
	int64_t pause_list_at, pause_list_ns;
	int64_t pause_random_at, pause_random_ns;
	struct rc_lru_batch add, activate;
	struct rc_slot_cache slots;
	uint16_t stock_memcg;
	uint32_t stock;
};

enum rc_timer_kind {
	RC_TIMER_WAKE,
	RC_TIMER_IO,
	RC_TIMER_TICK,
	RC_TIMER_SAMPLE,
	RC_TIMER_VMSTAT,
	RC_TIMER_START,
	RC_TIMER_WBT,
};

struct rc_timer {
	int64_t at;
	uint64_t seq;
	uint32_t kind;
	uint32_t what;
	uint32_t gen;
};

struct rc_heap {
	struct rc_timer *v;
	size_t nr, cap;
	uint64_t seq;
};

struct rc_request {
	uint32_t nr, nr_pages;
	uint32_t next_free; /* while it is plugged: the next of the plug */
	uint8_t device;
	uint8_t wbt_class; /* whose token it holds */
	bool write;
	uint32_t end_slot; /* a write to swap: the slot behind it */
	int64_t issued, done;
	uint32_t pages[RC_MAX_IO_PAGES];
};

#define RC_WBT_CLASSES	 2
#define RC_WBT_UNTRACKED UINT8_MAX

struct rc_wbt {
	int step; /* below 0: more than the default depth */
	bool at_most;
	uint32_t max_depth, normal, background;
	uint32_t in_flight[RC_WBT_CLASSES];
	struct rc_waitq wait[RC_WBT_CLASSES];
	int64_t read_at;   /* when a read was last submitted or done */
	int64_t paused_at; /* when a writer was last paused at the dirty limits */
	uint32_t first_read;
	int64_t first_read_at;
	/* The window that is looked at. */
	bool armed;
	int64_t window_ns, read_min;
	uint32_t reads, writes, unknown;
};

struct rc_device {
	struct reclaim_device_desc desc;
	int64_t bus[2]; /* when the read and the write side are free */
	int64_t server[2][64];
	uint32_t in_flight;
	struct rc_waitq full;
	struct rc_wbt wbt;
};

struct rc_prng {
	uint64_t s[2];
};

struct rc_policy_part {
	const struct reclaim_policy_ops *ops;
	void *state;
	void *handle;
};

struct reclaim_policy {
	struct rc_policy_part parts[RECLAIM_POLICY_MAX_PARTS];
	uint32_t nr;
	char *text;
};

struct rc_file {
	struct rc_table table;
	uint32_t nr_dirty;
	/* Its place among the files that wait for the flusher, and where that goes on in it. */
	uint32_t flush_next, flush_index;
	bool flush_queued;
};

struct reclaim_engine {
	struct reclaim_machine m;
	struct reclaim_profile prof;
	struct reclaim_policy *policy;
	/* The part of the policy that has each decision, NULL: the profile's. */
	const struct rc_policy_part *p_watermarks, *p_tick, *p_wake, *p_balance_mark,
		*p_scan_balance, *p_verdict, *p_throttle, *p_bailout, *p_memcg, *p_contig, *p_lru;
	const struct reclaim_discipline *discipline;
	struct reclaim_future future; /* members NULL unless the discipline needs it */
	bool mglru;
	bool after_setup;
	struct rc_prng rng;

	struct rc_page *pages;
	uint32_t nr_pages;
	struct rc_zone *zones;
	uint32_t nr_zones;
	struct rc_node nodes[RECLAIM_MAX_NODES];
	struct rc_lruvec *lruvecs; /* [memcg * nodes + node] */
	struct rc_memcg *memcgs;

	struct rc_table logical;
	struct rc_file *files;
	uint32_t nr_files;
	const uint8_t *file_device;
	uint32_t nr_file_device;

	uint64_t total_managed;
	struct rc_slots slots;
	struct rc_swapin swapin; /* readahead by slot */
	uint64_t swap_used;
	uint64_t swap_nameless; /* of these, slots of pages that no demand names */
	uint64_t nr_dirty, nr_writeback, nr_slab;
	uint64_t nr_file_writeback; /* of nr_writeback, pages of files */
	struct rc_list
		dirty_list; /* dirty file pages, oldest at the tail, by dirty_next and dirty_prev */
	struct rc_list slab_list;

	struct rc_actor *actors;
	uint32_t nr_actors, nr_tasks, tasks_left;
	struct rc_cpu *cpus;
	uint32_t nr_cpus;
	struct rc_heap heap;
	int64_t now;
	int64_t horizon;
	uint32_t cur; /* current actor, RC_NONE: the scheduler */
	uint32_t cur_cpu;
	bool in_co;
	struct rc_co *co_free;
	void *main_context;
	struct rc_device devices[RECLAIM_MAX_DEVICES];
	struct rc_request *requests;
	uint32_t nr_requests, cap_requests, free_request;

	struct rc_waitq flusher_wait;
	uint32_t flusher;
	uint64_t flush_pages;		 /* asked by reclaim */
	uint32_t flush_head, flush_tail; /* files with dirty pages, by flush_next */
	uint32_t flush_file, flush_left; /* the file under way, and pages left of its turn */
	uint32_t sync_waiters;
	struct rc_waitq writeback_wait;
	int64_t ratelimit_at; /* last estimate of the write bandwidth */
	uint64_t ratelimit_written, ratelimit_dirtied;
	uint64_t write_bw, avg_write_bw;	      /* pages a second */
	uint64_t dirty_ratelimit, balanced_ratelimit; /* pages a second */
	uint64_t files_written;			      /* pages of files whose writeback ended */
	uint64_t dirty_limit;			      /* in force, pages */
	bool dirty_exceeded;
	struct rc_waitq memcg_wait;
	uint32_t memcg_worker;
	struct rc_waitq oom_wait;

	uint64_t vm[RECLAIM_NR_COUNTERS];
	reclaim_event_fn event;
	void *event_ctx;
	uint64_t event_mask;
	reclaim_next_fn next;
	void *next_ctx;
	int64_t sample_ns;
	void (*sample)(void *ctx, struct reclaim_engine *engine, int64_t at);
	void *sample_ctx;
	uint64_t hash;
	int64_t progress_at; /* when demand last got on */
	uint64_t progress;   /* what had been done then */
	uint32_t instant;    /* turns since simulated time last moved */
	const int *stop;
	int fatal; /* negative errno: the run must stop */
	struct reclaim_error fatal_error;
};

/* ---- error.c, prng.c, heap.c ---- */

int rc_fail(struct reclaim_error *error, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rc_fatal(struct reclaim_engine *e, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rc_prng_seed(struct rc_prng *r, uint64_t seed);
uint64_t rc_prng_next(struct rc_prng *r);
/* 0..n-1 */
uint64_t rc_prng_below(struct rc_prng *r, uint64_t n);
bool rc_prng_chance(struct rc_prng *r, uint32_t ppm);
/* Exponential with the given mean, by table; integers only. */
int64_t rc_prng_exp(struct rc_prng *r, int64_t mean);
/* 1 - exp(-x) in ppm, x in millionths. */
uint32_t rc_hit_ppm(uint64_t x_ppm);
uint64_t rc_isqrt(uint64_t x);
int rc_fls64(uint64_t x);
/* The power of two at or above @x > 0. */
static inline uint64_t rc_pow2_up(uint64_t x)
{
	return x <= 1 ? 1 : 1ULL << rc_fls64(x - 1);
}
int rc_heap_push(struct rc_heap *h, int64_t at, uint32_t kind, uint32_t what, uint32_t gen);
struct rc_timer rc_heap_pop(struct rc_heap *h);

/* ---- list.c ---- */

static inline void rc_list_add(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	p->prev = RC_NONE;
	p->next = l->head;
	if (l->head != RC_NONE)
		e->pages[l->head].prev = page;
	else
		l->tail = page;
	l->head = page;
	l->len++;
}

static inline void rc_list_add_tail(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	p->next = RC_NONE;
	p->prev = l->tail;
	if (l->tail != RC_NONE)
		e->pages[l->tail].next = page;
	else
		l->head = page;
	l->tail = page;
	l->len++;
}

static inline void rc_list_del(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (p->prev != RC_NONE)
		e->pages[p->prev].next = p->next;
	else
		l->head = p->next;
	if (p->next != RC_NONE)
		e->pages[p->next].prev = p->prev;
	else
		l->tail = p->prev;
	p->next = RC_NONE;
	p->prev = RC_NONE;
	l->len--;
}

/* ---- table.c ---- */

static inline uint64_t rc_table_get(const struct rc_table *t, uint32_t index)
{
	uint32_t c = index >> RC_CHUNK_SHIFT;

	if (c >= t->nr_chunks || !t->chunks[c])
		return 0;
	return t->chunks[c][index & (RC_CHUNK - 1)];
}

/* The place of an entry that is not there yet; NULL without memory. */
uint64_t *rc_table_make(struct rc_table *t, uint32_t index);
void rc_table_free(struct rc_table *t);
struct rc_file *rc_file_make(struct reclaim_engine *e, uint32_t file);

/* The place of an entry, made if need be; NULL without memory. */
static inline uint64_t *rc_table_slot(struct rc_table *t, uint32_t index)
{
	uint32_t c = index >> RC_CHUNK_SHIFT;

	if (c >= t->nr_chunks || !t->chunks[c])
		return rc_table_make(t, index);
	return &t->chunks[c][index & (RC_CHUNK - 1)];
}

/* A file, made if need be; NULL without memory. */
static inline struct rc_file *rc_file_get(struct reclaim_engine *e, uint32_t file)
{
	return file < e->nr_files ? &e->files[file] : rc_file_make(e, file);
}
uint64_t *rc_page_slot(struct reclaim_engine *e, const struct rc_page *page);

static inline uint32_t rc_entry_frame(uint64_t entry)
{
	return (entry & 3) == RC_ENTRY_FRAME ? (uint32_t)(entry >> 2) : RC_NONE;
}

/* ---- profile.c, policy.c, watermark.c ---- */

const struct rc_policy_part *rc_policy_find(const struct reclaim_policy *policy, size_t member);
void rc_watermarks_apply(struct reclaim_engine *e);
void rc_watermarks_of(const struct reclaim_machine *m, const struct reclaim_profile *prof,
		      const struct rc_policy_part *part, bool after_setup,
		      struct reclaim_wmarks *out);

static inline uint64_t rc_wmark_min(const struct rc_zone *z)
{
	return z->marks.min + z->boost;
}
static inline uint64_t rc_wmark_low(const struct rc_zone *z)
{
	return z->marks.low + z->boost;
}
static inline uint64_t rc_wmark_high(const struct rc_zone *z)
{
	return z->marks.high + z->boost;
}

/* ---- buddy.c ---- */

enum {
	RC_ALLOC_HIGH = 1u << 0,   /* ALLOC_HIGH, ALLOC_MIN_RESERVE */
	RC_ALLOC_HARDER = 1u << 1, /* ALLOC_HARDER, ALLOC_NON_BLOCK */
	RC_ALLOC_OOM = 1u << 2,
	RC_ALLOC_HIGHATOMIC = 1u << 3,
	RC_ALLOC_NO_WATERMARKS = 1u << 4,
	RC_ALLOC_KSWAPD = 1u << 5,
	RC_ALLOC_NOFRAGMENT = 1u << 6,
	RC_ALLOC_CPUSET = 1u << 7,
	RC_ALLOC_ATOMIC = 1u << 8, /* __GFP_ATOMIC, for the unboosted second look */
};

void rc_buddy_free(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order,
		   uint8_t mt);
uint32_t rc_buddy_alloc(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
			uint32_t flags);
/*
 * One block of several taken under one hold of the zone's lock (rmqueue_bulk()). *@single, false
 * for the first, becomes true once a block had to be taken from another type without claiming its
 * pageblock; the rest of the refill then goes on that way and looks for no claim again.
 */
uint32_t rc_buddy_refill(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
			 uint32_t flags, bool *single);
/* Take exactly this free page (it may be inside a larger free block) as a block of @order. */
bool rc_buddy_take(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order);
uint8_t rc_block_mt(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t page);
void rc_reserve_highatomic(struct reclaim_engine *e, struct rc_zone *z, uint32_t page);
/* A block kept for atomic requests goes to type @mt. */
bool rc_unreserve_highatomic(struct reclaim_engine *e, uint8_t mt, bool force);
static inline uint64_t rc_pfn(const struct rc_zone *z, uint32_t page)
{
	return z->start_pfn + (page - z->base);
}

/* ---- pcp.c ---- */

void rc_pcp_setup(struct reclaim_engine *e, struct rc_zone *z);
uint32_t rc_pcp_alloc(struct reclaim_engine *e, struct rc_zone *z, uint32_t order, uint8_t mt,
		      uint32_t flags);
void rc_pcp_free(struct reclaim_engine *e, struct rc_zone *z, uint32_t page, uint32_t order);
void rc_pcp_drain_all(struct reclaim_engine *e);
void rc_pcp_decay(struct reclaim_engine *e);
bool rc_pcp_order(const struct reclaim_engine *e, uint32_t order);

/* ---- zone.c ---- */

bool rc_wmark_ok(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t order,
		 uint64_t mark, int highest, uint32_t flags, uint64_t free);
/* zone_watermark_fast(), and what it does where the quick sum is not enough. */
bool rc_wmark_slow(const struct reclaim_engine *e, const struct rc_zone *z, uint32_t order,
		   uint64_t mark, int highest, uint32_t flags, bool min_mark);
static inline bool rc_wmark_fast(const struct reclaim_engine *e, const struct rc_zone *z,
				 uint32_t order, uint64_t mark, int highest, uint32_t flags,
				 bool min_mark)
{
	uint64_t unusable = 0;

	if (!order) {
		if (e->prof.fast_unusable && !(flags & (RC_ALLOC_HARDER | RC_ALLOC_OOM)))
			unusable = e->prof.free_highatomic ? z->nr_free_highatomic
							   : z->nr_reserved_highatomic;
		if (rc_sub(z->nr_free, unusable) > mark + z->marks.reserve[highest])
			return true;
	}
	return rc_wmark_slow(e, z, order, mark, highest, flags, min_mark);
}
uint64_t rc_zone_reclaimable(const struct reclaim_engine *e, const struct rc_zone *z);
uint64_t rc_node_write_pending(const struct reclaim_engine *e, const struct rc_node *n);
uint64_t rc_node_reclaimable(const struct reclaim_engine *e, const struct rc_node *n);
int rc_gfp_zone(uint32_t gfp);

/* ---- alloc.c ---- */

/* What a function that may have to wait says when it is not on a coroutine. */
#define RC_AGAIN (-2)

struct rc_alloc {
	uint32_t order;
	uint32_t gfp;
	uint8_t mt;
	uint8_t node;
	int highest;
	uint32_t page; /* result */
	bool stalled;
};

/* 0 and a->page; -ENOMEM; RC_AGAIN. */
int rc_alloc_pages(struct reclaim_engine *e, struct rc_alloc *a);
void rc_free_pages(struct reclaim_engine *e, uint32_t page);

/* ---- lru.c ---- */

static inline int rc_is_file_lru(int lru)
{
	return lru == RECLAIM_LRU_INACTIVE_FILE || lru == RECLAIM_LRU_ACTIVE_FILE;
}
static inline int rc_is_active_lru(int lru)
{
	return lru == RECLAIM_LRU_ACTIVE_ANON || lru == RECLAIM_LRU_ACTIVE_FILE;
}
int rc_page_lru(const struct rc_page *p);
struct rc_lruvec *rc_page_lruvec(struct reclaim_engine *e, const struct rc_page *p);
struct rc_lruvec *rc_lruvec(struct reclaim_engine *e, uint32_t node, uint32_t memcg);
void rc_lru_add(struct reclaim_engine *e, uint32_t page); /* through the batch of this CPU */
void rc_lru_put(struct reclaim_engine *e, uint32_t page, bool tail); /* at once */
void rc_lru_del(struct reclaim_engine *e, uint32_t page);
void rc_lru_account(struct reclaim_engine *e, struct rc_page *p, int lru, int sign);
void rc_lru_drain_cpu(struct reclaim_engine *e, uint32_t cpu);
void rc_lru_unbatch(struct reclaim_engine *e, uint32_t page);
void rc_lru_rotate(struct reclaim_engine *e, uint32_t page);
void rc_mark_accessed(struct reclaim_engine *e, uint32_t page);
void rc_activate(struct reclaim_engine *e, uint32_t page);
uint32_t rc_young_references(struct reclaim_engine *e, struct rc_page *p);

struct reclaim_lists rc_lists(struct reclaim_engine *e, struct rc_lruvec *v, int type);

/* ---- workingset.c ---- */

uint64_t rc_workingset_evict(struct reclaim_engine *e, struct rc_page *p, bool swap,
			     uint16_t target);
void rc_workingset_refault(struct reclaim_engine *e, uint32_t page, uint64_t entry);
void rc_workingset_age(struct reclaim_engine *e, uint32_t node, uint16_t memcg, uint64_t nr);
uint64_t rc_workingset_distance(struct reclaim_engine *e, uint64_t entry);
void rc_workingset_snapshot(struct reclaim_engine *e, uint32_t node, uint16_t memcg);
uint64_t rc_subtree_size(struct reclaim_engine *e, uint32_t node, uint16_t memcg, int lru);
/* A page on no list goes back: freed if demand freed it meanwhile. */
void rc_putback(struct reclaim_engine *e, uint32_t page);
void rc_lru_cost(struct reclaim_engine *e, struct rc_lruvec *v, bool file, uint64_t io,
		 uint64_t rotated);

/* ---- scan.c ---- */

struct rc_pass {
	uint32_t dirty, unqueued_dirty, congested, writeback, immediate, file_taken, taken;
};

struct rc_scan {
	uint64_t nr_to_reclaim;
	int order;
	int8_t priority;
	int reclaim_idx;
	uint32_t gfp;
	bool may_writepage, may_unmap, may_swap;
	bool kswapd, proactive;
	bool target_memcg; /* reclaim for @memcg, not for the machine */
	uint16_t memcg;
	uint64_t nr_scanned, nr_reclaimed;
	struct rc_pass pass;
	bool force_deactivate, skipped_deactivate, may_deactivate[2];
	bool memcg_low_reclaim, memcg_low_skipped;
	bool memcg_full_walk, partial_stop;
	bool compaction_ready;
	bool cache_trim, file_is_tiny, no_cache_trim, cache_trim_used;
	uint64_t scan_limit;
	struct reclaim_contig contig;
};

static inline bool rc_global(const struct rc_scan *sc)
{
	return !sc->target_memcg;
}

void rc_shrink_lruvec(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc);
void rc_shrink_node(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc);
uint64_t rc_shrink_list(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc, int lru,
			uint64_t nr);
void rc_shrink_active(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc, int lru,
		      uint64_t nr);
bool rc_inactive_low(const struct reclaim_engine *e, const struct rc_lruvec *v, bool file, int idx);
uint64_t rc_lruvec_size(const struct rc_lruvec *v, int lru, int idx);
bool rc_can_age_anon(const struct reclaim_engine *e);
void rc_count_scan(struct reclaim_engine *e, const struct rc_scan *sc, struct rc_lruvec *v,
		   bool file, uint64_t nr);
void rc_count_steal(struct reclaim_engine *e, const struct rc_scan *sc, struct rc_lruvec *v,
		    bool file, uint64_t nr);

/* ---- judge.c ---- */

struct rc_judged {
	struct reclaim_shrink_stat stat;
	uint32_t unqueued_dirty, pageout, nr_pages;
};
/*
 * shrink_folio_list(): judge @nr isolated pages; the freed ones leave the array, *@left stay (for
 * the caller to put back). @sync: wait for the writeback of each page (lumpy).
 */
uint32_t rc_judge_pages(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
			uint32_t *pages, uint32_t nr, uint32_t *left, struct rc_judged *out,
			bool sync);

/* ---- kswapd.c, direct.c, throttle.c ---- */

bool rc_balanced(struct reclaim_engine *e, const struct rc_node *n, int order, int highest);
void rc_wakeup_kswapd(struct reclaim_engine *e, struct rc_zone *z, uint32_t gfp, int order,
		      int highest);
void rc_kswapd_main(struct reclaim_engine *e, struct rc_actor *a);
/* try_to_free_pages(): pages reclaimed (or 1 for "progress"). */
uint64_t rc_direct_reclaim(struct reclaim_engine *e, struct rc_alloc *a);
uint64_t rc_memcg_reclaim(struct reclaim_engine *e, uint16_t memcg, uint64_t nr, uint32_t gfp,
			  bool may_swap, bool proactive, uint64_t scan_limit);
bool rc_allow_direct(struct reclaim_engine *e, const struct rc_node *n);
void rc_shrink_slab(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		    uint64_t scanned, uint64_t total);
void rc_throttle(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc,
		 enum reclaim_throttle_point point);
void rc_throttle_progress(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc);
void rc_throttle_isolated_done(struct reclaim_engine *e, struct rc_node *n);
void rc_throttle_written(struct reclaim_engine *e, struct rc_node *n);

/* ---- device.c, writeback.c, swap.c ---- */

/* Queue an I/O for pages; returns the request number. Pages of a read are locked until it is done.
 */
uint32_t rc_io_submit(struct reclaim_engine *e, uint32_t device, bool write, const uint32_t *pages,
		      uint32_t nr);
/* Write pages of a file; waits until the kernel lets the writer and the queue has room. */
void rc_io_write(struct reclaim_engine *e, uint32_t device, enum rc_write_kind kind,
		 const uint32_t *pages, uint32_t nr);
/* Write a page to its swap slot; it waits in the actor's plug. */
void rc_io_swap_out(struct reclaim_engine *e, uint32_t page);
/* Issue what waits in the plug of @a. */
void rc_plug_flush(struct reclaim_engine *e, struct rc_actor *a);
void rc_io_done(struct reclaim_engine *e, uint32_t request);
int64_t rc_io_when(const struct reclaim_engine *e, uint32_t request);
uint32_t rc_file_device(const struct reclaim_engine *e, uint32_t file);
void rc_dirty_page(struct reclaim_engine *e, uint32_t page);
void rc_clean_page(struct reclaim_engine *e, uint32_t page);
void rc_write_page(struct reclaim_engine *e, uint32_t page);
void rc_flusher_main(struct reclaim_engine *e, struct rc_actor *a);
void rc_flusher_wake(struct reclaim_engine *e, uint64_t pages);
/* The dirty limits were set: they are in force at once. */
void rc_dirty_limits_set(struct reclaim_engine *e);
void rc_dirty_limits(const struct reclaim_engine *e, const struct rc_actor *a, uint64_t *background,
		     uint64_t *limit);
/* Hold a task that dirties to the limits. RC_AGAIN when it has to wait and cannot. */
int rc_balance_dirty(struct reclaim_engine *e, struct rc_actor *a, uint32_t pages);
bool rc_swap_available(const struct reclaim_engine *e);
bool rc_swap_reserve(struct reclaim_engine *e, uint32_t page);
void rc_swap_release(struct reclaim_engine *e, uint32_t page);
void rc_swap_setup(struct reclaim_engine *e);
/* A page with a name goes to its slot; false without memory. */
bool rc_swap_evict(struct reclaim_engine *e, const struct rc_page *p);
/* Drop the swap entry of a logical page that is not in memory. */
void rc_swap_drop(struct reclaim_engine *e, uint32_t index, uint64_t entry);
/* A page is touched that may have been read ahead. */
void rc_swap_hit(struct reclaim_engine *e, struct rc_actor *a, struct rc_page *p);

/* Fault a swapped-out logical page in and queue its read. 0, -ENOMEM, RC_AGAIN. */
int rc_swap_in(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d);
/* Write up to @max dirty pages of @file (RC_NONE: any), oldest first; 0: nothing dirty. */
uint32_t rc_write_some(struct reclaim_engine *e, uint32_t file, uint32_t max,
		       enum rc_write_kind kind);

/* ---- slots.c ---- */

int rc_slots_init(struct reclaim_engine *e);
void rc_slots_free(struct reclaim_engine *e);
/* The first of @nr slots in a row, nr a power of two; 0: none. */
uint32_t rc_slot_get(struct reclaim_engine *e, uint32_t nr);
void rc_slot_put(struct reclaim_engine *e, uint32_t slot, uint32_t nr);

/* ---- wbt.c ---- */

void rc_wbt_init(struct rc_device *d);
/* Wait for a token; returns the class that has to get it back, or RC_WBT_UNTRACKED. */
uint8_t rc_wbt_wait(struct reclaim_engine *e, struct rc_device *d, bool swap,
		    enum rc_write_kind kind);
/* A writer to this device was paused at the dirty limits. */
void rc_wbt_paused(struct reclaim_engine *e, struct rc_device *d);
void rc_wbt_issue(struct reclaim_engine *e, struct rc_device *d, uint32_t request);
void rc_wbt_done(struct reclaim_engine *e, struct rc_device *d, uint32_t request);
void rc_wbt_timer(struct reclaim_engine *e, uint32_t device);

/* ---- memcg.c ---- */

int rc_memcg_charge(struct reclaim_engine *e, struct rc_actor *a, uint16_t memcg, uint32_t gfp,
		    uint32_t nr);
void rc_memcg_uncharge(struct reclaim_engine *e, uint16_t memcg, uint32_t nr);
/*
 * What a group of @usage pages with @setting (its low or min) is protected of, when its parent of
 * @parent_usage is of @parent_effective and all children of that claim and use @siblings.
 * @recursive: what they do not claim is shared by what each has beyond its own claim.
 */
uint64_t rc_effective_protection(uint64_t usage, uint64_t parent_usage, uint64_t setting,
				 uint64_t parent_effective, uint64_t siblings, bool recursive);
/* Works out the protection of a group for reclaim that began at @root; its parent comes before. */
void rc_memcg_calculate_protection(struct reclaim_engine *e, uint16_t memcg, uint16_t root);
/* Pages of a memcg that its low or min protects in this pass. Notes memory.low's share in @sc. */
uint64_t rc_memcg_protection(const struct reclaim_engine *e, uint16_t memcg, struct rc_scan *sc);
/* Is the whole memcg to be passed over? Notes memory.low's share in @sc. */
bool rc_memcg_protected(const struct reclaim_engine *e, uint16_t memcg, uint16_t root,
			struct rc_scan *sc);
void rc_memcg_handle_high(struct reclaim_engine *e, struct rc_actor *a);
bool rc_memcg_under(const struct reclaim_engine *e, uint16_t memcg, uint16_t root);
void rc_memcg_soft_limit(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc);
void rc_memcg_worker_main(struct reclaim_engine *e, struct rc_actor *a);
void rc_memcg_set_max(struct reclaim_engine *e, uint16_t memcg, uint64_t max);
uint64_t rc_proactive(struct reclaim_engine *e, uint16_t memcg, uint64_t nr);

/* ---- mglru.c ---- */

void rc_gen_init(struct rc_lruvec *v);
void rc_gen_add(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page, bool reclaiming);
void rc_gen_del(struct reclaim_engine *e, struct rc_lruvec *v, uint32_t page);
void rc_gen_shrink(struct reclaim_engine *e, struct rc_lruvec *v, struct rc_scan *sc);
void rc_gen_touch(struct reclaim_engine *e, uint32_t page);
uint64_t rc_gen_shadow(struct reclaim_engine *e, struct rc_page *p);
void rc_gen_refault(struct reclaim_engine *e, uint32_t page, uint64_t entry);
void rc_gen_age_node(struct reclaim_engine *e, struct rc_node *n, struct rc_scan *sc);

/* ---- compaction.c, contig.c ---- */

enum reclaim_compact_result rc_compact_direct(struct reclaim_engine *e, struct rc_alloc *a,
					      int priority, uint32_t *page);
enum reclaim_compact_result rc_compact_suitable(struct reclaim_engine *e, struct rc_zone *z,
						int order, int highest, uint32_t flags);
bool rc_compact_zonelist_suitable(struct reclaim_engine *e, const struct rc_alloc *a,
				  uint32_t flags);
void rc_kcompactd_main(struct reclaim_engine *e, struct rc_actor *a);
void rc_kcompactd_wake(struct reclaim_engine *e, struct rc_node *n, int order, int highest);
/* Does the allocator compact, or does a policy do without? */
bool rc_compaction_on(struct reclaim_engine *e, int order);
void rc_contig_mode(struct reclaim_engine *e, struct rc_scan *sc);
uint32_t rc_lumpy_take(struct reclaim_engine *e, struct rc_scan *sc, uint32_t page, uint32_t *pages,
		       uint32_t room, uint32_t *scanned, uint32_t *taken);

/* ---- runqueue.c ---- */

/* Who has the CPU from now on. */
void rc_rq_run(struct reclaim_engine *e, struct rc_cpu *c, struct rc_actor *a);
/* @a wants CPU @c: it gets it if it is idle, else waits, and may have it taken from who has it. */
void rc_rq_wake(struct reclaim_engine *e, struct rc_cpu *c, struct rc_actor *a, int64_t now);
/* The running actor leaves the CPU and the queue. */
void rc_rq_sleep(struct reclaim_engine *e, struct rc_cpu *c);
/* Take the best who waits out of the queue of an idle CPU; NULL when none does. */
struct rc_actor *rc_rq_next(struct reclaim_engine *e, struct rc_cpu *c);
/* The best of the running actor and those who wait gets the CPU. */
void rc_rq_switch(struct reclaim_engine *e, struct rc_cpu *c);
void rc_rq_tick(struct reclaim_engine *e, struct rc_cpu *c);
/*
 * Take who waits on @from and may run on CPU @cpu out of the queue; only with @all also one that
 * stays. NULL when there is none.
 */
struct rc_actor *rc_rq_pull(struct reclaim_engine *e, struct rc_cpu *from, uint32_t cpu, bool all);

/* ---- sched.c, coroutine.c ---- */

bool rc_may_run_on(const struct rc_actor *a, uint32_t cpu);

void rc_burn(struct reclaim_engine *e, int64_t ns);
/* Only on a coroutine: let time pass. Returns the ns that were left of the wait. */
void rc_sleep_until(struct reclaim_engine *e, int64_t at);
int64_t rc_wait(struct reclaim_engine *e, struct rc_waitq *q, int64_t timeout);
uint32_t rc_wake_one(struct reclaim_engine *e, struct rc_waitq *q);
void rc_wake_all(struct reclaim_engine *e, struct rc_waitq *q);
int rc_sched_init(struct reclaim_engine *e, const struct reclaim_config *config);
void rc_sched_free(struct reclaim_engine *e);
void rc_actor_ready(struct reclaim_engine *e, struct rc_actor *a);
void rc_yield(struct reclaim_engine *e);
static inline struct rc_actor *rc_current(struct reclaim_engine *e)
{
	return &e->actors[e->cur];
}
static inline struct rc_cpu *rc_this_cpu(struct reclaim_engine *e)
{
	return &e->cpus[e->cur_cpu];
}
int64_t rc_now(const struct reclaim_engine *e);
int rc_timer_add(struct reclaim_engine *e, int64_t at, uint32_t kind, uint32_t what, uint32_t gen);

/* Run @a->entry on a coroutine until it yields; true when it has returned. */
bool rc_co_resume(struct reclaim_engine *e, struct rc_actor *a);
void rc_co_yield(struct reclaim_engine *e);
void rc_co_release(struct reclaim_engine *e, struct rc_actor *a);
int rc_co_init(struct reclaim_engine *e);
void rc_co_exit(struct reclaim_engine *e);

/* ---- demand.c ---- */

/* Carry out the record of a task. 0 done; RC_AGAIN: needs a coroutine. */
/* Allocate, charge and fill in a page of a file or a logical page. 0 and *page, or as
 * rc_alloc_pages(). */
int rc_new_page(struct reclaim_engine *e, struct rc_actor *a, const struct reclaim_demand *d,
		uint32_t gfp, uint32_t order, uint8_t mt, uint32_t *page);
/* Give a new page its name; reads its shadow and puts it on its list. */
void rc_name_page(struct reclaim_engine *e, uint32_t page, uint32_t file, uint32_t index,
		  uint64_t *slot);
void rc_wait_page(struct reclaim_engine *e, struct rc_actor *a, uint32_t page);
int rc_demand_run(struct reclaim_engine *e, struct rc_actor *a);
/* The record is done: a discipline that knows the future looks at its pages anew. */
void rc_demand_used(struct reclaim_engine *e, struct rc_actor *a);
bool rc_demand_check(struct reclaim_engine *e, const struct reclaim_demand *d);

/* ---- event.c ---- */

static inline bool rc_event_wanted(const struct reclaim_engine *e, enum reclaim_event_type type)
{
	return (e->event_mask >> type) & 1;
}
/* A record with time, actor and CPU filled in. */
struct reclaim_event rc_event(const struct reclaim_engine *e, enum reclaim_event_type type);
void rc_emit(struct reclaim_engine *e, const struct reclaim_event *ev);

static inline void rc_count(struct reclaim_engine *e, enum reclaim_counter c, uint64_t n)
{
	e->vm[c] += n;
}

void rc_oom(struct reclaim_engine *e, uint32_t order, uint32_t gfp, int memcg);

#endif
