/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extract.h - demand out of a recording
 *
 * Takes the events of a recording in time order and keeps what the workload asked for. What the
 * recorded kernel did about it is left out, and counted, so that the split can be checked:
 *
 *	page-cache delete between lru_isolate and shrink_inactive of the same task: eviction. Their
 *		number is pgsteal_file, to the page
 *	free there, behind an isolate of an anonymous list, of a page that is not kernel memory:
 *		the page was swapped out or dropped. Their number is pgsteal_anon, to the page
 *	other frees there: slab and index nodes that went with the pages
 *	allocations by kswapd, inside direct, memcg, node or soft limit reclaim, and in compaction;
 *		frees of what these allocated
 *	failed allocations (pfn -1) of single pages: mostly readahead that gives up; a failed block
 *		of more than 2^3 pages stays a request
 *	page-cache deletes of kswapd or of direct reclaim outside a batch: inodes dropped by slab
 *		shrinkers
 *	allocations that turn out to be swap-ins: the page is asked for (an access), the frame is
 *		not. The same frames read ahead are the device's affair
 *	time in reclaim, compaction and throttles, and pauses of balance_dirty_pages
 *	time in which other tasks showed on the CPU that a task last had: a replay's CPUs are shared
 *		anew
 *	everything of the recorder
 *
 * A refault is a request like any other: the add of a page that was evicted earlier stays.
 *
 * Page-cache adds of one task with ascending index form runs; how a run came about is inferred from
 * its place (a run that continues the one before was started by readahead) unless the recording
 * holds the accesses themselves (mm_filemap_get_pages, _fault), which then are the requests.
 *
 * A page-cache page that is put on the active list was hit: without recorded accesses that is the
 * one trace of hits, and those that move nothing decide nothing either as long as memory stays as
 *it was.
 *
 * What no event shows (other hits in the page cache, touches of mapped and anonymous pages) is not
 * invented here: records carry a class of hidden references instead, whose rate is calibrated from
 * the recording (replay/calibrate.h). Where tasks took pages back from swap, their touches are
 *drawn (touch.h); where probes show the references (folio_referenced, swap faults), these become
 * accesses. demand_note "basis" says which.
 *
 * Frees of pages that were never seen allocated are ignored: they belong to the state at the start.
 */
#ifndef RECLAIMLAB_EXTRACT_H
#define RECLAIMLAB_EXTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/base/message.h"
#include "capture/vocabulary/event.h"
#include "replay/workload/demand.h"

/* Classes of hidden references in demand_record.ref_class. */
enum extract_class { EXTRACT_CLASS_NONE, EXTRACT_CLASS_ANON };

struct extract_options {
	/* The window on the recording's clock, ns; events outside only teach the state. */
	uint64_t start, end;
	/* The name of a thread or NULL; @ctx is passed on. May be NULL. */
	const char *(*comm)(void *ctx, int32_t pid);
	void *ctx;
	int32_t recorder; /* thread id to leave out, or 0; known recorders are known by name too */
	uint64_t seed;	  /* for touches that no event shows */
	/*
	 * What a read of the file device takes on average, ns, 0 unknown: a task that waited for
	 * one did not think meanwhile.
	 */
	uint64_t read_wait_ns;
};

/* What became of everything, in the window. Pages unless said. */
struct extract_counts {
	uint64_t evicted_file, evicted_anon; /* equal to pgsteal_file and pgsteal_anon */
	uint64_t batch_other;
	uint64_t inode_dropped, truncated;
	uint64_t alloc_kernel, alloc_anon, alloc_shmem; /* demand */
	uint64_t alloc_failed, alloc_failed_huge;	/* requests */
	uint64_t alloc_reclaim, alloc_recorder, swap_in, swap_readahead;
	uint64_t swap_in_peak; /* most swap-ins in one second */
	uint64_t read_peak;    /* most pages read into the page cache in a tenth of a second */
	uint64_t free_demand, free_unseen, free_response, free_shrinker;
	uint64_t cache_read, cache_written, cache_recorder;
	uint64_t refaulted_file;   /* seen to go and to come back */
	uint64_t refaulted_added;  /* of these, seen to be read in before that, too */
	uint64_t runs, runs_async; /* runs */
	uint64_t accesses_known;   /* requests from access events */
	uint64_t references_known; /* touches proved by probes */
	uint64_t mmap_faults;
	uint64_t activations; /* of page-cache pages: hits, where no event tells of accesses */
	uint64_t stall_ns, stalls, dirty_pause_ns;
	uint64_t queued_ns;	 /* another had the task's CPU */
	uint64_t turns_known;	 /* tasks that asked and whose every turn is recorded */
	uint64_t dirty_limit;	 /* in force when the first writer was held back, 0 unknown */
	uint64_t known_identity; /* swap-ins whose page the probes name */
};

struct extract;

/* Returns NULL when memory is short. @options is copied. */
struct extract *extract_new(const struct extract_options *options);
void extract_free(struct extract *extract);

/* Take the next event. Returns 0 or -ENOMEM. Events that say nothing about demand are ignored. */
int extract_event(struct extract *extract, const struct event *ev);

const struct extract_counts *extract_counts(const struct extract *extract);

/*
 * Make the demand out of what was seen. @page_size and @cpus go into it. The caller owns *@out. The
 * extract can only be freed afterwards. Returns 0 or -ENOMEM.
 */
int extract_finish(struct extract *extract, uint32_t page_size, uint32_t cpus, struct demand **out,
		   struct rl_msg *msg);

#endif
