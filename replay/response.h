/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * response.h - what a kernel, recorded or modelled, did about the demand
 *
 * Collected from events in time order, in one way for recordings and replays, so that a replay can
 * be graded: who scanned and stole how much, wakes of kswapd, stalls, throttles, by the second.
 * Times are ns, quantities pages. The rules of counting are those by which trace totals equal
 * /proc/vmstat: scans come from lru_isolate of inactive lists, steals from shrink_inactive, the
 * actor from the task and from the memcg reclaim that it is inside of.
 */
#ifndef RECLAIMLAB_RESPONSE_H
#define RECLAIMLAB_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/vocabulary/event.h"

enum response_actor { RESPONSE_KSWAPD, RESPONSE_DIRECT, RESPONSE_MEMCG, RESPONSE_NR_ACTORS };

enum { RESPONSE_NR_REASONS = 4 }; /* WRITEBACK, ISOLATED, NOPROGRESS, CONGESTED */

struct response_second {
	uint64_t scan[RESPONSE_NR_ACTORS];
	uint64_t wakes;
	uint64_t stalls;
	uint64_t writes;     /* by reclaim */
	uint64_t steal_anon; /* all actors */
};

struct response {
	uint64_t start, end; /* window; set before the first event */
	uint64_t scan[RESPONSE_NR_ACTORS], steal[RESPONSE_NR_ACTORS];
	uint64_t scan_anon, scan_file, steal_anon, steal_file;
	uint64_t refill;
	uint64_t wakes; /* kswapd_wake */
	uint64_t sleeps;
	uint64_t wake_requests;
	uint64_t writes; /* by reclaim */
	uint64_t activated, kept;
	uint64_t fallbacks;	   /* allocations from another migrate type's blocks */
	uint64_t stalls, stall_ns; /* outermost direct reclaims */
	uint64_t throttles[RESPONSE_NR_REASONS][2];   /* by kswapd, by others */
	uint64_t throttle_us[RESPONSE_NR_REASONS][2]; /* as measured */
	uint64_t throttle_full[RESPONSE_NR_REASONS][2];
	/* Known from counters (recording) or from the engine; UINT64_MAX where neither says it. */
	uint64_t refault_anon, refault_file, activate_file;
	uint64_t *stall_times; /* ns each, in the order of their ends */
	size_t nr_stall_times, room_stall_times;
	uint64_t *wake_pages; /* pages reclaimed by kswapd between a wake and the next */
	size_t nr_wake_pages, room_wake_pages;
	struct response_second *seconds; /* from @start on */
	size_t nr_seconds, room_seconds;
};

struct response_reader;

/* Collect into @response, which the caller owns and has zeroed but for @start and @end. */
struct response_reader *response_reader_new(struct response *response);
void response_reader_free(struct response_reader *reader);

/* Returns 0 or -ENOMEM. Events outside the window only teach who is inside what. */
int response_event(struct response_reader *reader, const struct event *ev);

/* Frees what @response points to. */
void response_clear(struct response *response);

/* The @percent-th percentile (nearest rank) of the stall times, ns; 0 when there is none. */
uint64_t response_stall_percentile(const struct response *response, unsigned int percent);

/*
 * Pearson's r of two series of @n values. False when one of them does not vary or @n < 2: r then
 * means nothing.
 */
bool response_correlation(const double *a, const double *b, size_t n, double *r);

#endif
