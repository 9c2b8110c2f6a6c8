/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "replay/explain.h"

/* Where in struct extract_counts a row's value lies. */
struct row {
	const char *part, *what, *unit, *counter;
	size_t offset;
	bool exact;
};

#define ROW(part, field, what, unit, counter, exact)                                               \
	{                                                                                          \
		part, what, unit, counter, offsetof(struct extract_counts, field), exact           \
	}

static const struct row table[] = {
	ROW("response", evicted_file, "page-cache pages evicted", "pages", "pgsteal_file", true),
	ROW("response", evicted_anon, "anonymous pages evicted", "pages", "pgsteal_anon", true),
	ROW("response", batch_other, "other frees inside a batch (slab, index nodes)", "pages",
	    NULL, false),
	ROW("response", inode_dropped, "page-cache pages dropped with their inode", "pages", NULL,
	    false),
	ROW("response", swap_in, "frames allocated for swap-ins", "pages", "pswpin", false),
	ROW("response", swap_readahead, "of them read ahead", "pages", NULL, false),
	ROW("response", alloc_failed, "small allocations that failed", "requests", NULL, false),
	ROW("response", alloc_reclaim, "allocated by reclaim and compaction", "pages", NULL, false),
	ROW("response", free_response, "frees of such pages", "pages", NULL, false),
	ROW("response", free_shrinker, "slab pages freed by shrinkers", "pages", NULL, false),
	ROW("left out", free_unseen, "frees of pages allocated before", "pages", NULL, false),
	ROW("left out", alloc_recorder, "allocated by the recorder", "pages", NULL, false),
	ROW("left out", cache_recorder, "page cache of the recorder", "pages", NULL, false),
	ROW("demand", cache_read, "page-cache pages read in", "pages", NULL, false),
	ROW("demand", refaulted_file, "of them seen to go before", "pages",
	    "workingset_refault_file", false),
	ROW("demand", cache_written, "page-cache pages written anew", "pages", NULL, false),
	ROW("demand", truncated, "page-cache pages truncated", "pages", NULL, false),
	ROW("demand", runs, "runs of adds", "requests", NULL, false),
	ROW("demand", runs_async, "of them started by readahead", "requests", NULL, false),
	ROW("demand", accesses_known, "reads of pages recorded", "requests", NULL, false),
	ROW("demand", activations, "hits seen by an activation", "pages", NULL, false),
	ROW("demand", mmap_faults, "file faults recorded", "requests", NULL, false),
	ROW("demand", references_known, "touches proved by probes", "requests", NULL, false),
	ROW("demand", known_identity, "swap faults whose page is known", "requests", NULL, false),
	ROW("demand", alloc_anon, "anonymous pages", "pages", NULL, false),
	ROW("demand", alloc_shmem, "shmem pages", "pages", NULL, false),
	ROW("demand", alloc_kernel, "kernel pages", "pages", NULL, false),
	ROW("demand", alloc_failed_huge, "blocks asked for and not got", "requests", NULL, false),
	ROW("demand", free_demand, "pages given back", "pages", NULL, false),
	ROW("time", stalls, "stalls taken out of thinking time", "stalls", NULL, false),
	ROW("time", stall_ns, "their time", "ns", NULL, false),
	ROW("time", dirty_pause_ns, "pauses of balance_dirty_pages among it", "ns", NULL, false),
	ROW("time", queued_ns, "others had its CPU while it was away", "ns", NULL, false),
	ROW("time", turns_known, "all turns on CPUs known by the scheduler's events", "tasks", NULL,
	    false),
};

_Static_assert(sizeof(table) / sizeof(*table) <= EXPLAIN_MAX_ROWS, "rows of the explanation");

unsigned int explain_recording(const struct recording *recording, struct explain_row *rows)
{
	unsigned int nr = sizeof(table) / sizeof(*table);

	for (unsigned int i = 0; i < nr; i++) {
		const char *counts = (const char *)&recording->counts;

		rows[i] = (struct explain_row){
			.part = table[i].part,
			.what = table[i].what,
			.unit = table[i].unit,
			.counter = table[i].counter,
			.exact = table[i].exact,
			.value = *(const uint64_t *)(counts + table[i].offset),
		};
		if (table[i].counter)
			rows[i].has_counter =
				recording_delta(recording, table[i].counter, &rows[i].counted);
	}
	return nr;
}
