/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>

#include "analyze/section.h"

/* clang-format off */
const struct section report_sections[] = {
	{ "stalls", "Stalls by kind of reclaim", "stall_by_actor",
	  "SELECT actor, count, total, p50, p90, p95, p99, max, min, unpaired, reclaimed "
	  "FROM stall_by_actor WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "kind", FORMAT_TEXT }, { "count", FORMAT_COUNT }, { "total", FORMAT_NS },
	    { "50 %", FORMAT_NS }, { "90 %", FORMAT_NS }, { "95 %", FORMAT_NS },
	    { "99 %", FORMAT_NS }, { "max", FORMAT_NS } } },
	{ "stalls_by_order", "Stalls by order", "stall_by_order",
	  "SELECT \"order\", count, total, p50, p90, p95, p99, max, min, unpaired, reclaimed "
	  "FROM stall_by_order WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "order", FORMAT_COUNT }, { "count", FORMAT_COUNT }, { "total", FORMAT_NS },
	    { "50 %", FORMAT_NS }, { "90 %", FORMAT_NS }, { "95 %", FORMAT_NS },
	    { "99 %", FORMAT_NS }, { "max", FORMAT_NS } } },
	{ "stalls_by_gfp", "Stalls by allocation flags", "stall_by_gfp",
	  "SELECT gfp, count, total, p50, p99, max, min, p90, p95, unpaired, reclaimed "
	  "FROM stall_by_gfp WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "flags", FORMAT_FLAGS }, { "count", FORMAT_COUNT }, { "total", FORMAT_NS },
	    { "50 %", FORMAT_NS }, { "99 %", FORMAT_NS }, { "max", FORMAT_NS } } },
	{ "stalls_by_task", "Stalls by task", "stall_by_task",
	  "SELECT comm, tid, count, total, p50, p99, max, min, p90, p95, unpaired, reclaimed "
	  "FROM stall_by_task WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "task", FORMAT_TEXT }, { "tid", FORMAT_COUNT }, { "count", FORMAT_COUNT },
	    { "total", FORMAT_NS }, { "50 %", FORMAT_NS }, { "99 %", FORMAT_NS },
	    { "max", FORMAT_NS } } },
	{ "stall_split", "What stalls are spent on", "stall_split",
	  "SELECT actor, total, throttled_share, compaction_share, slab_share, rest_share, count, "
	  "throttled, compaction, slab, rest "
	  "FROM stall_split WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "kind", FORMAT_TEXT }, { "total", FORMAT_NS }, { "throttled %", FORMAT_PERCENT },
	    { "compaction %", FORMAT_PERCENT }, { "slab %", FORMAT_PERCENT },
	    { "rest %", FORMAT_PERCENT } } },
	{ "direct_entry", "kswapd when tasks began to reclaim themselves", "direct_entry",
	  "SELECT coalesce(kswapd, 'not seen') AS kswapd, entries, total, woken_before_p50, throttled "
	  "FROM direct_entry WHERE run = ?1 ORDER BY entries DESC LIMIT ?2",
	  { { "kswapd", FORMAT_TEXT }, { "entries", FORMAT_COUNT }, { "total", FORMAT_NS },
	    { "after its wake, 50 %", FORMAT_NS }, { "throttled", FORMAT_COUNT } } },
	{ "kswapd", "kswapd", "kswapd_by_node",
	  "SELECT node, wakes, rewakes, awake, awake_share, awake_p50, awake_max, min_priority, "
	  "sleeps, dozes, wake_delay_p50, scanned, reclaimed "
	  "FROM kswapd_by_node WHERE run = ?1 ORDER BY node LIMIT ?2",
	  { { "node", FORMAT_COUNT }, { "wakes", FORMAT_COUNT }, { "asked awake", FORMAT_COUNT },
	    { "awake", FORMAT_NS }, { "of time %", FORMAT_PERCENT }, { "50 %", FORMAT_NS },
	    { "max", FORMAT_NS }, { "hardest prio", FORMAT_COUNT } } },
	{ "wakers", "Who asks kswapd", "wakers",
	  "SELECT comm, \"order\", gfp, requests, cycles "
	  "FROM wakers WHERE run = ?1 ORDER BY requests DESC LIMIT ?2",
	  { { "task", FORMAT_TEXT }, { "order", FORMAT_COUNT }, { "flags", FORMAT_FLAGS },
	    { "requests", FORMAT_COUNT }, { "woke it", FORMAT_COUNT } } },
	{ "throttles", "Throttling", "throttle_by_reason",
	  "SELECT reason, actor, count, total, full, early, zero, full_share, max, p50 "
	  "FROM throttle_by_reason WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "reason", FORMAT_TEXT }, { "who", FORMAT_TEXT }, { "count", FORMAT_COUNT },
	    { "total", FORMAT_US }, { "full", FORMAT_COUNT }, { "early", FORMAT_COUNT },
	    { "zero", FORMAT_COUNT }, { "full %", FORMAT_PERCENT }, { "max", FORMAT_US } } },
	{ "throttle_distribution", "Delays of the throttling", "throttle_distribution",
	  "SELECT reason, actor, count, delayed, timeout, outcome FROM throttle_distribution "
	  "WHERE run = ?1 ORDER BY count DESC, reason, actor, delayed LIMIT ?2",
	  { { "reason", FORMAT_TEXT }, { "who", FORMAT_TEXT }, { "count", FORMAT_COUNT },
	    { "usec_delayed", FORMAT_USEC }, { "timeout", FORMAT_USEC },
	    { "outcome", FORMAT_TEXT } } },
	{ "memcg_stalls", "Stalls at cgroup limits", "memcg_stall",
	  "SELECT comm, tid, count, total, p50, p99, max, scanned, reclaimed "
	  "FROM memcg_stall WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "task", FORMAT_TEXT }, { "tid", FORMAT_COUNT }, { "count", FORMAT_COUNT },
	    { "total", FORMAT_NS }, { "50 %", FORMAT_NS }, { "99 %", FORMAT_NS },
	    { "max", FORMAT_NS } } },
	{ "oom_kills", "Killed for want of memory", "oom_kill",
	  "SELECT ts / 1e9 AS seconds, comm, pid, source, anon_rss, file_rss, shmem_rss, total_vm "
	  "FROM oom_kill WHERE run = ?1 ORDER BY ts LIMIT ?2",
	  { { "at s", FORMAT_NUMBER }, { "task", FORMAT_TEXT }, { "pid", FORMAT_COUNT },
	    { "from", FORMAT_TEXT }, { "anon KiB", FORMAT_COUNT }, { "file KiB", FORMAT_COUNT } } },
	{ "zones", "Zones in the reports of the kernel log", "zone_state",
	  "SELECT substr(label, 8), node || ' ' || zone, coalesce(below, '-'), fails_from, why, "
	  "words, free, cma, min, low, high, reserve, largest_order "
	  "FROM zone_state WHERE run = ?1 AND label LIKE 'report %' "
	  "ORDER BY snapshot, node, zone LIMIT ?2",
	  { { "report", FORMAT_TEXT }, { "zone", FORMAT_TEXT }, { "below", FORMAT_TEXT },
	    { "fails at", FORMAT_COUNT }, { "because", FORMAT_TEXT } } },
	{ "compaction", "Compaction", "compaction_time",
	  "SELECT actor, count, success, total, p50, max, migrated, failed, migrate_scanned, "
	  "free_scanned FROM compaction_time WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "who", FORMAT_TEXT }, { "count", FORMAT_COUNT }, { "success", FORMAT_COUNT },
	    { "total", FORMAT_NS }, { "50 %", FORMAT_NS }, { "max", FORMAT_NS },
	    { "moved", FORMAT_COUNT }, { "not moved", FORMAT_COUNT } } },
	{ "slab", "Slab shrinkers", "slab_time",
	  "SELECT shrinker, actor, count, total, max, freed, asked "
	  "FROM slab_time WHERE run = ?1 ORDER BY total DESC LIMIT ?2",
	  { { "shrinker", FORMAT_TEXT }, { "who", FORMAT_TEXT }, { "calls", FORMAT_COUNT },
	    { "total", FORMAT_NS }, { "max", FORMAT_NS }, { "freed", FORMAT_COUNT } } },
	{ "huge_requests", "Requests of order 4 and more", "huge_requests",
	  "SELECT \"order\", comm, gfp, asked, got, success, failed "
	  "FROM huge_requests WHERE run = ?1 ORDER BY \"order\" DESC, asked DESC LIMIT ?2",
	  { { "order", FORMAT_COUNT }, { "task", FORMAT_TEXT }, { "flags", FORMAT_FLAGS },
	    { "asked", FORMAT_COUNT }, { "got", FORMAT_COUNT }, { "success %", FORMAT_PERCENT } } },
	{ "nodes", "Reclaim by node", "by_node",
	  "SELECT node, actor, scanned, reclaimed, efficiency FROM by_node WHERE run = ?1 "
	  "AND (SELECT count(*) FROM kswapd_by_node WHERE run = ?1) > 1 "
	  "ORDER BY node, actor LIMIT ?2",
	  { { "node", FORMAT_COUNT }, { "who", FORMAT_TEXT }, { "scanned", FORMAT_COUNT },
	    { "reclaimed", FORMAT_COUNT }, { "efficiency %", FORMAT_PERCENT } } },
	{ "reconcile", "Where trace and counters differ (the view reconcile says why)", "reconcile",
	  "SELECT what, trace, counter, difference, why, exact FROM reconcile WHERE run = ?1 "
	  "AND (?2 < 0 OR difference <> 0) ORDER BY exact DESC LIMIT ?2",
	  { { "what", FORMAT_TEXT }, { "trace", FORMAT_COUNT }, { "counter", FORMAT_COUNT },
	    { "difference", FORMAT_COUNT } } },
	{ "losses", "Lost", "losses",
	  "SELECT cpu, kind, gaps, count, unknown FROM losses WHERE run = ?1 "
	  "ORDER BY count DESC, gaps DESC LIMIT ?2",
	  { { "CPU", FORMAT_COUNT }, { "kind", FORMAT_TEXT }, { "gaps", FORMAT_COUNT },
	    { "events", FORMAT_COUNT }, { "gaps of unknown size", FORMAT_COUNT } } },
	{ "unpaired", "Begins without end and ends without begin", "unpaired",
	  "SELECT fact, pairs, unpaired FROM unpaired WHERE run = ?1 LIMIT ?2",
	  { { "fact", FORMAT_TEXT }, { "pairs", FORMAT_COUNT }, { "unpaired", FORMAT_COUNT } } },
	{ "not_recorded", "Not recorded, and what it costs", "not_recorded",
	  "SELECT event, cost FROM not_recorded WHERE run = ?1 ORDER BY event LIMIT ?2",
	  { { "event", FORMAT_TEXT }, { "cannot be said", FORMAT_TEXT } } },
	{ NULL },
};
/* clang-format on */
