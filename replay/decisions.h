/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decisions.h - the kernel's recorded yes and no, asked of the engine's predicates
 *
 * Three events carry a decision of the kernel with its inputs. Each is put to the predicate that
 * the engine decides with, and the answers are counted.
 *
 *	reclaim_retry_zone	all inputs are in the event for order 0. Whether a block of a higher
 *				order was free is not: it is taken from the free blocks at the end
 * of the window, and such events are counted apart compact_retry		all inputs, but what
 * compaction_zonelist_suitable() said (only asked for result "skipped", which the event does not
 * tell from others)
 *	mm_compaction_suitable	the free pages come from the last reclaim_retry_zone of the same
 *				zone and the allocations and frees since; asked where the answer
 *				does not hang on how far that may be off. Whether the allocation
 *				would have gone through without (ret "success") is not in a trace
 */
#ifndef RECLAIMLAB_DECISIONS_H
#define RECLAIMLAB_DECISIONS_H

#include "replay/machine.h"
#include "replay/recording.h"

struct decision_count {
	unsigned int events; /* recorded */
	unsigned int asked;  /* could be put to the predicate */
	unsigned int agreed;
};

struct decisions {
	struct decision_count retry_single; /* reclaim_retry_zone, order 0 */
	struct decision_count retry_block;  /* reclaim_retry_zone, higher orders */
	struct decision_count compact;	    /* compact_retry */
	struct decision_count suitable;	    /* mm_compaction_suitable */
};

void decisions_check(const struct recording *recording, const struct machine *machine,
		     struct decisions *out);

#endif
