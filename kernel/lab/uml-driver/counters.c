// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counters.c - what /proc/vmstat showed at the two ends of the trace
 *
 * Whoever reads /proc/vmstat after the replay reads what kswapd did after it, too. These are taken
 * beside the marks, so that trace and counters tell the same.
 */
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/vmstat.h>

#include "replay.h"

struct counters {
	unsigned long zone[NR_VM_ZONE_STAT_ITEMS];
	unsigned long node[NR_VM_NODE_STAT_ITEMS];
	unsigned long events[NR_VM_EVENT_ITEMS];
};

static struct counters taken[NR_MOMENTS];

void replay_counters_take(enum replay_moment moment)
{
	struct counters *counters = &taken[moment];
	int i;

	for (i = 0; i < NR_VM_ZONE_STAT_ITEMS; i++)
		counters->zone[i] = global_zone_page_state(i);
	for (i = 0; i < NR_VM_NODE_STAT_ITEMS; i++)
		counters->node[i] = global_node_page_state_pages(i);
	all_vm_events(counters->events);
	/* Sectors there, KiB in /proc/vmstat. */
	counters->events[PGPGIN] /= 2;
	counters->events[PGPGOUT] /= 2;
}

void replay_counters_show(struct seq_file *seq, enum replay_moment moment)
{
	const struct counters *counters = &taken[moment];
	int i;

	for (i = 0; i < NR_VM_ZONE_STAT_ITEMS; i++)
		seq_printf(seq, "%s %lu\n", zone_stat_name(i), counters->zone[i]);
	for (i = 0; i < NR_VM_NODE_STAT_ITEMS; i++)
		seq_printf(seq, "%s %lu\n", node_stat_name(i), counters->node[i]);
	for (i = 0; i < NR_VM_EVENT_ITEMS; i++)
		seq_printf(seq, "%s %lu\n", vm_event_name(i), counters->events[i]);
}
