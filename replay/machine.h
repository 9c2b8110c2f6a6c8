/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - the recorded machine in the engine's words
 *
 * Zones, watermarks, free blocks and lists come from the counters at the start of the window,
 * settings from a file of settings or, where there is none, from what the watermarks prove; devices
 * from diskstats; costs, pauses and reference rates from the calibration. What was found where is
 * kept in words for the grade.
 */
#ifndef RECLAIMLAB_MACHINE_H
#define RECLAIMLAB_MACHINE_H

#include "capture/base/message.h"
#include "reclaim/engine.h"
#include "replay/counter_set.h"
#include "replay/recording.h"

/* Room for frames known to be free at the start (reclaim_initial.known), in all zones. */
#define MACHINE_KNOWN 8192

struct machine {
	struct reclaim_machine machine;
	struct reclaim_initial initial[RECLAIM_MAX_ZONES];
	struct reclaim_wmarks seen[RECLAIM_MAX_ZONES]; /* of the recording, boost taken off */
	const struct reclaim_profile *profile;
	bool watermarks_equal; /* the engine's rules give @seen */
	int64_t pause_quantiles[CALIBRATE_QUANTILES];
	uint32_t known[MACHINE_KNOWN]; /* zone by zone */
	char words[512];	       /* what it rests on */
};

/* Returns 0, or -EINVAL when the recording has no zoneinfo at the start of its window. */
int machine_from_recording(const struct recording *recording, struct machine *out,
			   struct rl_msg *msg);

/*
 * The free blocks and the pageblocks by migrate type that pagetypeinfo shows for @scope ("node 0
 * zone Normal"); 0 where @counters have none. The other: pages in the free blocks.
 */
void machine_free_blocks(const struct counter_set *counters, const char *scope,
			 struct reclaim_initial *initial);
uint64_t machine_block_pages(const struct reclaim_initial *initial);

/*
 * A machine without a recording: one zone, all of @memory ("4G") managed and free, the rules of
 * @kernel (a release), the defaults else. Returns 0 or -EINVAL with what was expected.
 */
int machine_of_size(const char *kernel, const char *memory, struct machine *out,
		    struct rl_msg *msg);

/* Correct the pointers that @machine holds into itself, after it was copied. */
void machine_fix(struct machine *machine);

/*
 * Give the machine @pages managed pages in all, by making its largest zone larger or smaller. More
 * memory is free at the start. Less has less free memory above the high watermark, then less of the
 * page cache that no demand names, of both lists alike, then less free memory at all; -EINVAL when
 * that does not do, with the machine as it was.
 */
int machine_resize(struct machine *machine, uint64_t pages, struct rl_msg *msg);

/* Managed pages of all zones. */
uint64_t machine_pages(const struct machine *machine);

/*
 * Change the machine as "key=value" says: memory (1.5x, 2G, 512M), swappiness, swap (off, 1G),
 * device (ssd, hdd, or MB/s,us), min_free_kbytes (number or 4x), watermark_scale_factor,
 * watermark_boost_factor, dirty_ratio, dirty_background_ratio, costs (a factor, for sensitivity),
 * rotational (on, off: how readahead of swap goes) and write_throttling (off for a kernel without
 * CONFIG_BLK_WBT).
 * Returns 0 or -EINVAL with what was expected.
 */
int machine_change(struct machine *machine, const char *key, const char *value, struct rl_msg *msg);

/* Is @key one of them? */
bool machine_has_key(const char *key);

/* Several changes, blank-separated: "memory=2x swappiness=10". "" changes nothing. */
int machine_apply(struct machine *machine, const char *changes, struct rl_msg *msg);

#endif
