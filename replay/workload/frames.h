/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h - what is known of each page frame while a recording is read
 *
 * A sparse table over frame numbers: leaves of 4096 entries are allocated when a frame of theirs is
 * first asked for, so memory follows the frames that the recording touches. Frame numbers are not
 * trusted: those beyond FRAMES_MAX are refused.
 */
#ifndef RECLAIMLAB_FRAMES_H
#define RECLAIMLAB_FRAMES_H

#include <stdint.h>

#define FRAMES_MAX (INT64_C(1) << 36) /* 256 TiB of 4 KiB pages */

enum frame_kind {
	FRAME_UNSEEN, /* never seen allocated, or freed */
	FRAME_KERNEL, /* allocated; neither page cache nor anonymous as far as known */
	FRAME_CACHE,
	FRAME_ANON,
	FRAME_SHMEM,
	FRAME_RESPONSE, /* allocated by reclaim or compaction */
	FRAME_RECORDER,
};

struct frame {
	uint32_t record;  /* its allocation's record + 1; 0: none */
	uint32_t logical; /* logical page, or DEMAND_NONE */
	uint32_t file;
	uint32_t index;
	uint32_t owner; /* task that allocated it, or put it into the page cache */
	uint8_t kind;	/* enum frame_kind */
	uint8_t order;
	uint8_t deleted; /* a page-cache page that left the cache: its free follows */
	uint8_t marked;	 /* page cache: the read that brought it in marked it accessed */
};

struct frames;

/* NULL when memory is short. */
struct frames *frames_new(void);
void frames_free(struct frames *frames);

/* The entry of @pfn (all zero when new), or NULL: out of range or memory short. Stays valid. */
struct frame *frames_at(struct frames *frames, int64_t pfn);

#endif
