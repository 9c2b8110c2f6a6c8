/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reclaim/policy.h - what a reclaim policy decides, and how to write one
 *
 * A policy is a table of functions, one a decision point; every one may be NULL, then the feature
 * profile of the engine decides as its kernel does. Policies combine:
 * "gap-sqrt:wsf=120+lumpy-sync:passes=1" makes one policy object of two tables, and each decision
 * point is asked of the table that has it. Tables that both have one do not combine.
 *
 * A policy's parameters are data: name, range, default, help. "name=value" pairs are checked
 * against them.
 *
 * A policy sees copies of the engine's state, in pages and ns, and answers; it never changes the
 * engine. Its own state (state_size bytes, zeroed) lives as long as the policy object, which serves
 * one engine. It must decide with integers and, where it needs chance, with the generator it is
 * given, so that a replay is the same on every machine.
 *
 * A plugin is a shared object with one symbol, reclaim_policy_plugin: a function that returns its
 * table (struct reclaim_policy_ops) for the ABI it is asked for, or NULL. Policy names with a '/'
 * or ending in ".so" are files: "./sieve.so:visited=1".
 */
#ifndef RECLAIM_POLICY_H
#define RECLAIM_POLICY_H

#include "reclaim/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define RECLAIM_POLICY_ABI	  2
#define RECLAIM_POLICY_MAX_PARAMS 16
#define RECLAIM_POLICY_MAX_PARTS  8

struct reclaim_policy_param {
	const char *name;
	const char *help; /* with the unit */
	int64_t min, max, def;
};

/* ---- watermarks ---- */

/* One zone as __setup_per_zone_wmarks() sees it. Pages. */
struct reclaim_wmark_input {
	uint32_t node;
	enum reclaim_zone_type type;
	uint64_t managed;
	uint64_t share;	       /* this zone's share of min_free_kbytes */
	uint64_t min;	       /* what min will be: share, or a clamp for highmem */
	uint32_t scale_factor; /* watermark_scale_factor of the machine */
};

/* What the adaptive policies are told every tick. Counter values are totals so far. */
struct reclaim_tick {
	int64_t at;
	const uint64_t *counters; /* indexed by enum reclaim_counter */
	uint64_t managed;
};

/* ---- kswapd ---- */

struct reclaim_zone_view {
	uint32_t node;
	enum reclaim_zone_type type;
	uint64_t managed, free;
	uint64_t min, low, high, boost; /* min, low, high without the boost */
};

/* ---- scan balance: struct scan_control's view at get_scan_count() ---- */

struct reclaim_balance_input {
	uint64_t lru[RECLAIM_NR_LRUS]; /* pages in eligible zones */
	uint64_t anon_cost, file_cost;
	uint32_t swappiness;
	int priority;
	bool kswapd, memcg;
	bool can_swap;
	/* The words that the discipline keeps for the pair that is scanned (struct reclaim_lists),
	 * anon and file. */
	void *const *slot;
};

/* anon : file weights; 0:0 leaves the decision to the profile. */
struct reclaim_balance {
	uint64_t anon, file;
};

/* ---- a page's verdict ---- */

enum reclaim_verdict {
	RECLAIM_VERDICT_FREE,
	RECLAIM_VERDICT_FREE_CLEAN, /* free it if it is clean, else keep */
	RECLAIM_VERDICT_KEEP,	    /* once more round its list */
	RECLAIM_VERDICT_ACTIVATE,
};

struct reclaim_page_view {
	bool anon, dirty, writeback, workingset, mapped, exec;
	bool referenced; /* the referenced flag, taken off by this look */
	uint32_t young;	 /* young page-table references found by this look */
	int priority;
};

/* ---- throttle ---- */

struct reclaim_throttle_input {
	enum reclaim_throttle_reason reason;
	enum reclaim_actor_kind actor;
	uint32_t node;
	uint32_t hz;
	int priority;
	uint64_t scanned, reclaimed; /* of this reclaimer so far */
	uint64_t write_pending;	     /* dirty + writeback of the node */
	uint64_t reclaimable;
	bool hopeless; /* kswapd has given the node up */
};

enum reclaim_wake_others {
	RECLAIM_WAKE_NONE,
	RECLAIM_WAKE_ONE,
	RECLAIM_WAKE_ALL,
};

struct reclaim_throttle {
	int64_t timeout_ns; /* 0: do not wait */
	bool wake_early;    /* false: always the whole timeout */
	/* RECLAIM_POINT_PASS: whom of those waiting for progress to wake. */
	enum reclaim_wake_others wake;
};

/*
 * Should a reclaimer that made (or did not make) progress stop and wait for others?
 * Asked at the points named in @point; a policy that wants to wait fills @out for the reason given.
 */
enum reclaim_throttle_point {
	RECLAIM_POINT_ISOLATED,	 /* too many pages isolated (direct reclaim) */
	RECLAIM_POINT_IMMEDIATE, /* kswapd met pages marked for immediate reclaim */
	RECLAIM_POINT_CONGESTED, /* direct reclaim on a congested node */
	RECLAIM_POINT_PASS,	 /* after each round of priorities over the zones */
	RECLAIM_POINT_ALLOCATOR, /* the allocator after a reclaim without progress */
	RECLAIM_NR_THROTTLE_POINTS,
};

/* ---- the allocator's retries ---- */

struct reclaim_alloc_view {
	uint32_t order, gfp;
	uint32_t pageblock_order;
	enum reclaim_compact_result compact; /* of the early compaction */
};

enum reclaim_bailout {
	RECLAIM_BAILOUT_FAIL,  /* give the request up without reclaim */
	RECLAIM_BAILOUT_ASYNC, /* go on, compaction stays asynchronous */
	RECLAIM_BAILOUT_GO_ON,
};

/* ---- memory cgroups in the background ---- */

struct reclaim_memcg_view {
	uint32_t memcg;
	uint64_t usage, max, high, low, soft_limit;
	uint64_t events; /* charges since the last question */
	bool running;	 /* the worker is at it already */
	int64_t at;
};

struct reclaim_memcg_plan {
	uint64_t reclaim;    /* pages to get rid of now; 0: nothing to do */
	uint64_t scan_limit; /* most pages to scan in this run, 0: no limit */
	int64_t again_ns;    /* when to ask again if the run freed less than half, 0: at once */
};

/* ---- contiguous blocks ---- */

enum reclaim_contig_kind {
	RECLAIM_CONTIG_NONE,	   /* reclaim single pages and hope */
	RECLAIM_CONTIG_LUMPY,	   /* take the aligned block around each victim, do not wait */
	RECLAIM_CONTIG_LUMPY_SYNC, /* and wait for the writeback of the block */
	RECLAIM_CONTIG_COMPACTION,
};

struct reclaim_contig {
	enum reclaim_contig_kind kind;
	uint32_t passes; /* of synchronous waiting, for LUMPY_SYNC */
};

/* ---- the order of the lists ---- */

/*
 * A list discipline decides where a page goes and which page is next to be judged. Each (node,
 * memcg) pair has, for anon (type 0) and for file pages (type 1), two lists, number 0 and 1; the
 * engine counts 0 as inactive and 1 as active. A page carries 8 bits of the discipline's own.
 * Functions of struct reclaim_lists work on the pair that the call is about; page numbers are the
 * engine's frames.
 */
#define RECLAIM_NO_PAGE UINT32_MAX

struct reclaim_lists {
	void *engine;
	void *lruvec;
	int type;    /* 0 anon, 1 file */
	void **slot; /* one pointer-sized word the discipline may keep for each (pair, type), zero
			at first */
	void (*add)(struct reclaim_lists *lists, int list, uint32_t page, bool head);
	void (*del)(struct reclaim_lists *lists, uint32_t page);
	uint32_t (*head)(struct reclaim_lists *lists, int list);
	uint32_t (*tail)(struct reclaim_lists *lists, int list);
	/* Towards the head; RECLAIM_NO_PAGE behind the end. */
	uint32_t (*newer)(struct reclaim_lists *lists, uint32_t page);
	uint64_t (*len)(struct reclaim_lists *lists, int list);
	int (*list_of)(struct reclaim_lists *lists, uint32_t page);
	uint8_t (*bits)(struct reclaim_lists *lists, uint32_t page);
	void (*set_bits)(struct reclaim_lists *lists, uint32_t page, uint8_t bits);
	/*
	 * With reclaim_policy_ops.future: the number of the next request for the page (struct
	 * reclaim_future), RECLAIM_NEVER also for pages that no demand names.
	 */
	uint64_t (*next_use)(struct reclaim_lists *lists, uint32_t page);
};

struct reclaim_discipline {
	/*
	 * A new page (or one that reclaim looked at and kept: @kept). @distance: its refault
	 * distance in evictions, UINT64_MAX when it was never here. Must add it to a list.
	 */
	void (*insert)(void *state, struct reclaim_lists *lists, uint32_t page, uint64_t distance,
		       bool kept);
	void (*access)(void *state, struct reclaim_lists *lists, uint32_t page);
	/* The next page to judge; it must stay on its list. RECLAIM_NO_PAGE: none left. */
	uint32_t (*victim)(void *state, struct reclaim_lists *lists);
	/* A page is about to leave its list (freed, or taken to be judged). May be NULL. */
	void (*remove)(void *state, struct reclaim_lists *lists, uint32_t page);
};

enum reclaim_lru_kind {
	RECLAIM_LRU_PROFILE, /* as the profile says */
	RECLAIM_LRU_TWO_LIST,
	RECLAIM_LRU_MGLRU,
	RECLAIM_LRU_DISCIPLINE,
};

/* ---- the table ---- */

struct reclaim_policy_ops {
	uint32_t abi; /* RECLAIM_POLICY_ABI */
	const char *name;
	const char *source;  /* where the idea comes from */
	const char *summary; /* one line */
	const struct reclaim_policy_param *params;
	size_t nr_params;
	size_t state_size;

	/* @values: one a parameter, checked against its range. Returns 0 or a negative errno. */
	int (*init)(void *state, const int64_t *values, struct reclaim_error *error);
	void (*exit)(void *state);

	/* Fill out->low, high and promo from @in; out->min is in->min already and may be changed.
	 */
	void (*watermarks)(void *state, const struct reclaim_wmark_input *in,
			   struct reclaim_wmarks *out);
	/* Called every tick_ns; true: compute the watermarks anew. */
	int64_t tick_ns;
	bool (*tick)(void *state, const struct reclaim_tick *tick);
	/* A request found the zone below @view->low: is it to wake kswapd? */
	bool (*wake_kswapd)(void *state, const struct reclaim_zone_view *view, uint32_t order);
	/* Free pages at which kswapd calls the zone balanced. */
	uint64_t (*balance_mark)(void *state, const struct reclaim_zone_view *view);
	void (*scan_balance)(void *state, const struct reclaim_balance_input *in,
			     struct reclaim_balance *out);
	enum reclaim_verdict (*verdict)(void *state, const struct reclaim_page_view *page,
					enum reclaim_verdict profile_says);
	void (*throttle)(void *state, enum reclaim_throttle_point point,
			 const struct reclaim_throttle_input *in, struct reclaim_throttle *out);
	enum reclaim_bailout (*bailout)(void *state, const struct reclaim_alloc_view *view);
	bool (*memcg_background)(void *state, const struct reclaim_memcg_view *view,
				 struct reclaim_memcg_plan *out);
	void (*contiguous)(void *state, uint32_t order, int priority, struct reclaim_contig *out);
	enum reclaim_lru_kind lru_kind;
	const struct reclaim_discipline *discipline; /* with RECLAIM_LRU_DISCIPLINE */
	/*
	 * A discipline that knows the future: the engine then needs reclaim_config.future, calls
	 * access() after every request for a page, whether that marks the page accessed or not,
	 * and lets no reference keep a page that victim() gave.
	 */
	bool future;
};

/* The one symbol of a plugin. */
typedef const struct reclaim_policy_ops *(*reclaim_policy_plugin_fn)(uint32_t abi);
#define RECLAIM_POLICY_PLUGIN_SYMBOL "reclaim_policy_plugin"

/* ---- policy objects ---- */

/*
 * Make a policy of a specification: part[+part...], part = name[:key=value,...]. Returns NULL with
 * a line in
 * @error for an unknown name or key, a value out of range, or a plugin that does not load.
 */
struct reclaim_policy *reclaim_policy_create(const char *spec, struct reclaim_error *error);
void reclaim_policy_free(struct reclaim_policy *policy);
/* The specification with every parameter written out. Owned by the policy. */
const char *reclaim_policy_describe(const struct reclaim_policy *policy);

/* Does a part of it need to know the future of the demand? */
bool reclaim_policy_needs_future(const struct reclaim_policy *policy);

/* The i-th built-in table, NULL behind the last. */
const struct reclaim_policy_ops *reclaim_policy_builtin(size_t i);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
