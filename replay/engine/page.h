/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * page.h - page frames, lists of them, and tables from names to frames
 */
#ifndef RECLAIM_PAGE_H
#define RECLAIM_PAGE_H

#include "base.h"

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

struct rc_file {
	struct rc_table table;
	uint32_t nr_dirty;
	/* Its place among the files that wait for the flusher, and where that goes on in it. */
	uint32_t flush_next, flush_index;
	bool flush_queued;
};

/* The place of an entry that is not there yet; NULL without memory. */
uint64_t *rc_table_make(struct rc_table *t, uint32_t index);
void rc_table_free(struct rc_table *t);
struct rc_file *rc_file_make(struct reclaim_engine *e, uint32_t file);

uint64_t *rc_page_slot(struct reclaim_engine *e, const struct rc_page *page);

static inline uint32_t rc_entry_frame(uint64_t entry)
{
	return (entry & 3) == RC_ENTRY_FRAME ? (uint32_t)(entry >> 2) : RC_NONE;
}

#endif
